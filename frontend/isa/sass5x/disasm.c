#include "frontend/isa/sass5x/disasm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/sass5x/names.h"
#include "frontend/isa/sass5x/number.h"

struct printer {
    uint64_t word;
    uint32_t control, address;
    enum sass_arch arch;
    const struct sass_row *row;
    char *out;
    size_t length;
    unsigned operands;
    const char *problem; /* why the word cannot be printed */
};

__attribute__((format(printf, 2, 3))) static void put(struct printer *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(p->out + p->length, SASS_TEXT_SIZE - p->length, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= SASS_TEXT_SIZE - p->length)
        p->problem = "text too long";
    else
        p->length += (size_t)n;
}

static void separate(struct printer *p) { put(p, p->operands++ ? ", " : " "); }

static bool bit(const struct printer *p, unsigned at) { return at && sass_bit(p->word, at); }

static bool negated(const struct printer *p, const struct sass_item *i)
{
    bool plus_one = i->po && sass_field(p->word, (struct sass_bits){i->po, 2}) == 3;
    return bit(p, i->neg) && !plus_one;
}

static int64_t sign_extend(uint64_t v, unsigned width) { return (int64_t)(v << (64 - width)) >> (64 - width); }

static void put_signed(struct printer *p, int64_t v)
{
    put(p, v < 0 ? "-0x%" PRIx64 : "0x%" PRIx64, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void put_register(struct printer *p, unsigned r)
{
    if (r == 255)
        put(p, "RZ");
    else
        put(p, "R%u", r);
}

static const char *name_of(struct printer *p, const struct sass_item *i, uint64_t value)
{
    const char *name = value < i->count ? i->names[value] : NULL;
    if (!name)
        p->problem = "reserved value in a field";
    return name ? name : "";
}

/* ---- modifiers ----------------------------------------------------------------------------------------------------
 */

static void put_modifier(struct printer *p, const char *name)
{
    if (*name)
        put(p, ".%s", name);
}

static void print_modifier(struct printer *p, const struct sass_item *i)
{
    put_modifier(p, name_of(p, i, sass_value(p->word, i)));
}

static void print_cc_name(struct printer *p, const struct sass_item *i)
{
    put_modifier(p, sass_cc_names[sass_field(p->word, i->f)]);
}

static void print_phase(struct printer *p, const struct sass_item *i)
{
    (void)i;
    static const char *const names[4] = {"", "T", "P", NULL};
    const char *name = names[p->control >> 17 & 3];
    if (!name)
        p->problem = "reserved texture phase";
    put_modifier(p, name ? name : "");
}

static void print_round_equal(struct printer *p, const struct sass_item *i)
{
    static const char *const integral[4] = {"ROUND", "FLOOR", "CEIL", "TRUNC"}, *const directed[4] = {"", "RM", "RP",
                                                                                                      "RZ"};
    unsigned mode = sass_field(p->word, i->f);
    bool equal = sass_field(p->word, (struct sass_bits){8, 2}) == sass_field(p->word, (struct sass_bits){10, 2});
    if (!equal)
        put_modifier(p, directed[mode]);
    else if (sass_bit(p->word, 42))
        put_modifier(p, integral[mode]);
    else
        put_modifier(p, mode ? "PASS" : "");
}

static void print_video_types(struct printer *p, const struct sass_item *i)
{
    bool b_register = sass_bit(p->word, 50), shift = i->style == VIDEO_SHIFT;
    bool b_signed = !shift && sass_bit(p->word, 49);
    const char *a = sass_video_types[sass_field(p->word, (struct sass_bits){36, 3}) | sass_bit(p->word, 48) << 3];
    const char *b = b_signed ? "S16" : "U16";
    if (b_register)
        b = sass_video_types[sass_field(p->word, (struct sass_bits){28, 3}) | (unsigned)b_signed << 3];
    if (!a || !b) {
        p->problem = "reserved operand size";
        return;
    }
    bool b_is_usual = !strcmp(b, shift ? "U32" : "S32");
    if (!b_register)
        b_is_usual = shift || (b_signed && i->style != VIDEO_SHOW_IMMEDIATE);
    if (strcmp(a, "S32") || !b_is_usual)
        put(p, ".%s.%s", a, b);
}

/* ---- operands -----------------------------------------------------------------------------------------------------
 */

static const char *part_of(struct printer *p, const struct sass_item *i)
{
    if (!i->sf.width)
        return "";
    unsigned value = sass_field(p->word, i->sf);
    bool half = sass_field(p->word, (struct sass_bits){10, 2}) == 1;
    if (i->sf_rule == PART_OF_F16 && !half)
        return "";
    if (i->sf_rule != PART_BY_SIZE)
        return name_of(p, i, value);
    const char *name = half ? sass_part_half[value] : sass_part_byte[value];
    if (!name)
        p->problem = "reserved part of a register";
    return name ? name : "";
}

static void put_prefix(struct printer *p, const struct sass_item *i)
{
    put(p, "%s%s%s", negated(p, i) ? "-" : "", bit(p, i->inv) ? "~" : "", bit(p, i->abs) ? "|" : "");
}

static bool vmad_is_wide(uint64_t word)
{
    return sass_field(word, (struct sass_bits){36, 3}) == 6 ||
           (sass_bit(word, 50) && sass_field(word, (struct sass_bits){28, 3}) == 6);
}

static bool has_reuse(const struct printer *p)
{
    unsigned to = sass_field(p->word, (struct sass_bits){8, 2}), from = sass_field(p->word, (struct sass_bits){10, 2});
    switch (p->row->latency) {
    case LATENCY_VARIABLE: return false;
    case LATENCY_VARIABLE_R60: return p->arch & SASS_FROM_60;
    case LATENCY_CONVERT: return p->arch & SASS_FROM_60 && (to == 3 || from == 3) && from != 1;
    case LATENCY_CONVERT_F: return p->arch & SASS_FROM_60 && (to == 3 || from == 3);
    case LATENCY_VMAD: return !vmad_is_wide(p->word);
    default: return true;
    }
}

static void put_suffix(struct printer *p, const struct sass_item *i)
{
    put_modifier(p, part_of(p, i));
    put(p, "%s", bit(p, i->abs) ? "|" : "");
    if (i->reuse && has_reuse(p) && p->control >> (16 + i->reuse) & 1)
        put(p, ".reuse");
}

static void print_register(struct printer *p, const struct sass_item *i)
{
    unsigned r = sass_field(p->word, i->f);
    if (i->style == REGISTER_OPTIONAL && r == 255)
        return;
    separate(p);
    put_prefix(p, i);
    put(p, "%s", i->style == REGISTER_BRACKETS ? "[" : "");
    put_register(p, r);
    put(p, "%s", i->style == REGISTER_BRACKETS ? "]" : "");
    put_suffix(p, i);
}

static void print_predicate(struct printer *p, const struct sass_item *i)
{
    unsigned r = sass_field(p->word, i->f);
    if (i->style == PREDICATE_INVERTED || i->style == PREDICATE_INVERTED_OPTIONAL)
        r ^= 7;
    if (r == 7 && (i->style == PREDICATE_OPTIONAL || i->style == PREDICATE_INVERTED_OPTIONAL))
        return;
    separate(p);
    put(p, "%s", bit(p, i->neg) ? "!" : "");
    if (r == 7)
        put(p, "PT");
    else
        put(p, "P%u", r);
}

static void print_constant(struct printer *p, const struct sass_item *i)
{
    separate(p);
    put_prefix(p, i);
    put(p, "c[0x%x][", (unsigned)sass_field(p->word, i->g));
    put_signed(p, (int16_t)(sass_field(p->word, i->f) * 4));
    put(p, "]");
    put_suffix(p, i);
}

static void put_float(struct printer *p, enum sass_float f, uint64_t bits)
{
    char text[64];
    sass_float_print(text, sizeof text, f, bits);
    put(p, "%s", text);
}

static void put_by_source(struct printer *p, const struct sass_item *i)
{
    uint64_t low = sass_field(p->word, i->f), sign = sass_field(p->word, i->g);
    switch (sass_field(p->word, (struct sass_bits){10, 2})) {
    case 1: put_float(p, FLOAT_16, low & 0xffff); break;
    case 2: put_float(p, FLOAT_32, low << 12 | sign << 31); break;
    default: put_float(p, FLOAT_64, low << 44 | sign << 63); break;
    }
}

static void put_immediate(struct printer *p, const struct sass_item *i)
{
    uint64_t f = sass_field(p->word, i->f), v = sass_value(p->word, i);
    switch (i->style) {
    case IMM_S20: put_signed(p, sign_extend(v, 20)); break;
    case IMM_F20: put_float(p, FLOAT_32, f << 12 | (v >> 19) << 31); break;
    case IMM_D20: put_float(p, FLOAT_64, f << 44 | (v >> 19) << 63); break;
    case IMM_F32: put_float(p, FLOAT_32, v); break;
    case IMM_F16_9: put_float(p, FLOAT_16, v << 6); break;
    case IMM_F16: put_float(p, FLOAT_16, v); break;
    case IMM_BY_SOURCE: put_by_source(p, i); break;
    case IMM_S: put_signed(p, sign_extend(v, i->f.width)); break;
    case IMM_BY_SIGN: put_signed(p, sass_bit(p->word, 49) ? sign_extend(v, 16) : (int64_t)v); break;
    default: put(p, "0x%" PRIx64, v);
    }
}

static void print_immediate(struct printer *p, const struct sass_item *i)
{
    uint64_t v = sass_value(p->word, i);
    if ((i->style == IMM_U_OPTIONAL && !v) || (i->style == IMM_QUAD && v == 15) ||
        (i->style == IMM_U20_MASK && v == 0xffff))
        return;
    separate(p);
    put_immediate(p, i);
    put(p, "%s%s%s", negated(p, i) ? ".NEG" : "", bit(p, i->abs) ? ".ABS" : "", bit(p, i->inv) ? ".INV" : "");
    put_modifier(p, part_of(p, i));
}

static void print_name(struct printer *p, const struct sass_item *i)
{
    const char *n = name_of(p, i, sass_value(p->word, i));
    separate(p);
    put(p, "%s", n);
}

static void print_address(struct printer *p, const struct sass_item *i)
{
    unsigned base = sass_field(p->word, (struct sass_bits){8, 8});
    uint64_t offset = sass_field(p->word, i->f) << i->style;
    separate(p);
    put(p, "[");
    if (base != 255 || !offset)
        put_register(p, base);
    if (base == 255 && offset)
        put(p, "0x%" PRIx64, offset);
    else if (offset) {
        put(p, "+");
        put_signed(p, sign_extend(offset, i->f.width + i->style));
    }
    put(p, "]");
}

/* c[bank][register + offset]; a bank with RZ is like any constant. */
static void put_indexed_constant(struct printer *p, struct sass_bits bank, struct sass_bits offset_bits)
{
    unsigned base = sass_field(p->word, (struct sass_bits){8, 8});
    int16_t offset = (int16_t)sass_field(p->word, offset_bits);
    put(p, "c[0x%x][", (unsigned)sass_field(p->word, bank));
    if (base != 255)
        put_register(p, base);
    if (base != 255 && offset)
        put(p, "+");
    if (base == 255 || offset)
        put_signed(p, offset);
    put(p, "]");
}

static void print_const_address(struct printer *p, const struct sass_item *i)
{
    separate(p);
    put_indexed_constant(p, i->g, i->f);
}

#define TARGET_BANK ((struct sass_bits){36, 5})
#define TARGET_OFFSET ((struct sass_bits){20, 16})

static void print_target(struct printer *p, const struct sass_item *i)
{
    separate(p);
    if (sass_bit(p->word, 5) && !i->style) {
        put(p, "c[0x%x][", (unsigned)sass_field(p->word, TARGET_BANK));
        put_signed(p, (int16_t)sass_field(p->word, TARGET_OFFSET));
        put(p, "]");
    } else if (i->kind == SI_TARGET_ABSOLUTE) {
        put(p, "0x%x", (unsigned)sass_field(p->word, i->f));
    } else {
        put_signed(p, (int64_t)p->address + 8 + sign_extend(sass_field(p->word, i->f), i->f.width));
    }
}

static void print_target_indirect(struct printer *p, const struct sass_item *i)
{
    separate(p);
    if (sass_bit(p->word, 5)) {
        put_indexed_constant(p, TARGET_BANK, TARGET_OFFSET);
        return;
    }
    int64_t offset = sign_extend(sass_field(p->word, i->f), i->f.width);
    put_register(p, sass_field(p->word, (struct sass_bits){8, 8}));
    if (offset) {
        put(p, " ");
        put_signed(p, offset);
    }
}

static void print_special(struct printer *p, const struct sass_item *i)
{
    unsigned id = sass_field(p->word, i->f);
    separate(p);
    if (sass_special_names[id])
        put(p, "%s", sass_special_names[id]);
    else
        put(p, "SR%u", id);
}

static void print_cc_test(struct printer *p, const struct sass_item *i)
{
    unsigned test = sass_field(p->word, i->f);
    if (test == 15)
        return;
    separate(p);
    put(p, "CC.%s", sass_cc_names[test]);
}

static void print_cas(struct printer *p, const struct sass_item *i)
{
    unsigned r = sass_field(p->word, i->f), choice = sass_field(p->word, i->g), step = 1 + sass_field(p->word, i->sf);
    if ((choice == 0 && r + step > 254) || (choice == 3 && r != 255)) {
        p->problem = "no swap register";
        return;
    }
    separate(p);
    put_register(p, choice < 2 ? r : 255);
    separate(p);
    put_register(p, choice == 0 ? r + step : choice == 2 ? r : 255);
}

static void print_video_b(struct printer *p, const struct sass_item *i)
{
    if (sass_bit(p->word, 50)) {
        struct sass_item as_register = *i;
        as_register.style = REGISTER_PLAIN;
        print_register(p, &as_register);
        return;
    }
    separate(p);
    uint64_t v = sass_field(p->word, (struct sass_bits){20, 16});
    put(p, "%s", negated(p, i) ? "-" : "");
    put_signed(p, i->style == VIDEO_B_BY_SIGN && sass_bit(p->word, 49) ? sign_extend(v, 16) : (int64_t)v);
}

static void print_bytes_b(struct printer *p, const struct sass_item *i)
{
    if (sass_field(p->word, i->sf) != 15) {
        struct sass_item as_register = *i;
        as_register.style = REGISTER_PLAIN;
        print_register(p, &as_register);
        return;
    }
    separate(p);
    uint64_t v = sass_field(p->word, i->f);
    put_signed(p, sass_bit(p->word, 49) ? sign_extend(v, 8) : (int64_t)v);
}

static void print_swizzle(struct printer *p, const struct sass_item *i)
{
    static const char *const signs[4] = {"PP", "NP", "PN", "ZP"};
    unsigned v = sass_field(p->word, i->f);
    separate(p);
    put(p, "%s%s%s%s", signs[v >> 6], signs[v >> 4 & 3], signs[v >> 2 & 3], signs[v & 3]);
}

static void print_components(struct printer *p, const struct sass_item *i)
{
    bool one = sass_field(p->word, i->g) == 255;
    const char *n = (one ? sass_components_one : sass_components_two)[sass_field(p->word, i->f)];
    if (!n)
        p->problem = "reserved set of components";
    separate(p);
    put(p, "%s", n ? n : "");
}

static void print_barriers(struct printer *p, const struct sass_item *i)
{
    unsigned set = sass_field(p->word, i->f);
    if (!set)
        return;
    separate(p);
    char open = '{';
    for (int b = 5; b >= 0; b--)
        if (set >> b & 1) {
            put(p, "%c%d", open, b);
            open = ',';
        }
    put(p, "}");
}

static void print_barrier_name(struct printer *p, const struct sass_item *i)
{
    unsigned b = sass_field(p->word, i->f);
    if (b > 5)
        p->problem = "no such dependency barrier";
    separate(p);
    put(p, "SB%u", b);
}

static void print_choice(struct printer *p, const struct sass_item *i)
{
    bool is_immediate = sass_field(p->word, i->g);
    uint64_t v = sass_field(p->word, i->sf);
    if (is_immediate && !v && i->style)
        return;
    separate(p);
    if (is_immediate)
        put(p, "0x%" PRIx64, v);
    else
        put_register(p, sass_field(p->word, i->f));
}

static void print_unprinted(struct printer *p, const struct sass_item *i)
{
    (void)p;
    (void)i;
}

static void (*const print[])(struct printer *, const struct sass_item *) = {
#define ROW_OF(kind, handler, meaning) [SI_##kind] = print_##handler,
    SASS_KINDS(ROW_OF)
#undef ROW_OF
};

static void put_guard(struct printer *p)
{
    unsigned guard = sass_field(p->word, (struct sass_bits){16, 3});
    bool negate = sass_bit(p->word, 19);
    if (p->row->flags & SASS_NO_GUARD || (guard == 7 && !negate))
        return;
    if (guard == 7)
        put(p, "@%sPT ", negate ? "!" : "");
    else
        put(p, "@%sP%u ", negate ? "!" : "", guard);
}

bool sass_print(uint64_t word, uint32_t control, uint32_t address, enum sass_arch arch, char text[SASS_TEXT_SIZE],
                struct rp_error *err)
{
    struct printer p = {.word = word, .control = control, .address = address, .arch = arch, .out = text};
    p.row = sass_find(word, arch);
    text[0] = 0;
    if (!p.row)
        return rp_fail(err, RP_BAD_INPUT, "unknown instruction 0x%016" PRIx64 " at address 0x%x", word, address);
    put_guard(&p);
    put(&p, "%s", p.row->name);
    for (const struct sass_item *i = p.row->items; i->kind != SI_END; i++)
        print[i->kind](&p, i);
    if (p.problem)
        return rp_fail(err, RP_BAD_INPUT, "illegal instruction 0x%016" PRIx64 " at address 0x%x: %s, %s", word, address,
                       p.row->name, p.problem);
    return true;
}
