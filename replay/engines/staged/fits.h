/* Which machines fit the pipeline `staged`, and which parts need it. */
#ifndef REPRISE_REPLAY_ENGINES_STAGED_FITS_H
#define REPRISE_REPLAY_ENGINES_STAGED_FITS_H

#include "replay/base/machine_check.h"

#define STAGED_MOST_COLLECTORS 64

/* False: something does not fit, and *out says what. */
bool staged_fits(const struct machine *, struct machine_misfit *out);

#endif
