/* Options that several commands have. Their rows are written once, and one function takes their values. A command puts
 * the rows into its table and says where the values go. */
#ifndef REPRISE_TOOLS_REPLAYING_OPTIONS_H
#define REPRISE_TOOLS_REPLAYING_OPTIONS_H

#include "tools/lib/command.h"
#include "tools/replaying/replaying.h"

enum { KEY_CSV = 500, KEY_BY, KEY_TOP, KEY_CACHE };

/* use: "Machine to replay on"; set: "" or of which machine, " in all variants". */
#define ROWS_MACHINE(use, set)                                                                                         \
    {"machine", 'm', "NAME", use ": a name from 'reprise machine list', or a machine file"}, ROW_SET("Change", set)
#define ROW_SET(change, where)                                                                                         \
    {                                                                                                                  \
        "set", 's', "KEY=VALUE", change " an option of the machine" where "; may be repeated"                          \
    }
/* use: "Replay". */
#define ROW_LAUNCH(use)                                                                                                \
    {                                                                                                                  \
        "launch", 'l', "N", use " this launch only, counted from 0"                                                    \
    }
/* what: "Replay N variants at once". */
#define ROW_THREADS(what, more)                                                                                        \
    {                                                                                                                  \
        "threads", 't', "N", what " (0: one per CPU)" more                                                             \
    }
/* what: "N hottest". */
#define ROW_TOP(what)                                                                                                  \
    {                                                                                                                  \
        "top", KEY_TOP, "N", "With --by: the " what ", and the others as one (20, in CSV and JSON all; 0: all)"        \
    }
/* what: "the table"; more: "", or text that follows */
#define ROW_CSV(what, more)                                                                                            \
    {                                                                                                                  \
        "csv", KEY_CSV, NULL, "Print " what " as comma-separated values" more                                          \
    }
#define ROW_JSON(more)                                                                                                 \
    {                                                                                                                  \
        "json", 'j', NULL, "Print the result as JSON" more                                                             \
    }
/* more: "", or the results that are not kept */
#define ROW_CACHE(more)                                                                                                \
    {                                                                                                                  \
        "cache", KEY_CACHE, "DIR", "Take the results that are in this folder, and keep new ones there" more            \
    }
#define ROW_OUTPUT(argument, what)                                                                                     \
    {                                                                                                                  \
        "output", 'o', argument, what                                                                                  \
    }
#define ROW_QUIET(without)                                                                                             \
    {                                                                                                                  \
        "quiet", 'q', NULL, without                                                                                    \
    }
#define NO_WARNINGS "No progress, no warnings"
#define NO_SUMMARY "No progress, no summary"

/* Where the values go. NULL: the command has no such option, or handles it itself. */
struct shared_values {
    const char **trace; /* the one argument */
    struct machine_args *machine;
    int64_t *launch;
    unsigned *threads;
    long long *top;
    const char **output, **cache;
    bool *json, *csv, *quiet;
};

/* Takes the value of a shared option. False: the key is no shared option, or its place is NULL. */
bool shared_option(struct command_line *, int key, char *argument, const struct shared_values *);

/* At the end of the options. keeps: the command keeps results, so the folder of --cache is made; else `*cache` is set
 * to NULL, as if it had not been given. */
void cache_settle(struct command_line *, const char **cache, bool keeps);

#endif
