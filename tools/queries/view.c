#include "tools/queries/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "tools/lib/names.h"
#include "tools/ui/table.h"

#define MOST_COLUMNS 2000 /* SQLite has no more */

static bool bind_all(sqlite3_stmt *statement, const char *types, va_list values)
{
    for (int i = 0; types[i]; i++) {
        int status = types[i] == 'i'
                         ? sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t))
                         : sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
        if (status != SQLITE_OK)
            return false;
    }
    return true;
}

sqlite3_stmt *view_query(const struct view *v, const char *text, struct rp_error *err, const char *types, ...)
{
    sqlite3_stmt *statement = NULL;
    va_list values;
    va_start(values, types);
    int status = sqlite3_prepare_v2(v->sql->db, text, -1, &statement, NULL);
    bool fine = status == SQLITE_OK && bind_all(statement, types, values);
    va_end(values);
    if (fine)
        return statement;
    sql_fail(v->sql, status == SQLITE_OK ? SQLITE_NOMEM : status, err);
    sqlite3_finalize(statement);
    return NULL;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

struct layout {
    char letters[MOST_COLUMNS + 1];       /* of tools/ui/table.h */
    unsigned char decimals[MOST_COLUMNS]; /* of numbers with a point: fewer where some are large */
};

/* Columns of texts to the left, of numbers to the right. */
static bool lay_out(struct view *v, sqlite3_stmt *rows, struct layout *l, struct rp_error *err)
{
    bool fine = true;
    int count = sqlite3_column_count(rows);
    memset(l->letters, 'r', (size_t)count);
    memset(l->decimals, 4, (size_t)count);
    l->letters[count] = 0;
    while (sql_row(v->sql, rows, &fine, err))
        for (int c = 0; c < count; c++) {
            double real = sqlite3_column_double(rows, c);
            if (sqlite3_column_type(rows, c) == SQLITE_TEXT)
                l->letters[c] = 'l';
            else if (real <= -1000 || real >= 1000)
                l->decimals[c] = 1;
        }
    return fine;
}

static bool is_name(const char *column)
{
    static const char *const names[] = {"run", "launch", "line", "seed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(column, names[i]))
            return true;
    return false;
}

static void add_text(struct table *t, const char *column, const char *text)
{
    char name[PLAIN_NAME];
    table_cell(t, "%s", strcmp(column, "kernel") ? text : plain_kernel_name(text, name));
}

static void add_cell(struct table *t, sqlite3_stmt *rows, int column, int decimals)
{
    int64_t number = sqlite3_column_int64(rows, column);
    double real = sqlite3_column_double(rows, column);
    switch (sqlite3_column_type(rows, column)) {
    case SQLITE_NULL: table_cell(t, "-"); break;
    case SQLITE_FLOAT: table_cell(t, "%.*f", decimals, real); break;
    case SQLITE_INTEGER:
        if (number < 0 || is_name(sqlite3_column_name(rows, column)))
            table_cell(t, "%" PRId64, number);
        else
            table_number(t, (uint64_t)number);
        break;
    default: add_text(t, sqlite3_column_name(rows, column), (const char *)sqlite3_column_text(rows, column));
    }
}

static bool print_table(struct view *v, sqlite3_stmt *rows, struct rp_error *err)
{
    struct layout layout;
    bool fine = true;
    int count = sqlite3_column_count(rows);
    if (!count || !lay_out(v, rows, &layout, err))
        return !count;
    struct table *t = table_new(layout.letters);
    for (int c = 0; c < count; c++)
        table_cell(t, "%s", sqlite3_column_name(rows, c));
    while (sql_row(v->sql, rows, &fine, err))
        for (int c = 0; c < count; c++)
            add_cell(t, rows, c, layout.decimals[c]);
    if (fine)
        table_print(t, stdout);
    else
        table_free(t);
    return fine;
}

/* ---- CSV and JSON ------------------------------------------------------------------------------------------------ */

static bool is_kernel(sqlite3_stmt *rows, int column)
{
    return sqlite3_column_type(rows, column) == SQLITE_TEXT && !strcmp(sqlite3_column_name(rows, column), "kernel");
}

static void print_csv_cell(sqlite3_stmt *rows, int column)
{
    char plain[PLAIN_NAME];
    if (column)
        putchar(',');
    if (sqlite3_column_type(rows, column) == SQLITE_FLOAT)
        printf("%.17g", sqlite3_column_double(rows, column));
    else if (is_kernel(rows, column))
        csv_cell(plain_kernel_name((const char *)sqlite3_column_text(rows, column), plain), stdout);
    else if (sqlite3_column_type(rows, column) != SQLITE_NULL)
        csv_cell((const char *)sqlite3_column_text(rows, column), stdout);
}

static bool print_csv(struct view *v, sqlite3_stmt *rows, struct rp_error *err)
{
    bool fine = true;
    int count = sqlite3_column_count(rows);
    for (int c = 0; c < count; c++) {
        if (c)
            putchar(',');
        csv_cell(sqlite3_column_name(rows, c), stdout);
    }
    putchar('\n');
    while (!ferror(stdout) && sql_row(v->sql, rows, &fine, err)) {
        for (int c = 0; c < count; c++)
            print_csv_cell(rows, c);
        putchar('\n');
    }
    return fine;
}

json_t *view_value(sqlite3_stmt *rows, int column)
{
    switch (sqlite3_column_type(rows, column)) {
    case SQLITE_NULL: return json_null();
    case SQLITE_FLOAT: /* JSON has no infinity */
        return isfinite(sqlite3_column_double(rows, column)) ? json_real(sqlite3_column_double(rows, column))
                                                             : json_null();
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(rows, column));
    default:
        return (is_kernel(rows, column) ? json_source_name
                                        : json_text)((const char *)sqlite3_column_text(rows, column));
    }
}

static bool print_json(struct view *v, const char *key, sqlite3_stmt *rows, struct rp_error *err)
{
    bool fine = true;
    json_open(&v->json, key, '[');
    while (!ferror(stdout) && sql_row(v->sql, rows, &fine, err)) {
        json_t *row = json_object();
        for (int c = 0; c < sqlite3_column_count(rows); c++)
            json_put(row, sqlite3_column_name(rows, c), view_value(rows, c));
        json_part(&v->json, NULL, row);
    }
    json_close(&v->json, ']');
    return fine;
}

bool view_print(struct view *v, const char *key, sqlite3_stmt *rows, struct rp_error *err)
{
    switch (v->form) {
    case VIEW_CSV: return print_csv(v, rows, err);
    case VIEW_JSON: return print_json(v, key, rows, err);
    default: return print_table(v, rows, err);
    }
}

bool view_print_query(struct view *v, const char *key, char *text, struct rp_error *err)
{
    sqlite3_stmt *rows = text ? view_query(v, text, err, "") : NULL;
    bool fine = rows ? view_print(v, key, rows, err) : text || rp_fail(err, RP_SYSTEM, "out of memory");
    fine = fine && rows;
    sqlite3_finalize(rows);
    sqlite3_free(text);
    return fine;
}
