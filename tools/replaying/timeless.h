/* Warns of caches and TLBs of a machine that take no time: choosing them changes no cycle, which is easily taken for a
 * result. */
#ifndef REPRISE_TOOLS_REPLAYING_TIMELESS_H
#define REPRISE_TOOLS_REPLAYING_TIMELESS_H

#include "replay/base/machine.h"

/* Prints one warning that names the instruction cache, constant cache and TLBs without latencies, and the options that
 * set them. *told: the parts that earlier warnings named, which are left out; 0 at first. */
void timeless_warn(const struct machine *, unsigned *told);

#endif
