/* Shared memory is asked once for what it takes from an access of a kind, and the bounds are the same as if it were
 * asked each time. */
#include <criterion/criterion.h>

#include "tests/unit/wcet/common.h"

#define ACCESS(s, a)                                                                                                   \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_SHARED, .store = true, .destination = NO,                     \
        .source = {NO, NO, NO}, .stride = (s), .address = (a)                                                          \
    }
#define BAR                                                                                                            \
    {                                                                                                                  \
        .unit_class = RP_CLASS_BARRIER, .destination = NO, .source = { NO, NO, NO }                                    \
    }
#define GLOBAL                                                                                                         \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .destination = 1, .source = {NO, NO, NO},             \
        .stride = 4, .address = WARP_TRACE_INPUT                                                                       \
    }

/* By stride and base modulo 128 there are four: that at 256 is as that at 0, and that at 2 is not. */
static const struct warp_op some[] = {ACCESS(4, 0), ACCESS(128, 0), ACCESS(4, 256), BAR, GLOBAL, ACCESS(128, 128)};
static const struct warp_op others[] = {ACCESS(8, 0), BAR, ACCESS(4, 0), ACCESS(4, 2), ACCESS(8, 384), ACCESS(128, 0)};
static const struct warp_program programs[] = {{some, 6}, {others, 6}};
#define KINDS 4
#define BLOCKS 3

static const struct shared_memory_model *asked_of;
static uint32_t asked;

static void counted(const int64_t *options, const struct shared_memory_access *access, struct shared_memory_cost *out)
{
    asked++;
    asked_of->cost(options, access, out);
}

Test(shared, costs_are_asked_for_once)
{
    const struct machine_setting settings[] = {
        {"shared", "pastis"}, {"shared.interval", "3"}, {"units.shared.queue", "0"}, {"l2", "direct-mapped"}};
    struct rp_trace *t = trace_of_blocks(programs, 2, BLOCKS);
    struct machine *m = orin(settings, MODEL_COUNT_OF(settings));
    asked_of = (const struct shared_memory_model *)m->shared.model;
    struct shared_memory_model counting = *asked_of;
    counting.cost = counted;
    m->shared.model = &counting.model;
    struct wcet_bounds b = bounds_of(t, m, ALL_EXTENSIONS);
    cr_expect_eq(asked, KINDS, "asked %u times", asked);
    cr_expect(b.caches.classified, "with caches the launch is read twice");
    wcet_bounds_free(&b);
    m->shared.model = &asked_of->model;
    machine_free(m);
    rp_trace_close(t);
}

/* Lanes k words apart make gcd(k, 32) transactions, wherever the first one is: that many of their words are in one
 * bank. There are more kinds here than can be kept, so some take the place of others. */
#define STRIDES 256
#define BASES 8
#define INTERVAL 60

static uint64_t transactions(unsigned words) { return words % 32 ? words & -words : words ? 32 : 1; }

Test(shared, what_is_kept_is_told_apart)
{
    const struct machine_setting settings[] = {
        {"shared", "pastis"}, {"shared.interval", "60"}, {"spaces.shared.latency", "0"}};
    static struct warp_op ops[2 * STRIDES * BASES + 1];
    uint64_t cycles = 0;
    uint32_t n = 0;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned b = 0; b < BASES; b++)
            for (unsigned k = 0; k < STRIDES; k++) {
                ops[n++] = (struct warp_op)ACCESS(4 * k, 4 * b);
                cycles += transactions(k) * INTERVAL;
            }
    ops[n++] = (struct warp_op)ACCESS(4, 0);
    cycles += 22 + 1; /* the last one's answer (PasTiS: 22 + base) */
    struct rp_trace *t = trace_of(&(struct warp_program){ops, n}, 1);
    struct machine *m = orin(settings, MODEL_COUNT_OF(settings));
    struct wcet_bounds b = bounds_of(t, m, ALL_EXTENSIONS);
    cr_expect_eq(b.sections[0].alone, cycles, "%llu", (unsigned long long)b.sections[0].alone);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}
