#include "tools/compare/measured.h"

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
    m->launches[m->count] = (struct measured_launch){.kernel = kernel, .line = line};
    return &m->launches[m->count++];
}

bool ncu_shape(const char *text, uint32_t out[3])
{
    int end = 0;
    return sscanf(text, " (%u, %u, %u)%n", &out[0], &out[1], &out[2], &end) == 3 && end && !text[end];
}

static bool is_absent(const char *value)
{
    return !*value || !strcasecmp(value, "n/a") || !strcasecmp(value, "nan") || !strcasecmp(value, "(nan)");
}

bool ncu_add_value(struct measured *m, const struct ncu_value *v, struct rp_error *err)
{
    double factor, scale, value;
    struct measured_launch *l = &m->launches[m->count - 1];
    enum quantity q = quantity_of_metric(v->metric, &factor);
    if (q == QUANTITY_COUNT) {
        m->others++;
        return true;
    }
    if (is_absent(v->value))
        return true;
    if (!unit_number(v->value, &value))
        return rp_fail(err, RP_BAD_INPUT,
                       "%s, line %zu: '%s' is no number (%s); have ncu print in English: LC_ALL=C ncu ...", m->path,
                       v->line, v->value, v->metric);
    if (!unit_factor(v->unit, &scale))
        return rp_fail(err, RP_BAD_INPUT, "%s, line %zu: unknown unit '%s' of %s; try ncu --print-units base", m->path,
                       v->line, v->unit, v->metric);
    if (!l->has[q]) /* of two metrics of one quantity the first one stays */
        l->value[q] = value * scale * factor;
    l->has[q] = true;
    return true;
}

bool measured_read(const char *path, struct measured *m, struct rp_error *err)
{
    size_t size;
    *m = (struct measured){.path = path};
    m->text = (char *)file_read(path, &size, err);
    if (!m->text)
        return false;
    bool fine = memchr(m->text, 0, size)
                    ? rp_fail(err, RP_BAD_INPUT,
                              "%s: no text; of a report: ncu --import %s --csv --page raw > measured.csv", path, path)
                : ncu_is_csv(m->text) ? ncu_read_csv(m, m->text, err)
                                      : ncu_read_text(m, m->text, err);
    if (fine && !m->count)
        fine = rp_fail(
            err, RP_BAD_INPUT,
            "%s: no launch in what Nsight Compute prints; give the output of ncu --csv, or of ncu --page raw (of a "
            "report: ncu --import REPORT --csv --page raw)",
            path);
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
