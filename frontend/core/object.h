/* Barrier objects in shared memory (PTX: mbarrier): 64 opaque bits.
 *
 *     0..19   arrivals that the current phase waits for
 *    20..39   arrivals that each phase waits for
 *    40..60   bytes that the current phase waits for, signed: copies may complete before they are expected
 *    61..63   the phase, modulo 8
 *
 * block.phases has the full number of the phase, for the trace.
 *
 * A phase is over as soon as it waits for nothing; then the next one begins. An arrival returns the object's previous
 * value, a token of the phase. */
#ifndef REPRISE_FRONTEND_CORE_OBJECT_H
#define REPRISE_FRONTEND_CORE_OBJECT_H

#include <stdint.h>

#define OBJECT_COUNT_BITS 20
#define OBJECT_COUNT_MASK ((UINT64_C(1) << OBJECT_COUNT_BITS) - 1)
#define OBJECT_BYTES_AT 40
#define OBJECT_PHASE_AT 61
#define OBJECT_DROP                                                                                                    \
    (UINT64_C(1) << OBJECT_COUNT_BITS) /* part of a change: the arriving threads are no longer expected */

static inline uint64_t object_made(uint32_t count)
{
    return ((uint64_t)count & OBJECT_COUNT_MASK) * (1 | UINT64_C(1) << OBJECT_COUNT_BITS);
}

/* The bytes that the current phase waits for. */
static inline int64_t object_bytes(uint64_t object)
{
    return (int64_t)(object << (64 - OBJECT_PHASE_AT)) >> (64 - OBJECT_PHASE_AT + OBJECT_BYTES_AT);
}

/* The object after `change` (a number of arrivals, perhaps with OBJECT_DROP) and `bytes` more to wait for. */
static inline uint64_t object_changed(uint64_t object, uint64_t change, int64_t bytes)
{
    uint64_t arrivals = change & OBJECT_COUNT_MASK, phase = object >> OBJECT_PHASE_AT;
    uint64_t pending = object - arrivals, all = object >> OBJECT_COUNT_BITS;
    int64_t open = object_bytes(object);
    all -= change & OBJECT_DROP ? arrivals : 0;
    pending &= OBJECT_COUNT_MASK;
    all &= OBJECT_COUNT_MASK;
    open += bytes;
    if (!pending && !open) {
        pending = all;
        phase++;
    }
    uint64_t kept = (uint64_t)open << (64 - OBJECT_PHASE_AT + OBJECT_BYTES_AT) >> (64 - OBJECT_PHASE_AT);
    return pending | all << OBJECT_COUNT_BITS | kept | phase << OBJECT_PHASE_AT;
}

#endif
