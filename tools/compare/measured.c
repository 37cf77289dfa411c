#include "tools/compare/measured.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/ncu.h"
#include "tools/compare/unit.h"
#include "tools/lib/file.h"

struct measured_launch *ncu_add_launch(struct measured *m, const char *kernel, size_t line)
{
    /* a power of two elements are full */
    if (!(m->count & (m->count - 1))) {
        struct measured_launch *grown = reallocarray(m->launches, m->count ? 2 * m->count : 1, sizeof *grown);
        if (!grown)
            return NULL;
        m->launches = grown;
    }
    m->launches[m->count] = (struct measured_launch){.kernel = kernel, .line = line, .device = -1};
    return &m->launches[m->count++];
}

/* A number from 1 on, with blanks and this character before it. */
static bool take_extent(const char **at, char before, uint32_t *out)
{
    *at += strspn(*at, " ");
    if (*(*at)++ != before)
        return false;
    *at += strspn(*at, " ");
    size_t digits = strspn(*at, "0123456789");
    unsigned long long value = strtoull(*at, NULL, 10); /* the largest one where there is no room */
    *at += digits;
    *out = (uint32_t)value;
    return digits && value && value <= UINT32_MAX;
}

bool ncu_shape(const char *text, uint32_t out[3])
{
    return take_extent(&text, '(', &out[0]) && take_extent(&text, ',', &out[1]) && take_extent(&text, ',', &out[2]) &&
           !strcmp(text, ")");
}

unsigned ncu_capability(const char *text)
{
    unsigned major, minor;
    return sscanf(text, "%2u.%1u", &major, &minor) == 2 ? 10 * major + minor : 0;
}

/* A metric that the GPU does not have, or whose value is none, as of a quotient by 0: "(!) n/a", "-nan", "inf". */
static bool is_absent(const char *value)
{
    static const char *const absent[] = {"", "n/a", "nan", "-nan", "(nan)", "inf", "-inf", "(inf)"};
    value += strncmp(value, NCU_MARK, strlen(NCU_MARK)) ? 0 : strlen(NCU_MARK);
    value += strspn(value, " ");
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (!strcasecmp(value, absent[i]))
            return true;
    return false;
}

static enum unit_kind kind_of_metric(enum quantity q, const char *metric)
{
    return q == QUANTITY_CLOCK                ? UNIT_RATE
           : !strcmp(quantity(q)->unit, "us") ? UNIT_TIME
           : !strcmp(quantity(q)->unit, "%")  ? UNIT_SHARE
           : strstr(metric, "bytes")          ? UNIT_BYTES
                                              : UNIT_COUNT;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* Whether values of the metric, in units that are not scaled, are whole numbers. */
static bool is_whole(const char *metric, enum unit_kind kind)
{
    return (kind == UNIT_COUNT || kind == UNIT_BYTES) &&
           (ends_with(metric, ".sum") || ends_with(metric, ".max") || ends_with(metric, "registers_per_thread") ||
            !strcmp(metric, "Elapsed Cycles") || !strcmp(metric, "Executed Instructions") ||
            !strcmp(metric, "Registers Per Thread"));
}

/* Whether it looks like a number of another language: digits and separators, which may be no ASCII. */
static bool has_separators(const char *value)
{
    const char *at = value + strspn(value, "+-");
    bool digit = isdigit((unsigned char)*at);
    while (*at && (strchr("0123456789+-.,' eE", *at) || (unsigned char)*at >= 0x80))
        at++;
    return digit && !*at;
}

static bool no_number(const struct measured *m, const struct ncu_value *v, struct rp_error *err)
{
    return rp_fail(err, RP_BAD_INPUT, "%s, line %zu: '%s' is no number (%s)%s", m->path, v->line, v->value, v->metric,
                   has_separators(v->value) ? "; have ncu print in English: LC_ALL=C ncu ..." : "");
}

/* "8,867 (8,867; 8,800)" is a value and its instances, as ncu --print-metric-instances values writes it. */
static bool take_number(const char *text, double *value)
{
    char first[64];
    size_t n = strcspn(text, " ");
    const char *instances = text + n + strspn(text + n, " ");
    if (*instances != '(' || instances[strlen(instances) - 1] != ')' || n >= sizeof first)
        return unit_number(text, value);
    memcpy(first, text, n);
    first[n] = 0;
    return unit_number(first, value);
}

/* Reads the value in base units. */
static bool read_value(const struct measured *m, const struct ncu_value *v, enum quantity q, double *value,
                       struct rp_error *err)
{
    static const char *const wanted[] = {[UNIT_COUNT] = "a number",
                                         [UNIT_TIME] = "a time",
                                         [UNIT_BYTES] = "bytes",
                                         [UNIT_SHARE] = "%",
                                         [UNIT_RATE] = "a frequency"};
    double scale;
    enum unit_kind kind, right = kind_of_metric(q, v->metric);
    if (!take_number(v->value, value))
        return no_number(m, v, err);
    if (!unit_factor(v->unit, &scale, &kind))
        return rp_fail(err, RP_BAD_INPUT, "%s, line %zu: unknown unit '%s' of %s; try ncu --print-units base", m->path,
                       v->line, v->unit, v->metric);
    if (kind != right || *value < 0)
        return rp_fail(err, RP_BAD_INPUT, "%s, line %zu: %s is %s, and not '%s' in unit '%s'", m->path, v->line,
                       v->metric, wanted[right], v->value, v->unit);
    /* "8.867" is 8867 in German. */
    if (scale == 1 && is_whole(v->metric, kind) && *value != floor(*value))
        return rp_fail(err, RP_BAD_INPUT,
                       "%s, line %zu: %s is a whole number, and not '%s'; have ncu print in English: LC_ALL=C ncu ...",
                       m->path, v->line, v->metric, v->value);
    *value *= scale;
    return true;
}

/* "1.234,5": a number with one comma, behind which there are no three digits, or before which there is a point. Such a
 * file is not read, as "1.234" in it would be another number. */
static bool is_foreign(const char *value)
{
    double unused;
    value += *value == '-';
    const char *comma = strchr(value, ',');
    return comma && comma > value && comma[1] && !value[strspn(value, "0123456789.,")] && !strpbrk(comma + 1, ".,") &&
           !unit_number(value, &unused);
}

/* ncu may divide counts of passes that were not alike; the value is kept. */
static void note_share(struct measured *m, const struct ncu_value *v, enum quantity q, double value)
{
    if (strcmp(quantity(q)->unit, "%") || value <= 100 || m->above.count++)
        return;
    m->above.line = v->line;
    m->above.metric = v->metric;
    m->above.value = value;
}

bool ncu_add_value(struct measured *m, const struct ncu_value *v, struct rp_error *err)
{
    double factor, value;
    struct measured_launch *l = &m->launches[m->count - 1];
    unsigned rank = 0;
    enum quantity q = quantity_of_metric(v->metric, &factor, &rank);
    if (q == QUANTITY_COUNT) {
        m->others++;
        return !*v->unit || !is_foreign(v->value) || no_number(m, v, err);
    }
    if (is_absent(v->value))
        return true;
    if (!read_value(m, v, q, &value, err))
        return false;
    value *= factor;
    note_share(m, v, q, value);
    if (!l->has[q] || rank < l->rank[q]) {
        l->value[q] = value;
        l->metric[q] = v->metric;
        l->rank[q] = rank;
        l->has[q] = true;
    }
    return !(l->value[q] > value || l->value[q] < value) || l->rank[q] != rank ||
           rp_fail(err, RP_BAD_INPUT, "%s, line %zu: another value of %s for the same launch", m->path, v->line,
                   v->metric);
}

/* Says why what was read cannot be compared. */
static bool check_launches(const struct measured *m, struct rp_error *err)
{
    if (!m->count)
        return rp_fail(
            err, RP_BAD_INPUT,
            "%s: no launch in what Nsight Compute prints; give the output of ncu --csv, or of ncu --page raw (of a "
            "report: ncu --import REPORT --csv --page raw)",
            m->path);
    for (size_t i = 0; i < m->count; i++)
        for (int q = 0; q < QUANTITY_COUNT; q++)
            if (m->launches[i].has[q] && q != QUANTITY_CLOCK)
                return true;
    return rp_fail(err, RP_BAD_INPUT,
                   "%s: %zu launch%s, and no value that is compared; docs/compare.md lists the metrics", m->path,
                   m->count, m->count == 1 ? "" : "es");
}

static bool no_text(const struct measured *m, struct rp_error *err)
{
    if (!memcmp(m->text, "\xff\xfe", 2) || !memcmp(m->text, "\xfe\xff", 2))
        return rp_fail(err, RP_BAD_INPUT,
                       "%s: text in UTF-16, as PowerShell writes it; iconv -f UTF-16 -t UTF-8 %s > measured.csv",
                       m->path, m->path);
    return rp_fail(err, RP_BAD_INPUT, "%s: no text; of a report: ncu --import %s --csv --page raw > measured.csv",
                   m->path, m->path);
}

/* A spreadsheet may have written the table with others than commas. */
static bool check_separators(const struct measured *m, const char *text, struct rp_error *err)
{
    static const char *const headings[] = {"\"ID\";", "\"ID\"\t", "ID;", "ID\t"};
    for (const char *line = text; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL)
        for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
            if (!strncmp(line, headings[i], strlen(headings[i])))
                return rp_fail(err, RP_BAD_INPUT,
                               "%s: its fields are separated by %s, and not by commas; give what ncu --csv printed",
                               m->path, i % 2 ? "tabs" : "semicolons");
    return true;
}

bool measured_read(const char *path, struct measured *m, struct rp_error *err)
{
    size_t size;
    *m = (struct measured){.path = path};
    m->text = (char *)file_read(path, &size, err);
    if (!m->text)
        return false;
    char *text = m->text + (strncmp(m->text, "\xef\xbb\xbf", 3) ? 0 : 3); /* a byte order mark */
    bool fine = memchr(m->text, 0, size) ? no_text(m, err)
                : ncu_is_csv(text)       ? ncu_read_csv(m, text, err)
                                         : check_separators(m, text, err) && ncu_read_text(m, text, err);
    fine = fine && check_launches(m, err);
    if (!fine)
        measured_free(m);
    return fine;
}

void measured_free(struct measured *m)
{
    free(m->launches);
    free(m->text);
    *m = (struct measured){0};
}
