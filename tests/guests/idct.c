/* Inverse cosine transforms of blocks of 8 × 8 coefficients, in fixed point: core c has blocks c, c + cores, ... */
#include "reprise_guest.h"

#ifndef BLOCKS
#define BLOCKS 64
#endif

static int16_t coefficients[BLOCKS][64], samples[BLOCKS][64];

/* cos(k π / 16) × 2^13 */
static const int16_t cosine[8] = {8192, 8035, 7568, 6811, 5793, 4551, 3135, 1598};

/* cos((2 x + 1) u π / 16) × 2^13. Angles are in units of π / 16: a full turn has 32. */
static int cosine_of(unsigned x, unsigned u)
{
    unsigned angle = (2 * x + 1) * u % 32;
    int sign = 1;
    if (angle > 16)
        angle = 32 - angle;
    if (angle > 8) {
        angle = 16 - angle;
        sign = -1;
    }
    return angle == 8 ? 0 : sign * cosine[angle];
}

/* One dimension, from elements at distance `step`. */
static void transform(const int *in, int *out, unsigned step)
{
    for (unsigned x = 0; x < 8; x++) {
        int sum = in[0] * 5793;
        for (unsigned u = 1; u < 8; u++)
            sum += in[u * step] * cosine_of(x, u);
        out[x * step] = (sum + (1 << 13)) >> 14;
    }
}

static void inverse(const int16_t *in, int16_t *out)
{
    int a[64], b[64];
    for (unsigned i = 0; i < 64; i++)
        a[i] = in[i];
    for (unsigned row = 0; row < 8; row++)
        transform(a + 8 * row, b + 8 * row, 1);
    for (unsigned column = 0; column < 8; column++)
        transform(b + column, a + column, 8);
    for (unsigned i = 0; i < 64; i++)
        out[i] = (int16_t)a[i];
}

int main(void)
{
    const unsigned core = guest_core(), cores = guest_cores();
    for (unsigned b = core; b < BLOCKS; b += cores) {
        for (unsigned i = 0; i < 64; i++)
            coefficients[b][i] = (int16_t)((b * 31 + i * i * 7) % 255 - 127) / (int16_t)(1 + i / 8 + i % 8);
        inverse(coefficients[b], samples[b]);
    }
    guest_barrier();
#ifdef FIGURE /* without what only one core does */
    return 0;
#endif
    if (core == 0) {
        uint32_t sum = 0;
        for (unsigned b = 0; b < BLOCKS; b++)
            for (unsigned i = 0; i < 64; i++)
                sum = sum * 31 + (uint16_t)samples[b][i];
        guest_print_hex(sum);
    }
    return 0;
}
