#include "tools/timeline/flights.h"
#include "tools/timeline/konata_log.h"
#include "tools/timeline/timeline.h"

#include <inttypes.h>

struct konata {
    const struct timeline_request *request;
    struct flights flights;
    struct lives lives;
    struct writer writer;
    struct konata_log log;
    uint64_t subcores; /* of an SM */
    bool too_long;
};

static void note_issue(void *data, const struct observed_issue *i)
{
    struct konata *k = data;
    if (i->cycle > k->request->window.to_cycle)
        return;
    flights_issue(&k->flights, i);
    if (k->flights.last_slot)
        lives_begin(&k->lives, i->cycle);
}

static void note_done(void *data, const struct observed_done *d)
{
    struct konata *k = data;
    struct flight_slot *s;
    const struct flight *f = flights_end(&k->flights, d, &s);
    if (!f)
        return;
    bool too_long = d->cycle - f->issue > UINT32_MAX;
    k->too_long |= too_long;
    if (too_long || !timeline_shows(&k->request->window, f->issue, d->cycle)) {
        lives_drop(&k->lives, f->issue);
        return;
    }
    struct life *life = lives_add(&k->lives, f->issue);
    if (!life)
        return;
    life->issue = life_issue(&k->lives, f->issue, d->sm * k->subcores + f->subcore, f->second);
    life->warp = d->block * s->warps + d->warp;
    life->dispatch = (uint32_t)(d->dispatch - f->issue);
    life->done = (uint32_t)(d->cycle - f->issue);
    life->launch = d->launch;
    life->index = f->index;
}

/* What is in flight when a block has left never ends. */
static void leave(struct konata *k, struct flight_slot *s)
{
    if (k->flights.last_slot == s)
        lives_drop(&k->lives, k->flights.last.issue);
    for (uint32_t w = 0; w < s->warps; w++)
        for (uint32_t i = 0; i < s->warp[w].count; i++)
            lives_drop(&k->lives, s->warp[w].list[i].issue);
    flights_leave(&k->flights, s);
}

static void note_block(void *data, const struct observed_block *b)
{
    struct konata *k = data;
    if (!b->leaves && timeline_shows_block(&k->request->window, b->block))
        flights_place(&k->flights, b);
    struct flight_slot *s = b->leaves ? flights_find(&k->flights, b->sm, b->launch, b->block) : NULL;
    if (s)
        leave(k, s);
}

static bool whole(const struct konata *k, struct rp_error *err)
{
    const char *trace = rp_trace_path(k->request->trace);
    if (k->too_long)
        return rp_fail(err, RP_USAGE,
                       "%s: an instruction in this window takes more than %" PRIu32
                       " cycles, which is too much for Konata; show less with --launch, --blocks or --cycles",
                       trace, UINT32_MAX);
    if (k->lives.out_of_turn)
        return rp_fail(err, RP_SYSTEM, "%s: the engine reports instructions too late for Konata", trace);
    return !(k->flights.starved || k->lives.starved || k->log.starved) ||
           rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

static bool open_konata(struct konata *k, FILE *to, struct rp_error *err)
{
    const struct machine *m = k->request->machine;
    bool log = konata_log_open(&k->log, k->request, &k->writer);
    bool lives = lives_open(&k->lives, (uint64_t)(m->sms * m->subcores), konata_log_part, &k->log);
    return (log && lives)
               ? flights_open(&k->flights, k->request->trace, m, false, err) && writer_open(&k->writer, to, err)
               : rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

bool timeline_konata(const struct timeline_request *r, FILE *to, struct timeline_result *out, struct rp_error *err)
{
    struct konata k = {.request = r, .subcores = (uint64_t)r->machine->subcores};
    const struct observer o = {
        .data = &k, .most_ahead = LIVES_AHEAD, .block = note_block, .issue = note_issue, .done = note_done};
    bool fine = open_konata(&k, to, err) && timeline_replay(r, &o, out, err);
    if (fine) {
        lives_finish(&k.lives);
        out->events = k.lives.count;
        fine = whole(&k, err) && timeline_check(r, out, k.lives.count, err);
    }
    lives_close(&k.lives);
    flights_close(&k.flights);
    konata_log_close(&k.log);
    writer_close(&k.writer);
    return fine;
}
