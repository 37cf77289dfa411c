/* Threads that do rounds of work together. */
#ifndef REPRISE_REPLAY_ENGINES_FAST_THREAD_POOL_H
#define REPRISE_REPLAY_ENGINES_FAST_THREAD_POOL_H

struct crew;

/* `threads`: with the one that calls crew_begin. There may be fewer when the system gives no more. NULL: out of memory.
 */
struct crew *crew_new(unsigned threads);
void crew_free(struct crew *);
/* How many there are. */
unsigned crew_threads(const struct crew *);
/* A round, from its begin to its end: work(data, n) is called on each other thread n that comes before the end. The
 * work must not need them: one may come late or not at all. crew_end returns when all calls have. */
void crew_begin(struct crew *, void (*work)(void *, unsigned thread), void *);
void crew_end(struct crew *);
/* How often a thread that waits for another looks before it sleeps or leaves the processor to others. */
unsigned crew_patience(const struct crew *);
/* After so many looks in vain. */
void crew_pause(unsigned looks);

#endif
