#include "frontend/isa/sass/disasm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/sass/printer.h"

void print_text(struct sass_printer *p, const char *format, ...)
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

void print_separator(struct sass_printer *p) { print_text(p, p->operands++ && !p->joined ? ", " : " "); }

static bool bit(const struct sass_printer *p, unsigned at) { return at && sass_bit(p->word, at); }

bool print_is_negated(const struct sass_printer *p, const struct sass_item *i)
{
    bool plus_one = i->po && sass_field(p->word, SASS_BITS(i->po, 2)) == 3;
    return bit(p, i->neg) && !plus_one;
}

void print_signed(struct sass_printer *p, int64_t v)
{
    print_text(p, v < 0 ? "-0x%" PRIx64 : "0x%" PRIx64, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static bool is_all_ones(const struct sass_printer *p, struct sass_bits b)
{
    return sass_field(p->word, b) == (1ull << b.width) - 1;
}

void print_register_name(struct sass_printer *p, enum sass_file file, struct sass_bits at)
{
    static const char *const letters[] = {[FILE_GENERAL] = "R", [FILE_UNIFORM] = "UR", [FILE_BARRIER] = "B"};
    if (file != FILE_BARRIER && is_all_ones(p, at))
        print_text(p, "%sZ", letters[file]);
    else
        print_text(p, "%s%u", letters[file], (unsigned)sass_field(p->word, at));
}

static void put_predicate(struct sass_printer *p, bool uniform, bool negated, unsigned n)
{
    print_text(p, "%s%sP", negated ? "!" : "", uniform ? "U" : "");
    if (n == 7)
        print_text(p, "T");
    else
        print_text(p, "%u", n);
}

const char *print_name_of(struct sass_printer *p, const struct sass_item *i, uint64_t value)
{
    const char *name = value < i->count ? i->names[value] : NULL;
    if (!name)
        p->problem = "reserved value in a field";
    return name ? name : "";
}

/* ---- modifiers ----------------------------------------------------------------------------------------------------
 */

void print_modifier_name(struct sass_printer *p, const char *name)
{
    if (*name)
        print_text(p, ".%s", name);
}

static void print_modifier(struct sass_printer *p, const struct sass_item *i)
{
    print_modifier_name(p, print_name_of(p, i, sass_value(p->word, i)));
}

/* ---- operands -----------------------------------------------------------------------------------------------------
 */

static void put_part(struct sass_printer *p, const struct sass_item *i)
{
    if (i->count)
        print_modifier_name(p, print_name_of(p, i, sass_part(p->word, i)));
}

static void put_prefix(struct sass_printer *p, const struct sass_item *i)
{
    print_text(p, "%s%s%s", print_is_negated(p, i) ? "-" : "", bit(p, i->inv) ? "~" : "", bit(p, i->abs) ? "|" : "");
}

static bool is_reused(const struct sass_printer *p, const struct sass_item *i)
{
    const struct sass_table *t = p->site->table;
    return i->reuse && p->control >> (16 + i->reuse) & 1 &&
           (!t->has_reuse || t->has_reuse(p->row, p->word, p->site->arch));
}

static void put_suffix(struct sass_printer *p, const struct sass_item *i)
{
    bool part_is_last = sass_part_is_last(p->site->table, i);
    if (!part_is_last)
        put_part(p, i);
    print_text(p, "%s%s", bit(p, i->abs) ? "|" : "", is_reused(p, i) ? ".reuse" : "");
    if (part_is_last)
        put_part(p, i);
}

void print_register(struct sass_printer *p, const struct sass_item *i)
{
    bool brackets = i->style == REGISTER_BRACKETS;
    if (i->style == REGISTER_OPTIONAL && is_all_ones(p, i->f))
        return;
    print_separator(p);
    put_prefix(p, i);
    print_text(p, brackets ? "[" : "");
    print_register_name(p, i->file, i->f);
    print_text(p, brackets ? "]" : "");
    put_suffix(p, i);
}

static void print_predicate(struct sass_printer *p, const struct sass_item *i)
{
    unsigned r = (unsigned)sass_field(p->word, i->f);
    if (i->style == PREDICATE_INVERTED || i->style == PREDICATE_INVERTED_OPTIONAL)
        r ^= 7;
    bool optional = i->style == PREDICATE_OPTIONAL || i->style == PREDICATE_INVERTED_OPTIONAL;
    if (optional && r == 7 && !bit(p, i->neg))
        return;
    print_separator(p);
    put_predicate(p, i->file == FILE_UNIFORM, bit(p, i->neg), r);
}

/* ---- addresses ---- */

/* Whether a part of an address is not printed: it adds nothing, and no name follows it. */
static bool is_silent(const struct sass_printer *p, const struct sass_item *part)
{
    uint64_t name = sass_part(p->word, part);
    if (part->kind != SI_REGISTER)
        return !sass_value(p->word, part);
    if (part->style == REGISTER_SHOWN || !is_all_ones(p, part->f))
        return false;
    return part->sf_rule == PART_SILENT || !(name < part->count && part->names[name] && *part->names[name]);
}

static void put_address_part(struct sass_printer *p, const struct sass_item *part, bool is_unsigned)
{
    uint64_t v = sass_value(p->word, part) << part->unit;
    unsigned width = (unsigned)part->f.width + part->g.width + part->unit;
    if (part->kind == SI_REGISTER) {
        print_register_name(p, part->file, part->f);
        put_part(p, part);
    } else if (is_unsigned || part->style == IMM_U) {
        print_text(p, "0x%" PRIx64, v);
    } else {
        print_signed(p, sass_sign_extend(v, width));
    }
}

static void put_parts(struct sass_printer *p, const struct sass_item *i)
{
    unsigned count = 0;
    const struct sass_item *part = i->parts;
    for (; part->kind != SI_END; part++) {
        if (is_silent(p, part))
            continue;
        print_text(p, count ? "+" : "");
        put_address_part(p, part, !count && i->style & ADDRESS_UNSIGNED);
        count++;
    }
    if (!count)
        put_address_part(p, i->style & ADDRESS_ZERO_OFFSET ? part - 1 : i->parts, false);
}

static void print_address(struct sass_printer *p, const struct sass_item *i)
{
    print_separator(p);
    print_text(p, "%s", i->names ? i->names[0] : "");
    if (i->g.width) {
        print_text(p, "[");
        print_register_name(p, FILE_UNIFORM, i->g);
        print_text(p, "]");
    }
    if (i->parts) {
        print_text(p, "[");
        put_parts(p, i);
        print_text(p, "]");
    }
}

static void put_bank(struct sass_printer *p, const struct sass_item *i)
{
    if (i->file == FILE_UNIFORM) {
        print_text(p, "cx[");
        print_register_name(p, FILE_UNIFORM, i->g);
    } else {
        print_text(p, "c[0x%x", (unsigned)sass_field(p->word, i->g));
    }
    print_text(p, "]");
}

static void print_constant(struct sass_printer *p, const struct sass_item *i)
{
    uint64_t offset = sass_field(p->word, i->f) << i->unit;
    print_separator(p);
    put_prefix(p, i);
    put_bank(p, i);
    print_text(p, "[");
    print_signed(p, i->file == FILE_UNIFORM ? (int64_t)offset : sass_sign_extend(offset, i->f.width + i->unit));
    print_text(p, "]");
    put_suffix(p, i);
}

static void print_indexed(struct sass_printer *p, const struct sass_item *i)
{
    print_separator(p);
    put_bank(p, i);
    print_text(p, "[");
    put_parts(p, i);
    print_text(p, "]");
}

/* ---- numbers and names ---- */

static void put_float(struct sass_printer *p, enum sass_float f, uint64_t bits)
{
    char text[64];
    sass_float_print(text, sizeof text, f, bits);
    print_text(p, "%s", text);
}

static void put_immediate(struct sass_printer *p, const struct sass_item *i)
{
    uint64_t f = sass_field(p->word, i->f), v = sass_value(p->word, i);
    unsigned width = (unsigned)i->f.width + i->g.width;
    switch (i->style) {
    case IMM_S20:
    case IMM_S_OPTIONAL:
    case IMM_S: print_signed(p, sass_sign_extend(v, width) * (1 << i->unit)); break;
    case IMM_BY_BIT: print_signed(p, sass_bit(p->word, i->sf.at) ? sass_sign_extend(v, width) : (int64_t)v); break;
    case IMM_F20: put_float(p, FLOAT_32, f << 12 | (v >> 19) << 31); break;
    case IMM_D20: put_float(p, FLOAT_64, f << 44 | (v >> 19) << 63); break;
    case IMM_D32: put_float(p, FLOAT_64, v << 32); break;
    case IMM_F32: put_float(p, FLOAT_32, v); break;
    case IMM_F16_9: put_float(p, FLOAT_16, v << 6); break;
    case IMM_F16: put_float(p, FLOAT_16, v); break;
    case IMM_BF16: put_float(p, FLOAT_BF16, v); break;
    default: print_text(p, "0x%" PRIx64, v << i->unit);
    }
}

static void print_immediate(struct sass_printer *p, const struct sass_item *i)
{
    uint64_t v = sass_value(p->word, i), hidden;
    if (sass_hides(i, &hidden) && v == hidden)
        return;
    print_separator(p);
    put_immediate(p, i);
    print_text(p, "%s%s%s", print_is_negated(p, i) ? ".NEG" : "", bit(p, i->abs) ? ".ABS" : "",
               bit(p, i->inv) ? ".INV" : "");
    put_part(p, i);
}

static void print_name(struct sass_printer *p, const struct sass_item *i)
{
    const char *n = print_name_of(p, i, sass_value(p->word, i));
    print_separator(p);
    print_text(p, "%s", n);
}

static void print_special(struct sass_printer *p, const struct sass_item *i)
{
    uint64_t id = sass_value(p->word, i);
    print_separator(p);
    if (id < i->count && i->names[id])
        print_text(p, "%s", i->names[id]);
    else
        print_text(p, "SR%" PRIu64, id);
}

void print_target(struct sass_printer *p, const struct sass_item *i)
{
    int64_t offset = sass_sign_extend(sass_value(p->word, i), (unsigned)i->f.width + i->g.width);
    print_separator(p);
    print_signed(p, (int64_t)p->site->address + p->site->table->word_bytes + offset * (1 << i->unit));
}

static void print_barriers(struct sass_printer *p, const struct sass_item *i)
{
    unsigned set = (unsigned)sass_field(p->word, i->f);
    if (!set)
        return;
    print_separator(p);
    char open = '{';
    for (int b = i->f.width - 1; b >= 0; b--)
        if (set >> b & 1) {
            print_text(p, "%c%d", open, b);
            open = ',';
        }
    print_text(p, "}");
}

static void print_barrier_name(struct sass_printer *p, const struct sass_item *i)
{
    unsigned b = (unsigned)sass_field(p->word, i->f);
    if (b >= RP_CONTROL_BARRIERS)
        p->problem = "no such dependency barrier";
    print_separator(p);
    print_text(p, "SB%u", b);
}

static void print_swizzle(struct sass_printer *p, const struct sass_item *i)
{
    unsigned v = (unsigned)sass_field(p->word, i->f);
    print_separator(p);
    for (int lane = 3; lane >= 0; lane--)
        print_text(p, "%s", i->names[v >> 2 * lane & 3]);
}

static void print_unprinted(struct sass_printer *p, const struct sass_item *i)
{
    (void)p;
    (void)i;
}

static void (*const print[])(struct sass_printer *, const struct sass_item *) = {
#define ROW_OF(kind, handler, meaning) [SI_##kind] = print_##handler,
    SASS_KINDS(ROW_OF)
#undef ROW_OF
};

void print_item(struct sass_printer *p, const struct sass_item *i)
{
    const struct sass_table *t = p->site->table;
    struct sass_item resolved = *i;
    p->joined = i->joined;
    if (i->kind >= SI_OWN)
        t->own[i->kind - SI_OWN].print(p, i);
    else {
        if (t->resolve)
            t->resolve(p->word, &resolved);
        print[i->kind](p, &resolved);
    }
}

static void put_guard(struct sass_printer *p)
{
    struct sass_bits at = p->site->table->guard;
    unsigned guard = (unsigned)sass_field(p->word, at);
    bool negate = sass_bit(p->word, at.at + at.width);
    if (p->row->flags & SASS_NO_GUARD || (guard == 7 && !negate))
        return;
    print_text(p, "@");
    put_predicate(p, p->row->flags & SASS_UNIFORM_GUARD, negate, guard);
    print_text(p, " ");
}

bool sass_print(const struct sass_site *site, struct isa_word word, uint32_t control, char text[SASS_TEXT_SIZE],
                struct rp_error *err)
{
    struct sass_printer p = {.site = site, .word = word, .control = control, .out = text};
    char hex[ISA_WORD_TEXT];
    p.row = sass_find(site->table, word, site->arch);
    text[0] = 0;
    if (!p.row)
        return rp_fail(err, RP_BAD_INPUT, "unknown instruction %s at address 0x%x",
                       isa_word_print(hex, word, site->table->word_bytes), site->address);
    put_guard(&p);
    print_text(&p, "%s", p.row->name);
    for (const struct sass_item *i = p.row->items; i->kind != SI_END; i++)
        print_item(&p, i);
    if (p.problem)
        return rp_fail(err, RP_BAD_INPUT, "illegal instruction %s at address 0x%x: %s, %s",
                       isa_word_print(hex, word, site->table->word_bytes), site->address, p.row->name, p.problem);
    return true;
}
