/* Which findings count. */
#include "tools/findings/findings.h"
#include "tools/lib/output.h"

static bool has(const struct findings *f, const struct rp_finding *one)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].fingerprint == one->fingerprint && f->list[i].kind == one->kind)
            return true;
    return false;
}

void findings_mark(struct findings *f, const struct suppressions *rules, const struct findings *baseline)
{
    f->compared = baseline;
    for (size_t i = 0; i < f->count; i++) {
        struct rp_finding *one = &f->list[i];
        one->suppressed = suppressions_match(rules, one);
        one->known = baseline && has(baseline, one);
    }
}

bool findings_write_suppressions(const struct findings *f, const char *path, struct rp_error *err)
{
    struct output *o = output_open(path, err);
    if (!o)
        return false;
    fputs("# Findings that reprise does not report: kind, kernel, place. Delete what shall be found again.\n", o->to);
    for (size_t i = 0; i < f->count; i++)
        suppressions_write(&f->list[i], o->to);
    return output_close(o, true, err);
}
