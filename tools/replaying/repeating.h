/* Repeated replays of machines with random numbers: the options, and the statistics over batches. */
#ifndef REPRISE_TOOLS_REPLAYING_REPEATING_H
#define REPRISE_TOOLS_REPLAYING_REPEATING_H

#include "replay/session/repeat.h"
#include "tools/lib/command.h"
#include "tools/lib/json.h"
#include "tools/ui/table.h"

struct repeat_args {
    struct repeat_request request; /* least is 0 without --batches */
    const char *needs_batches;     /* NULL, or an option that is given and needs --batches */
    uint64_t seed;
};
#define REPEAT_ARGS                                                                                                    \
    {                                                                                                                  \
        .request = {.confidence = 0.95, .width = 0.1}, .seed = 1                                                       \
    }

enum { KEY_BATCHES = 400, KEY_CONFIDENCE, KEY_WIDTH, KEY_SEED };
/* Their rows in a table of options. */
#define REPEAT_ROWS                                                                                                    \
    {"batches", KEY_BATCHES, "MIN..MAX",                                                                               \
     "Where the machine has chance in it: replay so often, or N times, until the mean of the cycles is known"},        \
        {"confidence", KEY_CONFIDENCE, "P", "With --batches: of the intervals of means (0.95)"},                       \
        {"width", KEY_WIDTH, "X",                                                                                      \
         "With --batches: stop once half the interval is at most X times the mean cycles (0.1)"},                      \
    {                                                                                                                  \
        "seed", KEY_SEED, "N", "Of chance: the same seed gives the same replays (1)"                                   \
    }

/* batches.c: reads the value of "batches", "confidence" or "width", which is the option's name. RP_USAGE. */
bool repeat_parse(const char *option, const char *text, struct repeat_args *, struct rp_error *);
/* The same: RP_USAGE if an option is given that needs --batches. */
bool repeat_agrees(const struct repeat_args *, struct rp_error *);
/* Takes one of these options. False: it is none of them. */
bool repeat_option(struct command_line *, int key, const char *argument, struct repeat_args *);
/* At KEY_END: checks that the options fit together. */
void repeat_check(struct command_line *, const struct repeat_args *);

/* "424 batches: half the interval at 0.95 is within 0.1 of the mean" */
void repeat_print_summary(const struct repeat_args *, const struct repeat_result *);
/* A table of the statistics; those that are always 0 are left out, but not in CSV. origin: NULL: no CSV. */
void repeat_print_table(const struct machine *, const struct repeat_result *, const struct csv_origin *);
/* "Mean 218.0, deviation 228.9: known without a replay"; in CSV a row of figures below its heading. */
void exact_print(const struct engine_exact *, const struct csv_origin *);
/* Members "batches", "cycles" (of each), "exact" and "statistics" of a result. */
void repeat_json(struct json_stream *, const struct machine *, const struct repeat_args *,
                 const struct repeat_result *);
json_t *exact_json(const struct engine_exact *);

#endif
