/* The kinds of items that Volta to Hopper alone have: how each is printed, and how it is read. */
#include "frontend/isa/sass/parser.h"
#include "frontend/isa/sass/printer.h"
#include "frontend/isa/sass7x/table.h"

/* ---- IMAD by what it does ---- */

enum form { B_REGISTER = 1, C_IMMEDIATE, C_CONSTANT, B_IMMEDIATE };

static bool is_rz(struct isa_word w, unsigned at) { return sass_field(w, SASS_BITS((uint8_t)at, 8)) == 255; }

/* A product by an immediate. */
static const char *name_of_scaling(struct isa_word w)
{
    uint32_t by = (uint32_t)sass_field(w, SASS_BITS(32, 32));
    bool alone = is_rz(w, 64);
    if (!by || (by == 1 && alone))
        return "MOV";
    if (by == 1)
        return "IADD";
    bool shifts = !(by & (by - 1)) && by != 1u << 16 && by != 1u << 31;
    return shifts && alone ? "SHL" : "";
}

static const char *name_of_imad(struct isa_word w)
{
    unsigned form = (unsigned)sass_field(w, SASS_BITS(9, 3));
    if (is_rz(w, 24))
        return "MOV";
    switch (form) {
    case B_REGISTER: return is_rz(w, 32) ? "MOV" : "";
    case C_IMMEDIATE: return is_rz(w, 64) ? "MOV" : "";
    case C_CONSTANT: return is_rz(w, 64) && !sass_bit(w, 91) ? "MOV" : ""; /* 91: behind a descriptor */
    case B_IMMEDIATE: return name_of_scaling(w);
    default: return "";
    }
}

static void print_imad_alias(struct sass_printer *p, const struct sass_item *i)
{
    (void)i;
    print_modifier_name(p, name_of_imad(p->word));
}

/* The operands say it again. */
static bool parse_imad_alias(struct sass_parser *p, const struct sass_item *i)
{
    (void)i;
    (void)(asm_eat_word(p, ".MOV") || asm_eat_word(p, ".IADD") || asm_eat_word(p, ".SHL"));
    return true;
}

/* ---- operands ---- */

#define PREDICATE_AT(field)                                                                                            \
    {                                                                                                                  \
        .kind = SI_PREDICATE, .f = field                                                                               \
    }

static void print_predicate_pair(struct sass_printer *p, const struct sass_item *i)
{
    const struct sass_item first = PREDICATE_AT(i->f), second = PREDICATE_AT(i->g);
    if (sass_field(p->word, i->f) == 7)
        return;
    print_item(p, &first);
    print_item(p, &second);
}

static bool parse_predicate_pair(struct sass_parser *p, const struct sass_item *i)
{
    const struct sass_item first = PREDICATE_AT(i->f), second = PREDICATE_AT(i->g);
    struct sass_parser before = *p;
    if (asm_item(p, &first))
        return asm_item(p, &second);
    *p = before;
    asm_set(p, i->f, 7);
    asm_set(p, i->g, 7);
    return true;
}

static void print_swap_ur(struct sass_printer *p, const struct sass_item *i)
{
    print_separator(p);
    print_text(p, "UR%u", (unsigned)sass_field(p->word, i->f) + 2);
}

static bool parse_swap_ur(struct sass_parser *p, const struct sass_item *i)
{
    unsigned r;
    return asm_separator(p) && asm_read_register(p, i->file, 7, &r) && r == sass_field(p->word, i->f) + 2;
}

const struct sass_own sass7x_kinds[] = {
#define ROW_OF(kind, handler, meaning) [SI_##kind - SI_OWN] = {print_##handler, parse_##handler},
    SASS7X_KINDS(ROW_OF)
#undef ROW_OF
};
