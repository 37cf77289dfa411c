/* Where machine files are: $REPRISE_MACHINES, the source tree that the program was built in, the data folder beside an
 * installed program, the data folder that was configured, and the program itself. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/base/built_in.h"
#include "replay/base/machine.h"
#include "replay/base/machine_settings.h"

#define SUFFIX ".cfg"

/* Calls use with each folder in order of precedence until it returns true. */
static bool each_folder(bool (*use)(void *, const char *folder), void *data)
{
    static const char *const beside[] = {"../hw-models/machines", "../../hw-models/machines",
                                         "../share/reprise/machines"};
    const char *given = getenv("REPRISE_MACHINES");
    if (given && *given && use(data, given))
        return true;
    char program[PATH_MAX], folder[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n > 0) {
        program[n] = 0;
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = 0;
        for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
            snprintf(folder, sizeof folder, "%s/%s", program, beside[i]);
            if (use(data, folder))
                return true;
        }
    }
    snprintf(folder, sizeof folder, "%s/machines", machine_data_folder);
    return use(data, folder);
}

struct names {
    char **items;
    size_t count;
    bool failed;
};

static void add_name(struct names *names, const char *text, size_t length)
{
    char *name = strndup(text, length);
    char **items = realloc(names->items, (names->count + 1) * sizeof *items);
    if (items)
        names->items = items;
    if (name && items)
        names->items[names->count++] = name;
    else
        free(name);
    names->failed = !name || !items;
}

static bool add_names(void *data, const char *folder)
{
    struct names *names = data;
    DIR *dir = opendir(folder);
    if (!dir)
        return false;
    for (struct dirent *entry; (entry = readdir(dir)) && !names->failed;) {
        size_t n = strlen(entry->d_name);
        if (n > strlen(SUFFIX) && !strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX))
            add_name(names, entry->d_name, n - strlen(SUFFIX));
    }
    closedir(dir);
    return false;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* One allocation: the pointers, then the texts, each name once. */
static char **packed(struct names *names, size_t *count)
{
    size_t bytes = 0, kept = 0;
    for (size_t i = 0; i < names->count; i++)
        bytes += strlen(names->items[i]) + 1;
    char **all = malloc(names->count * sizeof *all + bytes + 1);
    char *text = all ? (char *)(all + names->count) : NULL;
    for (size_t i = 0; i < names->count; i++) {
        if (all && (!kept || strcmp(all[kept - 1], names->items[i]))) {
            all[kept++] = strcpy(text, names->items[i]);
            text += strlen(text) + 1;
        }
        free(names->items[i]);
    }
    free(names->items);
    *count = kept;
    return all;
}

size_t machine_list(char ***names)
{
    struct names found = {0};
    each_folder(add_names, &found);
    for (size_t i = 0; built_in_name(i) && !found.failed; i++)
        add_name(&found, built_in_name(i), strlen(built_in_name(i)));
    if (found.count)
        qsort(found.items, found.count, sizeof *found.items, by_name);
    size_t count;
    *names = packed(&found, &count);
    return count;
}

struct wanted {
    const char *name;
    char *path;
};

static bool has_machine(void *data, const char *folder)
{
    struct wanted *w = data;
    int n = snprintf(w->path, PATH_MAX, "%s/%s" SUFFIX, folder, w->name);
    return n > 0 && n < PATH_MAX && !access(w->path, R_OK);
}

static bool is_built_in(struct wanted *w)
{
    size_t i = 0;
    while (built_in_name(i) && strcmp(built_in_name(i), w->name))
        i++;
    return built_in_name(i) && snprintf(w->path, PATH_MAX, BUILT_IN "%s" SUFFIX, w->name) < PATH_MAX;
}

bool machine_find(const char *name, const char *(*nearest)(const char *, const char *const *, size_t), char path[4096],
                  struct rp_error *err)
{
    size_t n = strlen(name);
    if (strchr(name, '/') || (n > strlen(SUFFIX) && !strcmp(name + n - strlen(SUFFIX), SUFFIX))) {
        if (n >= 4096)
            return rp_fail(err, RP_USAGE, "machine file: the path is too long");
        memcpy(path, name, n + 1);
        return true;
    }
    struct wanted wanted = {name, path};
    if (n && (each_folder(has_machine, &wanted) || is_built_in(&wanted)))
        return true;
    char **names;
    size_t count = machine_list(&names);
    const char *near = names && nearest ? nearest(name, (const char *const *)names, count) : NULL;
    if (near)
        rp_fail(err, RP_USAGE, "unknown machine '%.64s'; did you mean '%s'?", name, near);
    else
        rp_fail(err, RP_USAGE, "unknown machine '%.64s'; 'reprise machine list' shows them, or give a path to a file",
                name);
    free(names);
    return false;
}

char *machine_summary(const char *name)
{
    char path[4096];
    size_t size;
    if (!machine_find(name, NULL, path, NULL))
        return NULL;
    char *text = machine_file_read(path, &size, NULL), *out = text, *at = text;
    if (!text)
        return NULL;
    while (*at == '#') {
        at += strspn(at, "# ");
        size_t n = strcspn(at, "\n");
        if (!n)
            break; /* an empty comment line ends the paragraph */
        if (out != text)
            *out++ = ' ';
        memmove(out, at, n);
        out += n;
        at += n;
        at += *at == '\n';
    }
    *out = 0;
    return text;
}
