#include "tools/machine_file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 8

struct line {
    size_t key, value, value_at; /* lengths of key and value, and where the value begins */
};

/* Takes "key = value" apart. False: the text is at its end. */
static bool read_line(const char *text, struct line *l)
{
    const char *equals = strstr(text, " = ");
    if (!equals)
        return false;
    l->key = (size_t)(equals - text);
    l->value_at = l->key + 3;
    l->value = strcspn(text + l->value_at, "\n");
    return true;
}

/* Numbers and truth values stand alone; all else is a string. */
static void print_value(const char *value, size_t length, FILE *to)
{
    char copy[256], *end;
    snprintf(copy, sizeof copy, "%.*s", (int)length, value);
    long long whole = strtoll(copy, &end, 10);
    if (*copy && !*end)
        fprintf(to, whole > INT_MAX || whole < -INT_MAX ? "%sL" : "%s", copy);
    else if (!strcmp(copy, "true") || !strcmp(copy, "false") || (strtod(copy, &end), *copy && !*end))
        fputs(copy, to);
    else
        fprintf(to, "\"%s\"", copy);
}

/* Groups that `key` and the key before it share, by their names: "units.alu.model" and "units.fp64.model" share one. */
static unsigned shared_groups(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned groups = 0;
    for (size_t i = 0; i < a_length && i < b_length && a[i] == b[i]; i++)
        groups += a[i] == '.';
    return groups;
}

static unsigned groups_of(const char *key, size_t length)
{
    unsigned groups = 0;
    for (size_t i = 0; i < length; i++)
        groups += key[i] == '.';
    return groups;
}

/* The innermost group is one line, groups of groups are several. */
static void open_groups(const char *key, unsigned from, unsigned to, FILE *out)
{
    for (unsigned depth = 0; depth < to; depth++) {
        size_t length = strcspn(key, ".");
        if (depth >= from)
            fprintf(out, "%*s%.*s: {%s", depth == from ? 4 * (int)depth : 0, "", (int)length, key,
                    depth + 1 < to ? "\n" : "");
        if (depth >= from && depth + 1 < to)
            fprintf(out, "%*s", 4 * ((int)depth + 1), "");
        key += length + 1;
    }
}

static void close_groups(unsigned from, unsigned to, unsigned innermost, FILE *out)
{
    for (unsigned depth = from; depth > to; depth--) {
        if (depth != innermost)
            fprintf(out, "%*s", 4 * ((int)depth - 1), "");
        fprintf(out, "%s};\n", depth == innermost ? " " : "");
    }
}

void machine_file_print(const char *text, FILE *to)
{
    struct line l, next;
    unsigned open = 0;
    for (bool more = read_line(text, &l); more; l = next) {
        unsigned groups = groups_of(text, l.key);
        open_groups(text, open, groups, to);
        const char *name = memrchr(text, '.', l.key);
        name = name ? name + 1 : text;
        fprintf(to, "%s%.*s = ", groups ? " " : "", (int)(text + l.key - name), name);
        print_value(text + l.value_at, l.value, to);
        fputs(groups ? ";" : ";\n", to);
        const char *following = text + l.value_at + l.value;
        following += *following == '\n';
        more = read_line(following, &next);
        open = more ? shared_groups(text, l.key, following, next.key) : 0;
        close_groups(groups, open, groups, to);
        text = following;
    }
}
