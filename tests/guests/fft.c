/* A transform of 1,024 points in fixed point, in the loop of Raghav et al., "Scalable Instruction Set Simulator for
 * Thousand-core Architectures Running on GPGPUs", section 3.2: in stage j the cores whose number has bit j set execute
 * one function, the others another one. With STUCK the bit is always bit 0, as the paper prints its loop. */
#include "reprise_guest.h"

#define SIZE 1024u
#define STAGES 10

static int16_t re[2][SIZE], im[2][SIZE];

/* sin(i π / 512) × 2^14 for a quarter of a turn, by a recurrence in 32 bits. */
static int16_t sine[SIZE / 4 + 1];

static void make_table(unsigned core, unsigned cores)
{
    for (unsigned i = core; i <= SIZE / 4; i += cores) {
        /* sin x = x - x^3 / 6 + x^5 / 120 - x^7 / 5040, x in units of 2^-14 */
        const int32_t x = (int32_t)((uint64_t)i * 51471851 >> 19), square = (int32_t)((int64_t)x * x >> 14);
        int32_t y = (1 << 14) - square / 42;
        y = (1 << 14) - (int32_t)((int64_t)square * y >> 14) / 20;
        y = (1 << 14) - (int32_t)((int64_t)square * y >> 14) / 6;
        y = (int32_t)((int64_t)x * y >> 14);
        sine[i] = (int16_t)(y > 16384 ? 16384 : y);
    }
}

static int16_t sine_of(unsigned angle) /* in units of 2 π / 1024 */
{
    angle &= SIZE - 1;
    if (angle >= SIZE / 2)
        return (int16_t)-sine_of(angle - SIZE / 2);
    return angle <= SIZE / 4 ? sine[angle] : sine[SIZE / 2 - angle];
}

struct stage {
    unsigned from, to, span; /* buffers; the distance of the two points of a butterfly */
};

static void twiddled(const struct stage *s, unsigned i, int *r, int *m)
{
    const unsigned angle = (i & (s->span - 1)) * (SIZE / 2 / s->span);
    const int c = sine_of(angle + SIZE / 4), w = -sine_of(angle), x = re[s->from][i], y = im[s->from][i];
    *r = (x * c - y * w) >> 14;
    *m = (x * w + y * c) >> 14;
}

/* The upper point of a butterfly. */
static __attribute__((noinline)) void exec_a(const struct stage *s, unsigned i)
{
    int r, m;
    twiddled(s, i, &r, &m);
    re[s->to][i] = (int16_t)((re[s->from][i - s->span] - r) / 2);
    im[s->to][i] = (int16_t)((im[s->from][i - s->span] - m) / 2);
}

/* The lower one. */
static __attribute__((noinline)) void exec_b(const struct stage *s, unsigned i)
{
    int r, m;
    twiddled(s, i + s->span, &r, &m);
    re[s->to][i] = (int16_t)((re[s->from][i] + r) / 2);
    im[s->to][i] = (int16_t)((im[s->from][i] + m) / 2);
}

static unsigned reversed(unsigned i)
{
    unsigned r = 0;
    for (unsigned b = 0; b < STAGES; b++)
        r |= (i >> b & 1) << (STAGES - 1 - b);
    return r;
}

int main(void)
{
    const unsigned core = guest_core(), cores = guest_cores();
    make_table(core, cores);
    for (unsigned i = core; i < SIZE; i += cores) {
        re[0][i] = (int16_t)(reversed(i) * 37 % 1999 * 8 - 8000);
        im[0][i] = 0;
    }
    guest_barrier();
    for (unsigned j = 0; j < STAGES; j++) {
        const unsigned n = 1u << j;
        const struct stage s = {j % 2, 1 - j % 2, n};
        for (unsigned i = core; i < SIZE; i += cores) {
#ifdef STUCK /* points are numbered so that bit 0 decides */
            const unsigned point = (i & ~(2 * n - 1)) | (i & 1) * n | (i >> 1 & (n - 1));
            if (i & 1)
                exec_a(&s, point);
            else
                exec_b(&s, point);
#else
            if (i & n)
                exec_a(&s, i);
            else
                exec_b(&s, i);
#endif
        }
        guest_barrier();
    }
#ifdef FIGURE /* without what only one core does */
    return 0;
#endif
    if (core == 0) {
        uint32_t sum = 0;
        for (unsigned i = 0; i < SIZE; i++)
            sum = sum * 31 + (uint16_t)re[0][i] * 3 + (uint16_t)im[0][i];
        guest_print_hex(sum);
    }
    return 0;
}
