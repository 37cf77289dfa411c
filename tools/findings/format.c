/* What the formats share. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/check/names.h"
#include "tools/findings/findings.h"

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return *folder && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

const char *findings_root(void)
{
    static const char *const variables[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"};
    static char root[PATH_MAX];
    char checkout[PATH_MAX];
    if (*root || !getcwd(root, sizeof root))
        return root;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *named = getenv(variables[i]);
        if (named && realpath(named, checkout) && is_below(root, checkout))
            memcpy(root, checkout, sizeof root);
    }
    return root;
}

const char *findings_path(const char *file)
{
    size_t length = strlen(findings_root());
    if (is_below(file, findings_root()) && file[length])
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
