/* wgmma: PTX ISA "Asynchronous warpgroup-level matrix instructions". The product is complete at once, so fences, groups
 * and waits do nothing; they are executed and recorded. */
#include <string.h>

#include "frontend/isa/ptx/lower.h"
#include "frontend/isa/ptx/matrix.h"

static void check_target(struct lowering *l)
{
    const struct target *have = l->module->target;
    if (!have || strcmp(have->name, "sm_90a") != 0)
        ptx_error(l->src, l->in->at, "wgmma needs .target sm_90a, this is %s", have ? have->name : "none");
}

/* PTX ISA "wgmma.mma_async": integers and bits allow fewer widths. */
static void check_width(struct lowering *l, const struct ptx_shape *s, enum matrix_format format)
{
    bool few = format == MATRIX_S8 || format == MATRIX_U8 || format == MATRIX_B1;
    if (few && s->n % 16 && s->n != 8 && s->n != 24)
        ptx_error(l->src, l->in->at, "wgmma on .%s has no shape m64n%uk%u", format == MATRIX_B1 ? "b1" : "s8 and .u8",
                  s->n, s->k);
}

static struct operand descriptor(struct lowering *l, const struct ptx_operand *o)
{
    if (o->kind != PO_REGISTER || ptx_types[register_type(l, o)].bits != 64)
        ptx_error(l->src, o->at, "a 64-bit register with a matrix descriptor belongs here");
    return register_operand(o->reg);
}

/* The registers of A, which lie as those of m16n8. */
static struct operand_list registers_of_a(struct lowering *l, const struct ptx_operand *o)
{
    struct operand_list list = {ARENA_ARRAY(l->arena, struct operand, 4), 4};
    if (o->count != 4)
        ptx_error(l->src, o->at, "matrix a has 4 registers here, not %u", o->count);
    for (uint32_t i = 0; i < 4; i++) {
        const struct ptx_operand *e = &o->elements[i];
        if (e->kind != PO_REGISTER || ptx_types[register_type(l, e)].bits != 32)
            ptx_error(l->src, e->at, "a 32-bit register belongs here");
        list.at[i] = register_operand(e->reg);
    }
    return list;
}

/* 1 or -1; 0 or 1. */
static bool is_one_of(struct lowering *l, const struct ptx_operand *o, int64_t no, int64_t yes)
{
    if (o->value != no && o->value != yes)
        ptx_error(l->src, o->at, "%lld or %lld belongs here, not %lld", (long long)no, (long long)yes,
                  (long long)o->value);
    return o->value == yes;
}

static struct operand_list registers_of_d(struct lowering *l, const struct ptx_operand *o)
{
    uint32_t count = o->kind == PO_VECTOR ? o->count : 1;
    struct operand_list list = {ARENA_ARRAY(l->arena, struct operand, count), count};
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *e = o->kind == PO_VECTOR ? &o->elements[i] : o;
        if (e->kind != PO_REGISTER)
            ptx_error(l->src, e->at, "a register belongs here");
        list.at[i] = register_operand(e->reg);
    }
    return list;
}

/* Sets the factors of A and B, and which matrices in memory are transposed: the operands after the first `before`. */
static void set_factors(struct lowering *l, struct operation *u, bool a_in_memory, uint32_t before)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *o = in->operands + before;
    uint32_t factors = before + 2, turns = in->operand_count > factors ? in->operand_count - factors : 0;
    uint32_t wanted = in->form->operand_count > factors ? 1u + a_in_memory : 0;
    if (turns != wanted)
        ptx_error(l->src, in->at, "'wgmma' takes %u operands here, not %u", factors + wanted, in->operand_count);
    if (in->operand_count > before) {
        u->flags |= is_one_of(l, &o[0], 1, -1) ? UF_NEGATE_A : 0;
        u->flags |= is_one_of(l, &o[1], 1, -1) ? UF_NEGATE_B : 0;
    }
    unsigned mode = 0;
    if (turns == 2)
        mode |= is_one_of(l, &o[2], 0, 1) ? WGMMA_A_TRANSPOSED : 0;
    if (turns)
        mode |= is_one_of(l, &o[1 + turns], 0, 1) ? WGMMA_B_TRANSPOSED : 0;
    u->detail[MATRIX_MODE] |= (uint8_t)mode;
}

/* Sets metadata and selector. For elements of 16 and 32 bits two lanes of four hold them, otherwise all (PTX ISA,
 * "Sparse matrix storage" of wgmma.mma_async.sp). */
static void set_metadata(struct lowering *l, struct operation *u, const struct ptx_operand *o)
{
    int64_t most = matrix_bits[u->detail[MATRIX_A]] >= 16;
    if (o[1].value < 0 || o[1].value > most)
        ptx_error(l->src, o[1].at, "the sparsity selector is 0%s here, not %lld", most ? " or 1" : "",
                  (long long)o[1].value);
    u->detail[MATRIX_MODE] = (uint8_t)(MATRIX_SPARSE | o[1].value << MATRIX_SELECTOR);
    u->lists[2] = (struct operand_list){ARENA_ARRAY(l->arena, struct operand, 1), 1};
    u->lists[2].at[0] = source(l, &o[0], PT_U32);
}

void lower_wgmma(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *o = in->operands;
    struct ptx_shape s = ptx_shape_of(&in->mods);
    bool a_in_memory = o[1].kind != PO_VECTOR, sparse = mods_have(&in->mods, M_SP);
    const struct ptx_operand *adds = &o[sparse ? 5 : 3];
    uint8_t flip = 0;
    struct operation u = {.kind = UOP_LANE, .op = OP_WGMMA, .type = T_B64, .stype = T_B64, .flags = UF_WHOLE_WARP};
    check_target(l);
    check_width(l, &s, ptx_fragment_of(in->form, &in->mods, 'a').format);
    u.flags |= (uint64_t)mods_value(&in->mods, G_SATFINITE, 0);
    ptx_matrix_describe(in->form, &in->mods, 0, u.detail);
    if (a_in_memory)
        u.a = descriptor(l, &o[1]);
    else
        u.lists[1] = registers_of_a(l, &o[1]);
    u.b = descriptor(l, &o[2]);
    if (sparse)
        set_metadata(l, &u, &o[3]);
    u.c = predicate_source(l, adds, &flip);
    u.flags |= flip ? UF_NEGATE_C : 0;
    set_factors(l, &u, a_in_memory, sparse ? 6 : 4);
    u.lists[0] = registers_of_d(l, &o[0]);
    u.lists[3] = registers_of_d(l, &o[0]);
    l->async = (struct rp_async){RP_ASYNC_TENSOR, RP_ASYNC_START, 0};
    emit(l, u);
}

void lower_warpgroup(struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    check_target(l);
    if (mods_have(mods, M_COMMIT_GROUP))
        l->async = (struct rp_async){RP_ASYNC_TENSOR, RP_ASYNC_COMMIT, 0};
    if (mods_have(mods, M_WAIT_GROUP))
        l->async = (struct rp_async){RP_ASYNC_TENSOR, RP_ASYNC_WAIT, (uint32_t)l->in->operands[0].value};
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_MOV,
                               .type = T_U32,
                               .stype = T_U32,
                               .flags = UF_WHOLE_WARP,
                               .d = temporary(l, PT_U32),
                               .a = constant(l, 0, 4)});
}
