/* ncu without --csv. A launch begins with a line
 *     KERNEL (GRID)x(BLOCK), Context 1, Stream 7, Device 0, CC 7.0
 * (before 2022.1: KERNEL, DATE, Context 1, Stream 7), and its metrics are lines "NAME  UNIT  VALUE": at least two
 * blanks end the name. */
#include <stdio.h>
#include <string.h>

#include "tools/compare/ncu.h"

/* "NAME (1, 2, 3)": cuts the dimensions off, and reads them. */
static bool take_shape(char *text, const char *separator, uint32_t out[3])
{
    char *open = NULL;
    for (char *at = text; (at = strstr(at, separator)); at++)
        open = at;
    if (!open || !ncu_shape(strrchr(open, '('), out))
        return false;
    *open = 0;
    return true;
}

/* Cuts the date of older releases off: the text behind the last comma outside parentheses. */
static void cut_date(char *name)
{
    int depth = 0;
    for (char *at = name + strlen(name); at > name; at--) {
        depth += *at == ')' || *at == '>' ? 1 : *at == '(' || *at == '<' ? -1 : 0;
        if (*at == ',' && !depth) {
            *at = 0;
            return;
        }
    }
}

static bool begin_launch(struct measured *m, char *text, char *context, size_t line, struct rp_error *err)
{
    uint32_t grid[3], block[3];
    *context = 0;
    text += strspn(text, " ");
    bool shape = take_shape(text, "x(", block) && take_shape(text, " (", grid);
    if (!shape)
        cut_date(text);
    struct measured_launch *l = ncu_add_launch(m, text, line);
    if (!l)
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", m->path);
    l->has_shape = shape;
    if (shape) {
        memcpy(l->grid, grid, sizeof grid);
        memcpy(l->block, block, sizeof block);
    }
    return true;
}

/* A line of a launch's table; what is none is passed over. */
static bool read_metric(struct measured *m, char *text, size_t line, struct rp_error *err)
{
    char *name = text + strspn(text, " "), *rest = strstr(name, "  ");
    if (name - text < 2 || !rest)
        return true;
    *rest++ = 0;
    char *unit = rest + strspn(rest, " ");
    size_t n = strcspn(unit, " ");
    char *value = unit + n + strspn(unit + n, " ");
    if (!*value) { /* a value without a unit */
        value = unit;
        unit += strlen(unit);
    } else {
        unit[n] = 0;
    }
    value[strcspn(value, " ")] = 0;
    return ncu_add_value(m, &(struct ncu_value){name, unit, value, line}, err);
}

bool ncu_read_text(struct measured *m, char *text, struct rp_error *err)
{
    bool fine = true;
    char *next;
    for (size_t line = 1; fine && text; line++, text = next) {
        size_t n = strcspn(text, "\r\n");
        next = strchr(text + n, '\n');
        next = next ? next + 1 : NULL;
        text[n] = 0;
        char *context = strstr(text, ", Context ");
        if (*text == ' ' && context && strstr(context, ", Stream "))
            fine = begin_launch(m, text, context, line, err);
        else if (m->count)
            fine = read_metric(m, text, line, err);
    }
    return fine;
}
