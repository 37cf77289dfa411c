/* What the host writes and reads. A copy to the host reads whole structures, and so their padding, which nobody writes;
 * nothing in a program says where it is. An unwritten byte is taken for padding where what is known of the buffer
 * allows it: what kernels' parameters say that it holds (holds.c), how wide its stores were, what a load and a store
 * had beside it, and what the other elements of the array have at this place. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

enum { WRITTEN = 0xff };
/* The widest alignment of C++'s and CUDA's own types, and of what alignas() is thought to ask for. A structure that is
 * compared with others has at most so many times its alignment: blocks of threads that all do the same wrong make
 * larger patterns. */
enum { WIDEST = 16, WIDEST_ASKED = 256, MOST_ALIGNED = 8, MOST_STRUCTURE = WIDEST_ASKED * MOST_ALIGNED };

void check_host_wrote(struct rp_check *c, const struct allocation *a, uint64_t offset, uint64_t bytes)
{
    uint8_t *all = c->kinds & RP_CHECK_INIT ? written_of(c, a) : NULL;
    if (all && offset < a->size)
        memset(all + offset, WRITTEN, bytes < a->size - offset ? bytes : a->size - offset);
}

void check_host_copied(struct rp_check *c, const struct allocation *a, uint64_t offset, const struct allocation *from,
                       uint64_t from_offset, uint64_t bytes)
{
    uint8_t *to = c->kinds & RP_CHECK_INIT ? written_of(c, a) : NULL;
    const uint8_t *source = to ? written_of(c, from) : NULL;
    if (to && source && offset % 8 == from_offset % 8)
        memcpy(wide_of(c, a) + offset / 8, wide_of(c, from) + from_offset / 8, (offset % 8 + bytes) / 8);
    for (uint64_t i = 0; to && i < bytes; i++)
        to[offset + i] = source ? source[from_offset + i] : WRITTEN;
    if (to)
        check_allocation(c, a)->holds |= check_allocation(c, from)->holds;
    if (source)
        moved_copied(c, a, offset, from, from_offset, bytes);
}

/* ---- what may be padding ----------------------------------------------------------------------------------------- */

bool is_padding(const uint8_t *all, const uint8_t *wide, uint64_t begin, uint64_t at)
{
    uint64_t word = at & ~(uint64_t)3, eight = at & ~(uint64_t)7, sixteen = at & ~(uint64_t)15;
    if (word >= begin && at != word && all[word])
        return true;
    if (wide && sixteen >= begin && at != sixteen && all[sixteen] &&
        (wide[sixteen / 8 + 2] > 1 || (sixteen >= begin + 16 && wide[sixteen / 8 - 2] > 1)))
        return true;
    if (eight < begin || word == eight || !all[eight])
        return false;
    return !all[eight + 3] || (wide && (wide[eight / 8 + 1] || (eight >= begin + 8 && wide[eight / 8 - 1])));
}

/* A copy to the host of a part of an allocation. */
struct reading {
    struct rp_check *c;
    const uint8_t *all, *wide;
    const uint32_t *moved; /* as in struct checked_allocation */
    uint64_t begin, end;
    bool numbers, structures; /* it holds nothing but numbers; it holds structures, perhaps among others */
};

static uint32_t moved_there(const struct reading *r, uint64_t at) { return r->moved ? r->moved[at / 4] : 0; }

/* Bytes from `begin` to before `end` are unwritten, and none beside them. */
struct hole {
    uint64_t begin, end;
};

static struct hole hole_at(const struct reading *r, uint64_t at)
{
    struct hole h = {at, at};
    while (h.begin > r->begin && !r->all[h.begin - 1])
        h.begin--;
    while (h.end < r->end && !r->all[h.end])
        h.end++;
    return h;
}

/* The least alignment of what is behind the hole if it is padding; 0: more than `most`, or it is at no such place. */
static uint64_t alignment_of(const struct reading *r, struct hole h, uint64_t most)
{
    uint64_t alignment = 2;
    while (alignment <= h.end - h.begin && alignment <= most)
        alignment *= 2;
    return h.begin > r->begin && alignment <= most && h.end % alignment == 0 ? alignment : 0;
}

/* Whether the hole may be padding by what is known of it alone. */
static bool is_padding_alone(const struct reading *r, struct hole h, uint64_t at)
{
    if (r->numbers)
        return false;
    return moved_there(r, at) & MOVED_LIKE_PADDING || is_padding(r->all, r->wide, r->begin, at) ||
           (r->structures && alignment_of(r, h, 8));
}

/* Whether a word of this alignment was stored as one within the first structure. */
static bool has_aligned(const struct reading *r, uint64_t bytes, uint64_t alignment)
{
    bool has = false;
    for (uint64_t at = r->begin; at < r->begin + bytes; at++)
        has |= at % alignment == 0 && r->wide[at / 8] >= alignment / 8;
    return has;
}

/* Whether each byte is written or not as the one a structure before it. */
static bool repeats(const struct reading *r, uint64_t bytes)
{
    uint64_t at = r->begin + bytes;
    while (at < r->end && !r->all[at] == !r->all[at - bytes])
        at++;
    return at >= r->end;
}

static bool is_whole(const struct reading *r, uint64_t at, uint64_t bytes)
{
    bool whole = true;
    for (uint64_t i = at; i < at + bytes && i < r->end && whole; i++)
        whole = r->all[i];
    return whole;
}

static bool lacks_the_same(const struct reading *r, uint64_t a, uint64_t b, uint64_t bytes)
{
    bool same = true;
    for (uint64_t i = 0; i < bytes && a + i < r->end && same; i++)
        same = !r->all[a + i] == !r->all[b + i];
    return same;
}

/* Whether each structure is written as a whole, such as by the host, or lacks the same bytes, but not the first. That
 * is so by chance if only some do: several must do it one behind the other. */
static bool is_whole_or_lacks_the_same(const struct reading *r, uint64_t bytes)
{
    enum { SEVERAL = 8 };
    uint64_t first = r->end, run = 0, longest = 0;
    for (uint64_t at = r->begin; at < r->end; at += bytes) {
        bool whole = is_whole(r, at, bytes);
        first = !whole && first == r->end ? at : first;
        run = whole ? 0 : run + 1;
        longest = run > longest ? run : longest;
        if (!whole && !lacks_the_same(r, at, first, bytes))
            return false;
    }
    return longest >= SEVERAL && r->all[first];
}

/* The size of the elements, if the memory is an array of structures that all lack the same bytes; otherwise 0. h: the
 * hole of the first element; the second must have it, too. */
static uint64_t structure_bytes(const struct reading *r, struct hole h)
{
    uint64_t most = (r->end - r->begin) / 2;
    most = h.end - h.begin >= WIDEST_ASKED ? 0 : most < MOST_STRUCTURE ? most : MOST_STRUCTURE;
    for (uint64_t bytes = 4; bytes <= most && h.begin + bytes < r->end; bytes += 4)
        if (!r->all[h.begin + bytes] && (repeats(r, bytes) || is_whole_or_lacks_the_same(r, bytes)))
            return bytes;
    return 0;
}

/* Whether the hole may be padding of each of these structures: of what its kernels say, or of types that it has. */
static bool is_padding_of_each(const struct reading *r, struct hole h, uint64_t bytes)
{
    uint64_t alignment = alignment_of(r, h, r->structures ? WIDEST_ASKED : WIDEST);
    return alignment && bytes % alignment == 0 && bytes <= MOST_ALIGNED * alignment &&
           (r->structures || has_aligned(r, bytes, alignment));
}

/* ---- what a copy reads ------------------------------------------------------------------------------------------- */

/* Counts the unwritten bytes of a hole, and reports those that kernels have moved there. */
static uint64_t read_hole(const struct reading *r, struct hole h, uint64_t *first)
{
    uint64_t count = 0;
    for (uint64_t at = h.end; at-- > h.begin;) {
        uint32_t moved = moved_there(r, at);
        if (is_padding_alone(r, h, at))
            continue;
        if (moved) {
            moved_used(r->c, moved);
            continue;
        }
        *first = at - r->begin;
        count++;
    }
    return count;
}

static uint64_t read_holes(const struct reading *r, uint64_t *first)
{
    uint64_t bytes = 0, count = 0;
    bool known = r->numbers; /* whether `bytes` is */
    for (uint64_t at = r->begin; at < r->end; at++) {
        if (r->all[at])
            continue;
        struct hole h = hole_at(r, at);
        bytes = known ? bytes : structure_bytes(r, h);
        known = true;
        uint64_t begin = 0, some = bytes && is_padding_of_each(r, h, bytes) ? 0 : read_hole(r, h, &begin);
        *first = some && !count ? begin : *first;
        count += some;
        at = h.end;
    }
    return count;
}

uint64_t check_host_unwritten(struct rp_check *c, const struct allocation *a, uint64_t offset, uint64_t bytes,
                              uint64_t *first)
{
    const uint8_t *all = c->kinds & RP_CHECK_INIT ? written_of(c, a) : NULL;
    if (!all)
        return 0;
    const struct checked_allocation *mine = check_allocation(c, a);
    struct reading r = {
        .c = c,
        .all = all,
        .wide = mine->wide,
        .moved = mine->moved,
        .begin = offset,
        .end = offset + bytes,
        .numbers = mine->holds == HOLDS_NUMBERS,
        .structures = mine->holds & HOLDS_STRUCTURES,
    };
    return read_holes(&r, first);
}
