#include "frontend/host/thread_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t work, idle; /* work: there is a job, or the pool ends; idle: the last thread has left the job */
    pthread_t *threads;
    unsigned count, capacity;
    unsigned wanted, running; /* threads that may still join the job; threads in it */
    void (*job)(void *);
    void *data;
    bool over;
};

struct thread_pool *thread_pool_new(void)
{
    struct thread_pool *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->work, NULL);
    pthread_cond_init(&t->idle, NULL);
    return t;
}

void thread_pool_free(struct thread_pool *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->over = true;
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
    for (unsigned i = 0; i < t->count; i++)
        pthread_join(t->threads[i], NULL);
    free(t->threads);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->work);
    pthread_cond_destroy(&t->idle);
    free(t);
}

static void *help(void *arg)
{
    struct thread_pool *t = arg;
    pthread_setname_np(pthread_self(), REPRISE_THREAD);
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->over && !t->wanted)
            pthread_cond_wait(&t->work, &t->lock);
        if (t->over)
            break;
        t->wanted--;
        t->running++;
        pthread_mutex_unlock(&t->lock);
        t->job(t->data);
        pthread_mutex_lock(&t->lock);
        if (!--t->running)
            pthread_cond_signal(&t->idle);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void grow(struct thread_pool *t, unsigned count)
{
    if (count > t->capacity) {
        pthread_t *threads = realloc(t->threads, count * sizeof *threads);
        if (!threads)
            return;
        t->threads = threads;
        t->capacity = count;
    }
    while (t->count < count && !pthread_create(&t->threads[t->count], NULL, help, t))
        t->count++;
}

void thread_pool_begin(struct thread_pool *t, unsigned helpers, void (*job)(void *), void *data)
{
    grow(t, helpers);
    pthread_mutex_lock(&t->lock);
    t->job = job;
    t->data = data;
    t->wanted = helpers < t->count ? helpers : t->count;
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
}

void thread_pool_end(struct thread_pool *t)
{
    pthread_mutex_lock(&t->lock);
    t->wanted = 0;
    while (t->running)
        pthread_cond_wait(&t->idle, &t->lock);
    pthread_mutex_unlock(&t->lock);
}
