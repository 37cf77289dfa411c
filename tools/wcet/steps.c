#include "tools/wcet/steps.h"

bool wcet_steps_open(struct wcet_steps *s, struct rp_block *block, const struct rp_launch *launch, uint32_t warp,
                     struct rp_error *err)
{
    *s = (struct wcet_steps){.arrival = arrival_begin(launch, warp)};
    return rp_cursor_open(&s->cursor, block, warp, err);
}

void wcet_steps_close(struct wcet_steps *s) { rp_cursor_close(&s->cursor); }

int wcet_steps_next(struct wcet_steps *s, struct rp_step *step, struct rp_error *err)
{
    int more = s->ahead ? s->more : rp_cursor_next(&s->cursor, step, err);
    if (s->ahead)
        *step = s->next;
    s->ahead = false;
    if (more > 0 && step->instruction->flags & RP_EXIT)
        s->arrival.live &= ~step->executed;
    return more;
}

bool wcet_steps_wait(struct wcet_steps *s, const struct rp_step *step, struct rp_error *err)
{
    if (!step->executed || !is_block_barrier(step->instruction) || !waits_at_barrier(step->instruction))
        return false;
    bool partial = arrival_gather(&s->arrival, step);
    if (partial) {
        s->ahead = true;
        s->more = rp_cursor_next(&s->cursor, &s->next, err);
        partial = s->more > 0 && arrival_goes_on(&s->arrival, &s->next);
    }
    if (!partial)
        s->arrival.gathered = 0;
    return !partial;
}
