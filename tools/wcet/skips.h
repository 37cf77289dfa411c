/* The launches of a trace that have no bound, by the reason. */
#ifndef REPRISE_TOOLS_WCET_SKIPS_H
#define REPRISE_TOOLS_WCET_SKIPS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tracefmt/reader.h"

/* Begins zeroed. */
struct wcet_skips {
    struct wcet_skip *list; /* one for each reason */
    size_t count;
    size_t launches; /* of all reasons */
};

/* The reason in the text of an error, which may begin with the trace or the launch. */
const char *wcet_skip_reason(const struct rp_trace *, uint32_t launch, const char *text);
/* Adds a launch; the launches come in ascending order. Out of memory: the launch is counted, and not listed. */
void wcet_skip(struct wcet_skips *, uint32_t launch, const char *reason);
/* Prints a line for each reason, with its launches, but for the reasons in `told` (NULL: none). */
void wcet_skips_print(const struct wcet_skips *, const struct wcet_skips *told, const struct rp_trace *, FILE *);
/* Adds the reasons that the first one lacks. */
void wcet_skips_join(struct wcet_skips *, const struct wcet_skips *);
void wcet_skips_free(struct wcet_skips *);

#endif
