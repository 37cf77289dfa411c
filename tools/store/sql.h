/* SQLite with errors of the house: statements that are prepared once, and their values. */
#ifndef REPRISE_TOOLS_STORE_SQL_H
#define REPRISE_TOOLS_STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

#define SQL_PREPARED 64

/* A database that is open. */
struct sql {
    sqlite3 *db;
    char *path;
    bool write;     /* it was opened to be written */
    unsigned wait;  /* seconds, for another program that has it locked */
    bool immutable; /* nobody can write it: its folder is read-only */
    bool fresh;     /* it was made now, and nothing is in it yet */
    /* Statements by the address of their text, which is a literal. */
    struct {
        const char *text;
        sqlite3_stmt *statement;
    } prepared[SQL_PREPARED];
};

/* The path as SQLite takes it: a file whose name begins with "file:" is no URI. To be freed with sqlite3_free; NULL:
 * memory ran out. */
char *sql_file_name(const char *path);
/* Opens an existing file, or, to be written, makes one. False: err says why, and nothing need be freed. */
bool sql_open(struct sql *, const char *path, bool write, unsigned wait, struct rp_error *);
void sql_close(struct sql *);

/* What went wrong last, as an error of the house with the way out. Always false. */
bool sql_fail(const struct sql *, int status, struct rp_error *);

/* Runs statements without values, as one text. */
bool sql_script(struct sql *, const char *text, struct rp_error *);
/* Makes the database write ahead (journal mode WAL), and waits for other programs that have it locked. SQLite's own
 * waiting is not enough: where it has read already, and would wait to write, it fails at once. */
bool sql_write_ahead(struct sql *, struct rp_error *);

/* A statement with its values bound, one letter each: i int64_t, r double, t const char * (NULL: no value). The text is
 * a literal; the statement is the caller's until it is reset. NULL: err says why. */
sqlite3_stmt *sql_bind(struct sql *, const char *text, struct rp_error *, const char *types, ...);
/* The next row. False: there is none, or, with *fine false, something failed. */
bool sql_row(struct sql *, sqlite3_stmt *, bool *fine, struct rp_error *);
/* A statement without rows, carried out. */
bool sql_run(struct sql *, const char *text, struct rp_error *, const char *types, ...);
/* The first column of the first row; `otherwise`: there is none. */
bool sql_number(struct sql *, const char *text, int64_t otherwise, int64_t *value, struct rp_error *, const char *types,
                ...);

#endif
