/* Instructions in flight: they have issued, and the memory system has not yet reported when their accesses are
 * complete. */
#include <stdlib.h>

#include "replay/engines/reference/reference.h"

uint32_t ref_put_in_flight(struct reference *r, const struct ref_in_flight *added)
{
    size_t i = 0;
    while (i < r->in_flight_room && r->in_flight[i].warp)
        i++;
    if (i == r->in_flight_room) {
        size_t count = r->in_flight_room ? 2 * r->in_flight_room : 64;
        struct ref_in_flight *in_flight = realloc(r->in_flight, count * sizeof *in_flight);
        if (!in_flight)
            return NO_TOKEN;
        for (size_t f = i; f < count; f++)
            in_flight[f].warp = NULL;
        r->in_flight = in_flight;
        r->in_flight_room = count;
    }
    r->in_flight[i] = *added;
    added->warp->in_flight += !added->starts;
    added->warp->copies += added->starts;
    return (uint32_t)i;
}

/* The cycle in which the instruction is performed for the block is known now. */
static void put_in_order(struct ref_in_flight *f, uint64_t cycle)
{
    struct ref_warp *w = f->warp;
    if (!f->unordered)
        return;
    f->unordered = false;
    w->unordered--;
    w->ordered = cycle > w->ordered ? cycle : w->ordered;
}

static void land(struct reference *r, const struct memory_completion *c)
{
    struct ref_in_flight *f = &r->in_flight[c->token];
    struct ref_warp *w = f->warp;
    uint64_t done = (c->cycle > f->known ? c->cycle : f->known) + f->latency;
    for (size_t i = 0; i < w->write_count; i++)
        if (w->writes[i].token == c->token && w->writes[i].ready == UNKNOWN) {
            w->writes[i].ready = done;
            w->writes[i].level = c->level;
        }
    if (w->block->grid->of.control_words)
        ref_signal_known(w, f, response_of(done, c->level));
    put_in_order(f, done);
    w->completion = done > w->completion ? done : w->completion;
    if (f->starts) {
        w->copies--;
        async_known(w->block->async, &r->sms[w->sm].updates, w->block, w->number, f->name, done);
    } else {
        w->memory_done = done > w->memory_done ? done : w->memory_done;
        w->in_flight--;
    }
    struct engine_location at = ref_location(w);
    engine_report_done(r->job, &at, f->number, f->dispatched, done);
    f->warp = NULL;
}

/* Applies the updates of barrier objects that are due in this cycle. */
static bool apply_updates(struct reference *r, struct ref_sm *sm)
{
    struct async_update t;
    while (async_due(&sm->updates, r->now, &t)) {
        struct ref_block *block = ref_updated_block(&t);
        if (block && async_update(block->async, &sm->updates, &t))
            ref_release_objects(r, block);
    }
    return !sm->updates.out_of_memory;
}

bool ref_memory_cycle(struct reference *r, struct rp_error *err)
{
    struct memory_system *m = r->job->memory;
    for (unsigned s = 0; s < r->machine->sms; s++)
        sm_memory_advance(memory_system_sm(m, s), r->now);
    memory_system_advance(m, r->now);
    for (unsigned s = 0; s < r->machine->sms; s++) {
        struct sm_memory *sm = memory_system_sm(m, s);
        struct memory_completion c;
        if (sm_memory_replied(sm))
            sm_memory_advance(sm, r->now);
        while (sm_memory_completed(sm, &c))
            if (c.taken)
                put_in_order(&r->in_flight[c.token], c.cycle);
            else
                land(r, &c);
        if (!apply_updates(r, &r->sms[s]))
            return rp_fail(err, RP_SYSTEM, "out of memory for asynchronous copies");
    }
    return !memory_system_failed(m) || rp_fail(err, RP_SYSTEM, "out of memory for requests to memory");
}
