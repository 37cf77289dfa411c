/* Reads of what nobody has written. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/inside.h"

static void report(struct checked_block *cb, const struct touch *t, uint64_t first)
{
    static const char *const what[] = {
        [RP_SPACE_SHARED] = "which nobody has written since the block began",
        [RP_SPACE_LOCAL] = "which the thread has not written",
        [RP_SPACE_GLOBAL] = "which neither the host nor a kernel has written",
    };
    char detail[160];
    if (first > t->at)
        snprintf(detail, sizeof detail, "the last %u of %s", (unsigned)(t->at + t->bytes - first), what[t->space]);
    else
        snprintf(detail, sizeof detail, "%s", what[t->space]);
    check_report(cb->check, t->block,
                 (struct rp_finding){
                     .kind = RP_CHECK_INIT,
                     .space = (uint8_t)t->space,
                     .address = t->at,
                     .size = (uint32_t)t->bytes,
                     .here = check_place(t->block, t->u->index, t->thread, touch_kind(t)),
                 },
                 detail);
}

/* A byte for each byte of the allocation; NULL: all is written. */
static uint8_t *written_of(struct rp_check *c, const struct allocation *a)
{
    if (a->initialised || a->filled)
        return NULL;
    struct checked_allocation *mine = check_allocation(c, a);
    if (mine && !mine->written && !(mine->written = calloc(a->size + 1, 1)))
        c->missed |= MISSED_MEMORY;
    return mine ? mine->written : NULL;
}

static uint8_t *written_at(struct checked_block *cb, const struct touch *t)
{
    switch (t->space) {
    case RP_SPACE_SHARED: return t->of->shared_written + t->at;
    case RP_SPACE_LOCAL: return cb->local_written + (size_t)t->thread * cb->check->grid->local_bytes + t->at;
    default: {
        uint8_t *all = written_of(cb->check, t->a);
        return all ? all + (t->at - t->a->base) : NULL;
    }
    }
}

void check_init(struct checked_block *cb, const struct touch *t)
{
    uint64_t bytes = t->lanes * t->bytes;
    uint8_t *written = written_at(cb, t), *hole;
    if (!written)
        return;
    for (uint64_t from = 0; t->loads && from < bytes && (hole = memchr(written + from, 0, bytes - from));) {
        uint64_t at = (uint64_t)(hole - written), lane = at / t->bytes;
        struct touch one = touch_of_lane(t, (uint32_t)lane);
        report(cb, &one, t->at + at);
        from = (lane + 1) * t->bytes;
        memset(written + lane * t->bytes, 1, t->bytes); /* what was reported once is enough */
    }
    if (t->stores)
        memset(written, 1, bytes);
}
