/* A look at races without --check: one block of a launch runs under the check for races in shared memory, up to a
 * number of accesses, beside the observer that it has. */
#include <string.h>

#include "frontend/check/internal.h"

enum { MOST_ACCESSES = 100000 }; /* of warps: some milliseconds */

static struct check_sample *sample_of(struct observer *o) { return (struct check_sample *)o; }

/* The check's own observer; NULL: it has seen enough. */
static struct observer *own(struct check_sample *s)
{
    s->own->of = s->observer.of;
    return s->left ? s->own : NULL;
}

static struct observer *under(struct check_sample *s)
{
    if (s->under)
        s->under->of = s->observer.of;
    return s->under;
}

static bool observes(const struct observer *o, enum rp_space space) { return o && o->spaces >> space & 1; }

static bool sample_access(struct observer *o, struct warp_state *w, const struct uop *u, enum rp_space space,
                          const struct allocation *a, const struct lane_addresses *la, lanemask lanes)
{
    struct check_sample *s = sample_of(o);
    struct observer *check = own(s), *other = under(s);
    const struct rp_memory_operand *m = &u->memory->operand;
    if (check && space == RP_SPACE_SHARED) {
        s->left--;
        check->calls->access(check, w, u, space, a, la, lanes);
    } else if (check &&
               check_strong(s->check, m)) { /* a strong access to global memory also orders accesses to shared memory */
        race_fence((struct checked_block *)check, w, m->order >= RP_ORDER_RELEASE, m->scope == RP_SCOPE_CTA);
    }
    return !observes(other, space) || other->calls->access(other, w, u, space, a, la, lanes);
}

static bool sample_bytes(struct observer *o, struct warp_state *w, const struct uop *u, enum rp_space space,
                         const struct allocation *a, unsigned lane, uint64_t at, uint64_t bytes, bool stores)
{
    struct check_sample *s = sample_of(o);
    struct observer *check = own(s), *other = under(s);
    if (check && space == RP_SPACE_SHARED)
        check->calls->bytes(check, w, u, space, a, lane, at, bytes, stores);
    return !observes(other, space) || other->calls->bytes(other, w, u, space, a, lane, at, bytes, stores);
}

static bool sample_host_call(struct observer *o)
{
    struct observer *other = under(sample_of(o));
    return !other || other->calls->host_call(other);
}

static void sample_event(struct observer *o, struct warp_state *w, enum block_event event, const struct uop *u,
                         lanemask lanes)
{
    struct observer *check = own(sample_of(o)), *other = under(sample_of(o));
    if (check)
        check->calls->event(check, w, event, u, lanes);
    if (other)
        other->calls->event(other, w, event, u, lanes);
}

static void sample_objects(struct observer *o, struct warp_state *w, const struct uop *u,
                           const struct lane_addresses *la, lanemask lanes)
{
    struct observer *check = own(sample_of(o)), *other = under(sample_of(o));
    if (check)
        check->calls->objects(check, w, u, la, lanes);
    if (other && other->calls->objects)
        other->calls->objects(other, w, u, la, lanes);
}

static const struct observer_calls sample_calls = {
    sample_access, sample_bytes, sample_host_call, sample_event, sample_objects, NULL, NULL, false};

void check_sample_begin(struct rp_check *c, const struct grid *g, struct block *b)
{
    struct observer *before = b->observer;
    if (b->index || g->warps < 2 || g->cluster[0] * g->cluster[1] * g->cluster[2] > 1 || !extents_end(&g->shared))
        return;
    if (!check_launch_begin(c, g) || !check_block_begin(c, b)) {
        check_launch_end(c);
        return;
    }
    uint32_t spaces = 1u << RP_SPACE_SHARED | 1u << RP_SPACE_GLOBAL;
    c->sample = (struct check_sample){.observer = {.calls = &sample_calls, .spaces = spaces},
                                      .check = c,
                                      .own = b->observer,
                                      .under = before,
                                      .block = b,
                                      .left = MOST_ACCESSES};
    block_observe(b, &c->sample.observer);
}

void check_sample_end(struct rp_check *c, struct block *b)
{
    if (c->sample.block != b || !b || b->observer != &c->sample.observer)
        return;
    struct observer *before = c->sample.under;
    block_observe(b, c->sample.own);
    check_block_end(c, b);
    block_observe(b, before);
    check_launch_end(c);
    c->sample.block = NULL;
}
