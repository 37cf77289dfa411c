/* Operands of instructions: fields, sources with their modifiers, guards. */
#include "frontend/isa/sass/lower.h"

/* ---- fields ---- */

static bool is_uniform(const struct sass_lowering *l) { return l->row->flags & SASS_UNIFORM_GUARD; }

struct operand read_predicate(struct sass_lowering *l, unsigned at)
{
    unsigned n = bits(l, at, 3);
    return is_uniform(l) ? uniform_predicate(&l->b, n) : predicate_register(&l->b, n);
}

struct operand written_predicate(struct sass_lowering *l, unsigned at)
{
    unsigned n = bits(l, at, 3);
    return is_uniform(l) ? written_uniform_predicate(&l->b, n) : written_predicate_register(&l->b, n);
}

bool sass_is_guarded(const struct sass_lowering *l)
{
    struct sass_bits at = l->b.family->table->guard;
    return !(l->row->flags & SASS_NO_GUARD) && bits(l, at.at, at.width + 1u) != PT;
}

struct operand sass_guard(struct sass_lowering *l, bool *negated)
{
    struct sass_bits at = l->b.family->table->guard;
    unsigned guard = bits(l, at.at, at.width), negate = bit(l, at.at + at.width);
    *negated = sass_is_guarded(l) && negate && guard != PT;
    if (!sass_is_guarded(l))
        return constant32(&l->b, ~0u);
    return guard == PT ? false_predicate() : read_predicate(l, at.at);
}

enum compare float_compare(unsigned code)
{
    static const uint8_t compares[16] = {CMP_FALSE, CMP_LT,  CMP_EQ,  CMP_LE,  CMP_GT,  CMP_NE,  CMP_GE,  CMP_NUM,
                                         CMP_NAN,   CMP_LTU, CMP_EQU, CMP_LEU, CMP_GTU, CMP_NEU, CMP_GEU, CMP_TRUE};
    return compares[code & 15];
}

enum compare int_compare(unsigned code) { return code == 7 ? CMP_TRUE : float_compare(code & 7); }

enum rounding sass_rounding(unsigned code)
{
    static const uint8_t roundings[4] = {ROUND_N, ROUND_M, ROUND_P, ROUND_Z};
    return roundings[code & 3];
}

/* ---- sources ---- */

static bool is_source(const struct sass_lowering *l, const struct sass_item *i)
{
    unsigned destination = l->b.family->table->destination;
    switch (i->kind) {
    case SI_REGISTER: return destination ? i->f.at != destination && i->file != FILE_BARRIER : i->reuse != 0;
    case SI_CONSTANT:
    case SI_IMMEDIATE: return true;
    default: return false;
    }
}

void sass_find_sources(struct sass_lowering *l)
{
    l->source_count = 0;
    l->plus_one = false;
    for (const struct sass_item *i = l->row->items; i->kind != SI_END; i++) {
        if (!is_source(l, i) || l->source_count == 4)
            continue;
        struct sass_source *s = &l->source[l->source_count++];
        bool both = i->po && bits(l, i->po, 2) == 3;
        l->plus_one |= both;
        *s = (struct sass_source){i, i->neg && bit(l, i->neg) && !both, i->abs && bit(l, i->abs),
                                  i->inv && bit(l, i->inv)};
    }
}

static uint64_t immediate(const struct sass_lowering *l, const struct sass_item *item)
{
    struct sass_item i = *item;
    if (l->b.family->table->resolve)
        l->b.family->table->resolve(l->word, &i);
    uint64_t v = sass_value(l->word, &i), low = sass_field(l->word, i.f), sign = sass_field(l->word, i.g);
    switch (i.style) {
    case IMM_S20:
    case IMM_U20:
    case IMM_U20_MASK: return (uint32_t)(low - (sign ? 0x80000 : 0));
    case IMM_F20: return low << 12 | sign << 31;
    case IMM_D20: return low << 44 | sign << 63;
    case IMM_D32: return v << 32;
    default: return v;
    }
}

bool source_immediate(const struct sass_lowering *l, unsigned i, uint64_t *value)
{
    if (i >= l->source_count || l->source[i].item->kind != SI_IMMEDIATE)
        return false;
    *value = immediate(l, l->source[i].item);
    return true;
}

static const struct sass_item *item_of(struct sass_lowering *l, unsigned i)
{
    if (i >= l->source_count)
        sass_not_covered(l, NULL);
    return l->source[i].item;
}

/* The bank and the offset of a constant. */
static uint32_t constant_of(struct sass_lowering *l, const struct sass_item *item, unsigned *bank)
{
    if (item->file == FILE_UNIFORM)
        sass_not_covered(l, "a constant behind a descriptor");
    *bank = bits(l, item->g.at, item->g.width);
    return bits(l, item->f.at, item->f.width) << item->unit;
}

struct operand source_raw(struct sass_lowering *l, unsigned i)
{
    const struct sass_item *item = item_of(l, i);
    unsigned n = (unsigned)sass_value(l->word, item), bank;
    switch (item->kind) {
    case SI_REGISTER: return item->file == FILE_UNIFORM ? read_uniform(&l->b, n) : read_register(&l->b, n);
    case SI_CONSTANT: {
        uint32_t offset = constant_of(l, item, &bank);
        return bank_word(&l->b, bank, offset);
    }
    default: return constant32(&l->b, (uint32_t)immediate(l, item));
    }
}

struct operand source_64(struct sass_lowering *l, unsigned i)
{
    const struct sass_item *item = item_of(l, i);
    unsigned n = (unsigned)sass_value(l->word, item), bank;
    if (item->kind == SI_REGISTER)
        return item->file == FILE_UNIFORM ? read_uniform_pair(&l->b, n) : read_pair(&l->b, n);
    if (item->kind == SI_IMMEDIATE)
        return constant64(&l->b, immediate(l, item));
    uint32_t offset = constant_of(l, item, &bank);
    struct operand *list = ARENA_ARRAY(l->b.arena, struct operand, 2);
    list[0] = bank_word(&l->b, bank, offset);
    list[1] = bank_word(&l->b, bank, offset + 4);
    return sass_pack(&l->b, list);
}

struct operand source_int(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_raw(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->inverted)
        v = lane2(&l->b, OP_NOT, T_B32, v, v);
    if (s->absolute)
        v = lane2(&l->b, OP_ABS, T_S32, v, v);
    if (s->negated)
        v = lane2(&l->b, OP_NEG, T_S32, v, v);
    return v;
}

struct operand source_f32(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_raw(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->absolute)
        v = lane2(&l->b, OP_AND, T_B32, v, constant32(&l->b, 0x7fffffff));
    if (s->negated)
        v = lane2(&l->b, OP_XOR, T_B32, v, constant32(&l->b, 0x80000000));
    return v;
}

struct operand source_f64(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_64(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->absolute)
        v = lane2(&l->b, OP_AND, T_B64, v, constant64(&l->b, ~0ull >> 1));
    if (s->negated)
        v = lane2(&l->b, OP_XOR, T_B64, v, constant64(&l->b, 1ull << 63));
    return v;
}
