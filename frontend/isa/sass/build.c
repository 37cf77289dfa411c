#include "frontend/isa/sass/window.h"

/* The fixed part of the register window: predicates, BAR.RED's results, an unused place for results that nobody reads.
 */
enum {
    PREDICATES = 0,
    RESULT_PREDICATE = 32,
    UNIFORM_PREDICATES = 36,
    RESULT_VALUE = 64,
    UNUSED_RESULT = RESULT_VALUE + 128,
};
_Static_assert(UNIFORM_PREDICATES + 4 * PT <= RESULT_VALUE, "");
_Static_assert(UNUSED_RESULT + 256 == SASS_FIXED_BYTES, "");

/* ---- constants and places ---- */

struct operand constant32(struct sass_build *b, uint32_t value)
{
    return constants_equal(&b->constants, b->arena, value, 4);
}

struct operand constant64(struct sass_build *b, uint64_t value)
{
    return constants_equal(&b->constants, b->arena, value, 8);
}

struct operand sass_temporary(struct sass_build *b)
{
    if (b->temporaries == TEMPORARIES)
        sass_build_not_covered(b, "so much at once");
    return sass_place(RANGE_TEMPORARIES, b->temporaries++);
}

struct operand hidden_result(bool predicate) { return OPERAND_REGISTER(predicate ? RESULT_PREDICATE : RESULT_VALUE); }

void note_register(struct sass_build *b, register_list *list, rp_register r)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == r)
            return;
    VECTOR_PUSH(b->arena, list, r);
}

static struct operand place(unsigned n) { return sass_place(RANGE_GENERAL, n); }

struct operand read_register(struct sass_build *b, unsigned n)
{
    if (n == RZ)
        return constant32(b, 0);
    note_register(b, &b->src, RP_REGISTER(RP_FILE_GENERAL, n, 1));
    return place(n);
}

struct operand written(struct sass_build *b, unsigned n)
{
    if (n == RZ)
        return OPERAND_REGISTER(UNUSED_RESULT);
    note_register(b, &b->dst, RP_REGISTER(RP_FILE_GENERAL, n, 1));
    return place(n);
}

struct operand *register_list_at(struct sass_build *b, unsigned n, unsigned count, bool write)
{
    struct operand *list = ARENA_ARRAY(b->arena, struct operand, count);
    if (n != RZ && n + count > RZ)
        sass_build_not_covered(b, "a vector of registers beyond the last one");
    for (unsigned i = 0; i < count; i++)
        list[i] = n == RZ ? (write ? OPERAND_NONE : constant32(b, 0)) : place(n + i);
    for (unsigned i = 0; n != RZ && i < count; i += RP_REGISTER_LIMIT) {
        const unsigned some = count - i < RP_REGISTER_LIMIT ? count - i : RP_REGISTER_LIMIT;
        note_register(b, write ? &b->dst : &b->src, RP_REGISTER(RP_FILE_GENERAL, n + i, some));
    }
    return list;
}

struct operand sass_pack(struct sass_build *b, struct operand pair[2])
{
    struct operand t = sass_temporary(b);
    sass_emit(b, (struct operation){
                     .kind = UOP_LANE, .op = OP_PACK, .type = T_B64, .stype = T_B32, .d = t, .lists = {{pair, 2}}});
    return t;
}

struct operand read_pair(struct sass_build *b, unsigned n)
{
    return n == RZ ? constant64(b, 0) : sass_pack(b, register_list_at(b, n, 2, false));
}

void write_pair(struct sass_build *b, unsigned n, struct operand value)
{
    sass_emit(b, (struct operation){.kind = UOP_LANE,
                                    .op = OP_UNPACK,
                                    .type = T_B64,
                                    .stype = T_B32,
                                    .a = value,
                                    .lists = {{register_list_at(b, n, 2, true), 2}}});
}

/* Predicate n of a file that begins at `first`, as a source or as a destination. */
static struct operand read_predicate_of(struct sass_build *b, enum rp_register_file file, unsigned first, unsigned n)
{
    if (n == PT)
        return constant32(b, ~0u);
    note_register(b, &b->src, RP_REGISTER(file, n, 1));
    return OPERAND_REGISTER(first + 4 * n);
}

static struct operand write_predicate_of(struct sass_build *b, enum rp_register_file file, unsigned first, unsigned n)
{
    if (n == PT)
        return OPERAND_NONE;
    note_register(b, &b->dst, RP_REGISTER(file, n, 1));
    return OPERAND_REGISTER(first + 4 * n);
}

struct operand predicate_register(struct sass_build *b, unsigned n)
{
    return read_predicate_of(b, RP_FILE_PREDICATE, PREDICATES, n);
}

struct operand written_predicate_register(struct sass_build *b, unsigned n)
{
    return write_predicate_of(b, RP_FILE_PREDICATE, PREDICATES, n);
}

struct operand uniform_predicate(struct sass_build *b, unsigned n)
{
    return read_predicate_of(b, RP_FILE_UNIFORM_PREDICATE, UNIFORM_PREDICATES, n);
}

struct operand written_uniform_predicate(struct sass_build *b, unsigned n)
{
    return write_predicate_of(b, RP_FILE_UNIFORM_PREDICATE, UNIFORM_PREDICATES, n);
}

struct operand read_uniform(struct sass_build *b, unsigned n)
{
    if (n == URZ)
        return constant32(b, 0);
    note_register(b, &b->src, RP_REGISTER(RP_FILE_UNIFORM, n, 1));
    return sass_place(RANGE_UNIFORM, n);
}

struct operand written_uniform(struct sass_build *b, unsigned n)
{
    if (n == URZ)
        return OPERAND_REGISTER(UNUSED_RESULT);
    note_register(b, &b->dst, RP_REGISTER(RP_FILE_UNIFORM, n, 1));
    return sass_place(RANGE_UNIFORM, n);
}

struct operand read_uniform_pair(struct sass_build *b, unsigned n)
{
    if (n == URZ)
        return constant64(b, 0);
    struct operand *pair = ARENA_ARRAY(b->arena, struct operand, 2);
    for (unsigned i = 0; i < 2; i++)
        pair[i] = sass_place(RANGE_UNIFORM, n + i);
    note_register(b, &b->src, RP_REGISTER(RP_FILE_UNIFORM, n, 2));
    return sass_pack(b, pair);
}

struct operand convergence_barrier(unsigned n) { return sass_place(RANGE_CONVERGENCE, n); }

struct operand link_register(bool high) { return sass_place(RANGE_LINK, high); }

struct operand false_predicate(void) { return OPERAND_REGISTER(PREDICATES + 4 * PT); }

/* ---- operations ---- */

void sass_build_begin(struct sass_build *b, uint32_t index)
{
    b->index = index;
    b->temporaries = 0;
    b->started = b->early = b->uniform = false;
    b->dst = b->src = (register_list){0};
}

void sass_emit_where(struct sass_build *b, struct operation u, struct operand guard, bool negated)
{
    u.index = b->early ? b->index - 1 : b->index;
    u.guard = guard;
    u.guard_flip = negated ? ~0u : 0;
    if (u.stype == T_NONE)
        u.stype = u.type;
    if (!b->started && !b->early)
        u.flags |= UF_FIRST;
    b->started = !b->early;
    if (u.kind == UOP_LANE && u.flags & UF_CARRY_IN)
        note_register(b, &b->src, RP_REGISTER(RP_FILE_CARRY, 0, 1));
    if (u.kind == UOP_LANE && u.flags & UF_CARRY_OUT)
        note_register(b, &b->dst, RP_REGISTER(RP_FILE_CARRY, 0, 1));
    if (u.kind == UOP_LANE && !operation_bind(&u))
        sass_build_not_covered(b, NULL);
    if (u.kind == UOP_LANE && b->uniform)
        u.flags |= UF_UNIFORM; /* which handlers do not know */
    VECTOR_PUSH(b->arena, &b->operations, u);
}

void sass_emit(struct sass_build *b, struct operation u)
{
    bool negated;
    struct operand guard = sass_build_guard(b, &negated);
    sass_emit_where(b, u, guard, negated);
}

struct operand lane2(struct sass_build *b, enum lane_op op, enum lane_type type, struct operand x, struct operand y)
{
    struct operand t = sass_temporary(b);
    sass_emit(b,
              (struct operation){.kind = UOP_LANE, .op = (uint8_t)op, .type = (uint8_t)type, .d = t, .a = x, .b = y});
    return t;
}

void move32(struct sass_build *b, struct operand d, struct operand a)
{
    sass_emit(b, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_B32, .d = d, .a = a});
}
