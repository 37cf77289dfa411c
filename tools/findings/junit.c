/* Findings as JUnit XML, which servers show as test results: a failure for each, and one test that passes if there is
 * none. Elements and attributes are those of the schema of Jenkins' xUnit plugin (junit-10.xsd). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/findings/findings.h"

/* XML 1.0, "Characters": other control characters cannot be written. */
static void put(FILE *to, const char *text)
{
    for (unsigned bytes; *text; text += bytes ? bytes : 1) {
        bytes = rp_utf8_bytes(text);
        unsigned char c = (unsigned char)*text;
        const char *name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
        if (name)
            fputs(name, to);
        else if (!bytes || (c < 0x20 && c != '\t' && c != '\n'))
            putc('?', to);
        else
            fwrite(text, 1, bytes, to);
    }
}

static void put_attribute(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=\"", name);
    put(to, value);
    putc('"', to);
}

static void put_place(FILE *to, const struct rp_check_location *l)
{
    if (!l->file)
        return;
    putc('\n', to);
    put(to, findings_path(l->file));
    fprintf(to, ":%" PRIu32, l->line);
}

static void put_body(FILE *to, const struct rp_finding *f, const char *text)
{
    put(to, text);
    if (f->one)
        put_place(to, &f->here);
    if (f->two)
        put_place(to, &f->other);
    for (uint32_t i = 0; i < f->stack_count; i++) {
        fprintf(to, "\n%s", f->stacks[i].what);
        for (uint32_t k = 0; k < f->stacks[i].count; k++) {
            const struct rp_frame *at = &f->stacks[i].frames[k];
            fputs("\n  at ", to);
            put(to, at->function ? at->function : "?");
            if (!at->file)
                continue;
            fputs(" (", to);
            put(to, findings_path(at->file));
            fprintf(to, ":%" PRIu32 ")", at->line);
        }
    }
}

static bool put_case(FILE *to, const struct findings *all, const struct rp_finding *f)
{
    const char *file;
    uint32_t line;
    char name[700], title[400], *text = findings_message(f), *kernel = rp_finding_kernel(f);
    rp_finding_place(f, &file, &line);
    findings_title(f, title, sizeof title);
    if (file)
        snprintf(name, sizeof name, "%s at %s:%" PRIu32, title, findings_path(file), line);
    else
        snprintf(name, sizeof name, "%s", title);
    fputs("    <testcase", to);
    put_attribute(to, "name", name);
    put_attribute(to, "classname", kernel ? kernel : all->command ? all->command : "reprise");
    fputs(">\n", to);
    if (f->suppressed || f->known) {
        fprintf(to, "      <skipped message=\"%s\"/>\n", f->suppressed ? "suppressed" : "in the baseline");
    } else {
        fputs("      <failure", to);
        put_attribute(to, "message", text ? text : "");
        put_attribute(to, "type", rp_finding_kind(f->kind));
        putc('>', to);
        put_body(to, f, text ? text : "");
        fputs("</failure>\n", to);
    }
    fputs("    </testcase>\n", to);
    bool fine = text;
    free(text);
    free(kernel);
    return fine;
}

/* A test that is no finding: `element` is what it has, or NULL: it passes. */
static void put_other(FILE *to, const struct findings *f, const char *name, const char *element, const char *message)
{
    fputs("    <testcase", to);
    put_attribute(to, "name", name);
    put_attribute(to, "classname", f->command ? f->command : "reprise");
    if (!element) {
        fputs("/>\n", to);
        return;
    }
    fprintf(to, ">\n      <%s", element);
    put_attribute(to, "message", message);
    fputs("/>\n    </testcase>\n", to);
}

static void put_suite(FILE *to, const struct findings *f, size_t tests, size_t failures, size_t errors)
{
    size_t skipped = 0;
    for (size_t i = 0; i < f->count; i++)
        skipped += f->list[i].suppressed || f->list[i].known;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", to);
    put_attribute(to, "name", "reprise");
    fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", tests, failures, errors, skipped);
    fputs("    <properties>\n      <property name=\"command\"", to);
    put_attribute(to, "value", f->command ? f->command : "");
    fputs("/>\n      <property name=\"checks\"", to);
    put_attribute(to, "value", f->checks ? f->checks : "");
    fputs("/>\n    </properties>\n", to);
}

bool findings_write_junit(const struct findings *f, FILE *to)
{
    char text[FINDINGS_LEFT_OUT], *unchecked = findings_unchecked(f);
    bool left_out = findings_left_out(f, text), fine = true;
    size_t failures = left_out, errors = unchecked ? 1 : 0;
    for (size_t i = 0; i < f->count; i++)
        failures += !f->list[i].suppressed && !f->list[i].known;
    bool passes = !failures && !errors;
    put_suite(to, f, f->count + passes + left_out + errors, failures, errors);
    for (size_t i = 0; i < f->count && fine; i++)
        fine = put_case(to, f, &f->list[i]);
    if (passes)
        put_other(to, f, "nothing was found", NULL, NULL);
    if (left_out)
        put_other(to, f, text, "failure", text);
    if (unchecked)
        put_other(to, f, f->nothing ? "nothing was checked" : "not all was checked", "error", unchecked);
    free(unchecked);
    fputs("  </testsuite>\n</testsuites>\n", to);
    return fine;
}
