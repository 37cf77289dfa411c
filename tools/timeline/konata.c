#include "tools/timeline/flights.h"
#include "tools/timeline/konata_log.h"
#include "tools/timeline/timeline.h"

#include <inttypes.h>

_Static_assert(KONATA_MOST <= LIVES_MOST, "lives have numbers");

struct konata {
    const struct timeline_request *request;
    struct flights flights;
    struct lives lives;
    uint64_t subcores; /* of an SM */
    bool too_many, too_long;
};

static void note_issue(void *data, const struct observed_issue *i)
{
    struct konata *k = data;
    if (i->cycle <= k->request->window.to_cycle)
        flights_issue(&k->flights, i);
}

static void note_done(void *data, const struct observed_done *d)
{
    struct konata *k = data;
    struct flight_slot *s;
    const struct flight *f = flights_end(&k->flights, d, &s);
    if (!f || !timeline_shows(&k->request->window, f->issue, d->cycle))
        return;
    if (k->lives.count == KONATA_MOST || d->cycle - f->issue > UINT32_MAX) {
        k->too_many |= k->lives.count == KONATA_MOST;
        k->too_long |= d->cycle - f->issue > UINT32_MAX;
        return;
    }
    struct life *l = &k->lives.list[k->lives.count++];
    l->issue = life_issue(&k->lives, f->issue, d->sm * k->subcores + f->subcore);
    l->warp = d->block * s->warps + d->warp;
    l->dispatch = (uint32_t)(d->dispatch - f->issue);
    l->done = (uint32_t)(d->cycle - f->issue);
    l->launch = d->launch;
    l->index = f->index & INT32_MAX;
}

static void note_block(void *data, const struct observed_block *b)
{
    struct konata *k = data;
    if (!b->leaves && timeline_shows_block(&k->request->window, b->block))
        flights_place(&k->flights, b);
    struct flight_slot *s = b->leaves ? flights_find(&k->flights, b->sm, b->launch, b->block) : NULL;
    if (s)
        flights_leave(&k->flights, s);
}

static bool whole(const struct konata *k, struct rp_error *err)
{
    const char *trace = rp_trace_path(k->request->trace);
    if (k->too_many)
        return rp_fail(err, RP_USAGE,
                       "%s: more than %" PRIu32 " instructions in this window, which is too much for Konata; show less "
                       "with --launch, --blocks or --cycles",
                       trace, KONATA_MOST);
    if (k->too_long)
        return rp_fail(err, RP_USAGE,
                       "%s: an instruction in this window takes more than %" PRIu32
                       " cycles, which is too much for Konata; show less with --launch, --blocks or --cycles",
                       trace, UINT32_MAX);
    return !k->flights.starved || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

bool timeline_konata(const struct timeline_request *r, FILE *to, struct timeline_result *out, struct rp_error *err)
{
    const struct machine *m = r->machine;
    struct konata k = {.request = r, .subcores = (uint64_t)m->subcores};
    const struct observer o = {.data = &k, .block = note_block, .issue = note_issue, .done = note_done};
    bool fine = lives_open(&k.lives, (uint64_t)(m->sms * m->subcores), err) &&
                flights_open(&k.flights, r->trace, m, err) && timeline_replay(r, &o, out, err) && whole(&k, err) &&
                timeline_check(r, out, k.lives.count, err) && lives_order(&k.lives, err) &&
                konata_log_write(r, &k.lives, to, err);
    out->events = k.lives.count;
    lives_close(&k.lives);
    flights_close(&k.flights);
    return fine;
}
