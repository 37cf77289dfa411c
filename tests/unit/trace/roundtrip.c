/* What is written is read back, step for step. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/synthetic_trace.h"
#include "tracefmt/reader.h"

struct comparison {
    struct rp_cursor cursor;
    const struct rp_kernel *kernel;
    uint64_t warp_instructions, thread_instructions, wrong;
    uint64_t promised; /* by rp_cursor_left: as many warp_instructions there will be */
    char what[200];
};

static bool addresses_equal(const struct rp_step *got, const struct synthetic_step *want, uint32_t operand)
{
    uint64_t address[RP_WARP_LANES];
    rp_access_addresses(&got->accesses[operand], address);
    if (got->accesses[operand].pattern->mask != want->executed)
        return false;
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        if (want->executed >> l & 1 && address[l] != want->address[operand][l])
            return false;
    return true;
}

static void compare_step(void *data, const struct synthetic_step *want)
{
    struct comparison *c = data;
    struct rp_step got;
    struct rp_error err = {0};
    uint64_t left = c->warp_instructions + rp_cursor_left(&c->cursor, 0, UINT64_MAX);
    c->promised = left > c->promised ? left : c->promised;
    cr_assert_leq(c->warp_instructions + rp_cursor_left(&c->cursor, 1, 8), left);
    int more = rp_cursor_next(&c->cursor, &got, &err);
    bool same = more == 1 && got.index == want->index && got.active == want->active && got.executed == want->executed;
    const struct rp_instruction *in = &c->kernel->instructions[want->index];
    for (unsigned i = 0; same && want->executed && i < rp_aux_count(in); i++)
        same = got.aux_values[i] == want->aux[i];
    for (uint32_t m = 0; same && want->executed && m < in->memory_count; m++)
        same = addresses_equal(&got, want, m);
    if (!same && !c->wrong++)
        snprintf(c->what, sizeof c->what, "step %" PRIu64 ": %d %.100s", c->warp_instructions, more, err.text);
    c->warp_instructions++;
    c->thread_instructions += (unsigned)__builtin_popcount(want->executed);
}

/* The cursor is at its beginning. */
static void compare_peek(struct rp_trace *trace, uint32_t launch, uint64_t block, uint32_t warp,
                         const struct rp_cursor *c)
{
    struct rp_run first;
    uint64_t left = 0, all = rp_cursor_left(c, 0, UINT64_MAX);
    cr_assert_eq(rp_trace_peek(trace, launch, block, warp, 0, UINT64_MAX, &first, &left), all > 0);
    cr_assert_eq(left, all);
    cr_assert(!all || (first.start == c->run->start && first.length == c->run->length));
}

static void compare_block(struct rp_trace *trace, const struct synthetic_trace *t, uint32_t launch, uint64_t block,
                          struct comparison *c)
{
    struct rp_error err = {0};
    struct rp_block *b = rp_block_open(trace, launch, block, &err);
    cr_assert(b, "%s", err.text);
    for (uint32_t w = 0; w < rp_block_warps(b); w++) {
        struct rp_step step;
        cr_assert(rp_cursor_open(&c->cursor, b, w, &err), "%s", err.text);
        compare_peek(trace, launch, block, w, &c->cursor);
        synthetic_warp(t, launch, block, w, compare_step, c);
        cr_assert(rp_cursor_next(&c->cursor, &step, &err) == 0, "more steps than were written");
        cr_assert(rp_cursor_next(&c->cursor, &step, &err) == 0, "the end is not final");
        cr_assert_eq(rp_cursor_left(&c->cursor, 0, UINT64_MAX), 0);
        cr_assert(c->promised <= c->warp_instructions, "fewer steps than rp_cursor_left said");
        rp_cursor_close(&c->cursor);
        cr_assert(c->wrong == 0, "launch %u block %" PRIu64 " warp %u: %s", launch, block, w, c->what);
    }
    rp_block_close(b);
}

static void compare_inlined(const struct rp_kernel *got, const struct rp_kernel *want)
{
    cr_assert_eq(got->inlined_count, want->inlined_count);
    for (uint32_t c = 0; c < want->inlined_count; c++) {
        const struct rp_inlined_call *g = &got->inlined[c], *w = &want->inlined[c];
        cr_assert(!strcmp(g->function, w->function) && g->file == w->file && g->line == w->line &&
                  g->inlined == w->inlined);
    }
    for (uint32_t i = 0; i < want->instruction_count; i++)
        cr_assert_eq(got->instructions[i].inlined, want->instructions[i].inlined);
}

/* What waits for what is as it was written. */
static void compare_order(const struct rp_launch *got, const struct rp_launch *want)
{
    cr_assert(got->stream == want->stream && got->parent == want->parent);
    cr_assert_eq(got->dependency_count, want->dependency_count);
    for (uint32_t d = 0; d < want->dependency_count; d++)
        cr_assert_eq(got->dependencies[d], want->dependencies[d]);
}

/* Chunks in all. */
static uint64_t check(const struct synthetic_options *o, const char *path)
{
    struct rp_error err = {0};
    uint64_t chunks = 0;
    struct synthetic_trace *t = synthetic_new(o);
    cr_assert(synthetic_write(t, path, &err), "seed %" PRIu64 ": %s", o->seed, err.text);
    struct rp_trace *trace = rp_trace_open(path, &err);
    cr_assert(trace, "%s", err.text);
    cr_assert(!rp_trace_damage(trace), "%s", rp_trace_damage(trace));
    cr_assert(rp_trace_verify(trace, NULL, NULL, &err), "%s", err.text);
    for (uint32_t l = 0; l < rp_trace_launch_count(trace); l++) {
        struct comparison c = {.kernel = synthetic_kernel(t)};
        compare_inlined(rp_trace_kernel(trace, 0), synthetic_kernel(t));
        compare_order(rp_trace_launch(trace, l), synthetic_launch(t, l));
        uint64_t blocks = rp_launch_blocks(rp_trace_launch(trace, l));
        for (uint64_t b = 0; b < blocks; b++)
            compare_block(trace, t, l, b, &c);
        struct rp_launch_totals totals = rp_trace_launch_totals(trace, l);
        cr_assert_eq(totals.warp_instructions, c.warp_instructions);
        cr_assert_eq(totals.thread_instructions, c.thread_instructions);
        cr_assert_eq(totals.blocks, blocks);
        chunks += totals.chunks;
    }
    rp_trace_close(trace);
    synthetic_free(t);
    unlink(path);
    return chunks;
}

Test(roundtrip, four_hundred_random_traces)
{
    char path[] = "/tmp/reprise-roundtrip-XXXXXX";
    close(mkstemp(path));
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct synthetic_options o = synthetic_random_options(seed);
        o.objects = seed % 3 == 1;
        o.inlined = seed % 2;
        o.streams = seed % 5 == 4 ? 3 : 0;
        o.scattered = seed % 7 >= 4;
        check(&o, path);
    }
}

Test(roundtrip, long_loops_with_many_accesses)
{
    char path[] = "/tmp/reprise-roundtrip-XXXXXX";
    close(mkstemp(path));
    struct synthetic_options o = {.seed = 7, .blocks = 3, .threads = 96, .phases = 2, .phase_length = 40};
    o.iterations = 400;
    o.memory_percent = 70;
    o.guard_percent = 20;
    check(&o, path);
    o.chunk_bytes = 20000;
    check(&o, path);
    o.random_percent = 100;
    o.several_operands = true;
    check(&o, path);
}

/* One chunk of logs that do not repeat becomes several in time; blocks of few and of many warps, long runs and short.
 */
Test(roundtrip, chunks_cut_in_time)
{
    char path[] = "/tmp/reprise-roundtrip-XXXXXX";
    close(mkstemp(path));
    struct synthetic_options o = {.seed = 8, .blocks = 8, .threads = 320, .phases = 2, .phase_length = 60};
    o.iterations = 24;
    o.memory_percent = 40;
    o.random_percent = 100;
    o.guard_percent = 20;
    o.diverge_percent = 20;
    o.several_operands = o.aux = o.barriers = true;
    uint64_t whole = check(&o, path);
    cr_expect_gt(whole, 4, "%" PRIu64 " chunks", whole);
    o.scattered = true; /* cut without having been encoded whole */
    cr_expect_gt(check(&o, path), 4);
    o.scattered = false;
    o.chunk_bytes = 9000000; /* ends within blocks, too */
    cr_expect_gt(check(&o, path), 4);
    o.blocks = 1;
    o.threads = 32;
    o.iterations = 900;
    cr_expect_gt(check(&o, path), 4);
}
