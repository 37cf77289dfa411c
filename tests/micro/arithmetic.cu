/* Latency and throughput of classes of operations: a chain in which each operation needs the one before, and four such
 * chains. */
#include "micro.h"
#include <cstring>

enum { STEPS = 64, ROUNDS = 4 };

template <class T> __device__ T value_of(unsigned bits);
template <> __device__ unsigned value_of(unsigned bits) { return bits; }
template <> __device__ float value_of(unsigned bits) { return __uint_as_float(bits); }
template <> __device__ double value_of(unsigned bits) { return __uint_as_float(bits); }
template <> __device__ unsigned long long value_of(unsigned bits) { return bits * 0x100000001ull; }

#define KERNELS(name, T)                                                                                               \
    extern "C" __global__ void name##_chain(ARGUMENTS)                                                                 \
    {                                                                                                                  \
        T x = value_of<T>(a + threadIdx.x), y = value_of<T>(a), z = value_of<T>(b);                                    \
        BEGIN                                                                                                          \
        REPEAT(STEPS, name##_step(x, y, z);)                                                                           \
        END((T *)memory)[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z;                                           \
    }                                                                                                                  \
    extern "C" __global__ void name##_four(ARGUMENTS)                                                                  \
    {                                                                                                                  \
        T x = value_of<T>(a + threadIdx.x), x1 = x + 1, x2 = x + 2, x3 = x + 3, y = value_of<T>(a),                    \
          z = value_of<T>(b);                                                                                          \
        BEGIN                                                                                                          \
        REPEAT(STEPS / 4, name##_step(x, y, z), name##_step(x1, y, z), name##_step(x2, y, z), name##_step(x3, y, z);)  \
        END((T *)memory)[blockIdx.x * blockDim.x + threadIdx.x] = x + x1 + x2 + x3 + y + z;                            \
    }

#define INT(name, text)                                                                                                \
    static __device__ __forceinline__ void name##_step(unsigned &x, unsigned y, unsigned z)                            \
    {                                                                                                                  \
        asm volatile(text : "+r"(x) : "r"(y), "r"(z));                                                                 \
    }
#define FLT(name, text)                                                                                                \
    static __device__ __forceinline__ void name##_step(float &x, float y, float z)                                     \
    {                                                                                                                  \
        asm volatile(text : "+f"(x) : "f"(y), "f"(z));                                                                 \
    }
#define DBL(name, text)                                                                                                \
    static __device__ __forceinline__ void name##_step(double &x, double y, double z)                                  \
    {                                                                                                                  \
        asm volatile(text : "+d"(x) : "d"(y), "d"(z));                                                                 \
    }
#define LNG(name, text)                                                                                                \
    static __device__ __forceinline__ void name##_step(unsigned long long &x, unsigned long long y,                    \
                                                       unsigned long long z)                                           \
    {                                                                                                                  \
        asm volatile(text : "+l"(x) : "l"(y), "l"(z));                                                                 \
    }

/* name, operations of machine code in a step, PTX */
#define FLOATS(X)                                                                                                      \
    X(ffma, 1, "fma.rn.f32 %0, %0, %1, %2;")                                                                           \
    X(fadd, 1, "add.rn.f32 %0, %0, %1;")                                                                               \
    X(fmul, 1, "mul.rn.f32 %0, %0, %1;")                                                                               \
    X(fmnmx, 1, "max.f32 %0, %0, %1;")                                                                                 \
    X(ex2, 1, "ex2.approx.ftz.f32 %0, %0;")                                                                            \
    X(lg2, 1, "lg2.approx.ftz.f32 %0, %0;")                                                                            \
    X(rcp_ffma, 2, "{ rcp.approx.ftz.f32 %0, %0; fma.rn.f32 %0, %0, %1, %2; }")                                        \
    X(rsq, 1, "rsqrt.approx.ftz.f32 %0, %0;")                                                                          \
    X(tanh, 1, "tanh.approx.f32 %0, %0;")                                                                              \
    X(sqrt_approx, 1, "sqrt.approx.ftz.f32 %0, %0;")                                                                   \
    X(sin, 1, "sin.approx.ftz.f32 %0, %0;")                                                                            \
    X(frnd, 1, "cvt.rni.f32.f32 %0, %0;")                                                                              \
    X(f2i_i2f, 2, "{ .reg .s32 t; cvt.rni.s32.f32 t, %0; cvt.rn.f32.s32 %0, t; }")                                     \
    X(f2f_f64, 2, "{ .reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t; }")                                         \
    X(fsetp_sel, 2, "{ .reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %2, %1, p; }")
#define DOUBLES(X)                                                                                                     \
    X(dfma, 1, "fma.rn.f64 %0, %0, %1, %2;")                                                                           \
    X(dadd, 1, "add.rn.f64 %0, %0, %1;")                                                                               \
    X(dmul, 1, "mul.rn.f64 %0, %0, %1;")
#define INTEGERS(X)                                                                                                    \
    X(hfma2, 1, "fma.rn.f16x2 %0, %0, %1, %2;")                                                                        \
    X(hadd2, 1, "add.rn.f16x2 %0, %0, %1;")                                                                            \
    X(hfma2_bf16, 1, "fma.rn.bf16x2 %0, %0, %1, %2;")                                                                  \
    X(imad, 1, "mad.lo.u32 %0, %0, %1, %2;")                                                                           \
    X(imad_hi, 1, "mul.hi.u32 %0, %0, %1;")                                                                            \
    X(iadd_lop3, 2, "{ add.u32 %0, %0, %1; lop3.b32 %0, %0, %1, %2, 0x96; }")                                          \
    X(iadd3_lop3, 2, "{ .reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2; lop3.b32 %0, %0, %1, %2, 0x96; }")          \
    X(lop3, 1, "lop3.b32 %0, %0, %1, %2, 0x96;")                                                                       \
    X(shf, 1, "shf.l.wrap.b32 %0, %0, %1, %2;")                                                                        \
    X(shl, 1, "shl.b32 %0, %0, %1;")                                                                                   \
    X(prmt, 1, "prmt.b32 %0, %0, %1, %2;")                                                                             \
    X(min_lop3, 2, "{ min.u32 %0, %0, %1; lop3.b32 %0, %0, %1, %2, 0x96; }")                                           \
    X(isetp_sel, 2, "{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %2, %1, p; }")                                \
    X(dp4a, 1, "dp4a.u32.u32 %0, %0, %1, %2;")                                                                         \
    X(popc, 1, "popc.b32 %0, %0;")                                                                                     \
    X(flo, 1, "bfind.u32 %0, %0;")                                                                                     \
    X(brev, 1, "brev.b32 %0, %0;")                                                                                     \
    X(f2fp, 1, "{ .reg .f32 f; mov.b32 f, %0; cvt.rn.f16x2.f32 %0, f, f; }")                                           \
    X(ex2_f16x2, 1, "ex2.approx.f16x2 %0, %0;")                                                                        \
    X(vote, 2, "{ .reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; }")                     \
    X(shfl_bfly, 1, "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;")                                                 \
    X(shfl_down, 1, "shfl.sync.down.b32 %0, %0, 1, 0x1f, 0xffffffff;")                                                 \
    X(match_any, 1, "match.any.sync.b32 %0, %0, 0xffffffff;")                                                          \
    X(match_all, 1, "{ .reg .pred p; match.all.sync.b32 %0|p, %0, 0xffffffff; }")                                      \
    X(redux_add, 1, "redux.sync.add.u32 %0, %0, 0xffffffff;")                                                          \
    X(redux_min, 1, "redux.sync.min.u32 %0, %0, 0xffffffff;")                                                          \
    X(redux_or, 1, "redux.sync.or.b32 %0, %0, 0xffffffff;")                                                            \
    X(s2r, 2, "{ .reg .u32 t; mov.u32 t, %%smid; add.u32 %0, %0, t; }")                                                \
    X(cs2r, 2, "{ .reg .u32 t; mov.u32 t, %%clock; add.u32 %0, %0, t; }")                                              \
    X(mix_lop3_imad, 2, "{ lop3.b32 %0, %0, %1, %2, 0x96; mad.lo.u32 %0, %0, %1, %2; }")                               \
    X(udiv, 1, "div.u32 %0, %1, %0;")                                                                                  \
    X(syncwarp, 1, "bar.warp.sync 0xffffffff;")                                                                        \
    X(membar_cta, 1, "membar.cta;")                                                                                    \
    X(membar_gl, 1, "membar.gl;")                                                                                      \
    X(membar_sys, 1, "membar.sys;")                                                                                    \
    X(bar_sync, 1, "bar.sync 0;")
/* ptxas joins two 64-bit additions in a row to one pair of instructions; the xor between two keeps them apart. */
#define LONGS(X)                                                                                                       \
    X(add64_lop3, 4, "{ add.u64 %0, %0, %1; xor.b64 %0, %0, %2; }")                                                    \
    X(mul64, 3, "mul.lo.u64 %0, %0, %1;")

#define F(name, operations, text) FLT(name, text) KERNELS(name, float)
FLOATS(F)
#undef F
#define F(name, operations, text) DBL(name, text) KERNELS(name, double)
DOUBLES(F)
#undef F
#define F(name, operations, text) INT(name, text) KERNELS(name, unsigned)
INTEGERS(F)
#undef F
#define F(name, operations, text) LNG(name, text) KERNELS(name, unsigned long long)
LONGS(F)
#undef F

/* Two kinds that do not depend on each other: do their units work side by side? */
#define MIX(name, first, second)                                                                                       \
    extern "C" __global__ void name##_mix(ARGUMENTS)                                                                   \
    {                                                                                                                  \
        float f = value_of<float>(a), f1 = f, g = f, h = value_of<float>(b);                                           \
        unsigned u = a + threadIdx.x, u1 = u, v = a, w = b;                                                            \
        BEGIN                                                                                                          \
        REPEAT(STEPS / 4, first(f, g, h), second(u, v, w), first(f1, g, h), second(u1, v, w);)                         \
        END((unsigned *)memory)                                                                                        \
        [blockIdx.x * blockDim.x + threadIdx.x] = u + u1 + v + w + __float_as_uint(f + f1 + g + h);                    \
    }
MIX(ffma_lop3, ffma_step, lop3_step)
MIX(ffma_imad, ffma_step, imad_step)
MIX(ffma_hfma2, ffma_step, hfma2_step)
MIX(ffma_popc, ffma_step, popc_step)
MIX(ex2_popc, ex2_step, popc_step)
MIX(ex2_lop3, ex2_step, lop3_step)
MIX(ffma_shfl, ffma_step, shfl_bfly_step)
MIX(fmnmx_lop3, fmnmx_step, lop3_step)
MIX(ex2_shfl, ex2_step, shfl_bfly_step)

static const struct row {
    const char *chain_name, *four_name;
    micro_kernel *chain, *four;
    int operations;
} rows[] = {
#define F(name, operations, text) {#name "_chain", #name "_four", name##_chain, name##_four, operations},
    FLOATS(F) DOUBLES(F) INTEGERS(F) LONGS(F)
#undef F
};

static void run(const char *name, micro_kernel *kernel, unsigned warps, double operations)
{
    struct micro_case c = {"arithmetic", name,       kernel,     1, 32 * warps, 0, ROUNDS,
                           0x3f000000,   0x3f000000, operations, 0, 0,          0};
    micro_run(&c);
}

/* Of these no trace is kept: they say little that others do not. */
static int rare(const char *name)
{
    static const char *const rows[] = {
        "fmul",       "lg2",           "rsq",      "sqrt_approx", "sin",        "dmul",       "hadd2",
        "hfma2_bf16", "shl",           "min_lop3", "ex2_f16x2",   "shfl_down",  "match_all",  "redux_min",
        "redux_or",   "mix_lop3_imad", "udiv",     "mul64",       "membar_cta", "membar_sys", "f2f_f64",
        "f2fp",       "tanh",          "cs2r",     "s2r",         "fsetp_sel",  "prmt"};
    for (const char *row : rows)
        if (!strncmp(name, row, strlen(row)) && !strcmp(name + strlen(row), "_chain"))
            return 1;
    return 0;
}

void micro_arithmetic(void)
{
    static const unsigned warps[] = {1, 4, 8, 16, 32};
    for (const struct row &r : rows) {
        for (unsigned w : warps) {
            micro_extra(rare(r.chain_name) || (w != 1 && w != 32 && r.chain != bar_sync_chain));
            run(r.chain_name, r.chain, w, STEPS * r.operations);
        }
        micro_extra(1);
        run(r.four_name, r.four, 1, STEPS * r.operations);
        run(r.four_name, r.four, 32, STEPS * r.operations);
    }
    for (unsigned w : {2u, 12u, 24u})
        run("bar_sync_chain", bar_sync_chain, w, STEPS);
#define F(name)                                                                                                        \
    micro_extra(1), run(#name "_mix", name##_mix, 1, STEPS), micro_extra(0), run(#name "_mix", name##_mix, 32, STEPS);
    F(ffma_lop3) F(ffma_imad) F(ffma_hfma2) F(ffma_popc) F(ex2_popc) F(ex2_lop3) F(ffma_shfl) F(fmnmx_lop3) F(ex2_shfl)
#undef F
}
