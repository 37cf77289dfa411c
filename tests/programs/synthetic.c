/* synthetic SEED FILE: writes a random trace, for tests of the command line. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/synthetic_trace.h"

int main(int argc, char **argv)
{
    struct rp_error err = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: synthetic SEED FILE\n");
        return RP_USAGE;
    }
    struct synthetic_options o = synthetic_random_options(strtoull(argv[1], NULL, 0));
    if (synthetic_trace_write(argv[2], &o, &err))
        return RP_OK;
    fprintf(stderr, "synthetic: %s\n", err.text);
    return (int)err.status;
}
