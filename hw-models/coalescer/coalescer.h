/* Coalescers: the transactions that one access makes.
 *
 * The result depends only on the access, never on time. Adding a multiple of the model's period to all addresses adds
 * the same to all transactions.
 */
#ifndef REPRISE_HW_MODELS_COALESCER_H
#define REPRISE_HW_MODELS_COALESCER_H

#include "hw-models/model.h"

#define COALESCER_LANES 32
#define COALESCER_WIDEST 128 /* bytes per lane; bytes beyond make no transaction */
#define COALESCER_FINEST 32  /* the smallest segment, bytes */
#define COALESCER_MOST (COALESCER_LANES * (COALESCER_WIDEST / COALESCER_FINEST + 1))

struct coalescer_access {
    uint32_t mask;           /* lanes that take part; not 0 */
    uint32_t width;          /* bytes per lane */
    const uint64_t *address; /* per lane; those outside the mask are not read */
};

struct coalescer_model {
    struct model model;
    uint64_t (*period)(const int64_t *options); /* bytes, a power of two */
    /* Writes the addresses of the transactions in the order in which they are made; returns how many: 1 to
     * COALESCER_MOST. */
    uint32_t (*coalesce)(const int64_t *options, const struct coalescer_access *, uint64_t out[COALESCER_MOST]);
};

extern const struct coalescer_model coalescer_ideal, coalescer_segments;

#endif
