/* OP_WGMMA: what it reads from shared memory (lanes/matrix.h has the layouts). The instruction is asynchronous; here it
 * reads when it is issued, as a program must not change the memory before it has waited. */
#include <string.h>

#include "frontend/core/engine.h"
#include "frontend/core/flags.h"
#include "frontend/core/lanes/matrix.h"

enum { PIECE = 16, WARPS = 4 /* of a warpgroup */ };

struct descriptor {
    uint64_t start, leading, stride; /* bytes */
    unsigned base, width;            /* width of the swizzle in bytes; 16: none */
};

static struct descriptor descriptor_of(uint64_t bits)
{
    static const unsigned widths[] = {16, 128, 64, 32};
    return (struct descriptor){(bits & 0x3fff) * 16, (bits >> 16 & 0x3fff) * 16, (bits >> 32 & 0x3fff) * 16,
                               bits >> 49 & 7, widths[bits >> 62]};
}

static uint64_t swizzled(const struct descriptor *d, uint64_t address)
{
    return address ^ (((address >> 7) - d->base) & (d->width / PIECE - 1)) << 4;
}

/* Piece `piece` of row `row`, along K. */
static uint64_t straight_address(const struct descriptor *d, unsigned row, unsigned piece)
{
    uint64_t group = d->start + row / 8 * d->stride;
    if (d->width == PIECE)
        return group + row % 8 * PIECE + piece * d->leading;
    return swizzled(d, group + (uint64_t)(row % 8) * d->width + piece * PIECE);
}

/* 8 rows from `row` on at one k. */
static uint64_t turned_address(const struct descriptor *d, unsigned row, unsigned k)
{
    unsigned piece = row / 8, side_by_side = d->width / PIECE;
    uint64_t at = d->start + (uint64_t)(k % 8) * d->width;
    if (d->width == PIECE)
        return at + piece * d->stride + k / 8 * d->leading;
    return swizzled(d, at + piece % side_by_side * PIECE + piece / side_by_side * d->leading + k / 8 * d->stride);
}

static const uint8_t *piece_at(struct warp_state *s, const struct uop *u, uint64_t address)
{
    struct block *b = s->w.block;
    char detail[256];
    if (extents_cover(&b->grid->shared, address, PIECE))
        return b->shared + address;
    extents_describe(&b->grid->shared, address, "shared", b->grid->total_shared, detail, sizeof detail);
    block_fault(s, u, RP_FAULT_BOUNDS, 0, "%s", detail);
    struct fault *f = &b->fault;
    f->address = address;
    f->size = PIECE;
    f->space = RP_SPACE_SHARED;
    f->access = RP_ACCESS_LOAD;
    return NULL;
}

static bool read_straight(struct warp_state *s, const struct uop *u, const struct descriptor *d, unsigned first,
                          unsigned rows, uint8_t (*to)[WGMMA_ROW_BYTES])
{
    for (unsigned r = 0; r < rows; r++)
        for (unsigned piece = 0; piece < WGMMA_ROW_BYTES / PIECE; piece++) {
            const uint8_t *from = piece_at(s, u, straight_address(d, first + r, piece));
            if (!from)
                return false;
            memcpy(to[r] + piece * PIECE, from, PIECE);
        }
    return true;
}

static bool read_turned(struct warp_state *s, const struct uop *u, const struct descriptor *d, unsigned first,
                        unsigned rows, uint8_t (*to)[WGMMA_ROW_BYTES])
{
    for (unsigned r = 0; r < rows; r += 8)
        for (unsigned k = 0; k < WGMMA_ROW_BYTES / 2; k++) {
            const uint8_t *from = piece_at(s, u, turned_address(d, first + r, k));
            if (!from)
                return false;
            for (unsigned i = 0; i < 8; i++)
                memcpy(to[r + i] + 2 * k, from + 2 * i, 2);
        }
    return true;
}

static bool read_rows(struct warp_state *s, const struct uop *u, struct operand descriptor, unsigned mode,
                      unsigned first, unsigned rows, uint8_t (*to)[WGMMA_ROW_BYTES])
{
    struct descriptor d = descriptor_of(lane_u64(&s->w, descriptor, 0));
    if (u->detail[MATRIX_MODE] & mode)
        return read_turned(s, u, &d, first, rows, to);
    return read_straight(s, u, &d, first, rows, to);
}

bool wgmma(struct warp_state *s, const struct uop *u)
{
    struct matrix_rows rows;
    bool from_memory = list_count(u->lane, 1) == 0;
    if (from_memory && !read_rows(s, u, u->a, WGMMA_A_TURNED, WGMMA_ROWS * (s->w.id % WARPS), WGMMA_ROWS, rows.a))
        return false;
    if (!read_rows(s, u, u->b, WGMMA_B_TURNED, 0, 8u * u->detail[MATRIX_N], rows.b))
        return false;
    s->w.rows = &rows;
    u->fn(&s->w, u, ~(lanemask)0);
    s->w.rows = NULL;
    return true;
}
