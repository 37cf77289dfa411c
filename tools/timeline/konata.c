/* The lives of instructions in Kanata's log format 0004, for the viewer Konata (docs/kanata-log-format.md in its
 * repository): stages "Is" from the issue on, where the unit takes the instruction later, and "X" from its dispatch on,
 * up to the first cycle in which its result can be used. A thread is a warp. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/names.h"
#include "tools/timeline/flights.h"
#include "tools/timeline/timeline.h"

/* An instruction; cycles are as in struct observed_issue and observed_done. */
struct life {
    uint64_t issue, dispatch, done, block;
    uint32_t launch, warp, index;
    uint16_t sm, subcore;
};

struct konata {
    const struct timeline_request *request;
    struct flights flights;
    struct life *lives;
    uint32_t count, room;
    bool starved, too_many;
};

/* ---- gathering --------------------------------------------------------------------------------------------------- */

static bool has_room(struct konata *k)
{
    if (k->count < k->room)
        return true;
    if (k->count == KONATA_MOST) {
        k->too_many = true;
        return false;
    }
    uint32_t room = k->room ? 2 * k->room : 4096;
    struct life *more = realloc(k->lives, room * sizeof *more);
    k->starved |= !more;
    k->lives = more ? more : k->lives;
    k->room = more ? room : k->room;
    return more;
}

/* Notes the life, if the window shows it. */
static void note_life(struct konata *k, const struct life *l)
{
    if (timeline_shows(&k->request->window, l->issue, l->done) && has_room(k))
        k->lives[k->count++] = *l;
}

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
    struct flight f;
    if (flights_end(&k->flights, d, &s, &f))
        note_life(k, &(struct life){.issue = f.issue,
                                    .dispatch = d->dispatch,
                                    .done = d->cycle,
                                    .block = d->block,
                                    .launch = d->launch,
                                    .warp = d->warp,
                                    .index = f.index,
                                    .sm = (uint16_t)d->sm,
                                    .subcore = f.subcore});
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

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* What is written of a life in a cycle. */
enum step { STEP_RETIRES, STEP_ISSUES, STEP_DISPATCHES };
struct moment {
    uint64_t cycle;
    enum step step;
    uint32_t life;
};

#define COMPARE(a, b)                                                                                                  \
    if ((a) != (b))                                                                                                    \
    return (a) < (b) ? -1 : 1

/* By issue. In one cycle an SM's sub-core issues no more than one warp's instructions, in the order of their ends. */
static int compare_lives(const void *x, const void *y)
{
    const struct life *a = x, *b = y;
    COMPARE(a->issue, b->issue);
    COMPARE(a->sm, b->sm);
    COMPARE(a->subcore, b->subcore);
    COMPARE(a->dispatch, b->dispatch);
    COMPARE(a->done, b->done);
    COMPARE(a->index, b->index);
    return 0;
}

static int compare_moments(const void *x, const void *y)
{
    const struct moment *a = x, *b = y;
    COMPARE(a->cycle, b->cycle);
    COMPARE(a->step, b->step);
    COMPARE(a->life, b->life);
    return 0;
}

/* Fields end at tabs, and lines at their ends: a text that has such is written without. */
static void write_text(const char *text, FILE *to)
{
    if (!strpbrk(text, "\t\r\n")) {
        print_plain_names(text, to);
        return;
    }
    for (; *text; text++)
        putc((unsigned char)*text < ' ' ? ' ' : *text, to);
}

/* A text and a number. Most of the time of a long log goes into these, so printf is too slow. */
static void write_number(const char *before, uint64_t number, FILE *to)
{
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    fputs_unlocked(before, to);
    fwrite_unlocked(at, 1, (size_t)(digits + sizeof digits - at), to);
}

static void write_issue(const struct konata *k, uint32_t number, FILE *to)
{
    const struct life *l = &k->lives[number];
    const struct rp_launch *launch = rp_trace_launch(k->request->trace, l->launch);
    const struct rp_kernel *kernel = rp_trace_kernel(k->request->trace, launch->kernel);
    write_number("I\t", number, to);
    write_number("\t", number, to);
    write_number("\t", l->block * rp_launch_warps(launch) + l->warp, to);
    write_number("\nL\t", number, to);
    fprintf(to, "\t0\t%04" PRIx64 ": ", kernel->instructions[l->index].pc);
    write_text(kernel->instructions[l->index].text, to);
    write_number("\nL\t", number, to);
    write_number("\t1\tlaunch ", l->launch, to);
    write_number(", block ", l->block, to);
    write_number(", warp ", l->warp, to);
    write_number(", SM ", l->sm, to);
    write_number(", subcore ", l->subcore, to);
    write_number("\nS\t", number, to);
    fputs_unlocked(l->dispatch > l->issue ? "\t0\tIs\n" : "\t0\tX\n", to);
}

static void write_moments(const struct konata *k, const struct moment *list, size_t count, FILE *to)
{
    uint64_t now = count ? list->cycle : 0, retired = 0;
    fprintf(to, "Kanata\t0004\nC=\t%" PRIu64 "\n", now);
    for (size_t i = 0; i < count; i++) {
        const struct moment *m = &list[i];
        if (m->cycle != now) {
            write_number("C\t", m->cycle - now, to);
            putc_unlocked('\n', to);
        }
        now = m->cycle;
        if (m->step == STEP_ISSUES) {
            write_issue(k, m->life, to);
        } else if (m->step == STEP_DISPATCHES) {
            write_number("S\t", m->life, to);
            fputs_unlocked("\t0\tX\n", to);
        } else {
            write_number("R\t", m->life, to);
            write_number("\t", retired++, to);
            fputs_unlocked("\t0\n", to);
        }
    }
}

static bool write_lives(struct konata *k, FILE *to, struct rp_error *err)
{
    size_t count = 0;
    struct moment *list = malloc((3 * (size_t)k->count + 1) * sizeof *list);
    if (!list)
        return rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
    qsort(k->lives, k->count, sizeof *k->lives, compare_lives);
    for (uint32_t i = 0; i < k->count; i++) {
        const struct life *l = &k->lives[i];
        list[count++] = (struct moment){l->issue, STEP_ISSUES, i};
        if (l->dispatch > l->issue)
            list[count++] = (struct moment){l->dispatch, STEP_DISPATCHES, i};
        list[count++] = (struct moment){l->done, STEP_RETIRES, i};
    }
    qsort(list, count, sizeof *list, compare_moments);
    write_moments(k, list, count, to);
    free(list);
    return true;
}

static bool whole(const struct konata *k, struct rp_error *err)
{
    if (k->too_many)
        return rp_fail(err, RP_USAGE,
                       "%s: more than %" PRIu32 " instructions in this window, which is too much for Konata; show less "
                       "with --launch, --blocks or --cycles",
                       rp_trace_path(k->request->trace), KONATA_MOST);
    return (!k->starved && !k->flights.starved) || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

bool timeline_konata(const struct timeline_request *r, FILE *to, struct timeline_result *out, struct rp_error *err)
{
    struct konata k = {.request = r};
    const struct observer o = {.data = &k, .block = note_block, .issue = note_issue, .done = note_done};
    bool fine = flights_open(&k.flights, r->trace, r->machine, err) && timeline_replay(r, &o, out, err) &&
                whole(&k, err) && timeline_check(r, out, k.count, err) && write_lives(&k, to, err);
    out->events = k.count;
    free(k.lives);
    flights_close(&k.flights);
    return fine;
}
