#include "tools/ui/figure.h"

#include <inttypes.h>
#include <stdio.h>

const char *figure(uint64_t value, char out[FIGURE])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
    return out;
}
