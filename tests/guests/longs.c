/* 64-bit sums, products, shifts, quotients and remainders on cores of 32 bits. */
#include "reprise_guest.h"

#ifndef ROUNDS
#define ROUNDS 20
#endif

static uint64_t sums[4096];

static uint64_t mixed(uint64_t x)
{
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return x * 0x2545f4914f6cdd1dull;
}

static uint64_t quotients(uint64_t a, uint64_t b)
{
    const int64_t x = (int64_t)a, y = (int64_t)b;
    uint64_t sum = a / (b | 1) + a % (b | 1);
    if (y != -1 && y)
        sum ^= (uint64_t)(x / y) + ((uint64_t)(x % y) << 1);
    return sum + a / ((b >> 33) | 1) + (uint32_t)a / ((uint32_t)b | 1);
}

int main(void)
{
    const unsigned core = guest_core(), cores = guest_cores();
    uint64_t x = core + 1, sum = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t a = x = mixed(x), b = x = mixed(x), c = b >> (a & 63);
        sum += quotients(a, c) - (a > b) + (uint64_t)((int64_t)a >> (b & 63));
        sum = sum * 3 + (sum < a) + ((int64_t)a < (int64_t)b);
    }
    sums[core] = sum;
    guest_barrier();
    if (core == 0) {
        uint64_t all = 0;
        for (unsigned c = 0; c < cores; c++)
            all = all * 31 + sums[c];
        guest_print_hex((uint32_t)(all >> 32));
        guest_print_hex((uint32_t)all);
    }
    return 0;
}
