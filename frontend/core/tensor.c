/* Copies of boxes of a tensor between device and shared memory (PTX ISA, "Tensors" and cp.async.bulk.tensor): tiled
 * mode.
 *
 * A box consists of rows along dimension 0, which lie one after another in shared memory. Loads fill elements outside
 * of the tensor, stores skip them. A swizzle maps the 16 bytes at address a to the address whose bits 4 to 6 (bits 4
 * and 5 for a span of 64 bytes, bit 4 for 32) are XORed with the bits of a from bit 7 on. */
#include "frontend/operation/tensor_map.h"

#include <string.h>

#include "frontend/core/access.h"
#include "frontend/core/cluster.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/core/observe.h"
#include "frontend/core/tensor.h"
#include "frontend/operation/flags.h"
#include "tracefmt/writer.h"

enum { UNIT = 16, ALIGNMENT = 128, ROW_MOST = 256 * 8 };

/* One lane's copy. */
struct box {
    struct tensor_map map;
    int32_t at[TENSOR_RANKS]; /* its first element */
    uint64_t shared;          /* offset in the shared window */
    uint32_t row_bytes, rows;
};
static uint32_t box_bytes(const struct box *b) { return b->row_bytes * b->rows; }

static bool bad_map(struct warp_state *s, const struct uop *u, unsigned lane, const char *what, uint64_t value)
{
    block_fault(s, u, RP_FAULT_BOUNDS, lane, "the tensor map at 0x%llx has %s %llu",
                (unsigned long long)lane_u64(&s->w, u->c, lane), what, (unsigned long long)value);
    return false;
}

/* Checks the map: by tensormap.replace, or by stores, a program can make maps that rp_tensor_map_encode refuses. */
static bool check_map(struct warp_state *s, const struct uop *u, unsigned lane, const struct tensor_map *t)
{
    if (t->element >= TENSOR_ELEMENTS)
        return bad_map(s, u, lane, "elements of unknown type", t->element);
    if (t->swizzle > TENSOR_SWIZZLE_128)
        return bad_map(s, u, lane, "an unknown swizzle,", t->swizzle);
    if (t->address % UNIT)
        return bad_map(s, u, lane, "an address that is no multiple of 16:", t->address);
    for (unsigned d = 1; d < tensor_rank(t); d++)
        if (t->stride[d - 1] % UNIT)
            return bad_map(s, u, lane, "a stride that is no multiple of 16:", t->stride[d - 1]);
    uint32_t inner = tensor_box(t, 0) * tensor_element_bytes(t->element);
    if (t->step_less[0])
        return bad_map(s, u, lane, "an element stride in dimension 0, which must be 1:", tensor_step(t, 0));
    if (inner % UNIT || inner > tensor_row_limit(t->swizzle))
        return bad_map(
            s, u, lane,
            "a box whose bytes of dimension 0 are no multiple of 16, or more than its swizzle spans:", inner);
    return true;
}

static const uint8_t lane_types[TENSOR_ELEMENTS] = {T_U8,  T_U16, T_U32,  T_S32, T_U64, T_S64, T_F16,
                                                    T_F32, T_F64, T_BF16, T_F32, T_F32, T_F32};

/* Checks the types that may be reduced element by element (PTX ISA, cp.reduce.async.bulk: types of .redOp). */
static bool check_reduction(struct warp_state *s, const struct uop *u, unsigned lane, const struct tensor_map *t)
{
    if (!u->combine || atomic_exists((enum rp_atomic)u->combine, (enum lane_type)lane_types[t->element]))
        return true;
    return bad_map(s, u, lane, "elements without this reduction, of type", t->element);
}

static bool read_box(struct warp_state *s, const struct uop *u, unsigned lane, struct box *b)
{
    const struct warp *w = &s->w;
    uint64_t at = lane_u64(w, u->c, lane);
    unsigned rank = (unsigned)u->imm;
    if (!read_generic(s, lane, at, &b->map, sizeof b->map) || !tensor_rank(&b->map)) {
        block_fault(s, u, RP_FAULT_BOUNDS, lane, "there is no tensor map at 0x%llx", (unsigned long long)at);
        return false;
    }
    if (tensor_rank(&b->map) != rank) {
        block_fault(s, u, RP_FAULT_BOUNDS, lane, "a tensor of %u dimensions is accessed by %u coordinates",
                    tensor_rank(&b->map), rank);
        return false;
    }
    if (!check_map(s, u, lane, &b->map) || !check_reduction(s, u, lane, &b->map))
        return false;
    b->shared = lane_u64(w, u->b, lane);
    b->row_bytes = tensor_box(&b->map, 0) * tensor_element_bytes(b->map.element);
    b->rows = 1;
    for (unsigned d = 0; d < rank; d++) {
        b->at[d] = (int32_t)lane_u32(w, u->memory->elements[d], lane);
        b->rows *= d ? tensor_box(&b->map, d) : 1;
    }
    return true;
}

/* The address of the first byte of row `row` in device memory. False: the row is outside of the tensor in another
 * dimension than 0. */
static bool row_place(const struct box *b, uint32_t row, uint64_t *at)
{
    bool inside = true;
    *at = b->map.address;
    for (unsigned d = 1; d < tensor_rank(&b->map); d++) {
        uint32_t n = tensor_box(&b->map, d);
        int64_t place = b->at[d] + (int64_t)(row % n) * tensor_step(&b->map, d);
        row /= n;
        inside &= place >= 0 && place <= (int64_t)b->map.last[d];
        *at += (uint64_t)place * b->map.stride[d - 1];
    }
    return inside;
}

/* The elements [*first, *end) of each row that are inside the tensor along dimension 0. */
static void row_inside(const struct box *b, uint32_t *first, uint32_t *end)
{
    int64_t n = tensor_box(&b->map, 0), left = (int64_t)b->map.last[0] + 1 - b->at[0];
    int64_t from = b->at[0] < 0 ? -(int64_t)b->at[0] : 0, to = left < n ? left : n;
    *first = (uint32_t)(from < n ? from : n);
    *end = (uint32_t)(to > (int64_t)*first ? to : *first);
}

/* The address that the trace records as the box's beginning in device memory: its first element, or the element of the
 * tensor that is nearest to it. */
static uint64_t box_origin(const struct box *b)
{
    uint64_t at = b->map.address;
    for (unsigned d = 0; d < tensor_rank(&b->map); d++) {
        int64_t last = b->map.last[d], place = b->at[d] < 0 ? 0 : b->at[d] > last ? last : b->at[d];
        at += (uint64_t)place * (d ? b->map.stride[d - 1] : tensor_element_bytes(b->map.element));
    }
    return at;
}

static uint64_t swizzled(const struct tensor_map *t, uint64_t at)
{
    static const uint64_t bits[] = {0, 1, 3, 7};
    return at ^ (at >> 7 & bits[t->swizzle]) << 4;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static bool is_ftz(unsigned element) { return element == TENSOR_F32_FTZ || element == TENSOR_TF32_FTZ; }

static void fill(const struct tensor_map *t, uint8_t *row, uint32_t first, uint32_t end)
{
    uint32_t bytes = tensor_element_bytes(t->element);
    uint64_t nan = bytes == 2 ? TENSOR_NAN_16 : bytes == 4 ? 0x7fffffff : UINT64_C(0x7fffffffffffffff);
    uint64_t value = t->fill == TENSOR_FILL_NAN ? nan : 0;
    for (uint32_t i = first; i < end; i++)
        memcpy(row + (size_t)i * bytes, &value, bytes);
}

static void flush(uint8_t *row, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        uint32_t word;
        memcpy(&word, row + 4 * (size_t)i, 4);
        word &= word & 0x7f800000 ? UINT32_MAX : 0x80000000;
        memcpy(row + 4 * (size_t)i, &word, 4);
    }
}

void bulk_reduce(enum rp_atomic op, enum lane_type type, uint8_t *to, const uint8_t *from, uint64_t all)
{
    unsigned bytes = lane_type_bits(type) / 8;
    for (uint64_t i = 0; i < all; i += bytes, to += bytes, from += bytes) {
        uint64_t old = 0, value = 0;
        memcpy(&old, to, bytes);
        memcpy(&value, from, bytes);
        value = atomic_apply_global(op, type, old, value, 0);
        memcpy(to, &value, bytes);
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool load_row(struct warp_state *s, const struct uop *u, unsigned lane, const struct box *b, uint32_t row,
                     uint8_t *to)
{
    uint32_t first, end, bytes = tensor_element_bytes(b->map.element);
    uint64_t at;
    row_inside(b, &first, &end);
    if (!row_place(b, row, &at))
        end = first = 0;
    fill(&b->map, to, 0, first);
    fill(&b->map, to, end, tensor_box(&b->map, 0));
    if (first == end)
        return true;
    uint64_t begin = at + (uint64_t)(b->at[0] + (int64_t)first) * bytes;
    const uint8_t *from = global_bytes(s, u, lane, begin, (uint64_t)(end - first) * bytes, bytes, false);
    if (!from)
        return false;
    memcpy(to + (size_t)first * bytes, from, (size_t)(end - first) * bytes);
    if (is_ftz(b->map.element))
        flush(to, first, end);
    return true;
}

static bool store_row(struct warp_state *s, const struct uop *u, unsigned lane, const struct box *b, uint32_t row,
                      const uint8_t *from)
{
    uint32_t first, end, bytes = tensor_element_bytes(b->map.element);
    uint64_t at;
    row_inside(b, &first, &end);
    if (!row_place(b, row, &at) || first == end)
        return true;
    uint64_t begin = at + (uint64_t)(b->at[0] + (int64_t)first) * bytes;
    uint8_t *to = global_bytes(s, u, lane, begin, (uint64_t)(end - first) * bytes, bytes, true);
    if (!to)
        return false;
    from += (size_t)first * bytes;
    if (u->combine)
        bulk_reduce((enum rp_atomic)u->combine, (enum lane_type)lane_types[b->map.element], to, from,
                    (uint64_t)(end - first) * bytes);
    else
        memcpy(to, from, (size_t)(end - first) * bytes);
    return true;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Checks the box's place in shared memory and returns the shared memory of its block; *offset: the box's offset there.
 * NULL: a fault. */
static uint8_t *box_memory(struct warp_state *s, const struct uop *u, unsigned lane, const struct box *b,
                           uint64_t *offset, bool stores)
{
    const struct grid *g = s->w.block->grid;
    char detail[256];
    *offset = b->shared;
    struct block *of = cluster_owner(s, u, lane, offset);
    if (!of)
        return NULL;
    if (*offset % ALIGNMENT) {
        block_fault(s, u, RP_FAULT_MISALIGNED, lane, "a box at 0x%llx of shared memory, no multiple of %d",
                    (unsigned long long)*offset, ALIGNMENT);
        return NULL;
    }
    uint32_t bytes = b->map.swizzle ? (box_bytes(b) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : box_bytes(b);
    if (!extents_cover(&g->shared, *offset, bytes)) {
        extents_describe(&g->shared, *offset, "shared", g->total_shared, detail, sizeof detail);
        block_fault(s, u, RP_FAULT_BOUNDS, lane, "a box of %u bytes: %s", box_bytes(b), detail);
        return NULL;
    }
    return observe_shared(s, u, of, lane, *offset, box_bytes(b), stores) ? of->shared : NULL;
}

static bool copy_box(struct warp_state *s, const struct uop *u, unsigned lane, const struct box *b)
{
    uint8_t row[ROW_MOST];
    uint64_t offset;
    bool loads = u->op == OP_TENSOR_TO_SHARED;
    uint8_t *shared = box_memory(s, u, lane, b, &offset, loads);
    for (uint32_t r = 0; shared && r < b->rows; r++) {
        if (loads && !load_row(s, u, lane, b, r, row))
            return false;
        for (uint32_t i = 0; i < b->row_bytes; i += UNIT) {
            uint8_t *piece = shared + swizzled(&b->map, offset + (uint64_t)r * b->row_bytes + i);
            if (loads)
                memcpy(piece, row + i, UNIT);
            else
                memcpy(row + i, piece, UNIT);
        }
        if (!loads && !store_row(s, u, lane, b, r, row))
            return false;
    }
    return shared;
}

/* Copies to the same offset in each block of the mask. */
static bool copy_to_all(struct warp_state *s, const struct uop *u, unsigned lane, struct box *b)
{
    uint32_t left = cluster_named(s->w.block, lane_u32(&s->w, u->memory->elements[u->imm], lane));
    for (; left; left &= left - 1) {
        b->shared = cluster_offset(s->w.block, b->shared, (uint32_t)__builtin_ctz(left));
        if (!copy_box(s, u, lane, b))
            return false;
    }
    return true;
}

/* Records one side like that of a bulk copy: the address, and the greatest number of bytes of any lane. */
static void log_boxes(struct warp *w, const struct uop *u, lanemask m, const struct box *boxes)
{
    struct lane_addresses la = {.affine = false};
    unsigned first = (unsigned)__builtin_ctz(m);
    uint32_t most = 0;
    bool global = u->memory->operand.space == RP_SPACE_GLOBAL;
    for (unsigned l = 0; l < RP_WARP_LANES; l++) {
        const struct box *b = &boxes[m >> l & 1 ? l : first];
        la.at[l] = global ? box_origin(b) : b->shared;
        most = box_bytes(b) > most ? box_bytes(b) : most;
    }
    access_log(w, u, m, &la);
    if (!w->log || !(u->flags & UF_LOG_AUX))
        return;
    bool all = u->flags & UF_MULTICAST && u->memory->operand.kind == RP_ACCESS_BULK_STORE;
    uint32_t blocks = all ? cluster_recorded((struct warp_state *)w, u, u->memory->elements[u->imm], m) : 0;
    rp_log_aux(w->log, RP_BULK_AUX(all && w->block->cluster && !blocks ? 0 : most, blocks));
}

void handle_tensor(struct warp *w, const struct uop *u, lanemask m)
{
    struct warp_state *s = (struct warp_state *)w;
    struct box boxes[RP_WARP_LANES];
    bool ok = true;
    memset(boxes, 0, sizeof boxes);
    FOR_LANES(l, m)
    ok = ok && read_box(s, u, l, &boxes[l]);
    log_boxes(w, u, m, boxes);
    FOR_LANES(l, m)
    {
        if (!ok || u->memory->operand.kind != RP_ACCESS_BULK_LOAD)
            break;
        ok = u->flags & UF_MULTICAST ? copy_to_all(s, u, l, &boxes[l]) : copy_box(s, u, l, &boxes[l]);
        if (!is_sink(u->d))
            ((uint64_t *)operand_at(w, u->d))[l] = box_bytes(&boxes[l]);
    }
}
