/* Sampled memory latencies (hw-models/memory/memory.h): which samples an instruction takes, the same for all engines.
 *
 * Each memory operand with at least one active lane makes one access, in the space that its lowest lane accesses.
 * Global memory, textures and surfaces are sampled as global; local memory is sampled as local, and so is shared memory
 * unless it has a model of its own. Constants and parameters take no samples. An access is a load (prefetches included)
 * or a store; an atomic is a load and then a store. The samples of a warp are numbered in the order of its
 * instructions. The response to an access comes at dispatch + the cost of its level, to an atomic at dispatch + both
 * costs.
 */
#ifndef REPRISE_REPLAY_BASE_SAMPLED_H
#define REPRISE_REPLAY_BASE_SAMPLED_H

#include "hw-models/memory/memory.h"
#include "replay/base/response.h"
#include "replay/base/trace_semantics.h"

/* The random streams of a replay: one for each seed and batch. */
struct random_source {
    uint64_t seed;
    uint32_t batch;
};

/* The position of a warp in its random stream. */
struct warp_stream {
    uint64_t stream, number; /* of the next sample */
};

enum sample_path { NOT_TIMED, TIMED_BY_SAMPLE, TIMED_BY_SHARED /* by the part `shared` */ };

/* An access of one operand. */
struct sampled_access {
    bool shared;           /* accesses shared memory */
    uint8_t path, samples; /* samples: 2 for atomics, else 1 */
    uint8_t kind[2];       /* enum sample_kind of each sample */
    uint32_t transactions;
};

static inline bool machine_samples(const struct machine *m)
{
    return ((const struct memory_model *)m->memory.model)->sampled;
}

/* The name of the machine whose probabilities memory.from takes; "": none. Lives as long as the machine. */
const char *machine_samples_from(const struct machine *);

/* Describes the access of operand `i`, of a step that some lane executes. With TIMED_BY_SHARED `address` gets the
 * addresses of the lanes in their space. */
void sampled_access_of(const struct stochastic *, const struct machine *, const struct rp_launch *,
                       const struct rp_kernel *, const struct rp_step *, uint32_t i, struct sampled_access *,
                       uint64_t address[RP_WARP_LANES]);

/* The slowest of the levels sampled for the transactions of an access. */
static inline unsigned sampled_level(const struct stochastic *s, unsigned kind, uint32_t transactions, uint64_t stream,
                                     uint64_t number)
{
    unsigned level = stochastic_level(s, kind, random_number(stream, number, 0));
    for (uint32_t t = 1; t < transactions; t++) {
        unsigned next = stochastic_level(s, kind, random_number(stream, number, t));
        level = s->cost[next] > s->cost[level] ? next : level;
    }
    return level;
}

static inline void count_sampled(struct statistics *to, const struct stochastic *s, unsigned level, uint64_t times)
{
    uint64_t *const counts[] = {&to->sampled_l1, &to->sampled_l2, &to->sampled_dram}, *const cycles[] = {
                                                                                          &to->sampled_l1_cycles,
                                                                                          &to->sampled_l2_cycles,
                                                                                          &to->sampled_dram_cycles};
    *counts[level] += times;
    *cycles[level] += times * s->cost[level];
}

/* The counter for the transactions of the access. */
static inline uint64_t *sampled_counter(struct statistics *s, const struct sampled_access *r,
                                        const struct rp_memory_operand *o)
{
    return r->shared ? shared_counter(s, o) : global_counter(s, o);
}

/* Takes the samples of an access with TIMED_BY_SAMPLE. Returns the response (replay/base/response.h), its cycle counted
 * from dispatch; that of an atomic names the deeper of its two levels. */
static inline uint64_t sampled_response(const struct stochastic *s, const struct sampled_access *r,
                                        struct warp_stream *w, struct statistics *count)
{
    uint64_t cycles = 0;
    unsigned deepest = LEVEL_L1;
    for (unsigned d = 0; d < r->samples; d++) {
        unsigned level = sampled_level(s, r->kind[d], r->transactions, w->stream, w->number++);
        count_sampled(count, s, level, 1);
        cycles += s->cost[level];
        deepest = level > deepest ? level : deepest;
    }
    return response_of(cycles, RESPONSE_L1 + deepest);
}

/* Copies the machine with the seeds of this batch in its options, for random parts besides memory, such as a scheduler.
 */
void machine_of_batch(const struct machine *m, const struct random_source *, struct machine *out);
/* Whether some part of the machine depends on the seed. */
bool machine_has_chance(const struct machine *);
/* Whether all results are certain: no part depends on the seed, or each sample has one possible level. */
bool machine_is_certain(const struct machine *);

#endif
