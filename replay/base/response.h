/* A response in one number: the cycle in the high bits, the level that served the request in the low bits. So the
 * maximum of the responses to an access is the last one, and of several in one cycle the one from the deepest level.
 */
#ifndef REPRISE_REPLAY_BASE_RESPONSE_H
#define REPRISE_REPLAY_BASE_RESPONSE_H

#include <stdint.h>

/* NONE: no cache was accessed, as for constants and accesses without lanes. */
enum response_level { RESPONSE_NONE, RESPONSE_L1, RESPONSE_L2, RESPONSE_DRAM, RESPONSE_LEVELS };
#define RESPONSE_BITS 2

static inline uint64_t response_of(uint64_t cycle, enum response_level l) { return cycle << RESPONSE_BITS | l; }
static inline uint64_t response_cycle(uint64_t response) { return response >> RESPONSE_BITS; }
static inline enum response_level response_level(uint64_t response)
{
    return (enum response_level)(response & (RESPONSE_LEVELS - 1));
}
/* The response delayed by so many cycles. */
static inline uint64_t response_after(uint64_t response, uint64_t cycles)
{
    return response + (cycles << RESPONSE_BITS);
}

#endif
