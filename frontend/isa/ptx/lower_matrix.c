/* ldmatrix, stmatrix, movmatrix, mma and wmma: PTX ISA "Warp-level matrix instructions".
 *
 * Each needs the whole warp: its first operation waits for all lanes (UF_WHOLE_WARP). Plain memory operations move the
 * data. ldmatrix and stmatrix move rows of 16 bytes, one per lane. wmma.load and wmma.store move what a lane holds of a
 * row in one piece. */
#include "frontend/isa/ptx/matrix.h"

#include <string.h>

#include "frontend/isa/ptx/lower.h"

static void check_target(struct lowering *l)
{
    need_target(l, l->module->target, ptx_matrix_target(l->in->form, &l->in->mods));
}

static struct ptx_fragment fragment(const struct lowering *l, char matrix)
{
    return ptx_fragment_of(l->in->form, &l->in->mods, matrix);
}

/* Room for `count` operands. */
static struct operand_list new_list(struct lowering *l, uint32_t count)
{
    return (struct operand_list){ARENA_ARRAY(l->arena, struct operand, count), count};
}

/* The elements of a vector operand, or the operand itself. */
static const struct ptx_operand *elements_of(const struct ptx_operand *o)
{
    return o->kind == PO_VECTOR ? o->elements : o;
}

static struct operand_list source_list(struct lowering *l, const struct ptx_operand *o, char matrix)
{
    struct ptx_fragment f = fragment(l, matrix);
    struct operand_list list = new_list(l, f.distinct);
    for (uint32_t i = 0; i < f.distinct; i++)
        list.at[i] = source(l, &elements_of(o)[i], f.type);
    return list;
}

/* The registers that take the results; a sink becomes a temporary. */
static struct operand_list result_list(struct lowering *l, const struct ptx_operand *o, const struct ptx_fragment *f)
{
    struct operand_list list = new_list(l, f->distinct);
    for (uint32_t i = 0; i < f->distinct; i++) {
        const struct ptx_operand *e = &elements_of(o)[i];
        list.at[i] = e->kind == PO_REGISTER ? register_operand(e->reg) : temporary(l, f->type);
    }
    return list;
}

/* ---- mma and wmma.mma -------------------------------------------------------------------------------------------- */

static uint8_t mode_of(struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    unsigned mode = 0;
    if (mods_have(mods, M_M8N8K4) && fragment(l, 'a').format == MATRIX_F16) {
        mode |= MATRIX_QUADS;
        mode |= mods_have(mods, M_COL) ? MATRIX_A_COLUMNS : 0;
        mode |= mods_have(mods, M_ROW_B) ? MATRIX_B_ROWS : 0;
    }
    mode |= mods_have(mods, M_AND) ? MATRIX_AND : 0;
    if (l->in->operand_count == 6) {
        const struct ptx_operand *selector = &l->in->operands[5];
        int64_t most = matrix_last_selector(ptx_shape_of(mods).k, fragment(l, 'a').format);
        if (selector->value < 0 || selector->value > most)
            ptx_error(l->src, selector->at, "the sparsity selector is 0%s here, not %lld",
                      most == 3 ? " to 3"
                      : most    ? " or 1"
                                : "",
                      (long long)selector->value);
        mode |= MATRIX_SPARSE | (unsigned)selector->value << MATRIX_SELECTOR;
    }
    return (uint8_t)mode;
}

void lower_mma(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    struct ptx_fragment d = fragment(l, 'd');
    check_target(l);
    struct operation u = {.kind = UOP_LANE, .op = OP_MMA, .flags = UF_WHOLE_WARP};
    u.type = u.stype = d.format == MATRIX_F64 ? T_F64 : T_B32;
    u.flags |= (uint64_t)mods_value(&in->mods, G_SATFINITE, 0);
    u.rounding = (uint8_t)mods_value(&in->mods, G_ROUND, ROUND_DEFAULT);
    for (char matrix = 'a'; matrix <= 'c'; matrix++)
        u.lists[matrix - 'a' + 1] = source_list(l, &in->operands[matrix - 'a' + 1], matrix);
    ptx_matrix_describe(in->form, &in->mods, mode_of(l), u.detail);
    if (in->operand_count > 4)
        u.a = source(l, &in->operands[4], PT_B32);
    u.lists[0] = result_list(l, &in->operands[0], &d);
    emit(l, u);
}

/* ---- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------------------------- */

/* Waits for the whole warp. Returns a predicate that is true in its first `lanes` lanes. */
static struct operand first_lanes(struct lowering *l, uint32_t lanes)
{
    struct operand mask = temporary(l, PT_PRED);
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_MOV,
                               .type = T_PRED,
                               .stype = T_PRED,
                               .flags = UF_WHOLE_WARP,
                               .d = mask,
                               .a = constant(l, lanes == 32 ? ~0u : (1u << lanes) - 1, 4)});
    return mask;
}

static struct operand_list row_words(struct lowering *l)
{
    struct operand_list words = new_list(l, 4);
    for (uint32_t i = 0; i < 4; i++)
        words.at[i] = temporary(l, PT_B32);
    return words;
}

/* A copy of the list, because each operation needs its own: place_registers writes into it. */
static struct operand_list copy_of(struct lowering *l, struct operand_list list)
{
    struct operand_list copy = new_list(l, list.count);
    memcpy(copy.at, list.at, list.count * sizeof *list.at);
    return copy;
}

/* The operation that moves rows of 16 bytes between memory and `words`, one row in each of the first lanes. */
static void move_rows(struct lowering *l, uint8_t kind, const struct ptx_operand *address, struct operand_list words,
                      struct operand lanes)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32};
    u.memory = memory_operand(l->in, kind, PT_B32, 4);
    set_address(l, &u, address);
    u.lists[0] = copy_of(l, words);
    finish_access(l, &u)->guard = lanes;
}

void lower_ldmatrix(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    struct ptx_fragment f = fragment(l, 'd');
    check_target(l);
    struct operand lanes = first_lanes(l, 8 * f.count);
    struct operand_list words = row_words(l);
    move_rows(l, RP_ACCESS_LOAD, &in->operands[1], words, lanes);
    struct operation u = {.kind = UOP_LANE, .op = OP_MATRIX_LOAD, .type = T_B32, .stype = T_B32};
    u.imm = mods_have(&in->mods, M_TRANS) ? MATRIX_TRANSPOSED : MATRIX_STRAIGHT;
    u.lists[0] = result_list(l, &in->operands[0], &f);
    u.lists[1] = words;
    emit(l, u);
}

void lower_stmatrix(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    check_target(l);
    struct operation u = {.kind = UOP_LANE, .op = OP_MATRIX_STORE, .type = T_B32, .stype = T_B32};
    struct operand lanes = first_lanes(l, 8 * fragment(l, 'a').count);
    u.imm = mods_have(&in->mods, M_TRANS) ? MATRIX_TRANSPOSED : MATRIX_STRAIGHT;
    u.lists[1] = source_list(l, &in->operands[1], 'a');
    u.lists[0] = row_words(l);
    struct operand_list words = u.lists[0];
    emit(l, u);
    move_rows(l, RP_ACCESS_STORE, &in->operands[0], words, lanes);
}

void lower_movmatrix(struct lowering *l)
{
    check_target(l);
    lower_lanes(l, UF_WHOLE_WARP);
}

/* ---- wmma.load and wmma.store ------------------------------------------------------------------------------------ */

/* Moves a matrix that memory holds in lines (rows or columns), `pitch` bytes apart. A tile may lie along the lines:
 * then lane 4·g + t holds place t of line g. Or it lies across them: then the lane holds place g of line t. */
struct mover {
    struct lowering *l;
    struct operation access; /* what all memory operations have in common */
    struct operand pitch;    /* 32 bits */
    struct operand base;     /* by lane: the address of its place in line 0; as wide as the instruction's address */
    bool wide;
};

static struct operand lane_words(struct lowering *l, uint32_t first, uint32_t each_g, uint32_t each_t)
{
    uint32_t words[RP_WARP_LANES];
    for (uint32_t i = 0; i < RP_WARP_LANES; i++)
        words[i] = first + i / 4 * each_g + i % 4 * each_t;
    return constants_words(&l->constants, l->arena, words);
}

/* a × b + c of 32-bit numbers; c and the result are as wide as addresses. */
static struct operand address_sum(struct mover *m, struct operand a, struct operand b, struct operand c, uint64_t flags)
{
    struct operand d = temporary(m->l, m->wide ? PT_U64 : PT_U32);
    flags |= m->wide ? UF_WIDE : 0;
    emit(m->l, (struct operation){.kind = UOP_LANE,
                                  .op = OP_MAD,
                                  .type = T_U32,
                                  .stype = T_U32,
                                  .flags = flags,
                                  .d = d,
                                  .a = a,
                                  .b = b,
                                  .c = c});
    return d;
}

/* Bytes from one line to the next. The operand counts elements; without one, a line is as long as the matrix. */
static struct operand pitch_of(struct lowering *l, const struct ptx_operand *stride, uint32_t length, unsigned bits)
{
    if (!stride)
        return constant(l, length * bits / 8, 4);
    struct operation u = {.kind = UOP_LANE, .type = T_U32, .stype = T_U32, .d = temporary(l, PT_U32)};
    u.op = bits < 8 ? OP_SHR : OP_MUL;
    u.a = source(l, stride, PT_U32);
    u.b = constant(l, bits < 8 ? (bits == 4 ? 1 : 3) : bits / 8, 4);
    emit(l, u);
    return u.d;
}

/* Waits for the whole warp and computes the lanes' places: each_g bytes apart by g, each_t bytes apart by t. */
static struct mover begin_moving(struct lowering *l, uint8_t kind, const struct ptx_operand *address,
                                 const struct ptx_operand *stride, uint32_t length, unsigned bits, uint32_t each_g,
                                 uint32_t each_t)
{
    struct mover m = {.l = l};
    m.access = (struct operation){.kind = UOP_MEMORY};
    m.access.memory = memory_operand(l->in, kind, PT_B32, 1);
    set_address(l, &m.access, address);
    m.wide = m.access.stype == T_U64;
    m.base = address_sum(&m, lane_words(l, 0, each_g, each_t), constant(l, 1, 4), m.access.a, UF_WHOLE_WARP);
    m.pitch = pitch_of(l, stride, length, bits);
    return m;
}

/* Moves `count` elements of the type per lane, `offset` bytes after the lanes' places in `lines`. */
static void move(struct mover *m, struct operand lines, uint32_t offset, enum ptx_type type, struct operand *registers,
                 uint32_t count)
{
    struct operation u = m->access;
    u.a = address_sum(m, lines, m->pitch, m->base, 0);
    u.stype = m->wide ? T_U64 : T_U32;
    u.imm = (int64_t)((uint64_t)u.imm + offset);
    u.type = u.dtype = ptx_types[type].lane;
    if (type == PT_B8)
        u.dtype = T_B16;
    struct rp_memory_operand all = memory_operand(m->l->in, u.memory.kind, type, count);
    u.memory.elements = all.elements;
    u.memory.value = all.value;
    u.memory.width = all.width;
    if (count == 1)
        u.d = *registers;
    else
        u.lists[0] = (struct operand_list){registers, count};
    finish_access(m->l, &u);
}

static void turn(struct lowering *l, struct operand to, struct operand from)
{
    emit(l, (struct operation){
                .kind = UOP_LANE, .op = OP_MATRIX_TRANSPOSE, .type = T_B32, .stype = T_B32, .d = to, .a = from});
}

/* Moves a tile of 8 x 8 halves, along or across the lines from `line` on. */
static void move_halves(struct mover *m, uint32_t line, uint32_t place, bool across, struct operand reg)
{
    struct operand lines = lane_words(m->l, line, 1, 0), other = reg;
    if (across)
        other = temporary(m->l, PT_B32);
    if (across && m->access.memory.kind == RP_ACCESS_STORE)
        turn(m->l, other, reg);
    move(m, lines, place * 2, PT_B32, &other, 1);
    if (across && m->access.memory.kind == RP_ACCESS_LOAD)
        turn(m->l, reg, other);
}

/* Loads the 4 bytes of a register, one byte from each of 4 lines. */
static void load_bytes(struct mover *m, uint32_t line, uint32_t place, struct operand reg)
{
    struct operand_list bytes = new_list(m->l, 4);
    for (uint32_t e = 0; e < 4; e++) {
        bytes.at[e] = temporary(m->l, PT_B8);
        move(m, lane_words(m->l, line + e, 0, 4), place, PT_B8, &bytes.at[e], 1);
    }
    emit(m->l,
         (struct operation){.kind = UOP_LANE, .op = OP_PACK, .type = T_B32, .stype = T_B8, .d = reg, .lists = {bytes}});
}

/* Loads a register of A or B: rows (of A; columns of B) from `first` on, elements from `k` on. */
static void load_source(struct mover *m, const struct ptx_fragment *f, uint32_t first, uint32_t k, bool across,
                        struct operand reg)
{
    unsigned bits = matrix_bits[f->format];
    if (bits == 16)
        move_halves(m, across ? k : first, across ? first : k, across, reg);
    else if (!across)
        move(m, lane_words(m->l, first, 1, 0), k * bits / 8, f->type, &reg, 1);
    else if (bits == 8)
        load_bytes(m, k, first, reg);
    else
        move(m, lane_words(m->l, k, 0, 1), first * bits / 8, f->type, &reg, 1);
}

/* Copies loaded registers, because the fragment has several registers with the same content. */
static void copy_registers(struct lowering *l, const struct ptx_fragment *f, const struct ptx_operand *d,
                           const struct operand_list *loaded)
{
    for (uint32_t i = f->distinct; i < f->count; i++)
        if (elements_of(d)[i].kind == PO_REGISTER)
            emit(l, (struct operation){.kind = UOP_LANE,
                                       .op = OP_MOV,
                                       .type = T_B32,
                                       .stype = T_B32,
                                       .d = register_operand(elements_of(d)[i].reg),
                                       .a = loaded->at[i % f->distinct]});
}

static void load_sides(struct lowering *l, char matrix)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *stride = in->operand_count > 2 ? &in->operands[2] : NULL;
    struct ptx_shape s = ptx_shape_of(&in->mods);
    struct ptx_fragment f = fragment(l, matrix);
    unsigned bits = matrix_bits[f.format];
    uint32_t rows = matrix == 'a' ? s.m : s.n, tile = f.format == MATRIX_F64 ? 4 : 128 / bits;
    bool across = mods_have(&in->mods, matrix == 'a' ? M_COL : M_ROW);
    struct operand_list d = result_list(l, &in->operands[0], &f);
    bool by_word = !across || bits == 16;
    struct mover m = begin_moving(l, RP_ACCESS_LOAD, &in->operands[1], stride, across ? rows : s.k, bits,
                                  by_word ? 0 : bits / 8, by_word ? tile * bits / 32 : 0);
    uint32_t columns = s.k / tile, pair = rows == 8 || matrix == 'b' ? 1 : 2;
    for (uint32_t r = 0; r < f.distinct; r++) {
        uint32_t group = r / (pair * columns), within = r % (pair * columns);
        load_source(&m, &f, 8 * (pair * group + within % pair), within / pair * tile, across, d.at[r]);
    }
    copy_registers(l, &f, &in->operands[0], &d);
}

/* Moves tile (i, n) of C or D, which is in the registers from `at` on. */
static void move_tile(struct mover *m, const struct ptx_fragment *f, uint32_t row, uint32_t column, bool across,
                      struct operand *at)
{
    unsigned bytes = matrix_bits[f->format] / 8;
    if (f->format == MATRIX_F16)
        move_halves(m, across ? column : row, across ? row : column, across, *at);
    else if (!across)
        move(m, lane_words(m->l, row, 1, 0), column * bytes, f->type, at, 2);
    else
        for (uint32_t e = 0; e < 2; e++)
            move(m, lane_words(m->l, column + e, 0, 2), row * bytes, f->type, at + e, 1);
}

static void move_results(struct lowering *l, uint8_t kind, const struct ptx_operand *address,
                         const struct ptx_operand *stride, char matrix, struct operand_list list)
{
    struct ptx_shape s = ptx_shape_of(&l->in->mods);
    struct ptx_fragment f = fragment(l, matrix);
    unsigned bits = matrix_bits[f.format];
    bool across = mods_have(&l->in->mods, M_COL), by_word = !across || bits == 16;
    struct mover m = begin_moving(l, kind, address, stride, across ? s.m : s.n, bits, by_word ? 0 : bits / 8,
                                  by_word ? 2 * bits / 8 : 0);
    uint32_t each = f.format == MATRIX_F16 ? 1 : 2, pair = s.m == 8 ? 1 : 2, tiles = s.n / 8;
    for (uint32_t r = 0; r < f.count; r += each) {
        uint32_t tile = r / each, group = tile / (pair * tiles), within = tile % (pair * tiles);
        move_tile(&m, &f, 8 * (pair * group + within % pair), within / pair * 8, across, &list.at[r]);
    }
}

void lower_wmma_load(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    char matrix = ptx_matrix_of(in->form, &in->mods, 'd');
    check_target(l);
    if (matrix != 'c') {
        load_sides(l, matrix);
        return;
    }
    struct ptx_fragment f = fragment(l, 'c');
    move_results(l, RP_ACCESS_LOAD, &in->operands[1], in->operand_count > 2 ? &in->operands[2] : NULL, 'c',
                 result_list(l, &in->operands[0], &f));
}

void lower_wmma_store(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    check_target(l);
    struct operand_list values = source_list(l, &in->operands[1], 'd');
    move_results(l, RP_ACCESS_STORE, &in->operands[0], in->operand_count > 2 ? &in->operands[2] : NULL, 'd', values);
}
