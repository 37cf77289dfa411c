/* The state of a warp as lane handlers see it. engine.h has the engine's part (splits, joins, scheduling). */
#ifndef REPRISE_FRONTEND_OPERATION_WARP_H
#define REPRISE_FRONTEND_OPERATION_WARP_H

#include "frontend/operation/uop.h"

struct block;
struct matrix_rows;
struct rp_warp_log;

struct warp {
    uint8_t *window;               /* registers of the function being executed, 64-byte aligned */
    uintptr_t base[2];             /* of constants and of registers: an operand is at base[at / OPERAND_WINDOW] + at */
    lanemask active;               /* lanes on the current path */
    lanemask live;                 /* lanes that exist and have not exited */
    lanemask carry;                /* condition code CC.CF, one bit per lane */
    lanemask zero, sign, overflow; /* the other three condition codes, which only machine code has */
    lanemask second_carry;         /* a sum of three terms carries up to two */
    lanemask low_in_shared;        /* lanes whose last such sum is the lower word of an address in the shared window */
    uint32_t frame;                /* local memory: base of the current frame, bytes */
    uint32_t id;                   /* within its block */
    uint64_t clock;                /* instructions executed so far */
    uint64_t slept;                /* nanoseconds in nanosleep: %clock and %globaltimer are the sum of both */
    uint32_t tid[3][32];           /* per lane */
    const uint32_t *ntid, *ctaid, *nctaid;              /* 3 each */
    const uint32_t *cluster;                            /* blocks of its cluster in each dimension */
    bool cluster_said;                                  /* the launch or the kernel gives the cluster's size */
    uint32_t warp_ids;                                  /* warps that a multiprocessor holds at most */
    uint32_t dynamic_shared, total_shared, local_bytes; /* local_bytes: per thread */
    uint64_t workspace;                                 /* see struct grid */
    struct block *block;
    uint8_t sums;                   /* enum tensor_sums */
    const struct matrix_rows *rows; /* rows that OP_WGMMA reads from shared memory */
    struct rp_warp_log *log;        /* NULL: not recording */
};

static inline void warp_set_window(struct warp *w, uint8_t *window)
{
    w->window = window;
    w->base[1] = (uintptr_t)window - OPERAND_WINDOW;
}
static inline void warp_set_constants(struct warp *w, const uint8_t *constants) { w->base[0] = (uintptr_t)constants; }

/* The operand's first byte; the same for an operand that must be a register. */
static inline void *operand_at(const struct warp *w, struct operand o)
{
    return (void *)(w->base[o.at / OPERAND_WINDOW] + o.at);
}
static inline void *register_at(const struct warp *w, struct operand o) { return (void *)(w->base[1] + o.at); }

#endif
