/* Where the cycles of sub-cores go: to issues, stalls and idleness, by the rule of replay/base/statistics.h. */
#include "replay/engines/staged/staged.h"

void staged_begin_launch(struct staged_sm *sm)
{
    for (unsigned s = 0; s < sm->subcores; s++) {
        sm->subcore[s].since = sm->chip->cycle;
        sm->subcore[s].last = NULL;
    }
}

void staged_charge_idle(struct staged_sm *sm)
{
    for (unsigned s = 0; s < sm->subcores; s++) {
        sm->chip->statistics->idle_cycles += sm->chip->cycle - sm->subcore[s].since;
        sm->subcore[s].since = sm->chip->cycle;
    }
}

void staged_charge_enter(struct staged_sm *sm, struct staged_subcore *c)
{
    if (c->resident++)
        return;
    sm->chip->statistics->idle_cycles += sm->chip->cycle - c->since;
    c->since = sm->chip->cycle;
}

void staged_charge_leave(struct staged_sm *sm, const struct staged_warp *w)
{
    struct staged_subcore *c = &sm->subcore[w->subcore];
    struct staged *g = sm->chip;
    if (--c->resident)
        return;
    uint64_t gap = g->cycle + 1 - c->since;
    g->statistics->stall[STALL_DRAIN] += gap;
    staged_report_drain(sm, w, gap);
    c->since = g->cycle + 1;
}

void staged_charge_issue(struct staged_sm *sm, struct staged_subcore *c, const struct inst *in, enum stall why,
                         enum response_level level)
{
    struct staged *g = sm->chip;
    uint64_t gap = g->cycle - c->since;
    c->since = g->cycle + 1;
    g->statistics->issue_cycles++;
    g->statistics->stall[why] += gap;
    if (why == STALL_UNIT)
        g->statistics->unit_stall[in->s->unit] += gap;
    staged_report_stall(sm, in, &(struct engine_stall){why, level, in->s->unit, gap});
}

/* Why the latch of this unit stays taken at the end of this cycle. */
static enum stall latch_reason(const struct staged_sm *sm, unsigned unit, unsigned subcore)
{
    if (sm->collected[unit][subcore])
        return sm->units[unit][subcore].refused == sm->cycle ? STALL_RESULT_BUS : STALL_UNIT;
    return staged_reads(sm, subcore) ? STALL_BANKS : STALL_COLLECTOR;
}

void staged_note_latches(struct staged_sm *sm, unsigned subcore)
{
    struct staged_subcore *c = &sm->subcore[subcore];
    for (uint64_t units = c->latched; units; units &= units - 1) {
        unsigned u = (unsigned)__builtin_ctzll(units);
        if (c->next[u] & c->open)
            c->why[u] = (uint8_t)latch_reason(sm, u, subcore);
    }
}
