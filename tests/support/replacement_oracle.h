/* What a replacement policy takes, stated apart from hw-models/replacement/ and as plainly as can be: by what has been
 * done with each way. */
#ifndef REPRISE_TESTS_SUPPORT_REPLACEMENT_ORACLE_H
#define REPRISE_TESTS_SUPPORT_REPLACEMENT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "hw-models/replacement/replacement.h"

struct oracle_way {
    uint64_t came, used; /* when, in the order of all that is done */
    int rank;            /* -1: goes before others, 1: after them */
    int prediction;      /* RRIP */
};

struct oracle {
    const struct oracle_policy *policy;
    uint64_t clock, random;
};

/* False: nobody has stated the policy. */
bool oracle_begin(struct oracle *, const char *policy);
void oracle_fill(struct oracle *, struct oracle_way *, enum cache_hint);
void oracle_use(struct oracle *, struct oracle_way *, enum cache_hint);
/* The one to go of a full set; `kept` may not, and one may. */
unsigned oracle_victim(struct oracle *, struct oracle_way *const *set, const bool *kept, unsigned ways);

#endif
