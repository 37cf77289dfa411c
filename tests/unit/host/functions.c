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

/* As cuobjdump -sass lists `alone`. */
Test(functions, a_fault_in_machine_code_has_its_address)
{
    uint32_t out[THREADS];
    struct rp_error err = {0};
    struct reprise_options options = {.module = GOLDEN};
    struct reprise *r = reprise_open(&options, &err);
    cr_assert(r, "%s", err.text);
    struct reprise_launch l = {.kernel = "alone", .block = {THREADS}};
    l.args[0] = reprise_out(out, sizeof out - 4);
    cr_expect_not(reprise_run(r, &l, NULL, &err));
    cr_expect(strstr(err.text, "; at 'STG.E [R2], R0' (address 0xb8), block (0,0,0), thread (63,0,0)"), "%s", err.text);
    reprise_close(r, NULL);
}
