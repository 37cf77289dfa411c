/* What commands that replay share: the machine of the command line, and results as JSON and tables. */
#ifndef REPRISE_TOOLS_REPLAYING_REPLAYING_H
#define REPRISE_TOOLS_REPLAYING_REPLAYING_H

#include <stdbool.h>
#include <stddef.h>

#include "replay/session/replay.h"
#include "tools/lib/json.h"
#include "tools/results/launch_log.h"

#define MOST_SETTINGS 256

/* Options of the command line that several commands share. */
struct machine_args {
    const char *machine;
    struct machine_setting settings[MOST_SETTINGS];
    size_t count;
    /* Schedulers that later replace the machine's own, one after the other; the options of each may be set. */
    const char *const *schedulers;
    size_t scheduler_count;
    const char *late_option; /* the option that gives the settings from number `late` on; NULL: --set gives all */
    size_t late;
    bool *left_out, *inconsistent; /* as in struct machine_request */
    bool machine_varies;           /* the same */
};

/* Adds the setting "key=value". The text is changed, and must stay valid. */
bool machine_args_set(struct machine_args *, char *text, struct rp_error *);
/* Opens the machine with these settings and `extra` more. */
struct machine *machine_args_open(const struct machine_args *, const struct machine_setting *extra, size_t extra_count,
                                  struct rp_error *);
/* Reads a whole number from `least` to `most` that is all of the text. */
bool parse_number(const char *option, const char *text, long long least, long long most, long long *value,
                  struct rp_error *);

/* Opens a trace whose launches a command wants. NULL with RP_BAD_INPUT: the file is something else, or has no launches.
 */
struct rp_trace *trace_of_launches(const char *path, struct rp_error *);
/* Whether the trace is not whole, which is said unless `quiet`. */
bool trace_is_damaged(const struct rp_trace *, bool quiet);

/* Where a command prints its traces, one after the other. */
struct trace_output {
    struct json_stream json; /* json.name: the document, whose list "traces" gets an element for each; NULL: no JSON */
    bool csv;                /* one table of all traces; other text is parted by an empty line */
    bool follows;            /* a trace was printed before */
};
/* `one` prints a trace, and returns its status. Of several, all are looked for before anything is printed. Goes on
 * after RP_PARTIAL only; then the document has what was printed until then. Returns the last status that is not RP_OK.
 */
int each_trace(char **traces, size_t count, struct trace_output *, int (*one)(void *data, const char *trace),
               void *data);

/* --threads: 0 is one per CPU, in every command. */
bool parse_threads(const char *text, unsigned *threads, struct rp_error *);

/* An option's value: a number, true, false, or a string. */
json_t *option_json(const char *value);
/* {"name", "hash", "options": {"l1.size": 24576, ...}}, without the options of the device */
json_t *machine_json(const struct machine *);
/* {"file", "sha256", "bytes", "module", "module_sha256", "tool"}; NULL with err when the file cannot be read. */
json_t *trace_json(struct rp_trace *, struct rp_error *);
/* Sets object.a.b.c from "a.b.c". */
void json_put_path(json_t *object, const char *path, json_t *);
/* All statistics, dots in names as nested objects, and what follows from them: "us", "ipc", "occupancy.achieved",
 * "main_stall" and, on chips of many cores, "speedup". */
json_t *statistics_json(const struct machine *, const struct statistics *);
/* The same with members of the launch: "launch", "kernel" and "symbol" (its names in the source and in the module),
 * "grid", "block", "device", "dependencies" (control words or scoreboard), "begin" and "end" (cycles since the first
 * launch began), "warning" if there is one, "overlaps" if others ran at the same time, and if not all was replayed
 * "source", "equal" (the launch that this one equals) and "half_width" (of its cycles). A launch that overlaps lacks
 * the statistics of what the launches share. */
json_t *launch_json(struct rp_trace *, const struct machine *, const struct replay_launch *);

/* Prints a result's members "launches" and "total". */
void results_json(struct json_stream *, struct rp_trace *, const struct machine *, const struct launch_log *,
                  const struct statistics *total);

/* RP_PARTIAL if the trace is damaged, or a launch of the result was not replayed to its end; else RP_OK. */
int replay_status(const struct rp_trace *, const struct launch_log *);
/* Prints each launch's warning on stderr. */
void print_warnings(const struct rp_trace *, const struct launch_log *);

#endif
