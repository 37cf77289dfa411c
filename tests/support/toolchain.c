#include "tests/support/toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <criterion/criterion.h>

void need_toolchain(void)
{
    const char *build = getenv("BUILD");
    char path[512];
    snprintf(path, sizeof path, "%s/toolchain/complete", build ? build : "build");
    if (access(path, R_OK))
        cr_skip_test("no %s: make toolchain fetches NVIDIA's ptxas", path);
}
