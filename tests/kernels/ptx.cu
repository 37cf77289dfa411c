/* Instructions that compilers seldom write, as inline PTX: one row each, its result for operands i in out[row * n + i].
 * ptx.c computes the same rows from the PTX ISA's descriptions, in the same order. */
#include "cuda_min.cuh"

#define START(T)                                                                                                       \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= n)                                                                                                        \
        return;                                                                                                        \
    T a = in[i], b = in[n + i], c = in[2 * n + i]
#define ROW(T, reg, from, text)                                                                                        \
    do {                                                                                                               \
        T d;                                                                                                           \
        asm(text : "=" reg(d) : from(a), from(b), from(c));                                                            \
        out[i] = d;                                                                                                    \
        out += n;                                                                                                      \
    } while (0)

#define I(text) ROW(unsigned, "r", "r", text)
KERNEL ptx_integer(const unsigned *in, unsigned *out, int n)
{
    START(unsigned);
    I("prmt.b32 %0, %1, %2, %3;");
    I("prmt.b32.f4e %0, %1, %2, %3;");
    I("bfe.u32 %0, %1, %2, %3;");
    I("bfe.s32 %0, %1, %2, %3;");
    I("bfi.b32 %0, %1, %2, %3, 7;");
    I("lop3.b32 %0, %1, %2, %3, 0x6a;");
    I("shf.l.wrap.b32 %0, %1, %2, %3;");
    I("shf.l.clamp.b32 %0, %1, %2, %3;");
    I("shf.r.wrap.b32 %0, %1, %2, %3;");
    I("shf.r.clamp.b32 %0, %1, %2, %3;");
    I("shl.b32 %0, %1, %2;");
    I("shr.u32 %0, %1, %2;");
    I("shr.s32 %0, %1, %2;");
    I("mul24.lo.s32 %0, %1, %2;");
    I("mul24.hi.u32 %0, %1, %2;");
    I("mad24.lo.u32 %0, %1, %2, %3;");
    I("sad.s32 %0, %1, %2, %3;");
    I("sad.u32 %0, %1, %2, %3;");
    I("add.sat.s32 %0, %1, %2;");
    I("sub.sat.s32 %0, %1, %2;");
    I("mad.hi.s32 %0, %1, %2, %3;");
    I("mad.hi.sat.s32 %0, %1, %2, %3;");
    I("brev.b32 %0, %1;");
    I("bfind.u32 %0, %1;");
    I("bfind.s32 %0, %1;");
    I("bfind.shiftamt.u32 %0, %1;");
    I("cnot.b32 %0, %1;");
    I("slct.s32.s32 %0, %1, %2, %3;");
    I("set.lt.u32.s32 %0, %1, %2;");
    I("set.hs.u32.u32 %0, %1, %2;");
    I("dp4a.u32.u32 %0, %1, %2, %3;");
    I("dp4a.s32.u32 %0, %1, %2, %3;");
    I("dp2a.lo.s32.s32 %0, %1, %2, %3;");
    I("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.cc.u32 t, %3, t; addc.u32 %0, t, 0; }");
    I("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, t; }");
    I("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, t; }");
    I("{ .reg .pred p, q, r; setp.gt.u32 r, %3, 5; setp.lt.and.s32 p|q, %1, %2, r; @p add.u32 %0, %3, 1; @!p sub.u32 "
      "%0, %3, 1; @q add.u32 %0, "
      "%0, 100; }");
    I("vadd.s32.u32.s32.sat %0, %1.b1, %2.h0;");
    I("vsub.u32.u32.u32.sat %0, %1, %2;");
    I("vabsdiff.s32.s32.s32.add %0, %1, %2, %3;");
    I("vmin.s32.s32.u32 %0.h1, %1.h1, %2.b3, %3;");
    I("vmax.u32.u32.u32.min %0, %1.h0, %2.h1, %3;");
    I("vshl.u32.u32.u32.wrap %0, %1, %2;");
    I("vshr.s32.s32.u32.clamp.add %0, %1, %2.b0, %3;");
    I("vmad.s32.s32.u32.sat.shr7 %0, %1.h0, %2.b2, -%3;");
    I("vmad.u32.u32.u32.po %0, %1.b0, %2.b1, %3;");
    I("vset.s32.u32.lt %0, %1.h1, %2.h0;");
    I("vset.u32.u32.ge.add %0, %1, %2, %3;");
    I("vadd.s32.s32.s32 %0.b2, %1, %2, %3;");
}

#define F(text) ROW(float, "f", "f", text)
#define FI(text) ROW(float, "f", "f", "{ .reg .b32 t; " text " mov.b32 %0, t; }")
KERNEL ptx_f32(const float *in, float *out, int n)
{
    START(float);
    F("add.rz.f32 %0, %1, %2;");
    F("add.rm.f32 %0, %1, %2;");
    F("add.rp.f32 %0, %1, %2;");
    F("mul.rz.f32 %0, %1, %2;");
    F("mul.rm.f32 %0, %1, %2;");
    F("mul.rp.f32 %0, %1, %2;");
    F("fma.rz.f32 %0, %1, %2, %3;");
    F("fma.rm.f32 %0, %1, %2, %3;");
    F("fma.rp.f32 %0, %1, %2, %3;");
    F("div.rz.f32 %0, %1, %2;");
    F("div.rm.f32 %0, %1, %2;");
    F("div.rp.f32 %0, %1, %2;");
    F("rcp.rz.f32 %0, %1;");
    F("rcp.rp.f32 %0, %1;");
    F("sqrt.rm.f32 %0, %1;");
    F("sqrt.rp.f32 %0, %1;");
    F("add.ftz.f32 %0, %1, %2;");
    F("mul.ftz.f32 %0, %1, %2;");
    F("fma.rn.ftz.f32 %0, %1, %2, %3;");
    F("min.f32 %0, %1, %2;");
    F("max.f32 %0, %1, %2;");
    F("cvt.rni.f32.f32 %0, %1;");
    F("cvt.rmi.f32.f32 %0, %1;");
    F("cvt.rpi.f32.f32 %0, %1;");
    FI("cvt.rni.s32.f32 t, %1;");
    FI("cvt.rzi.s32.f32 t, %1;");
    FI("cvt.rmi.u32.f32 t, %1;");
    FI(".reg .pred p; testp.subnormal.f32 p, %1; selp.u32 t, 1, 0, p;");
    FI(".reg .pred p; testp.normal.f32 p, %1; selp.u32 t, 1, 0, p;");
    FI(".reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.u32.u16 t, h;");
    F("{ .reg .b16 h; cvt.rz.f16.f32 h, %1; cvt.f32.f16 %0, h; }");
    FI("set.gtu.u32.f32 t, %1, %2;");
    F("set.num.f32.f32 %0, %1, %2;");
}

#define D(text) ROW(double, "d", "d", text)
KERNEL ptx_f64(const double *in, double *out, int n)
{
    START(double);
    D("add.rz.f64 %0, %1, %2;");
    D("add.rp.f64 %0, %1, %2;");
    D("mul.rm.f64 %0, %1, %2;");
    D("fma.rz.f64 %0, %1, %2, %3;");
    D("fma.rp.f64 %0, %1, %2, %3;");
    D("div.rm.f64 %0, %1, %2;");
    D("rcp.rz.f64 %0, %1;");
    D("sqrt.rz.f64 %0, %1;");
    D("min.f64 %0, %1, %2;");
    D("cvt.rni.f64.f64 %0, %1;");
    D("{ .reg .f32 t; cvt.rm.f32.f64 t, %1; cvt.f64.f32 %0, t; }");
    D("{ .reg .f32 t; cvt.rp.f32.f64 t, %1; cvt.f64.f32 %0, t; }");
    D("{ .reg .s64 t; cvt.rpi.s64.f64 t, %1; cvt.rz.f64.s64 %0, t; }");
    D("{ .reg .u32 t; cvt.rzi.u32.f64 t, %1; cvt.rn.f64.u32 %0, t; }");
    D("{ .reg .b32 l, h; mov.b64 {l, h}, %1; mov.b64 %0, {h, l}; }");
}

/* Memory: vectors of every width, sub-word elements, cache operators, reductions, 64-bit atomics, barriers with an id
 * and a count, votes at a barrier, address space tests. */
struct params {
    short half;
    char bytes[5];
    long long wide;
};

KERNEL ptx_memory(const unsigned char *in, unsigned *out, unsigned long long *wide, params p)
{
    __shared__ unsigned cells[128];
    int x = threadIdx.x, i = blockIdx.x * blockDim.x + x;
    unsigned *mine = out + 16 * i;
    unsigned a, b, c, d;
    unsigned long long u, v;
    const unsigned char *at = in + 32 * i;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    mine[0] = a ^ b ^ c ^ d;
    asm volatile("ld.global.nc.v2.u64 {%0, %1}, [%2+16];" : "=l"(u), "=l"(v) : "l"(at));
    mine[1] = (unsigned)(u >> 8 ^ v);
    asm volatile("{ .reg .s16 p, q; ld.global.cg.v2.s8 {p, q}, [%2+2]; cvt.s32.s16 %0, p; cvt.s32.s16 %1, q; }"
                 : "=r"(a), "=r"(b)
                 : "l"(at));
    mine[2] = a * 3 + b;
    asm volatile("ld.volatile.global.s16 %0, [%1+6];" : "=r"(a) : "l"(at));
    asm volatile("ld.global.cs.u8 %0, [%1+9];" : "=r"(b) : "l"(at));
    mine[3] = a + b;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(mine + 4), "r"(a), "r"(b) : "memory");
    asm volatile("st.global.cg.u16 [%0+2], %1;" ::"l"(mine + 6), "r"(b) : "memory");
    cells[x] = x * 7;
    unsigned half = x / 64 + 1;
    asm volatile("bar.sync %0, 64;" ::"r"(half) : "memory");
    mine[7] = cells[x ^ 63];
    asm volatile("{ .reg .pred p, q; setp.gt.u32 p, %1, 100; bar.red.or.pred q, 3, p; selp.u32 %0, 1, 0, q; }"
                 : "=r"(a)
                 : "r"(b));
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 100; bar.red.popc.u32 %0, 4, p; }" : "=r"(c) : "r"(b));
    mine[8] = a + 1000 * c;
    asm volatile("red.global.add.u64 [%0], %1;" ::"l"(wide), "l"(u) : "memory");
    asm volatile("atom.global.xor.b64 %0, [%1+8], %2;" : "=l"(v) : "l"(wide), "l"(u) : "memory");
    asm volatile("red.global.max.s64 [%0+16], %1;" ::"l"(wide), "l"(u) : "memory");
    asm volatile("{ .reg .pred p; .reg .u64 t; cvta.to.shared.u64 t, %1; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; "
                 "@p ld.shared.u32 %0, [t]; }"
                 : "=r"(a)
                 : "l"(cells + x));
    asm volatile("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(b) : "l"(mine));
    mine[9] = a * 2 + b;
    mine[10] = p.half + p.bytes[x % 5] + (unsigned)(p.wide >> 33);
    asm volatile(
        "mov.u32 %0, %%ntid.x;\n\tmov.u32 %1, %%nctaid.x;\n\tmov.u32 %2, %%laneid;\n\tmov.u32 %3, %%lanemask_ge;"
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d));
    mine[11] = a + b * 1000 + c * 100000;
    mine[12] = d;
}
