/* Loads, stores, atomics, prefetches, fences. */
#include "frontend/isa/sass5x/lower.h"

static int64_t sign_extended(uint64_t v, unsigned width) { return (int64_t)(v << (64 - width)) >> (64 - width); }

/* Sets the address of a memory operation: a register or pair plus an offset. Without a register the offset is
 * unsigned. */
static void set_address(struct sass_lowering *l, struct operation *u, unsigned at, unsigned width, unsigned unit,
                        bool wide)
{
    unsigned base = bits(l, 8, 8);
    uint64_t offset = sass_field(l->word, (struct sass_bits){(uint8_t)at, (uint8_t)width});
    u->stype = wide ? T_U64 : T_U32;
    if (base == RZ) {
        u->imm = (int64_t)(offset << unit);
        return;
    }
    u->imm = sign_extended(offset, width) * (1 << unit);
    u->a = wide ? read_pair(&l->b, base) : read_register(&l->b, base);
}

/* Sizes in their encoding: U8 S8 U16 S16 32 64 128, and of loads from global and generic memory U.128, which asks for
 * the same bytes. */
void sass_set_size(struct sass_lowering *l, struct operation *u, unsigned size)
{
    static const uint8_t types[7] = {T_U8, T_S8, T_U16, T_S16, T_B32, T_B32, T_B32};
    static const uint8_t forms[7] = {T_U32, T_S32, T_U32, T_S32, T_B32, T_B32, T_B32};
    static const uint8_t widths[7] = {1, 1, 2, 2, 4, 8, 16};
    if (size > 6)
        sass_not_covered(l, "this size");
    u->type = types[size];
    u->dtype = forms[size];
    u->memory.width = widths[size];
    u->memory.elements = widths[size] > 4 ? widths[size] / 4 : 1;
}

static struct operation load_or_store(struct sass_lowering *l, enum rp_space space, bool store, unsigned size)
{
    struct operation u = {.kind = UOP_MEMORY};
    u.memory.space = (uint8_t)space;
    u.memory.kind = store ? RP_ACCESS_STORE : RP_ACCESS_LOAD;
    sass_set_size(l, &u, size);
    return u;
}

static unsigned load_size(const struct sass_lowering *l, unsigned at)
{
    enum { SIZE_128 = 6, SIZE_U_128 = 7 };
    return bits(l, at, 3) == SIZE_U_128 ? SIZE_128 : bits(l, at, 3);
}

void sass_set_load_cache(struct sass_lowering *l, struct operation *u, unsigned at)
{
    static const uint8_t ops[4] = {RP_CACHE_DEFAULT, RP_CACHE_CG, RP_CACHE_NC, RP_CACHE_CV};
    u->memory.cache_op = ops[bits(l, at, 2)];
    if (u->memory.cache_op == RP_CACHE_CV)
        u->memory.order = RP_ORDER_VOLATILE;
}
void sass_set_store_cache(struct sass_lowering *l, struct operation *u, unsigned at)
{
    static const uint8_t ops[4] = {RP_CACHE_DEFAULT, RP_CACHE_CG, RP_CACHE_CS, RP_CACHE_WT};
    u->memory.cache_op = ops[bits(l, at, 2)];
}

static void lower_ldg(struct sass_lowering *l)
{
    if (l->row->value != 0xeed0)
        sass_not_covered(l, "the predicate");
    struct operation u = load_or_store(l, RP_SPACE_GLOBAL, false, load_size(l, 48));
    sass_set_load_cache(l, &u, 46);
    set_address(l, &u, 20, 24, 0, bit(l, 45));
    sass_move_data(l, &u, bits(l, 0, 8));
}
static void lower_stg(struct sass_lowering *l)
{
    struct operation u = load_or_store(l, RP_SPACE_GLOBAL, true, bits(l, 48, 3));
    sass_set_store_cache(l, &u, 46);
    set_address(l, &u, 20, 24, 0, bit(l, 45));
    sass_move_data(l, &u, bits(l, 0, 8));
}
/* A generic access reads a predicate. LEA has set it: it says whether the address lies in a window. The address itself
 * says the same, so the access does not use the predicate's value; it only lists it as a source. */
enum { WINDOW_PREDICATE = 58 };

static void lower_ld(struct sass_lowering *l)
{
    struct operation u = load_or_store(l, RP_SPACE_GENERIC, false, load_size(l, 53));
    sass_set_load_cache(l, &u, 56);
    set_address(l, &u, 20, 32, 0, bit(l, 52));
    read_predicate(l, WINDOW_PREDICATE);
    sass_move_data(l, &u, bits(l, 0, 8));
}
static void lower_st(struct sass_lowering *l)
{
    struct operation u = load_or_store(l, RP_SPACE_GENERIC, true, bits(l, 53, 3));
    sass_set_store_cache(l, &u, 56);
    set_address(l, &u, 20, 32, 0, bit(l, 52));
    read_predicate(l, WINDOW_PREDICATE);
    sass_move_data(l, &u, bits(l, 0, 8));
}
static void narrow(struct sass_lowering *l, enum rp_space space, bool store)
{
    struct operation u = load_or_store(l, space, store, bits(l, 48, 3));
    set_address(l, &u, 20, 24, 0, false);
    sass_move_data(l, &u, bits(l, 0, 8));
}
static void lower_lds(struct sass_lowering *l) { narrow(l, RP_SPACE_SHARED, false); }
static void lower_sts(struct sass_lowering *l) { narrow(l, RP_SPACE_SHARED, true); }
static void lower_ldl(struct sass_lowering *l) { narrow(l, RP_SPACE_LOCAL, false); }
static void lower_stl(struct sass_lowering *l) { narrow(l, RP_SPACE_LOCAL, true); }

/* Loads part of a launch word, which is a value here and no memory: ptxas reads ntid as LDC.U16. False: it is no such
 * word. */
static bool load_launch_part(struct sass_lowering *l)
{
    static const struct {
        uint8_t type, bits;
    } sizes[] = {{T_U32, 8}, {T_S32, 8}, {T_U32, 16}, {T_S32, 16}, {T_U32, 32}};
    unsigned size = bits(l, 48, 3), offset = bits(l, 20, 16);
    if (bits(l, 8, 8) != RZ || bits(l, 36, 5) || offset >= l->b.parameters || size >= 5)
        return false;
    struct operation u = {.kind = UOP_LANE, .op = OP_BFE, .type = sizes[size].type};
    u.a = sass5x_launch_word(&l->b, offset & ~3u);
    u.b = constant32(&l->b, offset % 4 * 8);
    u.c = constant32(&l->b, sizes[size].bits);
    u.d = written(&l->b, bits(l, 0, 8));
    sass_emit(&l->b, u);
    return true;
}

static void lower_ldc(struct sass_lowering *l)
{
    unsigned bank = bits(l, 36, 5);
    if (bits(l, 44, 2))
        sass_not_covered(l, "this kind of index");
    if (load_launch_part(l))
        return;
    struct operation u = load_or_store(l, bank ? RP_SPACE_CONST : RP_SPACE_PARAM, false, bits(l, 48, 3));
    set_address(l, &u, 20, 16, 0, false);
    if (bank == 0)
        u.imm -= l->b.parameters;
    else if (l->b.banks->at[bank] == CUBIN_UNKNOWN)
        sass_damaged(l, "the file does not have this constant bank");
    else
        u.imm += l->b.banks->at[bank];
    if (!is_register(u.a) && u.imm < 0)
        sass_not_covered(l, "this word of constant bank 0");
    sass_move_data(l, &u, bits(l, 0, 8));
}

/* ---- atomics ---- */

static enum lane_type atomic_type(struct sass_lowering *l, unsigned code)
{
    static const uint8_t types[8] = {T_U32, T_S32, T_U64, T_F32, T_F16X2, T_S64, T_F64, T_NONE};
    const bool half_flushes = !(l->arch & SASS_FROM_60); /* F16x2.FTZ, which no compiler writes; U128 on sm_50 */
    if (types[code] == T_NONE || (types[code] == T_F16X2 && half_flushes))
        sass_not_covered(l, "this type");
    return types[code];
}

static void lower_atom(struct sass_lowering *l)
{
    unsigned op = bits(l, 52, 4);
    if (l->row->value != 0xed00 || op > 8)
        sass_not_covered(l, "this form");
    struct operation u = sass_atomic(l, RP_SPACE_GENERIC, sass_atomics[op], atomic_type(l, bits(l, 49, 3)));
    u.b = sass_atomic_value(l, &u, bits(l, 20, 8));
    set_address(l, &u, 28, 20, 0, bit(l, 48));
    sass_return_old(l, &u, bits(l, 0, 8));
}
/* Sets the compared and the new value by `choice`. 0: Rb, and the register or pair after it. 1: Rb and RZ. 2: RZ and
 * Rb. 3: RZ and RZ. */
static void compare_and_swap(struct sass_lowering *l, struct operation *u, unsigned choice)
{
    unsigned n = bits(l, 20, 8), step = u->memory.width / 4;
    if (n == RZ && choice == 0)
        sass_not_covered(l, "this choice of registers");
    u->b = sass_atomic_value(l, u, choice < 2 ? n : RZ);
    u->c = sass_atomic_value(l, u, choice == 0 ? n + step : choice == 2 ? n : RZ);
}
static void lower_atom_cas(struct sass_lowering *l)
{
    if (l->row->value != 0xeef0)
        sass_not_covered(l, "this form");
    struct operation u = sass_atomic(l, RP_SPACE_GENERIC, RP_ATOMIC_CAS, bit(l, 49) ? T_B64 : T_B32);
    compare_and_swap(l, &u, bits(l, 50, 2));
    set_address(l, &u, 28, 20, 0, bit(l, 48));
    sass_return_old(l, &u, bits(l, 0, 8));
}
static void lower_atoms(struct sass_lowering *l)
{
    static const uint8_t types[4] = {T_U32, T_S32, T_U64, T_S64};
    unsigned op = bits(l, 52, 4);
    if (op > 8)
        sass_not_covered(l, "this form");
    struct operation u = sass_atomic(l, RP_SPACE_SHARED, sass_atomics[op], types[bits(l, 28, 2)]);
    u.b = sass_atomic_value(l, &u, bits(l, 20, 8));
    set_address(l, &u, 30, 22, 2, false);
    sass_return_old(l, &u, bits(l, 0, 8));
}
static void lower_atoms_cas(struct sass_lowering *l)
{
    enum { CAST, CAST_SPIN, CAS };
    const unsigned variant = bits(l, 53, 2);
    if (variant > CAS)
        sass_not_covered(l, "this form");
    struct operation u = sass_atomic(l, RP_SPACE_SHARED, RP_ATOMIC_CAS, bit(l, 52) ? T_B64 : T_B32);
    compare_and_swap(l, &u, bits(l, 28, 2));
    set_address(l, &u, 30, 22, 2, false);
    if (variant == CAS)
        sass_return_old(l, &u, bits(l, 0, 8));
    else
        sass_return_success(l, &u, bits(l, 0, 8));
}
static void lower_red(struct sass_lowering *l)
{
    struct operation u = sass_atomic(l, RP_SPACE_GENERIC, sass_atomics[bits(l, 23, 3)], atomic_type(l, bits(l, 20, 3)));
    u.memory.kind = RP_ACCESS_REDUCTION;
    u.b = sass_atomic_value(l, &u, bits(l, 0, 8));
    set_address(l, &u, 28, 20, 0, bit(l, 48));
    sass_access(l, &u);
}

/* ---- caches and fences ---- */

static void lower_cctl(struct sass_lowering *l)
{
    unsigned op = bits(l, 0, 4);
    if (op == 0 || op > 3) /* invalidation and write-back, which have no effect because no cache holds data here */
        sass_not_covered(l, "this operation on a cache");
    bool local = l->row->value == 0xef80;
    struct operation u = {.kind = UOP_MEMORY, .type = T_B8, .dtype = T_B16};
    u.memory = (struct rp_memory_operand){
        .space = local ? RP_SPACE_LOCAL : RP_SPACE_GLOBAL, .kind = RP_ACCESS_PREFETCH, .elements = 1, .width = 1};
    set_address(l, &u, 22, local ? 22 : 30, 2, !local && bit(l, 52));
    sass_access(l, &u);
}

static void lower_membar(struct sass_lowering *l) { sass_emit(&l->b, (struct operation){.kind = UOP_FENCE}); }

const struct sass_meaning sass_memory[] = {{"LDG", lower_ldg},       {"STG", lower_stg},
                                           {"LD", lower_ld},         {"ST", lower_st},
                                           {"LDS", lower_lds},       {"STS", lower_sts},
                                           {"LDL", lower_ldl},       {"STL", lower_stl},
                                           {"LDC", lower_ldc},       {"ATOM", lower_atom},
                                           {"RED", lower_red},       {"ATOM.CAS", lower_atom_cas},
                                           {"ATOMS", lower_atoms},   {"ATOMS.CAS", lower_atoms_cas},
                                           {"CCTL", lower_cctl},     {"CCTLL", lower_cctl},
                                           {"MEMBAR", lower_membar}, {NULL, NULL}};
