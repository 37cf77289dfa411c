/* Modules of PTX that are linked: their texts one behind the other, which the PTX loader links (frontend/isa/ptx/ast.h,
 * ptx_parse). */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_PIECES_H
#define REPRISE_FRONTEND_CUDA_DRIVER_PIECES_H

#include <stdbool.h>
#include <stddef.h>

/* {0} is none. The text ends in a NUL that size does not count; it belongs to the pieces. */
struct ptx_pieces {
    char *text;
    size_t size;
};
/* The text may end in NULs. False: out of memory. */
bool pieces_add(struct ptx_pieces *, const void *text, size_t size);
void pieces_free(struct ptx_pieces *);

#endif
