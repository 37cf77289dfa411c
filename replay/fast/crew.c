/* A round's items are taken from `ticket`, which says which round it is of: a helper that comes late, or not at all,
 * holds up nobody. */
#include "replay/fast/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SPINS 2000 /* a round often takes less time than to sleep and wake */

struct crew {
    unsigned helpers;
    pthread_t *threads;
    void (*work)(void *, unsigned thread, unsigned item);
    void *data;
    atomic_uint_least64_t ticket; /* round << 32 | items of the round << 16 | next item */
    atomic_uint finished;         /* items of this round that are done */
    atomic_uint started;          /* helpers that have their number */
    atomic_bool over;
    pthread_mutex_t lock; /* of sleeping and waking */
    pthread_cond_t begun, done;
};

static uint32_t round_of(const struct crew *c) { return (uint32_t)(atomic_load(&c->ticket) >> 32); }

/* The next item of the round, false when there is none. */
static bool take(struct crew *c, uint32_t round, unsigned *item)
{
    uint_least64_t ticket = atomic_load(&c->ticket);
    do {
        *item = (unsigned)(ticket & UINT16_MAX);
        if (ticket >> 32 != round || *item >= (ticket >> 16 & UINT16_MAX))
            return false;
    } while (!atomic_compare_exchange_weak(&c->ticket, &ticket, ticket + 1));
    return true;
}

static unsigned round_items(const struct crew *c) { return atomic_load(&c->ticket) >> 16 & UINT16_MAX; }

static void work_off(struct crew *c, uint32_t round, unsigned thread)
{
    unsigned item;
    while (take(c, round, &item)) {
        unsigned count = round_items(c);
        c->work(c->data, thread, item);
        if (atomic_fetch_add(&c->finished, 1) + 1 < count || !thread)
            continue;
        pthread_mutex_lock(&c->lock);
        pthread_cond_signal(&c->done);
        pthread_mutex_unlock(&c->lock);
    }
}

static void pause_briefly(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Returns the round that comes after `seen`, or a later one. */
static uint32_t await_round(struct crew *c, uint32_t seen)
{
    for (unsigned i = 0; i < SPINS && round_of(c) == seen; i++)
        pause_briefly();
    if (round_of(c) != seen)
        return round_of(c);
    pthread_mutex_lock(&c->lock);
    while (round_of(c) == seen)
        pthread_cond_wait(&c->begun, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return round_of(c);
}

static void await_items(struct crew *c, unsigned count)
{
    for (unsigned i = 0; i < SPINS && atomic_load(&c->finished) != count; i++)
        pause_briefly();
    if (atomic_load(&c->finished) == count)
        return;
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->finished) != count)
        pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void *help(void *data)
{
    struct crew *c = data;
    unsigned thread = atomic_fetch_add(&c->started, 1) + 1;
    for (uint32_t round = 0;;) {
        round = await_round(c, round);
        if (atomic_load(&c->over))
            return NULL;
        work_off(c, round, thread);
    }
}

static uint32_t begin_round(struct crew *c, unsigned count)
{
    uint32_t round = round_of(c) + 1;
    atomic_store(&c->finished, 0);
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->ticket, (uint_least64_t)round << 32 | (uint_least64_t)count << 16);
    pthread_cond_broadcast(&c->begun);
    pthread_mutex_unlock(&c->lock);
    return round;
}

struct crew *crew_new(unsigned threads)
{
    struct crew *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begun, NULL);
    pthread_cond_init(&c->done, NULL);
    c->threads = calloc(threads, sizeof *c->threads);
    while (c->threads && c->helpers + 1 < threads && !pthread_create(&c->threads[c->helpers], NULL, help, c))
        c->helpers++;
    if (c->threads)
        return c;
    crew_free(c);
    return NULL;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    atomic_store(&c->over, true);
    begin_round(c, 0);
    for (unsigned i = 0; i < c->helpers; i++)
        pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->done);
    pthread_cond_destroy(&c->begun);
    pthread_mutex_destroy(&c->lock);
    free(c->threads);
    free(c);
}

void crew_run(struct crew *c, unsigned count, void (*work)(void *, unsigned thread, unsigned item), void *data)
{
    if (!c->helpers || count < 2) { /* the helpers need not know */
        for (unsigned i = 0; i < count; i++)
            work(data, 0, i);
        return;
    }
    c->work = work;
    c->data = data;
    work_off(c, begin_round(c, count), 0);
    await_items(c, count);
}
