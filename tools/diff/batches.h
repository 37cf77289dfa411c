/* Variants of a machine with chance in it: means of many replays, and of the differences between replays with the same
 * luck. Batch b of each variant draws the same for the same access, so differences vary less than what is compared. */
#ifndef REPRISE_TOOLS_DIFF_BATCHES_H
#define REPRISE_TOOLS_DIFF_BATCHES_H

#include "tools/diff/axes.h"
#include "tools/repeating.h"

struct batches_variant {
    const char *const *values; /* [keys]; NULL: it has no such option */
    const struct machine *machine;
    struct repeat_result result;
    const char *error; /* NULL: it ran */
};

struct batches {
    const struct axes *axes;
    const struct repeat_args *repeat;
    struct batches_variant *variants;
    size_t count, baseline;
};

/* Replays all variants, so often that each has its width, and all as often. A variant that fails fails alone. */
bool diff_batches_run(struct batches *, struct rp_trace *, const struct replay_options *, struct rp_error *);
void diff_batches_print(const struct batches *, bool csv);
/* Of one variant: members "batches", "exact", "statistics" and "difference". */
void diff_batches_json(struct json_stream *, const struct batches *, size_t variant);
void diff_batches_free(struct batches *);

#endif
