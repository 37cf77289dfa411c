/* Writes a trace of many launches: many_launches FILE NAME=NUMBER..., with the names of struct many_launches. */
#include "tests/support/many_launches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct many_launches o = {.kernels = 1, .launches = 1, .blocks = 1, .warps = 1, .loops = 1};
    struct rp_error err;
    const struct {
        const char *name;
        uint32_t *to;
    } names[] = {{"kernels", &o.kernels},
                 {"launches", &o.launches},
                 {"blocks", &o.blocks},
                 {"warps", &o.warps},
                 {"loops", &o.loops},
                 {"launch_spread", &o.launch_spread},
                 {"block_spread", &o.block_spread},
                 {"random_percent", &o.random_percent},
                 {"repeats", &o.repeats}};
    for (int a = 2; a < argc; a++) {
        size_t n = strcspn(argv[a], "="), i = 0;
        while (i < sizeof names / sizeof *names && (strlen(names[i].name) != n || strncmp(names[i].name, argv[a], n)))
            i++;
        if (!argv[a][n] || i == sizeof names / sizeof *names) {
            fprintf(stderr, "many_launches: %s?\n", argv[a]);
            return 1;
        }
        *names[i].to = (uint32_t)strtoul(argv[a] + n + 1, NULL, 10);
    }
    if (argc > 1 && many_launches_write(argv[1], &o, &err))
        return 0;
    fprintf(stderr, "many_launches: %s\n", argc > 1 ? err.text : "which file?");
    return 1;
}
