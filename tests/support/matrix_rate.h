/* The speed of mma.sync: C = A × B of f16, summed in f32, by the kernel `tiled` of tests/golden/nvcc/matrices.cu. */
#ifndef REPRISE_TESTS_SUPPORT_MATRIX_RATE_H
#define REPRISE_TESTS_SUPPORT_MATRIX_RATE_H

#include <stdbool.h>

#include "tracefmt/error.h"

/* As nvcc compiled it, to PTX. */
#define MATRIX_RATE_PTX "tests/golden/nvcc/matrices-80.ptx"

/* Multiply-adds per second of processor time of one launch on one thread: matrices of size x size, a multiple of 64.
 * Checks some of the result. `trace`: records to this path; NULL: runs only. */
bool matrix_rate(const char *module, unsigned size, const char *trace, double *rate, struct rp_error *);

#endif
