/* Traces and machines of one name and another content: what tells them apart. */
#include <string.h>

#include "tools/queries/queries.h"
#include "tools/store/schema.h"
#include "tracefmt/sha256.h"

/* The sum of the first eight bytes of the SHA-256 of each "name=value": the order of the rows has no effect. */
static void digest_step(sqlite3_context *c, int count, sqlite3_value **values)
{
    uint64_t *sum = sqlite3_aggregate_context(c, sizeof *sum), part;
    const unsigned char *name = sqlite3_value_text(values[0]), *value = sqlite3_value_text(values[1]);
    uint8_t digest[32];
    struct sha256 sha;
    (void)count;
    if (!sum || !name || !value)
        return;
    sha256_begin(&sha);
    sha256_add(&sha, name, strlen((const char *)name));
    sha256_add(&sha, "=", 1);
    sha256_add(&sha, value, strlen((const char *)value));
    sha256_end(&sha, digest);
    memcpy(&part, digest, sizeof part);
    *sum += part;
}

static void digest_end(sqlite3_context *c)
{
    char text[17];
    const uint64_t *sum = sqlite3_aggregate_context(c, 0);
    snprintf(text, sizeof text, "%016llx", sum ? (unsigned long long)*sum : 0);
    sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

#define SHOWN(name, hash, differ)                                                                                      \
    "CASE WHEN " differ " THEN " name " || ' (' || substr(" hash ", 1, 8) || ')' ELSE " name " END"

/* A machine without the options that vary: with a model that varies go all options of its part, which not all models
 * have. The area affects nothing. */
static const char make[] =
    "CREATE TEMP TABLE trace_name (sha256 TEXT PRIMARY KEY, shown) WITHOUT ROWID;"
    "INSERT INTO temp.trace_name SELECT sha256, " SHOWN(
        "file", "sha256",
        "count(*) OVER (PARTITION BY file) > 1") "  FROM trace;"
                                                 "CREATE TEMP TABLE fixed (option INTEGER PRIMARY KEY, key);"
                                                 "INSERT INTO temp.fixed SELECT id, key FROM option o WHERE NOT varied "
                                                 "AND key <> '" STORE_AREA "' AND NOT EXISTS"
                                                 "  (SELECT 1 FROM option m WHERE m.varied AND m.key LIKE '%.model'"
                                                 "  AND substr(o.key, 1, length(m.key) - 5) = substr(m.key, 1, "
                                                 "length(m.key) - 5));"
                                                 "CREATE TEMP TABLE machine_name (machine INTEGER PRIMARY KEY, base, "
                                                 "shown);"
                                                 "INSERT INTO temp.machine_name WITH b AS (SELECT id, name, (SELECT "
                                                 "digest(f.key, v.value) FROM machine_option v"
                                                 "  CROSS JOIN temp.fixed f ON f.option = v.option WHERE v.machine = "
                                                 "m.id) AS base FROM machine m)"
                                                 "  SELECT id, base, " SHOWN(
                                                     "name", "base",
                                                     "min(base) OVER n <> max(base) OVER n") "  FROM b WINDOW n AS "
                                                                                             "(PARTITION BY name);"
                                                                                             "CREATE TEMP VIEW asked "
                                                                                             "AS SELECT *,"
                                                                                             "  (SELECT shown FROM "
                                                                                             "temp.trace_name t WHERE "
                                                                                             "t.sha256 = runs.sha256) "
                                                                                             "AS \"trace:\","
                                                                                             "  (SELECT shown FROM "
                                                                                             "temp.machine_name m "
                                                                                             "WHERE m.machine = "
                                                                                             "machine_id) AS "
                                                                                             "\"machine:\","
                                                                                             "  (SELECT base FROM "
                                                                                             "temp.machine_name m "
                                                                                             "WHERE m.machine = "
                                                                                             "machine_id) AS \"base:\" "
                                                                                             "FROM runs";

bool query_names(struct query *q, struct rp_error *err)
{
    sqlite3_create_function(q->store.sql.db, "digest", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, NULL, digest_step,
                            digest_end);
    return sql_script(&q->store.sql, make, err);
}
