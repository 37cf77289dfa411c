/* A cubin of ptxas -g, in which device functions have sections of their own. */
#include "common.h"

#define GOLDEN "tests/golden/cubin/functions.cubin"

static void launch(const char *kernel, uint32_t out[THREADS])
{
    struct rp_error err = {0};
    struct reprise_options options = {.module = GOLDEN};
    struct reprise *r = reprise_open(&options, &err);
    cr_assert(r, "%s", err.text);
    struct reprise_launch l = {.kernel = kernel, .block = {THREADS}};
    l.args[0] = reprise_out(out, THREADS * sizeof *out);
    run(r, l, NULL);
    cr_assert(reprise_close(r, &err), "%s", err.text);
}

/* functions.ptx says what each kernel does. */
Test(functions, of_sections_of_their_own)
{
    uint32_t alone[THREADS], chain[THREADS], choose[THREADS];
    launch("alone", alone);
    launch("chain", chain);
    launch("choose", choose);
    for (uint32_t i = 0; i < THREADS; i++) {
        cr_expect_eq(alone[i], i);
        cr_expect_eq(chain[i], 3 * i * i, "thread %u: %u", i, chain[i]);
        cr_expect_eq(choose[i], i % 2 ? 3 * i * i : 3 * i, "thread %u: %u", i, choose[i]);
    }
}
