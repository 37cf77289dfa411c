#include "replay/fast/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define SPINS 4000 /* a round often takes less time than to sleep and wake */

struct crew {
    unsigned helpers;
    pthread_t *threads;
    void (*work)(void *, unsigned thread, unsigned item);
    void *data;
    unsigned count;
    atomic_uint next, round, finished; /* item to take; rounds begun; helpers that are done with this round */
    atomic_bool over;
    pthread_mutex_t lock;
    pthread_cond_t begun, done;
    atomic_uint started; /* helpers that have their number */
};

static void work_off(struct crew *c, unsigned thread)
{
    unsigned item;
    while ((item = atomic_fetch_add(&c->next, 1)) < c->count)
        c->work(c->data, thread, item);
}

static void pause_briefly(void) { atomic_thread_fence(memory_order_seq_cst); }

static void await_round(struct crew *c, unsigned seen)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (atomic_load(&c->round) != seen)
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->round) == seen)
        pthread_cond_wait(&c->begun, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void await_helpers(struct crew *c)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (atomic_load(&c->finished) == c->helpers)
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->finished) != c->helpers)
        pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void *help(void *data)
{
    struct crew *c = data;
    unsigned thread = atomic_fetch_add(&c->started, 1) + 1;
    for (unsigned seen = 0;; seen++) {
        await_round(c, seen);
        if (atomic_load(&c->over))
            return NULL;
        work_off(c, thread);
        if (atomic_fetch_add(&c->finished, 1) + 1 == c->helpers) {
            pthread_mutex_lock(&c->lock);
            pthread_cond_signal(&c->done);
            pthread_mutex_unlock(&c->lock);
        }
    }
}

static void begin_round(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->round, 1);
    pthread_cond_broadcast(&c->begun);
    pthread_mutex_unlock(&c->lock);
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
    begin_round(c);
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
    c->work = work;
    c->data = data;
    if (!c->helpers || count < 2) { /* the helpers need not know */
        for (unsigned i = 0; i < count; i++)
            work(data, 0, i);
        return;
    }
    c->count = count;
    atomic_store(&c->next, 0);
    atomic_store(&c->finished, 0);
    begin_round(c);
    work_off(c, 0);
    await_helpers(c);
}
