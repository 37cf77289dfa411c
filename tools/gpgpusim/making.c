#include "tools/gpgpusim/making.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/cache/staged.h"
#include "hw-models/dram/staged.h"
#include "hw-models/set/models.h"
#include "replay/engines/staged/options.h"

void making_fail(struct making *m, const struct gpgpusim_option *o, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!m->failed)
        gpgpusim_option_fail(o, m->err, "%s", text);
    m->failed = true;
}

void making_unsupported(struct making *m, const struct gpgpusim_option *o, const char *format, ...)
{
    va_list args;
    if (m->failed)
        return;
    m->job->unsupported++;
    if (!m->job->warnings)
        return;
    fprintf(m->job->warnings, "reprise import: warning: %s:%u: %.60s %.60s: ", o->file, o->line, o->name, o->value);
    va_start(args, format);
    vfprintf(m->job->warnings, format, args);
    va_end(args);
    fputc('\n', m->job->warnings);
}

void making_line(struct making *m, const struct gpgpusim_option *from, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vfprintf(m->to, format, args);
    va_end(args);
    if (m->line < MAKING_MOST_LINES)
        m->sources[m->line] = from;
    m->line++;
    if (!from) {
        fputc('\n', m->to);
        return;
    }
    const char *slash = strrchr(from->file, '/');
    fprintf(m->to, "%*s# %s:%u %.80s %.100s\n", n > 0 && n < 40 ? 40 - n : 1, "", slash ? slash + 1 : from->file,
            from->line, from->name, from->value);
}

const struct gpgpusim_option *making_find(struct making *m, const char *name)
{
    return gpgpusim_option_find(&m->options, name);
}

bool making_whole(const char *text, const char **end, int64_t *value)
{
    size_t digits = strspn(text, "0123456789");
    *end = text + digits;
    if (!digits || digits > 12)
        return false;
    *value = strtoll(text, NULL, 10);
    return true;
}

int64_t making_number(struct making *m, const char *name, int64_t fallback)
{
    const struct gpgpusim_option *o = making_find(m, name);
    const char *end;
    int64_t value = fallback;
    if (o && (!making_whole(o->value, &end, &value) || *end))
        making_fail(m, o, "this is not a whole number");
    return value;
}

size_t making_numbers(struct making *m, const struct gpgpusim_option *o, const char *separators, int64_t *list,
                      size_t most)
{
    size_t count = 0;
    const char *at = o->value;
    for (;;) {
        const char *end;
        if (count == most || !making_whole(at, &end, &list[count]) || (*end && !strchr(separators, *end))) {
            making_fail(m, o, "these are not at most %zu whole numbers", most);
            return 0;
        }
        count++;
        if (!*end)
            return count;
        at = end + 1;
    }
}

void making_bounded(struct making *m, const struct gpgpusim_option *from, const char *key, int64_t value, int64_t least,
                    int64_t most)
{
    int64_t taken = value < least ? least : value > most ? most : value;
    if (!value && least == 1 && from)
        making_fail(m, from, "there must be at least one");
    else if (taken != value && from)
        making_unsupported(m, from, "not modelled: %s is %" PRId64 " here", key, taken);
    making_line(m, from, "    %s = %" PRId64 ";", key, taken);
}

static const struct model *const parts[] = {[PART_PIPELINE] = &pipeline_staged,
                                            [PART_L1] = &cache_staged.model,
                                            [PART_L2] = &cache_staged.model,
                                            [PART_DRAM] = &dram_staged.model};

void making_option(struct making *m, const struct gpgpusim_option *from, enum gpgpusim_part part, unsigned id,
                   int64_t value)
{
    const struct model_option *row = &parts[part]->options[id];
    making_bounded(m, from, row->key, value, row->least, row->most);
}

void making_begin_part(struct making *m, const char *key)
{
    making_line(m, NULL, "%s: {", key);
    making_line(m, NULL, "    model = \"staged\";");
}

void making_plain_options(struct making *m, enum gpgpusim_part part)
{
    for (size_t i = 0; i < gpgpusim_numbers_count; i++) {
        const struct gpgpusim_number *n = &gpgpusim_numbers[i];
        if (n->part != part)
            continue;
        int64_t value = making_number(m, n->name, n->fallback);
        if (n->per_subcore && m->subcores && value % m->subcores && making_find(m, n->name))
            making_unsupported(m, making_find(m, n->name),
                               "not modelled: not the same for each of %" PRId64 " sub-cores", m->subcores);
        making_option(m, making_find(m, n->name), part, n->id,
                      n->per_subcore && m->subcores ? value / m->subcores : value);
    }
}

static int64_t khz(struct making *m, const struct gpgpusim_option *o, const char *text, char **end)
{
    double mhz = isdigit((unsigned char)*text) ? strtod(text, end) : -1, khz = mhz * 1000;
    if (mhz <= 0 || khz > 1e8 || fabs(khz - floor(khz + 0.5)) > 1e-3) {
        making_fail(m, o, "these are not four clocks in MHz, whole in kHz");
        *end = (char *)"";
        return 1;
    }
    return (int64_t)floor(khz + 0.5);
}

void making_clock(struct making *m, const char *before, int64_t khz_of, const char *after)
{
    making_line(m, making_find(m, "-gpgpu_clock_domains"), "%sclock_mhz = %" PRId64 ".%03" PRId64 ";%s", before,
                khz_of / 1000, khz_of % 1000, after);
}

void making_clocks(struct making *m, int64_t khz_of[4])
{
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_clock_domains");
    char *at = o->value, *end = at;
    for (size_t i = 0; i < 4 && !m->failed; i++) {
        khz_of[i] = khz(m, o, at, &end);
        if (*end != (i < 3 ? ':' : 0))
            making_fail(m, o, "these are not four clocks in MHz with ':' between them");
        at = end + 1;
    }
}
