/* Findings as SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS. Sections of its text stand behind
 * what is made. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/findings/findings.h"
#include "tools/lib/json.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define ROOT "SRCROOT" /* findings_root() */

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* A path as a part of a URI (RFC 3986, "Path"), behind `before` and before `after`; the caller frees it. */
static char *uri(const char *before, const char *path, const char *after)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    fputs(before, to);
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("-._~/!$&'()*+,;=@", *path))
            putc(*path, to);
        else
            fprintf(to, "%%%02X", (unsigned char)*path);
    fputs(after, to);
    return fclose(to) ? (free(text), NULL) : text;
}

static json_t *text_json(const char *text) { return json_pack("{s:o}", "text", json_text(text ? text : "")); }

/* physicalLocation, 3.29; a line is 1 or more. */
static json_t *physical(const char *file, uint32_t line)
{
    const char *path = findings_path(file);
    bool whole = *path == '/';
    char *name = uri(whole ? "file://" : "", path, "");
    json_t *artifact = json_pack("{s:s}", "uri", name ? name : "");
    if (!whole)
        json_put(artifact, "uriBaseId", json_string(ROOT));
    json_t *out = json_pack("{s:o}", "artifactLocation", artifact);
    if (line)
        json_put(out, "region", json_pack("{s:o}", "startLine", json_number(line)));
    free(name);
    return out;
}

/* location, 3.28 */
static json_t *location(const char *file, uint32_t line, const char *function, const char *message)
{
    json_t *out = json_object();
    if (file)
        json_put(out, "physicalLocation", physical(file, line));
    if (function)
        json_put(out, "logicalLocations",
                 json_pack("[{s:o, s:s}]", "fullyQualifiedName", json_text(function), "kind", "function"));
    if (message)
        json_put(out, "message", text_json(message));
    return out;
}

/* stack, 3.44 */
static json_t *stack(const struct rp_stack *s)
{
    json_t *frames = json_array();
    for (uint32_t i = 0; i < s->count; i++) {
        const struct rp_frame *f = &s->frames[i];
        json_add(frames, json_pack("{s:o}", "location", location(f->file, f->line, f->function, NULL)));
    }
    return json_pack("{s:o, s:o}", "message", text_json(s->what), "frames", frames);
}

/* ---- results, 3.27 ----------------------------------------------------------------------------------------------- */

static json_t *related(const struct rp_finding *f)
{
    json_t *list = json_array();
    if (f->two)
        json_add(list, location(f->other.file, f->other.line, NULL,
                                f->kind == RP_CHECK_SYNC ? "the other threads" : check_access_name(f->other.access)));
    for (uint32_t i = 0; f->one && i < f->here.call_count; i++)
        if (f->here.calls[i].file)
            json_add(list, location(f->here.calls[i].file, f->here.calls[i].line, NULL, "called from here"));
    return list;
}

static void put_list(json_t *to, const char *key, json_t *list)
{
    if (json_array_size(list))
        json_put(to, key, list);
    else
        json_decref(list);
}

static json_t *result(const struct findings *all, const struct rp_finding *f, size_t rule)
{
    const char *file;
    uint32_t line;
    char print[20], *kernel = rp_finding_kernel(f), *text = findings_message(f);
    snprintf(print, sizeof print, "%016" PRIx64, f->fingerprint);
    rp_finding_place(f, &file, &line);
    json_t *stacks = json_array();
    for (uint32_t i = 0; i < f->stack_count; i++)
        json_add(stacks, stack(&f->stacks[i]));
    json_t *out =
        json_pack("{s:s, s:o, s:s, s:o, s:{s:s}, s:o}", "ruleId", rp_finding_kind(f->kind), "ruleIndex",
                  json_number(rule), "level", f->warning ? "warning" : "error", "message", text_json(text),
                  "partialFingerprints", "repriseFinding/v1", print, "occurrenceCount", json_number(f->times));
    if (file || kernel)
        json_put(out, "locations", json_pack("[o]", location(file, line, kernel, NULL)));
    put_list(out, "relatedLocations", related(f));
    put_list(out, "stacks", stacks);
    if (f->suppressed)
        json_put(out, "suppressions", json_pack("[{s:s}]", "kind", "external"));
    if (all->compared)
        json_put(out, "baselineState", json_string(f->known ? "unchanged" : "new"));
    free(kernel);
    free(text);
    return out;
}

/* ---- the run, 3.14 ----------------------------------------------------------------------------------------------- */

static const enum rp_check_kind kinds[] = {
#define X(id, bit, name, sentence) RP_CHECK_##id,
    RP_FINDING_KINDS(X)
#undef X
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t rule_of(const struct rp_finding *f)
{
    size_t i = 0;
    while (i + 1 < KINDS && kinds[i] != f->kind)
        i++;
    return i;
}

static json_t *rules(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < KINDS; i++)
        json_add(list, json_pack("{s:s, s:o}", "id", rp_finding_kind(kinds[i]), "shortDescription",
                                 text_json(rp_finding_about(kinds[i]))));
    return list;
}

/* notification, 3.58 */
static json_t *notification(const char *level, const char *text)
{
    return json_pack("{s:s, s:o}", "level", level, "message", text_json(text));
}

/* A run in which not all was checked is not successful. */
static json_t *invocation(const struct findings *f)
{
    char text[FINDINGS_LEFT_OUT], *unchecked = findings_unchecked(f);
    json_t *notes = json_array(), *out = json_pack("{s:o, s:b}", "commandLine", json_text(f->command ? f->command : ""),
                                                   "executionSuccessful", !f->status && !f->signal && !unchecked);
    if (f->signal)
        json_put(out, "exitSignalNumber", json_integer(f->signal));
    else
        json_put(out, "exitCode", json_integer(f->status));
    if (unchecked)
        json_add(notes, notification("error", unchecked));
    if (findings_left_out(f, text))
        json_add(notes, notification("warning", text));
    put_list(out, "toolExecutionNotifications", notes);
    free(unchecked);
    return out;
}

static json_t *root(void)
{
    char *name = *findings_root() ? uri("file://", findings_root(), "/") : NULL;
    json_t *out = json_pack("{s:{s:s}}", ROOT, "uri", name ? name : "file:///");
    free(name);
    return out;
}

static json_t *run(const struct findings *f)
{
    json_t *results = json_array();
    for (size_t i = 0; i < f->count; i++)
        json_add(results, result(f, &f->list[i], rule_of(&f->list[i])));
    json_t *out = json_pack("{s:{s:{s:s, s:s, s:o}}, s:[o], s:o, s:o}", "tool", "driver", "name", "Reprise", "version",
                            REPRISE_VERSION, "rules", rules(), "invocations", invocation(f), "originalUriBaseIds",
                            root(), "results", results);
    if (f->device.name)
        json_put(out, "properties",
                 json_pack("{s:s, s:s}", "device", f->device.name, "capability", f->device.capability));
    return out;
}

bool findings_write_sarif(const struct findings *f, FILE *to)
{
    json_t *out = json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs", run(f));
    bool fine = out && !json_lost() && !json_dumpf(out, to, JSON_INDENT(2)) && putc('\n', to) != EOF;
    json_decref(out);
    return fine;
}
