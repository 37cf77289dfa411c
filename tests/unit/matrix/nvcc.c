/* Matrix products as nvcc 13 compiles them (tests/golden/nvcc/matrices.cu): the fragments of mma.h, with arithmetic on
 * their elements, and a tiled product with ldmatrix and mma; against a plain product. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static const struct kernel {
    const char *name;
    int m, n; /* of a block's tile */
    enum number a, c;
    bool by_columns; /* B */
    bool adds;       /* to 2 × what is in C */
    unsigned threads;
    bool from_80;
} kernels[] = {
    {"half_square", 16, 16, F16, F32, false, true, 32, false},  {"half_tall", 32, 8, F16, F32, true, true, 32, false},
    {"half_wide", 8, 32, F16, F32, false, true, 32, false},     {"half_half", 16, 16, F16, F16, true, true, 32, false},
    {"bytes_square", 16, 16, S8, S32, true, true, 32, false},   {"bytes_tall", 32, 8, U8, S32, false, true, 32, false},
    {"brain_square", 16, 16, BF16, F32, false, true, 32, true}, {"brain_wide", 8, 32, BF16, F32, true, true, 32, true},
    {"doubles", 8, 8, F64, F64, false, true, 32, true},         {"tiled", 64, 64, F16, F32, false, false, 128, true},
};
enum { ROWS = 128, COLUMNS = 64, DEPTH = 64, BYTES = ROWS * DEPTH * 8 };

static void put(void *memory, int i, enum number n, uint64_t bits)
{
    memcpy((uint8_t *)memory + (size_t)i * number_bits(n) / 8, &bits, number_bits(n) / 8);
}
static double get(const void *memory, int i, enum number n)
{
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)memory + (size_t)i * number_bits(n) / 8, number_bits(n) / 8);
    return decode(n, bits);
}
static uint64_t small(enum number n)
{
    int limit = n == F16 || n == BF16 ? 3 : 9;
    return encode(n, n == U8 ? (int)(next_random() % 200) : (int)(next_random() % (2u * (unsigned)limit + 1)) - limit);
}

static void check(struct rp_device *device, struct module *m, const struct kernel *k)
{
    static double want[ROWS][COLUMNS];
    struct rp_error err = {0};
    struct rp_launch_result result;
    struct program *p = module_find(m, k->name, &err);
    cr_assert(p, "%s", err.text);
    struct {
        uint64_t a, b, c;
        int32_t n, k;
    } params = {.n = COLUMNS, .k = DEPTH};
    uint64_t *address[] = {&params.a, &params.b, &params.c};
    void *host[3];
    for (int i = 0; i < 3; i++) {
        *address[i] = rp_alloc(device, BYTES, "buffer", &err);
        cr_assert(host[i] = rp_host(device, *address[i], BYTES));
    }
    for (int i = 0; i < ROWS * DEPTH; i++)
        put(host[0], i, k->a, small(k->a));
    for (int i = 0; i < COLUMNS * DEPTH; i++)
        put(host[1], i, k->a, small(k->a));
    for (int r = 0; r < ROWS; r++)
        for (int x = 0; x < COLUMNS; x++) {
            put(host[2], r * COLUMNS + x, k->c, small(k->c));
            want[r][x] = k->adds ? 2 * get(host[2], r * COLUMNS + x, k->c) : 0;
            for (int i = 0; i < DEPTH; i++)
                want[r][x] += get(host[0], r * DEPTH + i, k->a) *
                              get(host[1], k->by_columns ? x * DEPTH + i : i * COLUMNS + x, k->a);
        }
    const struct rp_launch_config config = {.grid = {COLUMNS / (unsigned)k->n, ROWS / (unsigned)k->m, 1},
                                            .block = {k->threads, 1, 1},
                                            .params = &params,
                                            .threads = 1};
    cr_assert(rp_launch_kernel(device, p, &config, &result, &err), "%s", err.text);
    for (int r = 0; r < ROWS; r++)
        for (int x = 0; x < COLUMNS; x++)
            cr_assert_eq(get(host[2], r * COLUMNS + x, k->c), want[r][x], "%s: row %d column %d: %g, not %g", k->name,
                         r, x, get(host[2], r * COLUMNS + x, k->c), want[r][x]);
}

static void check_module(const char *path, bool all)
{
    struct rp_error err = {0};
    struct rp_device *device = rp_device_new(&err);
    struct module *m = rp_device_load(device, path, &err);
    cr_assert(m, "%s", err.text);
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (all || !kernels[i].from_80)
            check(device, m, &kernels[i]);
    rp_device_free(device);
}

Test(nvcc, products_for_sm_75) { check_module("tests/golden/nvcc/matrices-75.ptx", false); }
Test(nvcc, products_for_sm_80) { check_module("tests/golden/nvcc/matrices-80.ptx", true); }
