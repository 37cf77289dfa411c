/* What the commands that replay have in common: the machine on the command line, and results as JSON and tables. */
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
    /* Schedulers that the machine will have instead of its own, one after the other: options of each may be set. */
    const char *const *schedulers;
    size_t scheduler_count;
    const char *late_option; /* that gives settings from number `late` on; NULL: --set gives all */
    size_t late;
    bool *left_out, *inconsistent; /* as in struct machine_request */
};

/* Takes "key=value" apart and keeps it; the text stays where it is and is changed. */
bool machine_args_set(struct machine_args *, char *text, struct rp_error *);
/* The machine with these settings and `extra` more. */
struct machine *machine_args_open(const struct machine_args *, const struct machine_setting *extra, size_t extra_count,
                                  struct rp_error *);
/* A whole number from least to most, all of the text. */
bool parse_number(const char *option, const char *text, long long least, long long most, long long *value,
                  struct rp_error *);

/* --threads: 0 is one per CPU, in every command. */
bool parse_threads(const char *text, unsigned *threads, struct rp_error *);

/* An option's value: a number, true, false, or a string. */
json_t *option_json(const char *value);
/* {"name", "hash", "options": {"l1.size": 24576, ...}}, without what programs are told of the device */
json_t *machine_json(const struct machine *);
/* {"file", "sha256", "bytes", "module", "module_sha256", "tool"}; NULL with err when the file cannot be read. */
json_t *trace_json(struct rp_trace *, struct rp_error *);
/* Sets object.a.b.c from "a.b.c". */
void json_put_path(json_t *object, const char *path, json_t *);
/* All statistics, dots in names as nested objects, and the ratios "ipc" and "occupancy.achieved". */
json_t *statistics_json(const struct machine *, const struct statistics *);
/* The same with the launch's "launch", "kernel", "grid", "block", what held its instructions back ("dependencies"),
 * its "begin" and "end" in cycles since the first launch began, if there is one "warning", and "overlaps" if
 * others ran at the same time: then it has no statistics of what they share. */
json_t *launch_json(struct rp_trace *, const struct machine *, const struct replay_launch *);

/* Prints a result's members "launches" and "total". */
void results_json(struct json_stream *, struct rp_trace *, const struct machine *, const struct launch_log *,
                  const struct statistics *total);

/* RP_PARTIAL if the trace is damaged, or a launch of the result was not replayed to its end; else RP_OK. */
int replay_status(const struct rp_trace *, const struct launch_log *);
/* Prints each launch's warning on stderr. */
void print_warnings(const struct launch_log *);

#endif
