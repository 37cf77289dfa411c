#include "tools/hotspots/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- chains ------------------------------------------------------------------------------------------------------ */

void print_source_calls(const struct rp_kernel *k, const struct rp_instruction *in,
                        void (*function)(const char *, FILE *), const char *(*file)(const char *), FILE *to)
{
    for (uint32_t i = in->inlined; i; i = k->inlined[i - 1].inlined) {
        const struct rp_inlined_call *c = &k->inlined[i - 1];
        fputs(", in ", to);
        function(c->function, to);
        if (c->line)
            fprintf(to, " at %s:%" PRIu32, file(k->files[c->file]), c->line);
    }
}

static const char *whole_path(const char *path) { return path; }

void print_source_chain(const struct rp_kernel *k, const struct rp_instruction *in,
                        void (*function)(const char *, FILE *), FILE *to)
{
    if (in->line)
        fprintf(to, "%s:%" PRIu32, k->files[in->file], in->line);
    print_source_calls(k, in, function, whole_path, to);
}

static bool same_call(const struct rp_kernel *k, const struct rp_inlined_call *c, const struct rp_kernel *l,
                      const struct rp_inlined_call *d)
{
    return c->line == d->line && !strcmp(c->function, d->function) &&
           (!c->line || !strcmp(k->files[c->file], l->files[d->file]));
}

bool source_calls_equal(const struct rp_kernel *k, const struct rp_instruction *in, const struct rp_kernel *l,
                        const struct rp_instruction *jn)
{
    uint32_t i = in->inlined, j = jn->inlined;
    for (; i && j && same_call(k, &k->inlined[i - 1], l, &l->inlined[j - 1]); j = l->inlined[j - 1].inlined)
        i = k->inlined[i - 1].inlined;
    return !i && !j;
}

json_t *source_chain_json(const struct rp_kernel *k, const struct rp_instruction *in)
{
    json_t *list = json_array();
    uint32_t file = in->file, line = in->line;
    for (uint32_t i = in->inlined;; i = k->inlined[i - 1].inlined) {
        const char *function = i ? k->inlined[i - 1].function : k->name;
        json_add(list, json_pack("{s:o, s:o, s:o}", "function", json_source_name(function), "file",
                                 line ? json_string(k->files[file]) : json_null(), "line", json_number(line)));
        if (!i)
            return list;
        file = k->inlined[i - 1].file;
        line = k->inlined[i - 1].line;
    }
}

const char *source_function(const struct rp_kernel *k, const struct rp_instruction *in)
{
    return in->inlined ? k->inlined[in->inlined - 1].function : k->name;
}
