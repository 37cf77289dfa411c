/* What the tests of the bounds share: machines from text, traces by hand, replay of a block. */
#ifndef REPRISE_TESTS_WCET_COMMON_H
#define REPRISE_TESTS_WCET_COMMON_H

#include "replay/session/replay.h"
#include "tests/support/warp_trace.h"
#include "tools/wcet/analysis.h"

#define ALL_EXTENSIONS ((1u << WCET_EXTENSION_COUNT) - 1)

/* Registers named r0.. */
#define OP(class, dst, ...)                                                                                            \
    {                                                                                                                  \
        .unit_class = RP_CLASS_##class, .destination = dst, .source = { __VA_ARGS__ }                                  \
    }
#define NO -1

/* All end the test on failure. */
struct machine *orin(const struct machine_setting *, size_t count);
struct rp_trace *trace_of(const struct warp_program *, uint32_t warps);
struct rp_trace *trace_of_blocks(const struct warp_program *, uint32_t warps, uint32_t blocks);
uint64_t replayed(struct rp_trace *, const struct machine *, enum replay_engine);
struct wcet_bounds bounds_of(struct rp_trace *, const struct machine *, unsigned extensions);

/* Where Lemma 7 of the paper fails: docs/wcet-proofs.md, section "Why the published bound is mended". In isolation the
 * initiations of W's first and third instruction overlap. Beside w they do not: w keeps FU1, for which W's second
 * instruction waits, while W's first one holds w up; then W's third one does so again. */
extern const struct warp_program counterexample[2];
/* Its machine, with up to four settings more. */
struct machine *counterexample_machine(const struct machine_setting *, size_t count);

#endif
