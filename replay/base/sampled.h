/* What an instruction asks of a memory that draws (hw-models/memory/memory.h), the same for all engines.
 *
 * Each memory operand of which a lane takes part makes one access, in the space that its lowest lane reaches. Global
 * memory, textures and surfaces draw as global; local memory does as local, and so does shared memory unless it has a
 * model of its own. Constants and parameters draw nothing. An access is a load (prefetches, too) or a store; an atomic
 * is a load and then a store. The draws of a warp are numbered in the order of its instructions. An access is served at
 * dispatch + the cost of its level, an atomic at dispatch + both costs.
 */
#ifndef REPRISE_REPLAY_BASE_SAMPLED_H
#define REPRISE_REPLAY_BASE_SAMPLED_H

#include "hw-models/memory/memory.h"
#include "replay/base/response.h"
#include "replay/base/trace_semantics.h"

/* Who draws, in which replay. */
struct luck {
    uint64_t seed;
    uint32_t batch;
};

/* A warp's place in its stream. */
struct warp_luck {
    uint64_t stream, number; /* of the next draw */
};

enum draw_path { DRAW_NOTHING, DRAW_LEVEL, DRAW_SHARED /* ask the part `shared` instead */ };

/* An access of one operand. */
struct draw_request {
    bool shared;         /* reaches shared memory */
    uint8_t path, draws; /* draws: 1, or 2 for atomics */
    uint8_t kind[2];     /* enum draw_kind of each */
    uint32_t transactions;
};

static inline bool machine_draws(const struct machine *m)
{
    return ((const struct memory_model *)m->memory.model)->drawn;
}

/* The machine that memory.from names, for the probabilities; "": none. As long as the machine lives. */
const char *machine_draws_from(const struct machine *);

/* Makes the request of operand `i` of the step, which a lane executes. *address: of the lanes, in their space; filled
 * in with DRAW_SHARED only. */
void draw_request_of(const struct stochastic *, const struct machine *, const struct rp_launch *,
                     const struct rp_kernel *, const struct rp_step *, uint32_t i, struct draw_request *,
                     uint64_t address[RP_WARP_LANES]);

/* The slowest level of so many draws. */
static inline unsigned drawn_level(const struct stochastic *s, unsigned kind, uint32_t transactions, uint64_t stream,
                                   uint64_t number)
{
    unsigned level = stochastic_level(s, kind, luck_draw(stream, number, 0));
    for (uint32_t t = 1; t < transactions; t++) {
        unsigned next = stochastic_level(s, kind, luck_draw(stream, number, t));
        level = s->cost[next] > s->cost[level] ? next : level;
    }
    return level;
}

static inline void count_drawn(struct statistics *to, const struct stochastic *s, unsigned level, uint64_t times)
{
    uint64_t *const counts[] = {&to->drawn_l1, &to->drawn_l2, &to->drawn_dram}, *const cycles[] = {
                                                                                    &to->drawn_l1_cycles,
                                                                                    &to->drawn_l2_cycles,
                                                                                    &to->drawn_dram_cycles};
    *counts[level] += times;
    *cycles[level] += times * s->cost[level];
}

/* Where the transactions of a request are counted. */
static inline uint64_t *drawn_counter(struct statistics *s, const struct draw_request *r,
                                      const struct rp_memory_operand *o)
{
    return r->shared ? shared_counter(s, o) : global_counter(s, o);
}

/* Carries a request with DRAW_LEVEL out: the answer, its cycles from dispatch. An atomic's is from the deeper level. */
static inline uint64_t drawn_answer(const struct stochastic *s, const struct draw_request *r, struct warp_luck *w,
                                    struct statistics *count)
{
    uint64_t cycles = 0;
    unsigned deepest = LEVEL_L1;
    for (unsigned d = 0; d < r->draws; d++) {
        unsigned level = drawn_level(s, r->kind[d], r->transactions, w->stream, w->number++);
        count_drawn(count, s, level, 1);
        cycles += s->cost[level];
        deepest = level > deepest ? level : deepest;
    }
    return answer_of(cycles, ANSWER_L1 + deepest);
}

/* A machine like `m` in which what chance there is besides memory belongs to this batch: the seeds of its options. */
void machine_of_batch(const struct machine *m, const struct luck *, struct machine *out);
/* Whether some part of the machine goes by the seed. */
bool machine_has_chance(const struct machine *);
/* Whether none does, or all that it draws is certain. */
bool machine_is_certain(const struct machine *);

#endif
