/* What the tests of replay share. */
#ifndef REPRISE_TESTS_REPLAY_COMMON_H
#define REPRISE_TESTS_REPLAY_COMMON_H

#include "replay/session/replay.h"
#include "tests/support/warp_trace.h"

#define NO WARP_TRACE_NONE
#define OP(class, dst, a, b)                                                                                           \
    {                                                                                                                  \
        .unit_class = RP_CLASS_##class, .destination = dst, .source = { a, b, NO }                                     \
    }
#define ACCESS(in, writes, dst, apart, at)                                                                             \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_##in, .store = writes, .destination = dst,                    \
        .source = {NO, NO, NO}, .stride = apart, .address = at                                                         \
    }

/* A machine with settings as "key=value" strings, NULL-terminated. */
struct machine *test_machine(const char *name, const struct model_set *models, const char *const *settings);

/* One of many machines: settings drawn at random, those that change the way through the engines (equal.c). */
struct machine *random_machine(uint64_t seed);

/* The same with pipeline staged (staged.c). NULL: the values do not go together. */
struct machine *random_staged_machine(uint64_t seed);

/* The n-th of the built-in schedulers, modulo their number; `staged`: of all, else of those that need no pipeline that
 * steps in stages, as they neither observe who waits nor hear of L1. */
const char *scheduler_name(uint64_t n, bool staged);
size_t scheduler_count(bool staged);

/* A trace file of these warps in one block, opened; removed from disk at once. */
struct rp_trace *trace_of(const struct warp_program *warps, uint32_t count);

/* Replays on both engines, checks that they agree, and returns the statistics of all launches together. */
struct statistics both_engines(struct rp_trace *, const struct machine *);

/* The same for one block on orin-wcet with settings. RUN: a block of one warp. */
struct statistics run_block(const struct warp_program *warps, uint32_t count, const char *const *settings);
#define RUN(ops, ...)                                                                                                  \
    run_block(&(struct warp_program){ops, sizeof ops / sizeof *ops}, 1, (const char *const[]){__VA_ARGS__})

#endif
