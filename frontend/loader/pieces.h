/* Modules of PTX to be linked: their texts are concatenated, and the PTX loader links them (frontend/isa/ptx/ast.h,
 * ptx_parse). */
#ifndef REPRISE_FRONTEND_LOADER_PIECES_H
#define REPRISE_FRONTEND_LOADER_PIECES_H

#include <stdbool.h>
#include <stddef.h>

/* {0} is empty. The text, which the struct owns, ends in a NUL that size does not count. */
struct ptx_pieces {
    char *text;
    size_t size;
};
/* Appends a text, which may end in NULs. False: out of memory. */
bool pieces_add(struct ptx_pieces *, const void *text, size_t size);
void pieces_free(struct ptx_pieces *);

#endif
