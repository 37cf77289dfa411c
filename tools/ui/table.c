#include "tools/ui/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/ui/figure.h"

struct table {
    const char *columns;
    size_t width, count, capacity; /* columns, cells */
    char **cells;
};

static void *no_memory(void)
{
    fputs("reprise: out of memory\n", stderr);
    exit(4);
}

struct table *table_new(const char *columns)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t)
        return no_memory();
    t->columns = columns;
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

void table_print(struct table *t, FILE *to)
{
    size_t *widest = calloc(t->width, sizeof *widest);
    if (!widest)
        no_memory();
    for (size_t i = 0; i < t->count; i++)
        if (characters(t->cells[i]) > widest[i % t->width])
            widest[i % t->width] = characters(t->cells[i]);
    for (size_t i = 0; i < t->count; i++) {
        size_t column = i % t->width;
        bool last = column + 1 == t->width;
        int pad = (int)(widest[column] - characters(t->cells[i]));
        if (t->columns[column] == 'r')
            fprintf(to, "%*s%s%s", pad, "", t->cells[i], last ? "\n" : "  ");
        else
            fprintf(to, "%s%*s%s", t->cells[i], last ? 0 : pad, "", last ? "\n" : "  ");
        free(t->cells[i]);
    }
    free(widest);
    free(t->cells);
    free(t);
}

/* "1,234" and "12.5 %" without what people like; other texts as they are. */
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

static void print_csv_cell(const char *cell, FILE *to)
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
        plain_number(t->cells[i]);
        print_csv_cell(t->cells[i], to);
        fputc((i + 1) % t->width ? ',' : '\n', to);
        free(t->cells[i]);
    }
    free(t->cells);
    free(t);
}
