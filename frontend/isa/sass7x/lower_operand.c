/* Results, predicates, values for the warp, and what the driver leaves in constant bank 0. */
#include "frontend/core/image.h"
#include "frontend/isa/sass7x/lower.h"

static bool is_uniform(const struct sass_lowering *l) { return l->row->flags & SASS_UNIFORM_GUARD; }

struct operand sass7x_result(struct sass_lowering *l)
{
    return is_uniform(l) ? written_uniform(&l->b, bits(l, AT_RD, 6)) : written(&l->b, bits(l, AT_RD, 8));
}

void sass7x_to_result(struct sass_lowering *l, struct operation u)
{
    u.kind = UOP_LANE;
    u.d = sass7x_result(l);
    sass_emit(&l->b, u);
}

struct operand sass7x_active_lanes(struct sass_lowering *l)
{
    return sass_value_of(l, (struct operation){.op = OP_ACTIVEMASK, .type = T_B32});
}

void sass7x_write_64(struct sass_lowering *l, struct operand value)
{
    if (!is_uniform(l)) {
        write_pair(&l->b, bits(l, AT_RD, 8), value);
        return;
    }
    unsigned n = bits(l, AT_RD, 6);
    struct operand *words = ARENA_ARRAY(l->b.arena, struct operand, 2);
    for (unsigned i = 0; i < 2; i++)
        words[i] = n == URZ ? OPERAND_NONE : written_uniform(&l->b, n + i);
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_UNPACK, .type = T_B64, .stype = T_B32, .a = value, .lists = {{words, 2}}});
}

/* ---- predicates ---- */

struct operand sass7x_predicate(struct sass_lowering *l, unsigned at)
{
    struct operand p = read_predicate(l, at);
    return bit(l, at + 3) ? lane2(&l->b, OP_XOR, T_PRED, p, constant32(&l->b, ~0u)) : p;
}

void sass7x_set_p(struct sass_lowering *l, struct operation *u, unsigned at)
{
    u->p = read_predicate(l, at);
    u->p_flip = bit(l, at + 3);
}

void sass7x_set_predicates(struct sass_lowering *l, struct operation *u)
{
    static const uint8_t combines[4] = {COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_NONE};
    u->combine = combines[bits(l, 74, 2)];
    if (u->combine == COMBINE_NONE)
        sass_not_covered(l, "this combination of predicates");
    sass7x_set_p(l, u, AT_PC);
    u->pd = written_predicate(l, AT_PD);
    u->pd2 = written_predicate(l, AT_PD2);
}

static void move_predicate(struct sass_lowering *l, struct operand d, struct operand value)
{
    if (is_register(d))
        sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = d, .a = value});
}

void sass7x_write_predicates(struct sass_lowering *l, struct operand first, struct operand second)
{
    struct operand d = written_predicate(l, AT_PD), d2 = written_predicate(l, AT_PD2);
    bool first_last = bits(l, AT_PD, 3) == bits(l, 12, 3);
    if (!first_last)
        move_predicate(l, d, first);
    move_predicate(l, d2, second);
    if (first_last)
        move_predicate(l, d, first);
}

void sass7x_refuse_predicates(struct sass_lowering *l)
{
    for (const struct sass_item *i = l->row->items; i->kind != SI_END; i++) {
        if (i->kind != SI_PREDICATE)
            continue;
        bool inverted = i->style == PREDICATE_INVERTED || i->style == PREDICATE_INVERTED_OPTIONAL;
        if (sass_field(l->word, i->f) != (inverted ? 0 : PT) || (i->neg && bit(l, i->neg)))
            sass_not_covered(l, "the predicate");
    }
}

/* ---- values for the warp ---- */

static void for_the_warp(struct sass_lowering *l, struct operation u)
{
    u.kind = UOP_LANE;
    u.op = OP_BROADCAST;
    bool uniform = l->b.uniform;
    l->b.uniform = false; /* the handler itself writes all lanes, and has to know those executed */
    sass_emit(&l->b, u);
    l->b.uniform = uniform;
}
void sass7x_broadcast_to(struct sass_lowering *l, unsigned n, struct operand value)
{
    for_the_warp(l, (struct operation){.type = T_B32, .d = written_uniform(&l->b, n), .a = value});
}
void sass7x_broadcast(struct sass_lowering *l, struct operand value)
{
    sass7x_broadcast_to(l, bits(l, AT_RD, 6), value);
}
struct operand sass7x_of_first_lane(struct sass_lowering *l, struct operand value)
{
    struct operand d = sass_temporary(&l->b);
    for_the_warp(l, (struct operation){.type = T_B32, .d = d, .a = value});
    return d;
}
void sass7x_broadcast_predicate(struct sass_lowering *l, unsigned at, struct operand value)
{
    struct operand pd = written_uniform_predicate(&l->b, bits(l, at, 3));
    if (is_register(pd))
        for_the_warp(l, (struct operation){.type = T_PRED, .pd = pd, .p = value});
}

/* ---- words ---- */

struct operand sass7x_pack(struct sass_lowering *l, struct operand low, struct operand high)
{
    struct operand *pair = ARENA_ARRAY(l->b.arena, struct operand, 2);
    pair[0] = low;
    pair[1] = high;
    return sass_pack(&l->b, pair);
}

void sass7x_split(struct sass_lowering *l, struct operand value, struct operand words[2])
{
    struct operand *list = ARENA_ARRAY(l->b.arena, struct operand, 2);
    for (unsigned i = 0; i < 2; i++)
        list[i] = words[i] = sass_temporary(&l->b);
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_UNPACK, .type = T_B64, .stype = T_B32, .a = value, .lists = {{list, 2}}});
}

/* ---- constant bank 0 ---- */

/* 1/n as f32, rounded up: the product with a small number is cut to the quotient. */
static struct operand reciprocal(struct sass_build *b, enum special n)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_CVT, .type = T_F32, .stype = T_U32, .rounding = ROUND_P};
    u.a = special_register(b, n);
    u.d = sass_temporary(b);
    sass_emit(b, u);
    struct operation r = {.kind = UOP_LANE, .op = OP_RCP, .type = T_F32, .rounding = ROUND_P, .a = u.d};
    r.d = sass_temporary(b);
    sass_emit(b, r);
    return r.d;
}

/* A word of the address of the table of textures, or behind it of surfaces. */
static struct operand image_table(struct sass_build *b, uint32_t word)
{
    enum { SURFACES = 4 };
    b->asks_of_images = true;
    return constant32(b, word % 2 ? 0 : (uint32_t)IMAGE_TABLE + (word < SURFACES ? 0 : 4 * IMAGE_SURFACE_WORD));
}

static struct operand from_90(struct sass_build *b, uint32_t offset)
{
    if (offset >= 0x150 && offset < 0x15c)
        return reciprocal(b, SR_CLUSTER_NCTAID_X + (offset - 0x150) / 4);
    if (offset >= 0x144 && offset < 0x150)
        return special_register(b, SR_CLUSTER_NCTAID_X + (offset - 0x144) / 4);
    if (offset >= 0x15c && offset < 0x168)
        return special_register(b, SR_NCLUSTERID_X + (offset - 0x15c) / 4);
    switch (offset) {
    case 0x68: return constant32(b, CUBIN_RESERVED_SHARED); /* %reserved_smem_offset_end, _1 */
    case 0x6c: return constant32(b, CUBIN_RESERVED_SHARED / 2);
    case 0xd0: return constant32(b, (uint32_t)CONST_WINDOW + b->banks->at[3]);
    case 0x13c: return special_register(b, SR_TOTAL_SMEM_SIZE);
    case 0x140: return special_register(b, SR_CLUSTER_EXPLICIT);
    case 0xf0:
    case 0xf4:
    case 0x100:
    case 0x104: return image_table(b, (offset - 0xf0) / 4);
    case 0x188: return special_register(b, SR_CLUSTER_BLOCKS);
    case 0x198: return constant32(b, (uint32_t)PARAM_WINDOW); /* the generic address of the parameters */
    case 0x19c:
    case 0xd4:
    case 0x208: /* the descriptor of global memory, which means nothing here */
    case 0x20c: return constant32(b, 0);
    default: sass_build_not_covered(b, "this word of constant bank 0");
    }
}

/* An offset in the shared memory that is reserved for the system. */
static struct operand reserved_shared(struct sass_build *b, uint32_t offset)
{
    b->shared_behind = CUBIN_RESERVED_SHARED;
    return lane2(b, OP_ADD, T_U32, special_register(b, SR_TOTAL_SMEM_SIZE), constant32(b, offset));
}

/* The words of %current_graph_exec, which is 0 here. */
static bool is_graph_word(const struct sass_build *b, uint32_t offset)
{
    uint32_t at = b->sm < 80 ? 0x120 : b->sm < 90 ? 0x130 : 0x190;
    return offset == at || offset == at + 4;
}

static struct operand before_90(struct sass_build *b, uint32_t offset)
{
    switch (offset) {
    case 0x120: return reserved_shared(b, CUBIN_RESERVED_SHARED); /* %reserved_smem_offset_end, _1 */
    case 0x124: return reserved_shared(b, CUBIN_RESERVED_SHARED / 2);
    case 0x70:
    case 0x74:
    case 0x80:
    case 0x84: return image_table(b, (offset - 0x70) / 4);
    case 0x18: return constant32(b, (uint32_t)SHARED_WINDOW);
    case 0x40: return constant32(b, (uint32_t)PARAM_WINDOW - b->parameters); /* the bank's own generic address */
    case 0x50: return constant32(b, (uint32_t)CONST_WINDOW + b->banks->at[3]);
    case 0x1c:
    case 0x44:
    case 0x54:
    case 0x118: /* the descriptor of global memory */
    case 0x11c: return constant32(b, 0);
    default: sass_build_not_covered(b, "this word of constant bank 0");
    }
}

/* The words that ptxas reads for PTX special registers: first those of all architectures, then those of each. */
struct operand sass7x_launch_word(struct sass_build *b, uint32_t offset)
{
    const uint32_t environment = b->sm < 90 ? 0x88 : 0x40, environments = 32;
    if (offset < 0x18)
        return special_register(b, offset < 0xc ? SR_NTID_X + offset / 4 : SR_NCTAID_X + (offset - 0xc) / 4);
    if (offset == environment + 4 || offset == environment + 8) /* %envreg1, %envreg2 */
        return special_register(b, offset == environment + 4 ? SR_WORKSPACE_HIGH : SR_WORKSPACE_LOW);
    bool is_used = b->sm < 90 ? offset == 0xd0 || offset == 0xd4 : offset == 0x68 || offset == 0x6c;
    if (offset >= environment && offset < environment + 4 * environments && !is_used)
        return constant32(b, 0); /* the other %envreg, which CUDA does not use */
    if (is_graph_word(b, offset))
        return constant32(b, 0);
    switch (offset) {
    case 0x20: return constant32(b, (uint32_t)LOCAL_WINDOW);
    case 0x28: return special_register(b, SR_LOCAL_BYTES);
    case 0x2c: return special_register(b, SR_DYNAMIC_SMEM_SIZE);
    case 0x30: return special_register(b, SR_GRIDID);
    case 0x10c: return special_register(b, SR_NSMID);
    case 0x24: /* upper words of 0x20 and 0x30 */
    case 0x34: return constant32(b, 0);
    case 0x114: /* of SR_SMEMSZ, bytes of reserved shared memory: ours does not count it */
        b->shared_behind = b->sm < 90 ? CUBIN_RESERVED_SHARED : 0;
        return constant32(b, 0);
    default: return b->sm < 90 ? before_90(b, offset) : from_90(b, offset);
    }
}
