/* A sweep: a plan and what becomes of it.
 *
 * prepare.c opens every machine and every trace of the plan once and finds out which runs are missing. run.c carries
 * them out: threads replay, and the thread that began writes each result into the database. Runs of a trace follow one
 * another, so that threads share the opened trace and its decoded chunks.
 */
#ifndef REPRISE_TOOLS_SWEEP_SWEEP_H
#define REPRISE_TOOLS_SWEEP_SWEEP_H

#include <stdatomic.h>

#include "tools/store/store.h"
#include "tools/sweep/plan.h"

struct sweep_args {
    struct sweep_plan plan;
    const char *output; /* the database */
    unsigned threads, wait;
    uint32_t shard, shards; /* this one of so many; 0 of 1: all */
    bool dry_run, quiet;
    bool slurm;
    uint32_t array;            /* with Slurm: tasks of the job that carries it out; else 0 */
    const char *slurm_options; /* of sbatch; NULL: none */
    bool threads_given;
};

struct sweep_trace {
    const char *path;
    char sha256[65];
    int64_t id;
    uint64_t warp_instructions; /* of the launches to replay */
};

/* A machine of the plan, once however many variants have it. */
struct sweep_point {
    size_t variant; /* the first that has it */
    char hash[65];
    bool chance;
    int64_t id;
    struct machine *machine; /* NULL: to be opened when it is needed */
    size_t left;             /* runs that need it */
};

/* Values that do not go together. */
struct sweep_refusal {
    const char *machine;
    char *settings, *reason;
};

/* A trace while a group of points is replayed on it. */
struct sweep_visit {
    uint32_t trace;
    struct rp_trace *open;
    size_t left;
};

struct sweep_task {
    uint32_t visit, point;
    size_t number; /* among all runs of the plan */
    unsigned detail;
    char key[65];
    atomic_bool elsewhere; /* somebody else has carried it out */
    bool taken;            /* carried out, here or elsewhere, or about to be */
};

/* Points whose machines are open at the same time. */
#define SWEEP_GROUP 512

struct sweep {
    const struct sweep_args *args;
    struct store store;
    bool has_store;
    struct sweep_trace *traces; /* as in the plan */
    struct sweep_point *points;
    size_t point_count;
    struct sweep_refusal *refusals; /* count.refused of them */
    struct sweep_visit *visits;
    size_t visit_count;
    struct sweep_task *tasks; /* those that are missing, in the order in which they are carried out */
    size_t task_count;
    struct {
        size_t variants, excluded, refused, same; /* combinations of values; `same`: with a machine of another one */
        size_t runs, there, others;               /* pairs of trace and machine; already done; of other shards */
        size_t excluded_runs;                     /* pairs that are left out, on machines that replay other traces */
        size_t failed;                            /* of those already done */
    } count;
    uint64_t warp_instructions; /* of all tasks */
};

/* Whether a machine is replayed in batches: if it has chance in it, and the plan asks for them. */
static inline bool sweep_repeats(const struct sweep_plan *p, bool chance) { return chance && p->batches.request.least; }

/* prepare.c. Opens the database unless it is a dry run and there is none. */
bool sweep_prepare(struct sweep *, struct rp_error *);
void sweep_free(struct sweep *);
/* points.c: opens the machines of all combinations. */
bool sweep_make_points(struct sweep *, struct rp_error *);
/* Puts them into the database, within its transaction, which it ends and begins again now and then. */
bool sweep_put_points(struct sweep *, struct rp_error *);
/* Opens the machine of a point again. */
struct machine *sweep_open_point(const struct sweep *, const struct sweep_point *, struct rp_error *);

/* run.c: carries all tasks out; an exit status. */
int sweep_run(struct sweep *);

/* slurm.c: whether the jobs that were submitted before are over; those that are not write into their databases, which
 * must not be read or written from elsewhere. */
bool sweep_jobs_are_over(const struct sweep *, struct rp_error *);
/* Takes what tasks of an earlier job have done into the database. */
bool sweep_gather(struct sweep *, struct rp_error *);
/* Submits a job array for the shards that miss runs, and a job that gathers what they have done; an exit status. */
int sweep_submit(struct sweep *);

/* summary.c: what is about to be done, on stdout for a dry run, else on stderr. */
void sweep_print_plan(struct sweep *);

#endif
