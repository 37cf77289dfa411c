/* Progress of long work on standard error. On a terminal it is a bar with rate and time left, no wider than the
 * terminal is at that moment. Elsewhere, and on a terminal that knows no escape sequences (TERM=dumb), it is a line now
 * and then. Work that ends within a second shows nothing. */
#ifndef REPRISE_TOOLS_UI_PROGRESS_H
#define REPRISE_TOOLS_UI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *label, *unit; /* "recording", "blocks" */
    double started, shown;    /* seconds of a clock that only grows */
    bool terminal, quiet, visible;
};

void progress_begin(struct progress *, const char *label, const char *unit, bool quiet);
/* May be called as often as one likes, from one thread at a time. `rate_count` counted so far in `rate_unit`
 * ("warp instructions"), 0 with NULL: none. */
void progress_update(struct progress *, uint64_t done, uint64_t total, uint64_t rate_count, const char *rate_unit);
void progress_end(struct progress *); /* clears the bar */

/* What one line says. */
struct progress_state {
    const char *label, *unit;
    uint64_t done, total;
    const char *rate_unit; /* NULL: no rate is known */
    double rate;           /* per second */
    double left;           /* seconds, below 0: not known */
};

/* The line as text of at most `columns` characters (at least 1, all of one byte), without a line end. It leaves out
 * what does not fit: first the bar gets shorter, then the rate goes, the unit, the bar, the time left. */
void progress_line(const struct progress_state *, unsigned columns, bool bar, char *text, size_t size);

#endif
