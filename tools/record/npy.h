/* numpy's file format .npy: a header that says type and shape, then the elements (numpy.lib.format, versions 1 to 3 are
 * read, 1.0 is written). */
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

/* As long as a header that is read may be: its beginning must be in `head`. */
#define NPY_LARGEST_HEADER 65536

bool npy_is_named(const char *path); /* it ends in .npy */
/* `size` bytes of the beginning of a file of `file_size`. Arrays in Fortran's order are refused, and what is no plain
 * little-endian number. */
bool npy_read(const char *path, const uint8_t *head, size_t size, uint64_t file_size, struct npy *, struct rp_error *);
/* The header of version 1.0; returns its length, a multiple of 64. shape NULL: one dimension of `count`. */
size_t npy_header(enum element, const char *shape, uint64_t count, char out[2 * NPY_SHAPE]);

#endif
