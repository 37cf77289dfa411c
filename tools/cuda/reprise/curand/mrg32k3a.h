/* MRG32k3a (L'Ecuyer: "Good parameters and implementations for combined multiple recursive random number generators",
 * Operations Research 47, 1999), for curand_kernel.h. */
#ifndef REPRISE_CURAND_MRG32K3A_H
#define REPRISE_CURAND_MRG32K3A_H
#pragma GCC system_header

#include <reprise/cuda.h>

struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

#define REPRISE_MRG_M1 4294967087ull
#define REPRISE_MRG_M2 4294944443ull

/* v = A^n v for a 3x3 matrix A modulo m, which becomes a power of A. */
REPRISE_FN void reprise_mrg_jump(unsigned v[3], unsigned long long a[3][3], unsigned long long n, unsigned long long m)
{
    for (; n; n >>= 1) {
        if (n & 1) {
            unsigned long long to[3];
            for (int i = 0; i < 3; i++)
                to[i] = (a[i][0] * v[0] % m + a[i][1] * v[1] % m + a[i][2] * v[2] % m) % m;
            for (int i = 0; i < 3; i++)
                v[i] = (unsigned)to[i];
        }
        unsigned long long square[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                square[i][j] = (a[i][0] * a[0][j] % m + a[i][1] * a[1][j] % m + a[i][2] * a[2][j] % m) % m;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a[i][j] = square[i][j];
    }
}
/* One step of each component, the newest number last; the difference in [1, m1]. */
REPRISE_FN double reprise_mrg_step(curandStateMRG32k3a_t *s)
{
    unsigned long long p = (1403580ull * s->s1[1] + 810728ull * (REPRISE_MRG_M1 - s->s1[0])) % REPRISE_MRG_M1;
    unsigned long long q = (527612ull * s->s2[2] + 1370589ull * (REPRISE_MRG_M2 - s->s2[0])) % REPRISE_MRG_M2;
    s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = (unsigned)p;
    s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = (unsigned)q;
    return p > q ? (double)(p - q) : (double)(p + REPRISE_MRG_M1 - q);
}
REPRISE_FN unsigned curand(curandStateMRG32k3a_t *s) { return (unsigned)(reprise_mrg_step(s) * 1.000000048662); }
/* The matrices of one step, and of 2^times steps, n times. */
static __device__ void reprise_mrg_advance(curandStateMRG32k3a_t *s, unsigned long long n, int times)
{
    unsigned long long a[3][3] = {{0, 1, 0}, {0, 0, 1}, {REPRISE_MRG_M1 - 810728, 1403580, 0}};
    unsigned long long b[3][3] = {{0, 1, 0}, {0, 0, 1}, {REPRISE_MRG_M2 - 1370589, 0, 527612}};
    unsigned nothing[3] = {0, 0, 0};
    if (!n)
        return;
    if (times) {
        reprise_mrg_jump(nothing, a, 1ull << (times / 2 - 1), REPRISE_MRG_M1);
        reprise_mrg_jump(nothing, a, 1ull << (times - times / 2 - 1), REPRISE_MRG_M1);
        reprise_mrg_jump(nothing, b, 1ull << (times / 2 - 1), REPRISE_MRG_M2);
        reprise_mrg_jump(nothing, b, 1ull << (times - times / 2 - 1), REPRISE_MRG_M2);
    }
    reprise_mrg_jump(s->s1, a, n, REPRISE_MRG_M1);
    reprise_mrg_jump(s->s2, b, n, REPRISE_MRG_M2);
}
REPRISE_FN void skipahead(unsigned long long n, curandStateMRG32k3a_t *s) { reprise_mrg_advance(s, n, 0); }
REPRISE_FN void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *s) { reprise_mrg_advance(s, n, 76); }
REPRISE_FN void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *s) { reprise_mrg_advance(s, n, 127); }
REPRISE_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStateMRG32k3a_t *s)
{
    unsigned x = (unsigned)seed ^ 0x55555555u, y = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; i++) {
        s->s1[i] = s->s2[i] = 12345;
        if (seed) {
            s->s1[i] = (unsigned)(12345ull * (i == 1 ? y : x) % REPRISE_MRG_M1);
            s->s2[i] = (unsigned)(12345ull * (i == 1 ? x : y) % REPRISE_MRG_M2);
        }
    }
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0, s->boxmuller_extra_double = 0;
    skipahead_subsequence(subsequence, s);
    skipahead(offset, s);
}

#endif
