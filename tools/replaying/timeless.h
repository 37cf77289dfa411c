/* Parts that a machine has and that take no time: choosing them changes no cycle, which looks like a result. */
#ifndef REPRISE_TOOLS_REPLAYING_TIMELESS_H
#define REPRISE_TOOLS_REPLAYING_TIMELESS_H

#include "replay/base/machine.h"

/* One warning on stderr that names the machine's instruction cache, constant cache and TLBs without times, and the
 * options that give them some. *told: the parts named before, which are left out; 0 at first. */
void timeless_warn(const struct machine *, unsigned *told);

#endif
