/* Loads, stores, constants, caches, fences. */
#include "frontend/isa/sass7x/lower.h"

enum { AT_SIZE = 73, AT_EXTENDED = 72 };

struct operation sass7x_load_or_store(struct sass_lowering *l, enum rp_space space, bool store)
{
    static const uint8_t types[8] = {T_U8, T_S8, T_U16, T_S16, T_B32, T_B32, T_B32, T_B32};
    static const uint8_t forms[8] = {T_U32, T_S32, T_U32, T_S32, T_B32, T_B32, T_B32, T_B32};
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    struct operation u = {.kind = UOP_MEMORY};
    unsigned size = bits(l, AT_SIZE, 3);
    u.type = types[size];
    u.dtype = forms[size];
    u.memory.space = (uint8_t)space;
    u.memory.kind = store ? RP_ACCESS_STORE : RP_ACCESS_LOAD;
    u.memory.width = widths[size];
    u.memory.elements = widths[size] > 4 ? widths[size] / 4 : 1;
    return u;
}

/* Strength, scope and what the caches are told. From sm_80 on one field holds strength and scope. */
void sass7x_set_order(struct sass_lowering *l, struct rp_memory_operand *m)
{
    static const struct {
        uint8_t order, scope, cache_op;
    } late[16] = {
        [4] = {RP_ORDER_WEAK, RP_SCOPE_NONE, RP_CACHE_NC}, [5] = {RP_ORDER_RELAXED, RP_SCOPE_CTA, 0},
        [7] = {RP_ORDER_RELAXED, RP_SCOPE_GPU, 0},         [8] = {RP_ORDER_MMIO, RP_SCOPE_GPU, 0},
        [10] = {RP_ORDER_RELAXED, RP_SCOPE_SYSTEM, 0},     [12] = {RP_ORDER_MMIO, RP_SCOPE_SYSTEM, 0},
    };
    static const uint8_t scopes[4] = {RP_SCOPE_CTA, RP_SCOPE_CTA, RP_SCOPE_GPU, RP_SCOPE_SYSTEM};
    enum { CONSTANT, PLAIN, STRONG, MMIO };
    if (l->arch & (SASS_70 | SASS_75)) {
        unsigned strength = bits(l, 79, 2);
        m->order = strength == STRONG ? RP_ORDER_RELAXED : strength == MMIO ? RP_ORDER_MMIO : RP_ORDER_WEAK;
        m->scope = strength >= STRONG ? scopes[bits(l, 77, 2)] : RP_SCOPE_NONE;
        m->cache_op = strength == CONSTANT ? RP_CACHE_NC : m->cache_op;
        return;
    }
    unsigned how = bits(l, 77, 4);
    m->order = late[how].order;
    m->scope = late[how].scope;
    m->cache_op = late[how].cache_op ? late[how].cache_op : m->cache_op;
}

void sass7x_set_hint(struct sass_lowering *l, struct rp_memory_operand *m)
{
    static const uint8_t priorities[8] = {RP_EVICT_FIRST,     RP_EVICT_NORMAL,      RP_EVICT_LAST,   RP_EVICT_FIRST,
                                          RP_EVICT_UNCHANGED, RP_EVICT_NO_ALLOCATE, RP_EVICT_NORMAL, RP_EVICT_NORMAL};
    m->evict_l1 = priorities[bits(l, 84, 3)];
}

/* The predicate that says whether the data are valid, and the one that zeroes them: compilers write neither. */
static void refuse_predicates(struct sass_lowering *l)
{
    enum { AT_ZERO_DATA = 87 };
    sass7x_refuse_predicates(l);
    if (l->arch & (SASS_70 | SASS_75) && bit(l, AT_ZERO_DATA))
        sass_not_covered(l, "zeroed data");
}

static void load(struct sass_lowering *l, enum rp_space space, bool extended)
{
    struct operation u = sass7x_load_or_store(l, space, false);
    bool device = space == RP_SPACE_GLOBAL || space == RP_SPACE_GENERIC;
    refuse_predicates(l);
    if (device) {
        sass7x_set_hint(l, &u.memory);
        sass7x_set_order(l, &u.memory);
    }
    sass7x_set_address(l, &u, 0, extended);
    sass_move_data(l, &u, bits(l, AT_RD, 8));
}
static void lower_ldg(struct sass_lowering *l) { load(l, RP_SPACE_GLOBAL, bit(l, AT_EXTENDED)); }
static void lower_ld(struct sass_lowering *l) { load(l, RP_SPACE_GENERIC, bit(l, AT_EXTENDED)); }
static void lower_lds(struct sass_lowering *l) { load(l, RP_SPACE_SHARED, false); }
static void lower_ldl(struct sass_lowering *l) { load(l, RP_SPACE_LOCAL, false); }

/* The register that is stored: the row's own, not one of the address. */
static unsigned stored(struct sass_lowering *l)
{
    for (const struct sass_item *i = l->row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REGISTER && i->file == FILE_GENERAL)
            return (unsigned)sass_value(l->word, i);
    sass_not_covered(l, "this form");
}

static void store(struct sass_lowering *l, enum rp_space space, bool extended)
{
    enum { WIDE_256 = 0x97f };
    struct operation u = sass7x_load_or_store(l, space, true);
    if (l->row->value == WIDE_256)
        sass_not_covered(l, NULL);
    if (space == RP_SPACE_GLOBAL || space == RP_SPACE_GENERIC) {
        sass7x_set_hint(l, &u.memory);
        sass7x_set_order(l, &u.memory);
    }
    sass7x_set_address(l, &u, 0, extended);
    sass_move_data(l, &u, stored(l));
}
static void lower_stg(struct sass_lowering *l) { store(l, RP_SPACE_GLOBAL, bit(l, AT_EXTENDED)); }
static void lower_st(struct sass_lowering *l) { store(l, RP_SPACE_GENERIC, bit(l, AT_EXTENDED)); }
static void lower_sts(struct sass_lowering *l) { store(l, RP_SPACE_SHARED, false); }
static void lower_stl(struct sass_lowering *l) { store(l, RP_SPACE_LOCAL, false); }

/* ---- constants ---- */

enum { AT_BANK = 54, AT_OFFSET = 38 };

/* Part of a word that is no memory here: of what the driver leaves, or of a bank that is known. */
static struct operand part_of_word(struct sass_lowering *l, unsigned bank, uint32_t offset, unsigned size)
{
    static const struct {
        uint8_t type, bits;
    } sizes[] = {{T_U32, 8}, {T_S32, 8}, {T_U32, 16}, {T_S32, 16}, {T_U32, 32}};
    struct operand word = bank_word(&l->b, bank, offset & ~3u);
    if (size == 4)
        return word;
    struct operation u = {.op = OP_BFE, .type = sizes[size].type, .a = word};
    u.b = constant32(&l->b, offset % 4 * 8);
    u.c = constant32(&l->b, sizes[size].bits);
    return sass_value_of(l, u);
}

/* Whether a word of the parameters holds their end; all of it is read then, and no trace records that. */
static bool holds_end(const struct sass_lowering *l, int32_t offset, unsigned size)
{
    uint32_t end = l->b.parameters + l->b.kernel->parameter_bytes;
    return size >= 4 && (uint32_t)offset < end && end < (uint32_t)offset + (size == 4 ? 4 : 8);
}

/* Whether the instruction before moves a constant to the register, which ptxas does where it does not optimise. */
static bool holds_constant(const struct sass_lowering *l, unsigned base, uint32_t *value)
{
    enum { MOVES_CONSTANT = 0x802, STEP = 16 };
    if (base == RZ || l->address < STEP)
        return false;
    struct isa_word before = sass_word_at(l->b.family->table, l->b.kernel->image.at + l->address - STEP);
    *value = (uint32_t)(before.lo >> 32);
    return (before.lo & 0xfff) == MOVES_CONSTANT && (before.lo >> 12 & 15) == 7 && (before.lo >> 16 & 0xff) == base;
}

static void lower_ldc(struct sass_lowering *l)
{
    enum { DESCRIBED = 0x582, PAIR = 5 };
    unsigned bank = bits(l, AT_BANK, 5), size = bits(l, AT_SIZE, 3), base = bits(l, AT_RA, 8);
    int32_t offset = (int16_t)bits(l, AT_OFFSET, 16);
    if (l->row->value == DESCRIBED)
        sass_not_covered(l, "a constant behind a descriptor");
    if (bits(l, 78, 2) || size > PAIR)
        sass_not_covered(l, "this kind of index or size");
    offset = base == RZ ? (uint16_t)offset : offset;
    uint32_t index;
    if (!bank && holds_constant(l, base, &index) && index + (uint32_t)offset < l->b.parameters) {
        offset += (int32_t)index;
        base = RZ;
    }
    bool known =
        base == RZ && !bank &&
        ((uint32_t)offset < l->b.parameters || reference_word(&l->b, (uint32_t)offset) || holds_end(l, offset, size));
    if (known) {
        struct operand low = part_of_word(l, bank, (uint32_t)offset, size == PAIR ? 4 : size);
        if (size == PAIR)
            sass7x_write_64(l, sass7x_pack(l, low, bank_word(&l->b, bank, (uint32_t)offset + 4)));
        else
            move32(&l->b, written(&l->b, bits(l, AT_RD, 8)), low);
        return;
    }
    struct operation u = sass7x_load_or_store(l, bank ? RP_SPACE_CONST : RP_SPACE_PARAM, false);
    u.stype = T_U32;
    u.imm = offset;
    u.a = base == RZ ? OPERAND_NONE : read_register(&l->b, base);
    if (bank == 0)
        u.imm -= l->b.parameters;
    else if (l->b.banks->at[bank] == CUBIN_UNKNOWN)
        sass_damaged(l, "the file does not have this constant bank");
    else
        u.imm += l->b.banks->at[bank];
    sass_move_data(l, &u, bits(l, AT_RD, 8));
}

/* Loads a word of a bank, or a part of one, at a register plus the offset, which no trace records. */
static struct operand silent_word(struct sass_lowering *l, unsigned bank, struct operand base, int32_t offset)
{
    struct operation u = sass7x_load_or_store(l, bank ? RP_SPACE_CONST : RP_SPACE_PARAM, false);
    u.stype = T_U32;
    u.flags = UF_SILENT;
    u.memory.elements = 1;
    u.memory.width = u.memory.width < 4 ? u.memory.width : 4;
    if (bank && l->b.banks->at[bank] == CUBIN_UNKNOWN)
        sass_damaged(l, "the file does not have this constant bank");
    u.imm = offset + (bank ? (int64_t)l->b.banks->at[bank] : -(int64_t)l->b.parameters);
    u.a = base;
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.d;
}

/* c[bank][UR + offset], of up to 64 bits. */
static void lower_uldc_indexed(struct sass_lowering *l)
{
    enum { PAIR = 5 };
    unsigned bank = bits(l, AT_BANK, 5), size = bits(l, AT_SIZE, 3), d = bits(l, AT_RD, 6);
    int32_t offset = (int16_t)bits(l, AT_OFFSET, 16);
    if (size > PAIR)
        sass_not_covered(l, "this size");
    struct operand base = read_uniform(&l->b, bits(l, AT_RA, 6));
    struct operand low = silent_word(l, bank, base, offset), high = low;
    if (size == PAIR)
        high = silent_word(l, bank, base, offset + 4);
    sass7x_broadcast(l, low);
    if (size == PAIR && d != URZ)
        sass7x_broadcast_to(l, d + 1, high);
}

static void lower_uldc(struct sass_lowering *l)
{
    enum { PLAIN = 0xab9, INDEXED = 0xabb, WORD = 4, PAIR = 5 };
    unsigned bank = bits(l, AT_BANK, 5), size = bits(l, AT_SIZE, 3), d = bits(l, AT_RD, 6);
    uint32_t offset = bits(l, AT_OFFSET, 16);
    l->b.uniform = false; /* the active lanes load, and give the value to the warp */
    if (l->row->value == INDEXED) {
        lower_uldc_indexed(l);
        return;
    }
    if (l->row->value != PLAIN || has_uniform_source(l))
        sass_not_covered(l, "this form of address");
    if (size > PAIR)
        sass_not_covered(l, "this size");
    if (size < WORD && !bank && offset >= l->b.parameters) { /* the word need not lie within the parameters */
        sass7x_broadcast(l, silent_word(l, bank, OPERAND_NONE, (int32_t)offset));
        return;
    }
    struct operand low = part_of_word(l, bank, offset, size == PAIR ? WORD : size);
    sass7x_broadcast(l, low);
    if (size != PAIR || d == URZ)
        return;
    sass7x_broadcast_to(l, d + 1, bank_word(&l->b, bank, offset + 4));
}

/* ---- caches, fences, windows ---- */

/* Of operations on caches prefetches alone do something here. */
static void lower_cctl(struct sass_lowering *l)
{
    enum { PREFETCH_L1 = 0, PREFETCH_L2 = 1 };
    unsigned how = bits(l, 87, 4);
    if (how != PREFETCH_L1 && how != PREFETCH_L2) {
        move32(&l->b, written(&l->b, RZ), constant32(&l->b, 0));
        return;
    }
    bool local = (l->row->value & 0xff) == 0x90;
    struct operation u = {.kind = UOP_MEMORY, .type = T_B8, .dtype = T_B16};
    u.memory = (struct rp_memory_operand){
        .space = local ? RP_SPACE_LOCAL : RP_SPACE_GLOBAL, .kind = RP_ACCESS_PREFETCH, .elements = 1, .width = 1};
    sass7x_set_address(l, &u, 0, !local && bit(l, AT_EXTENDED));
    sass_access(l, &u);
}

static void lower_fence(struct sass_lowering *l) { sass_emit(&l->b, (struct operation){.kind = UOP_FENCE}); }

static struct operand number(struct sass_lowering *l, enum lane_type type, uint64_t value)
{
    return type == T_U64 ? constant64(&l->b, value) : constant32(&l->b, (uint32_t)value);
}

/* Whether an address lies in a window; Rd: nobody reads it. */
static void lower_qspc(struct sass_lowering *l)
{
    enum { GLOBAL, LOCAL, SHARED };
    unsigned space = bits(l, 73, 2);
    struct operation at = {0};
    if (bits(l, AT_RD, 8) != RZ)
        sass_not_covered(l, "the register");
    sass7x_set_address(l, &at, 0, bit(l, AT_EXTENDED));
    enum lane_type type = at.stype;
    struct operand v = is_register(at.a) ? at.a : number(l, type, 0);
    if (type == T_U64 && is_register(at.a))
        v = sass7x_generic_address(l, v);
    uint64_t first = space >= SHARED ? SHARED_WINDOW : LOCAL_WINDOW;
    uint64_t bytes = space == SHARED ? CLUSTER_SHARED : SHARED_WINDOW_SIZE;
    if (space == GLOBAL) { /* above the windows, which lie after one another */
        first = SHARED_WINDOW;
        bytes = PARAM_WINDOW + PARAM_WINDOW_SIZE - SHARED_WINDOW;
    }
    v = lane2(&l->b, OP_SUB, type, v, number(l, type, first - (uint64_t)at.imm));
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = (uint8_t)type, .a = v};
    u.compare = space == GLOBAL ? CMP_GE : CMP_LT;
    u.b = number(l, type, bytes);
    u.pd = written_predicate(l, AT_PD);
    sass_emit(&l->b, u);
}

const struct sass_meaning sass7x_memory[] = {{"LDG", lower_ldg},
                                             {"LD", lower_ld},
                                             {"LDS", lower_lds},
                                             {"LDL", lower_ldl},
                                             {"STG", lower_stg},
                                             {"ST", lower_st},
                                             {"STS", lower_sts},
                                             {"STL", lower_stl},
                                             {"LDC", lower_ldc},
                                             {"ULDC", lower_uldc},
                                             {"CCTL", lower_cctl},
                                             {"CCTLL", lower_cctl},
                                             {"CCTLT", sass_lower_nothing},
                                             {"MEMBAR", lower_fence},
                                             {"FENCE", lower_fence},
                                             {"ERRBAR", sass_lower_nothing},
                                             {"CGAERRBAR", sass_lower_nothing},
                                             {"QSPC", lower_qspc},
                                             {NULL, NULL}};
