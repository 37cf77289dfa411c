#include "tools/timeline/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Half a cache line, so that few are taken from what the replay keeps there. An event that does not fit is wide: the
 * slots behind hold what the listener gets. */
enum kind { RELAY_ISSUE, RELAY_STALL, RELAY_DONE, RELAY_ACCESS, RELAY_WIDE /* + enum observer_event */ };

/* An issue; mostly a stall ends with it, and its own end follows at once: then they are in the same event. */
struct short_issue {
    uint32_t cycle, block, number; /* behind the base */
    uint32_t index;
    uint16_t initiation;
    uint16_t stalled;        /* cycles before it; 0: there was no stall */
    uint16_t dispatch, done; /* cycles behind it, if it has ended */
};

struct short_stall {
    uint64_t begin, cycles, block;
};

struct short_done {
    uint32_t block, number; /* behind the base */
    uint64_t dispatch, cycle;
};

struct short_access {
    uint64_t address, cycle;
    uint8_t kind;
    bool local, beyond;
};

struct event {
    uint8_t kind, warp, subcore, unit;
    uint8_t reason : 5, level : 2, second : 1; /* of the stall; level: of an access, too */
    bool ended;                                /* the issue has */
    uint16_t sm;
    union {
        struct short_issue issue;
        struct short_stall stall;
        struct short_done done;
        struct short_access access;
    };
};
#define CACHE_LINE 64
_Static_assert(sizeof(struct event) == CACHE_LINE / 2, "half a cache line");
_Static_assert(STALL_COUNT <= 1 << 5 && RESPONSE_LEVELS <= 1 << 2, "bits of reason and level");

/* So many, 2 MB, that a thread goes on while the other one has lost its processor to a third for some milliseconds. */
#define BUFFERS 16
#define BUFFER_EVENTS 4096
#define AHEAD 8 /* events, fetched into the cache while others are written */

/* Short events are of this launch, and not before this cycle, block and instruction of a warp. */
struct base {
    uint32_t launch;
    uint64_t cycle, block, number;
};

struct buffer {
    _Alignas(CACHE_LINE) struct event events[BUFFER_EVENTS];
    uint32_t count;
    struct base base;
};

struct relay {
    struct observer to;
    struct buffer *at;           /* is being filled */
    struct base base;            /* of the next one */
    struct event *issue;         /* the last event, if that is an issue that has not ended; else NULL */
    struct observed_stall stall; /* the event behind the last one, if it has any cycles */
    struct buffer *buffers;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct buffer *full[BUFFERS]; /* the n-th one that was filled is full[n % BUFFERS] */
    uint64_t filled, emptied;     /* so many so far */
    struct buffer *idle[BUFFERS]; /* the last one of them is used next, as the caches have it */
    uint32_t idle_count;
    bool over;
};

/* ---- on the listener's thread ------------------------------------------------------------------------------------ */

static void give_stall(const struct observer *to, const struct event *e, uint64_t begin, uint64_t cycles,
                       uint64_t block)
{
    to->stall(to->data, &(struct observed_stall){.sm = e->sm,
                                                 .subcore = e->subcore,
                                                 .block = block,
                                                 .reason = (enum stall)e->reason,
                                                 .unit = e->reason == STALL_UNIT ? e->unit : 0,
                                                 .level = (enum response_level)e->level,
                                                 .begin = begin,
                                                 .cycles = cycles});
}

static void give_issue(const struct observer *to, const struct base *b, const struct event *e)
{
    const struct short_issue *i = &e->issue;
    uint64_t cycle = b->cycle + i->cycle, block = b->block + i->block, number = b->number + i->number;
    if (i->stalled)
        give_stall(to, e, cycle - i->stalled, i->stalled, block);
    to->issue(to->data, &(struct observed_issue){.launch = b->launch,
                                                 .warp = e->warp,
                                                 .block = block,
                                                 .number = number,
                                                 .sm = e->sm,
                                                 .subcore = e->subcore,
                                                 .index = i->index,
                                                 .cycle = cycle,
                                                 .second = e->second,
                                                 .unit = e->unit,
                                                 .initiation = i->initiation});
    if (e->ended)
        to->done(to->data, &(struct observed_done){.launch = b->launch,
                                                   .warp = e->warp,
                                                   .block = block,
                                                   .number = number,
                                                   .sm = e->sm,
                                                   .dispatch = cycle + i->dispatch,
                                                   .cycle = cycle + i->done});
}

static void give_done(const struct observer *to, const struct base *b, const struct event *e)
{
    to->done(to->data, &(struct observed_done){.launch = b->launch,
                                               .warp = e->warp,
                                               .block = b->block + e->done.block,
                                               .number = b->number + e->done.number,
                                               .sm = e->sm,
                                               .dispatch = e->done.dispatch,
                                               .cycle = e->done.cycle});
}

static void give_access(const struct observer *to, const struct event *e)
{
    to->access(to->data, &(struct observed_access){.sm = e->sm,
                                                   .local = e->access.local,
                                                   .beyond = e->access.beyond,
                                                   .kind = (enum cache_kind)e->access.kind,
                                                   .level = (enum response_level)e->level,
                                                   .address = e->access.address,
                                                   .cycle = e->access.cycle});
}

#define SLOTS_OF(size) ((uint32_t)(((size) + sizeof(struct event) - 1) / sizeof(struct event)))

/* Returns how many slots it took besides its own. */
static uint32_t give_wide(const struct observer *to, const struct event *e)
{
    switch (e->kind - RELAY_WIDE) {
#define X(id, member, text)                                                                                            \
    case OBSERVE_##id##_NUMBER: {                                                                                      \
        struct observed_##member wide;                                                                                 \
        memcpy(&wide, e + 1, sizeof wide);                                                                             \
        to->member(to->data, &wide);                                                                                   \
        return SLOTS_OF(sizeof wide);                                                                                  \
    }
        OBSERVER_EVENTS(X)
#undef X
    }
    return 0;
}

static void give_all(const struct observer *to, const struct buffer *b)
{
    for (const struct event *e = b->events; e < b->events + b->count; e++)
        switch (e->kind) {
        case RELAY_ISSUE: give_issue(to, &b->base, e); break;
        case RELAY_STALL: give_stall(to, e, e->stall.begin, e->stall.cycles, e->stall.block); break;
        case RELAY_DONE: give_done(to, &b->base, e); break;
        case RELAY_ACCESS: give_access(to, e); break;
        default: e += give_wide(to, e);
        }
}

static void *listen(void *data)
{
    struct relay *r = data;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->emptied == r->filled && !r->over)
            pthread_cond_wait(&r->changed, &r->lock);
        if (r->emptied == r->filled)
            break;
        struct buffer *b = r->full[r->emptied % BUFFERS];
        pthread_mutex_unlock(&r->lock);
        give_all(&r->to, b);
        pthread_mutex_lock(&r->lock);
        r->emptied++;
        r->idle[r->idle_count++] = b;
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- on the replay's ----------------------------------------------------------------------------------------------
 */

/* Hands the buffer over, and takes the next one once it is empty. */
static void pass(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    r->full[r->filled++ % BUFFERS] = r->at;
    pthread_cond_signal(&r->changed);
    while (!r->idle_count)
        pthread_cond_wait(&r->changed, &r->lock);
    r->at = r->idle[--r->idle_count];
    pthread_mutex_unlock(&r->lock);
    r->at->count = 0;
    r->at->base = r->base;
}

/* The next slot, with so many behind it. */
static inline struct event *append(struct relay *r, enum kind kind, uint32_t behind)
{
    if (r->at->count + behind >= BUFFER_EVENTS)
        pass(r);
    struct event *e = &r->at->events[r->at->count];
    r->at->count += 1 + behind;
    __builtin_prefetch(e + AHEAD, 1);
    e->kind = (uint8_t)kind;
    r->issue = NULL;
    return e;
}

static void append_wide(struct relay *r, enum observer_event what, const void *observed, size_t size)
{
    struct event *e = append(r, RELAY_WIDE + what, SLOTS_OF(size));
    memcpy(e + 1, observed, size);
}

static void set_stall(struct event *e, const struct observed_stall *s)
{
    e->reason = s->reason & 31u;
    e->level = s->level & 3u;
}

static void append_stall(struct relay *r)
{
    const struct observed_stall *s = &r->stall;
    struct event *e = append(r, RELAY_STALL, 0);
    e->sm = (uint16_t)s->sm;
    e->subcore = (uint8_t)s->subcore;
    e->unit = (uint8_t)s->unit;
    set_stall(e, s);
    e->stall = (struct short_stall){s->begin, s->cycles, s->block};
    r->stall.cycles = 0;
}

static inline void flush_stall(struct relay *r)
{
    if (r->stall.cycles)
        append_stall(r);
}

static void take_stall(void *data, const struct observed_stall *s)
{
    struct relay *r = data;
    flush_stall(r);
    r->stall = *s;
    r->issue = NULL;
}

/* The stall can be told from the issue that follows it. */
static bool leads_to(const struct observed_stall *s, const struct observed_issue *i)
{
    return s->begin + s->cycles == i->cycle && s->cycles <= UINT16_MAX && s->sm == i->sm && s->subcore == i->subcore &&
           s->block == i->block && (s->reason != STALL_UNIT || s->unit == i->unit);
}

static inline bool is_near(uint64_t value, uint64_t base) { return value - base <= UINT32_MAX; }

static inline bool is_of_base(const struct base *b, uint32_t launch, uint64_t block, uint64_t number)
{
    return launch == b->launch && is_near(block, b->block) && is_near(number, b->number);
}

/* Others may be somewhat before this one. */
static uint64_t before(uint64_t value) { return value > INT32_MAX ? value - INT32_MAX : 0; }

/* Events are short from the next buffer on, which begins now unless this one is almost empty. */
static void change_base(struct relay *r, const struct observed_issue *i)
{
    r->base = (struct base){i->launch, before(i->cycle), before(i->block), before(i->number)};
    if (r->at->count >= BUFFER_EVENTS / 8)
        pass(r);
    else if (!r->at->count)
        r->at->base = r->base;
}

static inline bool is_short(const struct base *b, const struct observed_issue *i)
{
    return is_of_base(b, i->launch, i->block, i->number) && is_near(i->cycle, b->cycle);
}

static void take_issue(void *data, const struct observed_issue *i)
{
    struct relay *r = data;
    bool stalled = r->stall.cycles && leads_to(&r->stall, i);
    if (!stalled)
        flush_stall(r);
    if (!is_short(&r->at->base, i))
        change_base(r, i);
    if (r->at->count == BUFFER_EVENTS)
        pass(r);
    if (!is_short(&r->at->base, i) || i->warp > UINT8_MAX || i->initiation > UINT16_MAX) {
        flush_stall(r);
        append_wide(r, OBSERVE_ISSUE_NUMBER, i, sizeof *i);
        return;
    }
    const struct base *b = &r->at->base;
    struct event *e = append(r, RELAY_ISSUE, 0);
    e->warp = (uint8_t)i->warp;
    e->subcore = (uint8_t)i->subcore;
    e->unit = (uint8_t)i->unit;
    e->second = i->second;
    e->ended = false;
    e->sm = (uint16_t)i->sm;
    set_stall(e, &r->stall);
    e->issue = (struct short_issue){.cycle = (uint32_t)(i->cycle - b->cycle),
                                    .block = (uint32_t)(i->block - b->block),
                                    .number = (uint32_t)(i->number - b->number),
                                    .index = i->index,
                                    .initiation = (uint16_t)i->initiation,
                                    .stalled = stalled ? (uint16_t)r->stall.cycles : 0};
    r->stall.cycles = 0;
    r->issue = e;
}

/* Whether the last event is the issue of this instruction, and has room for its end. */
static bool ends_issue(const struct relay *r, const struct observed_done *d)
{
    const struct event *e = r->issue;
    const struct base *b = &r->at->base;
    uint64_t cycle = e ? b->cycle + e->issue.cycle : 0;
    return e && b->number + e->issue.number == d->number && e->warp == d->warp &&
           b->block + e->issue.block == d->block && b->launch == d->launch && d->dispatch - cycle <= UINT16_MAX &&
           d->cycle - cycle <= UINT16_MAX;
}

static void take_done(void *data, const struct observed_done *d)
{
    struct relay *r = data;
    struct event *e = r->issue;
    if (ends_issue(r, d)) {
        e->ended = true;
        e->issue.dispatch = (uint16_t)(d->dispatch - (r->at->base.cycle + e->issue.cycle));
        e->issue.done = (uint16_t)(d->cycle - (r->at->base.cycle + e->issue.cycle));
        r->issue = NULL;
        return;
    }
    flush_stall(r);
    if (r->at->count == BUFFER_EVENTS)
        pass(r);
    const struct base *b = &r->at->base;
    if (!is_of_base(b, d->launch, d->block, d->number) || d->warp > UINT8_MAX) {
        append_wide(r, OBSERVE_DONE_NUMBER, d, sizeof *d);
        return;
    }
    e = append(r, RELAY_DONE, 0);
    e->warp = (uint8_t)d->warp;
    e->sm = (uint16_t)d->sm;
    e->done =
        (struct short_done){(uint32_t)(d->block - b->block), (uint32_t)(d->number - b->number), d->dispatch, d->cycle};
}

static void take_access(void *data, const struct observed_access *a)
{
    struct relay *r = data;
    flush_stall(r);
    struct event *e = append(r, RELAY_ACCESS, 0);
    e->sm = (uint16_t)a->sm;
    e->level = a->level & 3u;
    e->access = (struct short_access){a->address, a->cycle, (uint8_t)a->kind, a->local, a->beyond};
}

#define X(id, member)                                                                                                  \
    static void take_##member(void *data, const struct observed_##member *o)                                           \
    {                                                                                                                  \
        flush_stall(data);                                                                                             \
        append_wide(data, OBSERVE_##id##_NUMBER, o, sizeof *o);                                                        \
    }
X(LAUNCH, launch)
X(BLOCK, block)
X(DRAM, dram)
X(COPY, copy)
#undef X

/* ---- both ---------------------------------------------------------------------------------------------------------
 */

static void free_relay(struct relay *r)
{
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r->buffers);
    free(r);
}

struct relay *relay_open(const struct observer *listener)
{
    struct relay *r = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    r->to = *listener;
    r->at = r->buffers = aligned_alloc(CACHE_LINE, BUFFERS * sizeof *r->buffers);
    if (r->at) {
        r->at->count = 0;
        r->at->base = r->base;
    }
    for (; r->idle_count < BUFFERS - 1; r->idle_count++)
        r->idle[r->idle_count] = &r->buffers[BUFFERS - 1 - r->idle_count];
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    if (r->buffers && !pthread_create(&r->thread, NULL, listen, r))
        return r;
    free_relay(r);
    return NULL;
}

struct observer relay_observer(struct relay *r)
{
    struct observer o = {.data = r, .most_ahead = r->to.most_ahead};
#define X(id, member, text) o.member = r->to.member ? take_##member : NULL;
    OBSERVER_EVENTS(X)
#undef X
    return o;
}

void relay_close(struct relay *r)
{
    if (!r)
        return;
    flush_stall(r);
    pass(r);
    pthread_mutex_lock(&r->lock);
    r->over = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    free_relay(r);
}
