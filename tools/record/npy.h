/* numpy's file format .npy: a header with type and shape, then the elements (numpy.lib.format; reads versions 1 to 3,
 * writes 1.0). */
#ifndef REPRISE_TOOLS_RECORD_NPY_H
#define REPRISE_TOOLS_RECORD_NPY_H

#include "tools/record/elements.h"
#include "tracefmt/error.h"

#define NPY_SHAPE 128
struct npy {
    enum element element;
    char shape[NPY_SHAPE]; /* "(64, 64)" */
    uint64_t count;        /* elements */
    uint64_t offset;       /* of the first one in the file */
};

/* The longest header that npy_read() accepts: `head` has this many bytes, or the whole file. */
#define NPY_LARGEST_HEADER 65536

bool npy_is_named(const char *path); /* it ends in .npy */
/* Reads the header from `head`, the first `size` bytes of a file of `file_size` bytes. Refuses arrays in Fortran order,
 * and elements that are no plain little-endian numbers. */
bool npy_read(const char *path, const uint8_t *head, size_t size, uint64_t file_size, struct npy *, struct rp_error *);
/* The header of version 1.0; returns its length, a multiple of 64. shape NULL: one dimension of `count`. */
size_t npy_header(enum element, const char *shape, uint64_t count, char out[2 * NPY_SHAPE]);

#endif
