/* Which runs a report has, and which are compared. */
#include "tools/report/sweep.h"

/* Runs of a trace in the order of the machines that the sweep began with. */
#define IN_ORDER "machine, launch, engine, seed, tool DESC, estimated, run"
/* The best runs first. Estimates do not compete with runs that are exact. */
#define BEST_FIRST "estimated, value NULLS LAST, " IN_ORDER

static const struct query_usage baseline_usage = {
    "--baseline",
    "give the number of a run, as 'reprise results' lists them, or values as in 'scheduler=gto,l1.size=32K'"};

/* All runs that are done, with the value that says which is best: the least. */
static bool make_candidates(struct sweep_report *s, struct rp_error *err)
{
    const char *sign;
    char *value = query_value(&s->query, s->request->value, &sign, err);
    char *text =
        value ? sqlite3_mprintf(
                    "CREATE TEMP TABLE candidate AS SELECT run, (SELECT trace FROM run WHERE id = run) AS trace, "
                    "machine_id AS machine, launch, engine, seed, tool, method <> 'exact' AS estimated, %s%s AS value "
                    "FROM runs WHERE %s AND "
                    "status = 'done'",
                    sign, value, s->query.which)
              : NULL;
    bool fine =
        value && (text || rp_fail(err, RP_SYSTEM, "out of memory")) && sql_script(&s->query.store.sql, text, err);
    sqlite3_free(text);
    sqlite3_free(value);
    return fine;
}

/* NULL, with err: wrong usage. A condition that no run fulfils: every run is the baseline as usual. */
static char *baseline_condition(struct sweep_report *s, struct rp_error *err)
{
    int64_t count;
    if (!s->request->baseline)
        return sqlite3_mprintf("0");
    char *condition = query_condition(&s->query, s->request->baseline, &baseline_usage, err);
    char *among = condition ? sqlite3_mprintf("run IN (SELECT run FROM runs WHERE %s)", condition) : NULL;
    bool fine =
        condition && sweep_number(s, sqlite3_mprintf("SELECT count(*) FROM candidate WHERE %s", among), &count, err);
    if (fine && !count)
        fine =
            rp_fail(err, RP_USAGE, "--baseline %s: there is no such run that is done; 'reprise results %s' lists them",
                    s->request->baseline, s->request->input);
    sqlite3_free(condition);
    if (fine)
        return among;
    sqlite3_free(among);
    return NULL;
}

/* A trace without a run of the baseline's kind takes the one on the same machine, then its first. The best run has the
 * launches that the baseline has. */
static bool make_roles(struct sweep_report *s, struct rp_error *err)
{
    char *is_base = baseline_condition(s, err);
    char *text =
        is_base
            ? sqlite3_mprintf(
                  "CREATE TEMP TABLE role AS WITH base AS (SELECT trace, run, launch, row_number() OVER (PARTITION BY "
                  "trace "
                  "ORDER BY %s DESC, machine = (SELECT machine FROM candidate WHERE %s ORDER BY " IN_ORDER
                  " LIMIT 1) DESC, " IN_ORDER ") AS place FROM candidate), best AS (SELECT trace, run, launch, "
                  "row_number() OVER (PARTITION BY trace, launch ORDER BY " BEST_FIRST
                  ") AS place FROM candidate) SELECT base.trace, base.run AS baseline, best.run AS best FROM base JOIN "
                  "best ON best.trace = base.trace AND best.launch IS base.launch WHERE base.place = 1 AND best.place "
                  "= 1 ORDER BY base.trace",
                  is_base, is_base)
            : NULL;
    bool fine =
        is_base && (text || rp_fail(err, RP_SYSTEM, "out of memory")) && sql_script(&s->query.store.sql, text, err);
    sqlite3_free(text);
    sqlite3_free(is_base);
    return fine;
}

/* Of too many runs the best of each trace stay, and those that are compared. */
static bool make_chosen(struct sweep_report *s, int64_t all, struct rp_error *err)
{
    char *text =
        sqlite3_mprintf("CREATE TEMP TABLE chosen AS WITH placed AS (SELECT *, row_number() OVER (PARTITION BY trace "
                        "ORDER BY " BEST_FIRST
                        ") AS place FROM candidate) SELECT run, trace, machine, launch, engine, seed, tool, value FROM "
                        "placed WHERE place <= %lld / (SELECT count(*) FROM role) OR run IN (SELECT baseline FROM "
                        "role) OR run IN (SELECT "
                        "best FROM role) ORDER BY trace, " IN_ORDER,
                        s->request->runs && s->request->runs < all ? s->request->runs : (long long)INT64_MAX);
    bool fine = (text || rp_fail(err, RP_SYSTEM, "out of memory")) && sql_script(&s->query.store.sql, text, err);
    sqlite3_free(text);
    return fine;
}

static bool put_counts(struct sweep_report *s, int64_t done, int64_t failed, struct rp_error *err)
{
    int64_t chosen;
    if (!sweep_number(s, sqlite3_mprintf("SELECT count(*) FROM chosen"), &chosen, err))
        return false;
    s->runs = (size_t)chosen;
    json_put(s->data, "counts",
             json_pack("{s:I, s:I, s:I}", "done", (json_int_t)done, "failed", (json_int_t)failed, "shown",
                       (json_int_t)chosen));
    const char *value = s->request->value;
    json_put(s->data, "value", json_pack("{s:s, s:b}", "name", value + (*value == '+'), "more", *value == '+'));
    return true;
}

bool sweep_choose(struct sweep_report *s, struct rp_error *err)
{
    int64_t done, failed;
    if (!make_candidates(s, err) || !sweep_number(s, sqlite3_mprintf("SELECT count(*) FROM candidate"), &done, err) ||
        !sweep_number(s, sqlite3_mprintf("SELECT count(*) FROM run WHERE status = 'failed' AND %s", s->query.which),
                      &failed, err))
        return false;
    if (!done)
        return rp_fail(err, RP_USAGE, "%s: there is nothing to report: no run is done%s", s->request->input,
                       failed ? "; 'reprise results' says why they failed" : "; 'reprise sweep' makes runs");
    return make_roles(s, err) && make_chosen(s, done, err) && put_counts(s, done, failed, err);
}
