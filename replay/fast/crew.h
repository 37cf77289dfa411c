/* Threads that do rounds of work together. */
#ifndef REPRISE_REPLAY_FAST_CREW_H
#define REPRISE_REPLAY_FAST_CREW_H

struct crew;

/* `threads`: with the one that calls crew_run. There may be fewer when the system gives no more. NULL: out of memory.
 */
struct crew *crew_new(unsigned threads);
void crew_free(struct crew *);
/* How many there are. */
unsigned crew_threads(const struct crew *);
/* A round: calls work(data, 0) here, and work(data, n) on each other thread n that comes before that one returns. The
 * work must not need all threads: one may come late or not at all. Returns when all calls have. */
void crew_run(struct crew *, void (*work)(void *, unsigned thread), void *);

#endif
