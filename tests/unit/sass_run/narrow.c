/* Modules whose addresses have 32 bits: a cubin of CUDA 11.8, the last toolkit that makes them, and its PTX. */
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/host/launch.h"

enum { THREADS = 32 };

static void scale(const char *path)
{
    struct rp_error err;
    struct rp_device *c = rp_device_new(&err);
    cr_assert_not_null(c);
    struct module *m = rp_device_load(c, path, &err);
    cr_assert_not_null(m, "%s", m ? "" : err.text);
    uint64_t p = rp_alloc(c, 4 * THREADS, "p", &err), bytes;
    cr_assert_leq(p + 4 * THREADS, 1ull << 32);
    uint32_t *words = rp_host(c, p, 4 * THREADS), params[2] = {(uint32_t)p, 1000};
    struct rp_launch_config config = {.params = params, .threads = 1, .grid = {1, 1, 1}, .block = {THREADS, 1, 1}};
    struct rp_launch_result result;
    struct program *program = module_find(m, "scale", &err);
    cr_assert_not_null(program, "%s", program ? "" : err.text);
    bool ok = rp_launch_kernel(c, program, &config, &result, &err);
    cr_assert(ok, "%s: %s", path, ok ? "" : err.text);
    for (unsigned i = 0; i < THREADS; i++)
        cr_expect_eq(words[i], 7 * 1000 + 3, "%s: %u is %u", path, i, words[i]);
    const uint32_t *zeroed = rp_variable(c, m, "zeroed", &bytes);
    cr_assert_not_null(zeroed);
    cr_expect_eq(zeroed[1], 7 * 1000 + 3);
    /* 4 bytes past the buffer */
    params[0] += 4;
    cr_expect_not(rp_launch_kernel(c, program, &config, &result, &err));
    cr_expect_eq(result.fault, RP_FAULT_BOUNDS, "%s", err.text);
    rp_device_free(c);
}
Test(narrow, a_cubin) { scale("tests/golden/cubin/32-bit.cubin"); }
Test(narrow, ptx) { scale("tests/golden/cubin/32-bit.ptx"); }
