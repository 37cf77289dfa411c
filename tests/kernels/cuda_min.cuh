/* The part of CUDA C that the test kernels use, on clang's own builtins: no toolkit header is needed to compile them.
 * Names and meanings are those of the CUDA C++ Programming Guide. */
#ifndef REPRISE_TESTS_KERNELS_CUDA_MIN_CUH
#define REPRISE_TESTS_KERNELS_CUDA_MIN_CUH

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))

/* Kernels keep their plain names in the module. */
#define KERNEL extern "C" __global__ void

struct dim3 {
    unsigned x, y, z;
};
static __device__ __forceinline__ dim3 thread_index()
{
    return {(unsigned)__nvvm_read_ptx_sreg_tid_x(), (unsigned)__nvvm_read_ptx_sreg_tid_y(),
            (unsigned)__nvvm_read_ptx_sreg_tid_z()};
}
static __device__ __forceinline__ dim3 block_index()
{
    return {(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(),
            (unsigned)__nvvm_read_ptx_sreg_ctaid_z()};
}
static __device__ __forceinline__ dim3 block_size()
{
    return {(unsigned)__nvvm_read_ptx_sreg_ntid_x(), (unsigned)__nvvm_read_ptx_sreg_ntid_y(),
            (unsigned)__nvvm_read_ptx_sreg_ntid_z()};
}
static __device__ __forceinline__ dim3 grid_size()
{
    return {(unsigned)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned)__nvvm_read_ptx_sreg_nctaid_y(),
            (unsigned)__nvvm_read_ptx_sreg_nctaid_z()};
}
#define threadIdx thread_index()
#define blockIdx block_index()
#define blockDim block_size()
#define gridDim grid_size()
#define warpSize 32

/* __syncthreads is a builtin of clang's. */
static __device__ __forceinline__ void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }
static __device__ __forceinline__ void __threadfence() { __nvvm_membar_gl(); }
static __device__ __forceinline__ void __threadfence_block() { __nvvm_membar_cta(); }

static __device__ __forceinline__ int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
static __device__ __forceinline__ unsigned atomicAdd(unsigned *p, unsigned v)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
static __device__ __forceinline__ unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
static __device__ __forceinline__ float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
static __device__ __forceinline__ int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
static __device__ __forceinline__ int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
static __device__ __forceinline__ unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
static __device__ __forceinline__ unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
static __device__ __forceinline__ unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
static __device__ __forceinline__ int atomicAnd(int *p, int v) { return __nvvm_atom_and_gen_i(p, v); }
static __device__ __forceinline__ int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
static __device__ __forceinline__ int atomicXor(int *p, int v) { return __nvvm_atom_xor_gen_i(p, v); }
static __device__ __forceinline__ int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
static __device__ __forceinline__ int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
static __device__ __forceinline__ unsigned long long atomicCAS(unsigned long long *p, unsigned long long old,
                                                               unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)old, (long long)v);
}

/* Full-width shuffles; the last operand is the clamp and segment mask of PTX ISA "shfl.sync". */
static __device__ __forceinline__ int __shfl_sync(unsigned mask, int v, int lane)
{
    return __nvvm_shfl_sync_idx_i32(mask, v, lane, 31);
}
static __device__ __forceinline__ int __shfl_up_sync(unsigned mask, int v, unsigned delta)
{
    return __nvvm_shfl_sync_up_i32(mask, v, delta, 0);
}
static __device__ __forceinline__ int __shfl_down_sync(unsigned mask, int v, unsigned delta)
{
    return __nvvm_shfl_sync_down_i32(mask, v, delta, 31);
}
static __device__ __forceinline__ float __shfl_down_sync(unsigned mask, float v, unsigned delta)
{
    return __nvvm_shfl_sync_down_f32(mask, v, delta, 31);
}
static __device__ __forceinline__ int __shfl_xor_sync(unsigned mask, int v, int lanes)
{
    return __nvvm_shfl_sync_bfly_i32(mask, v, lanes, 31);
}
static __device__ __forceinline__ float __shfl_xor_sync(unsigned mask, float v, int lanes)
{
    return __nvvm_shfl_sync_bfly_f32(mask, v, lanes, 31);
}
static __device__ __forceinline__ unsigned __ballot_sync(unsigned mask, bool p)
{
    return __nvvm_vote_ballot_sync(mask, p);
}
static __device__ __forceinline__ bool __all_sync(unsigned mask, bool p) { return __nvvm_vote_all_sync(mask, p); }
static __device__ __forceinline__ bool __any_sync(unsigned mask, bool p) { return __nvvm_vote_any_sync(mask, p); }

/* Rounded as IEEE 754 says; -ffp-contract=off keeps a * b + c apart, fmaf joins it. */
static __device__ __forceinline__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static __device__ __forceinline__ double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static __device__ __forceinline__ float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
static __device__ __forceinline__ double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
/* Approximations of the special function unit: PTX ISA states their error. */
static __device__ __forceinline__ float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }

extern "C" __device__ int printf(const char *format, ...);

#endif
