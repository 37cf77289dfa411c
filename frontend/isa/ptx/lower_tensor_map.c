/* tensormap.replace and tensormap.cp_fenceproxy (PTX ISA, "Data Movement and Conversion Instructions:
 * tensormap.replace" and "Parallel Synchronization and Communication Instructions: tensormap.cp_fenceproxy"). The first
 * stores to one field of a tensor map, whose layout is in frontend/operation/tensor_map.h; the second copies a whole
 * map. */
#include <stddef.h>

#include "frontend/isa/ptx/lower.h"
#include "frontend/operation/tensor_map.h"

enum { MAP_BYTES = sizeof(struct tensor_map) };

static const struct map_field {
    uint16_t at;
    uint8_t type;  /* enum ptx_type of the field in memory */
    uint8_t count; /* values of `ord` */
} fields[] = {
    [MAP_ADDRESS] = {offsetof(struct tensor_map, address), PT_U64, 1},
    [MAP_RANK] = {offsetof(struct tensor_map, kind), PT_U32, 1},
    [MAP_BOX] = {offsetof(struct tensor_map, box_last), PT_U8, TENSOR_RANKS},
    [MAP_SIZE] = {offsetof(struct tensor_map, last), PT_U32, TENSOR_RANKS},
    [MAP_STRIDE] = {offsetof(struct tensor_map, stride), PT_U64, TENSOR_RANKS - 1},
    [MAP_STEP] = {offsetof(struct tensor_map, step_less), PT_U8, TENSOR_RANKS},
    [MAP_ELEMENT] = {offsetof(struct tensor_map, element), PT_U8, 1},
    [MAP_INTERLEAVE] = {offsetof(struct tensor_map, interleave), PT_U8, 1},
    [MAP_SWIZZLE] = {offsetof(struct tensor_map, swizzle), PT_U8, 1},
    [MAP_FILL] = {offsetof(struct tensor_map, fill), PT_U8, 1},
};

/* PTX ISA, tensormap.replace, table of values of .field3. Their order differs from the driver's. */
static const uint8_t elements[] = {TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
                                   TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
                                   TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};

/* A value that the instruction gives by name. */
static struct operand named_value(struct lowering *l, enum map_field_name name, const struct ptx_operand *o)
{
    uint64_t value = (uint64_t)o->value;
    if (name == MAP_ELEMENT && value >= sizeof elements)
        not_covered(l, o->at, "this type of elements of a tensor");
    if (name == MAP_INTERLEAVE && value)
        not_covered(l, o->at, "an interleaved tensor");
    if (name == MAP_SWIZZLE && value > TENSOR_SWIZZLE_128)
        not_covered(l, o->at, "this swizzle of a tensor");
    if (name == MAP_FILL && value > TENSOR_FILL_NAN)
        ptx_error(l->src, o->at, "a fill mode is 0 or 1");
    return constant(l, name == MAP_ELEMENT ? elements[value] : value, 4);
}

/* A register's value as the map stores it: sizes are stored minus one. */
static struct operand kept_value(struct lowering *l, enum map_field_name name, const struct ptx_operand *o)
{
    if (name == MAP_ADDRESS || name == MAP_STRIDE)
        return source(l, o, PT_U64);
    struct operand value = source(l, o, PT_U32);
    if (name == MAP_RANK) {
        value = lane_result(l, OP_AND, PT_B32, value, constant(l, 7, 4));
        return lane_result(l, OP_OR, PT_B32, value, constant(l, TENSOR_MAP_MAGIC, 4));
    }
    value = lane_result(l, OP_SUB, PT_U32, value, constant(l, 1, 4));
    return name == MAP_STEP ? lane_result(l, OP_AND, PT_B32, value, constant(l, 7, 4)) : value;
}

void lower_map_field(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *value = &in->operands[in->operand_count - 1];
    enum map_field_name name = (enum map_field_name)mods_value(&in->mods, G_MAP_FIELD, 0);
    const struct map_field *f = &fields[name];
    enum ptx_type type = (enum ptx_type)f->type;
    uint64_t ordinal = in->operand_count == 3 ? (uint64_t)in->operands[1].value : 0;
    if (ordinal >= f->count)
        ptx_error(l->src, in->operands[1].at, "a tensor map has %u of these, numbered from 0", f->count);
    struct operation u = {.kind = UOP_MEMORY, .type = ptx_types[type].lane};
    u.memory = memory_operand(in, RP_ACCESS_STORE, type, 1);
    set_address(l, &u, &in->operands[0]);
    u.imm += (int64_t)(f->at + ordinal * u.memory.width);
    u.dtype = register_form(type, type == PT_U64 ? 8 : 4);
    u.d = name >= MAP_ELEMENT ? named_value(l, name, value) : kept_value(l, name, value);
    finish_access(l, &u);
}

/* One side of the copy: a word of 32 bits for each lane of the warp. */
static struct operation word_of_map(struct lowering *l, uint8_t kind, uint8_t space, const struct ptx_operand *map,
                                    struct operand offset)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32};
    u.memory = memory_operand(l->in, kind, PT_B32, 1);
    u.memory.space = space;
    set_address(l, &u, map);
    u.a = lane_result(l, OP_ADD, PT_U64, whole_address(l, &u), offset);
    u.stype = T_U64;
    u.imm = 0;
    return u;
}

void lower_map_copy(struct lowering *l)
{
    const struct ptx_operand *o = l->in->operands;
    if (o[2].value != MAP_BYTES)
        ptx_error(l->src, o[2].at, "a tensor map has %d bytes", MAP_BYTES);
    struct operand lane = temporary(l, PT_U32), offset = temporary(l, PT_U64);
    emit(l, (struct operation){.kind = UOP_LANE, .op = OP_SPECIAL, .type = T_U32, .d = lane, .imm = SR_LANEID});
    lane = lane_result(l, OP_MUL, PT_U32, lane, constant(l, 4, 4));
    emit_resize(l, offset, PT_U64, lane, PT_U32);
    struct operation load = word_of_map(l, RP_ACCESS_LOAD, RP_SPACE_SHARED, &o[1], offset);
    struct operation store = word_of_map(l, RP_ACCESS_STORE, RP_SPACE_GLOBAL, &o[0], offset);
    load.memory.order = RP_ORDER_WEAK;
    load.memory.scope = RP_SCOPE_NONE;
    load.d = store.d = temporary(l, PT_B32);
    store.access = 1;
    finish_access(l, &load);
    finish_access(l, &store);
}
