/* What pipeline `staged` asks of a machine's other parts, and other pipelines of parts that are made for it. */
#ifndef REPRISE_REPLAY_ENGINES_STAGED_FITS_H
#define REPRISE_REPLAY_ENGINES_STAGED_FITS_H

#include "replay/base/machine.h"

#define STAGED_MOST_COLLECTORS 64

struct staged_misfit {
    const char *keys[2]; /* whose values do not go together; the second may be NULL */
    char text[300];
};

/* False: something does not fit, and *out says what. */
bool staged_fits(const struct machine *, struct staged_misfit *out);

#endif
