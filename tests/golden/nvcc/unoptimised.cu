// Unoptimised code, for --check init: nvcc 13.0 -G -arch=sm_75 -ptx -o unoptimised-75.ptx unoptimised.cu, without the sections of
// debugging information, with .version 8.8 and without "debug". The kernels named wrong_... read what nobody has written.
struct Bits {
    unsigned a : 4, b : 12, c : 16;
};
struct Flags {
    bool f : 1, g : 1;
    unsigned char r : 3;
};
struct Padded {
    char c;
    int i;
    double d;
    short s;
};
__device__ __noinline__ Padded next(Padded p)
{
    p.i++;
    return p;
}
extern "C" __global__ void fields(Bits *out)
{
    Bits b;
    b.b = threadIdx.x;
    b.a = 1;
    b.b += b.a;
    Bits copy = b;
    out[threadIdx.x] = copy;
}
extern "C" __global__ void flags(int *out)
{
    Flags l;
    l.g = threadIdx.x & 1;
    l.f = !l.g;
    l.r = 5;
    out[threadIdx.x] = l.f + l.g + l.r;
}
extern "C" __global__ void in_shared(int *out)
{
    __shared__ Bits s[32];
    s[threadIdx.x].b = threadIdx.x;
    s[threadIdx.x].a = 2;
    out[threadIdx.x] = s[threadIdx.x].a + s[threadIdx.x].b;
}
extern "C" __global__ void padded(Padded *out)
{
    Padded p;
    p.c = 1;
    p.i = threadIdx.x;
    p.d = 2;
    p.s = 3;
    Padded q = next(p), r;
    r = q;
    out[threadIdx.x] = r;
}
extern "C" __global__ void wrong_field(int *out)
{
    Bits b;
    b.a = 3;
    out[threadIdx.x] = b.b;
}
extern "C" __global__ void wrong_element(int *out)
{
    unsigned x[2];
    x[0] = 1;
    out[x[x[0]] % 32] = 1;
}
