/* Code of kernels in a cubin. */
#ifndef REPRISE_TOOLS_ASM_REPLACE_H
#define REPRISE_TOOLS_ASM_REPLACE_H

#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* A cubin in memory that code is written into. */
struct cubin_copy {
    const char *path;
    uint8_t *bytes;
    size_t size;
};

/* Reads a cubin. RP_BAD_INPUT: it is none. The caller frees `bytes`. */
bool cubin_bytes_read(const char *path, struct cubin_copy *, struct rp_error *);
/* Puts the code of a function, whose section is ".text.NAME", in the place of what is there, which must have the same
 * size: other sections refer to its instructions by offset. RP_BAD_INPUT: it has not, or there is no such function. */
bool cubin_replace_code(struct cubin_copy *, const char *name, const uint8_t *code, size_t size, struct rp_error *);

#endif
