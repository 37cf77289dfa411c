/* What the text of a function shows that its cubin must say. */
#ifndef REPRISE_TOOLS_ASM_NEEDS_H
#define REPRISE_TOOLS_ASM_NEEDS_H

#include <stdbool.h>
#include <stdint.h>

struct code_needs {
    uint32_t registers; /* the highest one that is named, + 1; operands of several registers name the first */
    unsigned line;      /* of the text, that names it first */
    bool changes_count; /* code asks for more registers as it runs (USETMAXREG) */
    uint32_t bank_0;    /* the highest offset in constant bank 0 that is named */
    bool barriers;      /* there are barriers of the block */
};

/* Takes an instruction into account, which stands in that line of the text. */
void needs_add(struct code_needs *, const char *text, unsigned line);

#endif
