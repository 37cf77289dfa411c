#include "tools/timeline/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum kind { RELAY_ISSUE, RELAY_STALL, RELAY_DONE, RELAY_LAUNCH, RELAY_BLOCK, RELAY_ACCESS, RELAY_DRAM, RELAY_COPY };

/* An issue; mostly a stall ends with it, and its own end follows at once: then they are in the same event. */
struct life {
    uint64_t cycle, block, number;
    uint32_t launch, warp, index, initiation;
    uint32_t dispatch, done; /* cycles behind the issue */
    uint32_t stalled;        /* cycles before it; 0: there was no stall */
};

struct stall_of_subcore {
    uint64_t begin, cycles, block;
};

/* A cache line. */
struct event {
    uint8_t kind, subcore, unit;
    bool second : 1, ended : 1; /* of RELAY_ISSUE */
    uint16_t sm;
    uint8_t reason, level; /* of the stall */
    union {
        struct life issue;
        struct stall_of_subcore stall;
        struct observed_done done;
        struct observed_launch launch;
        struct observed_block block;
        struct observed_access access;
        struct observed_dram dram;
        struct observed_copy copy;
    };
};
#define CACHE_LINE 64
_Static_assert(sizeof(struct event) == CACHE_LINE, "a cache line");

/* So many, 2 MB, that a thread goes on while the other one has lost its processor to a third for some milliseconds. */
#define BUFFERS 16
#define BUFFER_EVENTS 2048
#define AHEAD 8 /* events, fetched into the cache while others are written */

struct buffer {
    _Alignas(CACHE_LINE) struct event events[BUFFER_EVENTS];
    uint32_t count;
};

struct relay {
    struct observer to;
    struct buffer *at;   /* is being filled */
    struct event *issue; /* the last event, if that is an issue that has not ended; else NULL */
    struct event stall;  /* the event behind the last one, if it has any cycles */
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

static void give_issue(const struct observer *to, const struct event *e)
{
    const struct life *l = &e->issue;
    if (l->stalled)
        give_stall(to, e, l->cycle - l->stalled, l->stalled, l->block);
    to->issue(to->data, &(struct observed_issue){.launch = l->launch,
                                                 .warp = l->warp,
                                                 .block = l->block,
                                                 .number = l->number,
                                                 .sm = e->sm,
                                                 .subcore = e->subcore,
                                                 .index = l->index,
                                                 .cycle = l->cycle,
                                                 .second = e->second,
                                                 .unit = e->unit,
                                                 .initiation = l->initiation});
    if (e->ended)
        to->done(to->data, &(struct observed_done){.launch = l->launch,
                                                   .warp = l->warp,
                                                   .block = l->block,
                                                   .number = l->number,
                                                   .sm = e->sm,
                                                   .dispatch = l->cycle + l->dispatch,
                                                   .cycle = l->cycle + l->done});
}

static void give(const struct observer *to, const struct event *e)
{
    switch (e->kind) {
    case RELAY_ISSUE: give_issue(to, e); break;
    case RELAY_STALL: give_stall(to, e, e->stall.begin, e->stall.cycles, e->stall.block); break;
    case RELAY_DONE: to->done(to->data, &e->done); break;
    case RELAY_LAUNCH: to->launch(to->data, &e->launch); break;
    case RELAY_BLOCK: to->block(to->data, &e->block); break;
    case RELAY_ACCESS: to->access(to->data, &e->access); break;
    case RELAY_DRAM: to->dram(to->data, &e->dram); break;
    case RELAY_COPY: to->copy(to->data, &e->copy); break;
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
        for (uint32_t i = 0; i < b->count; i++)
            give(&r->to, &b->events[i]);
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
}

static inline struct event *append(struct relay *r, enum kind kind)
{
    if (r->at->count == BUFFER_EVENTS)
        pass(r);
    struct event *e = &r->at->events[r->at->count++];
    __builtin_prefetch(e + AHEAD, 1);
    e->kind = (uint8_t)kind;
    r->issue = NULL;
    return e;
}

static void append_stall(struct relay *r)
{
    *append(r, RELAY_STALL) = r->stall;
    r->stall.stall.cycles = 0;
}

static inline struct event *next(struct relay *r, enum kind kind)
{
    if (r->stall.stall.cycles)
        append_stall(r);
    return append(r, kind);
}

static void take_stall(void *data, const struct observed_stall *s)
{
    struct relay *r = data;
    struct event *e = &r->stall;
    if (e->stall.cycles)
        append_stall(r);
    e->kind = RELAY_STALL;
    e->subcore = (uint8_t)s->subcore;
    e->unit = (uint8_t)s->unit;
    e->sm = (uint16_t)s->sm;
    e->reason = (uint8_t)s->reason;
    e->level = (uint8_t)s->level;
    e->stall.begin = s->begin;
    e->stall.cycles = s->cycles;
    e->stall.block = s->block;
    r->issue = NULL;
}

/* The stall can be told from the issue that follows it. */
static bool leads_to(const struct event *e, const struct observed_issue *i)
{
    const struct stall_of_subcore *s = &e->stall;
    return s->begin + s->cycles == i->cycle && s->cycles <= UINT32_MAX && e->sm == i->sm && e->subcore == i->subcore &&
           s->block == i->block && (e->reason != STALL_UNIT || e->unit == i->unit);
}

static void take_issue(void *data, const struct observed_issue *i)
{
    struct relay *r = data;
    bool stalled = leads_to(&r->stall, i);
    struct event *e = stalled ? append(r, RELAY_ISSUE) : next(r, RELAY_ISSUE);
    e->subcore = (uint8_t)i->subcore;
    e->unit = (uint8_t)i->unit;
    e->second = i->second;
    e->ended = false;
    e->sm = (uint16_t)i->sm;
    e->reason = r->stall.reason;
    e->level = r->stall.level;
    struct life *l = &e->issue;
    l->cycle = i->cycle;
    l->block = i->block;
    l->number = i->number;
    l->launch = i->launch;
    l->warp = i->warp;
    l->index = i->index;
    l->initiation = (uint32_t)i->initiation;
    l->stalled = stalled ? (uint32_t)r->stall.stall.cycles : 0;
    r->stall.stall.cycles = 0;
    r->issue = e;
}

static bool ends(const struct life *l, const struct observed_done *d)
{
    return l->number == d->number && l->warp == d->warp && l->block == d->block && l->launch == d->launch &&
           d->dispatch >= l->cycle && d->dispatch - l->cycle <= UINT32_MAX && d->cycle >= l->cycle &&
           d->cycle - l->cycle <= UINT32_MAX;
}

static void take_done(void *data, const struct observed_done *d)
{
    struct relay *r = data;
    struct event *e = r->issue;
    if (!e || !ends(&e->issue, d)) {
        next(r, RELAY_DONE)->done = *d;
        return;
    }
    e->ended = true;
    e->issue.dispatch = (uint32_t)(d->dispatch - e->issue.cycle);
    e->issue.done = (uint32_t)(d->cycle - e->issue.cycle);
    r->issue = NULL;
}

static void take_launch(void *data, const struct observed_launch *l) { next(data, RELAY_LAUNCH)->launch = *l; }
static void take_block(void *data, const struct observed_block *b) { next(data, RELAY_BLOCK)->block = *b; }
static void take_access(void *data, const struct observed_access *a) { next(data, RELAY_ACCESS)->access = *a; }
static void take_dram(void *data, const struct observed_dram *d) { next(data, RELAY_DRAM)->dram = *d; }
static void take_copy(void *data, const struct observed_copy *c) { next(data, RELAY_COPY)->copy = *c; }

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
    if (r->at)
        r->at->count = 0;
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
    if (r->stall.stall.cycles)
        append_stall(r);
    pass(r);
    pthread_mutex_lock(&r->lock);
    r->over = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    free_relay(r);
}
