/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011), for
 * curand_kernel.h. */
#ifndef REPRISE_CURAND_PHILOX_H
#define REPRISE_CURAND_PHILOX_H
#pragma GCC system_header

#include <reprise/cuda.h>

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE; /* numbers of the output that were taken */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

REPRISE_FN uint4 curand_Philox4x32_10(uint4 c, uint2 k)
{
#pragma unroll
    for (int i = 0; i < 10; i++) {
        unsigned high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
        unsigned high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
        c = {high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0};
        k.x += 0x9e3779b9u, k.y += 0xbb67ae85u;
    }
    return c;
}
/* Adds to a number of two words; what is carried out of it. */
REPRISE_FN unsigned reprise_philox_add(unsigned *low, unsigned *high, unsigned long long n)
{
    unsigned long long before = (unsigned long long)*high << 32 | *low, after = before + n;
    *low = (unsigned)after, *high = (unsigned)(after >> 32);
    return after < before;
}
REPRISE_FN void reprise_philox_advance(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    if (reprise_philox_add(&s->ctr.x, &s->ctr.y, n))
        reprise_philox_add(&s->ctr.z, &s->ctr.w, 1);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
REPRISE_FN unsigned curand(curandStatePhilox4_32_10_t *s)
{
    unsigned n = s->STATE++;
    unsigned to = n == 0 ? s->output.x : n == 1 ? s->output.y : n == 2 ? s->output.z : s->output.w;
    if (s->STATE == 4) {
        s->STATE = 0;
        reprise_philox_advance(s, 1);
    }
    return to;
}
/* The next four, which begin where the last number was taken. */
REPRISE_FN uint4 curand4(curandStatePhilox4_32_10_t *s)
{
    uint4 a = s->output;
    reprise_philox_advance(s, 1);
    uint4 b = s->output;
    switch (s->STATE) {
    case 0: return a;
    case 1: return {a.y, a.z, a.w, b.x};
    case 2: return {a.z, a.w, b.x, b.y};
    default: return {a.w, b.x, b.y, b.z};
    }
}
REPRISE_FN void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    s->STATE += (unsigned)(n & 3);
    n /= 4;
    if (s->STATE > 3)
        n++, s->STATE -= 4;
    reprise_philox_advance(s, n);
}
REPRISE_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    reprise_philox_add(&s->ctr.z, &s->ctr.w, n);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
REPRISE_FN void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                            curandStatePhilox4_32_10_t *s)
{
    s->ctr = {0, 0, 0, 0};
    s->key = {(unsigned)seed, (unsigned)(seed >> 32)};
    s->STATE = 0;
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0, s->boxmuller_extra_double = 0;
    skipahead_sequence(sequence, s);
    skipahead(offset, s);
}

#endif
