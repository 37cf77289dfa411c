/* Findings as JSON: docs/findings.md. */
#include <stdlib.h>

#include "tools/findings/findings.h"
#include "tools/lib/json.h"

static json_t *one(const struct rp_finding *f)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    rp_finding_write(f, to);
    json_t *value = fclose(to) ? NULL : json_loadb(text, size, 0, NULL);
    free(text);
    return value;
}

json_t *findings_json(const struct findings *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->count; i++)
        json_add(list, one(&f->list[i]));
    return list;
}

static json_t *program(const struct findings *f)
{
    json_t *out = json_pack("{s:o}", "command", json_text(f->command ? f->command : ""));
    if (f->signal)
        json_put(out, "signal", json_integer(f->signal));
    else
        json_put(out, "status", json_integer(f->status));
    return out;
}

bool findings_write_json(const struct findings *f, FILE *to)
{
    const struct findings_device *d = &f->device;
    json_t *out = json_pack("{s:s, s:i, s:{s:s, s:s}, s:o, s:s, s:o, s:o}", "schema", "reprise-findings", "version", 1,
                            "tool", "name", "reprise", "version", REPRISE_VERSION, "program", program(f), "checks",
                            f->checks ? f->checks : "", "findings", findings_json(f), "findings_not_shown",
                            json_number(f->not_shown));
    if (d->name)
        json_put(out, "device",
                 json_pack("{s:s, s:s, s:o, s:o}", "name", d->name, "capability", d->capability, "sms",
                           json_number(d->sms), "memory", json_number(d->memory)));
    if (f->incomplete)
        json_put(out, "incomplete", json_text(f->incomplete));
    bool fine = out && !json_lost() && !json_dumpf(out, to, JSON_INDENT(2)) && putc('\n', to) != EOF;
    json_decref(out);
    return fine;
}
