/* Changes a machine until the bounds cover launches on it. */
#ifndef REPRISE_TOOLS_WCET_RELAX_H
#define REPRISE_TOOLS_WCET_RELAX_H

#include "tools/replaying/replaying.h"
#include "tools/wcet/needs.h"

#define WCET_MOST_RELAXED 128

/* What was changed. The settings are those of the machine's arguments, from number `first` on, and their text is here.
 */
struct wcet_relaxed {
    size_t first, count;
    unsigned assumed; /* a bit per enum wcet_extension */
    char text[WCET_MOST_RELAXED][48];
};

/* Adds settings to the machine's, and assumptions to *extensions, until launches of the trace are covered, as far as
 * settings mend it. May be called for several traces. False: the machine cannot be opened so, or there are too many. */
bool wcet_relax(struct wcet_relaxed *, struct machine_args *, unsigned *extensions, struct rp_trace *,
                const char *block, struct rp_error *);

#endif
