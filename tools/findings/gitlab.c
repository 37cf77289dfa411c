/* Findings as a report of GitLab's Code Quality: GitLab's manual, "Code Quality", "Code Quality report format". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/findings/findings.h"
#include "tools/lib/json.h"

/* No two have the same fingerprint: the second one with the same ends in -2. */
static void fingerprint(const struct findings *f, size_t index, char text[40])
{
    size_t before = 0;
    for (size_t i = 0; i < index; i++)
        before += f->list[i].fingerprint == f->list[index].fingerprint && !f->list[i].suppressed;
    int length = snprintf(text, 40, "%016" PRIx64, f->list[index].fingerprint);
    if (before)
        snprintf(text + length, (size_t)(40 - length), "-%zu", before + 1);
}

/* A finding must have a file. */
static char *path_of(const struct findings *f, const char *file)
{
    const char *command = f->command && *f->command ? f->command : "reprise";
    return file ? strdup(findings_path(file)) : strndup(findings_path(command), strcspn(findings_path(command), " "));
}

static json_t *issue(const struct findings *f, size_t index)
{
    const struct rp_finding *one = &f->list[index];
    const char *file;
    uint32_t line;
    char print[40], *text = findings_message(one);
    rp_finding_place(one, &file, &line);
    fingerprint(f, index, print);
    char *path = path_of(f, file);
    json_t *out =
        json_pack("{s:o, s:s, s:s, s:s, s:{s:o, s:{s:i}}}", "description", json_text(text ? text : ""), "check_name",
                  rp_finding_kind(one->kind), "fingerprint", print, "severity", one->warning ? "minor" : "critical",
                  "location", "path", json_text(path ? path : ""), "lines", "begin", (int)(line ? line : 1));
    free(path);
    free(text);
    return out;
}

/* What is no finding, and belongs to no file. */
static json_t *other(const struct findings *f, const char *name, const char *text)
{
    char *path = path_of(f, NULL);
    json_t *out = json_pack("{s:o, s:s, s:s, s:s, s:{s:o, s:{s:i}}}", "description", json_text(text), "check_name",
                            name, "fingerprint", name, "severity", "major", "location", "path",
                            json_text(path ? path : ""), "lines", "begin", 1);
    free(path);
    return out;
}

bool findings_write_gitlab(const struct findings *f, FILE *to)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->count; i++)
        if (!f->list[i].suppressed)
            json_add(list, issue(f, i));
    char text[FINDINGS_LEFT_OUT], *unchecked = findings_unchecked(f);
    if (findings_left_out(f, text))
        json_add(list, other(f, "left-out", text));
    if (unchecked)
        json_add(list, other(f, "unchecked", unchecked));
    free(unchecked);
    bool fine = list && !json_lost() && !json_dumpf(list, to, JSON_INDENT(2)) && putc('\n', to) != EOF;
    json_decref(list);
    return fine;
}
