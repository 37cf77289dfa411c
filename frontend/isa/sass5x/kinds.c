/* The kinds of items that only Maxwell and Pascal have: printing and reading. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "frontend/isa/sass/parser.h"
#include "frontend/isa/sass/printer.h"
#include "frontend/isa/sass5x/names.h"
#include "frontend/isa/sass5x/table.h"

#define REGISTER_A SASS_BITS(8, 8)

static void print_phase(struct sass_printer *p, const struct sass_item *i)
{
    (void)i;
    static const char *const names[4] = {"", "T", "P", NULL};
    const char *name = names[p->control >> 17 & 3];
    if (!name)
        p->problem = "reserved texture phase";
    print_modifier_name(p, name ? name : "");
}

static bool parse_phase(struct sass_parser *p, const struct sass_item *i)
{
    (void)i;
    p->control |= asm_eat_word(p, ".T") ? 1u << 17 : asm_eat_word(p, ".P") ? 2u << 17 : 0;
    return true;
}

static void print_round_equal(struct sass_printer *p, const struct sass_item *i)
{
    static const char *const integral[4] = {"ROUND", "FLOOR", "CEIL", "TRUNC"}, *const directed[4] = {"", "RM", "RP",
                                                                                                      "RZ"};
    unsigned mode = sass_field(p->word, i->f);
    bool equal = sass_field(p->word, SASS_BITS(8, 2)) == sass_field(p->word, SASS_BITS(10, 2));
    if (!equal)
        print_modifier_name(p, directed[mode]);
    else if (sass_bit(p->word, 42))
        print_modifier_name(p, integral[mode]);
    else
        print_modifier_name(p, mode ? "PASS" : "");
}

static bool parse_round_equal(struct sass_parser *p, const struct sass_item *i)
{
    static const char *const integral[4] = {"ROUND", "FLOOR", "CEIL", "TRUNC"};
    static const char *const other[5] = {"", "RM", "RP", "RZ", "PASS"};
    sass_values integral_ones = asm_match(p, integral, 4, ".");
    if (integral_ones) {
        asm_set_bit(p, 42);
        asm_set(p, i->f, asm_least(integral_ones));
        return true;
    }
    unsigned v = asm_least(asm_match(p, other, 5, "."));
    asm_set(p, i->f, v == 4 ? 1 : v);
    return true;
}

static void print_video_types(struct sass_printer *p, const struct sass_item *i)
{
    bool b_register = sass_bit(p->word, 50), shift = i->style == VIDEO_SHIFT;
    bool b_signed = !shift && sass_bit(p->word, 49);
    const char *a = sass_video_types[sass_field(p->word, SASS_BITS(36, 3)) | sass_bit(p->word, 48) << 3];
    const char *b = b_signed ? "S16" : "U16";
    if (b_register)
        b = sass_video_types[sass_field(p->word, SASS_BITS(28, 3)) | (unsigned)b_signed << 3];
    if (!a || !b) {
        p->problem = "reserved operand size";
        return;
    }
    bool b_is_usual = !strcmp(b, shift ? "U32" : "S32");
    if (!b_register)
        b_is_usual = shift || (b_signed && i->style != VIDEO_SHOW_IMMEDIATE);
    if (strcmp(a, "S32") || !b_is_usual)
        print_text(p, ".%s.%s", a, b);
}

/* Reads the operand types. B's type is written into the sign bit and, in case B turns out to be a register, into its
 * size. */
static bool parse_video_types(struct sass_parser *p, const struct sass_item *i)
{
    sass_values a = asm_match(p, sass_video_types, 16, "."), b = 0;
    if (a)
        b = asm_match(p, sass_video_types, 16, ".");
    else
        a = b = SASS_VALUE(14); /* S32, S32 */
    if (!a || !b)
        return false;
    unsigned va = asm_least(a), vb = asm_least(b);
    asm_set(p, SASS_BITS(36, 3), va & 7);
    asm_set(p, SASS_BITS(48, 1), va >> 3);
    if (i->style != VIDEO_SHIFT)
        asm_set(p, SASS_BITS(49, 1), vb >> 3);
    asm_set(p, SASS_BITS(28, 3), vb & 7);
    return true;
}

/* ---- branches ---- */

/* Bit 5: the target is in constant memory. */
enum { IN_CONSTANT = 5 };
#define OFFSET                                                                                                         \
    {                                                                                                                  \
        .kind = SI_IMMEDIATE, .style = IMM_S, .f = { 20, 16 }                                                          \
    }
static const struct sass_item register_offset[] = {{.kind = SI_REGISTER, .f = {8, 8}}, OFFSET, {.kind = SI_END}};
static const struct sass_item constant = {
    .kind = SI_INDEXED, .style = ADDRESS_ZERO_OFFSET, .g = {36, 5}, .parts = register_offset + 1};
static const struct sass_item constant_indexed = {
    .kind = SI_INDEXED, .style = ADDRESS_ZERO_OFFSET, .g = {36, 5}, .parts = register_offset};

static bool is_in_constant(const struct sass_parser *p)
{
    struct sass_parser ahead = *p;
    return asm_separator(&ahead) && !strncmp(ahead.at, "c[", 2);
}

static void print_branch(struct sass_printer *p, const struct sass_item *i)
{
    if (sass_bit(p->word, IN_CONSTANT)) {
        print_item(p, &constant);
    } else if (i->kind == SI_BRANCH) {
        print_target(p, i);
    } else {
        print_separator(p);
        print_text(p, "0x%x", (unsigned)sass_field(p->word, i->f));
    }
}

static bool parse_branch(struct sass_parser *p, const struct sass_item *i)
{
    uint64_t v;
    if (is_in_constant(p)) {
        asm_set_bit(p, IN_CONSTANT);
        return asm_item(p, &constant);
    }
    if (i->kind == SI_BRANCH)
        return asm_target(p, i);
    if (!asm_separator(p) || !asm_read_integer(p, 32, EITHER, &v))
        return false;
    asm_set(p, i->f, v);
    return true;
}

static void print_branch_indirect(struct sass_printer *p, const struct sass_item *i)
{
    if (sass_bit(p->word, IN_CONSTANT)) {
        print_item(p, &constant_indexed);
        return;
    }
    int64_t offset = sass_sign_extend(sass_field(p->word, i->f), i->f.width);
    print_separator(p);
    print_register_name(p, FILE_GENERAL, REGISTER_A);
    if (offset) {
        print_text(p, " ");
        print_signed(p, offset);
    }
}

static bool parse_branch_indirect(struct sass_parser *p, const struct sass_item *i)
{
    unsigned r;
    uint64_t offset = 0;
    if (is_in_constant(p)) {
        asm_set_bit(p, IN_CONSTANT);
        return asm_item(p, &constant_indexed);
    }
    if (!asm_separator(p) || !asm_read_register(p, FILE_GENERAL, 8, &r))
        return false;
    asm_skip_space(p);
    if ((*p->at == '-' || isdigit((unsigned char)*p->at)) && !asm_read_integer(p, i->f.width, SIGNED, &offset))
        return false;
    asm_set(p, REGISTER_A, r);
    asm_set(p, i->f, offset);
    return true;
}

/* ---- operands ---- */

static void print_cc_test(struct sass_printer *p, const struct sass_item *i)
{
    unsigned test = sass_field(p->word, i->f);
    if (test == 15)
        return;
    print_separator(p);
    print_text(p, "CC.%s", sass_cc_names[test]);
}

static bool parse_cc_test(struct sass_parser *p, const struct sass_item *i)
{
    struct sass_parser before = *p;
    if (!asm_separator(p) || strncmp(p->at, "CC.", 3)) {
        *p = before;
        asm_set(p, i->f, 15);
        return true;
    }
    return asm_constrain(p, i->f, SASS_BITS(0, 0), asm_match(p, sass_cc_names, 32, "CC."));
}

static void put_register(struct sass_printer *p, unsigned r)
{
    if (r == 255)
        print_text(p, "RZ");
    else
        print_text(p, "R%u", r);
}

static void print_cas(struct sass_printer *p, const struct sass_item *i)
{
    unsigned r = sass_field(p->word, i->f), choice = sass_field(p->word, i->g), step = 1 + sass_field(p->word, i->sf);
    if ((choice == 0 && r + step > 254) || (choice == 3 && r != 255)) {
        p->problem = "no swap register";
        return;
    }
    print_separator(p);
    put_register(p, choice < 2 ? r : 255);
    print_separator(p);
    put_register(p, choice == 0 ? r + step : choice == 2 ? r : 255);
}

static bool parse_cas(struct sass_parser *p, const struct sass_item *i)
{
    unsigned compare, swap, choice;
    if (!asm_separator(p) || !asm_read_register(p, FILE_GENERAL, 8, &compare) || !asm_separator(p) ||
        !asm_read_register(p, FILE_GENERAL, 8, &swap))
        return false;
    /* the size modifier comes before, and is among the constraints */
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

static void print_video_b(struct sass_printer *p, const struct sass_item *i)
{
    if (sass_bit(p->word, 50)) {
        struct sass_item as_register = *i;
        as_register.style = REGISTER_PLAIN;
        print_register(p, &as_register);
        return;
    }
    print_separator(p);
    uint64_t v = sass_field(p->word, SASS_BITS(20, 16));
    print_text(p, "%s", print_is_negated(p, i) ? "-" : "");
    print_signed(p, i->style == VIDEO_B_BY_SIGN && sass_bit(p->word, 49) ? sass_sign_extend(v, 16) : (int64_t)v);
}

static bool parse_video_b(struct sass_parser *p, const struct sass_item *i)
{
    struct sass_parser before = *p;
    struct sass_item as_register = *i;
    as_register.style = REGISTER_PLAIN;
    if (asm_register(p, &as_register)) {
        asm_set_bit(p, 50);
        return true;
    }
    *p = before;
    sass_clear(&p->word,
               SASS_BITS(28, 3)); /* VIDEO_TYPES has written a size, but here these bits belong to the immediate */
    uint64_t v;
    if (!asm_separator(p))
        return false;
    if (i->style == VIDEO_B_UNSIGNED) {
        asm_prefix(p, i);
        if (!asm_read_integer(p, 16, UNSIGNED, &v))
            return false;
    } else if (!asm_read_integer(p, 16, EITHER, &v)) {
        return false;
    }
    asm_set(p, SASS_BITS(20, 16), v);
    return true;
}

static void print_bytes_b(struct sass_printer *p, const struct sass_item *i)
{
    if (sass_field(p->word, i->sf) != 15) {
        struct sass_item as_register = *i;
        as_register.style = REGISTER_PLAIN;
        print_register(p, &as_register);
        return;
    }
    print_separator(p);
    uint64_t v = sass_field(p->word, i->f);
    print_signed(p, sass_bit(p->word, 49) ? sass_sign_extend(v, 8) : (int64_t)v);
}

static bool parse_bytes_b(struct sass_parser *p, const struct sass_item *i)
{
    struct sass_parser before = *p;
    if (asm_register(p, i))
        return true;
    *p = before;
    uint64_t v;
    if (!asm_separator(p) || !asm_read_integer(p, 8, EITHER, &v))
        return false;
    asm_set(p, i->f, v);
    asm_set(p, i->sf, 15);
    return true;
}

static void print_components(struct sass_printer *p, const struct sass_item *i)
{
    bool one = sass_field(p->word, i->g) == 255;
    const char *n = (one ? sass_components_one : sass_components_two)[sass_field(p->word, i->f)];
    if (!n)
        p->problem = "reserved set of components";
    print_separator(p);
    print_text(p, "%s", n ? n : "");
}

static bool parse_components(struct sass_parser *p, const struct sass_item *i)
{
    bool one = sass_field(p->word, i->g) == 255;
    return asm_separator(p) && asm_constrain(p, i->f, SASS_BITS(0, 0),
                                             asm_match(p, one ? sass_components_one : sass_components_two, 8, ""));
}

static void print_choice(struct sass_printer *p, const struct sass_item *i)
{
    bool is_immediate = sass_field(p->word, i->g);
    uint64_t v = sass_field(p->word, i->sf);
    if (is_immediate && !v && i->style)
        return;
    print_separator(p);
    if (is_immediate)
        print_text(p, "0x%" PRIx64, v);
    else
        put_register(p, sass_field(p->word, i->f));
}

static bool parse_choice(struct sass_parser *p, const struct sass_item *i)
{
    struct sass_parser before = *p;
    unsigned r;
    uint64_t v;
    if (asm_separator(p) && asm_read_register(p, FILE_GENERAL, 8, &r)) {
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

const struct sass_own sass5x_kinds[] = {
#define ROW_OF(kind, handler, meaning) [SI_##kind - SI_OWN] = {print_##handler, parse_##handler},
    SASS5X_KINDS(ROW_OF)
#undef ROW_OF
};
