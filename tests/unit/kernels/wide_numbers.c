/* 128-bit integers as nvcc compiles them (tests/golden/nvcc): product, shifts, quotient and remainder against the
 * host's. The division mixes sub.cc with addc, so it is right only where both mean the same flag. */
#include <criterion/criterion.h>
#include <string.h>

#include "frontend/host/launch.h"

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

/* As in wide_numbers.cu. */
struct results {
    unsigned_wide product, left, right, quotient, remainder;
    wide signed_right, signed_quotient, signed_remainder;
};

enum { CORNERS = 24, RANDOM = 8000, COUNT = CORNERS * CORNERS + RANDOM, THREADS = 128 };
static unsigned_wide first[COUNT], second[COUNT];

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* 128 random bits, shifted by a random amount: numbers of every length. */
static unsigned_wide random_wide(uint64_t *state)
{
    unsigned_wide high = splitmix64(state), low = splitmix64(state);
    return (high << 64 | low) >> (splitmix64(state) & 127);
}

/* All pairs of numbers at which words and signs turn over, then random ones. */
static void make_pairs(void)
{
    const unsigned_wide one = 1, all = ~(unsigned_wide)0;
    const unsigned_wide corners[CORNERS] = {0,
                                            1,
                                            2,
                                            3,
                                            10,
                                            all,
                                            all - 1,
                                            all - 2,
                                            one << 127,
                                            all >> 1,
                                            one << 126,
                                            one << 96,
                                            all >> 32,
                                            one << 95,
                                            one << 64,
                                            all >> 64,
                                            (one << 64) + 1,
                                            one << 63,
                                            all >> 65,
                                            one << 32,
                                            all >> 96,
                                            one << 31,
                                            all - (all >> 64),
                                            all - (all >> 96)};
    uint64_t state = 128;
    for (int i = 0; i < CORNERS * CORNERS; i++)
        first[i] = corners[i / CORNERS], second[i] = corners[i % CORNERS];
    for (int i = CORNERS * CORNERS; i < COUNT; i++)
        first[i] = random_wide(&state), second[i] = random_wide(&state);
}

static struct results on_host(unsigned_wide x, unsigned_wide y)
{
    unsigned n = (unsigned)y & 127;
    struct results r = {.product = x * y, .left = x << n, .right = x >> n, .signed_right = (wide)x >> n};
    if (y == 0)
        return r;
    r.quotient = x / y;
    r.remainder = x % y;
    bool overflows = x == (unsigned_wide)1 << 127 && y == ~(unsigned_wide)0;
    r.signed_quotient = overflows ? (wide)x : (wide)x / (wide)y;
    r.signed_remainder = overflows ? 0 : (wide)x % (wide)y;
    return r;
}

static void check_result(int i, struct results got)
{
    struct results want = on_host(first[i], second[i]);
    const unsigned_wide *g = (const unsigned_wide *)&got, *w = (const unsigned_wide *)&want;
    for (unsigned k = 0; k < sizeof want / sizeof *w; k++)
        cr_assert(g[k] == w[k], "result %u of %016llx%016llx and %016llx%016llx is %016llx%016llx on the device", k,
                  (unsigned long long)(first[i] >> 64), (unsigned long long)first[i],
                  (unsigned long long)(second[i] >> 64), (unsigned long long)second[i],
                  (unsigned long long)(g[k] >> 64), (unsigned long long)g[k]);
}

static void check_module(const char *path)
{
    struct rp_error err;
    struct rp_device *c = rp_device_new(&err);
    struct module *m = rp_device_load(c, path, &err);
    cr_assert_not_null(m, "%s", err.text);
    struct program *kernel = module_find(m, "wide_numbers", &err);
    cr_assert_not_null(kernel, "%s", err.text);
    static struct results results[COUNT];
    uint64_t params[] = {rp_alloc(c, sizeof first, "a", &err), rp_alloc(c, sizeof second, "b", &err),
                         rp_alloc(c, sizeof results, "r", &err), COUNT};
    memcpy(rp_host(c, params[0], sizeof first), first, sizeof first);
    memcpy(rp_host(c, params[1], sizeof second), second, sizeof second);
    struct rp_launch_config config = {
        .grid = {(COUNT + THREADS - 1) / THREADS, 1, 1}, .block = {THREADS, 1, 1}, .params = params, .threads = 1};
    struct rp_launch_result ran;
    cr_assert(rp_launch_kernel(c, kernel, &config, &ran, &err), "%s", err.text);
    memcpy(results, rp_host(c, params[2], sizeof results), sizeof results);
    for (int i = 0; i < COUNT; i++)
        check_result(i, results[i]);
    rp_device_free(c);
}

Test(wide_numbers, nvcc_for_sm_75)
{
    make_pairs();
    check_module("tests/golden/nvcc/wide_numbers-75.ptx");
}
Test(wide_numbers, nvcc_for_sm_100)
{
    make_pairs();
    check_module("tests/golden/nvcc/wide_numbers-100.ptx");
}
