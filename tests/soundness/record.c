/* Records cases of tests/kernels, each at the size given, and so often: record FOLDER CASE[@VARIANT][=SIZE[*TIMES]]...
 * prints the traces' names. With a variant, such as sm_86.O3, it is that of build/cubin. Runs of once are checked
 * against the CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/kernel_case.h"

static int record(const char *folder, char *what)
{
    char *equals = strchr(what, '='), *times = strchr(what, '*'), path[4096];
    char *at = strchr(what, '@');
    if (equals)
        *equals = 0;
    if (at)
        *at = 0;
    const struct kernel_case *c = kernel_case_find(what);
    if (!c) {
        fprintf(stderr, "record: there is no case '%s'\n", what);
        return 1;
    }
    snprintf(path, sizeof path, "%s/%s%s%s.wtr", folder, what, at ? "." : "", at ? at + 1 : "");
    struct kernel_options options = {.size = equals ? (uint32_t)strtoul(equals + 1, NULL, 10) : 0,
                                     .times = times ? (uint32_t)strtoul(times + 1, NULL, 10) : 0,
                                     .skip_check = times, /* what they leave adds up */
                                     .cubin = at ? at + 1 : NULL,
                                     .trace = path};
    struct rp_error err;
    if (!kernel_run(c, &options, NULL, &err)) {
        fprintf(stderr, "record: %s: %s\n", what, err.text);
        return 1;
    }
    puts(path);
    return 0;
}

int main(int argc, char **argv)
{
    int status = argc < 3;
    for (int i = 2; i < argc && !status; i++)
        status = record(argv[1], argv[i]);
    return status;
}
