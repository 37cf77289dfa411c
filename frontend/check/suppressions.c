#include "frontend/check/suppressions.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct rule {
    unsigned kinds; /* 0: any */
    bool by_kernel;
    regex_t kernel;
    char *file; /* NULL: any */
    uint32_t first, last;
    uint64_t fingerprint; /* 0: any */
};
struct suppressions {
    struct rule *rules;
    size_t count, room;
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_kinds(struct rule *r, char *value, struct rp_error *err)
{
    for (char *name; (name = strsep(&value, ","));) {
        enum rp_check_kind kind = rp_finding_kind_named(name);
        if (!kind)
            return rp_fail(err, RP_BAD_INPUT,
                           "there is no kind '%s'; there are init, race, sync, memory, host, leak, api and fault",
                           name);
        r->kinds |= kind;
    }
    return true;
}

static bool read_kernel(struct rule *r, const char *value, struct rp_error *err)
{
    char why[200];
    int status = regcomp(&r->kernel, value, REG_EXTENDED | REG_NOSUB);
    r->by_kernel = !status;
    regerror(status, &r->kernel, why, sizeof why);
    return !status || rp_fail(err, RP_BAD_INPUT, "kernel=%s: %s", value, why);
}

/* A line's number, from 1 on. */
static bool read_line_number(const char **at, uint32_t *line)
{
    char *end;
    errno = 0;
    unsigned long number = isdigit((unsigned char)**at) ? strtoul(*at, &end, 10) : 0;
    if (!number || errno || number > UINT32_MAX)
        return false;
    *line = (uint32_t)number;
    *at = end;
    return true;
}

/* "*.cu:12-20": what follows the last colon are lines. */
static bool read_file(struct rule *r, const char *value, struct rp_error *err)
{
    const char *colon = strrchr(value, ':'), *at = colon ? colon + 1 : "";
    bool valid = *value && colon != value;
    r->last = UINT32_MAX;
    if (valid && colon) {
        valid = read_line_number(&at, &r->first);
        r->last = r->first;
        if (valid && *at == '-')
            at++, valid = read_line_number(&at, &r->last);
        valid &= !*at && r->last >= r->first;
    }
    if (!valid)
        return rp_fail(err, RP_BAD_INPUT, "file=%s: write NAME, NAME:LINE or NAME:FIRST-LAST", value);
    r->file = colon ? strndup(value, (size_t)(colon - value)) : strdup(value);
    return r->file || rp_fail(err, RP_SYSTEM, "out of memory");
}

static bool read_fingerprint(struct rule *r, const char *value, struct rp_error *err)
{
    char *end;
    errno = 0;
    r->fingerprint = strtoull(value, &end, 16);
    return (!*end && end != value && !errno && r->fingerprint) ||
           rp_fail(err, RP_BAD_INPUT, "fingerprint=%s: it has 16 hexadecimal digits", value);
}

static bool read_field(struct rule *r, char *key, char *value, struct rp_error *err)
{
    static const char *const keys[] = {"kind", "kernel", "file", "fingerprint"};
    bool there[] = {r->kinds, r->by_kernel, r->file, r->fingerprint};
    unsigned i = 0;
    while (i < 4 && strcmp(key, keys[i]))
        i++;
    if (i == 4)
        return rp_fail(err, RP_BAD_INPUT, "there is no field '%s'; there are kind, kernel, file and fingerprint", key);
    if (there[i])
        return rp_fail(err, RP_BAD_INPUT, "%s stands there twice; a rule for each needs a line of its own", key);
    if (!*value)
        return rp_fail(err, RP_BAD_INPUT, "%s= has no value; without the field any %s matches", key, key);
    switch (i) {
    case 0: return read_kinds(r, value, err);
    case 1: return read_kernel(r, value, err);
    case 2: return read_file(r, value, err);
    default: return read_fingerprint(r, value, err);
    }
}

/* Takes a value out of the line and returns what follows it; NULL: its quote is not closed. */
static char *take_value(char *at, char **value)
{
    char *to = *value = at;
    if (*at != '"') {
        at += strcspn(at, " \t");
        char *next = *at ? at + 1 : at;
        *at = 0;
        return next;
    }
    for (at++; *at && *at != '"'; at++) {
        at += at[0] == '\\' && (at[1] == '"' || at[1] == '\\');
        *to++ = *at;
    }
    if (!*at)
        return NULL;
    *to = 0;
    return at + 1;
}

/* *any: the line has a field. */
static bool read_line(struct rule *r, char *at, bool *any, struct rp_error *err)
{
    for (at += strspn(at, " \t\r"); *at && *at != '#'; at += strspn(at, " \t\r")) {
        char *key = at, *value;
        at += strcspn(at, "= \t");
        if (*at != '=')
            return rp_fail(err, RP_BAD_INPUT, "'%s' is no field; write KEY=VALUE, such as kind=race", key);
        *at++ = 0;
        if (!(at = take_value(at, &value)))
            return rp_fail(err, RP_BAD_INPUT, "%s: the quote is not closed", key);
        if (!read_field(r, key, value, err))
            return false;
        *any = true;
    }
    return true;
}

static void free_rule(struct rule *r)
{
    if (r->by_kernel)
        regfree(&r->kernel);
    free(r->file);
}

static bool add_rule(struct suppressions *s, const struct rule *r)
{
    if (s->count == s->room) {
        struct rule *more = realloc(s->rules, (2 * s->room + 8) * sizeof *more);
        if (!more)
            return false;
        s->rules = more;
        s->room = 2 * s->room + 8;
    }
    s->rules[s->count++] = *r;
    return true;
}

static bool read_rules(struct suppressions *s, FILE *from, const char *path, struct rp_error *err)
{
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    for (unsigned number = 1; ok && getline(&line, &room, from) >= 0; number++) {
        struct rule r = {0};
        struct rp_error why;
        bool any = false;
        size_t end = strcspn(line, "\n");
        line[end - (end && line[end - 1] == '\r')] = 0;
        if (!read_line(&r, line, &any, &why))
            ok = rp_fail(err, why.status, "%s:%u: %s", path, number, why.text);
        else if (any && !add_rule(s, &r))
            ok = rp_fail(err, RP_SYSTEM, "out of memory for '%s'", path);
        if (!ok || !any)
            free_rule(&r);
    }
    if (ok && ferror(from))
        ok = rp_fail(err, RP_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
    free(line);
    return ok;
}

struct suppressions *suppressions_read(const char *path, struct rp_error *err)
{
    FILE *from = fopen(path, "re");
    struct suppressions *s = from ? calloc(1, sizeof *s) : NULL;
    if (!from)
        rp_fail(err, RP_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
    else if (!s)
        rp_fail(err, RP_SYSTEM, "out of memory for '%s'", path);
    if (s && !read_rules(s, from, path, err)) {
        suppressions_free(s);
        s = NULL;
    }
    if (from)
        fclose(from);
    return s;
}

void suppressions_free(struct suppressions *s)
{
    for (size_t i = 0; s && i < s->count; i++)
        free_rule(&s->rules[i]);
    if (s)
        free(s->rules);
    free(s);
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

static bool place_matches(const struct rule *r, const char *file, uint32_t line)
{
    if (!file || line < r->first || line > r->last)
        return false;
    for (const char *end = file; end; end = strchr(end, '/'), end = end ? end + 1 : NULL)
        if (!fnmatch(r->file, end, 0))
            return true;
    return false;
}

static bool location_matches(const struct rule *r, const struct rp_check_location *l)
{
    if (place_matches(r, l->file, l->line))
        return true;
    for (uint32_t i = 0; i < l->call_count; i++)
        if (place_matches(r, l->calls[i].file, l->calls[i].line))
            return true;
    return false;
}

static bool file_matches(const struct rule *r, const struct rp_finding *f)
{
    if ((f->one && location_matches(r, &f->here)) || (f->two && location_matches(r, &f->other)))
        return true;
    for (uint32_t i = 0; i < f->stack_count; i++)
        for (uint32_t k = 0; k < f->stacks[i].count; k++)
            if (place_matches(r, f->stacks[i].frames[k].file, f->stacks[i].frames[k].line))
                return true;
    return false;
}

static bool rule_matches(const struct rule *r, const struct rp_finding *f, const char *kernel)
{
    return (!r->kinds || r->kinds & f->kind) && (!r->fingerprint || r->fingerprint == f->fingerprint) &&
           (!r->by_kernel || (kernel && !regexec(&r->kernel, kernel, 0, NULL, 0))) && (!r->file || file_matches(r, f));
}

bool suppressions_match(const struct suppressions *s, const struct rp_finding *f)
{
    char *kernel = s ? rp_finding_kernel(f) : NULL;
    bool match = false;
    for (size_t i = 0; s && i < s->count && !match; i++)
        match = rule_matches(&s->rules[i], f, kernel);
    free(kernel);
    return match;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* A regular expression for exactly this text, in quotes. */
static void write_exactly(const char *text, FILE *to)
{
    fputs("\"^", to);
    for (; *text; text++) {
        if (strchr(".[]{}()*+?^$|\\", *text))
            fputs("\\\\", to);
        else if (*text == '"')
            fputs("\\", to);
        putc(*text, to);
        if (*text == '\\')
            putc('\\', to);
    }
    fputs("$\"", to);
}

void suppressions_write(const struct rp_finding *f, FILE *to)
{
    const char *file;
    uint32_t line;
    char *kernel = rp_finding_kernel(f);
    rp_finding_place(f, &file, &line);
    fprintf(to, "kind=%s", rp_finding_kind(f->kind));
    if (kernel) {
        fputs(" kernel=", to);
        write_exactly(kernel, to);
    }
    if (file && line && (kernel || !rp_file_is_of_toolkit(file))) { /* there, all findings of the host are alike */
        const char *slash = strrchr(file, '/');
        fprintf(to, " file=\"%s:%" PRIu32 "\"", slash ? slash + 1 : file, line);
    } else if (!kernel || f->fingerprint) {
        fprintf(to, " fingerprint=%016" PRIx64, f->fingerprint);
    }
    putc('\n', to);
    free(kernel);
}
