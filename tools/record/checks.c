#include "tools/record/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/hotspots/source.h"
#include "tools/json.h"
#include "tools/names.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"

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

static const char *kind_name(enum rp_check_kind kind)
{
    for (size_t i = 0; i < NAMES; i++)
        if (names[i].checks == (unsigned)kind)
            return names[i].name;
    return "";
}

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

/* The line of the source, where it can be read. */
static void print_line(struct source_files *files, const char *file, uint32_t line)
{
    const char *text = file && line ? source_text_of(files, file, line) : NULL;
    if (text)
        fprintf(stderr, "    %5" PRIu32 " | %s\n", line, text);
}

/* Of inlined code also the line of the outermost call, which is the kernel's own. */
static void print_source(struct source_files *files, const struct rp_check_place *p)
{
    print_line(files, p->file, p->line);
    if (p->call_count)
        print_line(files, p->calls[p->call_count - 1].file, p->calls[p->call_count - 1].line);
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
        if (!files)
            continue;
        print_source(files, &f->here);
        if (f->two)
            print_source(files, &f->other);
    }
    source_files_free(files);
    if (rp_check_dropped(c))
        fprintf(stderr, "reprise: %s more finding%s not shown\n", figure(rp_check_dropped(c), times),
                rp_plural(rp_check_dropped(c)));
    if (rp_check_incomplete(c))
        fprintf(stderr, "reprise: %s\n", rp_check_incomplete(c));
    return !rp_check_count(c) && !rp_check_incomplete(c);
}

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

/* As in `reprise dump --source --json`: from the innermost function to the kernel. */
static json_t *source_json(const struct rp_check_place *p, const char *kernel)
{
    json_t *list = json_array();
    const char *file = p->file;
    uint32_t line = p->line;
    for (uint32_t i = 0; i <= p->call_count; i++) {
        const struct rp_check_call *c = i < p->call_count ? &p->calls[i] : NULL;
        json_add(list, json_pack("{s:o, s:o, s:o}", "function", text_or_null(c ? c->function : kernel), "file",
                                 text_or_null(file), "line", json_number(line)));
        file = c ? c->file : NULL;
        line = c ? c->line : 0;
    }
    return list;
}

static json_t *place_json(const struct rp_finding *f, const struct rp_check_place *p, bool access)
{
    json_t *out = json_pack("{s:i, s:[iii], s:[iii]}", "instruction", (int)p->instruction, "block", (int)p->block[0],
                            (int)p->block[1], (int)p->block[2], "thread", (int)p->thread[0], (int)p->thread[1],
                            (int)p->thread[2]);
    if (access)
        json_put(out, "access", json_string(check_access_name(p->access)));
    if (p->file)
        json_put(out, "file", json_string(p->file));
    if (p->line)
        json_put(out, "line", json_number(p->line));
    if (p->call_count)
        json_put(out, "source", source_json(p, f->kernel));
    return out;
}

json_t *checks_json(const struct rp_check *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rp_check_count(c); i++) {
        const struct rp_finding *f = rp_check_finding(c, i);
        json_t *out =
            json_pack("{s:s, s:s, s:s, s:o}", "kind", kind_name(f->kind), "kernel", f->kernel ? f->kernel : "", "text",
                      f->text ? f->text : "", "times", json_number(f->times));
        if (f->space != RP_SPACE_NONE) {
            json_put(out, "space", json_string(rp_space_name((enum rp_space)f->space)));
            json_put(out, "address", json_number(f->address));
            json_put(out, "size", json_number(f->size));
        }
        json_put(out, "here", place_json(f, &f->here, f->space != RP_SPACE_NONE));
        if (f->two)
            json_put(out, "other", place_json(f, &f->other, true));
        json_add(list, out);
    }
    return list;
}
