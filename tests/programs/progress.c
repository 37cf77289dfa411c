/* progress SHOWN LABEL UNIT DONE TOTAL: reports progress until it has been shown SHOWN times, and ends. For
 * tests/cli/progress.sh, which looks at it in a pseudo-terminal. On a terminal, it reads a line after each time:
 * tests/support/terminal.py has seen it then. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/ui/progress.h"

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: progress SHOWN LABEL UNIT DONE TOTAL\n");
        return 1;
    }
    unsigned shown = (unsigned)strtoul(argv[1], NULL, 0);
    uint64_t done = strtoull(argv[4], NULL, 0), total = strtoull(argv[5], NULL, 0);
    struct progress p;
    progress_begin(&p, argv[2], argv[3], false);
    while (shown) {
        double before = p.shown;
        progress_update(&p, done, total, done, argv[3]);
        if (p.shown > before) {
            shown--;
            if (isatty(STDIN_FILENO))
                getchar();
        }
    }
    progress_end(&p);
    return 0;
}
