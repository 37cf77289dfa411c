/* Warms L2 up before a launch: it holds what the host had written. */
#ifndef REPRISE_REPLAY_MEMORY_WARM_UP_H
#define REPRISE_REPLAY_MEMORY_WARM_UP_H

#include "replay/memory/memory_system.h"
#include "tracefmt/reader.h"

/* Fills L2 with the bytes of copies to the device, and then with the allocations whose content is defined. Call it
 * before the first access. False: out of memory. */
bool warm_l2(const struct rp_trace *, struct memory_system *, uint32_t launch, struct rp_error *);

#endif
