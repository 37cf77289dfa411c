/* Results of sweeps in an SQLite database: traces, machines, and what each trace did on each machine. docs/sweep.md
 * describes the tables.
 *
 * The database is in WAL mode while somebody writes, and each transaction is on the disk when it is committed: a
 * process that is killed, or a power cut, loses what was not committed, and nothing else. Several processes may write.
 * Whoever closes it last leaves one file. Of one thread.
 */
#ifndef REPRISE_TOOLS_STORE_STORE_H
#define REPRISE_TOOLS_STORE_STORE_H

#include <sys/types.h>

#include "replay/base/profile.h"
#include "replay/session/repeat.h"
#include "tools/results/result.h"
#include "tools/store/sql.h"

struct store_statistics {
    char **names;
    int64_t *ids;
    size_t count, at; /* at: behind the one that was asked for last */
};

struct store_file {
    dev_t device;
    ino_t number;
};

struct store {
    struct sql sql;
    struct store_statistics statistics;
    int64_t tool;           /* this program's row */
    int64_t data_version;   /* of SQLite: changes when others write */
    struct store_file file; /* of one that is written */
};

/* Opens, and makes it if it is not there. `wait`: seconds that others may have it locked. False: err says why, and
 * nothing need be freed. */
bool store_open(struct store *, const char *path, unsigned wait, struct rp_error *);
/* To be read; it must be there. */
bool store_open_read(struct store *, const char *path, unsigned wait, struct rp_error *);
void store_close(struct store *);
/* Of one that was made and could not be filled: whether it is no database of results, or has no runs; and removing it,
 * with what SQLite keeps beside it. */
bool store_is_empty(const char *path);
void store_remove(const char *path);
/* Whether it is a database without tables, as a process leaves that is stopped while it makes one. */
bool store_is_bare(const char *path, unsigned wait);
/* Whether SQLite finds it whole. */
bool store_check_whole(struct store *, struct rp_error *);
/* Of one that is written: whether its file is still there, under its name. What is written to one that is not is lost.
 */
bool store_check_file(const struct store *, struct rp_error *);

bool store_begin(struct store *, struct rp_error *);
bool store_commit(struct store *, struct rp_error *);
void store_rollback(struct store *);

/* ---- what is replayed on what: within a transaction -------------------------------------------------------------- */

/* With its launches. */
bool store_put_trace(struct store *, struct rp_trace *, int64_t *id, struct rp_error *);
/* With its options and the names of its statistics. The area of one that is there, which is in no hash, is replaced if
 * it is given (by the command line or a plan), not if it comes from the machine's file. */
bool store_put_machine(struct store *, const struct machine *, bool area_given, int64_t *id, struct rp_error *);
/* The option is one that sweeps vary; it is one of a machine that was put. */
bool store_put_axis(struct store *, const char *option, struct rp_error *);
/* Values that do not go together. */
bool store_put_refusal(struct store *, const char *machine, const char *settings, const char *reason,
                       struct rp_error *);
/* After the last of them: view `runs` has their columns. */
bool store_end_plan(struct store *, struct rp_error *);

/* ---- runs -------------------------------------------------------------------------------------------------------- */

enum store_detail {
    STORE_LAUNCHES = 1, /* all statistics of each launch */
    STORE_STALLS = 2,   /* stalls of each instruction */
};

struct store_run {
    const char *key; /* result_key() */
    int64_t trace, machine;
    const struct machine *of;
    struct rp_trace *trace_of;
    const struct replay_options *options;
    const struct result *result;          /* NULL: it failed */
    const char *reason;                   /* why */
    const struct profile *profile;        /* with STORE_STALLS */
    const struct repeat_request *batches; /* NULL: one replay. Else the result has the means, rounded, */
    const struct repeat_result *repeated; /* which are here, unless it failed */
    unsigned detail;
    double seconds;
};

/* The detail of the run that is there; -1: none is. */
bool store_find_run(struct store *, const char *key, int64_t *detail, struct rp_error *);
/* Whether the run is there and has failed. */
bool store_has_failed(struct store *, const char *key, bool *failed, struct rp_error *);
static inline bool store_suffices(int64_t there, unsigned wanted) { return there >= 0 && !(wanted & ~(unsigned)there); }
/* In the place of one that is there with less detail; one with more stays. Within a transaction. */
bool store_put_run(struct store *, const struct store_run *, struct rp_error *);
/* *others: another connection has written since the last call. */
bool store_changed(struct store *, bool *others, struct rp_error *);
/* The version whose runs are shown: this program's if it has runs here, else the one that came last. */
bool store_shown_tool(struct store *, int64_t *tool, struct rp_error *);
/* Warp instructions per second and thread of the runs that are there, of exact ones or of all others, with stalls or
 * without; 0: there are none. */
bool store_rate(struct store *, bool exact, bool stalls, double *rate, struct rp_error *);

#endif
