/* A thread pool that works in rounds. */
#ifndef REPRISE_REPLAY_ENGINES_FAST_THREAD_POOL_H
#define REPRISE_REPLAY_ENGINES_FAST_THREAD_POOL_H

struct crew;

/* `threads` counts the caller of crew_begin. There may be fewer if the system gives no more. NULL: out of memory. */
struct crew *crew_new(unsigned threads);
void crew_free(struct crew *);
/* The number of threads, the caller included. */
unsigned crew_threads(const struct crew *);
/* A round lasts from crew_begin to crew_end. Each other thread n that comes before the end calls work(data, n). The
 * work must not need these threads: one may come late or not at all. crew_end returns when all calls have returned. */
void crew_begin(struct crew *, void (*work)(void *, unsigned thread), void *);
void crew_end(struct crew *);
/* How many times a waiting thread polls before it sleeps or yields its processor. */
unsigned crew_patience(const struct crew *);
/* A pause between two polls, after so many that failed: yields the processor if they were many. */
void crew_pause(unsigned looks);

#endif
