/* Reads of memory that was never written. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

uint8_t *written_of(struct rp_check *c, const struct allocation *a)
{
    if (a->viewed || a->filled)
        return NULL;
    struct checked_allocation *mine = check_allocation(c, a);
    if (mine && !mine->wide)
        mine->wide = calloc(a->size / 8 + 4, 1);
    if (mine && mine->wide && !mine->written)
        mine->written = calloc(a->size + 1, 1);
    if (mine && !mine->written)
        c->missed |= MISSED_MEMORY;
    return mine ? mine->written : NULL;
}

uint8_t *wide_of(struct rp_check *c, const struct allocation *a)
{
    return written_of(c, a) ? check_allocation(c, a)->wide : NULL;
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

/* The state of a byte: its bits that some instruction, or the host, has written. */
enum { WRITTEN = 0xff };

#define ALL_WRITTEN (~(uint64_t)0)

static inline uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline bool is_written(const uint8_t *p, uint64_t bytes)
{
    if (bytes == 4)
        return load32(p) == (uint32_t)ALL_WRITTEN;
    for (; bytes >= 8; bytes -= 8, p += 8)
        if (load64(p) != ALL_WRITTEN)
            return false;
    for (; bytes; bytes--, p++)
        if (*p != WRITTEN)
            return false;
    return true;
}

static inline void mark_written(uint8_t *p, uint64_t bytes)
{
    const uint32_t four = (uint32_t)ALL_WRITTEN;
    if (bytes == 4)
        memcpy(p, &four, 4);
    else
        memset(p, WRITTEN, bytes);
}

void check_nothing_written(struct checked_block *cb, const struct grid *g)
{
    const struct extents *variables = &g->shared;
    memset(cb->shared_written, 0, cb->shared_bytes);
    for (uint32_t i = 0; i < variables->count; i++)
        if (variables->at[i].is_system)
            mark_written(cb->shared_written + variables->at[i].base, variables->at[i].size);
    if (g->program->shared_behind)
        mark_written(cb->shared_written + g->total_shared, g->program->shared_behind);
}

/* Whether the unwritten byte i of those at `at` may be padding of a structure. In a word of 4 bytes that is written in
 * part, it may be if the first byte is written. A word that is not written at all may be padding if some of the 16
 * bytes around it are written. */
static bool is_like_padding(uint64_t at, uint64_t bytes, const uint8_t *written, uint64_t i)
{
    uint64_t in_word = (at + i) % 4, before = (at + i) % 16, begin = i < before ? 0 : i - before;
    uint64_t word = i < in_word ? 0 : i - in_word, end = i - before + 16 < bytes ? i - before + 16 : bytes;
    uint64_t word_end = word + 4 < end ? word + 4 : end;
    bool around = false;
    for (uint64_t k = word; k < word_end; k++)
        if (written[k])
            return written[word];
    for (uint64_t k = begin; k < end; k++)
        around |= written[k];
    return around;
}

/* The state of a whole space of memory, as this thread has it; NULL: all bytes are written. *offset: of the address. */
static uint8_t *written_space(struct checked_block *cb, const struct touch *t, uint64_t *offset)
{
    struct touch first = *t;
    first.at = t->space == RP_SPACE_GLOBAL ? t->a->base : 0;
    *offset = t->at - first.at;
    return written_at(cb, &first);
}

static uint64_t space_bytes(const struct checked_block *cb, const struct touch *t)
{
    return t->space == RP_SPACE_GLOBAL   ? t->a->size
           : t->space == RP_SPACE_SHARED ? t->of->shared_bytes
                                         : cb->check->grid->local_bytes;
}

/* Whether an unwritten word of 4 bytes is the second half of 8 bytes, the first half is written, and so are the 8 bytes
 * before or behind: as in a structure of an int and a double. */
static bool fills_eight(const uint8_t *all, uint64_t offset, uint64_t end)
{
    return offset % 8 == 4 && is_written(all + offset - 4, 4) &&
           ((offset + 12 <= end && is_written(all + offset + 4, 8)) ||
            (offset >= 12 && is_written(all + offset - 12, 8)));
}

/* Whether something is written close before the byte: no farther than padding of an alignment of 32 goes. */
static bool is_behind_written(const uint8_t *all, uint64_t at)
{
    enum { MOST = 32 };
    bool is = false;
    for (uint64_t k = 1; k < MOST && k <= at && !is; k++)
        is = all[at - k];
    return is;
}

/* Whether all that is unwritten of an access may be padding, by what is written in it and around it: the alignment of
 * such a structure, or 0. */
static unsigned padding_around(struct checked_block *cb, const struct touch *t, const uint8_t *written)
{
    uint64_t offset;
    const uint8_t *all = written_space(cb, t, &offset);
    const uint8_t *wide = all && t->space == RP_SPACE_GLOBAL ? wide_of(cb->check, t->a) : NULL;
    bool padding = all && t->bytes <= 16;
    if (padding && t->bytes == 8 && offset % 16 == 8 && all[offset - 8])
        return 16;
    if (padding && t->bytes == 4 && fills_eight(all, offset, space_bytes(cb, t)))
        return 8;
    for (uint64_t i = 0; padding && i < t->bytes; i++)
        padding = written[i] || is_padding(all, wide, 0, offset + i) || is_like_padding(t->at, t->bytes, written, i);
    return !padding ? 0 : t->bytes < 4 ? 4 : t->bytes <= 8 ? 8 : 16;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Whether its bits are followed in registers. An exchange is a store; its old value counts if something needs it. */
static bool is_followed(const struct touch *t)
{
    const struct rp_memory_operand *m = &t->u->memory->operand;
    bool exchange = m->kind == RP_ACCESS_ATOMIC && m->atomic == RP_ATOMIC_EXCH;
    return (m->kind == RP_ACCESS_LOAD || exchange) && t->bytes == m->width && t->bytes <= MOST_BYTES;
}

/* A lane of a warp loads bytes; some of their bits are unwritten. */
static void follow(struct checked_block *cb, struct warp_state *s, const struct touch *t, const uint8_t *written)
{
    uint8_t bits[MOST_BYTES];
    unsigned missing = 0, padding = padding_around(cb, t, written), holes = 0, lane = t->thread % RP_WARP_LANES;
    uint64_t offset, first = 0;
    const uint8_t *all = written_space(cb, t, &offset);
    while (written[first] && first + 1 < t->bytes)
        first++;
    bool gap = all && is_behind_written(all, offset + first);
    for (uint64_t i = 0; i < t->bytes; i++) {
        bits[i] = (uint8_t)~written[i];
        missing += bits[i] != 0;
        holes |= padding && bits[i] ? 1u << (t->at + i) % padding : 0;
    }
    uint32_t before = undefined_before(cb, s, t->u, lane);
    uint32_t origin = origins_loaded(cb, t, missing, (struct padding){padding, holes, gap}, before);
    if (origin)
        undefined_loaded(cb, s, t->u, lane, bits, origin);
}

/* Any other read of unwritten bytes. What only copies them, as asynchronous copies do, may copy the padding of a
 * structure. */
static void read_at_once(struct checked_block *cb, const struct touch *t, const uint8_t *written)
{
    const struct rp_instruction *in = &t->block->program->kernel.instructions[t->u->index];
    bool copies = in->unit_class == RP_CLASS_ASYNC && !in->dst_count;
    unsigned missing = 0;
    for (uint64_t i = 0; i < t->bytes; i++)
        missing += !written[i] && !(copies && is_like_padding(t->at, t->bytes, written, i));
    if (missing)
        origins_used_at_once(cb, t, missing);
}

/* A lane reads bytes; some of their bits are unwritten. s NULL: not by an access of the warp. */
static __attribute__((noinline)) void read_hole(struct checked_block *cb, struct warp_state *s, const struct touch *t,
                                                const uint8_t *written)
{
    if (s && is_followed(t))
        follow(cb, s, t, written);
    else
        read_at_once(cb, t, written);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* Whether it was loaded from where it is stored, and has bits of its own: a word into which bits were put. */
static bool is_put_back(const struct origin *o, const struct touch *t, const struct stored_bits *b)
{
    bool within = t->at >= o->from_at && t->at + t->bytes <= o->from_at + o->from_bytes;
    bool around = o->from_at >= t->at && o->from_at + o->from_bytes <= t->at + t->bytes, own = false;
    for (uint64_t i = 0; i < t->bytes; i++)
        own |= b->bits[i] != 0xff;
    return own && o->from_space == t->space && (within || around);
}

/* Whether byte i may be padding by those around where it was loaded, from the same place in a structure. */
static bool was_padding(struct checked_block *cb, const struct touch *t, const struct stored_bits *b, uint64_t i)
{
    const struct origin *o = origins_find(cb->check, b->origins[i]);
    return o && o->padding.alignment && o->padding.holes >> (t->at + i) % o->padding.alignment & 1;
}

/* Whether the bytes of nothing defined may be padding, by those stored with them or loaded around them. */
static bool stores_padding(struct checked_block *cb, const struct touch *t, const struct stored_bits *b)
{
    uint8_t defined[MOST_BYTES];
    bool inside = true, around = true;
    for (uint64_t i = 0; i < t->bytes; i++)
        defined[i] = (uint8_t)~b->bits[i];
    for (uint64_t i = 0; i < t->bytes; i++) {
        inside &= defined[i] || is_like_padding(t->at, t->bytes, defined, i);
        around = around && (!b->bits[i] || was_padding(cb, t, b, i));
    }
    return inside || around;
}

/* Whether all undefined bytes were close behind something written where they were loaded. */
static bool stores_gaps(struct checked_block *cb, const struct touch *t, const struct stored_bits *b)
{
    bool gaps = true;
    for (uint64_t i = 0; i < t->bytes && gaps; i++) {
        const struct origin *o = b->bits[i] ? origins_find(cb->check, b->origins[i]) : NULL;
        gaps = !b->bits[i] || (o && o->padding.gap);
    }
    return gaps;
}

/* Whether a store of undefined bytes may be of padding. Numbers have none. What structures have is seen when the host
 * or a launch uses them, unless the host sees the memory at once (written NULL). */
static bool may_be_padding(struct checked_block *cb, const struct touch *t, const uint8_t *written,
                           const struct stored_bits *b)
{
    if (t->space != RP_SPACE_GLOBAL)
        return true;
    const struct checked_allocation *mine = check_allocation(cb->check, t->a);
    bool structures = mine && mine->holds & HOLDS_STRUCTURES;
    if (mine && mine->holds == HOLDS_NUMBERS)
        return false;
    return (structures && (written || stores_gaps(cb, t, b))) || stores_padding(cb, t, b);
}

/* A lane stores undefined bits, which are in memory from then on. */
static void move_bits(struct checked_block *cb, const struct touch *t, uint8_t *written, const struct stored_bits *b,
                      bool back)
{
    bool padding = t->space == RP_SPACE_GLOBAL && stores_padding(cb, t, b);
    for (uint64_t i = 0; i < t->bytes; i++) {
        const struct origin *o = b->bits[i] ? origins_find(cb->check, b->origins[i]) : NULL;
        written[i] = (uint8_t)~b->bits[i];
        if (o && !back) /* what reads a word with a field later is what reads too much */
            origins_carried(cb, t, t->at + i, b->origins[i]);
        if (o && !back && t->space == RP_SPACE_GLOBAL)
            moved_to(cb, t, t->at + i, b->origins[i], padding);
    }
}

static void store_undefined(struct checked_block *cb, const struct warp_state *s, const struct touch *t,
                            uint8_t *written, const struct stored_bits *b)
{
    uint64_t first = 0;
    while (!b->bits[first])
        first++;
    const struct origin *o = origins_find(cb->check, b->origins[first]);
    if (!o)
        return;
    bool back = is_put_back(o, t, b);
    if (!back && (b->changed || !may_be_padding(cb, t, written, b))) {
        origins_used(cb, t->block, b->origins[first]);
        return;
    }
    if (back)
        undefined_put_back(cb, s, t->u, t->thread % RP_WARP_LANES);
    if (written)
        move_bits(cb, t, written, b, back);
}

/* After a store by lanes of a warp that has undefined bits. Those that it only moves are not written. */
static __attribute__((noinline)) void store_bits(struct checked_block *cb, const struct warp_state *s,
                                                 const struct touch *t, const struct lane_addresses *la, lanemask lanes)
{
    struct stored_bits b;
    struct touch one = *t;
    const struct rp_memory_operand *m = &t->u->memory->operand;
    one.lanes = 1;
    if (m->kind != RP_ACCESS_STORE || t->bytes > MOST_BYTES || t->bytes != m->width)
        return;
    lanes &= undefined_to_store(cb, s, t->u);
    FOR_LANES(l, lanes)
    {
        if (!undefined_stored(cb, s, t->u, l, &b))
            continue;
        one.thread = s->w.id * RP_WARP_LANES + l;
        one.at = lane_address(la, l);
        store_undefined(cb, s, &one, written_at(cb, &one), &b);
    }
}

/* Which words of 8 bytes lanes store in accesses of 8 or 16 bytes, for is_padding: types have such an alignment then.
 */
struct widths {
    uint8_t *wide; /* NULL: it is not global memory */
    uint64_t base;
    uint8_t eights; /* 0 to 2 */
};

static struct widths widths_of(struct checked_block *cb, const struct touch *t)
{
    if (!t->stores || t->space != RP_SPACE_GLOBAL)
        return (struct widths){0};
    const struct rp_instruction *in = &cb->check->grid->program->kernel.instructions[t->u->index];
    uint64_t elements = t->u->memory->count && !in->raw_size ? t->u->memory->count : 1;
    uint64_t eights = t->bytes / elements < 8 ? 0 : t->bytes / 8;
    return (struct widths){check_allocation(cb->check, t->a)->wide, t->a->base, (uint8_t)(eights < 2 ? eights : 2)};
}

static void note_width(const struct widths *w, uint64_t at, uint64_t bytes)
{
    at -= w->base;
    if (w->wide)
        memset(w->wide + at / 8, w->eights, (at % 8 + bytes + 7) / 8);
}

static void mark_stored(struct checked_block *cb, const struct touch *t, uint8_t *written)
{
    mark_written(written, t->lanes * t->bytes);
    struct widths w = widths_of(cb, t);
    note_width(&w, t->at, t->lanes * t->bytes);
}

void check_init(struct checked_block *cb, const struct touch *t)
{
    uint8_t *written = written_at(cb, t);
    if (!written)
        return;
    if (t->loads && !is_written(written, t->lanes * t->bytes))
        for (uint32_t l = 0; l < t->lanes; l++) {
            struct touch one = touch_of_lane(t, l);
            if (!is_written(written + l * t->bytes, t->bytes))
                read_hole(cb, NULL, &one, written + l * t->bytes);
        }
    if (t->stores)
        mark_stored(cb, t, written);
}

/* Lanes at arbitrary addresses; the state of each lane's memory is `stride` bytes after that of the lane before. */
static void init_apart(struct checked_block *cb, struct warp_state *s, const struct touch *t,
                       const struct lane_addresses *la, lanemask lanes, size_t stride)
{
    struct touch one = *t;
    one.at = t->a && t->space == RP_SPACE_GLOBAL ? t->a->base : 0;
    uint8_t *base = written_at(cb, &one);
    if (!base)
        return;
    const uint64_t origin = one.at;
    const struct widths widths = widths_of(cb, t);
    FOR_LANES(l, lanes)
    {
        uint8_t *written = base + l * stride + (lane_address(la, l) - origin);
        if (t->loads && !is_written(written, t->bytes)) {
            one.thread = t->thread + l;
            one.at = lane_address(la, l);
            read_hole(cb, s, &one, written);
        }
        if (!t->stores)
            continue;
        mark_written(written, t->bytes);
        note_width(&widths, lane_address(la, l), t->bytes);
    }
}

/* Lanes at neighbouring addresses, or all at one. */
static void init_together(struct checked_block *cb, struct warp_state *s, struct touch *t,
                          const struct lane_addresses *la, lanemask lanes)
{
    t->at = la->at[0];
    t->lanes = la->stride ? RP_WARP_LANES : 1;
    uint8_t *written = written_at(cb, t);
    if (written && t->loads && !is_written(written, t->lanes * t->bytes)) {
        t->lanes = 1;
        init_apart(cb, s, t, la, lanes, 0);
    } else if (written && t->stores)
        mark_stored(cb, t, written);
}

void check_init_access(struct checked_block *cb, struct warp_state *s, struct touch *t, const struct lane_addresses *la,
                       lanemask lanes)
{
    bool row = la->affine && (uint64_t)la->stride == t->bytes, one = la->affine && !la->stride;
    t->lanes = 1;
    if (t->space == RP_SPACE_LOCAL)
        init_apart(cb, s, t, la, lanes, (size_t)cb->check->grid->local_bytes);
    else if (!row && !one)
        init_apart(cb, s, t, la, lanes, 0);
    else
        init_together(cb, s, t, la, lanes);
    if (t->stores && s->undefined)
        store_bits(cb, s, t, la, lanes);
}
