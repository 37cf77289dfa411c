/* Bulk copies, boxes of tensors, and stores that tell a barrier object, all of sm_90.
 *
 * The uniform datapath makes them once for the warp: the first lane does. A copy is made at once: it may be made at any
 * time until it is waited for. The first operation of a copy records the destination, the second one reads the bytes
 * and stores them, the third one tells the object of the destination how many bytes have arrived. */
#include <string.h>

#include "frontend/isa/sass7x/lower.h"

enum { UNIT = 16, TO_AT = 32, FROM_AT = 24, SIZE_AT = 64 };

static struct operand widened(struct sass_lowering *l, struct operand v)
{
    return sass_value_of(l, (struct operation){.op = OP_CVT, .type = T_U64, .stype = T_U32, .a = v});
}

static struct operand negated(struct sass_lowering *l, struct operand v)
{
    return lane2(&l->b, OP_SUB, T_U64, constant64(&l->b, 0), v);
}

static unsigned number_at(const struct sass_lowering *l, unsigned at) { return bits(l, at, 6); }

/* The offset in the shared window that UR<n> names, in 64 bits. */
static struct operand shared_at(struct sass_lowering *l, unsigned n)
{
    struct operand at = read_uniform(&l->b, n);
    return widened(l, sass7x_shared_offset(l, at));
}

/* The blocks of a multicast, in the upper half of the last operand. */
static struct operand mask_of(struct sass_lowering *l)
{
    struct operand size = read_uniform(&l->b, number_at(l, SIZE_AT));
    return lane2(&l->b, OP_SHR, T_U32, size, constant32(&l->b, 16));
}

static struct operand_list list_of_one(struct sass_lowering *l, struct operand v)
{
    struct operand_list list = {ARENA_ARRAY(l->b.arena, struct operand, 1), 1};
    list.at[0] = v;
    return list;
}

/* One operation of a copy: its memory operand without the address. */
static struct operation side(enum rp_access_kind kind, enum rp_space space)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B8, .dtype = T_B16, .stype = T_U64};
    u.memory = (struct rp_memory_operand){
        .space = (uint8_t)space, .kind = (uint8_t)kind, .elements = 1, .width = UNIT, .value = RP_VALUE_BITS};
    return u;
}

/* Tells the object at offset `at` of so many bytes, in all blocks of the mask, or in one without a mask. */
static void complete(struct sass_lowering *l, struct operand at, struct operand bytes, const struct operand *mask,
                     const struct operand *where)
{
    struct operation u = sass7x_object_access(l, RP_OBJECT_BYTES, RP_ORDER_RELEASE);
    u.a = at;
    u.stype = T_U64;
    u.c = negated(l, bytes);
    if (mask) {
        u.lists[1] = list_of_one(l, *mask);
        u.flags |= UF_MULTICAST;
    }
    l->async = (struct rp_async){RP_ASYNC_BULK, RP_ASYNC_SIGNAL, 0};
    if (where)
        sass_access_where(l, &u, *where);
    else
        sass_access(l, &u);
}

/* ---- bulk copies and reductions ---- */

static enum lane_type reduced_type(struct sass_lowering *l)
{
    static const uint8_t types[] = {T_U32, T_S32, T_U64, T_S64, T_F16, T_F32, T_F32, T_F64, T_BF16};
    unsigned code = bits(l, 81, 4);
    if (code >= sizeof types)
        sass_not_covered(l, "this type");
    return types[code];
}

static void set_reduction(struct sass_lowering *l, struct operation *from)
{
    from->combine = sass_atomics[bits(l, 87, 3)];
    l->b.order |= ORDER_FLOAT_ATOMIC;
}

static void lower_copy(struct sass_lowering *l, bool reduces)
{
    bool to_shared = bit(l, 73), from_shared = bit(l, 74), all = !reduces && bit(l, 75);
    unsigned to_at = number_at(l, TO_AT), from_at = number_at(l, FROM_AT);
    if (!to_shared && !from_shared)
        sass_not_covered(l, "a copy from global to global memory");
    struct operand first = sass7x_first_lane(l), mask = all ? mask_of(l) : OPERAND_NONE;
    struct operation to = side(RP_ACCESS_BULK_STORE, to_shared ? RP_SPACE_SHARED : RP_SPACE_GLOBAL);
    struct operation from = side(RP_ACCESS_BULK_LOAD, from_shared ? RP_SPACE_SHARED : RP_SPACE_GLOBAL);
    struct operand units = read_uniform(&l->b, number_at(l, SIZE_AT));
    units = lane2(&l->b, OP_AND, T_B32, units, constant32(&l->b, 0xffff));
    to.b = from.b = lane2(&l->b, OP_SHL, T_B32, units, constant32(&l->b, 4));
    to.a = to_shared ? shared_at(l, to_at) : read_uniform_pair(&l->b, to_at);
    from.a = from_shared ? shared_at(l, from_at) : read_uniform_pair(&l->b, from_at);
    from.op = to_shared ? OP_COPY_TO_SHARED : OP_COPY_TO_GLOBAL;
    from.c = to.a;
    if (all) {
        to.lists[1] = list_of_one(l, mask);
        from.lists[1] = list_of_one(l, mask);
        to.flags = from.flags = UF_MULTICAST;
    }
    if (reduces) {
        from.type = (uint8_t)reduced_type(l);
        set_reduction(l, &from);
    }
    struct operand object = to_shared ? shared_at(l, to_at + 1) : OPERAND_NONE;
    sass_access_where(l, &to, first);
    sass_access_where(l, &from, first);
    l->async = (struct rp_async){RP_ASYNC_BULK, RP_ASYNC_START, 0};
    if (to_shared)
        complete(l, object, widened(l, from.b), all ? &mask : NULL, &first);
}
static void lower_ublkcp(struct sass_lowering *l) { lower_copy(l, false); }
static void lower_ublkred(struct sass_lowering *l) { lower_copy(l, true); }

/* ---- boxes of tensors ---- */

/* Each side has all operands (frontend/core/tensor.c), and its own list, which operands are placed in. */
static struct operation box_side(struct sass_lowering *l, enum rp_access_kind kind, enum rp_space space,
                                 const struct operation *box)
{
    struct operation u = side(kind, space);
    u.op = box->op;
    u.imm = box->imm;
    u.flags = box->flags;
    u.b = box->b;
    u.c = box->c;
    u.a = space == RP_SPACE_GLOBAL ? box->c : box->b;
    u.lists[1] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, 8), box->lists[1].count};
    memcpy(u.lists[1].at, box->lists[1].at, box->lists[1].count * sizeof *u.lists[1].at);
    return u;
}

/* The group of uniform registers has the shared address, for loads the object's, and the coordinates. */
static void lower_box(struct sass_lowering *l, bool loads, bool reduces)
{
    unsigned rank = bits(l, 79, 3) + 1, group = number_at(l, TO_AT);
    bool all = loads && bit(l, 75);
    if (bit(l, 82) || rank > 5)
        sass_not_covered(l, "im2col");
    struct operand first = sass7x_first_lane(l), mask = all ? mask_of(l) : OPERAND_NONE;
    struct operation box = {.imm = rank, .op = loads ? OP_TENSOR_TO_SHARED : OP_TENSOR_TO_GLOBAL};
    struct operand coordinates[8];
    box.b = shared_at(l, group++);
    box.c = sass7x_generic_address(l, read_uniform_pair(&l->b, number_at(l, FROM_AT)));
    struct operand object = loads ? shared_at(l, group++) : OPERAND_NONE;
    for (unsigned i = 0; i < rank; i++)
        coordinates[i] = read_uniform(&l->b, group + i);
    coordinates[rank] = mask;
    box.lists[1] = (struct operand_list){coordinates, rank + all};
    box.flags = all ? UF_MULTICAST : 0;
    struct operation to = box_side(l, RP_ACCESS_BULK_STORE, loads ? RP_SPACE_SHARED : RP_SPACE_GLOBAL, &box);
    struct operation from = box_side(l, RP_ACCESS_BULK_LOAD, loads ? RP_SPACE_GLOBAL : RP_SPACE_SHARED, &box);
    if (reduces)
        set_reduction(l, &from);
    from.d = sass_temporary(&l->b);
    sass_access_where(l, &to, first);
    sass_access_where(l, &from, first);
    l->async = (struct rp_async){RP_ASYNC_BULK, RP_ASYNC_START, 0};
    if (loads)
        complete(l, object, from.d, all ? &mask : NULL, &first);
}
static void lower_utmaldg(struct sass_lowering *l) { lower_box(l, true, false); }
static void lower_utmastg(struct sass_lowering *l) { lower_box(l, false, false); }
static void lower_utmaredg(struct sass_lowering *l) { lower_box(l, false, true); }

/* Prefetches of bulk copies, and the cache of tensor maps. */

/* ---- stores and reductions of lanes that tell an object ---- */

/* Of a pair of registers the first has the address, the second the object's. */
static void set_address(struct sass_lowering *l, struct operation *u)
{
    struct operand at = read_register(&l->b, bits(l, AT_RA, 8));
    if (bits(l, 64, 6) != URZ)
        at = lane2(&l->b, OP_ADD, T_U32, at, read_uniform(&l->b, bits(l, 64, 6)));
    u->a = sass7x_shared_offset(l, at);
    u->stype = T_U32;
    u->imm = sass_sign_extend(bits(l, 40, 24), 24);
}

static void tell(struct sass_lowering *l, uint32_t bytes)
{
    struct operand at = read_register(&l->b, bits(l, AT_RA, 8) + 1);
    complete(l, widened(l, sass7x_shared_offset(l, at)), constant64(&l->b, bytes), NULL, NULL);
}

static void refuse_single(struct sass_lowering *l, unsigned at)
{
    if (!bit(l, at) || bits(l, AT_RA, 8) == RZ)
        sass_not_covered(l, "an address without an object");
}

static void lower_stas(struct sass_lowering *l)
{
    static const uint8_t sizes[8] = {0, 0, 0, 0, 1, 2, 4, 0};
    unsigned words = sizes[bits(l, 73, 3)], n = bits(l, AT_RB, 8);
    refuse_single(l, 90);
    if (!words)
        sass_not_covered(l, "this size");
    struct operation u = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32};
    u.memory = (struct rp_memory_operand){
        .space = RP_SPACE_SHARED_CLUSTER, .kind = RP_ACCESS_STORE, .elements = (uint8_t)words, .width = 4 * words};
    set_address(l, &u);
    if (words > 1)
        u.lists[0] = (struct operand_list){register_list_at(&l->b, n, words, false), words};
    else
        u.d = read_register(&l->b, n);
    sass_access(l, &u);
    tell(l, u.memory.width);
}

static void lower_redas(struct sass_lowering *l)
{
    static const uint8_t types[8] = {T_U32, T_S32, T_U64, T_NONE, T_NONE, T_NONE, T_NONE, T_NONE};
    unsigned op = bits(l, 87, 4), type = types[bits(l, 73, 3)];
    refuse_single(l, 72);
    if (type == T_NONE || op >= SASS_ATOMICS)
        sass_not_covered(l, "this type or operation");
    struct operation u = sass_atomic(l, RP_SPACE_SHARED_CLUSTER, sass_atomics[op], type);
    u.memory.kind = RP_ACCESS_REDUCTION;
    u.memory.scope = RP_SCOPE_CLUSTER;
    u.b = sass_atomic_value(l, &u, bits(l, AT_RB, 8));
    set_address(l, &u);
    sass_access(l, &u);
    tell(l, u.memory.width);
}

const struct sass_meaning sass7x_bulk[] = {{"UBLKCP", lower_ublkcp},
                                           {"UBLKRED", lower_ublkred},
                                           {"UBLKPF", sass_lower_nothing},
                                           {"UTMALDG", lower_utmaldg},
                                           {"UTMASTG", lower_utmastg},
                                           {"UTMAREDG", lower_utmaredg},
                                           {"UTMAPF", sass_lower_nothing},
                                           {"UTMACCTL", sass_lower_nothing},
                                           {"STAS", lower_stas},
                                           {"REDAS", lower_redas},
                                           {NULL, NULL}};
