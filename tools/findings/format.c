/* What the formats share. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/check/names.h"
#include "tools/findings/findings.h"

const char *findings_path(const char *file)
{
    static char here[PATH_MAX];
    if (!*here && !getcwd(here, sizeof here))
        return file;
    size_t length = strlen(here);
    if (!strncmp(file, here, length) && file[length] == '/')
        return file + length + 1;
    return strncmp(file, "./", 2) ? file : file + 2;
}

void findings_title(const struct rp_finding *f, char *text, size_t size)
{
    char *kernel = rp_finding_kernel(f);
    if (kernel)
        snprintf(text, size, "%s in kernel '%s'", rp_finding_kind(f->kind), kernel);
    else
        snprintf(text, size, "%s", rp_finding_kind(f->kind));
    free(kernel);
}

bool findings_left_out(const struct findings *f, char text[FINDINGS_LEFT_OUT])
{
    snprintf(text, FINDINGS_LEFT_OUT, "%" PRIu64 " more finding%s not in this report", f->not_shown,
             f->not_shown == 1 ? " is" : "s are");
    return f->not_shown;
}

char *findings_message(const struct rp_finding *f)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    print_readable(to, f->text ? f->text : "");
    return fclose(to) ? (free(text), NULL) : text;
}

char *findings_unchecked(const struct findings *f)
{
    char *text = NULL;
    if (!f->incomplete)
        return NULL;
    int length = asprintf(&text, "%s was checked: %s", f->nothing ? "nothing" : "not all", f->incomplete);
    return length < 0 ? NULL : text;
}
