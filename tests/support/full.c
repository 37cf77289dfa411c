#include "tests/support/full.h"

#include <stdlib.h>

bool full_sweep(void)
{
    const char *full = getenv("FULL");
    return full && *full;
}
