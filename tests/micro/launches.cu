/* What launching takes: empty kernels, waves of blocks, clusters, launches one after the other. */
#include "micro.h"
#include <cstdio>
#include <cstdlib>

extern "C" __global__ void empty(ARGUMENTS) {}

/* Some thousand cycles of one warp each. */
extern "C" __global__ void work(ARGUMENTS)
{
    float x = __uint_as_float(a), y = x;
    BEGIN
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 64; j++)
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
    }
    END((float *)memory)[threadIdx.x] = x;
}

/* The time in ns, of the first and the last warp's way. */
extern "C" __global__ void times(ARGUMENTS)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    ((unsigned long long *)memory)[2 * a] = now;
    const long long begin = clock64();
    while (clock64() - begin < n)
        ;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    ((unsigned long long *)memory)[2 * a + 1] = now;
}

static void run(const char *name, micro_kernel *kernel, unsigned blocks, unsigned threads, unsigned shared, unsigned n,
                unsigned cluster)
{
    struct micro_case c = {cluster || shared > 96 << 10 ? "large-launches" : "launches",
                           name,
                           kernel,
                           blocks,
                           threads,
                           shared,
                           n,
                           0x3f000000,
                           0,
                           1,
                           cluster,
                           1,
                           kernel == empty};
    micro_run(&c);
}

void micro_launches(void)
{
    for (unsigned blocks : {1u, 16u, 132u, 264u, 1024u, 4096u, 16384u}) {
        micro_extra(blocks > 4096);
        run("empty", empty, blocks, 32, 0, 0, 0);
    }
    micro_extra(0);
    for (unsigned blocks : {1u, 132u, 1056u, 4096u}) {
        micro_extra(blocks > 132);
        run("empty", empty, blocks, 256, 0, 0, 0);
        run("empty", empty, blocks, 1024, 0, 0, 0);
    }
    micro_extra(0);
    run("work", work, 1, 32, 0, 8, 0);
    run("work", work, 1, 32, 0, 16, 0);
    run("work", work, 1, 32, 0, 32, 0);
    micro_extra(1);
    for (unsigned blocks : {132u, 4224u, 4225u, 8448u})
        run("work", work, blocks, 64, 0, 16, 0);
    micro_extra(0);
}

/* With more shared memory than older GPUs have, and clusters. */
void micro_large_launches(void)
{
    for (unsigned blocks : {1u, 132u, 264u, 1056u})
        micro_extra(blocks == 132 || blocks > 264), run("empty", empty, blocks, 32, 200 << 10, 0, 0);
    micro_extra(0);
    for (unsigned cluster : {1u, 2u, 4u, 8u})
        run("empty", empty, 128, 32, 0, 0, cluster);
    for (unsigned blocks : {1u, 66u, 131u, 132u, 133u, 264u, 265u, 396u})
        micro_extra(blocks == 66 || blocks == 131 || blocks > 264), run("work", work, blocks, 32, 200 << 10, 16, 0);
    micro_extra(0);
}

void micro_queue(void)
{
    enum { COUNT = 1000 };
    static unsigned long long found[2 * COUNT];
    char *memory = micro_memory(1 << 20);
    cudaEvent_t before, after;
    micro_check(cudaEventCreate(&before), "cudaEventCreate");
    micro_check(cudaEventCreate(&after), "cudaEventCreate");
    for (unsigned blocks : {1u, 132u, 1056u})
        for (int again = 0; again < 2; again++) {
            float ms;
            micro_check(cudaEventRecord(before), "cudaEventRecord");
            for (int i = 0; i < COUNT; i++)
                empty<<<blocks, 256>>>(memory, 0, 0, 0, NULL);
            micro_check(cudaEventRecord(after), "cudaEventRecord");
            micro_check(cudaDeviceSynchronize(), "empty");
            micro_check(cudaEventElapsedTime(&ms, before, after), "cudaEventElapsedTime");
            printf("queue,back_to_back,%u,256,0,0,%u,0,0,1,0,0,%.4f\n", blocks, COUNT, ms * 1000 / COUNT);
        }
    for (unsigned cycles : {0u, 2000u, 10000u, 20000u}) {
        for (int i = 0; i < COUNT; i++)
            times<<<1, 1>>>(memory, cycles, i, 0, NULL);
        micro_check(cudaMemcpy(found, memory, sizeof found, cudaMemcpyDeviceToHost), "times");
        const unsigned long long all = found[2 * COUNT - 1] - found[200];
        unsigned long long inside = 0;
        for (int i = 100; i < COUNT; i++)
            inside += found[2 * i + 1] - found[2 * i];
        printf("queue,gap,1,1,0,0,%u,%u,0,1,%llu,%llu,0\n", cycles, COUNT - 100, all,
               inside); /* ns in all, ns within the kernels */
    }
    for (int i = 0; i < 3; i++) {
        times<<<1, 1>>>(memory, 20000000, 0, 0, NULL);
        micro_check(cudaMemcpy(found, memory, 16, cudaMemcpyDeviceToHost), "times");
        printf("queue,clock_mhz,1,1,0,0,20000000,0,0,1,%.3f,0,0\n", 20000000 * 1000.0 / (double)(found[1] - found[0]));
    }
}
