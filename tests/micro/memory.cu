/* Chases of pointers and streams: L1, L2, TLBs, device memory, constants, local memory. */
#include "micro.h"
#include <cstdio>
#include <cstdlib>

enum : unsigned {
    STEPS = 16,
    TOUCH = 1u << 31
}; /* TOUCH: the grid reads all of it before, and a chase goes one round */

/* A ring of n pointers, a × 16 bytes apart; from each to the one b further. */
extern "C" __global__ void prepare_ring(ARGUMENTS)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        *(char **)(memory + (size_t)i * a * 16) = memory + ((size_t)i + b) % n * a * 16;
}

/* Reads a MB, so that they are in L2, or nothing else is. */
extern "C" __global__ void prepare_touch(ARGUMENTS)
{
    unsigned sum = 0;
    for (size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 16; at < (size_t)a << 20;
         at += (size_t)gridDim.x * blockDim.x * 16) {
        unsigned x, y, z, w;
        asm volatile("ld.global.cg.v4.u32 { %0, %1, %2, %3 }, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "l"(memory + at));
        sum += x + y + z + w;
    }
    if (sum == 0x12345678)
        *memory = 1;
}

/* a: rounds before the clock is read first. */
#define CHASE(name, TEXT)                                                                                              \
    extern "C" __global__ void name##_chase(ARGUMENTS)                                                                 \
    {                                                                                                                  \
        char *at = memory;                                                                                             \
        _Pragma("unroll 1") for (unsigned i = 0; i < a; i++)                                                           \
        {                                                                                                              \
            _Pragma("unroll") for (int j = 0; j < STEPS; j++) asm volatile(TEXT : "+l"(at));                           \
        }                                                                                                              \
        BEGIN                                                                                                          \
        _Pragma("unroll 1") for (unsigned i = 0; i < n; i++)                                                           \
        {                                                                                                              \
            _Pragma("unroll") for (int j = 0; j < STEPS; j++) asm volatile(TEXT : "+l"(at));                           \
        }                                                                                                              \
        END if (at == NULL) *memory = 1;                                                                               \
    }
CHASE(ca, "ld.global.ca.u64 %0, [%0];")
CHASE(cg, "ld.global.cg.u64 %0, [%0];")
CHASE(nc, "ld.global.nc.u64 %0, [%0];")

__constant__ unsigned table[16384];

/* A chase through constants; a as above. */
extern "C" __global__ void constant_chase(ARGUMENTS)
{
    unsigned at = b;
#pragma unroll 1
    for (unsigned i = 0; i < a; i++) {
#pragma unroll
        for (int j = 0; j < STEPS; j++)
            at = *(const unsigned *)((const char *)table + at);
    }
    BEGIN
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < STEPS; j++)
            at = *(const unsigned *)((const char *)table + at);
    }
    END *(unsigned *)memory = at;
}

extern "C" __global__ void local_chase(ARGUMENTS)
{
    unsigned ring[64], at = 0;
    for (unsigned i = 0; i < 64; i++)
        ring[(i + b) % 64] = (i + 1 + b) % 64;
    BEGIN
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < STEPS; j++)
            at = ring[at];
    }
    END((unsigned *)memory)[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

/* Loads that hit in L1: a bytes from lane to lane; two times sixteen rows, b bytes apart. */
#define L1(name, COUNT, TEXT, ...)                                                                                     \
    extern "C" __global__ void name##_l1(ARGUMENTS)                                                                    \
    {                                                                                                                  \
        const char *at = memory + threadIdx.x % 32 * a;                                                                \
        unsigned x[COUNT], sum = 0;                                                                                    \
        for (int j = 0; j < 32; j++) {                                                                                 \
            asm volatile(TEXT:__VA_ARGS__ : "l"(at + j * b));                                                          \
            for (int k = 0; k < COUNT; k++)                                                                            \
                sum |= x[k];                                                                                           \
        }                                                                                                              \
        BEGIN                                                                                                          \
        _Pragma("unroll 1") for (unsigned i = 0; i < n; i++)                                                           \
        {                                                                                                              \
            const char *half = at + (i & 1) * STEPS * b;                                                               \
            _Pragma("unroll") for (int j = 0; j < STEPS; j++)                                                          \
            {                                                                                                          \
                asm volatile(TEXT:__VA_ARGS__ : "l"(half + j * b));                                                    \
                _Pragma("unroll") for (int k = 0; k < COUNT; k++) sum |= x[k];                                         \
            }                                                                                                          \
        }                                                                                                              \
        END((unsigned *)memory)[65536 + threadIdx.x] = sum;                                                            \
    }
L1(load4, 1, "ld.global.ca.u32 %0, [%1];", "=r"(x[0]))
L1(load8, 2, "ld.global.ca.v2.u32 { %0, %1 }, [%2];", "=r"(x[0]), "=r"(x[1]))
L1(load16, 4, "ld.global.ca.v4.u32 { %0, %1, %2, %3 }, [%4];", "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]))

/* The grid reads n × a × 64 KB, over and over in b × 64 KB (b: a power of two); beside L1. */
#define STREAM(name, COUNT, WIDTH, PITCH, ...)                                                                         \
    extern "C" __global__ void name##_stream(ARGUMENTS)                                                                \
    {                                                                                                                  \
        const size_t all = (size_t)gridDim.x * blockDim.x * PITCH, end = (size_t)n * a << 16,                          \
                     mask = ((size_t)b << 16) - 1;                                                                     \
        size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * PITCH;                                           \
        unsigned sum = 0;                                                                                              \
        for (; at + 3 * all < end; at += 4 * all) {                                                                    \
            unsigned x[4][COUNT] = {};                                                                                 \
            _Pragma("unroll") for (int j = 0; j < 4; j++)                                                              \
            {                                                                                                          \
                char *p = memory + ((at + j * all) & mask);                                                            \
                __VA_ARGS__                                                                                            \
            }                                                                                                          \
            _Pragma("unroll") for (int j = 0; j < 4 * COUNT; j++) sum |= x[j / COUNT][j % COUNT];                      \
        }                                                                                                              \
        if (sum == 0x12345678)                                                                                         \
            *memory = 1;                                                                                               \
    }
#define LOAD16                                                                                                         \
    asm volatile("ld.global.cg.v4.u32 { %0, %1, %2, %3 }, [%4];"                                                       \
                 : "=r"(x[j][0]), "=r"(x[j][1]), "=r"(x[j][2]), "=r"(x[j][3])                                          \
                 : "l"(p));
#define LOAD8 asm volatile("ld.global.cg.v2.u32 { %0, %1 }, [%2];" : "=r"(x[j][0]), "=r"(x[j][1]) : "l"(p));
#define LOAD4 asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x[j][0]) : "l"(p));
#define STORE16 asm volatile("st.global.v4.u32 [%0], { %1, %1, %1, %1 };" ::"l"(p), "r"(n));
#define STORE4 asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(n));
STREAM(read16, 4, 16, 16, LOAD16)
STREAM(read8, 2, 8, 8, LOAD8)
STREAM(read4, 1, 4, 4, LOAD4)
STREAM(read16_ca, 4, 16, 16,
       asm volatile("ld.global.v4.u32 { %0, %1, %2, %3 }, [%4];"
                    : "=r"(x[j][0]), "=r"(x[j][1]), "=r"(x[j][2]), "=r"(x[j][3])
                    : "l"(p));)
STREAM(read_sector_of_2, 1, 4, 64, LOAD4)
STREAM(read_sector_of_4, 1, 4, 128, LOAD4)
STREAM(write16, 1, 16, 16, STORE16)
STREAM(write4, 1, 4, 4, STORE4)
STREAM(write_part, 1, 4, 32, STORE4)

/* To 128 MB behind what is read. */
extern "C" __global__ void copy16_stream(ARGUMENTS)
{
    const size_t all = (size_t)gridDim.x * blockDim.x * 16, end = (size_t)n * a << 16, to = (size_t)b << 16;
    for (size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 16; at + 3 * all < end; at += 4 * all) {
        unsigned x[4][4];
#pragma unroll
        for (int j = 0; j < 4; j++)
            asm volatile("ld.global.cg.v4.u32 { %0, %1, %2, %3 }, [%4];"
                         : "=r"(x[j][0]), "=r"(x[j][1]), "=r"(x[j][2]), "=r"(x[j][3])
                         : "l"(memory + at + j * all));
#pragma unroll
        for (int j = 0; j < 4; j++)
            asm volatile("st.global.v4.u32 [%0], { %1, %2, %3, %4 };" ::"l"(memory + to + at + j * all), "r"(x[j][0]),
                         "r"(x[j][1]), "r"(x[j][2]), "r"(x[j][3]));
    }
}

/* Many blocks, each of which does little: four times 16 bytes a thread, within b × 64 KB (a power of two), beside L1.
 * So tails do not matter. */
#define BLOCKS                                                                                                         \
    uint4 x[4] = {};                                                                                                   \
    char *at[4];                                                                                                       \
    _Pragma("unroll") for (int j = 0; j < 4; j++) at[j] =                                                              \
        memory + ((((size_t)blockIdx.x * 4 + j) * blockDim.x + threadIdx.x) * 16 & (((size_t)b << 16) - 1));
#define READ16                                                                                                         \
    _Pragma("unroll") for (int j = 0; j < 4; j++) asm volatile("ld.global.cg.v4.u32 { %0, %1, %2, %3 }, [%4];" :       \
                                                               "=r"(x[j].x), "=r"(x[j].y), "=r"(x[j].z),               \
                                                               "=r"(x[j].w) : "l"(at[j]));
#define WRITE16(to)                                                                                                    \
    _Pragma("unroll") for (int j = 0; j < 4;                                                                           \
                           j++) asm volatile("st.global.v4.u32 [%0], { %1, %2, %3, %4 };" ::"l"(at[j] + to),           \
                                             "r"(x[j].x), "r"(x[j].y), "r"(x[j].z), "r"(x[j].w));
extern "C" __global__ void read_blocks(ARGUMENTS)
{
    BLOCKS READ16 unsigned sum = 0;
    for (int j = 0; j < 4; j++)
        sum |= x[j].x | x[j].y | x[j].z | x[j].w;
    if (sum == 0x12345678)
        *memory = 1;
}
extern "C" __global__ void write_blocks(ARGUMENTS) { BLOCKS WRITE16(0) }
/* To a × 64 KB behind what is read. */
extern "C" __global__ void copy_blocks(ARGUMENTS) { BLOCKS READ16 WRITE16(((size_t)a << 16)) }

/* Each warp loads a line of a footprint of a × 64 KB, which says nothing, then the next: all zeros are added to its
 * address. */
extern "C" __global__ void ladder(ARGUMENTS)
{
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 2654435761u, word = 0;
    BEGIN
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < STEPS; j++) {
            x = x * 1664525 + 1013904223 + word;
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(word)
                         : "l"(memory + ((size_t)(x >> 8) * 128 & (((size_t)a << 16) - 1)) + threadIdx.x % 32 * 4));
        }
    }
    END if (word == 0x12345678) *memory = 1;
}

/* How long one load of a line takes that is in L2, on SM a: the least of three, for n lines. */
extern "C" __global__ void line_latencies(ARGUMENTS)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != a)
        return;
    unsigned short *out = (unsigned short *)(memory + ((size_t)b << 20));
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) {
        unsigned best = 65535;
        for (int r = 0; r < 3; r++) {
            unsigned x, begin, end;
            asm volatile("mov.u32 %1, %%clock; ld.global.cg.u32 %0, [%3]; { .reg .pred p; setp.eq.u32 p, %0, "
                         "0x12345678; @p trap; } mov.u32 %2, %%clock;"
                         : "=r"(x), "=r"(begin), "=r"(end)
                         : "l"(memory + (size_t)i * 4096 + i % 32 * 128)
                         : "memory");
            best = end - begin < best ? end - begin : best;
        }
        out[i] = best;
    }
}

static unsigned common(unsigned a, unsigned b) { return b ? common(b, a % b) : a; }

static void ring(unsigned nodes, size_t stride)
{
    char *memory = micro_memory(nodes * stride);
    unsigned jump = (unsigned)(nodes * 0.381966);
    while (jump > 1 && common(nodes, jump) != 1)
        jump--;
    micro_prepare(prepare_ring, (nodes + 255) / 256, 256, memory, nodes, (unsigned)(stride / 16), jump ? jump : 1);
}

static void chase(const char *group, const char *name, micro_kernel *kernel, unsigned nodes, size_t stride,
                  unsigned warm, unsigned rounds, int cold)
{
    ring(nodes, stride);
    if (warm == TOUCH) {
        micro_prepare(prepare_touch, 264, 1024, micro_memory(1), 0, (unsigned)((nodes * stride + (1 << 20) - 1) >> 20),
                      0);
        warm = 1;
    }
    struct micro_case c = {group, name, kernel, 1, 1, 0, rounds, warm, (unsigned)(nodes * stride >> 10),
                           STEPS, 0,    0,      0};
    c.cold = cold;
    micro_run(&c);
}

static void l1(const char *name, micro_kernel *kernel, unsigned lanes, unsigned warps)
{
    struct micro_case c = {"memory", name, kernel, 1, 32 * warps, 0, 4, lanes, 1024, STEPS, 0, 0, 0};
    micro_run(&c);
}

static void constants(unsigned bytes, unsigned stride)
{
    static unsigned ring[16384];
    for (unsigned at = 0; at < bytes; at += stride)
        ring[at / 4] = (at + stride) % bytes;
    micro_check(cudaMemcpyToSymbol(table, ring, sizeof ring), "cudaMemcpyToSymbol");
    struct micro_case c = {
        "memory", "constant_chase", constant_chase, 1, 1, 0, 32, bytes / stride / STEPS + 1, 0, STEPS, 0, 0, 0};
    static char names[16][32];
    static int used;
    snprintf(names[used], sizeof names[used], "constant_chase_%u", bytes);
    c.name = names[used++];
    micro_run(&c);
}

/* kilobytes in all with n rounds, within a footprint. */
static void stream(const char *group, const char *name, micro_kernel *kernel, unsigned blocks, unsigned threads,
                   unsigned kilobytes, unsigned footprint, int cold)
{
    struct micro_case c = {
        group, name, kernel, blocks, threads, 0, 1, kilobytes >> 6, footprint >> 6, kilobytes * 1024.0, 0, 0, 1};
    c.cold = cold;
    micro_run(&c);
}

/* As many blocks as read so many kilobytes, and twice as many. */
static void blocks(const char *group, const char *name, micro_kernel *kernel, unsigned kilobytes, unsigned footprint,
                   unsigned to, int cold)
{
    struct micro_case c = {group, name, kernel, kilobytes / 16, 256, 0, 1, to >> 6, footprint >> 6, kilobytes * 1024.0,
                           0,     0,    1};
    c.cold = cold;
    c.grows = 1;
    micro_run(&c);
}

static void near_and_far(void)
{
    enum { LINES = 2048 };
    static unsigned short found[LINES];
    char *memory = micro_memory(64 << 20);
    micro_check(cudaMemset(memory, 0, 64 << 20), "cudaMemset");
    for (unsigned sm : {0u, 1u, 2u, 17u, 50u, 100u, 131u}) {
        line_latencies<<<264, 32>>>(memory, LINES, sm, 32, NULL);
        line_latencies<<<264, 32>>>(memory, LINES, sm, 32, NULL);
        micro_check(cudaMemcpy(found, memory + (32 << 20), sizeof found, cudaMemcpyDeviceToHost), "line_latencies");
        static unsigned counts[65536];
        for (unsigned i = 0; i < 65536; i++)
            counts[i] = 0;
        for (unsigned i = 0; i < LINES; i++)
            counts[found[i]]++;
        for (unsigned i = 0; i < 65536; i++)
            if (counts[i])
                printf("lines,line_latencies,1,1,0,0,%u,%u,0,1,%u,%u,0\n", counts[i], sm, i, i);
    }
}

void micro_memory_cases(void)
{
    for (unsigned k : {16u, 64u, 128u, 192u, 208u, 224u, 240u, 256u, 320u}) {
        micro_extra(k != 16 && k != 128 && k != 192 && k != 256);
        chase("memory", "ca_chase", ca_chase, k * 8, 128, k * 8 / STEPS, 32, 0);
    }
    chase("memory", "nc_chase", nc_chase, 128, 128, 8, 32, 0);
    for (unsigned k :
         {256u, 1024u, 4096u, 8192u, 16384u, 20480u, 24576u, 28672u, 32768u, 40960u, 49152u, 65536u, 131072u}) {
        micro_extra(k != 1024);
        chase("memory", "cg_chase", cg_chase, k * 8, 128, TOUCH, 64, 0);
        micro_extra(k != 1024); /* loads that ask L1 first, and go through more than it holds */
        chase("memory", "l2_chase", ca_chase, k * 8, 128, TOUCH, 256, 0);
    }
    micro_extra(0);
    for (unsigned bytes : {1024u, 2048u, 4096u, 8192u, 16384u, 32768u, 65536u})
        constants(bytes, 64);
    micro_check(cudaMemset(micro_memory(256 << 20), 0, 256 << 20), "cudaMemset");
    for (unsigned w : {1u, 32u}) {
        struct micro_case c = {"memory", "local_chase", local_chase, 1, 32 * w, 0, 16, 0, 0, STEPS, 0, 0, 0};
        micro_run(&c);
    }
    for (unsigned w : {1u, 4u, 8u, 16u, 32u}) {
        micro_extra(w != 1 && w != 32);
        l1("load4_l1", load4_l1, 4, w);
        l1("load16_l1", load16_l1, 16, w);
    }
    l1("load8_l1", load8_l1, 8, 32);
    for (unsigned lanes : {0u, 8u, 16u, 32u, 64u, 128u}) {
        micro_extra(lanes != 32 && lanes != 128);
        l1("load4_l1", load4_l1, lanes, 32);
    }
    micro_extra(1);
    l1("load16_l1", load16_l1, 128, 32);
    for (unsigned k : {2048u, 8192u, 16384u, 32768u}) {
        micro_extra(k != 2048);
        micro_prepare(prepare_touch, 264, 1024, micro_memory(1), 0, k >> 10, 0);
        blocks("memory", "read_l2", read_blocks, 8192, k, 0, 0);
        micro_extra(1);
        stream("memory", "read16_l2", read16_stream, 264, 1024, 16896, k, 0);
    }
    micro_extra(1);
    stream("memory", "read4_l2", read4_stream, 264, 1024, 16896, 2048, 0);
    micro_extra(0);
    blocks("memory", "write_l2", write_blocks, 8192, 2048, 0, 0);
    micro_extra(1);
    stream("memory", "write16_l2", write16_stream, 264, 1024, 16896, 2048, 0);
    micro_extra(1);
    stream("memory", "write4_l2", write4_stream, 264, 1024, 16896, 2048, 0);
    stream("memory", "write_part_l2", write_part_stream, 264, 1024, 33792, 2048, 0);
    stream("memory", "read16_l2_one", read16_stream, 1, 1024, 1024, 1024, 0);
    stream("memory", "read4_l2_one", read4_stream, 1, 1024, 1024, 1024, 0);
    stream("memory", "write16_l2_one", write16_stream, 1, 1024, 1024, 1024, 0);
    micro_prepare(prepare_touch, 264, 1024, micro_memory(1), 0, 8, 0);
    for (unsigned w : {1u, 4u, 8u, 16u, 32u}) {
        struct micro_case c = {"memory", "ladder", ladder, 132, 32 * w, 0, 4, 128, 0, STEPS, 0, 0, 0};
        micro_run(&c);
    }
    struct micro_case c = {"memory", "ladder", ladder, 264, 1024, 0, 4, 128, 0, STEPS, 0, 0, 0};
    micro_run(&c);
    micro_extra(0);
}

void micro_cold(void)
{
    micro_memory((size_t)768 << 20);
    chase("cold", "dram_chase_16M", ca_chase, 4096, 4096, 0, 32, 1);
    micro_extra(1);
    chase("cold", "dram_chase_16M_cg", cg_chase, 4096, 4096, 0, 32, 1);
    chase("cold", "dram_chase_512M", cg_chase, 8192, 65536, 0, 32, 1);
    for (unsigned w : {1u, 2u, 4u, 8u, 16u, 32u})
        stream("cold", "read16_dram", read16_stream, 132, 32 * w, w < 8 ? 16896 : 67584, 262144, 1);
    micro_extra(0);
    blocks("cold", "read_dram", read_blocks, 16384, 262144, 0, 1);
    blocks("cold", "copy_dram", copy_blocks, 4096, 262144, 262144, 1);
    micro_extra(1);
    blocks("cold", "write_dram", write_blocks, 131072, 262144, 0, 1);
    stream("cold", "read16_dram", read16_stream, 264, 1024, 67584, 262144, 1);
    stream("cold", "write16_dram", write16_stream, 264, 1024, 67584, 262144, 1);
    stream("cold", "copy16_dram", copy16_stream, 264, 1024, 67584, 262144, 1);
    micro_extra(1);
    stream("cold", "read16_ca_dram", read16_ca_stream, 264, 1024, 67584, 262144, 1);
    stream("cold", "read8_dram", read8_stream, 264, 1024, 67584, 262144, 1);
    stream("cold", "read4_dram", read4_stream, 264, 1024, 67584, 262144, 1);
    stream("cold", "read_sector_of_2", read_sector_of_2_stream, 264, 1024, 67584, 262144, 1);
    stream("cold", "read_sector_of_4", read_sector_of_4_stream, 132, 1024, 67584, 262144, 1);
    stream("cold", "write4_dram", write4_stream, 264, 1024, 67584, 262144, 1);
    stream("cold", "write_part_dram", write_part_stream, 264, 1024, 67584, 262144, 1);
    micro_extra(0);
}

/* More than L2 holds. */
void micro_copies(void)
{
    micro_memory((size_t)768 << 20);
    blocks("copies", "copy_dram", copy_blocks, 49152, 262144, 262144, 1);
}

/* As it is without a profiler: larger. */
void micro_large(void)
{
    near_and_far();
    micro_memory((size_t)4 << 30);
    stream("large", "read16_dram", read16_stream, 264, 1024, 62 * 16896, 2 << 20, 0);
    stream("large", "write16_dram", write16_stream, 264, 1024, 62 * 16896, 2 << 20, 0);
    stream("large", "copy16_dram", copy16_stream, 264, 1024, 62 * 16896, 2 << 20, 0);
    for (unsigned k : {8192u, 16384u, 20480u, 24576u, 28672u, 32768u, 40960u, 49152u, 65536u})
        if (!(k & (k - 1)))
            stream("large", "read16_l2", read16_stream, 264, 1024, 31 * 16896, k, 0);
}

/* How many loads of L2 an SM does by its warps: of a block, in 2 MB. */
void micro_occupancy(void)
{
    enum { MEGABYTES = 2 };
    micro_prepare(prepare_touch, 264, 1024, micro_memory(MEGABYTES << 20), 0, MEGABYTES, 0);
    for (unsigned w : {1u, 2u, 4u, 8u, 16u, 32u}) {
        struct micro_case c = {"occupancy", "ladder", ladder, 1, 32 * w, 0, 4, MEGABYTES * 16, 0, STEPS, 0, 0, 0};
        micro_run(&c);
    }
}

/* A line in each of so many pages of 2 MB: translation alone, as the lines stay in L2. */
void micro_tlb(void)
{
    size_t left = 0, all = 0;
    micro_check(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
    for (unsigned pages : {8u, 16u, 32u, 64u, 96u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 12288u, 16384u}) {
        const size_t stride = (2 << 20) + 4352;
        if (pages * stride > left / 2)
            break;
        micro_extra(pages != 16 && pages != 64); /* within 32 MB, which first TLBs reach, and beyond */
        chase("tlb", "tlb_chase", cg_chase, pages, stride, (pages + STEPS - 1) / STEPS,
              (pages < 256 ? 256 : pages) / STEPS, 0);
        micro_extra(1);
        if (pages <= 512)
            chase("tlb", "tlb_chase_l1", ca_chase, pages, stride, (pages + STEPS - 1) / STEPS,
                  (pages < 256 ? 256 : pages) / STEPS, 0);
    }
    micro_extra(0);
}
