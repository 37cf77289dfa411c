/* The lives of instructions in Kanata's log format 0004, for the viewer Konata (docs/kanata-log-format.md in its
 * repository): stages "Is" from the issue on, where the unit takes the instruction later, and "X" from its dispatch on,
 * up to the first cycle in which its result can be used. A thread is a warp. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tools/lib/names.h"
#include "tools/timeline/flights.h"
#include "tools/timeline/sorting.h"
#include "tools/timeline/timeline.h"
#include "tools/timeline/writer.h"

/* An instruction; cycles are as in struct observed_issue and observed_done. */
struct life {
    uint64_t issue, dispatch, done, block;
    uint32_t launch, warp, index;
    uint16_t sm, subcore;
};

struct konata {
    const struct timeline_request *request;
    struct flights flights;
    struct life *lives; /* room for KONATA_MOST */
    uint32_t count;
    bool too_many;
};

/* ---- gathering --------------------------------------------------------------------------------------------------- */

#define PIECE (2u << 20)

/* What is touched all over, in large pages where there are some. free() it; NULL: out of memory. */
static void *large_room(size_t size)
{
    size = (size + PIECE - 1) / PIECE * PIECE;
    void *room = aligned_alloc(PIECE, size);
    if (room)
        madvise(room, size, MADV_HUGEPAGE); /* without them only time is lost */
    return room;
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
    const struct flight *f = flights_end(&k->flights, d, &s);
    if (!f || !timeline_shows(&k->request->window, f->issue, d->cycle))
        return;
    if (k->count == KONATA_MOST) {
        k->too_many = true;
        return;
    }
    struct life *l = &k->lives[k->count++];
    l->issue = f->issue;
    l->dispatch = d->dispatch;
    l->done = d->cycle;
    l->block = d->block;
    l->launch = d->launch;
    l->warp = d->warp;
    l->index = f->index;
    l->sm = (uint16_t)d->sm;
    l->subcore = f->subcore;
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

/* ---- order ------------------------------------------------------------------------------------------------------- */

#define COMPARE(a, b)                                                                                                  \
    if ((a) != (b))                                                                                                    \
    return (a) < (b) ? -1 : 1

/* In one cycle a sub-core issues no more than one warp's instructions, in the order of their ends. */
static int compare_pair(const struct life *a, const struct life *b)
{
    COMPARE(a->dispatch, b->dispatch);
    COMPARE(a->done, b->done);
    COMPARE(a->index, b->index);
    return 0;
}

/* What happens to lives, in the order of cycles. The numbers of lives are places in k->lives. */
struct order {
    struct keyed *issues, *dispatches, *ends, *spare; /* one array; ends are where issues were */
    uint32_t dispatch_count; /* of lives that are dispatched after their issue; all lives issue and end */
};

/* By cycle, SM and sub-core. */
static void order_issues(const struct konata *k, struct order *o)
{
    const struct machine *m = k->request->machine;
    for (uint32_t i = 0; i < k->count; i++) {
        const struct life *l = &k->lives[i];
        uint64_t place = l->sm * (uint64_t)m->subcores + l->subcore;
        o->issues[i] = (struct keyed){l->issue * (uint64_t)(m->sms * m->subcores) + place, i};
    }
    sort_keyed(o->issues, o->spare, k->count);
    for (uint32_t i = 1; i < k->count; i++) {
        struct keyed *two = &o->issues[i - 1], last = two[1];
        if (two[0].key == last.key && compare_pair(&k->lives[two[0].number], &k->lives[last.number]) > 0) {
            two[1] = two[0];
            two[0] = last;
        }
    }
}

#define AHEAD 16 /* lives, fetched into the cache while others are copied */

/* Lives are in the order of their issues from here on. */
static bool put_in_order(struct konata *k, struct order *o)
{
    struct life *sorted = large_room((k->count + 1) * sizeof *sorted);
    for (uint32_t i = 0; sorted && i < k->count; i++) {
        __builtin_prefetch(&k->lives[o->issues[i + AHEAD < k->count ? i + AHEAD : i].number]);
        sorted[i] = k->lives[o->issues[i].number];
    }
    if (!sorted)
        return false;
    free(k->lives);
    k->lives = sorted;
    return true;
}

static void order_others(const struct konata *k, struct order *o)
{
    o->dispatch_count = 0;
    for (uint32_t i = 0; i < k->count; i++) {
        const struct life *l = &k->lives[i];
        o->ends[i] = (struct keyed){l->done, i};
        if (l->dispatch > l->issue)
            o->dispatches[o->dispatch_count++] = (struct keyed){l->dispatch, i};
    }
    sort_keyed(o->ends, o->spare, k->count);
    sort_keyed(o->dispatches, o->spare, o->dispatch_count);
}

static bool order_lives(struct konata *k, struct order *o, struct rp_error *err)
{
    size_t room = (size_t)k->count + 1;
    o->issues = large_room(3 * room * sizeof *o->issues);
    o->ends = o->issues;
    o->dispatches = o->issues ? o->ends + room : NULL;
    o->spare = o->issues ? o->dispatches + room : NULL;
    if (o->issues)
        order_issues(k, o);
    if (!o->issues || !put_in_order(k, o))
        return rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
    order_others(k, o);
    return true;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static inline uint8_t *put(uint8_t *at, const char *text, size_t size)
{
    memcpy(at, text, size);
    return at + size;
}
#define PUT(at, text) put(at, text, sizeof text - 1)

#define DIGITS 20
static inline unsigned digits_of(uint64_t number)
{
    unsigned digits = 1;
    for (; number >= 10000; number /= 10000)
        digits += 4;
    return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

static inline uint8_t *put_number(uint8_t *at, uint64_t number)
{
    uint8_t *end = at + digits_of(number), *digit = end;
    do
        *--digit = (uint8_t)('0' + number % 10);
    while (number /= 10);
    return end;
}

/* A number that grows by one, as text. */
struct counter {
    char digits[DIGITS];
    unsigned size;
};

static void count_up(struct counter *c)
{
    for (char *at = c->digits + c->size; at-- > c->digits;) {
        if (*at != '9') {
            ++*at;
            return;
        }
        *at = '0';
    }
    memmove(c->digits + 1, c->digits, c->size++);
    *c->digits = '1';
}

static inline uint8_t *put_counter(uint8_t *at, const struct counter *c)
{
    memcpy(at, c->digits, DIGITS);
    return at + c->size;
}

/* What is written of a life besides its number. */
struct words {
    char *text;
    size_t size;
};

/* The thread of a warp. Warps that are on the machine together mostly have places of their own. */
#define WARP_PLACES 16384
struct warp_words {
    uint64_t block;
    uint32_t launch, warp, thread_size;
    char thread[20];
};

struct texts {
    struct words **instructions; /* of each kernel, by index; NULL: none yet */
    struct warp_words *warps;
    bool starved;
};

static bool open_texts(const struct konata *k, struct texts *t, struct rp_error *err)
{
    *t = (struct texts){calloc(rp_trace_kernel_count(k->request->trace) + 1, sizeof *t->instructions),
                        calloc(WARP_PLACES, sizeof *t->warps), false};
    return (t->instructions && t->warps) || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

static void close_texts(const struct konata *k, struct texts *t)
{
    const struct rp_trace *trace = k->request->trace;
    for (uint32_t n = 0; t->instructions && n < rp_trace_kernel_count(trace); n++) {
        for (uint32_t i = 0; t->instructions[n] && i < rp_trace_kernel(trace, n)->instruction_count; i++)
            free(t->instructions[n][i].text);
        free(t->instructions[n]);
    }
    free(t->instructions);
    free(t->warps);
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

static bool make_words(const struct rp_instruction *in, struct words *w)
{
    FILE *to = open_memstream(&w->text, &w->size);
    if (!to)
        return false;
    fprintf(to, "\t0\t%04" PRIx64 ": ", in->pc);
    write_text(in->text, to);
    putc('\n', to);
    return !fclose(to);
}

/* "\t0\t0040: add.s32 ...\n"; NULL: out of memory. */
static const struct words *words_of(const struct konata *k, struct texts *t, const struct life *l)
{
    uint32_t number = rp_trace_launch(k->request->trace, l->launch)->kernel;
    const struct rp_kernel *kernel = rp_trace_kernel(k->request->trace, number);
    struct words **of = &t->instructions[number];
    if (!*of)
        *of = calloc(kernel->instruction_count + 1, sizeof **of);
    bool fine = *of && ((*of)[l->index].text || make_words(&kernel->instructions[l->index], &(*of)[l->index]));
    t->starved |= !fine;
    return fine ? &(*of)[l->index] : NULL;
}

static uint64_t thread_of(const struct konata *k, const struct life *l)
{
    return l->block * rp_launch_warps(rp_trace_launch(k->request->trace, l->launch)) + l->warp;
}

/* *fresh: it was not known. */
static const struct warp_words *warp_words_of(const struct konata *k, struct texts *t, const struct life *l,
                                              bool *fresh)
{
    uint64_t thread = thread_of(k, l);
    struct warp_words *w = &t->warps[thread % WARP_PLACES];
    *fresh = !w->thread_size || w->block != l->block || w->warp != l->warp || w->launch != l->launch;
    if (*fresh) {
        *w = (struct warp_words){.block = l->block, .launch = l->launch, .warp = l->warp};
        w->thread_size = (uint32_t)(put_number((uint8_t *)w->thread, thread) - (uint8_t *)w->thread);
    }
    return w;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Of any size, where there may be no room for it. */
static void put_long(struct writer *to, const char *text, size_t size)
{
    for (size_t part; size; text += part, size -= part) {
        writer_room(to);
        part = size < WRITER_MOST / 2 ? size : WRITER_MOST / 2;
        to->at = put(to->at, text, part);
    }
    writer_room(to);
}

/* Where the life's warp is. */
static void put_place(const struct life *l, const struct counter *number, struct writer *to)
{
    uint8_t *at = put_number(PUT(put_counter(PUT(to->at, "L\t"), number), "\t1\tlaunch "), l->launch);
    at = put_number(PUT(at, ", block "), l->block);
    at = put_number(PUT(at, ", warp "), l->warp);
    at = put_number(PUT(at, ", SM "), l->sm);
    to->at = PUT(put_number(PUT(at, ", subcore "), l->subcore), "\n");
}

/* The lines of a life when it issues. */
static void put_issue(const struct konata *k, struct texts *t, const struct life *l, const struct counter *number,
                      struct writer *to)
{
    bool fresh;
    const struct words *text = words_of(k, t, l);
    const struct warp_words *warp = warp_words_of(k, t, l, &fresh);
    if (!text)
        return;
    uint8_t *at = put_counter(PUT(to->at, "I\t"), number);
    at = put_counter(PUT(at, "\t"), number);
    at = PUT(at, "\t");
    memcpy(at, warp->thread, sizeof warp->thread);
    to->at = put_counter(PUT(at + warp->thread_size, "\nL\t"), number);
    put_long(to, text->text, text->size);
    if (fresh)
        put_place(l, number, to);
    at = put_counter(PUT(to->at, "S\t"), number);
    to->at = l->dispatch > l->issue ? PUT(at, "\t0\tIs\n") : PUT(at, "\t0\tX\n");
}

/* UINT64_MAX: behind the end. */
static uint64_t key_at(const struct keyed *list, uint32_t at, uint32_t count)
{
    return at < count ? list[at].key : UINT64_MAX;
}

static void write_moments(const struct konata *k, struct texts *t, const struct order *o, struct writer *to)
{
    uint32_t issued = 0, dispatched = 0, ended = 0;
    struct counter number = {"0", 1}, retired = {"0", 1};
    uint64_t now = k->count ? k->lives->issue : 0;
    writer_room(to);
    to->at = PUT(put_number(PUT(to->at, "Kanata\t0004\nC=\t"), now), "\n");
    while (ended < k->count) {
        uint64_t end = o->ends[ended].key, issue = issued < k->count ? k->lives[issued].issue : UINT64_MAX,
                 dispatch = key_at(o->dispatches, dispatched, o->dispatch_count);
        uint64_t next = end < issue ? end : issue;
        next = dispatch < next ? dispatch : next;
        writer_room(to);
        if (next != now)
            to->at = PUT(put_number(PUT(to->at, "C\t"), next - now), "\n");
        now = next;
        if (end == now) {
            uint8_t *at = PUT(put_number(PUT(to->at, "R\t"), o->ends[ended++].number), "\t");
            to->at = PUT(put_counter(at, &retired), "\t0\n");
            count_up(&retired);
        } else if (issue == now) {
            put_issue(k, t, &k->lives[issued++], &number, to);
            count_up(&number);
        } else {
            to->at = PUT(put_number(PUT(to->at, "S\t"), o->dispatches[dispatched++].number), "\t0\tX\n");
        }
    }
}

static bool write_lives(struct konata *k, FILE *file, struct rp_error *err)
{
    struct order order = {0};
    struct texts texts = {0};
    struct writer to = {0};
    bool fine = order_lives(k, &order, err) && open_texts(k, &texts, err) && writer_open(&to, file, err);
    if (fine)
        write_moments(k, &texts, &order, &to);
    fine = fine && (!texts.starved || rp_fail(err, RP_SYSTEM, "out of memory for a timeline"));
    writer_close(&to);
    close_texts(k, &texts);
    free(order.issues);
    return fine;
}

static bool whole(const struct konata *k, struct rp_error *err)
{
    if (k->too_many)
        return rp_fail(err, RP_USAGE,
                       "%s: more than %" PRIu32 " instructions in this window, which is too much for Konata; show less "
                       "with --launch, --blocks or --cycles",
                       rp_trace_path(k->request->trace), KONATA_MOST);
    return !k->flights.starved || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

bool timeline_konata(const struct timeline_request *r, FILE *to, struct timeline_result *out, struct rp_error *err)
{
    struct konata k = {.request = r, .lives = large_room(KONATA_MOST * sizeof *k.lives)};
    if (!k.lives)
        return rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
    const struct observer o = {.data = &k, .block = note_block, .issue = note_issue, .done = note_done};
    bool fine = flights_open(&k.flights, r->trace, r->machine, err) && timeline_replay(r, &o, out, err) &&
                whole(&k, err) && timeline_check(r, out, k.count, err) && write_lives(&k, to, err);
    out->events = k.count;
    free(k.lives);
    flights_close(&k.flights);
    return fine;
}
