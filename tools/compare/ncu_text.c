/* ncu without --csv. A launch begins with a line
 *     KERNEL (GRID)x(BLOCK), Context 1, Stream 7, Device 0, CC 7.0
 * (before 2022.1: KERNEL, DATE, Context 1, Stream 7), and its metrics are lines "NAME  UNIT  VALUE": at least two
 * blanks end the name. A table of metrics begins and ends with a line of dashes. */
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

char *ncu_launch_context(char *text)
{
    char *context = *text == ' ' ? strstr(text, ", Context ") : NULL;
    return context && strstr(context, ", Stream ") ? context : NULL;
}

/* What is read: whether the last launch has metrics, and whether a table has begun, and has rows. */
struct page {
    struct measured *measured;
    bool has_metrics, ruled, has_rows;
};

static void read_device(struct measured_launch *l, const char *behind)
{
    const char *device = strstr(behind, ", Device "), *capability = strstr(behind, ", CC ");
    if (device)
        sscanf(device, ", Device %d", &l->device);
    if (capability)
        l->capability = ncu_capability(capability + strlen(", CC "));
}

/* A table ends before the next launch and before the text does. */
static bool end_launch(const struct page *p, bool last, size_t line, struct rp_error *err)
{
    const struct measured *m = p->measured;
    bool whole = !m->count || (!(p->ruled && p->has_rows) && (!last || p->has_metrics));
    return whole || rp_fail(err, RP_BAD_INPUT,
                            "%s, line %zu: the text is cut off: the metrics of the launch of line %zu "
                            "do not end with a line of dashes",
                            m->path, line, m->launches[m->count - 1].line);
}

static bool begin_launch(struct page *p, char *text, char *context, size_t line, struct rp_error *err)
{
    struct measured *m = p->measured;
    uint32_t grid[3], block[3];
    *context++ = 0;
    text += strspn(text, " ");
    if (!end_launch(p, false, line, err))
        return false;
    p->has_metrics = p->ruled = p->has_rows = false;
    bool shape = take_shape(text, "x(", block) && take_shape(text, " (", grid);
    if (!shape)
        cut_date(text);
    struct measured_launch *l = ncu_add_launch(m, text, line);
    if (!l)
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", m->path);
    l->has_grid = l->has_block = shape;
    read_device(l, context);
    if (shape) {
        memcpy(l->grid, grid, sizeof grid);
        memcpy(l->block, block, sizeof block);
    }
    return true;
}

/* A line of a launch's table; what is none is passed over. */
static bool read_metric(struct page *p, char *text, size_t line, struct rp_error *err)
{
    char *name = text + strspn(text, " "), *rest = strstr(name, "  ");
    if (name - text >= 2 && !strncmp(name, "-----", 5)) {
        p->ruled = !p->has_rows;
        p->has_rows = false;
        return true;
    }
    if (name - text < 2 || !rest)
        return true;
    *rest++ = 0;
    char *unit = rest + strspn(rest, " ");
    size_t n = strcspn(unit, " ");
    char *value = unit + n + strspn(unit + n, " ");
    if (!*value || !strncmp(unit, NCU_MARK, strlen(NCU_MARK))) { /* a value without a unit */
        value = unit;
        unit += strlen(unit);
    } else {
        unit[n] = 0;
    }
    char *end = value + (strncmp(value, NCU_MARK, strlen(NCU_MARK)) ? 0 : strlen(NCU_MARK));
    end += strspn(end, " ");
    end[strcspn(end, " ")] = 0;
    if (strcmp(name, "Metric Name")) { /* the heading */
        p->has_metrics = true;
        p->has_rows = p->ruled;
    }
    return ncu_add_value(p->measured, &(struct ncu_value){name, unit, value, line}, err);
}

bool ncu_read_text(struct measured *m, char *text, struct rp_error *err)
{
    struct page p = {.measured = m};
    bool fine = true;
    char *next;
    size_t last = 0; /* the last line that is not empty */
    for (size_t line = 1; fine && text; line++, text = next) {
        size_t n = strcspn(text, "\r\n");
        next = strchr(text + n, '\n');
        next = next ? next + 1 : NULL;
        text[n] = 0;
        last = n ? line : last;
        char *context = ncu_launch_context(text);
        if (context)
            fine = begin_launch(&p, text, context, line, err);
        else if (!n && next) /* no table has an empty line */
            p.ruled = p.has_rows = false;
        else if (m->count)
            fine = read_metric(&p, text, line, err);
    }
    return fine && end_launch(&p, true, last, err);
}
