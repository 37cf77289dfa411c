/* Transfers of control that every generation has: under a condition beside the guard, and to an address in a register.
 */
#include "frontend/isa/sass/lower.h"

void sass_limit_to_guard(struct sass_lowering *l, struct operand condition)
{
    if (!sass_is_guarded(l))
        return;
    /* what the guard kept out has no condition: both together, in all lanes */
    bool negated;
    struct operand guard = sass_guard(l, &negated), flipped = sass_temporary(&l->b), all = constant32(&l->b, ~0u);
    struct operation both = {.kind = UOP_LANE, .op = OP_XOR, .type = T_PRED, .d = flipped, .a = guard};
    both.b = constant32(&l->b, negated ? ~0u : 0);
    sass_emit_where(&l->b, both, all, false);
    both = (struct operation){.kind = UOP_LANE, .op = OP_AND, .type = T_PRED, .d = condition, .a = condition};
    both.b = flipped;
    sass_emit_where(&l->b, both, all, false);
}

void sass_transfer_where(struct sass_lowering *l, struct operand condition, struct operation u)
{
    sass_limit_to_guard(l, condition);
    sass_emit_where(&l->b, u, condition, false);
}

/* ---- to an address in a register ---- */

/* Words of the code, control words included. */
static uint32_t code_words(const struct sass_lowering *l)
{
    const struct sass_table *t = l->b.family->table;
    uint32_t each = t->bundle_words > 1 ? t->bundle_words - 1 : 1;
    return (l->b.count + each - 1) / each * t->bundle_words;
}

/* A table of all instructions by the number of their word, and the runtime's functions behind them: one for the whole
 * kernel. Nothing leads to its first instruction, whose address is that of a null pointer. */
static uint32_t *everywhere(struct sass_lowering *l, uint32_t words)
{
    const struct sass_table *t = l->b.family->table;
    if (l->everywhere)
        return l->everywhere;
    uint32_t *table = ARENA_ARRAY(l->b.arena, uint32_t, words + l->b.functions);
    for (uint32_t i = 0; i < words; i++) {
        uint32_t index = sass_number(t, i * t->word_bytes);
        table[i] = !i ? UOP_NOWHERE : index < l->b.count ? index : l->b.count - 1;
    }
    for (uint32_t i = 0; i < l->b.functions; i++)
        table[words + i] = sass_runtime_function(&l->b, i);
    l->everywhere_count = words + l->b.functions;
    return l->everywhere = table;
}

struct operation sass_indirect(struct sass_lowering *l, struct operand at)
{
    struct operation u = {.kind = UOP_BRANCH_TABLE, .reconverge = UOP_NOWHERE};
    uint32_t words = code_words(l), bytes = l->b.family->table->word_bytes;
    struct operand runtime = lane2(&l->b, OP_SUB, T_U32, at, constant32(&l->b, RUNTIME_BASE - words * bytes));
    at = lane2(&l->b, OP_MIN, T_U32, at, runtime);
    /* rotated, so that an address between two words is beyond the table */
    u.a = sass_temporary(&l->b);
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                        .op = OP_SHF,
                                        .type = T_B32,
                                        .d = u.a,
                                        .a = at,
                                        .b = at,
                                        .c = constant32(&l->b, bytes == 16 ? 4 : 3)});
    u.table = everywhere(l, words);
    u.table_count = l->everywhere_count;
    return u;
}

struct operation sass_jump(struct sass_lowering *l, int64_t address)
{
    const struct sass_table *t = l->b.family->table;
    int64_t function = (address - RUNTIME_BASE) / t->word_bytes;
    struct operation u = {.kind = UOP_BRANCH, .reconverge = UOP_NOWHERE};
    if (function >= l->b.functions)
        sass_damaged(l, "the file does not define this function");
    u.target =
        address >= RUNTIME_BASE ? sass_runtime_function(&l->b, (uint32_t)function) : sass_instruction_at(l, address);
    return u;
}

uint32_t sass_instruction_at(struct sass_lowering *l, int64_t address)
{
    const struct sass_table *t = l->b.family->table;
    if (address < 0 || address > UINT32_MAX || address % t->word_bytes ||
        sass_number(t, (uint32_t)address) >= l->b.count)
        sass_damaged(l, "its target is outside of the code");
    return sass_number(t, (uint32_t)address);
}

void sass_lower_nothing(struct sass_lowering *l) { move32(&l->b, written(&l->b, RZ), constant32(&l->b, 0)); }
