/* What the parts of reprise diff share: the variants of a machine, and what becomes of them. */
#ifndef REPRISE_TOOLS_DIFF_DIFF_H
#define REPRISE_TOOLS_DIFF_DIFF_H

#include <pthread.h>
#include <stdatomic.h>

#include "tools/diff/axes.h"
#include "tools/hotspots/hotspots.h"
#include "tools/replaying/repeating.h"
#include "tools/replaying/replaying.h"
#include "tools/results/cache.h"
#include "tools/ui/progress.h"

#define VARIED_MACHINE "machine" /* the key that is no option of a machine, but which one it is */

struct diff_args {
    const char *trace;
    struct repeat_args repeat;
    struct machine_args machine;
    struct axes axes;
    unsigned threads;
    int64_t launch;
    char *baseline; /* NULL: the first variant */
    const char *by; /* NULL: launches, not places */
    enum place_kind kind;
    long long top;     /* -1: as many as fit the output; 0: all */
    const char *cache; /* NULL: none */
    bool json, csv, quiet, all_launches, by_cycles;
};

struct diff_variant {
    const char *values[MOST_KEYS]; /* one per key; NULL: the part has no such option in this variant */
    struct machine *machine;       /* NULL: these values do not go together */
    struct result once;            /* without --batches */
    struct hotspots hotspots;      /* with --by */
    struct repeat_result result;   /* with it */
    struct rp_error error;
    bool fine; /* it was replayed */
};

struct diff {
    struct diff_args *args;
    struct rp_trace *trace;
    struct diff_variant *variants;
    size_t count, baseline;
    struct places *places; /* with --by */
    struct source_files *files;
    struct result_cache cache;
    atomic_size_t next;
    pthread_mutex_t lock;
    uint64_t done, total; /* warp instructions of all variants */
    struct progress bar;
};

/* variants.c: makes all of them, each once. One whose values do not go together has no machine, and says why; false: a
 * value is wrong in itself. */
bool diff_make_variants(struct diff *, struct rp_error *);
/* Their machines again, with the probabilities that memory.from asks for. */
bool diff_resolve_shares(struct diff *, struct rp_error *);
/* After the replays: ratios need a variant that ran. */
bool diff_find_baseline(struct diff *, struct rp_error *);
/* NULL: the machine is not varied. */
const char *diff_varied_machine(const struct axes *);

/* results.c: prints what one replay of each gave; an exit status. */
int diff_print_results(const struct diff *);
json_t *diff_varied_json(const struct diff *, const struct diff_variant *);
/* The document, with what `one` says of each variant, in this order (NULL: as they are). */
int diff_print_json(const struct diff *, const size_t *order,
                    void (*one)(struct json_stream *, const struct diff *, const struct diff_variant *));

/* batches.c: variants of a machine with chance in it. Means of many replays, and of the differences between replays
 * with the same random stream: batch b of each variant draws the same for the same access, so differences vary less
 * than what is compared. Replays all variants, so often that each has its width, and all as often, and prints; an exit
 * status. A variant that fails fails alone. */
int diff_batches(struct diff *);

#endif
