/* Threads that do rounds of work together: each round is a number of independent items. */
#ifndef REPRISE_REPLAY_FAST_CREW_H
#define REPRISE_REPLAY_FAST_CREW_H

struct crew;

/* `threads`: with the one that calls crew_run. There may be fewer when the system gives no more. NULL: out of memory.
 */
struct crew *crew_new(unsigned threads);
void crew_free(struct crew *);
/* Calls work once for each item below `count`, at most 65535, from several threads; `thread` is below the number of
 * threads. Returns when all are done. */
void crew_run(struct crew *, unsigned count, void (*work)(void *, unsigned thread, unsigned item), void *);

#endif
