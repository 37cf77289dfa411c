/* Traces written out by hand: one block whose warps each run a straight line of instructions, given one by one. For
 * tests of timing where every instruction counts. */
#ifndef REPRISE_TESTS_WARP_TRACE_H
#define REPRISE_TESTS_WARP_TRACE_H

#include "tracefmt/writer.h"

#define WARP_TRACE_SOURCES 3
#define WARP_TRACE_NONE (-1)

/* Every launch has two buffers, the first of which the host has written before. */
#define WARP_TRACE_INPUT 0x1000u
#define WARP_TRACE_OUTPUT 0x8000u
#define WARP_TRACE_BYTES 4096u

struct warp_op {
    enum rp_class unit_class; /* MEMORY, ASYNC: an access to `space`; CONTROL */
    enum rp_space space;      /* of an access */
    bool store, guarded_off;  /* guarded_off: under a predicate that is false in all lanes */
    bool atomic, bypass_l1;   /* of MEMORY, instead of a plain load; bypass_l1: loads and stores do not look in L1 */
    int destination, source[WARP_TRACE_SOURCES]; /* register numbers, WARP_TRACE_NONE */
    uint32_t stride;                             /* bytes from lane to lane, of MEMORY */
    uint64_t address;                            /* of the lowest lane */
    enum rp_scope scope;                         /* of FENCE */
    enum rp_barrier_kind barrier;                /* of BARRIER; NONE: a sync */
    int id, count;                               /* of BARRIER, as in struct rp_barrier */
    rp_lanemask lanes;                           /* on the path, which are executed; 0: all of them */
    bool exits;                                  /* of CONTROL: ends its lanes */
    uint64_t control;                            /* scheduling control bits; 0: none */
    uint32_t slots;                              /* operand slots of the sources, as in struct rp_instruction */
    const char *text;                            /* NULL: the name of the class */
    uint64_t pc;                                 /* + 1; 0: 8 bytes for each instruction before it */
};

struct warp_program {
    const struct warp_op *ops;
    uint32_t count;
};

/* Writes the trace of one launch of one block with these warps. Every warp ends in an exit of its own. */
bool warp_trace_write(const char *path, const struct warp_program *, uint32_t warps, struct rp_error *);

/* The same in parts, for traces of several launches, each of a kernel of its own. */
struct warp_trace;
struct warp_trace *warp_trace_begin(const char *path, struct rp_error *);
/* Warp w of block b runs program (w + b) modulo their number. */
bool warp_trace_launch(struct warp_trace *, const struct warp_program *, uint32_t warps, uint32_t blocks,
                       struct rp_error *);
/* The device and the stream of the launches to come; 0 at the beginning. */
void warp_trace_device(struct warp_trace *, uint32_t device);
void warp_trace_stream(struct warp_trace *, uint32_t stream);
/* The launches to come are guests: their lanes are cores (docs/guests.md). */
bool warp_trace_guest(struct warp_trace *, struct rp_error *);
/* What the host does before the next launch. */
bool warp_trace_host(struct warp_trace *, const struct rp_host_operation *, struct rp_error *);
/* Frees it in every case; without `keep`, no file is left. */
bool warp_trace_end(struct warp_trace *, bool keep, struct rp_error *);

#endif
