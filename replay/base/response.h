/* A response in one number: the cycle in the high bits, the level that served the request in the low bits. So the
 * maximum of the responses to an access is the last one, and of several in one cycle the one from the deepest level.
 */
#ifndef REPRISE_REPLAY_BASE_RESPONSE_H
#define REPRISE_REPLAY_BASE_RESPONSE_H

#include <stdint.h>

/* NONE: no cache was accessed, as for constants and accesses without lanes. */
enum answer_level { ANSWER_NONE, ANSWER_L1, ANSWER_L2, ANSWER_DRAM, ANSWER_LEVELS };
#define ANSWER_BITS 2

static inline uint64_t answer_of(uint64_t cycle, enum answer_level l) { return cycle << ANSWER_BITS | l; }
static inline uint64_t answer_cycle(uint64_t answer) { return answer >> ANSWER_BITS; }
static inline enum answer_level answer_level(uint64_t answer)
{
    return (enum answer_level)(answer & (ANSWER_LEVELS - 1));
}
/* The response delayed by so many cycles. */
static inline uint64_t answer_after(uint64_t answer, uint64_t cycles) { return answer + (cycles << ANSWER_BITS); }

#endif
