#include "tools/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/input.h"
#include "tools/results/identity.h"
#include "tools/store/schema.h"
#include "tools/store/statistics.h"
#include "tracefmt/output_path.h"

/* Of a database that may be written: a damaged one is not made worse. */
static bool check_whole(struct sql *s, struct rp_error *err)
{
    bool fine = true;
    sqlite3_stmt *rows = sql_bind(s, "PRAGMA quick_check(1)", err, "");
    if (!rows || !sql_row(s, rows, &fine, err))
        return false;
    const char *said = (const char *)sqlite3_column_text(rows, 0), *behind = strchr(said, '\n');
    if (*said == '*' && behind) /* a heading: "*** in database main ***" */
        said = behind + 1;
    if (strcmp(said, "ok"))
        fine = rp_fail(err, RP_BAD_INPUT,
                       "%s: the database is damaged (%.*s); 'sqlite3 %s .recover' prints what is left of it", s->path,
                       (int)strcspn(said, "\n"), said, s->path);
    sqlite3_reset(rows);
    return fine;
}

static bool put_tool(struct store *s, struct rp_error *err)
{
    return sql_run(&s->sql, "INSERT OR IGNORE INTO tool (version, timing) VALUES (?, ?)", err, "tt", REPRISE_VERSION,
                   result_timing) &&
           sql_number(&s->sql, "SELECT id FROM tool WHERE version = ? AND timing = ?", 0, &s->tool, err, "tt",
                      REPRISE_VERSION, result_timing);
}

static bool is_regular(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* SQLite would wait for the other end of a pipe. */
static bool check_regular(const char *path, struct rp_error *err)
{
    return access(path, F_OK) || is_regular(path) ||
           rp_fail(err, RP_BAD_INPUT, "%s: not a regular file; a database must be one", path);
}

/* SQLite keeps what has no name in no file; names that begin with a colon, as ":memory:", are its own. */
static bool check_name(const char *path, struct rp_error *err)
{
    if (!*path || *path == ':')
        return rp_fail(err, RP_USAGE, "'%s' is no name of a database; name a file with -o, for example r.db", path);
    return access(path, F_OK) || is_regular(path) ||
           (input_check(path, INPUT_DATABASE, err) && check_regular(path, err));
}

static bool fail_to_make(const char *path, int why, struct rp_error *err)
{
    char *copy = strdup(path);
    const char *folder = copy ? dirname(copy) : ".";
    struct stat st;
    bool full = why == ENOSPC || why == EDQUOT;
    if (why == ENOENT && stat(folder, &st))
        rp_fail(err, RP_USAGE, "%s: cannot make it: there is no folder '%s'; make that, or name another with -o", path,
                folder);
    else
        rp_fail(err, full ? RP_SYSTEM : RP_USAGE, "%s: cannot make it in folder '%s': %s; %s", path, folder,
                strerror(why), full ? "make room, or name another with -o" : "name another with -o");
    free(copy);
    return false;
}

/* A new database begins as an empty file. SQLite does not say why it cannot make one, and takes "a/../r.db" for "r.db"
 * where there is no folder "a". A link to nowhere is left to it. */
static bool make_file(const char *path, struct rp_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return errno == EEXIST || fail_to_make(path, errno, err);
    close(fd);
    return true;
}

/* Nobody but SQLite opens a file that may be a database: who closes it takes away the locks of the whole process, and
 * then another process deletes the log that this one writes (sqlite.org/howtocorrupt.html, 2.2). What else a file is,
 * is therefore asked when SQLite has refused it. */
static bool open_file(struct sql *s, const char *path, bool write, unsigned wait, struct rp_error *err)
{
    struct rp_error other;
    if (sql_open(s, path, write, wait, err))
        return true;
    if (err->status == RP_BAD_INPUT && is_regular(path) && !input_check(path, INPUT_DATABASE, &other))
        *err = other;
    return false;
}

bool store_check_whole(struct store *s, struct rp_error *err) { return check_whole(&s->sql, err); }

/* Whether it is no database of results, or one without runs. */
bool store_is_empty(const char *path)
{
    struct store s;
    struct rp_error unused;
    int64_t runs = 0;
    if (!store_open_read(&s, path, 0, &unused))
        return unused.status == RP_BAD_INPUT; /* else somebody may be at work in it */
    bool fine = sql_number(&s.sql, "SELECT EXISTS (SELECT 1 FROM run)", 0, &runs, &unused, "");
    store_close(&s);
    return fine && !runs;
}

bool store_is_bare(const char *path, unsigned wait)
{
    struct sql s;
    struct rp_error unused;
    int64_t objects = 1;
    if (!sql_open(&s, path, false, wait, &unused))
        return false;
    sql_number(&s, "SELECT count(*) FROM sqlite_schema", 0, &objects, &unused, "");
    sql_close(&s);
    return !objects;
}

void store_remove(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    struct rp_error unused;
    char *target = output_path(path, &unused); /* a link stays */
    for (size_t i = 0; target && i < sizeof suffixes / sizeof *suffixes; i++) {
        char *name = sqlite3_mprintf("%s%s", target, suffixes[i]);
        if (name)
            unlink(name);
        sqlite3_free(name);
    }
    free(target);
}

bool store_open(struct store *s, const char *path, unsigned wait, struct rp_error *err)
{
    bool others;
    struct stat file = {0};
    *s = (struct store){.tool = 0};
    bool made = access(path, F_OK);
    if (!check_name(path, err) || (made && !make_file(path, err)))
        return false;
    bool fine = open_file(&s->sql, path, true, wait, err);
    if (!fine && made && store_is_empty(path))
        store_remove(path);
    if (!fine)
        return false;
    s->sql.fresh = made;
    fine = schema_is_ours(&s->sql, err) && check_whole(&s->sql, err) && sql_write_ahead(&s->sql, err) &&
           sql_script(&s->sql, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON", err) && store_begin(s, err) &&
           schema_make(&s->sql, err) && put_tool(s, err) && statistics_load(s, err) && store_commit(s, err) &&
           store_changed(s, &others, err);
    s->sql.fresh = made && !fine;
    if (fine && !stat(path, &file))
        s->file = (struct store_file){file.st_dev, file.st_ino};
    if (!fine)
        store_close(s);
    if (!fine && made && store_is_empty(path))
        store_remove(path);
    return fine;
}

bool store_open_read(struct store *s, const char *path, unsigned wait, struct rp_error *err)
{
    *s = (struct store){.tool = 0};
    if (!is_regular(path) && (!input_check(path, INPUT_DATABASE, err) || !check_regular(path, err)))
        return false;
    if (access(path, F_OK))
        return rp_fail(err, RP_BAD_INPUT, "%s: there is no such file; 'reprise sweep ... -o %s' makes it", path, path);
    if (!open_file(&s->sql, path, false, wait, err))
        return false;
    bool fine = schema_check(&s->sql, err);
    if (!fine)
        store_close(s);
    return fine;
}

/* Back to one file that can be read anywhere. It fails, and need not succeed, while others have it open. */
static void leave_one_file(struct store *s)
{
    if (s->tool && sqlite3_get_autocommit(s->sql.db)) {
        sqlite3_busy_timeout(s->sql.db, 0);
        sqlite3_exec(s->sql.db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
}

void store_close(struct store *s)
{
    for (size_t i = 0; i < SQL_PREPARED; i++) {
        sqlite3_finalize(s->sql.prepared[i].statement);
        s->sql.prepared[i].statement = NULL;
    }
    leave_one_file(s);
    sql_close(&s->sql);
    statistics_free(&s->statistics);
    *s = (struct store){.tool = 0};
}

bool store_begin(struct store *s, struct rp_error *err) { return sql_run(&s->sql, "BEGIN IMMEDIATE", err, ""); }
bool store_commit(struct store *s, struct rp_error *err) { return sql_run(&s->sql, "COMMIT", err, ""); }
void store_rollback(struct store *s)
{
    struct rp_error unused;
    if (!sqlite3_get_autocommit(s->sql.db))
        sql_run(&s->sql, "ROLLBACK", &unused, "");
}

bool store_check_file(const struct store *s, struct rp_error *err)
{
    struct stat file;
    bool gone = stat(s->sql.path, &file);
    if (!gone && file.st_dev == s->file.device && file.st_ino == s->file.number)
        return true;
    return rp_fail(err, RP_SYSTEM,
                   "%s: somebody has %s the database while results were written; they are lost, and the same command "
                   "starts again",
                   s->sql.path, gone ? "deleted or moved" : "replaced");
}

bool store_changed(struct store *s, bool *others, struct rp_error *err)
{
    int64_t before = s->data_version;
    bool fine = sql_number(&s->sql, "PRAGMA data_version", 0, &s->data_version, err, "");
    *others = fine && s->data_version != before;
    return fine;
}

bool store_find_run(struct store *s, const char *key, int64_t *detail, struct rp_error *err)
{
    return sql_number(&s->sql, "SELECT detail FROM run WHERE key = ?", -1, detail, err, "t", key);
}

bool store_has_failed(struct store *s, const char *key, bool *failed, struct rp_error *err)
{
    int64_t has;
    bool fine = sql_number(&s->sql, "SELECT status = 'failed' FROM run WHERE key = ?", 0, &has, err, "t", key);
    *failed = has;
    return fine;
}

bool store_shown_tool(struct store *s, int64_t *tool, struct rp_error *err)
{
    return sql_number(
        &s->sql,
        "SELECT coalesce((SELECT id FROM tool WHERE version = ? AND timing = ? AND EXISTS"
        " (SELECT 1 FROM run WHERE tool = tool.id)), (SELECT max(tool) FROM run), (SELECT max(id) FROM tool))",
        0, tool, err, "tt", REPRISE_VERSION, result_timing);
}

bool store_rate(struct store *s, bool exact, bool stalls, double *rate, struct rp_error *err)
{
    int64_t per_second;
    bool fine = sql_number(&s->sql,
                           "SELECT sum(t.warp_instructions) / sum(r.seconds) FROM run r JOIN trace t ON t.id = r.trace"
                           " WHERE r.status = 'done' AND r.launch IS NULL AND (r.method = 'exact') = ?"
                           " AND (r.detail & ?) = ?",
                           0, &per_second, err, "iii", (int64_t)exact, (int64_t)STORE_STALLS,
                           (int64_t)(stalls ? STORE_STALLS : 0));
    *rate = (double)per_second;
    return fine;
}
