/* A round is open from its begin to its end. A helper that finds it open enters it. One that comes late, or not at all,
 * delays nobody. */
#include "replay/engines/fast/round_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define PAUSES 2000 /* polls before each further one yields the processor */
#define SPINS 3000  /* polls, if each thread has a processor: a round often takes less time than to sleep and wake */

#define INSIDE UINT64_C(0xffff)
#define OPEN UINT64_C(0x10000)
#define ROUND_SHIFT 32

struct round_pool {
    unsigned helpers, spins;
    pthread_t *threads;
    void (*work)(void *, unsigned thread);
    void *data;
    atomic_uint_least64_t state; /* round << ROUND_SHIFT | OPEN or 0 | helpers inside */
    atomic_uint started;         /* helpers that have a number */
    atomic_bool over;
    pthread_mutex_t lock; /* for sleeping and waking */
    pthread_cond_t begun, done;
};

static uint32_t round_of(const struct round_pool *c) { return (uint32_t)(atomic_load(&c->state) >> ROUND_SHIFT); }

/* False: the round is over. */
static bool enter_round(struct round_pool *c, uint32_t round)
{
    uint_least64_t state = atomic_load(&c->state);
    do
        if (state >> ROUND_SHIFT != round || !(state & OPEN))
            return false;
    while (!atomic_compare_exchange_weak(&c->state, &state, state + 1));
    return true;
}

static void leave_round(struct round_pool *c)
{
    uint_least64_t state = atomic_fetch_sub(&c->state, 1) - 1;
    if (state & (OPEN | INSIDE))
        return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_signal(&c->done);
    pthread_mutex_unlock(&c->lock);
}

void round_pool_pause(unsigned looks)
{
    if (looks >= PAUSES)
        sched_yield();
#if defined __x86_64__
    else
        __builtin_ia32_pause();
#endif
}

/* Returns the round that comes after `seen`, or a later one. */
static uint32_t await_round(struct round_pool *c, uint32_t seen)
{
    for (unsigned i = 0; i < c->spins && round_of(c) == seen; i++)
        round_pool_pause(i);
    if (round_of(c) != seen)
        return round_of(c);
    pthread_mutex_lock(&c->lock);
    while (round_of(c) == seen)
        pthread_cond_wait(&c->begun, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return round_of(c);
}

static void await_helpers(struct round_pool *c)
{
    for (unsigned i = 0; i < c->spins && (atomic_load(&c->state) & INSIDE); i++)
        round_pool_pause(i);
    if (!(atomic_load(&c->state) & INSIDE))
        return;
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->state) & INSIDE)
        pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void *help(void *data)
{
    struct round_pool *c = data;
    unsigned thread = atomic_fetch_add(&c->started, 1) + 1;
    for (uint32_t round = 0;;) {
        round = await_round(c, round);
        if (atomic_load(&c->over))
            return NULL;
        if (!enter_round(c, round))
            continue;
        c->work(c->data, thread);
        leave_round(c);
    }
}

static void begin_round(struct round_pool *c)
{
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->state, (uint_least64_t)(round_of(c) + 1) << ROUND_SHIFT | OPEN);
    pthread_cond_broadcast(&c->begun);
    pthread_mutex_unlock(&c->lock);
}

static unsigned processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

struct round_pool *round_pool_new(unsigned threads)
{
    struct round_pool *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begun, NULL);
    pthread_cond_init(&c->done, NULL);
    c->threads = calloc(threads, sizeof *c->threads);
    c->spins = threads <= processors() ? SPINS : 0;
    while (c->threads && c->helpers + 1 < threads && !pthread_create(&c->threads[c->helpers], NULL, help, c))
        c->helpers++;
    if (c->threads)
        return c;
    round_pool_free(c);
    return NULL;
}

void round_pool_free(struct round_pool *c)
{
    if (!c)
        return;
    atomic_store(&c->over, true);
    begin_round(c);
    for (unsigned i = 0; i < c->helpers; i++)
        pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->done);
    pthread_cond_destroy(&c->begun);
    pthread_mutex_destroy(&c->lock);
    free(c->threads);
    free(c);
}

unsigned round_pool_threads(const struct round_pool *c) { return c->helpers + 1; }
unsigned round_pool_patience(const struct round_pool *c) { return c->spins; }

void round_pool_begin(struct round_pool *c, void (*work)(void *, unsigned thread), void *data)
{
    c->work = work;
    c->data = data;
    begin_round(c);
}

void round_pool_end(struct round_pool *c)
{
    atomic_fetch_and(&c->state, ~OPEN);
    await_helpers(c);
}
