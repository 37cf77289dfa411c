/* Tables with aligned columns, numbers to the right. */
#ifndef REPRISE_TOOLS_UI_TABLE_H
#define REPRISE_TOOLS_UI_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct table;

#define TABLE_WIDEST 120
/* One letter per column. l: to the left. r: to the right. n: a name or text to the left, which is shortened where the
 * table would be wider than TABLE_WIDEST columns; "..." replaces the scopes of a C++ name, and the end of any text. */
struct table *table_new(const char *columns);
/* Adds the next cell, row by row; the first row is the heading. printf-like. Control characters become question marks:
 * a cell stays on its line. */
void table_cell(struct table *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a number with separators between thousands: 1,234,567. */
void table_number(struct table *, uint64_t value);
/* Prints the table with two spaces between columns, and frees it. Columns are counted in characters of UTF-8. */
void table_print(struct table *, FILE *);
/* The same as comma-separated values (RFC 4180): numbers in columns to the right without separators and "%", nothing
 * for "-". */
void table_print_csv(struct table *, FILE *);
/* Prints a text as a cell of CSV, in quotes if it needs them; for tables that are printed cell by cell. */
void csv_cell(const char *text, FILE *to);
/* With what rows of CSV about a replay begin, so that those of several can be put together: columns "trace" and
 * "machine". heading: the names of the columns are to be printed, as they are before the first trace alone. */
struct csv_origin {
    const char *trace, *machine;
    bool heading;
};
#define CSV_ORIGIN_CELLS 2
void csv_origin_heading(struct table *);
void csv_origin_cells(struct table *, const struct csv_origin *);
void table_free(struct table *); /* without printing; NULL is allowed */

#endif
