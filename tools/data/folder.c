#include "tools/data/folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "replay/base/machine_settings.h"

bool data_folder_find(const char *name, const char *file, char folder[PATH_MAX], struct rp_error *err)
{
    static const char *const beside[] = {"../tools", "../../tools", "../share/reprise"};
    char program[PATH_MAX - 64], path[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; i <= sizeof beside / sizeof *beside; i++) {
        if (i < sizeof beside / sizeof *beside)
            snprintf(folder, PATH_MAX, "%s/%s/%s", program, beside[i], name);
        else
            snprintf(folder, PATH_MAX, "%.4000s/%s", machine_data_folder, name);
        snprintf(path, sizeof path, "%s/%s", folder, file);
        if (!access(path, R_OK))
            return true;
    }
    return rp_fail(err, RP_SYSTEM, "%s is neither in the source tree nor in %s; install reprise again", file, folder);
}
