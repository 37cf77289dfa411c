/* Runs the cases and prints a line for each launch: see micro.h. */
#include "micro.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { WARPS = 132 * 64 * 4 }; /* whose clocks fit */
static int rounds = 3, flush, brief, extra;
static char *pool;
static size_t pool_size;
static long long *clocks, *host_clocks;
static cudaEvent_t before, after;

void micro_check(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "micro: %s: %s\n", what, cudaGetErrorString(status));
    exit(2);
}

char *micro_memory(size_t bytes)
{
    if (bytes > pool_size) {
        micro_check(cudaFree(pool), "cudaFree");
        micro_check(cudaMalloc(&pool, bytes), "cudaMalloc");
        pool_size = bytes;
        if (bytes <= (size_t)1 << 28)
            micro_check(cudaMemset(pool, 0, bytes), "cudaMemset");
    }
    return pool;
}

void micro_extra(int now) { extra = now; }

void micro_prepare(micro_kernel *kernel, unsigned blocks, unsigned threads, char *memory, unsigned n, unsigned a,
                   unsigned b)
{
    if (brief && extra)
        return;
    kernel<<<blocks, threads>>>(memory, n, a, b, NULL);
    micro_check(cudaGetLastError(), "a launch that prepares memory");
}

/* The longest time that a block's warps have between the first one's begin and the last one's end, and the mean over
 * blocks. */
static void spans(const struct micro_case *c, double *longest, double *mean)
{
    const unsigned warps = (c->threads + 31) / 32;
    double sum = 0;
    *longest = 0;
    for (unsigned block = 0; block < c->blocks; block++) {
        const long long *own = host_clocks + 2 * block * warps;
        long long first = own[0], last = own[1];
        for (unsigned w = 1; w < warps; w++) {
            first = own[2 * w] < first ? own[2 * w] : first;
            last = own[2 * w + 1] > last ? own[2 * w + 1] : last;
        }
        sum += (double)(last - first);
        *longest = last - first > *longest ? (double)(last - first) : *longest;
    }
    *mean = sum / c->blocks;
}

static void launch(const struct micro_case *whole, unsigned times)
{
    struct micro_case own = *whole, *const c = &own;
    own.blocks *= own.grows ? times : 1;
    const unsigned n = c->n * times;
    const int clocked = !c->unclocked && (size_t)c->blocks * ((c->threads + 31) / 32) <= WARPS;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = c->blocks;
    config.blockDim = c->threads;
    config.dynamicSmemBytes = c->shared;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = c->cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = c->cluster ? 1 : 0;
    double best = 0, best_mean = 0, best_us = 0;
    for (int r = 0; r < rounds; r++) {
        float ms = 0;
        double longest = 0, mean = 0;
        if (flush && c->cold)
            micro_check(cudaMemsetAsync(micro_memory(1) + ((size_t)512 << 20), 0, (size_t)256 << 20),
                        "cudaMemsetAsync");
        micro_check(cudaEventRecord(before), "cudaEventRecord");
        micro_check(cudaLaunchKernelEx(&config, c->kernel, micro_memory(1), n, c->a, c->b, clocked ? clocks : NULL),
                    c->name);
        micro_check(cudaEventRecord(after), "cudaEventRecord");
        micro_check(cudaDeviceSynchronize(), c->name);
        micro_check(cudaEventElapsedTime(&ms, before, after), "cudaEventElapsedTime");
        if (clocked) {
            micro_check(cudaMemcpy(host_clocks, clocks, 2ull * c->blocks * ((c->threads + 31) / 32) * sizeof *clocks,
                                   cudaMemcpyDeviceToHost),
                        "cudaMemcpy");
            spans(c, &longest, &mean);
        }
        if (r == 0 || longest < best)
            best = longest, best_mean = mean;
        if (r == 0 || ms * 1000 < best_us)
            best_us = ms * 1000;
    }
    printf("%s,%s,%u,%u,%u,%u,%u,%u,%u,%.10g,%.0f,%.1f,%.3f\n", c->group, c->name, c->blocks, c->threads, c->shared,
           c->cluster, n, c->a, c->b, c->operations, best, best_mean, best_us);
    fflush(stdout);
}

void micro_run(const struct micro_case *c)
{
    if (brief && extra)
        return;
    if (c->shared > 48 << 10)
        micro_check(cudaFuncSetAttribute(c->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, c->shared),
                    "cudaFuncSetAttribute");
    launch(c, 1);
    if (!c->once)
        launch(c, 2);
}

static const struct group {
    const char *name;
    void (*run)(void);
} groups[] = {{"arithmetic", micro_arithmetic},
              {"shared", micro_shared},
              {"tensor", micro_tensor},
              {"launches", micro_launches},
              {"queue", micro_queue},
              {"large-launches", micro_large_launches},
              {"hopper", micro_hopper},
              {"wgmma", micro_wgmma},
              {"memory", micro_memory_cases},
              {"cold", micro_cold},
              {"copies", micro_copies},
              {"atomics", micro_atomics},
              {"code", micro_code},
              {"large", micro_large},
              {"tlb", micro_tlb},
              {"occupancy", micro_occupancy}};

int main(int count, char **arguments)
{
    int at = 1;
    if (at + 1 < count && !strcmp(arguments[at], "-r"))
        rounds = atoi(arguments[at + 1]), at += 2;
    if (at < count && !strcmp(arguments[at], "-f"))
        flush = 1, at++;
    if (at < count && !strcmp(arguments[at], "-b"))
        brief = 1, at++;
    micro_check(cudaMalloc(&clocks, 2 * WARPS * sizeof *clocks), "cudaMalloc");
    host_clocks = (long long *)malloc(2 * WARPS * sizeof *clocks);
    micro_check(cudaEventCreate(&before), "cudaEventCreate");
    micro_check(cudaEventCreate(&after), "cudaEventCreate");
    micro_memory(1 << 20);
    printf("group,case,blocks,threads,shared,cluster,n,a,b,operations,longest,mean,us\n");
    for (const struct group &g : groups) {
        int chosen = at == count;
        for (int i = at; i < count; i++)
            chosen |= !strcmp(arguments[i], g.name);
        extra = 0;
        if (chosen)
            g.run();
    }
    return 0;
}
