/* What the host had written before a launch, in L2. */
#ifndef REPRISE_REPLAY_MEMORY_WARM_UP_H
#define REPRISE_REPLAY_MEMORY_WARM_UP_H

#include "replay/memory/memory_system.h"
#include "tracefmt/reader.h"

/* Fills L2 with what copies to the device brought, and then with the allocations whose content is defined. Before the
 * first access. False: no memory. */
bool warm_l2(const struct rp_trace *, struct memory_system *, uint32_t launch, struct rp_error *);

#endif
