/* Findings as workflow commands of GitHub Actions, which make annotations. "Workflow commands for GitHub Actions",
 * "Setting an error message". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/findings/findings.h"

/* Characters with a meaning are written as %XX; `more`: further ones, within a property. */
static void put(FILE *to, const char *text, const char *more)
{
    for (; *text; text++)
        if (*text == '%' || *text == '\r' || *text == '\n' || strchr(more, *text))
            fprintf(to, "%%%02X", (unsigned char)*text);
        else
            putc(*text, to);
}

static bool put_finding(const struct rp_finding *f, FILE *to)
{
    const char *file;
    uint32_t line;
    char title[400], *text = findings_message(f);
    findings_title(f, title, sizeof title);
    rp_finding_place(f, &file, &line);
    fprintf(to, "::%s ", f->warning ? "warning" : "error");
    if (file) {
        fputs("file=", to);
        put(to, findings_path(file), ":,");
        fprintf(to, ",line=%" PRIu32 ",", line ? line : 1);
    }
    fputs("title=", to);
    put(to, title, ":,");
    fputs("::", to);
    put(to, text ? text : "", "");
    putc('\n', to);
    bool fine = text;
    free(text);
    return fine;
}

bool findings_write_github(const struct findings *f, FILE *to)
{
    bool fine = true;
    for (size_t i = 0; i < f->count && fine; i++)
        if (!f->list[i].suppressed && !f->list[i].known)
            fine = put_finding(&f->list[i], to);
    char text[FINDINGS_LEFT_OUT], *unchecked = findings_unchecked(f);
    if (findings_left_out(f, text))
        fprintf(to, "::error title=reprise::%s\n", text);
    if (unchecked) {
        fputs("::warning title=reprise::", to);
        put(to, unchecked, "");
        putc('\n', to);
    }
    free(unchecked);
    return fine;
}
