/* The data of reprise diff: the variants of a machine, and their results. */
#ifndef REPRISE_TOOLS_DIFF_DIFF_H
#define REPRISE_TOOLS_DIFF_DIFF_H

#include <pthread.h>
#include <stdatomic.h>

#include "tools/hotspots/hotspots.h"
#include "tools/replaying/repeating.h"
#include "tools/replaying/replaying.h"
#include "tools/results/cache.h"
#include "tools/ui/progress.h"
#include "tools/variants/variant.h"

#define MOST_VARIANTS 4096

struct diff_args {
    char **traces;
    size_t trace_count;
    const char *trace; /* the one that is replayed */
    struct trace_output out;
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
    const char *values[MOST_KEYS]; /* one per key; NULL: the option does not exist in this variant */
    struct machine *machine;       /* NULL: these values do not fit together */
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

/* variants.c: makes each variant once. A variant whose values do not fit together has no machine, and its error says
 * why. False: a value is wrong in any variant. */
bool diff_make_variants(struct diff *, struct rp_error *);
/* Opens the machines again, with the probabilities for which memory.from asks. */
bool diff_resolve_shares(struct diff *, struct rp_error *);
/* Call it after the replays: the baseline must be a variant that ran. */
bool diff_find_baseline(struct diff *, struct rp_error *);

/* results.c: prints the results of one replay per variant. Returns the exit status. */
int diff_print_results(const struct diff *);
json_t *diff_varied_json(const struct diff *, const struct diff_variant *);
/* Prints the JSON document, with `one` for each variant, in this order (NULL: that of the variants). */
int diff_print_json(const struct diff *, const size_t *order,
                    void (*one)(struct json_stream *, const struct diff *, const struct diff_variant *));

/* With what rows of CSV about a variant begin: trace, machine, and the values that vary. */
size_t diff_csv_count(const struct diff *);
void diff_csv_heading(struct table *, const struct diff *);
void diff_csv_cells(struct table *, const struct diff *, const struct diff_variant *);

/* batches.c: variants with random numbers. Prints means over many replays, and means of the differences between replays
 * with the same random stream: batch b of each variant samples the same number for the same access, so the differences
 * vary less than the cycles. All variants are replayed equally often, until each has the requested width. An error of
 * one variant does not stop the others. Returns the exit status. */
int diff_batches(struct diff *);

#endif
