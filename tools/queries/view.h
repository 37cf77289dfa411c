/* The rows of a query as a table, as CSV or as JSON. */
#ifndef REPRISE_TOOLS_QUERIES_VIEW_H
#define REPRISE_TOOLS_QUERIES_VIEW_H

#include "tools/lib/json.h"
#include "tools/store/sql.h"

enum view_form { VIEW_TEXT, VIEW_CSV, VIEW_JSON };

/* What is to be printed, and how far it got. */
struct view {
    struct sql *sql;
    enum view_form form;
    struct json_stream json; /* with VIEW_JSON: its document */
};

/* A query with values bound (letters as those of sql_bind); the text need not be a literal. The caller finalizes it.
 * NULL: err says why. */
sqlite3_stmt *view_query(const struct view *, const char *text, struct rp_error *, const char *types, ...);
/* Prints all rows below a heading. In a table integers have separators, but not those of columns that only name things:
 * run, launch, line and seed; in JSON it is a list of objects, a member `key` of the document, or (NULL) all of it. */
bool view_print(struct view *, const char *key, sqlite3_stmt *, struct rp_error *);
/* Both at once, and frees the text, which may be NULL: out of memory. */
bool view_print_query(struct view *, const char *key, char *text, struct rp_error *);
json_t *view_value(sqlite3_stmt *, int column);

#endif
