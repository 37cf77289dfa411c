/* Do the values of a machine go together? */
#ifndef REPRISE_REPLAY_BASE_MACHINE_CHECK_H
#define REPRISE_REPLAY_BASE_MACHINE_CHECK_H

#include "replay/base/machine.h"
#include "replay/base/machine_settings.h"

struct machine_check {
    struct machine *machine;         /* unchanged; all values are there, each within its own limits */
    const struct settings *settings; /* what gave them, for messages */
    bool *inconsistent;              /* NULL, or set where they do not go together */
    machine_fits_fn *fits;
};
/* False: RP_USAGE if a value of an option takes part in it, else RP_BAD_INPUT. */
bool machine_consistent(const struct machine_check *, struct rp_error *);

#endif
