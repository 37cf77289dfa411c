/* What the text of a function shows that its cubin must say. */
#ifndef REPRISE_TOOLS_ASM_NEEDS_H
#define REPRISE_TOOLS_ASM_NEEDS_H

#include <stdbool.h>
#include <stdint.h>

struct code_needs {
    uint32_t registers; /* the highest one that is named, + 1; operands of several registers name the first */
    uint32_t bank_0;    /* the highest offset in constant bank 0 that is named */
    bool barriers;      /* there are barriers of the block */
};

/* Takes an instruction into account. */
void needs_add(struct code_needs *, const char *text);

#endif
