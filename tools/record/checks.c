#include "tools/record/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/names.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"
#include "tracefmt/source_text.h"

static const struct {
    const char *name;
    unsigned checks;
} names[] = {
    {"memory", RP_CHECK_MEMORY}, {"init", RP_CHECK_INIT},
    {"race", RP_CHECK_RACE},     {"race=strict", RP_CHECK_RACE | RP_CHECK_STRICT},
    {"sync", RP_CHECK_SYNC},     {"api", RP_CHECK_API},
    {"leak", RP_CHECK_LEAK},     {"all", RP_CHECK_ALL | RP_CHECK_MEMORY | RP_CHECK_API | RP_CHECK_LEAK},
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
                           "--check %s: there is no check '%.*s'; there are memory, init, race, race=strict, sync, "
                           "api, leak and all",
                           list, (int)length, at);
        *checks |= names[i].checks;
        if (!at[length])
            return true;
        at += length + 1;
    }
}

void checks_collect(struct findings *to, struct rp_check *c)
{
    struct source_files *files = source_files_new("");
    const char *incomplete = rp_check_incomplete(c);
    to->list = rp_check_take(c, &to->count);
    to->room = to->count;
    to->not_shown = rp_check_dropped(c);
    to->incomplete = incomplete ? strdup(incomplete) : NULL;
    for (size_t i = 0; i < to->count; i++) {
        rp_finding_identify(&to->list[i], files);
        rp_finding_distinguish(&to->list[i], to->list, i);
    }
    source_files_free(files);
}

void checks_add_fault(struct findings *to, const struct rp_launch_result *r, const char *text)
{
    const char *kernel = r->program->name;
    struct source_files *files = source_files_new("");
    struct rp_finding f = {
        .kind = RP_CHECK_FAULT, .fault = true, .times = 1, .kernel = strdup(kernel), .text = strdup(text)};
    rp_finding_fault(&f, r);
    rp_finding_identify(&f, files);
    findings_append(to, f);
    source_files_free(files);
}

void checks_print(const struct findings *all, uint32_t limit)
{
    struct source_files *files = source_files_new("");
    char times[FIGURE];
    uint64_t printed = 0, left_out = all->not_shown;
    for (size_t i = 0; i < all->count; i++) {
        const struct rp_finding *f = &all->list[i];
        if (f->suppressed || f->known || f->fault)
            continue;
        if (printed++ >= limit) {
            left_out++;
            continue;
        }
        fputs("reprise: ", stderr);
        print_plain_names(f->text ? f->text : "out of memory for a finding", stderr);
        if (f->times > 1)
            fprintf(stderr, "; %s times", figure(f->times, times));
        fputc('\n', stderr);
        if (files)
            rp_finding_source(f, files, source_line_print, stderr);
    }
    source_files_free(files);
    if (left_out)
        fprintf(stderr, "reprise: %s more finding%s not shown\n", figure(left_out, times), rp_plural(left_out));
    if (all->incomplete)
        fprintf(stderr, "reprise: %s\n", all->incomplete);
}

bool parse_tensor_sums(const char *name, enum tensor_sums *sums, struct rp_error *err)
{
    return tensor_sums_read(name, sums) ||
           rp_fail(err, RP_USAGE, "--tensor-sums %s: there are " TENSOR_SUMS_NAMES, name);
}
