/* Observers see what a block does. A block has at most one: a tracker, if blocks run in parallel (track.h), or the
 * checks that the user asked for (frontend/check). It is told of accesses before they are made, once they are known to
 * be within bounds, and of events where threads wait for one another. */
#ifndef REPRISE_FRONTEND_CORE_OBSERVE_H
#define REPRISE_FRONTEND_CORE_OBSERVE_H

#include "frontend/core/engine.h"

struct lane_addresses;
struct observer;

enum block_event {
    EVENT_BARRIER,    /* a barrier of the block completes; no uop and no lanes */
    EVENT_CLUSTER,    /* the barrier of its cluster completes; each block of the cluster is told */
    EVENT_COLLECTIVE, /* these lanes have waited for one another at `u` and now execute it */
    EVENT_SHUFFLE,    /* these lanes are about to execute a shuffle of machine code, at which nobody waits */
    EVENT_ORDER,      /* these lanes have met: UOP_ORDER */
    EVENT_FENCE,      /* these lanes execute a fence */
    EVENT_GROUP,      /* these lanes close a group of asynchronous work, or wait for groups (struct rp_async) */
    EVENT_AWAIT,      /* the active lanes wait at the collective `u` for these lanes, which are elsewhere */
    EVENT_ARRIVE,     /* these lanes are about to arrive at a barrier of the block */
    EVENT_PART,       /* these lanes arrive at a barrier; other live lanes of the warp do not */
};

struct observer_calls {
    /* The lanes make the access of `u` in this space. Addresses are offsets in the block's shared memory or in the
     * lane's local memory; in global memory they lie within `a`, which is NULL for other spaces. False: the access must
     * not be made. */
    bool (*access)(struct observer *, struct warp_state *, const struct uop *u, enum rp_space,
                   const struct allocation *a, const struct lane_addresses *, lanemask);
    /* The same for a lane's access to bytes from `at` on. */
    bool (*bytes)(struct observer *, struct warp_state *, const struct uop *u, enum rp_space,
                  const struct allocation *a, unsigned lane, uint64_t at, uint64_t bytes, bool stores);
    /* A call of the host, whose order is visible. False: it must not be made. */
    bool (*host_call)(struct observer *);
    void (*event)(struct observer *, struct warp_state *, enum block_event, const struct uop *u, lanemask);
    /* NULL, or: the lanes are about to change or test barrier objects of their own block, at these offsets of its
     * shared memory. */
    void (*objects)(struct observer *, struct warp_state *, const struct uop *u, const struct lane_addresses *,
                    lanemask);
    /* NULL, or: a lane's access is bad, as the block's fault says. True: the access is left out, what it loads is 0,
     * and the block goes on. False: the block stops. */
    bool (*leave_out)(struct observer *, struct warp_state *, const struct uop *u, unsigned lane);
    /* NULL, or: the lanes are about to execute `u`, in a warp whose `undefined` is set. Of a collective: when they do.
     */
    void (*values)(struct observer *, struct warp_state *, const struct uop *u, lanemask);
    /* `bytes` may be called once for the loads of several lanes, with all bytes from the first to the last. */
    bool coarse;
};

struct observer {
    const struct observer_calls *calls;
    uint32_t spaces; /* spaces whose accesses it wants to see, a bit each */
    /* During a call: the block of the cluster whose shared memory or objects the call is about; NULL: its own. */
    struct block *of;
};

static inline bool observed(const struct block *b, enum rp_space space) { return b->observed >> space & 1; }
/* NULL: no observer any more. */
static inline void block_observe(struct block *b, struct observer *o)
{
    b->observer = o;
    b->observed = o ? o->spaces : 0;
}
/* The observer's next calls are about the shared memory of block `of`; NULL: of its own block. */
static inline void observe_in(struct block *b, struct block *of)
{
    if (b->observer)
        b->observer->of = of == b ? NULL : of;
}
static inline void observe_event(struct warp_state *s, enum block_event event, const struct uop *u, lanemask lanes)
{
    struct observer *o = s->w.block->observer;
    if (__builtin_expect(o != NULL, 0))
        o->calls->event(o, s, event, u, lanes);
}
static inline void observe_values(struct warp_state *s, const struct uop *u, lanemask lanes)
{
    struct observer *o = s->w.block->observer;
    if (__builtin_expect(s->undefined, 0) && o && o->calls->values)
        o->calls->values(o, s, u, lanes);
}
static inline void observe_objects(struct warp_state *s, const struct uop *u, const struct lane_addresses *la,
                                   lanemask lanes)
{
    struct observer *o = s->w.block->observer;
    if (__builtin_expect(o != NULL, 0) && o->calls->objects)
        o->calls->objects(o, s, u, la, lanes);
}

#endif
