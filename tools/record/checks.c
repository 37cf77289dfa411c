#include "tools/record/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/lib/json.h"
#include "tools/lib/names.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"
#include "tracefmt/source_text.h"

static const struct {
    const char *name;
    unsigned checks;
} names[] = {
    {"memory", RP_CHECK_MEMORY},
    {"init", RP_CHECK_INIT},
    {"race", RP_CHECK_RACE},
    {"sync", RP_CHECK_SYNC},
    {"all", RP_CHECK_ALL | RP_CHECK_MEMORY},
};
#define NAMES (sizeof names / sizeof *names)

bool parse_checks(const char *list, unsigned *checks, struct rp_error *err)
{
    for (const char *at = list;;) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < NAMES && (strlen(names[i].name) != length || strncmp(names[i].name, at, length)))
            i++;
        if (i == NAMES)
            return rp_fail(err, RP_USAGE,
                           "--check %s: there is no check '%.*s'; there are memory, init, race, sync and all", list,
                           (int)length, at);
        *checks |= names[i].checks;
        if (!at[length])
            return true;
        at += length + 1;
    }
}

bool checks_print(const struct rp_check *c)
{
    struct source_files *files = source_files_new("");
    char times[FIGURE];
    for (size_t i = 0; i < rp_check_count(c); i++) {
        const struct rp_finding *f = rp_check_finding(c, i);
        fputs("reprise: ", stderr);
        print_plain_names(f->text ? f->text : "out of memory for a finding", stderr);
        if (f->times > 1)
            fprintf(stderr, "; %s times", figure(f->times, times));
        fputc('\n', stderr);
        if (files)
            rp_finding_source(f, files, source_line_print, stderr);
    }
    source_files_free(files);
    if (rp_check_dropped(c))
        fprintf(stderr, "reprise: %s more finding%s not shown\n", figure(rp_check_dropped(c), times),
                rp_plural(rp_check_dropped(c)));
    if (rp_check_incomplete(c))
        fprintf(stderr, "reprise: %s\n", rp_check_incomplete(c));
    return !rp_check_count(c) && !rp_check_incomplete(c);
}

json_t *checks_json(const struct rp_check *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    rp_check_write_json(c, NULL, to);
    json_t *all = fclose(to) ? NULL : json_loadb(text, size, 0, NULL);
    free(text);
    return all;
}
