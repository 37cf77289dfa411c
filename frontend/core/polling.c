/* Where turns end in programs that poll: engine.h, "turns of programs that poll". */
#include <string.h>

#include "frontend/core/engine.h"
#include "frontend/core/operands.h"
#include "frontend/core/slice.h"
#include "frontend/operation/flags.h"

/* ---- which uops -------------------------------------------------------------------------------------------------- */

static bool seen_by_others(const struct rp_memory_operand *m)
{
    return m->space == RP_SPACE_GLOBAL || m->space == RP_SPACE_SHARED || m->space == RP_SPACE_GENERIC;
}

/* Whether it is a read whose result decides how its loop goes on. */
static bool is_poll(const struct uop *u, const struct rp_memory_operand *m)
{
    bool reads = m->kind == RP_ACCESS_ATOMIC || (m->kind == RP_ACCESS_LOAD && m->order != RP_ORDER_WEAK);
    return reads && u->flags & UF_SLICE && is_register(u->d);
}

static bool is_publication(const struct rp_memory_operand *m)
{
    return (m->kind == RP_ACCESS_STORE && m->order != RP_ORDER_WEAK) || m->atomic == RP_ATOMIC_EXCH;
}

void polling_mark(struct program *p)
{
    for (uint32_t i = 0; p->polls && i + 1 < p->uop_count; i++) {
        struct uop *u = &p->uops[i];
        bool whole = u->flags & UF_FIRST && u[1].flags & UF_FIRST; /* the uop is its whole instruction */
        if (u->kind != UOP_MEMORY || !whole || !p->slice->part_of[i] || !seen_by_others(&u->memory->operand))
            continue;
        bool publishes = is_publication(&u->memory->operand);
        if (publishes || is_poll(u, &u->memory->operand))
            u->kind = UOP_STRONG;
        p->publishes |= publishes;
    }
}

/* ---- polls in vain ----------------------------------------------------------------------------------------------- */

static uint64_t element(const struct warp_state *s, struct operand o, uint32_t bytes, unsigned lane)
{
    uint64_t value = 0;
    if (is_register(o))
        memcpy(&value, (const uint8_t *)operand_at(&s->w, o) + (size_t)lane * bytes, bytes);
    return value;
}

/* A hash of what a lane has read, and at which address. */
static uint64_t poll_result(const struct warp_state *s, const struct uop *u, unsigned lane)
{
    const struct operation *o = &s->w.block->program->operations[u - s->w.block->program->uops];
    uint32_t bytes = operation_width(o) / RP_WARP_LANES;
    uint64_t at = element(s, u->a, u->stype && lane_type_bits((enum lane_type)u->stype) == 32 ? 4 : 8, lane);
    uint64_t value = element(s, u->d, bytes < sizeof value ? bytes : sizeof value, lane);
    return ((at ^ (uintptr_t)u) * 0x9e3779b97f4a7c15ull ^ value) * 0xbf58476d1ce4e5b9ull;
}

static void note_results(struct warp_state *s, const struct uop *u, lanemask m)
{
    struct poll *k = &s->poll;
    lanemask same = m & k->known;
    FOR_LANES(l, m)
    {
        uint64_t now = poll_result(s, u, l);
        same &= ~((lanemask)(now != k->last[l]) << l);
        k->last[l] = now;
    }
    if (k->changes != s->w.block->changes)
        same = 0;
    k->changes = s->w.block->changes;
    k->known |= m;
    k->vain &= same | ~m;
    k->in_vain = same != m ? 0 : k->in_vain < POLLS_IN_VAIN ? k->in_vain + 1 : POLLS_IN_VAIN;
    if (k->in_vain == POLLS_IN_VAIN)
        k->vain |= m;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

void polling_start(struct warp_state *s) { s->poll = (struct poll){.publish_at = UINT64_MAX}; }

/* The number of publications to skip in turn `turn` of the cycle; -1: all. */
static int passed_over(uint32_t turn)
{
    uint32_t round = turn % POLLING_ROUNDS, time = turn / (4 * POLLING_ROUNDS);
    if (turn / (2 * POLLING_ROUNDS) % 2 == 0)
        return -1;
    return round == time % POLLING_ROUNDS ? (int)(time / POLLING_ROUNDS) : 0;
}

void polling_turn(struct warp_state *s)
{
    struct poll *k = &s->poll;
    k->changes = s->w.block->changes;
    k->publish_at = UINT64_MAX;
    if (!s->w.block->program->publishes)
        return;
    uint32_t turn = k->turn;
    k->turn = turn + 1 < POLLING_TURNS_FIRST + POLLING_CYCLE ? turn + 1 : POLLING_TURNS_FIRST;
    int skip = turn < POLLING_TURNS_FIRST ? -1 : passed_over(turn - POLLING_TURNS_FIRST);
    if (skip < 0)
        return;
    k->skip = (uint32_t)skip;
    k->publish_at = s->w.clock + (s->independent ? 0 : (s->turn_end - s->w.clock) / 2);
}

bool polling_ends(struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct poll *k = &s->poll;
    if (!is_publication(&u->memory->operand)) {
        s->vain.rounds = s->vain.tests = s->vain.failed = 0;
        if (s->independent)
            note_results(s, u, executed);
        return s->independent && !(executed & ~k->vain);
    }
    uint64_t now = s->w.clock + (u->index + 1 - s->run_start);
    return now >= k->publish_at && k->skip-- == 0;
}

bool polling_stuck(const struct warp_state *s)
{
    lanemask ready = s->w.active;
    for (uint32_t i = 0; i < s->split_count; i++)
        ready |= s->splits[i].waits == WAIT_NONE ? s->splits[i].lanes : 0;
    return !(ready & ~s->poll.vain);
}

const struct uop *polling_hand_over(struct warp_state *s, const struct uop *at)
{
    s->poll.in_vain = 0;
    s->pc = at + 1;
    if (!is_publication(&at->memory->operand))
        return split_spins(s, at + 1);
    split_give_way(s, at + 1);
    return NULL;
}
