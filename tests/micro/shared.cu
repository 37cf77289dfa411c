/* Shared memory: loads by width and conflicts, stores, atomics, matrices, other blocks of a cluster; copies into it. */
#include "micro.h"

enum { STEPS = 32, ROUNDS = 4 };

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

extern __shared__ char dynamic[];

/* All words are 0. A warp's rows are 4 KB apart if there are so many, so that warps do not help each other. a: bytes
   from lane to lane; b: lanes from here on have the address of the lane below by this many (b: 32 means that each has
   its own). */
#define PREPARE                                                                                                        \
    for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x)                                                          \
        ((unsigned *)dynamic)[i] = 0;                                                                                  \
    __syncthreads();                                                                                                   \
    unsigned at = shared_address(dynamic) + (threadIdx.x % b) * a, x = 0, sum = 0;
/* Each lane's word has its own address. */
#define SELF asm volatile("st.shared.u32 [%0], %0;" ::"r"(at) : "memory");

#define OUT ((unsigned *)memory)[blockIdx.x * blockDim.x + threadIdx.x] = sum + x + at;

/* Each access needs the result of the one before. */
#define CHAIN(name, FIRST, ...)                                                                                        \
    extern "C" __global__ void name##_chain(ARGUMENTS) { PREPARE FIRST BEGIN REPEAT(STEPS, __VA_ARGS__) END OUT }
/* Words that hold their own address are loaded as pointers. */
CHAIN(lds, SELF, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));)
CHAIN(lds_64, SELF, unsigned y; asm volatile("ld.shared.v2.u32 { %0, %1 }, [%0];" : "+r"(at), "=r"(y)); sum |= y;)
CHAIN(lds_128, SELF, unsigned y; unsigned z; unsigned w; asm volatile("ld.shared.v4.u32 { %0, %1, %2, %3 }, [%0];"
                                                                      : "+r"(at), "=r"(y), "=r"(z), "=r"(w));
      sum |= y + z + w;)
CHAIN(lds_u8, , asm volatile("{ .reg .u32 t; ld.shared.u8 t, [%0]; add.u32 %0, %0, t; }" : "+r"(at));)
CHAIN(sts_lds, ,
      asm volatile("{ st.volatile.shared.u32 [%0], %1; ld.volatile.shared.u32 %1, [%0]; }"
                   : "+r"(at), "+r"(x));)
CHAIN(atoms_add, , asm volatile("atom.shared.add.u32 %1, [%0], %1;" : "+r"(at), "+r"(x));)
CHAIN(atoms_add_f32, ,
      asm volatile("{ .reg .f32 f; mov.b32 f, %1; atom.shared.add.f32 f, [%0], f; mov.b32 %1, f; }"
                   : "+r"(at), "+r"(x));)
CHAIN(atoms_cas, , asm volatile("atom.shared.cas.b32 %1, [%0], %1, %1;" : "+r"(at), "+r"(x));)
CHAIN(atoms_max, , asm volatile("atom.shared.max.u32 %1, [%0], %1;" : "+r"(at), "+r"(x));)
CHAIN(atoms_exch, , asm volatile("atom.shared.exch.b32 %1, [%0], %1;" : "+r"(at), "+r"(x));)
CHAIN(ldsm_x1, ,
      asm volatile("{ .reg .u32 t; ldmatrix.sync.aligned.m8n8.x1.shared.b16 { t }, [%0]; add.u32 %0, %0, t; }"
                   : "+r"(at));)
CHAIN(ldsm_x2, ,
      asm volatile("{ .reg .u32 t, u; ldmatrix.sync.aligned.m8n8.x2.shared.b16 { t, u }, [%0]; add.u32 %0, %0, t; }"
                   : "+r"(at));)
CHAIN(ldsm_x4, ,
      asm volatile(
          "{ .reg .u32 t, u, v, w; ldmatrix.sync.aligned.m8n8.x4.shared.b16 { t, u, v, w }, [%0]; add.u32 %0, %0, t; }"
          : "+r"(at));)
/* Independent ones; what is loaded is added up, so that all of it is needed. */
CHAIN(lds_free, , asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(at)); sum += x;)
CHAIN(lds_64_free, , unsigned y; asm volatile("ld.volatile.shared.v2.u32 { %0, %1 }, [%2];"
                                              : "=r"(x), "=r"(y)
                                              : "r"(at));
      sum += x; sum |= y;)
CHAIN(lds_128_free, , unsigned y; unsigned z; unsigned w;
      asm volatile("ld.volatile.shared.v4.u32 { %0, %1, %2, %3 }, [%4];"
                   : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                   : "r"(at));
      sum += x + y; sum |= z + w;)
CHAIN(sts_free, , asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(x));)
CHAIN(sts_64_free, , asm volatile("st.volatile.shared.v2.u32 [%0], { %1, %1 };" ::"r"(at), "r"(x));)
CHAIN(sts_128_free, , asm volatile("st.volatile.shared.v4.u32 [%0], { %1, %1, %1, %1 };" ::"r"(at), "r"(x));)
CHAIN(reds_add_free, , asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(at));)
CHAIN(atoms_add_free, , asm volatile("atom.shared.add.u32 %0, [%1], %1;" : "=r"(x) : "r"(at)); sum += x;)
CHAIN(ldsm_x4_free, , unsigned y; unsigned z; unsigned w;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 { %0, %1, %2, %3 }, [%4];"
                   : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                   : "r"(at + j * 512));
      sum += x + y; sum |= z + w;)
CHAIN(stsm_x4_free, ,
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], { %1, %1, %1, %1 };" ::"r"(at + j * 512), "r"(x));)
CHAIN(lds_ffma, , float f = __uint_as_float(sum); asm volatile("ld.volatile.shared.u32 %0, [%1];"
                                                               : "=r"(x)
                                                               : "r"(at));
      asm volatile("fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %0, %0, %0, %0;"
                   : "+f"(f));
      sum = __float_as_uint(f);)

/* An access to the shared memory of another block of the cluster. a, b as above. */
#define REMOTE(name, FIRST, ...)                                                                                       \
    extern "C" __global__ void name##_chain(ARGUMENTS)                                                                 \
    {                                                                                                                  \
        PREPARE                                                                                                        \
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");                    \
        asm volatile(                                                                                                  \
            "{ .reg .u32 r; mov.u32 r, %%cluster_ctarank; xor.b32 r, r, 1; mapa.shared::cluster.u32 %0, %0, r; }"      \
            : "+r"(at));                                                                                               \
        FIRST                                                                                                          \
        BEGIN                                                                                                          \
        REPEAT(STEPS, __VA_ARGS__)                                                                                     \
        END asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");                \
        OUT                                                                                                            \
    }
REMOTE(dsmem, asm volatile("st.shared::cluster.u32 [%0], %0;" ::"r"(at)
                           : "memory");
       , asm volatile("ld.shared::cluster.u32 %0, [%0];"
                      : "+r"(at));)
REMOTE(dsmem_free, , asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(at)); sum += x;)
REMOTE(dsmem_128_free, , unsigned y; unsigned z; unsigned w;
       asm volatile("ld.volatile.shared::cluster.v4.u32 { %0, %1, %2, %3 }, [%4];"
                    : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                    : "r"(at));
       sum += x + y; sum |= z + w;)
REMOTE(dsmem_atom, , asm volatile("atom.shared::cluster.add.u32 %1, [%0], %1;" : "+r"(at), "+r"(x));)
REMOTE(cluster_barrier, , asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");)

/* Copies of 16 bytes by each lane, a group at a time, and waited for. */
extern "C" __global__ void cp_async_chain(ARGUMENTS)
{
    unsigned at = shared_address(dynamic) + threadIdx.x * 16, x = 0, sum = 0;
    const char *from = memory + threadIdx.x * 16;
    BEGIN
    REPEAT(STEPS, asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(at), "l"(from)
                               : "memory");)
    END OUT
}

/* Sixteen groups under way; a: bytes from one of the warp's copies to the next. */
extern "C" __global__ void cp_async_free(ARGUMENTS)
{
    unsigned at = shared_address(dynamic) + threadIdx.x * 16, x = 0, sum = 0;
    const char *from = memory + threadIdx.x * 16;
    BEGIN
    REPEAT(STEPS,
           asm volatile(
               "cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; cp.async.wait_group 15;" ::"r"(at),
               "l"(from + (size_t)(j % 8) * a)
               : "memory");)
    END OUT
}

/* Bulk copies of a bytes from global to shared memory by one lane; b at a time, then all are waited for. */
extern "C" __global__ void bulk_copy(ARGUMENTS)
{
    __shared__ unsigned long long barrier;
    const unsigned object = shared_address(&barrier), to = shared_address(dynamic);
    unsigned phase = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(object) : "memory");
    BEGIN
    if (threadIdx.x == 0)
#pragma unroll 1
        for (unsigned i = 0; i < n; i++) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(object), "r"(a * b) : "memory");
            for (unsigned j = 0; j < b; j++)
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        to + j * a),
                    "l"(memory + (size_t)blockIdx.x * a * b + j * a), "r"(a), "r"(object)
                    : "memory");
            asm volatile(
                "{ .reg .pred p; W%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra W%=; }" ::"r"(object),
                "r"(phase)
                : "memory");
            phase ^= 1;
        }
    END
}

/* The same back from shared memory. */
extern "C" __global__ void bulk_store(ARGUMENTS)
{
    const unsigned from = shared_address(dynamic);
    BEGIN
    if (threadIdx.x == 0)
#pragma unroll 1
        for (unsigned i = 0; i < n; i++) {
            for (unsigned j = 0; j < b; j++)
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                                 memory + (size_t)blockIdx.x * a * b + j * a),
                             "r"(from + j * a), "r"(a)
                             : "memory");
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        }
    END
}

/* An arrival at a barrier object and the test of its phase. */
extern "C" __global__ void mbarrier_chain(ARGUMENTS)
{
    __shared__ unsigned long long barrier;
    const unsigned object = shared_address(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(object), "r"(blockDim.x) : "memory");
    BEGIN
    REPEAT(STEPS,
           asm volatile("{ .reg .pred p; mbarrier.arrive.shared.b64 _, [%0]; W%=: mbarrier.try_wait.parity.shared.b64 "
                        "p, [%0], %1; @!p bra W%=; }" ::"r"(object),
                        "r"(j & 1)
                        : "memory");)
    END
}

static void run(const char *name, micro_kernel *kernel, unsigned warps, unsigned bytes, unsigned addresses)
{
    struct micro_case c = {"shared", name, kernel, 1, 32 * warps, 32768, ROUNDS, bytes, addresses, STEPS, 0, 0, 0};
    micro_run(&c);
}

/* So many that one warp fills what waits for the unit long before they end. */
static void run_long(const char *name, micro_kernel *kernel, unsigned addresses)
{
    struct micro_case c = {"shared", name, kernel, 1, 32, 32768, 8 * ROUNDS, 4, addresses, STEPS, 0, 0, 0};
    micro_run(&c);
}

static void run_cluster(const char *name, micro_kernel *kernel, unsigned blocks, unsigned cluster, unsigned warps,
                        unsigned bytes)
{
    struct micro_case c = {"hopper", name, kernel, blocks, 32 * warps, 32768, ROUNDS, bytes, 32, STEPS, cluster, 0, 0};
    micro_run(&c);
}

static void run_bulk(const char *name, micro_kernel *kernel, unsigned blocks, unsigned bytes, unsigned copies)
{
    struct micro_case c = {"hopper", name,           kernel, blocks, 32, bytes * copies, 16, bytes,
                           copies,   (double)copies, 0,      0,      0};
    micro_run(&c);
}

void micro_shared(void)
{
#define RUN(name, warps, bytes, addresses) run(#name, name##_chain, warps, bytes, addresses);
    for (unsigned stride : {0u, 4u, 8u, 16u, 32u, 64u, 128u}) {
        RUN(lds, 1, stride, 32)
        micro_extra(stride == 8 || stride == 32);
        RUN(lds_free, 32, stride, 32)
        micro_extra(stride != 4);
        RUN(sts_free, 32, stride, 32)
        micro_extra(0);
    }
    for (unsigned stride : {8u, 16u, 32u, 128u}) {
        RUN(lds_64, 1, stride, 32)
        micro_extra(stride != 8);
        RUN(lds_64_free, 32, stride, 32)
        micro_extra(0);
    }
    for (unsigned stride : {16u, 32u, 128u}) {
        RUN(lds_128, 1, stride, 32)
        micro_extra(stride != 16);
        RUN(lds_128_free, 32, stride, 32)
        micro_extra(0);
    }
    RUN(sts_64_free, 32, 8, 32)
    RUN(sts_128_free, 32, 16, 32)
    micro_extra(1);
    RUN(lds_u8, 1, 1, 32)
    RUN(lds_ffma, 32, 4, 32)
    micro_extra(1);
    for (unsigned w : {1u, 4u, 8u, 16u, 32u})
        RUN(lds, w, 4, 32)
    for (unsigned w : {1u, 4u, 8u, 16u})
        RUN(lds_free, w, 4, 32)
    micro_extra(0);
    RUN(sts_lds, 1, 4, 32)
    for (unsigned addresses : {1u, 2u, 4u, 8u, 16u, 32u}) {
        run_long("reds_add_free", reds_add_free_chain, addresses);
        micro_extra(addresses == 2 || addresses == 16);
        RUN(atoms_add, 1, 4, addresses)
        RUN(atoms_add, 32, 4, addresses)
        RUN(reds_add_free, 32, 4, addresses)
        micro_extra(1);
        RUN(atoms_add_free, 32, 4, addresses)
        micro_extra(0);
    }
    for (unsigned addresses : {1u, 4u, 32u}) {
        micro_extra(1);
        RUN(atoms_add_f32, 1, 4, addresses)
        micro_extra(addresses == 4);
        RUN(atoms_cas, 1, 4, addresses)
        RUN(atoms_cas, 32, 4, addresses)
        micro_extra(1);
        RUN(atoms_max, 1, 4, addresses)
        RUN(atoms_exch, 1, 4, addresses)
    }
    micro_extra(0);
    RUN(atoms_add, 1, 128, 32)
    RUN(atoms_add, 32, 128, 32)
    micro_extra(1);
    RUN(ldsm_x1, 1, 16, 32)
    RUN(ldsm_x2, 1, 16, 32)
    micro_extra(0);
    RUN(ldsm_x4, 1, 16, 32)
    RUN(ldsm_x4_free, 32, 16, 32)
    micro_extra(1);
    RUN(ldsm_x4_free, 32, 128, 32)
    RUN(stsm_x4_free, 32, 16, 32)
    micro_extra(0);
    micro_memory(64 << 20);
    for (unsigned w : {1u, 8u}) {
        struct micro_case c = {"shared", "cp_async", cp_async_chain, 1, 32 * w, 32768, ROUNDS, 0, 0, STEPS, 0, 0, 0};
        micro_run(&c);
        c.name = "cp_async_free", c.kernel = cp_async_free, c.a = 16384;
        micro_run(&c);
    }
#undef RUN
}

/* What 9.0 alone has. */
void micro_hopper(void)
{
    micro_memory(64 << 20);
    for (unsigned cluster : {2u, 4u, 8u})
        run_cluster("dsmem", dsmem_chain, cluster, cluster, 1, 4);
    for (unsigned w : {4u, 32u}) {
        micro_extra(w != 32);
        run_cluster("dsmem_free", dsmem_free_chain, 2, 2, w, 4);
        micro_extra(1);
        run_cluster("dsmem_128_free", dsmem_128_free_chain, 2, 2, w, 16);
    }
    micro_extra(1);
    run_cluster("dsmem_128_free", dsmem_128_free_chain, 132, 2, 32, 16);
    micro_extra(0);
    run_cluster("dsmem_atom", dsmem_atom_chain, 2, 2, 1, 4);
    for (unsigned cluster : {1u, 2u, 4u, 8u})
        run_cluster("cluster_barrier", cluster_barrier_chain, cluster, cluster, 1, 4);
    run_cluster("cluster_barrier", cluster_barrier_chain, 2, 2, 32, 4);
    for (unsigned bytes : {128u, 512u, 2048u, 8192u, 32768u, 131072u})
        micro_extra(bytes != 512 && bytes != 32768), run_bulk("bulk_copy", bulk_copy, 1, bytes, 1);
    micro_extra(1);
    run_bulk("bulk_copy", bulk_copy, 1, 512, 64);
    run_bulk("bulk_copy", bulk_copy, 1, 16384, 8);
    micro_extra(1);
    run_bulk("bulk_copy", bulk_copy, 132, 16384, 8);
    run_bulk("bulk_store", bulk_store, 1, 512, 1);
    run_bulk("bulk_store", bulk_store, 1, 32768, 1);
    run_bulk("bulk_store", bulk_store, 132, 16384, 8);
    for (unsigned w : {1u, 4u, 32u}) {
        struct micro_case c = {"hopper", "mbarrier", mbarrier_chain, 1, 32 * w, 0, ROUNDS, 0, 0, STEPS, 0, 0, 0};
        micro_run(&c);
    }
    micro_extra(0);
}
