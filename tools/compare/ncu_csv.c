/* ncu --csv: a heading, and rows of quoted fields; a row is a line. With --page raw a second heading has the units, and
 * a row is a launch; else a row is a metric of a launch. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/ncu.h"
#include "tracefmt/plural.h"

#define MOST_FIELDS 20000 /* ncu --set full --page raw has some thousand */

struct table {
    struct measured *measured;
    char **heading, **units, **row;
    size_t count; /* of the heading's fields */
    size_t id, process, host, kernel, grid, block, device, capability, metric, unit, value;
    const char *last_id, *last_process; /* of the last row */
    bool wide, has_units;               /* a row is a launch; the row of units has come */
    bool quoted;                        /* the heading is, and so are rows */
};

bool ncu_is_csv(const char *text)
{
    for (const char *line = text; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
        size_t n = strcspn(line, "\n");
        if (*line != ' ' && memmem(line, n, "Kernel Name", 11) && memchr(line, ',', n) &&
            (!strncmp(line, "\"ID\",", 5) || !strncmp(line, "ID,", 3) || memmem(line, n, "Metric Name", 11)))
            return true;
    }
    return false;
}

/* Takes the line apart in place (RFC 4180). Returns the number of fields; 0: it has more than MOST_FIELDS, or a quote
 * that is not closed. */
static size_t take_fields(char *line, char **fields)
{
    for (size_t n = 0; n < MOST_FIELDS; line++) {
        char *to = line;
        bool quoted = *line == '"', closed = !quoted;
        fields[n++] = line;
        for (line += quoted; *line && (quoted || *line != ','); *to++ = *line++)
            if (quoted && *line == '"' && *++line != '"') {
                closed = true;
                break;
            }
        char end = *line;
        *to = 0;
        if (!closed || (end && end != ','))
            return 0;
        if (!end)
            return n;
    }
    return 0;
}

/* The column from `from` on that has this name; the number of columns: none. */
static size_t column(const struct table *t, const char *name, size_t from)
{
    while (from < t->count && strcmp(t->heading[from], name))
        from++;
    return from;
}

static const char *field(const struct table *t, size_t column) { return column < t->count ? t->row[column] : ""; }

/* False: two columns have one name, or the table is another one than is wanted. */
static bool find_columns(struct table *t, size_t line, struct rp_error *err)
{
    const struct {
        const char *name;
        size_t *at;
    } columns[] = {{"ID", &t->id},
                   {"Process ID", &t->process},
                   {"Host Name", &t->host},
                   {"Kernel Name", &t->kernel},
                   {"Grid Size", &t->grid},
                   {"Block Size", &t->block},
                   {"Device", &t->device},
                   {"CC", &t->capability},
                   {"Metric Name", &t->metric},
                   {"Metric Unit", &t->unit},
                   {"Metric Value", &t->value}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i].at = column(t, columns[i].name, 0);
        if (*columns[i].at < t->count && column(t, columns[i].name, *columns[i].at + 1) < t->count)
            return rp_fail(err, RP_BAD_INPUT, "%s, line %zu: two columns are called '%s'", t->measured->path, line,
                           columns[i].name);
    }
    t->wide = t->metric == t->count;
    t->has_units = false;
    t->last_id = NULL;
    if (t->id == t->count || (!t->wide && t->value == t->count))
        return rp_fail(err, RP_BAD_INPUT,
                       "%s, line %zu: a summary of several launches; each is wanted: ncu --csv without --print-summary",
                       t->measured->path, line);
    return true;
}

/* Reads grid and block, which some releases leave out. */
static bool read_shape(const struct table *t, struct measured_launch *l, size_t line, struct rp_error *err)
{
    const char *grid = field(t, t->grid), *block = field(t, t->block);
    l->has_grid = ncu_shape(grid, l->grid);
    l->has_block = ncu_shape(block, l->block);
    if ((l->has_grid || !*grid) && (l->has_block || !*block))
        return true;
    return rp_fail(err, RP_BAD_INPUT, "%s, line %zu: '%s' is no %s, such as (256, 1, 1)", t->measured->path, line,
                   l->has_grid || !*grid ? block : grid, l->has_grid || !*grid ? "block" : "grid");
}

/* The launch of the row: the last one, or a new one. */
static bool find_launch(struct table *t, size_t line, struct rp_error *err)
{
    struct measured *m = t->measured;
    const char *id = field(t, t->id), *process = field(t, t->process);
    if (t->last_id && !t->wide && !strcmp(id, t->last_id) && !strcmp(process, t->last_process))
        return true;
    struct measured_launch *l = ncu_add_launch(m, field(t, t->kernel), line);
    if (!l)
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", m->path);
    l->id = id;
    l->process = process;
    l->host = field(t, t->host);
    l->device = isdigit((unsigned char)*field(t, t->device)) ? atoi(field(t, t->device)) : -1;
    l->capability = ncu_capability(field(t, t->capability));
    t->last_id = id;
    t->last_process = process;
    return read_shape(t, l, line, err);
}

static bool read_wide(struct table *t, size_t line, struct rp_error *err)
{
    if (!*field(t, t->id)) {
        memcpy(t->units, t->row, t->count * sizeof *t->row);
        t->has_units = true;
        return true;
    }
    if (!t->has_units)
        return rp_fail(err, RP_BAD_INPUT, "%s, line %zu: the row of units behind the heading is missing",
                       t->measured->path, line);
    if (!find_launch(t, line, err))
        return false;
    for (size_t i = 0; i < t->count; i++) {
        struct ncu_value v = {.metric = t->heading[i], .unit = t->units[i], .value = t->row[i], .line = line};
        if (!ncu_add_value(t->measured, &v, err))
            return false;
    }
    return true;
}

/* Rows of rules have no metric. */
static bool read_long(struct table *t, size_t line, struct rp_error *err)
{
    if (!find_launch(t, line, err))
        return false;
    struct ncu_value v = {
        .metric = field(t, t->metric), .unit = field(t, t->unit), .value = field(t, t->value), .line = line};
    return !*v.metric || ncu_add_value(t->measured, &v, err);
}

/* A heading; another table may follow the first one. */
static bool begin_table(struct table *t, char *text, size_t line, struct rp_error *err)
{
    t->quoted = *text == '"';
    t->count = take_fields(text, t->heading);
    return t->count ? find_columns(t, line, err)
                    : rp_fail(err, RP_BAD_INPUT, "%s, line %zu: the heading of the table is cut off", t->measured->path,
                              line);
}

/* Whether the line, or what is left of it, may be a row: it begins with a launch's ID, or with none, in quotes if the
 * heading has them. */
static bool begins_row(const struct table *t, const char *text)
{
    bool quoted = *text == '"';
    if (t->id)
        return quoted;
    const char *behind = text + quoted + strspn(text + quoted, quoted ? "0123456789," : "0123456789");
    if (quoted)
        return !*behind || (*behind == '"' && (!behind[1] || behind[1] == ','));
    return !t->quoted && behind > text && (!*behind || *behind == ',');
}

/* A row with another number of fields than the heading has; 0: a quote in it is not closed. */
static bool wrong_fields(const struct table *t, size_t fields, size_t line, struct rp_error *err)
{
    static const char way_out[] = "If the program printed it: ncu --log-file keeps its lines apart";
    const char *path = t->measured->path;
    if (!fields)
        return rp_fail(err, RP_BAD_INPUT,
                       "%s, line %zu: a quote is not closed: a field has a line end, which no row may have, or the "
                       "line is cut off. %s",
                       path, line, way_out);
    return rp_fail(err, RP_BAD_INPUT, "%s, line %zu: %zu field%s, and the heading has %zu: %s. %s", path, line, fields,
                   rp_plural(fields), t->count,
                   fields < t->count ? "the line is cut off"
                                     : "a field has a comma and no quotes, or another line follows without a line end",
                   way_out);
}

/* Lines of other programs are passed over: they do not begin with an ID, or have not as many fields. A line that
 * begins like a row and ends too early is an error. */
static bool read_line(struct table *t, char *text, size_t line, struct rp_error *err)
{
    if ((*text == '"' || !strncmp(text, "ID,", 3) || strstr(text, "Metric Name")) && strstr(text, "Kernel Name"))
        return begin_table(t, text, line, err);
    if (ncu_launch_context(text) && !t->measured->passed_over++)
        t->measured->passed_line = line;
    if (!t->count)
        return true;
    bool row = begins_row(t, text);
    size_t n = take_fields(text, t->row);
    if (n != t->count)
        return !row || wrong_fields(t, n, line, err);
    const char *id = field(t, t->id);
    if (id[strspn(id, "0123456789,")])
        return true;
    return t->wide ? read_wide(t, line, err) : read_long(t, line, err);
}

bool ncu_read_csv(struct measured *m, char *text, struct rp_error *err)
{
    struct table t = {.measured = m};
    char **fields = calloc(3 * MOST_FIELDS, sizeof *fields), *next;
    bool fine = fields || rp_fail(err, RP_SYSTEM, "%s: out of memory", m->path);
    t.heading = fields;
    t.units = fields + MOST_FIELDS;
    t.row = fields + 2 * MOST_FIELDS;
    for (size_t line = 1; fine && text; line++, text = next) {
        size_t n = strcspn(text, "\n");
        next = text[n] ? text + n + 1 : NULL;
        text[n] = 0;
        while (n && text[n - 1] == '\r')
            text[--n] = 0;
        fine = read_line(&t, text, line, err);
    }
    free(fields);
    return fine && ncu_check_repeated(m, err);
}
