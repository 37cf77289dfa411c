/* Barriers in functions that lanes call at different times, as ptxas writes it: the words that the PTX leaves, too
 * (tests/unit/engine/barriers.c). */
#include <criterion/criterion.h>

#include "tests/support/divergent_calls.h"
#include "tests/support/ptxas.h"

static void run(const struct divergent_call *c)
{
    struct rp_device *device;
    struct rp_error err = {0};
    struct module *m = ptxas_module(&device, c->ptx);
    uint64_t out = rp_alloc(device, 4 * DIVERGENT_CALL_THREADS, "out", &err);
    cr_assert(out);
    struct rp_launch_config config = {.params = &out};
    struct rp_launch_result result;
    cr_assert(ptxas_run(device, m, "k", 1, DIVERGENT_CALL_THREADS, &config, &result, &err), "%s: %s", c->name,
              err.text);
    const uint32_t *words = rp_host(device, out, 4 * DIVERGENT_CALL_THREADS);
    for (uint32_t t = 0; t < DIVERGENT_CALL_THREADS; t++)
        cr_expect_eq(words[t], c->expected(t), "%s: thread %u: %u", c->name, t, words[t]);
    rp_device_free(device);
}

Test(calls, lanes_meet_in_functions)
{
    for (unsigned i = 0; i < DIVERGENT_CALLS; i++)
        run(&divergent_calls[i]);
}
