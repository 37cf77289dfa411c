/* Labels of a listing, and operands that name them: "BRA `(.L_x_0)". */
#ifndef REPRISE_TOOLS_ASM_LABELS_H
#define REPRISE_TOOLS_ASM_LABELS_H

#include "frontend/isa/isa.h"
#include "frontend/module/arena.h"
#include "tracefmt/error.h"

struct label {
    const char *function, *name;
    uint32_t address; /* in the function */
};
struct labels {
    VECTOR(struct label) all;
};

/* Finds the labels of a text. isa: of the architecture that is given apart from it, or NULL. RP_BAD_INPUT: a function
 * has one twice; the error names the line. */
bool labels_read(struct labels *, struct arena *, const char *file, const char *text, const struct isa *,
                 struct rp_error *);
/* The text of an instruction with addresses in the place of the function's labels. */
const char *labels_resolve(const struct labels *, struct arena *, const char *function, const char *text);

/* An operand that the linker fills in, such as "32@lo(x)" or "`(printf)" (nvdisasm). Returns its beginning and writes
 * its length; NULL: the text has none. */
const char *linked_operand(const char *text, size_t *length);
/* Whether the text of a word that comes next in the code is this one but for the linked operand. */
bool is_linked(const struct isa *, const struct assembly *, const char *text, struct isa_word);

/* The ISA of "sm_62" and so on, and the number; NULL: there is none. */
const struct isa *isa_of_target(const char *name, unsigned *sm, bool *accelerators);

#endif
