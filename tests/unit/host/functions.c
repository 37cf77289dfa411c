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

/* pointers.ptx says what each kernel does. */
static void call_what_another_kernel_stored(const char *module)
{
    struct rp_error err = {0};
    struct reprise_options options = {.module = module};
    struct reprise *r = reprise_open(&options, &err);
    cr_assert(r, "%s", err.text);
    static const char *const kernels[] = {"store", "call", "through"};
    for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        uint32_t out[THREADS] = {0};
        struct reprise_launch l = {.kernel = kernels[k], .block = {THREADS}};
        l.args[0] = reprise_out(out, sizeof out);
        run(r, l, NULL);
        for (uint32_t i = 0; k && i < THREADS; i++)
            cr_expect_eq(out[i], i % 2 ? i * i : 3 * i, "%s: %s: thread %u: %u", module, kernels[k], i, out[i]);
    }
    cr_assert(reprise_close(r, &err), "%s", err.text);
}
Test(functions, through_pointers_that_only_code_names)
{
    call_what_another_kernel_stored("tests/golden/cubin/pointers.sm_62.cubin");
    call_what_another_kernel_stored("tests/golden/cubin/pointers.sm_86.cubin");
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
