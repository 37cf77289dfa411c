/* A replay as a trace for Perfetto. Tracks are described in the file when their first event comes. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/timeline/flights.h"
#include "tools/timeline/labels.h"
#include "tools/timeline/timeline.h"

/* The order of processes, and of the threads of each. */
enum { RANK_MACHINE, RANK_MEMORY, RANK_SMS };
enum { RANK_LAUNCHES, RANK_COPIES };
enum { RANK_L1, RANK_BLOCKS, RANK_SUBCORES };
enum { RANK_STALLS, RANK_UNITS }; /* below a sub-core */
enum { RANK_LEVELS, RANK_CHANNELS = RESPONSE_LEVELS };

struct subcore {
    uint32_t track, stalls, units[MACHINE_UNITS];
    uint64_t busy_from, busy_to; /* it has warps in these cycles; not written yet */
};

struct sm {
    uint32_t process, blocks, levels[RESPONSE_LEVELS];
};

struct bank {
    uint32_t track;
    bool open;
    uint64_t row, since;
};

struct channel {
    uint32_t track, bank_count;
    struct bank *banks;
};

/* A launch on the machine, and its track: the lowest that is free. */
struct resident {
    uint32_t track, launch;
    bool taken;
    uint64_t since;
};

struct tracks {
    const struct timeline_request *request;
    struct writer writer;
    struct perfetto out;
    struct flights flights;
    struct labels labels;
    struct sm *sms;
    struct subcore *subcores; /* of all SMs */
    struct channel *channels;
    struct resident *residents;
    uint32_t resident_count, process, launches, copies[COPY_PATHS], memory, levels[RESPONSE_LEVELS];
    /* labels */
    uint32_t busy, blocks, accesses[2][CACHE_ATOMIC + 1], commands[DRAM_REFRESH + 1], row_open, copy;
    uint32_t launch, block, sm, address, row, bytes; /* of arguments */
    uint64_t shown;                                  /* events within the window */
    bool starved;
};

static const char *const level_names[RESPONSE_LEVELS] = {"", "L1", "L2", "device memory"};

static bool shows(struct tracks *t, uint64_t begin, uint64_t end)
{
    bool shown = timeline_shows(&t->request->window, begin, end);
    t->shown += shown;
    return shown;
}

static bool wants(const struct tracks *t, unsigned tracks) { return t->request->tracks & tracks; }

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

#define NAME 40
static const char *with_number(const char *what, uint32_t number, char name[NAME])
{
    snprintf(name, NAME, "%s %" PRIu32, what, number);
    return name;
}

static uint32_t process(struct tracks *t, uint32_t *of, uint32_t rank, const char *name)
{
    if (!*of)
        *of = perfetto_process(&t->out, rank, name);
    return *of;
}

static uint32_t process_of_sm(struct tracks *t, uint32_t sm)
{
    return process(t, &t->sms[sm].process, RANK_SMS + sm, with_number("SM", sm, (char[NAME]){0}));
}

static uint32_t process_of_machine(struct tracks *t)
{
    return process(t, &t->process, RANK_MACHINE, t->request->machine->name);
}

static uint32_t process_of_memory(struct tracks *t) { return process(t, &t->memory, RANK_MEMORY, "memory"); }

static uint32_t thread(struct tracks *t, uint32_t *track, uint32_t of, uint32_t rank, const char *name)
{
    if (!*track)
        *track = perfetto_thread(&t->out, of, rank, name);
    return *track;
}

/* A track with its number, below another one. */
static uint32_t numbered(struct tracks *t, uint32_t *track, uint32_t parent, const char *what, uint32_t number)
{
    if (!*track)
        *track = perfetto_track(&t->out, parent, number, with_number(what, number, (char[NAME]){0}));
    return *track;
}

static uint32_t track_of_subcore(struct tracks *t, struct subcore *c)
{
    if (c->track)
        return c->track;
    uint32_t subcores = (uint32_t)t->request->machine->subcores, at = (uint32_t)(c - t->subcores);
    return thread(t, &c->track, process_of_sm(t, at / subcores), RANK_SUBCORES + at % subcores,
                  with_number("subcore", at % subcores, (char[NAME]){0}));
}

static uint32_t track_of_slot(struct tracks *t, struct flight_slot *s, uint32_t sm)
{
    if (s->track)
        return s->track;
    uint32_t blocks = thread(t, &t->sms[sm].blocks, process_of_sm(t, sm), RANK_BLOCKS, "blocks");
    return numbered(t, &s->track, blocks, "slot", (uint32_t)(s - t->flights.sms[sm].slots));
}

static void slice(struct tracks *t, uint32_t track, uint32_t label, uint64_t begin, uint64_t end)
{
    struct perfetto_open o = perfetto_open(&t->out, begin, track, label);
    perfetto_slice(&o, end - begin);
    perfetto_close(&t->out, &o);
}

/* ---- launches, blocks -------------------------------------------------------------------------------------------- */

static struct resident *resident_of(struct tracks *t, bool taken, uint32_t launch)
{
    for (uint32_t i = 0; i < t->resident_count; i++)
        if (t->residents[i].taken == taken && (!taken || t->residents[i].launch == launch))
            return &t->residents[i];
    struct resident *more = taken ? NULL : realloc(t->residents, (t->resident_count + 1) * sizeof *more);
    if (!more)
        return NULL;
    t->residents = more;
    more[t->resident_count] = (struct resident){0};
    return &more[t->resident_count++];
}

static void note_launch(void *data, const struct observed_launch *l)
{
    struct tracks *t = data;
    struct resident *r = resident_of(t, l->ends, l->launch);
    if (!r) {
        t->starved = true;
        return;
    }
    r->taken = !l->ends;
    if (!l->ends) {
        r->launch = l->launch;
        r->since = l->cycle;
    } else if (shows(t, r->since, l->cycle)) {
        uint32_t parent = thread(t, &t->launches, process_of_machine(t), RANK_LAUNCHES, "launches");
        uint32_t track = numbered(t, &r->track, parent, "at once", (uint32_t)(r - t->residents));
        slice(t, track, label_launch(&t->labels, l->launch), r->since, l->cycle);
    }
}

static void show_block(struct tracks *t, struct flight_slot *s, uint32_t sm, uint64_t end)
{
    uint32_t track = track_of_slot(t, s, sm), label = label_once(&t->labels, &t->blocks, "block");
    struct perfetto_open o = perfetto_open(&t->out, s->since, track, label);
    perfetto_annotate(&o, t->block, false, s->block);
    perfetto_annotate(&o, t->launch, false, s->launch);
    perfetto_slice(&o, end - s->since);
    perfetto_close(&t->out, &o);
}

static void note_block(void *data, const struct observed_block *b)
{
    struct tracks *t = data;
    if (!timeline_shows_block(&t->request->window, b->block))
        return;
    if (!b->leaves) {
        flights_place(&t->flights, b);
        return;
    }
    struct flight_slot *s = flights_find(&t->flights, b->sm, b->launch, b->block);
    if (!s)
        return;
    if (wants(t, TIMELINE_BLOCKS) && shows(t, s->since, b->cycle))
        show_block(t, s, b->sm, b->cycle);
    flights_leave(&t->flights, s);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static struct subcore *subcore_of(struct tracks *t, uint32_t sm, uint32_t subcore)
{
    return &t->subcores[sm * (uint32_t)t->request->machine->subcores + subcore];
}

static void show_busy(struct tracks *t, struct subcore *c)
{
    if (c->busy_from < c->busy_to && shows(t, c->busy_from, c->busy_to))
        slice(t, track_of_subcore(t, c), label_once(&t->labels, &t->busy, "busy"), c->busy_from, c->busy_to);
}

/* A sub-core that has warps issues or stalls in each cycle. */
static void add_busy(struct tracks *t, struct subcore *c, uint64_t begin, uint64_t end)
{
    if (c->busy_to != begin) {
        show_busy(t, c);
        c->busy_from = begin;
    }
    c->busy_to = end;
}

static void note_issue(void *data, const struct observed_issue *i)
{
    struct tracks *t = data;
    if (i->cycle > t->request->window.to_cycle || !timeline_shows_block(&t->request->window, i->block))
        return;
    if (wants(t, TIMELINE_SUBCORES) && !i->second)
        add_busy(t, subcore_of(t, i->sm, i->subcore), i->cycle, i->cycle + 1);
    if (wants(t, TIMELINE_WARPS | TIMELINE_UNITS))
        flights_issue(&t->flights, i);
}

/* Instructions of a warp that overlap are on tracks below one another: "warp 3", "warp 3 +1". */
static uint32_t track_of_row(struct tracks *t, struct flight_slot *s, uint32_t sm, uint32_t warp, uint32_t row)
{
    uint32_t *track = &s->warp[warp].rows[row].track;
    uint32_t known = *track;
    if (known)
        return known;
    char name[NAME];
    snprintf(name, sizeof name, row ? "warp %" PRIu32 " +%" PRIu32 : "warp %" PRIu32, warp, row);
    return *track = perfetto_track(&t->out, track_of_slot(t, s, sm), warp << 16 | row, name);
}

static uint32_t label_of(struct tracks *t, struct flight_slot *s, const struct flight *f)
{
    const uint32_t *known = s->labels;
    if (known && known[f->index])
        return known[f->index];
    uint32_t label = label_instruction(&t->labels, s->launch, f->index);
    s->labels = labels_of(&t->labels, s->launch);
    return label;
}

static void show_life(struct tracks *t, struct flight_slot *s, uint32_t sm, const struct flight *f, uint64_t end)
{
    uint32_t track = track_of_row(t, s, sm, f->warp, f->row);
    slice(t, track, label_of(t, s, f), f->issue, end);
}

static void show_dispatch(struct tracks *t, struct flight_slot *s, uint32_t sm, const struct flight *f,
                          uint64_t dispatch)
{
    struct subcore *c = subcore_of(t, sm, f->subcore);
    uint32_t *track = &c->units[f->unit];
    if (!*track)
        *track = perfetto_track(&t->out, track_of_subcore(t, c), RANK_UNITS + f->unit,
                                t->request->machine->unit_name[f->unit]);
    slice(t, *track, label_of(t, s, f), dispatch, dispatch + f->initiation);
}

static void note_done(void *data, const struct observed_done *d)
{
    struct tracks *t = data;
    struct flight_slot *s;
    const struct flight *f = flights_end(&t->flights, d, &s);
    if (!f)
        return;
    if (wants(t, TIMELINE_UNITS) && f->initiation && shows(t, d->dispatch, d->dispatch + f->initiation))
        show_dispatch(t, s, d->sm, f, d->dispatch);
    if (wants(t, TIMELINE_WARPS) && shows(t, f->issue, d->cycle))
        show_life(t, s, d->sm, f, d->cycle);
}

static void note_stall(void *data, const struct observed_stall *s)
{
    struct tracks *t = data;
    uint64_t end = s->begin + s->cycles;
    if (s->begin > t->request->window.to_cycle || !timeline_shows_block(&t->request->window, s->block))
        return;
    struct subcore *c = subcore_of(t, s->sm, s->subcore);
    add_busy(t, c, s->begin, end);
    if (!shows(t, s->begin, end))
        return;
    if (!c->stalls)
        c->stalls = perfetto_track(&t->out, track_of_subcore(t, c), RANK_STALLS, "stalls");
    slice(t, c->stalls, label_stall(&t->labels, s), s->begin, end);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void note_access(void *data, const struct observed_access *a)
{
    static const char *const names[2][CACHE_ATOMIC + 1] = {{"load", "store", "atomic"},
                                                           {"local load", "local store", "local atomic"}};
    struct tracks *t = data;
    if (!shows(t, a->cycle, a->cycle + 1))
        return;
    uint32_t *track = a->beyond ? &t->levels[a->level] : &t->sms[a->sm].levels[a->level];
    if (!*track)
        thread(t, track, a->beyond ? process_of_memory(t) : process_of_sm(t, a->sm),
               a->beyond ? RANK_LEVELS + a->level : RANK_L1, level_names[a->level]);
    uint32_t label = label_once(&t->labels, &t->accesses[a->local][a->kind], names[a->local][a->kind]);
    struct perfetto_open o = perfetto_open(&t->out, a->cycle, *track, label);
    perfetto_instant(&o);
    perfetto_annotate(&o, t->address, true, a->address);
    if (a->beyond)
        perfetto_annotate(&o, t->sm, false, a->sm);
    perfetto_close(&t->out, &o);
}

static uint32_t track_of_channel(struct tracks *t, uint32_t channel)
{
    uint32_t *track = &t->channels[channel].track;
    char name[NAME] = "";
    return *track
               ? *track
               : thread(t, track, process_of_memory(t), RANK_CHANNELS + channel, with_number("channel", channel, name));
}

static struct bank *bank_of(struct channel *c, uint32_t bank)
{
    if (bank >= c->bank_count) {
        struct bank *more = realloc(c->banks, (bank + 1) * sizeof *more);
        if (!more)
            return NULL;
        for (uint32_t b = c->bank_count; b <= bank; b++)
            more[b] = (struct bank){0};
        c->banks = more;
        c->bank_count = bank + 1;
    }
    return &c->banks[bank];
}

/* A row of the bank is open up to this cycle. */
static void show_row(struct tracks *t, uint32_t channel, struct bank *b, uint64_t end)
{
    if (b->open && shows(t, b->since, end)) {
        uint32_t track =
            numbered(t, &b->track, track_of_channel(t, channel), "bank", (uint32_t)(b - t->channels[channel].banks));
        struct perfetto_open o =
            perfetto_open(&t->out, b->since, track, label_once(&t->labels, &t->row_open, "row open"));
        perfetto_annotate(&o, t->row, false, b->row);
        perfetto_slice(&o, end - b->since);
        perfetto_close(&t->out, &o);
    }
    b->open = false;
}

static void note_rows(struct tracks *t, const struct observed_dram *d, struct bank *b)
{
    struct channel *c = &t->channels[d->channel];
    if (d->command == DRAM_ACTIVATE || d->command == DRAM_PRECHARGE)
        show_row(t, d->channel, b, d->cycle);
    for (uint32_t i = 0; d->command == DRAM_REFRESH && i < c->bank_count; i++)
        show_row(t, d->channel, &c->banks[i], d->cycle);
    if (d->command == DRAM_ACTIVATE) {
        b->open = true;
        b->since = d->cycle;
        b->row = d->row;
    }
}

static void note_dram(void *data, const struct observed_dram *d)
{
    static const char *const names[] = {"activate", "precharge", "read", "write", "refresh"};
    struct tracks *t = data;
    struct bank *b = bank_of(&t->channels[d->channel], d->bank);
    if (!b) {
        t->starved = true;
        return;
    }
    note_rows(t, d, b);
    if (!shows(t, d->cycle, d->cycle + 1))
        return;
    uint32_t track = track_of_channel(t, d->channel);
    if (d->command != DRAM_REFRESH)
        track = numbered(t, &b->track, track, "bank", d->bank);
    struct perfetto_open o =
        perfetto_open(&t->out, d->cycle, track, label_once(&t->labels, &t->commands[d->command], names[d->command]));
    perfetto_instant(&o);
    perfetto_close(&t->out, &o);
}

static void note_copy(void *data, const struct observed_copy *c)
{
    struct tracks *t = data;
    if (!shows(t, c->begin, c->end))
        return;
    uint32_t track =
        thread(t, &t->copies[c->path], process_of_machine(t), RANK_COPIES + c->path, copy_path_names[c->path]);
    struct perfetto_open o = perfetto_open(&t->out, c->begin, track, label_once(&t->labels, &t->copy, "copy"));
    perfetto_annotate(&o, t->bytes, false, c->bytes);
    perfetto_slice(&o, c->end - c->begin);
    perfetto_close(&t->out, &o);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool open_tracks(struct tracks *t, const struct timeline_request *r, FILE *to, struct rp_error *err)
{
    const struct machine *m = r->machine;
    t->request = r;
    if (!writer_open(&t->writer, to, err))
        return false;
    perfetto_begin(&t->out, &t->writer);
    t->launch = perfetto_argument(&t->out, "launch");
    t->block = perfetto_argument(&t->out, "block");
    t->sm = perfetto_argument(&t->out, "SM");
    t->address = perfetto_argument(&t->out, "address");
    t->row = perfetto_argument(&t->out, "row");
    t->bytes = perfetto_argument(&t->out, "bytes");
    t->sms = calloc((size_t)m->sms, sizeof *t->sms);
    t->subcores = calloc((size_t)(m->sms * m->subcores), sizeof *t->subcores);
    t->channels = calloc((size_t)m->dram_channels + 1, sizeof *t->channels);
    if (!t->sms || !t->subcores || !t->channels)
        return rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
    return labels_open(&t->labels, &t->out, r->trace, m, err) && flights_open(&t->flights, r->trace, m, true, err);
}

static void close_tracks(struct tracks *t)
{
    for (int64_t c = 0; t->channels && c < t->request->machine->dram_channels; c++)
        free(t->channels[c].banks);
    free(t->channels);
    free(t->subcores);
    free(t->sms);
    free(t->residents);
    labels_close(&t->labels);
    flights_close(&t->flights);
    writer_close(&t->writer);
    free(t);
}

/* What is still going on when the replay ends. */
static void show_rest(struct tracks *t, uint64_t end)
{
    const struct machine *m = t->request->machine;
    for (int64_t c = 0; c < m->sms * m->subcores; c++)
        show_busy(t, &t->subcores[c]);
    for (uint32_t c = 0; c < (uint32_t)m->dram_channels; c++)
        for (uint32_t b = 0; b < t->channels[c].bank_count; b++)
            show_row(t, c, &t->channels[c].banks[b], end);
}

static struct observer observer_of(struct tracks *t)
{
    struct observer o = {.data = t};
    unsigned events = 0, tracks = t->request->tracks;
#define X(id, name, needs) events |= tracks & TIMELINE_##id ? needs : 0u;
    TIMELINE_TRACKS(X)
#undef X
#define X(id, member, text) o.member = events & OBSERVE_##id ? note_##member : NULL;
    OBSERVER_EVENTS(X)
#undef X
    return o;
}

bool timeline_perfetto(const struct timeline_request *r, FILE *to, struct timeline_result *out, struct rp_error *err)
{
    struct tracks *t = calloc(1, sizeof *t);
    if (!t)
        return rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
    bool fine = open_tracks(t, r, to, err);
    const struct observer o = observer_of(t);
    fine = fine && timeline_replay(r, &o, out, err);
    if (fine) {
        show_rest(t, out->cycles);
        out->events = t->out.events;
        fine = timeline_check(r, out, t->shown, err);
    }
    if (fine && (t->starved || t->flights.starved || t->labels.starved))
        fine = rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
    close_tracks(t);
    return fine;
}
