/* Traces and machines of one name and another content: what tells them apart. */
#include <stdio.h>

#include "tools/queries/queries.h"
#include "tools/store/schema.h"
#include "tracefmt/hash.h"

static uint64_t hash_value(uint64_t hash, sqlite3_value *value)
{
    if (sqlite3_value_type(value) == SQLITE_INTEGER)
        return hash_word(hash, (uint64_t)sqlite3_value_int64(value));
    const unsigned char *text = sqlite3_value_text(value);
    return text ? hash_bytes(hash, text, (size_t)sqlite3_value_bytes(value)) : hash;
}

/* The sum of the hashes of all rows: their order has no effect. */
static void digest_step(sqlite3_context *c, int count, sqlite3_value **values)
{
    uint64_t *sum = sqlite3_aggregate_context(c, sizeof *sum), hash = 0;
    for (int i = 0; i < count; i++)
        hash = hash_value(hash, values[i]);
    if (sum)
        *sum += hash_word(hash, 0);
}

static void digest_end(sqlite3_context *c)
{
    char text[17];
    const uint64_t *sum = sqlite3_aggregate_context(c, 0);
    snprintf(text, sizeof text, "%016llx", sum ? (unsigned long long)*sum : 0);
    sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

/* A name, with the first digits of a hash behind it where that is needed. */
#define SHOWN(name, hash, ambiguous)                                                                                   \
    "CASE WHEN " ambiguous " THEN " name " || ' (' || substr(" hash ", 1, 8) || ')' ELSE " name " END"
#define TRACES                                                                                                         \
    "CREATE TEMP TABLE trace_name (sha256 TEXT PRIMARY KEY, shown) WITHOUT ROWID;"                                     \
    "INSERT INTO temp.trace_name SELECT sha256, " SHOWN("file", "sha256",                                              \
                                                        "count(*) OVER (PARTITION BY file) > 1") "  FROM trace;"
/* The options of a machine but for those that vary: with the model of a part go all options of the part, which not all
 * models have. The area affects nothing. */
#define FIXED                                                                                                          \
    "CREATE TEMP TABLE fixed (option INTEGER PRIMARY KEY, key);"                                                       \
    "INSERT INTO temp.fixed SELECT id, key FROM option o WHERE NOT varied AND key <> '" STORE_AREA "' AND NOT EXISTS"  \
    "  (SELECT 1 FROM option m WHERE m.varied AND m.key LIKE '%.model'"                                                \
    "  AND substr(o.key, 1, length(m.key) - 5) = substr(m.key, 1, length(m.key) - 5));"
#define MACHINES                                                                                                       \
    "CREATE TEMP TABLE machine_name (machine INTEGER PRIMARY KEY, base, shown);"                                       \
    "INSERT INTO temp.machine_name WITH d AS (SELECT machine, digest(key, value) AS base FROM machine_option v"        \
    "  CROSS JOIN temp.fixed f ON f.option = v.option GROUP BY machine),"                                              \
    "  b AS (SELECT id, name, coalesce(base, '') AS base FROM main.machine LEFT JOIN d ON d.machine = id)"             \
    "  SELECT id, base, " SHOWN("name", "base",                                                                        \
                                "min(base) OVER n <> max(base) OVER n") "  FROM b WINDOW n AS (PARTITION BY name);"
#define ASKED                                                                                                          \
    "CREATE TEMP VIEW asked AS SELECT *,"                                                                              \
    "  (SELECT shown FROM temp.trace_name t WHERE t.sha256 = runs.sha256) AS \"trace:\","                              \
    "  (SELECT shown FROM temp.machine_name m WHERE m.machine = machine_id) AS \"machine:\","                          \
    "  (SELECT base FROM temp.machine_name m WHERE m.machine = machine_id) AS \"base:\" FROM runs"

bool query_names(struct query *q, struct rp_error *err)
{
    sqlite3_create_function(q->store.sql.db, "digest", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, NULL, digest_step,
                            digest_end);
    return sql_script(&q->store.sql, TRACES FIXED MACHINES ASKED, err);
}
