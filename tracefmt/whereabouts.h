/* Where lanes of a warp are: predicts the mask of a run from its first instruction. Encoder and decoder of a chunk with
 * column `scattered` = SCATTERED_LANES share this; docs/trace-format.md, "Masks of lanes that diverge".
 *
 * A run ends in front of an instruction, or behind the last one: its end. Lanes whose last runs have the same end are
 * thought to go on together, where lanes went from this end before. */
#ifndef REPRISE_TRACEFMT_WHEREABOUTS_H
#define REPRISE_TRACEFMT_WHEREABOUTS_H

#include "tracefmt/pool.h"
#include "tracefmt/trace.h"

/* The two last different instructions at which lanes went on from an end. */
struct place_after {
    uint32_t last, before;
};

struct whereabouts {
    union { /* of each lane's last run; 0 before its first one in the path */
        uint32_t end[RP_WARP_LANES];
        uint16_t short_end[RP_WARP_LANES]; /* where there are fewer than 2^16 - 1 ends, in encoders */
    };
    union { /* where it is thought to go on; NOWHERE: it is not known */
        uint32_t next[RP_WARP_LANES];
        uint16_t short_next[RP_WARP_LANES];
    };
    struct place_after *after; /* by end, one more than there are instructions */
    uint32_t count;
};
#define NOWHERE UINT32_MAX

/* Codes of column run_mask: the two low bits say what the others are. */
enum place_code {
    PLACE_PREDICTED, /* the predicted mask; the others are 0 */
    PLACE_WHOLE,     /* all lanes with the same end as lane n, which is the lowest of the mask; the others are n */
    PLACE_PART,      /* some of these: n, and above its 5 bits a bit for each lane above n with the same end */
    PLACE_OTHER      /* the mask, xor the predicted one */
};
#define PLACE_CODE_BITS 2
#define PLACE_LANE_BITS 5

/* False: out of memory. */
bool whereabouts_new(struct whereabouts *, struct pool *, uint32_t instructions);
/* Forgets what it has learnt: before a chunk. */
void whereabouts_forget(struct whereabouts *);
/* Before the first run of a path. */
void whereabouts_begin(struct whereabouts *);
/* Writes the codes of the masks of a path's runs, which are not empty, to where there is room for VARINT_BYTES each.
 * Returns what is behind them. */
uint8_t *whereabouts_put(struct whereabouts *, const struct rp_run *, size_t count, uint8_t *at);
/* Sets the mask of a run, which begins at an instruction of the kernel, from its code. False: there is no such code, or
 * the mask would be empty. */
bool whereabouts_decode(struct whereabouts *, struct rp_run *, uint64_t code);

/* The bits of `lanes` at places where `among` has ones, side by side from the lowest on; and back. */
uint32_t lanes_pack(rp_lanemask lanes, rp_lanemask among);
rp_lanemask lanes_unpack(uint64_t packed, rp_lanemask among);

#endif
