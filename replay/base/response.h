/* Which level answered, and when, in one number: the cycle above, the level below. So the greatest of the answers to an
 * access is the one that came last, and among those of one cycle the one from the deepest level.
 */
#ifndef REPRISE_REPLAY_BASE_RESPONSE_H
#define REPRISE_REPLAY_BASE_RESPONSE_H

#include <stdint.h>

/* NONE: no cache was asked: constants, and accesses that no lane makes. */
enum answer_level { ANSWER_NONE, ANSWER_L1, ANSWER_L2, ANSWER_DRAM, ANSWER_LEVELS };
#define ANSWER_BITS 2

static inline uint64_t answer_of(uint64_t cycle, enum answer_level l) { return cycle << ANSWER_BITS | l; }
static inline uint64_t answer_cycle(uint64_t answer) { return answer >> ANSWER_BITS; }
static inline enum answer_level answer_level(uint64_t answer)
{
    return (enum answer_level)(answer & (ANSWER_LEVELS - 1));
}
/* The same answer so many cycles later: on its way. */
static inline uint64_t answer_after(uint64_t answer, uint64_t cycles) { return answer + (cycles << ANSWER_BITS); }

#endif
