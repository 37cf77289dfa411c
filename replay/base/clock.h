/* Clocks beside the core's. Cycle n of a clock of `mhz` begins n / mhz after the first launch; cycle c of the core
 * begins c / core mhz after it. Conversions are exact: clocks are ratios of whole numbers. */
#ifndef REPRISE_REPLAY_BASE_CLOCK_H
#define REPRISE_REPLAY_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock_domain {
    uint64_t own, core; /* `own` cycles take as long as `core` cycles of the core; equal: the core's clock */
};

/* mhz 0: the core's clock. Both frequencies in the same unit. */
static inline struct clock_domain clock_domain_of(int64_t mhz, int64_t core_mhz)
{
    uint64_t a = mhz ? (uint64_t)mhz : (uint64_t)core_mhz, b = (uint64_t)core_mhz;
    for (uint64_t rest; b; b = rest) {
        rest = a % b;
        a = b;
    }
    return (struct clock_domain){(mhz ? (uint64_t)mhz : (uint64_t)core_mhz) / a, (uint64_t)core_mhz / a};
}

/* Its mhz, in the unit of the core's. */
static inline int64_t clock_mhz_of(const struct clock_domain *d, int64_t core_mhz)
{
    return core_mhz / (int64_t)d->core * (int64_t)d->own;
}

static inline bool clock_is_core(const struct clock_domain *d) { return d->own == d->core; }

static inline uint64_t clock_ratio(uint64_t cycles, uint64_t to, uint64_t from, uint64_t up)
{
    return (uint64_t)(((unsigned __int128)cycles * to + up) / from);
}

/* The first cycle of this clock that begins no earlier than the core's cycle. */
static inline uint64_t clock_from_core(const struct clock_domain *d, uint64_t core)
{
    return clock_is_core(d) ? core : clock_ratio(core, d->own, d->core, d->core - 1);
}

/* The cycle of the core in which cycle `own` of this clock begins. */
static inline uint64_t clock_in_core(const struct clock_domain *d, uint64_t own)
{
    return clock_is_core(d) ? own : clock_ratio(own, d->core, d->own, 0);
}

/* The first cycle of the core that begins no earlier than cycle `own` of this clock. */
static inline uint64_t clock_after_core(const struct clock_domain *d, uint64_t own)
{
    return clock_is_core(d) ? own : clock_ratio(own, d->core, d->own, d->own - 1);
}

#endif
