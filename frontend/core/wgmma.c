/* OP_WGMMA: reads its operands from shared memory (lanes/matrix.h has the layouts). The instruction is asynchronous,
 * but reads when it is issued: a program must not change the memory before it has waited. */
#include <string.h>

#include "frontend/core/engine.h"
#include "frontend/core/lanes/matrix.h"
#include "frontend/operation/flags.h"

enum { PIECE = 16, WARPS = 4 /* of a warpgroup */ };

struct descriptor {
    uint64_t start, leading, stride; /* bytes */
    unsigned base, width;            /* width: of the swizzle in bytes; 16: none */
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

/* The address of piece `piece` of row `row`, along K. */
static uint64_t straight_address(const struct descriptor *d, unsigned row, unsigned piece)
{
    uint64_t group = d->start + row / 8 * d->stride;
    if (d->width == PIECE)
        return group + row % 8 * PIECE + piece * d->leading;
    return swizzled(d, group + (uint64_t)(row % 8) * d->width + piece * PIECE);
}

/* The address of the 8 rows from `row` on, at one k. */
static uint64_t transposed_address(const struct descriptor *d, unsigned row, unsigned k)
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

/* Rows of A or columns of B, from `first` on, of `bytes` bytes each. */
struct lines {
    unsigned first, count, bytes;
    uint8_t *to;
    unsigned pitch; /* bytes from one row to the next at `to` */
};

static bool read_straight(struct warp_state *s, const struct uop *u, const struct descriptor *d, const struct lines *l)
{
    if (l->bytes > d->width && d->width > PIECE) {
        block_fault(s, u, RP_FAULT_BOUNDS, 0, "%u bytes of a column do not fit into a swizzle of %u bytes", l->bytes,
                    d->width);
        return false;
    }
    for (unsigned r = 0; r < l->count; r++)
        for (unsigned piece = 0; piece < l->bytes / PIECE; piece++) {
            const uint8_t *from = piece_at(s, u, straight_address(d, l->first + r, piece));
            if (!from)
                return false;
            memcpy(l->to + r * l->pitch + piece * PIECE, from, PIECE);
        }
    return true;
}

static bool read_transposed(struct warp_state *s, const struct uop *u, const struct descriptor *d,
                            const struct lines *l)
{
    for (unsigned r = 0; r < l->count; r += 8)
        for (unsigned k = 0; k < l->bytes / 2; k++) {
            const uint8_t *from = piece_at(s, u, transposed_address(d, l->first + r, k));
            if (!from)
                return false;
            for (unsigned i = 0; i < 8; i++)
                memcpy(l->to + (r + i) * l->pitch + 2 * k, from + 2 * i, 2);
        }
    return true;
}

static bool read_rows(struct warp_state *s, const struct uop *u, struct operand descriptor, unsigned mode,
                      const struct lines *l)
{
    struct descriptor d = descriptor_of(lane_u64(&s->w, descriptor, 0));
    bool transposed = u->detail[MATRIX_MODE] & mode;
    return (transposed ? read_transposed : read_straight)(s, u, &d, l);
}

bool wgmma(struct warp_state *s, const struct uop *u)
{
    struct matrix_rows rows;
    bool from_memory = list_count(u->lane, 1) == 0;
    unsigned column = u->detail[MATRIX_MODE] & MATRIX_SPARSE ? WGMMA_COLUMN_BYTES : WGMMA_ROW_BYTES;
    struct lines a = {WGMMA_ROWS * (s->w.id % WARPS), WGMMA_ROWS, WGMMA_ROW_BYTES, rows.a[0], WGMMA_ROW_BYTES};
    struct lines b = {0, 8u * u->detail[MATRIX_N], column, rows.b[0], WGMMA_COLUMN_BYTES};
    if (from_memory && !read_rows(s, u, u->a, WGMMA_A_TRANSPOSED, &a))
        return false;
    if (!read_rows(s, u, u->b, WGMMA_B_TRANSPOSED, &b))
        return false;
    s->w.rows = &rows;
    u->fn(&s->w, u, ~(lanemask)0);
    s->w.rows = NULL;
    return true;
}
