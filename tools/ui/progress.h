/* Progress of long work on standard error. On a terminal it is a bar with rate and remaining time, no wider than the
 * terminal is at that moment. Elsewhere, and on a terminal without escape sequences (TERM=dumb), it is an occasional
 * line. Work that ends within a second shows nothing. */
#ifndef REPRISE_TOOLS_UI_PROGRESS_H
#define REPRISE_TOOLS_UI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *label, *unit; /* "recording", "blocks" */
    double started, shown;    /* seconds of a monotonic clock */
    bool terminal, quiet, visible;
};

void progress_begin(struct progress *, const char *label, const char *unit, bool quiet);
/* May be called at any rate, from one thread at a time. `rate_count`: the count so far in `rate_unit` ("warp
 * instructions"); 0 and NULL: no rate. */
void progress_update(struct progress *, uint64_t done, uint64_t total, uint64_t rate_count, const char *rate_unit);
void progress_end(struct progress *); /* clears the bar */

/* The content of one line. */
struct progress_state {
    const char *label, *unit;
    uint64_t done, total;
    const char *rate_unit; /* NULL: no rate is known */
    double rate;           /* per second */
    double left;           /* remaining seconds; below 0: not known */
};

/* Writes the line, at most `columns` characters (at least 1) of one byte each, without a line end. If it does not fit,
 * the bar gets shorter; then rate, unit, bar and remaining time are left out, in this order. */
void progress_line(const struct progress_state *, unsigned columns, bool bar, char *text, size_t size);

#endif
