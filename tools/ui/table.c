#include "tools/ui/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/ui/figure.h"
#include "tools/ui/no_memory.h"

struct table {
    char *columns;
    size_t width, count, capacity; /* columns, cells */
    char **cells;
};

struct table *table_new(const char *columns)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t || !(t->columns = strdup(columns)))
        no_memory();
    t->width = strlen(columns);
    return t;
}

void table_cell(struct table *t, const char *format, ...)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        t->cells = realloc(t->cells, t->capacity * sizeof *t->cells);
    }
    va_list args;
    va_start(args, format);
    if (!t->cells || vasprintf(&t->cells[t->count], format, args) < 0)
        no_memory();
    va_end(args);
    for (char *c = t->cells[t->count]; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    t->count++;
}

void table_number(struct table *t, uint64_t value)
{
    char text[FIGURE];
    table_cell(t, "%s", figure(value, text));
}

static size_t characters(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* Columns of letter n shrink, the widest first, down to LEAST_NAME characters. */
#define LEAST_NAME 12
static void narrow(const struct table *t, size_t *widest)
{
    size_t all = 2 * (t->width - 1);
    for (size_t c = 0; c < t->width; c++)
        all += widest[c];
    while (all > TABLE_WIDEST) {
        size_t column = t->width;
        for (size_t c = 0; c < t->width; c++)
            if (t->columns[c] == 'n' && widest[c] > LEAST_NAME && (column == t->width || widest[c] > widest[column]))
                column = c;
        if (column == t->width)
            return;
        widest[column]--;
        all--;
    }
}

/* The width that a wrapped last column needs, at most 40 characters. */
static size_t least_room(const struct table *t, const size_t *widest)
{
    return widest[t->width - 1] < 40 ? widest[t->width - 1] : 40;
}

/* The part of a C++ name after its first scope; NULL: it has no scope. */
static char *within_scope(char *text)
{
    char *end = strpbrk(text, "<( "), *colons = strstr(text, "::");
    return colons > text && colons[2] && (!end || colons < end) ? colons + 2 : NULL;
}

/* Shortens a text to `most` characters: first the scopes of a name, "...reduce<float>", then its end. */
static void cut(char *text, size_t most)
{
    if (characters(text) <= most)
        return;
    char *at = text, *inner = text;
    while (characters(inner) + (inner > text ? 3 : 0) > most && (at = within_scope(inner)))
        inner = at;
    if (inner > text) {
        memmove(text + 3, inner, strlen(inner) + 1); /* at least a letter and "::" were before it */
        memcpy(text, "...", 3);
    }
    if (characters(text) <= most)
        return;
    at = text;
    for (size_t n = 0; *at; at++) {
        n += ((unsigned char)*at & 0xc0) != 0x80;
        if (n > most - 3)
            break;
    }
    strcpy(at, "...");
}

/* Prints the last column in lines of `room` characters, each from column `indent` on. */
static void print_last(const char *text, size_t indent, size_t room, FILE *to)
{
    size_t at = 0;
    for (const char *word = text; *word;) {
        char one[1024];
        size_t n = strcspn(word, " ");
        snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), word);
        size_t wide = characters(one);
        if (at && at + 1 + wide > room) {
            fprintf(to, "\n%*s", (int)indent, "");
            at = 0;
        }
        at += (size_t)(at != 0) + wide;
        fprintf(to, "%s%s", at > wide ? " " : "", one);
        word += n + (word[n] == ' ');
    }
}

static void print_cell(const struct table *t, size_t i, const size_t *widest, size_t before, FILE *to)
{
    size_t column = i % t->width;
    bool last = column + 1 == t->width;
    if (t->columns[column] == 'n')
        cut(t->cells[i], widest[column]);
    int pad = (int)(widest[column] - characters(t->cells[i]));
    if (t->columns[column] == 'w')
        print_last(t->cells[i], before, before + 40 < TABLE_WIDEST ? TABLE_WIDEST - before : 40, to);
    else if (t->columns[column] == 'r')
        fprintf(to, "%*s%s", pad, "", t->cells[i]);
    else
        fprintf(to, "%s%*s", t->cells[i], last ? 0 : pad, "");
    fputs(last ? "\n" : "  ", to);
}

void table_print(struct table *t, FILE *to)
{
    size_t *widest = calloc(t->width, sizeof *widest), before = 0;
    if (!widest)
        no_memory();
    for (size_t i = 0; i < t->count; i++)
        if (characters(t->cells[i]) > widest[i % t->width])
            widest[i % t->width] = characters(t->cells[i]);
    if (t->columns[t->width - 1] == 'w') /* gets the rest of the width */
        widest[t->width - 1] = least_room(t, widest);
    narrow(t, widest);
    for (size_t c = 0; c + 1 < t->width; c++)
        before += widest[c] + 2;
    for (size_t i = 0; i < t->count; i++)
        print_cell(t, i, widest, before, to);
    free(widest);
    table_free(t);
}

/* Removes separators and unit from "1,234" and "12.5 %"; other texts are unchanged. */
static void plain_number(char *cell)
{
    size_t n = strlen(cell), digits = strspn(cell, "-0123456789,.");
    if (!n || (digits != n && strcmp(cell + digits, " %")))
        return;
    char *out = cell;
    for (size_t i = 0; i < digits; i++)
        if (cell[i] != ',')
            *out++ = cell[i];
    *out = 0;
}

void csv_cell(const char *cell, FILE *to)
{
    if (!strpbrk(cell, ",\"\n")) {
        fputs(cell, to);
        return;
    }
    fputc('"', to);
    for (; *cell; cell++) {
        if (*cell == '"')
            fputc('"', to);
        fputc(*cell, to);
    }
    fputc('"', to);
}

void table_print_csv(struct table *t, FILE *to)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->columns[i % t->width] == 'r') /* in other columns commas belong to lists and texts */
            plain_number(t->cells[i]);
        if (strcmp(t->cells[i], "-"))
            csv_cell(t->cells[i], to);
        fputc((i + 1) % t->width ? ',' : '\n', to);
    }
    table_free(t);
}

void table_free(struct table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++)
        free(t->cells[i]);
    free(t->cells);
    free(t->columns);
    free(t);
}

void csv_origin_heading(struct table *t)
{
    table_cell(t, "trace");
    table_cell(t, "machine");
}

void csv_origin_cells(struct table *t, const struct csv_origin *o)
{
    table_cell(t, "%s", o->trace);
    table_cell(t, "%s", o->machine);
}
