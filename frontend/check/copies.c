/* Copies of a few bytes by a thread (PTX: cp.async) that it has not waited for. This emulator makes them where they are
 * issued; on a GPU they may happen at any time until the thread has waited for their group (PTX ISA, "Data Movement and
 * Conversion Instructions: Asynchronous copy"). Until then any access to what they store is a race, by any thread. Once
 * the thread has waited, the copy counts as a store that it made then. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

#define WORD 4u /* address and size of a copy are multiples of it */

static const struct rp_async *async_of(const struct block *b, const struct uop *u)
{
    return &b->program->kernel.instructions[u->index].async;
}

bool copies_starts(const struct touch *t)
{
    const struct rp_async *a = async_of(t->block, t->u);
    return t->space == RP_SPACE_SHARED && t->stores && a->kind == RP_ASYNC_COPY && a->role == RP_ASYNC_START;
}

static void count_words(struct checked_block *cb, const struct check_copy *c, int by)
{
    for (uint64_t at = c->at; at < c->at + c->bytes; at += WORD)
        cb->copied[at / WORD] = (uint16_t)(cb->copied[at / WORD] + by);
}

/* NULL: out of memory. */
static struct check_copy *new_copy(struct checked_block *cb, struct check_copies *of)
{
    size_t words = cb->shared_bytes / WORD + 1;
    if (!cb->copied && !(cb->copied = calloc(words, sizeof *cb->copied)))
        return NULL;
    if (of->count == of->room) {
        uint32_t room = 2 * of->room + 64;
        struct check_copy *more = realloc(of->list, room * sizeof *more);
        if (!more)
            return NULL;
        of->list = more;
        of->room = room;
    }
    return &of->list[of->count];
}

static void start(struct checked_block *cb, const struct touch *t)
{
    uint32_t lane = t->thread % RP_WARP_LANES;
    struct check_copies *of = &cb->copies[t->thread / RP_WARP_LANES];
    struct check_copy *c = new_copy(cb, of);
    if (!c) {
        cb->check->missed |= MISSED_MEMORY;
        return;
    }
    *c = (struct check_copy){t->u, t->at, (uint32_t)t->bytes, lane, of->closed[lane]};
    count_words(cb, c, 1);
    of->count++;
    cb->copy_count++;
}

void copies_start(struct checked_block *cb, const struct touch *t)
{
    for (uint32_t lane = 0; lane < t->lanes; lane++) {
        struct touch one = touch_of_lane(t, lane);
        start(cb, &one);
    }
}

/* ---- accesses meanwhile ------------------------------------------------------------------------------------------ */

void copies_report(struct checked_block *cb, const struct touch *t, const struct uop *u, uint32_t thread,
                   uint8_t access, const char *detail)
{
    check_report(cb->check, t->block,
                 (struct rp_finding){
                     .kind = RP_CHECK_RACE,
                     .space = RP_SPACE_SHARED,
                     .address = t->at,
                     .size = (uint32_t)t->bytes,
                     .here = check_location(t->block, t->u->index, t->thread, touch_kind(t)),
                     .other = check_location(t->block, u->index, thread, access),
                     .two = true,
                 },
                 detail);
}

static void report(struct checked_block *cb, const struct touch *t, const struct check_copy *c, uint32_t warp)
{
    copies_report(cb, t, c->u, warp * RP_WARP_LANES + c->lane, RP_ACCESS_STORE,
                  "and an asynchronous copy stores there that its thread has not waited for");
}

/* Whether the access meets the copy. Lanes that store to one address by one instruction are not reported here either.
 */
static bool meets(const struct touch *t, const struct check_copy *c, uint32_t warp)
{
    bool together = c->u == t->u && warp == t->thread / RP_WARP_LANES;
    return !together && c->at < t->at + t->bytes && t->at < c->at + c->bytes;
}

static void look(struct checked_block *cb, const struct touch *t)
{
    bool any = false;
    for (uint64_t at = t->at / WORD; at <= (t->at + t->bytes - 1) / WORD; at++)
        any |= cb->copied[at] != 0;
    for (uint32_t warp = 0; any && warp < BLOCK_WARPS; warp++)
        for (uint32_t i = 0; i < cb->copies[warp].count; i++)
            if (meets(t, &cb->copies[warp].list[i], warp)) {
                report(cb, t, &cb->copies[warp].list[i], warp);
                return;
            }
}

void copies_look(struct checked_block *cb, const struct touch *t)
{
    for (uint32_t lane = 0; lane < t->lanes; lane++) {
        struct touch one = touch_of_lane(t, lane);
        look(cb, &one);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The thread has waited for the copy. `keeps`: it counts as a store made now; otherwise as one made where it was
 * issued. */
static void end(struct checked_block *cb, const struct block *b, uint32_t warp, const struct check_copy *c, bool keeps)
{
    struct touch t = {
        .block = b,
        .u = c->u,
        .space = RP_SPACE_SHARED,
        .of = cb,
        .apart = reached_by_others(cb, RP_SPACE_SHARED),
        .thread = warp * RP_WARP_LANES + c->lane,
        .lanes = 1,
        .at = c->at,
        .bytes = c->bytes,
        .stores = true,
    };
    count_words(cb, c, -1);
    cb->copy_count--;
    if (keeps)
        race_stored(cb, &t);
}

static bool over(const struct check_copies *of, const struct check_copy *c, const struct rp_async *a)
{
    return a->role == RP_ASYNC_WAIT_ALL || (uint64_t)c->group + a->pending < of->closed[c->lane];
}

static void wait(struct checked_block *cb, const struct block *b, uint32_t warp, const struct rp_async *a,
                 lanemask lanes, bool keeps)
{
    struct check_copies *of = &cb->copies[warp];
    uint32_t left = 0;
    for (uint32_t i = 0; i < of->count; i++)
        if (lanes >> of->list[i].lane & 1 && over(of, &of->list[i], a))
            end(cb, b, warp, &of->list[i], keeps);
        else
            of->list[left++] = of->list[i];
    of->count = left;
}

void copies_group(struct checked_block *cb, const struct warp_state *s, const struct uop *u, lanemask lanes)
{
    const struct rp_async *a = async_of(s->w.block, u);
    if (a->kind != RP_ASYNC_COPY)
        return;
    if (a->role != RP_ASYNC_COMMIT) {
        wait(cb, s->w.block, s->w.id, a, lanes, true);
        return;
    }
    for (; lanes; lanes &= lanes - 1)
        cb->copies[s->w.id].closed[__builtin_ctz(lanes)]++;
}

void copies_arrive(struct checked_block *cb, const struct warp_state *s, lanemask lanes)
{
    wait(cb, s->w.block, s->w.id, &(struct rp_async){RP_ASYNC_COPY, RP_ASYNC_WAIT_ALL, 0}, lanes, false);
}

void copies_object(struct checked_block *cb, const struct warp_state *s, const struct uop *u, lanemask lanes)
{
    uint8_t what = u->memory->operand.object;
    if (what == RP_OBJECT_ARRIVE_BEHIND || what == RP_OBJECT_ADD_BEHIND)
        copies_arrive(cb, s, lanes);
}

void copies_begin(struct checked_block *cb)
{
    if (!cb->copy_count)
        return;
    memset(cb->copied, 0, (cb->shared_bytes / WORD + 1) * sizeof *cb->copied);
    for (uint32_t warp = 0; warp < BLOCK_WARPS; warp++)
        cb->copies[warp].count = 0;
    cb->copy_count = 0;
}

void copies_free(struct checked_block *cb)
{
    for (uint32_t warp = 0; warp < BLOCK_WARPS; warp++)
        free(cb->copies[warp].list);
    free(cb->copied);
}
