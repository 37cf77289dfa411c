/* Ranges of whole numbers as values: "1..4", "100..400:+100", "32K..128K:x2". */
#ifndef REPRISE_TOOLS_VARIANTS_RANGE_H
#define REPRISE_TOOLS_VARIANTS_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefmt/error.h"

struct range {
    long long from, to; /* both belong to it, if the steps meet them */
    long long step;     /* added, or, if `factor`, multiplied by */
    bool factor;
    char suffix; /* 0, or K, M, G or k, m, g: that of `from` */
};

/* Whether the text begins as a range: a number and "..". */
bool range_begins(const char *text);
/* Errors are RP_USAGE: it ends as none, is empty, or has more than `most` numbers. */
bool range_read(const char *text, size_t most, struct range *, size_t *count, struct rp_error *);

#define RANGE_NUMBER 24
/* Number i of the range, with the suffix where it divides evenly. */
void range_number(const struct range *, size_t i, char text[RANGE_NUMBER]);

#endif
