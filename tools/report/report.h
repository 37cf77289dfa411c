/* Reports: one HTML file with plots, tables and where everything comes from.
 *
 * A file needs nothing beside it, and no network. It holds a style sheet, the data as one block of JSON, the library D3
 * with its licence, and the scripts of tools/report/page/, which draw what the data have. docs/report.md says what the
 * charts show.
 */
#ifndef REPRISE_TOOLS_REPORT_REPORT_H
#define REPRISE_TOOLS_REPORT_REPORT_H

#include "tools/lib/json.h"
#include "tools/replaying/replaying.h"

/* ---- html.c, page.c ---------------------------------------------------------------------------------------------- */

/* Names the report as an output to come (cleanup.h). RP_USAGE: it cannot be written there. RP_SYSTEM: the program was
 * built without D3. */
bool report_check(const char *path, struct rp_error *);
/* Writes a report, whole or not at all, and frees its data. NULL data are an error. */
bool report_write(const char *path, json_t *data, struct rp_error *);
/* Prints what is in the report, "12 runs", and how long it is. */
void report_say(const char *path, size_t count, const char *one, const char *several);

/* A command as one types it into a shell, from the words behind "reprise", which end in NULL. The caller frees it.
 * NULL: out of memory. */
char *report_command(char *const *words);
/* The members with which the data of a report begin: "kind", "title", and "made" with "tool", "timing", "command" and
 * "date" (UTC). */
json_t *report_begin(const char *kind, const char *title, const char *command);

/* The parts of a page; a library of no bytes: there was none when the program was built. */
extern const char report_style[], report_script[], report_library[], report_licence[];
extern const uint64_t report_style_size, report_script_size, report_library_size, report_licence_size;

/* ---- roofs.c ----------------------------------------------------------------------------------------------------- */

/* What bounds a machine, per cycle of its core clock, and MHz of that. */
struct roofs {
    double issue;  /* warp instructions: sms × subcores × issue.width */
    double memory; /* bytes of device memory; 0: the machine has no such bound, or none that its options say */
    double sector; /* bytes that statistic dram.accesses counts as one */
    double mhz;
};
/* An option of the machine as text; NULL: it has none of this key. The text need not outlive the next call. */
typedef const char *option_of_fn(void *data, const char *key);
struct roofs roofs_of(option_of_fn *, void *data);
json_t *roofs_json(const struct roofs *);

/* ---- sweep.c, replay.c ------------------------------------------------------------------------------------------- */

struct report_request {
    const char *input, *output;
    const char *command; /* report_command() */
    bool quiet;
    /* of a database */
    const char *value;     /* the best run has the least of it; "+VALUE": the most */
    const char *baseline;  /* NULL: of each trace the run on the machine that the sweep began with */
    const char *pareto[2]; /* NULL: the report chooses */
    long long runs;        /* at most so many, the best ones */
    long long top;         /* source lines; -1: as many as usual; 0: all */
    bool all;              /* runs of earlier versions of the program, too */
    unsigned wait;
    /* of a trace */
    struct machine_args machine;
    struct replay_options replay;
    const char *cache;
};

/* The exit status. */
int report_sweep(const struct report_request *);
int report_replay(struct report_request *);

#endif
