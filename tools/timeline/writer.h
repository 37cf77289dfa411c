/* Bytes on their way to a file: one buffer is filled while a thread of its own writes the other. */
#ifndef REPRISE_TOOLS_TIMELINE_WRITER_H
#define REPRISE_TOOLS_TIMELINE_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tracefmt/error.h"

#define WRITER_BUFFER (512 * 1024) /* so many that the threads seldom wake one another */
#define WRITER_MOST 4096           /* bytes that writer_room() makes room for */

struct writer {
    FILE *to;       /* errors stay in it */
    int failure;    /* errno of the first of them; 0: none yet */
    uint8_t *at;    /* where the next byte goes */
    uint8_t *first; /* the buffer in which that is */
    uint8_t *buffer[2];
    /* The thread. Without it, as none could be started, buffers are written at once. */
    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    const uint8_t *full; /* the buffer that it writes; NULL: none */
    size_t full_bytes;
    bool over;
};

/* After a failure nothing need be closed. */
bool writer_open(struct writer *, FILE *, struct rp_error *);
/* Returns when all is written, or the file has an error, whose errno it leaves. Does nothing if it is all zero. */
void writer_close(struct writer *);

/* Hands the buffer over, once the one before is written. */
void writer_pass(struct writer *);

/* Makes room for WRITER_MOST bytes. */
static inline void writer_room(struct writer *w)
{
    if (w->at > w->first + WRITER_BUFFER - WRITER_MOST)
        writer_pass(w);
}

#endif
