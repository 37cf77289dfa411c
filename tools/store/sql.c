#include "tools/store/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tracefmt/file_write.h"

/* For the end of a message: what becomes of what is in the database, if anything is. */
static const char *kept(const struct sql *s)
{
    struct stat st;
    return s->fresh || stat(s->path, &st) || !st.st_size
               ? ""
               : "; what is in it stays, and the same command goes on from there";
}

/* Why no file can be made in the folder; 0: one can, or the file system does not say. SQLite's own number is of what it
 * tried next. */
static int why_none_made(const char *path)
{
    char *copy = strdup(path);
    int fd = copy ? open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1, number = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    free(copy);
    return number == EOPNOTSUPP || number == EISDIR || number == ENOENT ? 0 : number;
}

/* Why the file cannot be opened, or its companions be made; 0: nobody knows. */
static int why_closed(const struct sql *s)
{
    if (access(s->path, s->write ? R_OK | W_OK : R_OK))
        return errno;
    int number = s->write ? why_none_made(s->path) : 0;
    return number || !s->db ? number : sqlite3_system_errno(s->db);
}

static bool fail_closed(const struct sql *s, const char *said, struct rp_error *err)
{
    int number = why_closed(s);
    const char *why = number ? strerror(number) : said;
    if (number == ENOSPC || number == EDQUOT)
        return rp_fail(err, RP_SYSTEM, "%s: no file can be made beside it: %s; make room%s", s->path, why, kept(s));
    if (!s->write && access(s->path, R_OK))
        return rp_fail(err, RP_BAD_INPUT, "cannot open '%s': %s", s->path, why);
    if (!s->write)
        return rp_fail(err, RP_USAGE,
                       "%s: cannot read it in this folder: %s; copy it, and %s-wal, to one that you can write", s->path,
                       why, s->path);
    return rp_fail(err, RP_USAGE, "%s: cannot open it, or write beside it in its folder: %s; name another with -o",
                   s->path, why);
}

static bool fail_damaged(const struct sql *s, const char *said, struct rp_error *err)
{
    return rp_fail(err, RP_BAD_INPUT,
                   "%s: the database is damaged (%s); 'sqlite3 %s .recover' prints what is left of it", s->path, said,
                   s->path);
}

bool sql_fail(const struct sql *s, int status, struct rp_error *err)
{
    const char *said = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(status);
    switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return rp_fail(err, RP_SYSTEM, "%s: another program has locked it for %u s; close that one, or wait longer%s",
                       s->path, s->wait, kept(s));
    case SQLITE_FULL: return rp_fail(err, RP_SYSTEM, "%s: the disk is full; make room%s", s->path, kept(s));
    case SQLITE_NOTADB: return rp_fail(err, RP_BAD_INPUT, "%s: this is no database of SQLite", s->path);
    case SQLITE_CONSTRAINT: /* no statement violates one where tables and indices agree */
    case SQLITE_CORRUPT: return fail_damaged(s, said, err);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN: return fail_closed(s, said, err);
    case SQLITE_IOERR: /* SQLite does not keep the number of what failed */
        return rp_fail(err, RP_SYSTEM, "%s: cannot be read or written: %s%s%s", s->path, said,
                       file_size_is_limited() ? "; 'ulimit -f' limits the size of files; raise the limit" : "",
                       kept(s));
    default: return rp_fail(err, RP_SYSTEM, "%s: %s", s->path, said);
    }
}

char *sql_file_name(const char *path)
{
    return sqlite3_mprintf("%s%s", sqlite3_strnicmp(path, "file:", 5) ? "" : "./", path);
}

/* As a URI, in which some characters have a meaning. */
static char *immutable_uri(const char *path)
{
    sqlite3_str *uri = sqlite3_str_new(NULL);
    sqlite3_str_appendall(uri, "file:");
    for (; *path; path++)
        if (strchr("%?#", *path))
            sqlite3_str_appendf(uri, "%%%02X", *path);
        else
            sqlite3_str_appendchar(uri, 1, *path);
    sqlite3_str_appendall(uri, "?immutable=1");
    return sqlite3_str_finish(uri);
}

/* What lies in a read-only folder is read as it is; SQLite would make files beside it. */
static bool open_immutable(struct sql *s, int status, struct rp_error *err)
{
    struct stat wal;
    char *name = sqlite3_mprintf("%s-wal", s->path), *uri = NULL;
    bool can = name && (stat(name, &wal) || !wal.st_size);
    sqlite3_free(name);
    if (can && (uri = immutable_uri(s->path))) {
        sqlite3_close(s->db);
        s->db = NULL;
        status = sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
        s->immutable = true;
    }
    sqlite3_free(uri);
    return status == SQLITE_OK || sql_fail(s, status, err);
}

/* SQLite opens a file when it first reads it. */
static int first_read(struct sql *s) { return sqlite3_exec(s->db, "PRAGMA schema_version", NULL, NULL, NULL); }

bool sql_open(struct sql *s, const char *path, bool write, unsigned wait, struct rp_error *err)
{
    *s = (struct sql){.path = strdup(path), .wait = wait, .write = write};
    if (!s->path)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    char *name = sql_file_name(path);
    int status = name ? sqlite3_open_v2(name, &s->db, flags, NULL) : SQLITE_NOMEM;
    sqlite3_free(name);
    if (status == SQLITE_OK) {
        sqlite3_extended_result_codes(s->db, 1);
        sqlite3_busy_timeout(s->db, (int)wait * 1000);
        status = first_read(s);
    }
    bool fine = status == SQLITE_OK, closed = (status & 0xff) == SQLITE_CANTOPEN || (status & 0xff) == SQLITE_READONLY;
    if (!write && closed)
        fine = open_immutable(s, status, err) && ((status = first_read(s)) == SQLITE_OK || sql_fail(s, status, err));
    else if (!fine)
        sql_fail(s, status, err);
    if (!fine)
        sql_close(s);
    return fine;
}

void sql_close(struct sql *s)
{
    for (size_t i = 0; i < SQL_PREPARED; i++)
        sqlite3_finalize(s->prepared[i].statement);
    sqlite3_close(s->db);
    free(s->path);
    *s = (struct sql){.db = NULL};
}

bool sql_script(struct sql *s, const char *text, struct rp_error *err)
{
    int status = sqlite3_exec(s->db, text, NULL, NULL, NULL);
    return status == SQLITE_OK || sql_fail(s, status, err);
}

#define PAUSE 20 /* milliseconds between two tries */

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool sql_write_ahead(struct sql *s, struct rp_error *err)
{
    int64_t last = milliseconds() + (int64_t)s->wait * 1000;
    int status = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    while ((status & 0xff) == SQLITE_BUSY && milliseconds() < last) {
        sqlite3_sleep(PAUSE);
        status = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    return status == SQLITE_OK || sql_fail(s, status, err);
}

/* ---- prepared statements ----------------------------------------------------------------------------------------- */

static sqlite3_stmt *prepare(struct sql *s, const char *text, struct rp_error *err)
{
    size_t i = 0;
    while (i < SQL_PREPARED && s->prepared[i].text && s->prepared[i].text != text)
        i++;
    if (i == SQL_PREPARED) {
        rp_fail(err, RP_SYSTEM, "%s: too many statements", s->path);
        return NULL;
    }
    if (s->prepared[i].statement)
        return s->prepared[i].statement;
    int status = sqlite3_prepare_v3(s->db, text, -1, SQLITE_PREPARE_PERSISTENT, &s->prepared[i].statement, NULL);
    if (status != SQLITE_OK) {
        sql_fail(s, status, err);
        return NULL;
    }
    s->prepared[i].text = text;
    return s->prepared[i].statement;
}

static sqlite3_stmt *bind(struct sql *s, const char *text, struct rp_error *err, const char *types, va_list values)
{
    sqlite3_stmt *statement = prepare(s, text, err);
    if (!statement)
        return NULL;
    sqlite3_reset(statement);
    int status = SQLITE_OK;
    for (int i = 0; types[i] && status == SQLITE_OK; i++)
        switch (types[i]) {
        case 'i': status = sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t)); break;
        case 'r': status = sqlite3_bind_double(statement, i + 1, va_arg(values, double)); break;
        default: status = sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
        }
    if (status == SQLITE_OK)
        return statement;
    sql_fail(s, status, err);
    return NULL;
}

sqlite3_stmt *sql_bind(struct sql *s, const char *text, struct rp_error *err, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = bind(s, text, err, types, values);
    va_end(values);
    return statement;
}

bool sql_row(struct sql *s, sqlite3_stmt *statement, bool *fine, struct rp_error *err)
{
    int status = sqlite3_step(statement);
    *fine = status == SQLITE_ROW || status == SQLITE_DONE || sql_fail(s, status, err);
    if (status != SQLITE_ROW)
        sqlite3_reset(statement);
    return status == SQLITE_ROW;
}

bool sql_run(struct sql *s, const char *text, struct rp_error *err, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = bind(s, text, err, types, values);
    va_end(values);
    bool fine = statement;
    while (fine && sql_row(s, statement, &fine, err))
        ;
    return fine;
}

bool sql_number(struct sql *s, const char *text, int64_t otherwise, int64_t *value, struct rp_error *err,
                const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = bind(s, text, err, types, values);
    va_end(values);
    bool fine = statement;
    *value = fine && sql_row(s, statement, &fine, err) ? sqlite3_column_int64(statement, 0) : otherwise;
    if (statement)
        sqlite3_reset(statement);
    return fine;
}
