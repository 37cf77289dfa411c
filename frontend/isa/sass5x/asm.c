/* The assembler walks the same rows as the disassembler: of all rows with the mnemonic, the one whose items read the
 * whole text is the instruction. Some fields show at several places of the text, or several of their values read the
 * same; each place then says which values are possible, and the smallest that all places allow is taken. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass5x/disasm.h"
#include "frontend/isa/sass5x/names.h"
#include "frontend/isa/sass5x/number.h"

struct constraint {
    struct sass_bits f, g;
    uint64_t allowed; /* bit v: value v */
};
enum { CONSTRAINTS = 16 };

/* A number that no row had room for, and where it stands in the text: NULL: there was none. */
struct beyond {
    const char *at;
    unsigned width;
    bool is_signed;
};

struct parser {
    const char *at;
    struct beyond *beyond;
    uint64_t word;
    uint32_t control, address;
    const struct sass_row *row;
    unsigned operands;
    bool guarded; /* a guard is written */
    struct constraint constraints[CONSTRAINTS];
    unsigned constraint_count;
};

static void set(struct parser *p, struct sass_bits b, uint64_t value)
{
    p->word |= (value & ((1ull << b.width) - 1)) << b.at;
}
static void set_bit(struct parser *p, unsigned at) { p->word |= 1ull << at; }
static void set_value(struct parser *p, struct sass_bits f, struct sass_bits g, uint64_t value)
{
    set(p, f, value);
    set(p, g, value >> f.width);
}

/* ---- tokens -------------------------------------------------------------------------------------------------------
 */

static void skip_space(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool eat(struct parser *p, const char *token)
{
    skip_space(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n))
        return false;
    p->at += n;
    return true;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* A token that ends where its word ends. */
static bool eat_word(struct parser *p, const char *token)
{
    const char *start = p->at;
    if (eat(p, token) && !is_word(*p->at))
        return true;
    p->at = start;
    return false;
}

/* The comma before all operands but the first. */
static bool separator(struct parser *p)
{
    if (p->operands && !eat(p, ","))
        return false;
    skip_space(p);
    p->operands++;
    return true;
}

static bool read_number(struct parser *p, uint64_t *value)
{
    skip_space(p);
    if (!isdigit((unsigned char)*p->at))
        return false;
    char *end;
    *value = strtoull(p->at, &end, 0);
    p->at = end;
    return true;
}

/* How the disassembler prints a field. */
enum sign { UNSIGNED, SIGNED, EITHER };

/* A number for a field of `width` bits; *value is its low bits. One that would read back as another is refused: one
 * with the highest bit set as signed, one below 0 as unsigned; but the 32 bits of a register may be given as either. */
static bool read_integer(struct parser *p, unsigned width, enum sign sign, uint64_t *value)
{
    skip_space(p);
    const char *start = p->at;
    bool negative = eat(p, "-");
    if (!read_number(p, value))
        return false;
    uint64_t half = 1ull << (width - 1), most = sign == SIGNED && width < 32 ? half - 1 : 2 * half - 1;
    uint64_t least = sign == UNSIGNED && width < 32 ? 0 : half;
    if (*value > (negative ? least : most)) {
        *p->beyond = (struct beyond){start, width, sign == SIGNED};
        p->at = start;
        return false;
    }
    if (negative)
        *value = -*value & (2 * half - 1);
    return true;
}

static bool read_register(struct parser *p, unsigned *r)
{
    if (eat_word(p, "RZ")) {
        *r = 255;
        return true;
    }
    skip_space(p);
    if (p->at[0] != 'R' || !isdigit((unsigned char)p->at[1]))
        return false;
    uint64_t n;
    p->at++;
    if (!read_number(p, &n) || n > 254 || is_word(*p->at))
        return false;
    *r = (unsigned)n;
    return true;
}

static bool read_predicate(struct parser *p, unsigned *r)
{
    skip_space(p);
    if (p->at[0] != 'P' || is_word(p->at[2]) || !(p->at[1] == 'T' || (p->at[1] >= '0' && p->at[1] <= '6')))
        return false;
    *r = p->at[1] == 'T' ? 7 : (unsigned)(p->at[1] - '0');
    p->at += 2;
    return true;
}

/* ---- modifiers ----------------------------------------------------------------------------------------------------
 */

/* The names' values that the longest name at p->at stands for; without any, the values with an empty name. */
static uint64_t match(struct parser *p, const char *const *names, unsigned count, const char *lead)
{
    const char *start = p->at, *best = "";
    if (eat(p, lead))
        for (unsigned v = 0; v < count; v++) {
            size_t n = names[v] ? strlen(names[v]) : 0;
            if (n > strlen(best) && !strncmp(p->at, names[v], n) && !is_word(p->at[n]))
                best = names[v];
        }
    uint64_t values = 0;
    for (unsigned v = 0; v < count; v++)
        if (names[v] && !strcmp(names[v], best))
            values |= 1ull << v;
    p->at = *best ? p->at + strlen(best) : start;
    return values;
}

static bool constrain(struct parser *p, struct sass_bits f, struct sass_bits g, uint64_t allowed)
{
    for (unsigned c = 0; c < p->constraint_count; c++) {
        struct constraint *k = &p->constraints[c];
        if (!memcmp(&k->f, &f, sizeof f) && !memcmp(&k->g, &g, sizeof g))
            return (k->allowed &= allowed) != 0;
    }
    if (p->constraint_count == CONSTRAINTS || !allowed)
        return false;
    p->constraints[p->constraint_count++] = (struct constraint){f, g, allowed};
    return true;
}

static const struct sass_bits no_bits;

static bool modifier(struct parser *p, const struct sass_item *i)
{
    return constrain(p, i->f, i->g, match(p, i->names, i->count, "."));
}

static bool cc_name(struct parser *p, const struct sass_item *i)
{
    return constrain(p, i->f, no_bits, match(p, sass_cc_names, 32, "."));
}

static bool phase(struct parser *p, const struct sass_item *i)
{
    (void)i;
    p->control |= eat_word(p, ".T") ? 1u << 17 : eat_word(p, ".P") ? 2u << 17 : 0;
    return true;
}

static bool round_equal(struct parser *p, const struct sass_item *i)
{
    static const char *const integral[4] = {"ROUND", "FLOOR", "CEIL", "TRUNC"};
    static const char *const other[5] = {"", "RM", "RP", "RZ", "PASS"};
    uint64_t v = match(p, integral, 4, ".");
    if (v) {
        set_bit(p, 42);
        set(p, i->f, (uint64_t)__builtin_ctzll(v));
        return true;
    }
    v = (uint64_t)__builtin_ctzll(match(p, other, 5, "."));
    set(p, i->f, v == 4 ? 1 : v);
    return true;
}

/* Operand types: B's is written into the sign bit; its size too if B turns out to be a register. */
static bool video_types(struct parser *p, const struct sass_item *i)
{
    uint64_t a = match(p, sass_video_types, 16, "."), b = 0;
    if (a)
        b = match(p, sass_video_types, 16, ".");
    else
        a = b = 1ull << 14; /* S32, S32 */
    if (!a || !b)
        return false;
    unsigned va = (unsigned)__builtin_ctzll(a), vb = (unsigned)__builtin_ctzll(b);
    set(p, (struct sass_bits){36, 3}, va & 7);
    set(p, (struct sass_bits){48, 1}, va >> 3);
    if (i->style != VIDEO_SHIFT)
        set(p, (struct sass_bits){49, 1}, vb >> 3);
    set(p, (struct sass_bits){28, 3}, vb & 7);
    return true;
}

/* ---- operands -----------------------------------------------------------------------------------------------------
 */

static void prefix(struct parser *p, const struct sass_item *i)
{
    if (i->neg && eat(p, "-"))
        set_bit(p, i->neg);
    if (i->inv && eat(p, "~"))
        set_bit(p, i->inv);
    if (i->abs && eat(p, "|"))
        set_bit(p, i->abs);
}

static bool part(struct parser *p, const struct sass_item *i)
{
    if (!i->sf.width)
        return true;
    bool half = sass_field(p->word, (struct sass_bits){10, 2}) == 1;
    if (i->sf_rule == PART_BY_SIZE)
        return constrain(p, i->sf, no_bits, match(p, half ? sass_part_half : sass_part_byte, 4, "."));
    return constrain(p, i->sf, no_bits, match(p, i->names, i->count, "."));
}

static bool suffix(struct parser *p, const struct sass_item *i)
{
    if (!part(p, i))
        return false;
    if (i->abs && sass_bit(p->word, i->abs) && !eat(p, "|"))
        return false;
    if (i->reuse && eat_word(p, ".reuse"))
        p->control |= 1u << (16 + i->reuse);
    return true;
}

static bool reg(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    unsigned r = 0;
    bool ok = separator(p);
    prefix(p, i);
    bool brackets = i->style == REGISTER_BRACKETS;
    ok = ok && (!brackets || eat(p, "[")) && read_register(p, &r) && (!brackets || eat(p, "]"));
    if (!ok && i->style == REGISTER_OPTIONAL) {
        *p = before;
        r = 255;
        ok = true;
    } else if (ok) {
        ok = suffix(p, i);
    }
    set(p, i->f, r);
    return ok;
}

static bool predicate(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    unsigned r = 7;
    bool ok = separator(p);
    if (i->neg && eat(p, "!"))
        set_bit(p, i->neg);
    ok = ok && read_predicate(p, &r);
    if (!ok && (i->style == PREDICATE_OPTIONAL || i->style == PREDICATE_INVERTED_OPTIONAL)) {
        *p = before;
        ok = true;
        r = 7;
    }
    bool inverted = i->style == PREDICATE_INVERTED || i->style == PREDICATE_INVERTED_OPTIONAL;
    set(p, i->f, inverted ? r ^ 7 : r);
    return ok;
}

static bool read_bank(struct parser *p, uint64_t *bank)
{
    return eat(p, "c[") && read_number(p, bank) && *bank < 32 && eat(p, "]") && eat(p, "[");
}

static bool constant(struct parser *p, const struct sass_item *i)
{
    uint64_t bank, offset;
    if (!separator(p))
        return false;
    prefix(p, i);
    if (!read_bank(p, &bank) || !read_integer(p, 16, EITHER, &offset) || offset & 3 || !eat(p, "]"))
        return false;
    set(p, i->g, bank);
    set(p, i->f, offset / 4);
    return suffix(p, i);
}

static bool read_float(struct parser *p, enum sass_float f, unsigned dropped, uint64_t *bits)
{
    skip_space(p);
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
    set_value(p, i->f, i->g, bits);
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
    case IMM_S: return read_integer(p, (unsigned)i->f.width + i->g.width, SIGNED, v);
    case IMM_BY_SIGN: return read_integer(p, (unsigned)i->f.width + i->g.width, EITHER, v);
    default: return read_integer(p, (unsigned)i->f.width + i->g.width, UNSIGNED, v);
    }
}

static bool immediate(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    uint64_t v = i->style == IMM_QUAD ? 15 : i->style == IMM_U20_MASK ? 0xffff : 0;
    bool optional = i->style == IMM_QUAD || i->style == IMM_U20_MASK || i->style == IMM_U_OPTIONAL;
    if (i->style == IMM_BY_SOURCE) {
        if (!separator(p) || !read_by_source(p, i))
            return false;
        v = 0;
    } else if (!separator(p) || !read_immediate(p, i, &v)) {
        if (!optional)
            return false;
        *p = before;
    }
    set_value(p, i->f, i->g, v);
    if (i->neg && eat_word(p, ".NEG"))
        set_bit(p, i->neg);
    if (i->abs && eat_word(p, ".ABS"))
        set_bit(p, i->abs);
    if (i->inv && eat_word(p, ".INV"))
        set_bit(p, i->inv);
    return part(p, i);
}

static bool name(struct parser *p, const struct sass_item *i)
{
    return separator(p) && constrain(p, i->f, i->g, match(p, i->names, i->count, ""));
}

static bool address(struct parser *p, const struct sass_item *i)
{
    unsigned base = 255, width = i->f.width + i->style;
    uint64_t offset = 0;
    if (!separator(p) || !eat(p, "["))
        return false;
    if (!read_register(p, &base)) {
        if (!width || !read_integer(p, width, UNSIGNED, &offset))
            return false;
    } else if (eat(p, "+") && (!width || !read_integer(p, width, SIGNED, &offset))) {
        return false;
    }
    if (!eat(p, "]") || offset & ((1u << i->style) - 1))
        return false;
    set(p, (struct sass_bits){8, 8}, base);
    set(p, i->f, offset >> i->style);
    return true;
}

static bool read_indexed_constant(struct parser *p, struct sass_bits bank_bits, struct sass_bits offset_bits)
{
    uint64_t bank, offset = 0;
    unsigned base = 255;
    if (!read_bank(p, &bank))
        return false;
    bool with_register = read_register(p, &base);
    if (!with_register || eat(p, "+"))
        if (!read_integer(p, 16, SIGNED, &offset))
            return false;
    set(p, (struct sass_bits){8, 8}, base);
    set(p, bank_bits, bank);
    set(p, offset_bits, offset);
    return eat(p, "]");
}

static bool const_address(struct parser *p, const struct sass_item *i)
{
    return separator(p) && read_indexed_constant(p, i->g, i->f);
}

#define TARGET_BANK ((struct sass_bits){36, 5})
#define TARGET_OFFSET ((struct sass_bits){20, 16})

static bool target(struct parser *p, const struct sass_item *i)
{
    uint64_t v, bank;
    if (!separator(p))
        return false;
    if (!strncmp(p->at, "c[", 2)) {
        if (i->style || !read_bank(p, &bank) || !read_integer(p, 16, SIGNED, &v) || !eat(p, "]"))
            return false;
        set_bit(p, 5);
        set(p, TARGET_BANK, bank);
        set(p, TARGET_OFFSET, v);
        return true;
    }
    if (!read_integer(p, 32, EITHER, &v))
        return false;
    if (i->kind == SI_TARGET) {
        int64_t offset = (int64_t)(int32_t)v - p->address - 8, limit = 1ll << (i->f.width - 1);
        if (offset < -limit || offset >= limit)
            return false;
        v = (uint64_t)offset;
    }
    set(p, i->f, v);
    return true;
}

static bool target_indirect(struct parser *p, const struct sass_item *i)
{
    unsigned r;
    uint64_t offset = 0;
    if (!separator(p))
        return false;
    if (!strncmp(p->at, "c[", 2)) {
        set_bit(p, 5);
        return read_indexed_constant(p, TARGET_BANK, TARGET_OFFSET);
    }
    if (!read_register(p, &r))
        return false;
    skip_space(p);
    if ((*p->at == '-' || isdigit((unsigned char)*p->at)) && !read_integer(p, i->f.width, SIGNED, &offset))
        return false;
    set(p, (struct sass_bits){8, 8}, r);
    set(p, i->f, offset);
    return true;
}

static bool special(struct parser *p, const struct sass_item *i)
{
    if (!separator(p))
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
    if (id == 256 && (!eat(p, "SR") || !read_number(p, &number) || number > 255))
        return false;
    set(p, i->f, number);
    return !is_word(*p->at);
}

static bool cc_test(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    if (!separator(p) || strncmp(p->at, "CC.", 3)) {
        *p = before;
        set(p, i->f, 15);
        return true;
    }
    return constrain(p, i->f, no_bits, match(p, sass_cc_names, 32, "CC."));
}

static bool cas(struct parser *p, const struct sass_item *i)
{
    unsigned compare, swap, choice;
    if (!separator(p) || !read_register(p, &compare) || !separator(p) || !read_register(p, &swap))
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
    set(p, i->f, choice == 2 ? swap : compare);
    set(p, i->g, choice);
    return true;
}

static bool video_b(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    struct sass_item as_register = *i;
    as_register.style = REGISTER_PLAIN;
    if (reg(p, &as_register)) {
        set_bit(p, 50);
        return true;
    }
    *p = before;
    p->word &= ~(7ull << 28); /* the size that video_types wrote: part of the immediate here */
    uint64_t v;
    if (!separator(p))
        return false;
    if (i->style == VIDEO_B_UNSIGNED) {
        prefix(p, i);
        if (!read_integer(p, 16, UNSIGNED, &v))
            return false;
    } else if (!read_integer(p, 16, EITHER, &v)) {
        return false;
    }
    set(p, (struct sass_bits){20, 16}, v);
    return true;
}

static bool bytes_b(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    if (reg(p, i))
        return true;
    *p = before;
    uint64_t v;
    if (!separator(p) || !read_integer(p, 8, EITHER, &v))
        return false;
    set(p, i->f, v);
    set(p, i->sf, 15);
    return true;
}

static bool swizzle(struct parser *p, const struct sass_item *i)
{
    static const char *const signs[4] = {"PP", "NP", "PN", "ZP"};
    unsigned value = 0;
    if (!separator(p))
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
    set(p, i->f, value);
    return !is_word(*p->at);
}

static bool components(struct parser *p, const struct sass_item *i)
{
    bool one = sass_field(p->word, i->g) == 255;
    return separator(p) &&
           constrain(p, i->f, no_bits, match(p, one ? sass_components_one : sass_components_two, 8, ""));
}

static bool barriers(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    if (!separator(p) || !eat(p, "{")) {
        *p = before;
        return true;
    }
    do {
        uint64_t b;
        if (!read_number(p, &b) || b > 5)
            return false;
        set(p, i->f, 1u << b);
    } while (eat(p, ","));
    return eat(p, "}");
}

static bool barrier_name(struct parser *p, const struct sass_item *i)
{
    uint64_t b;
    if (!separator(p) || !eat(p, "SB") || !read_number(p, &b) || b > 5)
        return false;
    set(p, i->f, b);
    return true;
}

static bool choice(struct parser *p, const struct sass_item *i)
{
    struct parser before = *p;
    unsigned r;
    uint64_t v;
    if (separator(p) && read_register(p, &r)) {
        set(p, i->f, r);
        return true;
    }
    *p = before;
    set(p, i->g, 1);
    if (separator(p) && read_number(p, &v) && !(v >> i->sf.width)) {
        set(p, i->sf, v);
        return true;
    }
    p->at = before.at;
    p->operands = before.operands;
    return i->style;
}

static bool condition(struct parser *p, const struct sass_item *i)
{
    set(p, i->f, i->style);
    return true;
}

static bool (*const parse[])(struct parser *, const struct sass_item *) = {
    [SI_REQUIRE] = condition,
    [SI_DEFAULT] = condition,
    [SI_MODIFIER] = modifier,
    [SI_PHASE] = phase,
    [SI_ROUND_EQUAL] = round_equal,
    [SI_VIDEO_TYPES] = video_types,
    [SI_CC_NAME] = cc_name,
    [SI_REGISTER] = reg,
    [SI_PREDICATE] = predicate,
    [SI_CONSTANT] = constant,
    [SI_IMMEDIATE] = immediate,
    [SI_NAME] = name,
    [SI_ADDRESS] = address,
    [SI_CONST_ADDRESS] = const_address,
    [SI_TARGET] = target,
    [SI_TARGET_ABSOLUTE] = target,
    [SI_TARGET_INDIRECT] = target_indirect,
    [SI_TARGET_INDIRECT_ABSOLUTE] = target_indirect,
    [SI_SPECIAL] = special,
    [SI_CC_TEST] = cc_test,
    [SI_CAS] = cas,
    [SI_VIDEO_B] = video_b,
    [SI_BYTES_B] = bytes_b,
    [SI_SWIZZLE] = swizzle,
    [SI_COMPONENTS] = components,
    [SI_BARRIERS] = barriers,
    [SI_BARRIER_NAME] = barrier_name,
    [SI_CHOICE] = choice,
};

/* A field that decides how later items read is written at once if only one value is left. */
static void apply(struct parser *p)
{
    for (unsigned c = 0; c < p->constraint_count; c++) {
        const struct constraint *k = &p->constraints[c];
        set_value(p, k->f, k->g, (uint64_t)__builtin_ctzll(k->allowed));
    }
}

static bool parse_guard(struct parser *p)
{
    if (!eat(p, "@"))
        set(p, (struct sass_bits){16, 3}, 7);
    else {
        unsigned r;
        if (eat(p, "!"))
            set_bit(p, 19);
        if (!read_predicate(p, &r))
            return false;
        set(p, (struct sass_bits){16, 3}, r);
        p->guarded = true;
    }
    return true;
}

/* Reads the whole text as this row; true when nothing is left over. */
static bool parse_row(struct parser *p)
{
    p->word |= (uint64_t)p->row->value << 48;
    if (p->row->flags & SASS_NO_GUARD) {
        p->word &= ~(15ull << 16);
        if (p->guarded)
            return false;
    }
    for (const struct sass_item *i = p->row->items; i->kind != SI_END; i++) {
        if (i->kind == SI_IMMEDIATE || i->kind == SI_REGISTER || i->kind == SI_CONSTANT) {
            struct parser ahead = *p;
            apply(&ahead);
            /* sizes that say how the operand reads */
            p->word |= ahead.word & (3ull << 10);
        }
        if (!parse[i->kind](p, i))
            return false;
    }
    eat(p, ";");
    skip_space(p);
    apply(p);
    return !*p->at;
}

static bool same_text(const char *a, const char *b)
{
    for (;;) {
        while (isspace((unsigned char)*a) || *a == ';')
            a++;
        while (isspace((unsigned char)*b) || *b == ';')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

static bool none(const char *text, const char *name, int length, bool known, const struct beyond *beyond,
                 struct rp_error *err)
{
    if (beyond->at) {
        uint64_t half = 1ull << (beyond->width - 1);
        int number = (int)strspn(beyond->at, "-xXabcdefABCDEF0123456789");
        if (beyond->is_signed)
            return rp_fail(err, RP_BAD_INPUT, "'%s': %.*s is no signed number of %u bits: -0x%" PRIx64 " to 0x%" PRIx64,
                           text, number, beyond->at, beyond->width, half, half - 1);
        return rp_fail(err, RP_BAD_INPUT, "'%s': %.*s is no number of %u bits: 0 to 0x%" PRIx64, text, number,
                       beyond->at, beyond->width, 2 * half - 1);
    }
    return rp_fail(err, RP_BAD_INPUT,
                   known ? "'%s': no form of %.*s has these modifiers and operands" : "'%s': no such instruction %.*s",
                   text, length, name);
}

bool sass_assemble(const char *text, uint32_t address, enum sass_arch arch, uint64_t *word, uint32_t *control,
                   struct rp_error *err)
{
    struct beyond beyond = {NULL, 0, false};
    struct parser start = {.at = text, .beyond = &beyond, .address = address};
    const char *furthest = text;
    if (!parse_guard(&start))
        return rp_fail(err, RP_BAD_INPUT, "'%s': the guard is not a predicate P0 to P6 or PT", text);
    skip_space(&start);
    size_t length = strcspn(start.at, ". ;\t");
    bool known = false;
    for (unsigned r = 0; r < sass_row_count; r++) {
        const struct sass_row *row = &sass_rows[r];
        size_t n = strlen(row->name);
        if (!(row->archs & arch) || strncmp(row->name, start.at, n) || is_word(start.at[n]))
            continue;
        known = true;
        struct parser p = start;
        p.row = row;
        p.at += n;
        char again[SASS_TEXT_SIZE];
        bool read = parse_row(&p);
        furthest = p.at > furthest ? p.at : furthest;
        if (!read || !sass_print(p.word, p.control, address, arch, again, NULL))
            continue;
        *word = p.word;
        *control = p.control;
        if (same_text(text, again) || strpbrk(text, ".")) /* numbers may be spelled otherwise */
            return true;
    }
    if (furthest > beyond.at)
        beyond.at = NULL; /* some row had room for it */
    return none(text, start.at, (int)length, known, &beyond, err);
}
