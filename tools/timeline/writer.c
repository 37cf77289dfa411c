#include "tools/timeline/writer.h"

#include <errno.h>
#include <stdlib.h>

static void write_buffer(struct writer *w, const uint8_t *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, w->to) != size && !w->failure)
        w->failure = errno;
}

static void *write_buffers(void *data)
{
    struct writer *w = data;
    pthread_mutex_lock(&w->lock);
    while (w->full || !w->over) {
        if (!w->full) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        write_buffer(w, w->full, w->full_bytes);
        pthread_mutex_lock(&w->lock);
        w->full = NULL;
        pthread_cond_signal(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

bool writer_open(struct writer *w, FILE *to, struct rp_error *err)
{
    uint8_t *both = malloc(2 * WRITER_BUFFER);
    *w = (struct writer){.to = to, .at = both, .first = both, .buffer = {both, both + WRITER_BUFFER}};
    if (!both)
        return rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->threaded = !pthread_create(&w->thread, NULL, write_buffers, w);
    return true;
}

static void hand_over(struct writer *w, size_t bytes)
{
    pthread_mutex_lock(&w->lock);
    while (w->full)
        pthread_cond_wait(&w->changed, &w->lock);
    w->full = w->first;
    w->full_bytes = bytes;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    w->first = w->buffer[w->first == w->buffer[0]];
}

void writer_pass(struct writer *w)
{
    size_t bytes = (size_t)(w->at - w->first);
    if (!w->threaded)
        write_buffer(w, w->first, bytes);
    else if (bytes)
        hand_over(w, bytes);
    w->at = w->first;
}

void writer_close(struct writer *w)
{
    if (!w->first)
        return;
    writer_pass(w);
    if (w->threaded) {
        pthread_mutex_lock(&w->lock);
        w->over = true;
        pthread_cond_signal(&w->changed);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->thread, NULL);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w->buffer[0]);
    if (w->failure)
        errno = w->failure;
    *w = (struct writer){.to = NULL};
}
