/* What a sweep replays: each trace on each machine with every combination of what varies, less what is excluded. It
 * comes from the command line, from files with the same options (plan_file.c), or from both. */
#ifndef REPRISE_TOOLS_SWEEP_PLAN_H
#define REPRISE_TOOLS_SWEEP_PLAN_H

#include "tools/replaying/repeating.h"
#include "tools/sweep/condition.h"
#include "tools/variants/variant.h"

#define MOST_SWEPT 10000000 /* combinations */

/* An option as it was given, wherever. */
struct sweep_given {
    const char *name;
    char *value; /* NULL: a switch */
};

struct sweep_plan {
    struct sweep_given *given; /* so that another process can be told the same */
    size_t given_count;
    char **traces, **machines;
    size_t trace_count, machine_count;
    struct machine_args base; /* with --set */
    struct axes axes;
    struct conditions excluded;
    struct replay_options replay; /* launch, engine, seed, sample */
    struct repeat_args batches;   /* least is 0: one replay */
    unsigned detail;              /* enum store_detail */
    char **texts;                 /* what the base points to */
    size_t text_count;
};
#define SWEEP_PLAN                                                                                                     \
    {                                                                                                                  \
        .replay = {.launch = -1, .seed = 1}, .batches = REPEAT_ARGS                                                    \
    }

/* The options that a plan has, in a file as on the command line: X(name, what follows it). */
#define SWEEP_PLAN_OPTIONS(X)                                                                                          \
    X(trace, TEXTS)                                                                                                    \
    X(machine, TEXTS)                                                                                                  \
    X(set, TEXTS)                                                                                                      \
    X(vary, TEXTS)                                                                                                     \
    X(exclude, TEXTS)                                                                                                  \
    X(launch, NUMBER)                                                                                                  \
    X(seed, NUMBER)                                                                                                    \
    X(sample, TEXTS)                                                                                                   \
    X(batches, TEXTS)                                                                                                  \
    X(confidence, TEXTS)                                                                                               \
    X(width, TEXTS)                                                                                                    \
    X(engine, TEXTS)                                                                                                   \
    X(launches, SWITCH)                                                                                                \
    X(stalls, SWITCH)

/* Takes the value of one of these options; a switch has none. The name is a literal. Errors are RP_USAGE. */
bool sweep_plan_add(struct sweep_plan *, const char *option, const char *value, struct rp_error *);
/* Adds all of a file in libconfig's syntax. Errors name file and line. */
bool sweep_plan_read(struct sweep_plan *, const char *path, struct rp_error *);
/* After the last of them: is it a plan? */
bool sweep_plan_finish(struct sweep_plan *, struct rp_error *);
void sweep_plan_free(struct sweep_plan *);

/* Combinations of the axes; 0 with RP_USAGE: too many. */
size_t sweep_plan_variants(const struct sweep_plan *, struct rp_error *);
/* Whether a combination is excluded for the trace. */
bool sweep_plan_excludes(const struct sweep_plan *, size_t variant, const char *trace);

#endif
