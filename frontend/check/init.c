/* Reads of memory that was never written. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

static void report(struct checked_block *cb, const struct touch *t, uint64_t unwritten)
{
    static const char *const what[] = {
        [RP_SPACE_SHARED] = "which nobody has written since the block began",
        [RP_SPACE_LOCAL] = "which the thread has not written",
        [RP_SPACE_GLOBAL] = "which neither the host nor a kernel has written",
    };
    char detail[160];
    if (unwritten < t->bytes)
        snprintf(detail, sizeof detail, "%u of %s", (unsigned)unwritten, what[t->space]);
    else
        snprintf(detail, sizeof detail, "%s", what[t->space]);
    check_report(cb->check, t->block,
                 (struct rp_finding){
                     .kind = RP_CHECK_INIT,
                     .space = (uint8_t)t->space,
                     .address = t->at,
                     .size = (uint32_t)t->bytes,
                     .memory = touch_buffer(t),
                     .here = check_location(t->block, t->u->index, t->thread, touch_kind(t)),
                 },
                 detail);
}

/* The state of each byte of the allocation. NULL: all bytes are written. */
static uint8_t *written_of(struct rp_check *c, const struct allocation *a)
{
    if (a->viewed || a->filled)
        return NULL;
    struct checked_allocation *mine = check_allocation(c, a);
    if (mine && !mine->wide)
        mine->wide = calloc(a->size / 8 + 2, 1);
    if (mine && mine->wide && !mine->written)
        mine->written = calloc(a->size + 1, 1);
    if (mine && !mine->written)
        c->missed |= MISSED_MEMORY;
    return mine ? mine->written : NULL;
}

static uint8_t *wide_of(struct rp_check *c, const struct allocation *a)
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

/* The state of a byte. WRITTEN: some instruction has written it. 0: none has. A code: none has, and a read of the byte
 * was reported. The code stands for the instruction and kernel that read it, modulo the number of codes, so that an
 * instruction that reads the byte again is not reported again. */
enum { WRITTEN = 1, FIRST_CODE, CODES = 256 - FIRST_CODE };

#define ALL_WRITTEN (~(uint64_t)0 / 255 * WRITTEN)

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

void check_nothing_written(struct checked_block *cb, const struct extents *variables)
{
    memset(cb->shared_written, 0, cb->shared_bytes);
    for (uint32_t i = 0; i < variables->count; i++)
        if (variables->at[i].is_system)
            mark_written(cb->shared_written + variables->at[i].base, variables->at[i].size);
}

void check_host_wrote(struct rp_check *c, const struct allocation *a, uint64_t offset, uint64_t bytes)
{
    uint8_t *all = c->kinds & RP_CHECK_INIT ? written_of(c, a) : NULL;
    if (all && offset < a->size)
        mark_written(all + offset, bytes < a->size - offset ? bytes : a->size - offset);
}

/* Whether an unwritten byte may be padding of a structure: it follows the written first byte of its word of 4, as in a
 * structure of a char and an int; or the last bytes of its word of 8 are unwritten, all behind the first word of 4, and
 * less than that word was stored, as in a structure of a bool and a pointer, or the word of 8 before or behind it was
 * stored as one, as in a structure of an int and a double. */
static bool is_padding(const uint8_t *all, const uint8_t *wide, uint64_t begin, uint64_t at)
{
    uint64_t word = at & ~(uint64_t)3, eight = at & ~(uint64_t)7;
    if (word >= begin && all[word] == WRITTEN)
        return true;
    if (eight < begin || word == eight || all[eight] != WRITTEN)
        return false;
    return all[eight + 3] != WRITTEN || wide[eight / 8 + 1] || (eight >= begin + 8 && wide[eight / 8 - 1]);
}

uint64_t check_host_unwritten(struct rp_check *c, const struct allocation *a, uint64_t offset, uint64_t bytes,
                              uint64_t *first)
{
    const uint8_t *all = c->kinds & RP_CHECK_INIT ? written_of(c, a) : NULL, *wide = all ? wide_of(c, a) : NULL;
    uint64_t count = 0;
    for (uint64_t i = bytes; all && i-- > 0;)
        if (all[offset + i] != WRITTEN && !is_padding(all, wide, offset, offset + i)) {
            *first = i;
            count++;
        }
    return count;
}

void check_host_copied(struct rp_check *c, const struct allocation *a, uint64_t offset, const struct allocation *from,
                       uint64_t from_offset, uint64_t bytes)
{
    uint8_t *to = c->kinds & RP_CHECK_INIT ? written_of(c, a) : NULL;
    const uint8_t *source = to ? written_of(c, from) : NULL;
    if (to && source && offset % 8 == from_offset % 8)
        memcpy(wide_of(c, a) + offset / 8, wide_of(c, from) + from_offset / 8, (offset % 8 + bytes) / 8);
    for (uint64_t i = 0; to && i < bytes; i++)
        to[offset + i] = !source || source[from_offset + i] == WRITTEN ? WRITTEN : 0;
}

/* Whether the unwritten byte i may be padding of a structure. In a word of 4 bytes with written ones it may be, if the
 * first byte is written. A word without written bytes may be padding as a whole, if the 16 bytes around it have some.
 */
static bool is_like_padding(const struct touch *t, const uint8_t *written, uint64_t i)
{
    uint64_t in_word = (t->at + i) % 4, before = (t->at + i) % 16, begin = i < before ? 0 : i - before;
    uint64_t word = i < in_word ? 0 : i - in_word, end = i - before + 16 < t->bytes ? i - before + 16 : t->bytes;
    uint64_t word_end = word + 4 < end ? word + 4 : end;
    if (memchr(written + word, WRITTEN, word_end - word))
        return written[word] == WRITTEN;
    return memchr(written + begin, WRITTEN, end - begin);
}

/* Like check_moves, but by element in memory: an element without a register of its own counts as read if any other is.
 */
static uint8_t moves_of(struct checked_block *cb, const struct touch *t, uint64_t elements)
{
    const struct program *p = t->block->program;
    uint8_t moves = check_moves(cb->check, p, t->u->index);
    return moves != 0xff && elements != p->kernel.instructions[t->u->index].dst_count ? 0 : moves;
}

/* Handles a lane's read that includes unwritten bytes; `t` is the access of this lane alone. An instruction that only
 * moves bytes may move the padding of a structure. */
static __attribute__((noinline)) void read_hole(struct checked_block *cb, const struct touch *t, uint8_t *written)
{
    uint8_t code = (uint8_t)(FIRST_CODE + (t->u->index + 61 * t->block->program->kernel.identity) % CODES);
    uint64_t elements = t->u->memory->count ? t->u->memory->count : 1, count = 0;
    uint8_t moves = moves_of(cb, t, elements);
    bool again = true;
    if ((moves && t->stores) || check_discarded(cb->check, t))
        return;
    for (uint64_t i = 0; i < t->bytes; i++) {
        if (written[i] == WRITTEN || (moves >> i * elements / t->bytes % 8 & 1 && is_like_padding(t, written, i)))
            continue;
        again &= written[i] == code;
        written[i] = code;
        count++;
    }
    if (!again)
        report(cb, t, count);
}

/* Which words of 8 bytes lanes store as one, for is_padding. Those of a lane's vector count one by one. */
struct widths {
    uint8_t *wide; /* NULL: it is not global memory */
    uint64_t base;
    bool eight;
};

static struct widths widths_of(struct checked_block *cb, const struct touch *t)
{
    uint64_t elements = t->u->memory->count ? t->u->memory->count : 1;
    if (!t->stores || t->space != RP_SPACE_GLOBAL)
        return (struct widths){0};
    return (struct widths){check_allocation(cb->check, t->a)->wide, t->a->base, t->bytes == 8 * elements};
}

static void note_width(const struct widths *w, uint64_t at, uint64_t bytes)
{
    at -= w->base;
    if (w->wide)
        memset(w->wide + at / 8, w->eight, (at % 8 + bytes + 7) / 8);
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
                read_hole(cb, &one, written + l * t->bytes);
        }
    if (!t->stores)
        return;
    mark_written(written, t->lanes * t->bytes);
    struct widths w = widths_of(cb, t);
    note_width(&w, t->at, t->lanes * t->bytes);
}

/* Lanes at arbitrary addresses; the state of each lane's memory is `stride` bytes after that of the lane before. */
static void init_apart(struct checked_block *cb, const struct touch *t, const struct lane_addresses *la, lanemask lanes,
                       size_t stride)
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
            read_hole(cb, &one, written);
        }
        if (!t->stores)
            continue;
        mark_written(written, t->bytes);
        note_width(&widths, lane_address(la, l), t->bytes);
    }
}

void check_init_access(struct checked_block *cb, struct touch *t, const struct lane_addresses *la, lanemask lanes)
{
    bool row = la->affine && (uint64_t)la->stride == t->bytes, one = la->affine && !la->stride;
    t->lanes = 1;
    if (t->space == RP_SPACE_LOCAL)
        init_apart(cb, t, la, lanes, (size_t)cb->check->grid->local_bytes);
    else if (!row && !one)
        init_apart(cb, t, la, lanes, 0);
    else {
        t->at = la->at[0];
        t->lanes = row ? RP_WARP_LANES : 1;
        check_init(cb, t);
    }
}
