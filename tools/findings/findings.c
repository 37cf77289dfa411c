#include "tools/findings/findings.h"

#include <stdlib.h>
#include <string.h>

void findings_free(struct findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        rp_finding_clear(&f->list[i]);
    free(f->list);
    free(f->incomplete);
    free(f->unwritten);
    free(f->unloaded);
    free(f->whole);
    free(f->command);
    free(f->device.name);
    free(f->device.capability);
    *f = (struct findings){0};
}

bool findings_append(struct findings *f, struct rp_finding one)
{
    if (f->count == f->room) {
        struct rp_finding *more = realloc(f->list, (2 * f->room + 16) * sizeof *more);
        if (!more) {
            rp_finding_clear(&one);
            return false;
        }
        f->list = more;
        f->room = 2 * f->room + 16;
    }
    f->list[f->count++] = one;
    return true;
}

uint64_t findings_failing(const struct findings *f)
{
    uint64_t count = f->not_shown;
    for (size_t i = 0; i < f->count; i++)
        count += !f->list[i].suppressed && !f->list[i].known;
    return count;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *suffix;
    bool (*write)(const struct findings *, FILE *);
} formats[] = {[FINDINGS_UNKNOWN] = {"", "", NULL},
#define X(id, name, suffix) [FINDINGS_##id] = {#name, suffix, findings_write_##name},
               FINDINGS_FORMATS(X)
#undef X
};
enum { FORMATS = sizeof formats / sizeof *formats };

enum findings_format findings_format_named(const char *name)
{
    for (int i = 1; i < FORMATS; i++)
        if (!strcmp(formats[i].name, name))
            return (enum findings_format)i;
    return FINDINGS_UNKNOWN;
}

enum findings_format findings_format_of(const char *path)
{
    size_t length = strlen(path);
    for (int i = 1; i < FORMATS; i++) {
        size_t suffix = strlen(formats[i].suffix);
        if (suffix && length > suffix && !strcmp(path + length - suffix, formats[i].suffix))
            return (enum findings_format)i;
    }
    return FINDINGS_UNKNOWN;
}

bool findings_write(const struct findings *f, enum findings_format format, FILE *to)
{
    return formats[format].write(f, to);
}
