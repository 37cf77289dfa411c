/* ld, st, atom, red, prefetch. */
#include "frontend/isa/ptx/layout.h"
#include "frontend/isa/ptx/lower.h"
#include "tracefmt/plural.h"

static uint8_t value_kind(enum ptx_type type)
{
    switch (ptx_types[type].kind) {
    case 'F': return RP_VALUE_FLOAT;
    case 'S': return RP_VALUE_SIGNED;
    case 'U': return RP_VALUE_UNSIGNED;
    default: return RP_VALUE_BITS;
    }
}

struct rp_memory_operand memory_operand(const struct ptx_instruction *in, uint8_t kind, enum ptx_type type,
                                        uint32_t elements)
{
    const struct ptx_modifiers *mods = &in->mods;
    bool atomic = kind == RP_ACCESS_ATOMIC || kind == RP_ACCESS_REDUCTION;
    struct rp_memory_operand m = {.kind = kind, .elements = (uint8_t)elements, .value = value_kind(type)};
    m.space = (uint8_t)mods_value(mods, G_SPACE, RP_SPACE_GENERIC);
    m.scope = (uint8_t)mods_value(mods, G_SCOPE, atomic ? RP_SCOPE_GPU : RP_SCOPE_NONE);
    m.order = (uint8_t)mods_value(mods, G_ORDER, atomic ? RP_ORDER_RELAXED : RP_ORDER_WEAK);
    m.order = mods_have(mods, M_MMIO) ? RP_ORDER_MMIO : m.order;
    m.cache_op = (uint8_t)mods_value(mods, G_CACHE, mods_have(mods, M_NC) ? RP_CACHE_NC : RP_CACHE_DEFAULT);
    m.evict_l1 = (uint8_t)mods_value(mods, G_EVICT1, RP_EVICT_NORMAL);
    m.evict_l2 = (uint8_t)mods_value(mods, G_EVICT2, RP_EVICT_NORMAL);
    m.atomic = (uint8_t)(atomic ? mods_value(mods, G_OPERATION, RP_ATOMIC_NONE) : RP_ATOMIC_NONE);
    m.width = elements * ptx_types[type].bits / 8;
    return m;
}

static void variable_base(struct lowering *l, struct operation *u, const struct ptx_operand *base)
{
    uint8_t space;
    bool in_frame;
    uint64_t at = variable_address(l, base->variable, base->at, &space, &in_frame);
    uint8_t said = u->memory.space, own = base->variable->space;
    bool misses = said == RP_SPACE_GENERIC ? own == RP_SPACE_CONST || own == RP_SPACE_PARAM
                                           : said == RP_SPACE_LOCAL && own == RP_SPACE_PARAM;
    if (misses)
        ptx_error(l->src, base->at, "'%s' is in .%s memory: the instruction needs .%s", base->variable->name,
                  rp_space_name(own), rp_space_name(own));
    if (said == RP_SPACE_PARAM && in_frame && base->variable->space == RP_SPACE_PARAM)
        said = space;
    if (said == RP_SPACE_SHARED_CLUSTER && space == RP_SPACE_SHARED)
        space = said; /* the window of the cluster contains the block's own memory */
    if (said != RP_SPACE_GENERIC && said != space)
        ptx_error(l->src, base->at, "'%s' is in .%s memory, not in .%s", base->variable->name, rp_space_name(space),
                  rp_space_name(u->memory.space));
    u->memory.space = space;
    u->imm = (int64_t)((uint64_t)u->imm + at);
    u->frame_relative = in_frame;
}

void set_address(struct lowering *l, struct operation *u, const struct ptx_operand *address)
{
    u->imm = address->value;
    u->stype = T_U64;
    bool in_function = !l->function->is_entry;
    if (address->count && address->elements[0].kind == PO_VARIABLE) {
        variable_base(l, u, &address->elements[0]);
        return;
    }
    if (u->memory.space == RP_SPACE_PARAM && in_function)
        u->memory.space = RP_SPACE_LOCAL; /* a function's parameters are in local memory */
    if (!address->count)
        return;
    const struct ptx_operand *base = &address->elements[0];
    u->a = register_operand(base->reg);
    u->stype = ptx_types[register_type(l, base)].bits == 32 ? T_U32 : T_U64;
}

struct operand whole_address(struct lowering *l, const struct operation *u)
{
    struct operand base = constant(l, 0, 8);
    if (is_register(u->a) && u->stype == T_U32) {
        base = temporary(l, PT_U64);
        emit_resize(l, base, PT_U64, u->a, PT_U32);
    } else if (is_register(u->a)) {
        base = u->a;
    }
    return lane_result(l, OP_ADD, PT_U64, base, constant(l, (uint64_t)u->imm, 8));
}

struct operation *finish_access(struct lowering *l, struct operation *u)
{
    l->order |= order_of_access(&u->memory, false);
    u->access = (uint8_t)l->memory.count;
    VECTOR_PUSH(l->arena, &l->memory, u->memory);
    return emit(l, *u);
}

/* Itself, or extended. */
uint8_t register_form(enum ptx_type type, unsigned bytes)
{
    bool same = ptx_types[type].bits == bytes * 8, is_signed = ptx_types[type].kind == 'S';
    if (same)
        return ptx_types[type].lane;
    switch (bytes) {
    case 2: return is_signed ? T_S16 : T_U16;
    case 4: return is_signed ? T_S32 : T_U32;
    default: return is_signed ? T_S64 : T_U64;
    }
}

unsigned common_width(const struct lowering *l, const struct ptx_operand *values, uint32_t count)
{
    unsigned bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i].kind == PO_SINK)
            continue;
        unsigned own = values[i].kind == PO_REGISTER ? element_bytes(register_type(l, &values[i])) : 0;
        if (own == 0 || (bytes && bytes != own))
            return 0;
        bytes = own;
    }
    return bytes;
}

/* PTX ISA, ld and st, .vec: at most 128 bits in all. From sm_100 on global memory allows 256 bits of elements of 32 or
 * 64 bits. */
static void check_vector_width(const struct lowering *l, const struct rp_memory_operand *m, const struct ptx_operand *v)
{
    const struct target *target = l->module->target;
    bool global = m->space == RP_SPACE_GLOBAL || m->space == RP_SPACE_GENERIC;
    unsigned bits = m->width * 8, element = bits / m->elements;
    if (m->elements == 1 || bits <= 128)
        return;
    if (bits > 256 || element > 64)
        ptx_error(l->src, v->at, "%u x %u bits are too wide: a vector has 128 bits, from sm_100 on 256", m->elements,
                  element);
    if (!global || !target || target->sm < 100)
        ptx_error(l->src, v->at, "a vector of %u bits needs .target sm_100 or higher, and .global memory", bits);
}

void lower_load(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *d = &in->operands[0];
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    const struct ptx_operand *values = d->kind == PO_VECTOR ? d->elements : d;
    uint32_t count = d->kind == PO_VECTOR ? d->count : 1;
    struct operation u = {.kind = UOP_MEMORY, .type = ptx_types[type].lane};
    u.memory = memory_operand(in, RP_ACCESS_LOAD, type, (uint32_t)mods_value(&in->mods, G_VECTOR, 1));
    if (u.memory.elements != count)
        ptx_error(l->src, d->at, "%u value%s loaded, not %u", u.memory.elements,
                  u.memory.elements == 1 ? " is" : "s are", count);
    check_vector_width(l, &u.memory, d);
    set_address(l, &u, &in->operands[1]);
    unsigned bytes = common_width(l, values, count);
    if (!bytes) {
        for (uint32_t i = 0; i < count; i++)
            if (values[i].kind == PO_REGISTER)
                not_covered(l, d->at, "a vector of registers of different widths");
        bytes = element_bytes(type);
    }
    u.dtype = register_form(type, bytes);
    if (count == 1) {
        u.d = values->kind == PO_REGISTER ? register_operand(values->reg) : temporary(l, type);
    } else {
        u.lists[0].at = ARENA_ARRAY(l->arena, struct operand, count);
        u.lists[0].count = count;
        for (uint32_t i = 0; i < count; i++)
            u.lists[0].at[i] = values[i].kind == PO_REGISTER ? register_operand(values[i].reg) : OPERAND_NONE;
    }
    finish_access(l, &u);
}

void lower_store(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *a = &in->operands[1];
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    const struct ptx_operand *values = a->kind == PO_VECTOR ? a->elements : a;
    uint32_t count = a->kind == PO_VECTOR ? a->count : 1;
    struct operation u = {.kind = UOP_MEMORY, .type = ptx_types[type].lane};
    u.memory = memory_operand(in, RP_ACCESS_STORE, type, (uint32_t)mods_value(&in->mods, G_VECTOR, 1));
    if (u.memory.elements != count)
        ptx_error(l->src, a->at, "%u value%s stored, not %u", u.memory.elements,
                  u.memory.elements == 1 ? " is" : "s are", count);
    check_vector_width(l, &u.memory, a);
    set_address(l, &u, &in->operands[0]);
    unsigned bytes = common_width(l, values, count);
    struct operand *list = ARENA_ARRAY(l->arena, struct operand, count);
    for (uint32_t i = 0; i < count; i++)
        list[i] = bytes ? register_operand(values[i].reg) : source(l, &values[i], type);
    u.dtype = register_form(type, bytes ? bytes : element_bytes(type));
    if (count == 1)
        u.d = list[0];
    else {
        u.lists[0].at = list;
        u.lists[0].count = count;
    }
    finish_access(l, &u);
}

static bool is_read(const struct lowering *l, const struct ptx_operand *o)
{
    return o->kind == PO_REGISTER && l->use_count[o->reg] > 0;
}

static bool vector_is_read(const struct lowering *l, const struct ptx_operand *o)
{
    bool read = false;
    for (uint32_t i = 0; o->kind == PO_VECTOR && i < o->count; i++)
        read |= is_read(l, &o->elements[i]);
    return read || is_read(l, o);
}

static struct operand copy(struct lowering *l, struct operand from, enum ptx_type type)
{
    struct operand to = temporary(l, type);
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_MOV,
                               .type = ptx_types[type].lane,
                               .stype = ptx_types[type].lane,
                               .d = to,
                               .a = from});
    return to;
}

/* Sets the operands of an access to several elements: old values go to the first list; the second holds the values to
 * combine with. */
static void vector_operands(struct lowering *l, struct operation *u, enum ptx_type type, const struct ptx_operand *d,
                            const struct ptx_operand *b, uint32_t count)
{
    if (b->kind != PO_VECTOR || b->count != count)
        ptx_error(l->src, b->at, "%u elements belong here", count);
    for (int n = 0; n < 2; n++) {
        u->lists[n].at = ARENA_ARRAY(l->arena, struct operand, count);
        u->lists[n].count = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool to_register = d && d->kind == PO_VECTOR && d->elements[i].kind == PO_REGISTER;
        u->lists[0].at[i] = to_register ? register_operand(d->elements[i].reg) : OPERAND_NONE;
        u->lists[1].at[i] = source(l, &b->elements[i], type);
        if (d) /* the register for an element's old value may be a later element's operand */
            u->lists[1].at[i] = copy(l, u->lists[1].at[i], type);
    }
}

/* atom d, [a], b{, c} and red [a], b */
void lower_atomic(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    bool reduction = in->form->operands[0].role == 'm';
    const struct ptx_operand *o = &in->operands[reduction ? 0 : 1], *d = reduction ? NULL : &in->operands[0];
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    uint32_t elements = (uint32_t)mods_value(&in->mods, G_VECTOR, 1);
    struct operation u = {.kind = UOP_MEMORY, .type = ptx_types[type].lane, .dtype = ptx_types[type].lane};
    u.memory = memory_operand(in, reduction ? RP_ACCESS_REDUCTION : RP_ACCESS_ATOMIC, type, elements);
    if (u.memory.space != RP_SPACE_GLOBAL && u.memory.space != RP_SPACE_SHARED &&
        u.memory.space != RP_SPACE_SHARED_CLUSTER && u.memory.space != RP_SPACE_GENERIC)
        ptx_error(l->src, in->at, "atomics go to .global or .shared memory");
    set_address(l, &u, o);
    if (elements > 1)
        vector_operands(l, &u, type, d, &o[1], elements);
    else
        u.b = source(l, &o[1], type);
    if (u.memory.atomic == RP_ATOMIC_CAS)
        u.c = source(l, &o[2], type);
    if (d && d->kind == PO_REGISTER)
        u.d = register_operand(d->reg);
    l->order |= order_of_access(&u.memory, d && vector_is_read(l, d));
    finish_access(l, &u);
}

/* ---- cp.async ---- */

/* The operand with the number of bytes that a lane reads; the rest become zeros. Absent: it reads all. After the size
 * an instruction may have the number of bytes, or a predicate to ignore the source, and then a cache policy. */
static struct operand bytes_to_read(struct lowering *l, uint32_t size)
{
    const struct ptx_instruction *in = l->in;
    if (in->operand_count == ptx_operand_range(in->form, &in->mods).least)
        return OPERAND_NONE;
    const struct ptx_operand *o = &in->operands[3];
    if (o->kind != PO_REGISTER || register_type(l, o) != PT_PRED) {
        if (o->kind == PO_INTEGER && ((uint64_t)o->value > size))
            ptx_error(l->src, o->at, "of %u bytes no more can be read", size);
        return source(l, o, PT_U32);
    }
    struct operand bytes = temporary(l, PT_U32);
    struct operation u = {.kind = UOP_LANE, .op = OP_SELP, .type = T_U32, .stype = T_U32, .d = bytes};
    u.a = constant(l, 0, 4);
    u.b = constant(l, size, 4);
    u.p = predicate_source(l, o, &u.p_flip);
    emit(l, u);
    return bytes;
}

/* Both sides of a copy of a few bytes. The copy is made at once: it may be made at any time until it is waited for. */
void lower_copy(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    int64_t size = in->operands[2].value;
    if (size != 16 && (mods_have(&in->mods, M_CG) || (size != 4 && size != 8)))
        ptx_error(l->src, in->operands[2].at,
                  mods_have(&in->mods, M_CG) ? "cp.async.cg copies 16 bytes" : "cp.async.ca copies 4, 8 or 16 bytes");
    uint32_t words = (uint32_t)size / 4;
    struct operation load = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32};
    load.memory = memory_operand(in, RP_ACCESS_LOAD, PT_B32, words);
    load.memory.space = RP_SPACE_GLOBAL;
    load.b = bytes_to_read(l, (uint32_t)size);
    set_address(l, &load, &in->operands[1]);
    struct operation store = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32};
    load.lists[0] = (struct operand_list){ARENA_ARRAY(l->arena, struct operand, words), words};
    store.lists[0] = (struct operand_list){ARENA_ARRAY(l->arena, struct operand, words), words};
    for (uint32_t i = 0; i < words; i++)
        load.lists[0].at[i] = store.lists[0].at[i] = temporary(l, PT_B32);
    store.memory = memory_operand(in, RP_ACCESS_STORE, PT_B32, words);
    store.memory.space = RP_SPACE_SHARED;
    store.memory.cache_op = RP_CACHE_DEFAULT;
    store.access = 1;
    set_address(l, &store, &in->operands[0]);
    l->async = (struct rp_async){RP_ASYNC_COPY, RP_ASYNC_START, 0};
    finish_access(l, &load);
    finish_access(l, &store);
}

void lower_prefetch(struct lowering *l)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B8, .dtype = T_B16};
    u.memory = memory_operand(l->in, RP_ACCESS_PREFETCH, PT_B8, 1);
    set_address(l, &u, &l->in->operands[0]);
    finish_access(l, &u);
}
