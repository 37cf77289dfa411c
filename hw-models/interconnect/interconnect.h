/* The interconnect between SMs and slices of L2, in both directions.
 *
 * Each SM and each slice has a link into it and a link out of it. A link moves one flit of `flit` bytes in a cycle, an
 * SM's link out one of `sm_flit` bytes. A packet is a header and data, and takes as many cycles as it has flits. The
 * memory system models the queues for the links.
 *
 * The SMs of a GPC may share a link each way, between theirs and the slices'. It moves `gpc_out` bytes of requests and
 * `gpc_in` bytes of replies in a cycle, packet after packet without gaps. So many SMs that send at once wait for one
 * another, and one that sends alone does not. (Jin et al., "Uncovering Real GPU NoC Characteristics", MICRO 2024: SMs
 * of a GPC together get less than the sum of what each gets alone.)
 */
#ifndef REPRISE_HW_MODELS_INTERCONNECT_H
#define REPRISE_HW_MODELS_INTERCONNECT_H

#include "hw-models/model.h"

struct interconnect_shape {
    uint64_t flit;    /* bytes; 0: links are wide enough for anything */
    uint64_t header;  /* bytes of each packet besides its data */
    uint64_t sm_flit; /* bytes that an SM's link out moves in a cycle */
    uint64_t gpc_out; /* bytes that the links of a GPC to and from the slices move in a cycle; 0: any number */
    uint64_t gpc_in;
    int64_t replies; /* with this many responses waiting, a slice looks up nothing more; -1: any number */
};

struct interconnect_model {
    struct model model;
    void (*shape)(const int64_t *options, struct interconnect_shape *);
};

/* Cycles that a packet with so many bytes of data takes on a link with flits of this size. */
static inline uint64_t interconnect_flits(const struct interconnect_shape *s, uint64_t flit, uint64_t data)
{
    return (s->header + data + flit - 1) / flit;
}

extern const struct interconnect_model interconnect_direct, interconnect_crossbar;

#endif
