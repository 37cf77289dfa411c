/* Checks the values of a machine against one another. */
#ifndef REPRISE_REPLAY_BASE_MACHINE_CHECK_H
#define REPRISE_REPLAY_BASE_MACHINE_CHECK_H

#include "replay/base/machine.h"
#include "replay/base/machine_settings.h"

struct machine_check {
    struct machine *machine;         /* not changed; each value is there and within its limits */
    const struct settings *settings; /* where the values come from, for messages */
    bool *inconsistent;              /* NULL, or set if values contradict one another */
    machine_fits_fn *fits;
};
/* False: values contradict one another. RP_USAGE if an option gave one of them, else RP_BAD_INPUT. */
bool machine_consistent(const struct machine_check *, struct rp_error *);

#endif
