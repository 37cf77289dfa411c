#include "tools/machine/machine_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 8

struct line {
    size_t key, value, value_at; /* lengths of key and value; where the value begins */
};

/* Finds key and value of the next line "key = value". False: the text has ended. */
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

/* The number of digits from text[at] on. */
static size_t digits(const char *text, size_t at) { return strspn(text + at, "0123456789"); }

/* Whether libconfig reads the number and prints it unchanged: it has no needless zeros, and no more digits than a
 * double holds. */
static bool is_number(const char *value, size_t length)
{
    size_t sign = *value == '-', whole = digits(value, sign), at = sign + whole;
    size_t behind = value[at] == '.' ? digits(value, at + 1) : 0;
    if (!whole || (whole > 1 && value[sign] == '0') || (behind && value[at + behind] == '0'))
        return false;
    at += behind ? 1 + behind : 0;
    errno = 0;
    return at == length && (behind ? whole + behind <= 15 : (strtoll(value, NULL, 10), !errno));
}

/* Prints a value: numbers and Booleans as they are, all else in quotes. */
static void print_value(const char *value, size_t length, FILE *to)
{
    bool number = is_number(value, length), whole = number && !memchr(value, '.', length);
    long long n = whole ? strtoll(value, NULL, 10) : 0;
    bool word = (length == 4 && !memcmp(value, "true", 4)) || (length == 5 && !memcmp(value, "false", 5));
    fprintf(to, number || word ? "%.*s%s" : "\"%.*s\"", (int)length, value, n > INT_MAX || n < -INT_MAX ? "L" : "");
}

/* The number of groups that the key and the one before share: "units.alu.model" and "units.fp64.model" share one. */
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

/* An innermost group is one line; a group of groups has several. */
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

/* The lines of a group are adjacent. */
static void print_lines(const char *text, FILE *to)
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

void machine_file_print(const struct machine *m, FILE *to)
{
    print_lines(m->text, to);
    print_lines(m->device_text, to);
}
