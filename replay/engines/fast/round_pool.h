/* A pool of host threads that work in rounds. */
#ifndef REPRISE_REPLAY_ENGINES_FAST_ROUND_POOL_H
#define REPRISE_REPLAY_ENGINES_FAST_ROUND_POOL_H

struct round_pool;

/* `threads` counts the caller of round_pool_begin. There may be fewer if the system gives no more. NULL: out of
 * memory. */
struct round_pool *round_pool_new(unsigned threads);
void round_pool_free(struct round_pool *);
/* The number of threads, the caller included. */
unsigned round_pool_threads(const struct round_pool *);
/* A round lasts from round_pool_begin to round_pool_end. Each other thread n that comes before the end calls
 * work(data, n). The work must not need these threads: one may come late or not at all. round_pool_end returns when
 * all calls have returned. */
void round_pool_begin(struct round_pool *, void (*work)(void *, unsigned thread), void *);
void round_pool_end(struct round_pool *);
/* How many times a waiting thread polls before it sleeps or yields its processor. */
unsigned round_pool_patience(const struct round_pool *);
/* A pause between two polls, after so many that failed: yields the processor if they were many. */
void round_pool_pause(unsigned looks);

#endif
