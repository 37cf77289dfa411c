/* Random numbers on the device, for clang: the generators XORWOW, MRG32k3a and Philox4x32-10 of cuRAND's device API,
 * with the same integers and uniform numbers; normal numbers differ in their last bits. cuRAND guide, "Device API
 * Overview". */
#ifndef REPRISE_CURAND_KERNEL_H
#define REPRISE_CURAND_KERNEL_H
#pragma GCC system_header

#include <reprise/curand/mrg32k3a.h>
#include <reprise/curand/philox.h>
#include <reprise/curand/xorwow.h>

/* ---- uniform, in (0, 1] ------------------------------------------------------------------------------------------ */

REPRISE_FN float reprise_uniform(unsigned x) { return (float)x * 0x1p-32f + 0x1p-33f; }
REPRISE_FN double reprise_uniform_double(unsigned x) { return x * 0x1p-32 + 0x1p-32; }
/* 53 bits of two numbers. */
REPRISE_FN double reprise_uniform_53(unsigned x, unsigned y)
{
    return (double)((unsigned long long)x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}
REPRISE_FN float curand_uniform(curandStateXORWOW_t *s) { return reprise_uniform(curand(s)); }
REPRISE_FN float curand_uniform(curandStatePhilox4_32_10_t *s) { return reprise_uniform(curand(s)); }
REPRISE_FN float curand_uniform(curandStateMRG32k3a_t *s)
{
    return (float)(reprise_mrg_step(s) * 2.3283065498378288e-10);
}
REPRISE_FN float4 curand_uniform4(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    return {reprise_uniform(x.x), reprise_uniform(x.y), reprise_uniform(x.z), reprise_uniform(x.w)};
}
REPRISE_FN double curand_uniform_double(curandStateXORWOW_t *s)
{
    unsigned x = curand(s);
    return reprise_uniform_53(x, curand(s));
}
REPRISE_FN double curand_uniform_double(curandStatePhilox4_32_10_t *s) { return reprise_uniform_double(curand(s)); }
REPRISE_FN double curand_uniform_double(curandStateMRG32k3a_t *s)
{
    return reprise_mrg_step(s) * 2.3283065498378288e-10;
}
REPRISE_FN double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    return {reprise_uniform_53(x.x, x.y), reprise_uniform_53(x.z, x.w)};
}

/* ---- normal: Box and Muller -------------------------------------------------------------------------------------- */

REPRISE_FN float2 reprise_normal(float u, float angle)
{
    float length = sqrtf(-2.0f * (float)log((double)u)), sine, cosine;
    __sincosf(angle, &sine, &cosine);
    return {sine * length, cosine * length};
}
REPRISE_FN double2 reprise_normal_double(double u, double half_turns)
{
    double length = sqrt(-2.0 * log(u));
    return {length * sinpi(half_turns), length * cospi(half_turns)};
}
REPRISE_FN float2 reprise_normal_of(unsigned x, unsigned y)
{
    const float turn = 0x1p-32f * 6.2831855f;
    return reprise_normal(reprise_uniform(x), (float)y * turn + turn / 2);
}
REPRISE_FN double2 reprise_normal_double_of(uint4 x)
{
    return reprise_normal_double(reprise_uniform_53(x.x, x.y), 2 * reprise_uniform_53(x.z, x.w));
}
REPRISE_FN uint4 reprise_four(curandStateXORWOW_t *s)
{
    unsigned x = curand(s), y = curand(s), z = curand(s);
    return {x, y, z, curand(s)};
}
REPRISE_FN uint4 reprise_four(curandStatePhilox4_32_10_t *s) { return curand4(s); }
template <class State> REPRISE_FN float2 curand_normal2(State *s)
{
    unsigned x = curand(s);
    return reprise_normal_of(x, curand(s));
}
REPRISE_FN float2 curand_normal2(curandStateMRG32k3a_t *s)
{
    float u = curand_uniform(s);
    return reprise_normal(u, curand_uniform(s) * 6.2831855f);
}
template <class State> REPRISE_FN double2 curand_normal2_double(State *s)
{
    return reprise_normal_double_of(reprise_four(s));
}
REPRISE_FN double2 curand_normal2_double(curandStateMRG32k3a_t *s)
{
    double u = curand_uniform_double(s);
    return reprise_normal_double(u, 2 * curand_uniform_double(s));
}
/* Every second number was made with the one before. */
template <class State> REPRISE_FN float curand_normal(State *s)
{
    if ((s->boxmuller_flag = !s->boxmuller_flag)) {
        float2 v = curand_normal2(s);
        s->boxmuller_extra = v.y;
        return v.x;
    }
    return s->boxmuller_extra;
}
template <class State> REPRISE_FN double curand_normal_double(State *s)
{
    if ((s->boxmuller_flag_double = !s->boxmuller_flag_double)) {
        double2 v = curand_normal2_double(s);
        s->boxmuller_extra_double = v.y;
        return v.x;
    }
    return s->boxmuller_extra_double;
}
REPRISE_FN float4 curand_normal4(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    float2 a = reprise_normal_of(x.x, x.y), b = reprise_normal_of(x.z, x.w);
    return {a.x, a.y, b.x, b.y};
}
template <class State> REPRISE_FN float curand_log_normal(State *s, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(s));
}
template <class State> REPRISE_FN float2 curand_log_normal2(State *s, float mean, float deviation)
{
    float2 v = curand_normal2(s);
    return {expf(mean + deviation * v.x), expf(mean + deviation * v.y)};
}
template <class State> REPRISE_FN double curand_log_normal_double(State *s, double mean, double deviation)
{
    return exp(mean + deviation * curand_normal_double(s));
}

#endif
