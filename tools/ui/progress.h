/* Progress of long work on stderr: a bar with rate and time left on a terminal, a line now and then elsewhere, nothing
 * for work that ends within a second. */
#ifndef REPRISE_TOOLS_UI_PROGRESS_H
#define REPRISE_TOOLS_UI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *label, *unit; /* "recording", "blocks" */
    double started, shown;
    bool terminal, quiet, visible;
};

void progress_begin(struct progress *, const char *label, const char *unit, bool quiet);
/* May be called as often as one likes, from one thread at a time. `rate_count` counted so far in `rate_unit`
 * ("warp instructions"), 0 with NULL: none. */
void progress_update(struct progress *, uint64_t done, uint64_t total, uint64_t rate_count, const char *rate_unit);
void progress_end(struct progress *); /* clears the bar */

#endif
