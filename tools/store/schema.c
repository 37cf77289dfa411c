#include "tools/store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION 0x52505253 /* "RPRS": PRAGMA application_id */
#define TEXT_OF(x) TEXT_OF_VALUE(x)
#define TEXT_OF_VALUE(x) #x

/* What version 2 has and version 1 had not. */
#define METHOD "method TEXT NOT NULL DEFAULT 'exact'"
#define RUN_SINCE_2 ", " METHOD ", replayed REAL, batches INTEGER"
#define ESTIMATE                                                                                                       \
    "CREATE TABLE estimate (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"                                    \
    "  statistic INTEGER NOT NULL REFERENCES statistic, mean REAL NOT NULL, half_width REAL NOT NULL, deviation REAL," \
    "  PRIMARY KEY (run, statistic)) WITHOUT ROWID;"
static const char from_1[] = "ALTER TABLE run ADD COLUMN " METHOD "; ALTER TABLE run ADD COLUMN replayed REAL;"
                             "ALTER TABLE run ADD COLUMN batches INTEGER;"
                             "ALTER TABLE run_launch ADD COLUMN source TEXT NOT NULL DEFAULT 'replayed';"
                             "ALTER TABLE run_launch ADD COLUMN half_width INTEGER NOT NULL DEFAULT 0;" ESTIMATE;
static const char set_version[] = "PRAGMA user_version = " TEXT_OF(SCHEMA_VERSION);

static const char tables[] = "PRAGMA application_id = " TEXT_OF(
    APPLICATION) ";"
                 "PRAGMA user_version = " TEXT_OF(
                     SCHEMA_VERSION) ";"
                                     "CREATE TABLE tool (id INTEGER PRIMARY KEY, version TEXT NOT NULL, timing TEXT "
                                     "NOT NULL, UNIQUE (version, timing));"
                                     "CREATE TABLE trace (id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, file "
                                     "TEXT NOT NULL,"
                                     "  bytes INTEGER NOT NULL, warp_instructions INTEGER NOT NULL, damage TEXT);"
                                     "CREATE TABLE launch (trace INTEGER NOT NULL REFERENCES trace ON DELETE CASCADE, "
                                     "launch INTEGER NOT NULL,"
                                     "  kernel TEXT NOT NULL, grid TEXT NOT NULL, block TEXT NOT NULL, "
                                     "warp_instructions INTEGER NOT NULL,"
                                     "  thread_instructions INTEGER NOT NULL, PRIMARY KEY (trace, launch)) WITHOUT "
                                     "ROWID;"
                                     "CREATE TABLE instruction (id INTEGER PRIMARY KEY, trace INTEGER NOT NULL "
                                     "REFERENCES trace ON DELETE CASCADE,"
                                     "  kernel INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, pc "
                                     "INTEGER, text TEXT, file TEXT,"
                                     "  line INTEGER, UNIQUE (trace, kernel, number));"
                                     "CREATE TABLE machine (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name "
                                     "TEXT NOT NULL);"
                                     "CREATE TABLE option (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, varied "
                                     "INTEGER NOT NULL DEFAULT 0);"
                                     "CREATE TABLE machine_option (machine INTEGER NOT NULL REFERENCES machine ON "
                                     "DELETE CASCADE,"
                                     "  option INTEGER NOT NULL REFERENCES option, value, PRIMARY KEY (machine, "
                                     "option)) WITHOUT ROWID;"
                                     "CREATE TABLE refusal (tool INTEGER NOT NULL REFERENCES tool, machine TEXT NOT "
                                     "NULL, settings TEXT NOT NULL,"
                                     "  reason TEXT NOT NULL, PRIMARY KEY (tool, machine, settings)) WITHOUT ROWID;"
                                     "CREATE TABLE statistic (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
                                     "CREATE TABLE run (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
                                     "  trace INTEGER NOT NULL REFERENCES trace, machine INTEGER NOT NULL REFERENCES "
                                     "machine,"
                                     "  tool INTEGER NOT NULL REFERENCES tool, engine TEXT NOT NULL, launch INTEGER, "
                                     "seed INTEGER NOT NULL,"
                                     "  status TEXT NOT NULL CHECK (status IN ('done', 'failed')), reason TEXT, ipc "
                                     "REAL, occupancy REAL,"
                                     "  warnings INTEGER NOT NULL, detail INTEGER NOT NULL, seconds REAL NOT NULL, "
                                     "finished TEXT NOT NULL" RUN_SINCE_2 ");"
                                     "CREATE INDEX run_machine ON run (machine);"
                                     "CREATE TABLE value (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
                                     "  statistic INTEGER NOT NULL REFERENCES statistic, value INTEGER NOT NULL,"
                                     "  PRIMARY KEY (run, statistic)) WITHOUT ROWID;"
                                     "CREATE TABLE run_launch (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, "
                                     "launch INTEGER NOT NULL,"
                                     "  begin INTEGER NOT NULL, end INTEGER NOT NULL, overlaps INTEGER NOT NULL, "
                                     "warning TEXT, source TEXT NOT NULL DEFAULT 'replayed',"
                                     "  half_width INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, launch)) WITHOUT "
                                     "ROWID;"
                                     "CREATE TABLE launch_value (run INTEGER NOT NULL, launch INTEGER NOT NULL,"
                                     "  statistic INTEGER NOT NULL REFERENCES statistic, value INTEGER NOT NULL, "
                                     "PRIMARY KEY (run, launch, statistic),"
                                     "  FOREIGN KEY (run, launch) REFERENCES run_launch ON DELETE CASCADE) WITHOUT "
                                     "ROWID;"
                                     "CREATE TABLE stall (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
                                     "  instruction INTEGER NOT NULL REFERENCES instruction, reason TEXT NOT NULL, "
                                     "cycles INTEGER NOT NULL,"
                                     "  PRIMARY KEY (run, instruction, reason)) WITHOUT ROWID;" ESTIMATE;

/* Whether the interval of the cycles is as narrow as was asked for; NULL: the run is exact, or failed. The method has
 * the error, "sample 2%@95%", or last the width, "batches 100..1000 0.95 0.1". An interval without a row has no width;
 * those of samples are rounded to a cycle. */
#define LAST_WORD "replace(r.method, rtrim(r.method, replace(r.method, ' ', '')), '')"
#define REACHED                                                                                                        \
    "CASE WHEN r.status = 'done' AND r.method <> 'exact' THEN coalesce((SELECT half_width <= mean * CASE WHEN "        \
    "r.method GLOB 'sample *' THEN CAST(substr(r.method, 8) AS REAL) / 100 ELSE CAST(" LAST_WORD                       \
    " AS REAL) END + (r.method GLOB 'sample *') FROM estimate WHERE run = r.id AND statistic = (SELECT id FROM "       \
    "statistic WHERE name = 'cycles')), 1) END AS reached"
/* Of view `runs`, before the options and the statistics. */
#define COLUMNS                                                                                                        \
    "SELECT r.id AS run, t.file AS trace, m.name AS machine, m.id AS machine_id, r.launch, r.engine, r.seed, "         \
    "r.status, r.reason, r.ipc,"                                                                                       \
    " r.occupancy, r.warnings, r.seconds, r.finished, r.tool, r.key, t.sha256, m.hash, r.method, r.replayed, "         \
    "r.batches, (SELECT value FROM machine_option WHERE machine = m.id AND option = (SELECT id FROM option WHERE key " \
    "= '" STORE_AREA "')) AS " STORE_AREA ", (SELECT half_width FROM estimate WHERE run = r.id AND statistic = "       \
    "(SELECT id FROM statistic WHERE name = 'cycles')) AS cycles_half_width, " REACHED
#define OPTION ", (SELECT value FROM machine_option WHERE machine = r.machine AND option = %d) AS \"%w\""
/* A statistic without a row is 0, but a run that failed has none. */
#define STATISTIC                                                                                                      \
    ", CASE r.status WHEN 'done' THEN coalesce((SELECT value FROM value WHERE run = r.id AND statistic = %d), 0) END"  \
    " AS \"%w\""
#define FROM " FROM run r JOIN trace t ON t.id = r.trace JOIN machine m ON m.id = r.machine"

/* ---- the view ---------------------------------------------------------------------------------------------------- */

/* Whether an earlier column of the text has this name. */
static bool has_name(const char *text, const char *name)
{
    char *quoted = sqlite3_mprintf(" AS \"%w\"", name), *plain = sqlite3_mprintf(" AS %s,", name);
    bool has = quoted && plain && (strstr(text, quoted) || strstr(text, plain));
    sqlite3_free(quoted);
    sqlite3_free(plain);
    return has;
}

/* Adds a column for each row (id, name) of the query. */
static bool add_columns(struct sql *s, sqlite3_str *text, const char *column, const char *query, struct rp_error *err)
{
    bool fine = true;
    sqlite3_stmt *rows = sql_bind(s, query, err, "");
    while (rows && sql_row(s, rows, &fine, err)) {
        const char *name = (const char *)sqlite3_column_text(rows, 1);
        if (!has_name(sqlite3_str_value(text), name))
            sqlite3_str_appendf(text, column, sqlite3_column_int(rows, 0), name);
    }
    return rows && fine;
}

/* `kind`: TEMP, or nothing for one that stays. */
static bool make_view(struct sql *s, const char *kind, struct rp_error *err)
{
    sqlite3_str *text = sqlite3_str_new(s->db);
    sqlite3_str_appendf(text, "DROP VIEW IF EXISTS %s.runs; CREATE %s VIEW runs AS " COLUMNS, *kind ? "temp" : "main",
                        kind);
    bool fine = add_columns(s, text, OPTION, "SELECT id, key FROM option WHERE varied ORDER BY varied", err) &&
                add_columns(s, text, STATISTIC, "SELECT id, name FROM statistic ORDER BY id", err);
    if (!has_name(sqlite3_str_value(text), "cycles")) /* before the first machine */
        sqlite3_str_appendall(text, ", NULL AS cycles");
    sqlite3_str_appendall(text, FROM);
    char *script = sqlite3_str_finish(text);
    if (fine && !script)
        fine = rp_fail(err, RP_SYSTEM, "%s: out of memory", s->path);
    fine = fine && sql_script(s, script, err);
    sqlite3_free(script);
    return fine;
}

bool schema_make_view(struct sql *s, struct rp_error *err) { return make_view(s, "", err); }

/* ---- versions ---------------------------------------------------------------------------------------------------- */

static bool pragma(struct sql *s, const char *text, int64_t *value, struct rp_error *err)
{
    return sql_number(s, text, 0, value, err, "");
}

static bool has_results(struct sql *s, struct rp_error *err)
{
    int64_t application;
    return pragma(s, "PRAGMA application_id", &application, err) &&
           (application == APPLICATION ||
            rp_fail(err, RP_BAD_INPUT, "%s: this database has no results of reprise sweep", s->path));
}

static bool count_objects(struct sql *s, int64_t *objects, struct rp_error *err)
{
    return sql_number(s, "SELECT count(*) FROM sqlite_schema", 0, objects, err, "");
}

static bool fail_version(const struct sql *s, int64_t version, struct rp_error *err)
{
    return rp_fail(err, RP_BAD_INPUT, "%s: its tables are of version %lld; this reprise knows version %d%s", s->path,
                   (long long)version, SCHEMA_VERSION,
                   version == 1 ? ", and a sweep into this database brings them up to date" : "");
}

/* Names of the tables and of the view. Version 1 had no table `estimate`, and its view is made anew. */
static const char missing[] =
    "WITH needed (name) AS (VALUES ('tool'), ('trace'), ('launch'), ('instruction'), ('machine'), ('option'), "
    "('machine_option'), ('refusal'), ('statistic'), ('run'), ('value'), ('run_launch'), ('launch_value'), ('stall'), "
    "('estimate'), ('runs')) SELECT name FROM needed WHERE NOT (name IN ('estimate', 'runs') AND ? = 1)"
    " AND name NOT IN (SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view'))";

static bool has_all(struct sql *s, int64_t version, struct rp_error *err)
{
    bool fine = true;
    sqlite3_stmt *rows = sql_bind(s, missing, err, "i", version);
    if (rows && sql_row(s, rows, &fine, err)) {
        fine = rp_fail(err, RP_BAD_INPUT,
                       "%s: the database is damaged (it has no '%s'); 'sqlite3 %s .recover' prints what is left of it",
                       s->path, (const char *)sqlite3_column_text(rows, 0), s->path);
        sqlite3_reset(rows);
    }
    return rows && fine;
}

bool schema_is_ours(struct sql *s, struct rp_error *err)
{
    int64_t objects, version;
    if (!count_objects(s, &objects, err))
        return false;
    return !objects ||
           (has_results(s, err) && pragma(s, "PRAGMA user_version", &version, err) &&
            ((version > 0 && version <= SCHEMA_VERSION) || fail_version(s, version, err)) && has_all(s, version, err));
}

bool schema_check(struct sql *s, struct rp_error *err)
{
    int64_t version;
    if (!has_results(s, err) || !pragma(s, "PRAGMA user_version", &version, err))
        return false;
    if ((version == 2 || version == SCHEMA_VERSION) && !has_all(s, version, err))
        return false;
    bool has_cycles, has_reached; /* not before the first machine; in views of earlier versions */
    if (!schema_has_column(s, "cycles", &has_cycles, err) || !schema_has_column(s, "reached", &has_reached, err))
        return false;
    if (version == 2 || (version == SCHEMA_VERSION && !(has_cycles && has_reached)))
        return make_view(s, "TEMP", err);
    return version == SCHEMA_VERSION || fail_version(s, version, err);
}

bool schema_make(struct sql *s, struct rp_error *err)
{
    int64_t objects;
    if (!count_objects(s, &objects, err))
        return false;
    if (objects) {
        int64_t version, application;
        if (!pragma(s, "PRAGMA user_version", &version, err) || !pragma(s, "PRAGMA application_id", &application, err))
            return false;
        if (application == APPLICATION && (version == 1 || version == 2))
            return (version > 1 || sql_script(s, from_1, err)) && sql_script(s, set_version, err) &&
                   schema_make_view(s, err);
        return schema_check(s, err);
    }
    return sql_script(s, tables, err) && schema_make_view(s, err);
}

bool schema_has_column(struct sql *s, const char *column, bool *has, struct rp_error *err)
{
    int64_t count;
    bool fine =
        sql_number(s, "SELECT count(*) FROM pragma_table_info('runs') WHERE name = ?", 0, &count, err, "t", column);
    *has = count > 0;
    return fine;
}
