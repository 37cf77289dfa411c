/* Instructions in flight: issued, and the memory system has not said yet when their accesses are complete. */
#include <stdlib.h>

#include "replay/engines/reference/reference.h"

uint32_t ref_take_off(struct reference *r, const struct ref_flight *flight)
{
    size_t i = 0;
    while (i < r->flight_count && r->flights[i].warp)
        i++;
    if (i == r->flight_count) {
        size_t count = r->flight_count ? 2 * r->flight_count : 64;
        struct ref_flight *flights = realloc(r->flights, count * sizeof *flights);
        if (!flights)
            return NO_FLIGHT;
        for (size_t f = i; f < count; f++)
            flights[f].warp = NULL;
        r->flights = flights;
        r->flight_count = count;
    }
    r->flights[i] = *flight;
    flight->warp->flights += !flight->starts;
    flight->warp->copies += flight->starts;
    return (uint32_t)i;
}

/* It is known now when the flight is performed for the block. */
static void put_in_order(struct ref_flight *f, uint64_t cycle)
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
    struct ref_flight *f = &r->flights[c->token];
    struct ref_warp *w = f->warp;
    uint64_t done = (c->cycle > f->known ? c->cycle : f->known) + f->latency;
    for (size_t i = 0; i < w->write_count; i++)
        if (w->writes[i].flight == c->token && w->writes[i].ready == UNKNOWN) {
            w->writes[i].ready = done;
            w->writes[i].level = c->level;
        }
    if (w->block->grid->of.control_words)
        ref_signal_known(w, f, response_of(done, c->level));
    put_in_order(f, done);
    w->completion = done > w->completion ? done : w->completion;
    if (f->starts) {
        w->copies--;
        async_known(w->block->async, &r->sms[w->sm].tells, w->block, w->number, f->name, done);
    } else {
        w->memory_done = done > w->memory_done ? done : w->memory_done;
        w->flights--;
    }
    struct engine_place at = ref_place(w);
    engine_report_done(r->job, &at, f->number, f->dispatched, done);
    f->warp = NULL;
}

/* What copies tell objects in this cycle. */
static bool tell(struct reference *r, struct ref_sm *sm)
{
    struct async_update t;
    while (async_due(&sm->tells, r->now, &t)) {
        struct ref_block *block = ref_updated_block(&t);
        if (block && async_update(block->async, &sm->tells, &t))
            ref_release_objects(r, block);
    }
    return !sm->tells.starved;
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
                put_in_order(&r->flights[c.token], c.cycle);
            else
                land(r, &c);
        if (!tell(r, &r->sms[s]))
            return rp_fail(err, RP_SYSTEM, "out of memory for asynchronous copies");
    }
    return !memory_system_failed(m) || rp_fail(err, RP_SYSTEM, "out of memory for requests to memory");
}
