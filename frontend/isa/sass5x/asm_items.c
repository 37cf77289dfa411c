/* What the assembler reads for each kind of item of a row. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "frontend/isa/sass5x/names.h"
#include "frontend/isa/sass5x/number.h"
#include "frontend/isa/sass5x/parser.h"

static const struct sass_bits no_bits;

static bool parse_modifier(struct parser *p, const struct sass_item *i)
{
    return asm_constrain(p, i->f, i->g, asm_match(p, i->names, i->count, "."));
}

static bool parse_cc_name(struct parser *p, const struct sass_item *i)
{
    return asm_constrain(p, i->f, no_bits, asm_match(p, sass_cc_names, 32, "."));
}

static bool parse_phase(struct parser *p, const struct sass_item *i)
{
    (void)i;
    p->control |= asm_eat_word(p, ".T") ? 1u << 17 : asm_eat_word(p, ".P") ? 2u << 17 : 0;
    return true;
}

static bool parse_round_equal(struct parser *p, const struct sass_item *i)
{
    static const char *const integral[4] = {"ROUND", "FLOOR", "CEIL", "TRUNC"};
    static const char *const other[5] = {"", "RM", "RP", "RZ", "PASS"};
    uint64_t v = asm_match(p, integral, 4, ".");
    if (v) {
        asm_set_bit(p, 42);
        asm_set(p, i->f, (uint64_t)__builtin_ctzll(v));
        return true;
    }
    v = (uint64_t)__builtin_ctzll(asm_match(p, other, 5, "."));
    asm_set(p, i->f, v == 4 ? 1 : v);
    return true;
}

/* Operand types: B's is written into the sign bit; its size too if B turns out to be a register. */
static bool parse_video_types(struct parser *p, const struct sass_item *i)
{
    uint64_t a = asm_match(p, sass_video_types, 16, "."), b = 0;
    if (a)
        b = asm_match(p, sass_video_types, 16, ".");
    else
        a = b = 1ull << 14; /* S32, S32 */
    if (!a || !b)
        return false;
    unsigned va = (unsigned)__builtin_ctzll(a), vb = (unsigned)__builtin_ctzll(b);
    asm_set(p, (struct sass_bits){36, 3}, va & 7);
    asm_set(p, (struct sass_bits){48, 1}, va >> 3);
    if (i->style != VIDEO_SHIFT)
        asm_set(p, (struct sass_bits){49, 1}, vb >> 3);
    asm_set(p, (struct sass_bits){28, 3}, vb & 7);
    return true;
}

/* ---- operands -----------------------------------------------------------------------------------------------------
 */

static void prefix(struct parser *p, const struct sass_item *i)
{
    if (i->neg && asm_eat(p, "-"))
        asm_set_bit(p, i->neg);
    if (i->inv && asm_eat(p, "~"))
        asm_set_bit(p, i->inv);
    if (i->abs && asm_eat(p, "|"))
        asm_set_bit(p, i->abs);
}

static bool part(struct parser *p, const struct sass_item *i)
{
    if (!i->sf.width)
        return true;
    bool half = sass_field(p->word, (struct sass_bits){10, 2}) == 1;
    if (i->sf_rule == PART_BY_SIZE)
        return asm_constrain(p, i->sf, no_bits, asm_match(p, half ? sass_part_half : sass_part_byte, 4, "."));
    return asm_constrain(p, i->sf, no_bits, asm_match(p, i->names, i->count, "."));
}

static bool suffix(struct parser *p, const struct sass_item *i)
{
    if (!part(p, i))
        return false;
    if (i->abs && sass_bit(p->word, i->abs) && !asm_eat(p, "|"))
        return false;
    if (i->reuse && asm_eat_word(p, ".reuse"))
        p->control |= 1u << (16 + i->reuse);
    return true;
}

static bool parse_register(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    unsigned r = 0;
    bool ok = asm_separator(p);
    prefix(p, i);
    bool brackets = i->style == REGISTER_BRACKETS;
    ok = ok && (!brackets || asm_eat(p, "[")) && asm_read_register(p, &r) && (!brackets || asm_eat(p, "]"));
    if (!ok && i->style == REGISTER_OPTIONAL) {
        *p = before;
        r = 255;
        ok = true;
    } else if (ok) {
        ok = suffix(p, i);
    }
    asm_set(p, i->f, r);
    return ok;
}

static bool parse_predicate(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    unsigned r = 7;
    bool ok = asm_separator(p);
    if (i->neg && asm_eat(p, "!"))
        asm_set_bit(p, i->neg);
    ok = ok && asm_read_predicate(p, &r);
    if (!ok && (i->style == PREDICATE_OPTIONAL || i->style == PREDICATE_INVERTED_OPTIONAL)) {
        *p = before;
        ok = true;
        r = 7;
    }
    bool inverted = i->style == PREDICATE_INVERTED || i->style == PREDICATE_INVERTED_OPTIONAL;
    asm_set(p, i->f, inverted ? r ^ 7 : r);
    return ok;
}

static bool read_bank(struct parser *p, uint64_t *bank)
{
    return asm_eat(p, "c[") && asm_read_number(p, bank) && *bank < 32 && asm_eat(p, "]") && asm_eat(p, "[");
}

static bool parse_constant(struct parser *p, const struct sass_item *i)
{
    uint64_t bank, offset;
    if (!asm_separator(p))
        return false;
    prefix(p, i);
    if (!read_bank(p, &bank) || !asm_read_integer(p, 16, EITHER, &offset) || offset & 3 || !asm_eat(p, "]"))
        return false;
    asm_set(p, i->g, bank);
    asm_set(p, i->f, offset / 4);
    return suffix(p, i);
}

static bool read_float(struct parser *p, enum sass_float f, unsigned dropped, uint64_t *bits)
{
    asm_skip_space(p);
    if (!sass_float_parse(&p->at, f, bits) || *bits & ((1ull << dropped) - 1))
        return false;
    *bits >>= dropped;
    return true;
}

static bool read_by_source(struct parser *p, const struct sass_item *i)
{
    uint64_t bits;
    unsigned size = (unsigned)sass_field(p->word, (struct sass_bits){10, 2});
    enum sass_float f = size == 1 ? FLOAT_16 : size == 2 ? FLOAT_32 : FLOAT_64;
    if (!read_float(p, f, size == 1 ? 0 : size == 2 ? 12 : 44, &bits))
        return false;
    asm_set_value(p, i->f, i->g, bits);
    return true;
}

static bool read_immediate(struct parser *p, const struct sass_item *i, uint64_t *v)
{
    switch (i->style) {
    case IMM_F20: return read_float(p, FLOAT_32, 12, v);
    case IMM_D20: return read_float(p, FLOAT_64, 44, v);
    case IMM_F32: return read_float(p, FLOAT_32, 0, v);
    case IMM_F16_9: return read_float(p, FLOAT_16, 6, v);
    case IMM_F16: return read_float(p, FLOAT_16, 0, v);
    case IMM_S20:
    case IMM_S: return asm_read_integer(p, (unsigned)i->f.width + i->g.width, SIGNED, v);
    case IMM_BY_SIGN: return asm_read_integer(p, (unsigned)i->f.width + i->g.width, EITHER, v);
    default: return asm_read_integer(p, (unsigned)i->f.width + i->g.width, UNSIGNED, v);
    }
}

static bool parse_immediate(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    uint64_t v = i->style == IMM_QUAD ? 15 : i->style == IMM_U20_MASK ? 0xffff : 0;
    bool optional = i->style == IMM_QUAD || i->style == IMM_U20_MASK || i->style == IMM_U_OPTIONAL;
    if (i->style == IMM_BY_SOURCE) {
        if (!asm_separator(p) || !read_by_source(p, i))
            return false;
        v = 0;
    } else if (!asm_separator(p) || !read_immediate(p, i, &v)) {
        if (!optional)
            return false;
        *p = before;
    }
    asm_set_value(p, i->f, i->g, v);
    if (i->neg && asm_eat_word(p, ".NEG"))
        asm_set_bit(p, i->neg);
    if (i->abs && asm_eat_word(p, ".ABS"))
        asm_set_bit(p, i->abs);
    if (i->inv && asm_eat_word(p, ".INV"))
        asm_set_bit(p, i->inv);
    return part(p, i);
}

static bool parse_name(struct parser *p, const struct sass_item *i)
{
    return asm_separator(p) && asm_constrain(p, i->f, i->g, asm_match(p, i->names, i->count, ""));
}

static bool parse_address(struct parser *p, const struct sass_item *i)
{
    unsigned base = 255, width = i->f.width + i->style;
    uint64_t offset = 0;
    if (!asm_separator(p) || !asm_eat(p, "["))
        return false;
    if (!asm_read_register(p, &base)) {
        if (!width || !asm_read_integer(p, width, UNSIGNED, &offset))
            return false;
    } else if (asm_eat(p, "+") && (!width || !asm_read_integer(p, width, SIGNED, &offset))) {
        return false;
    }
    if (!asm_eat(p, "]") || offset & ((1u << i->style) - 1))
        return false;
    asm_set(p, (struct sass_bits){8, 8}, base);
    asm_set(p, i->f, offset >> i->style);
    return true;
}

static bool read_indexed_constant(struct parser *p, struct sass_bits bank_bits, struct sass_bits offset_bits)
{
    uint64_t bank, offset = 0;
    unsigned base = 255;
    if (!read_bank(p, &bank))
        return false;
    bool with_register = asm_read_register(p, &base);
    if (!with_register || asm_eat(p, "+"))
        if (!asm_read_integer(p, 16, SIGNED, &offset))
            return false;
    asm_set(p, (struct sass_bits){8, 8}, base);
    asm_set(p, bank_bits, bank);
    asm_set(p, offset_bits, offset);
    return asm_eat(p, "]");
}

static bool parse_const_address(struct parser *p, const struct sass_item *i)
{
    return asm_separator(p) && read_indexed_constant(p, i->g, i->f);
}

#define TARGET_BANK ((struct sass_bits){36, 5})
#define TARGET_OFFSET ((struct sass_bits){20, 16})

static bool parse_target(struct parser *p, const struct sass_item *i)
{
    uint64_t v, bank;
    if (!asm_separator(p))
        return false;
    if (!strncmp(p->at, "c[", 2)) {
        if (i->style || !read_bank(p, &bank) || !asm_read_integer(p, 16, SIGNED, &v) || !asm_eat(p, "]"))
            return false;
        asm_set_bit(p, 5);
        asm_set(p, TARGET_BANK, bank);
        asm_set(p, TARGET_OFFSET, v);
        return true;
    }
    if (!asm_read_integer(p, 32, EITHER, &v))
        return false;
    if (i->kind == SI_TARGET) {
        int64_t offset = (int64_t)(int32_t)v - p->address - 8, limit = 1ll << (i->f.width - 1);
        if (offset < -limit || offset >= limit)
            return false;
        v = (uint64_t)offset;
    }
    asm_set(p, i->f, v);
    return true;
}

static bool parse_target_indirect(struct parser *p, const struct sass_item *i)
{
    unsigned r;
    uint64_t offset = 0;
    if (!asm_separator(p))
        return false;
    if (!strncmp(p->at, "c[", 2)) {
        asm_set_bit(p, 5);
        return read_indexed_constant(p, TARGET_BANK, TARGET_OFFSET);
    }
    if (!asm_read_register(p, &r))
        return false;
    asm_skip_space(p);
    if ((*p->at == '-' || isdigit((unsigned char)*p->at)) && !asm_read_integer(p, i->f.width, SIGNED, &offset))
        return false;
    asm_set(p, (struct sass_bits){8, 8}, r);
    asm_set(p, i->f, offset);
    return true;
}

static bool parse_special(struct parser *p, const struct sass_item *i)
{
    if (!asm_separator(p))
        return false;
    const char *best = "";
    unsigned id = 256;
    for (unsigned n = 0; n < 256; n++)
        if (sass_special_names[n] && strlen(sass_special_names[n]) > strlen(best) &&
            !strncmp(p->at, sass_special_names[n], strlen(sass_special_names[n]))) {
            best = sass_special_names[n];
            id = n;
        }
    p->at += strlen(best);
    uint64_t number = id;
    if (id == 256 && (!asm_eat(p, "SR") || !asm_read_number(p, &number) || number > 255))
        return false;
    asm_set(p, i->f, number);
    return !asm_is_word(*p->at);
}

static bool parse_cc_test(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    if (!asm_separator(p) || strncmp(p->at, "CC.", 3)) {
        *p = before;
        asm_set(p, i->f, 15);
        return true;
    }
    return asm_constrain(p, i->f, no_bits, asm_match(p, sass_cc_names, 32, "CC."));
}

static bool parse_cas(struct parser *p, const struct sass_item *i)
{
    unsigned compare, swap, choice;
    if (!asm_separator(p) || !asm_read_register(p, &compare) || !asm_separator(p) || !asm_read_register(p, &swap))
        return false;
    /* the size modifier stands before and is among the constraints */
    unsigned step = 1;
    for (unsigned c = 0; c < p->constraint_count; c++)
        if (p->constraints[c].f.at == i->sf.at && p->constraints[c].f.width == 1)
            step += p->constraints[c].allowed == 2;
    if (compare == 255)
        choice = swap == 255 ? 3 : 2;
    else if (swap == 255)
        choice = 1;
    else if (swap == compare + step)
        choice = 0;
    else
        return false;
    asm_set(p, i->f, choice == 2 ? swap : compare);
    asm_set(p, i->g, choice);
    return true;
}

static bool parse_video_b(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    struct sass_item as_register = *i;
    as_register.style = REGISTER_PLAIN;
    if (parse_register(p, &as_register)) {
        asm_set_bit(p, 50);
        return true;
    }
    *p = before;
    p->word &= ~(7ull << 28); /* the size that video_types wrote: part of the immediate here */
    uint64_t v;
    if (!asm_separator(p))
        return false;
    if (i->style == VIDEO_B_UNSIGNED) {
        prefix(p, i);
        if (!asm_read_integer(p, 16, UNSIGNED, &v))
            return false;
    } else if (!asm_read_integer(p, 16, EITHER, &v)) {
        return false;
    }
    asm_set(p, (struct sass_bits){20, 16}, v);
    return true;
}

static bool parse_bytes_b(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    if (parse_register(p, i))
        return true;
    *p = before;
    uint64_t v;
    if (!asm_separator(p) || !asm_read_integer(p, 8, EITHER, &v))
        return false;
    asm_set(p, i->f, v);
    asm_set(p, i->sf, 15);
    return true;
}

static bool parse_swizzle(struct parser *p, const struct sass_item *i)
{
    static const char *const signs[4] = {"PP", "NP", "PN", "ZP"};
    unsigned value = 0;
    if (!asm_separator(p))
        return false;
    for (unsigned lane = 0; lane < 4; lane++) {
        unsigned s = 0;
        while (s < 4 && strncmp(p->at, signs[s], 2))
            s++;
        if (s == 4)
            return false;
        p->at += 2;
        value = value << 2 | s;
    }
    asm_set(p, i->f, value);
    return !asm_is_word(*p->at);
}

static bool parse_components(struct parser *p, const struct sass_item *i)
{
    bool one = sass_field(p->word, i->g) == 255;
    return asm_separator(p) &&
           asm_constrain(p, i->f, no_bits, asm_match(p, one ? sass_components_one : sass_components_two, 8, ""));
}

static bool parse_barriers(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    if (!asm_separator(p) || !asm_eat(p, "{")) {
        *p = before;
        return true;
    }
    do {
        uint64_t b;
        if (!asm_read_number(p, &b) || b > 5)
            return false;
        asm_set(p, i->f, 1u << b);
    } while (asm_eat(p, ","));
    return asm_eat(p, "}");
}

static bool parse_barrier_name(struct parser *p, const struct sass_item *i)
{
    uint64_t b;
    if (!asm_separator(p) || !asm_eat(p, "SB") || !asm_read_number(p, &b) || b > 5)
        return false;
    asm_set(p, i->f, b);
    return true;
}

static bool parse_choice(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    unsigned r;
    uint64_t v;
    if (asm_separator(p) && asm_read_register(p, &r)) {
        asm_set(p, i->f, r);
        return true;
    }
    *p = before;
    asm_set(p, i->g, 1);
    if (asm_separator(p) && asm_read_number(p, &v) && !(v >> i->sf.width)) {
        asm_set(p, i->sf, v);
        return true;
    }
    p->at = before.at;
    p->operands = before.operands;
    return i->style;
}

static bool parse_unprinted(struct parser *p, const struct sass_item *i)
{
    asm_set(p, i->f, i->style);
    return true;
}

bool asm_item(struct parser *p, const struct sass_item *i)
{
    static bool (*const parse[])(struct parser *, const struct sass_item *) = {
#define ROW_OF(kind, handler, meaning) [SI_##kind] = parse_##handler,
        SASS_KINDS(ROW_OF)
#undef ROW_OF
    };
    return parse[i->kind](p, i);
}
