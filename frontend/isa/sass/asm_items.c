/* Reads the text of each kind of item. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "frontend/isa/sass/number.h"
#include "frontend/isa/sass/parser.h"

static bool parse_modifier(struct sass_parser *p, const struct sass_item *i)
{
    return asm_constrain(p, i->f, i->g, asm_match(p, i->names, i->count, "."));
}

/* ---- operands -----------------------------------------------------------------------------------------------------
 */

void asm_prefix(struct sass_parser *p, const struct sass_item *i)
{
    if (i->neg && asm_eat(p, "-"))
        asm_set_bit(p, i->neg);
    if (i->inv && asm_eat(p, "~"))
        asm_set_bit(p, i->inv);
    if (i->abs && asm_eat(p, "|"))
        asm_set_bit(p, i->abs);
}

static bool part(struct sass_parser *p, const struct sass_item *i)
{
    return !i->count || asm_constrain(p, i->sf, i->sg, asm_match(p, i->names, i->count, "."));
}

static bool suffix(struct sass_parser *p, const struct sass_item *i)
{
    bool part_is_last = sass_part_is_last(p->site->table, i);
    if (!part_is_last && !part(p, i))
        return false;
    if (i->abs && sass_bit(p->word, i->abs) && !asm_eat(p, "|"))
        return false;
    if (i->reuse && asm_eat_word(p, ".reuse"))
        p->control |= 1u << (16 + i->reuse);
    return !part_is_last || part(p, i);
}

static bool read_register(struct sass_parser *p, const struct sass_item *i, unsigned *r)
{
    bool brackets = i->style == REGISTER_BRACKETS;
    return (!brackets || asm_eat(p, "[")) && asm_read_register(p, i->file, i->f.width, r) &&
           (!brackets || asm_eat(p, "]"));
}

bool asm_register(struct sass_parser *p, const struct sass_item *i)
{
    struct sass_parser before = *p;
    unsigned r = 0;
    bool ok = asm_separator(p);
    asm_prefix(p, i);
    ok = ok && read_register(p, i, &r);
    if (!ok && i->style == REGISTER_OPTIONAL) {
        *p = before;
        r = (1u << i->f.width) - 1;
        ok = true;
    } else if (ok) {
        ok = suffix(p, i);
    }
    asm_set(p, i->f, r);
    return ok;
}

static bool parse_register(struct sass_parser *p, const struct sass_item *i) { return asm_register(p, i); }

static bool parse_predicate(struct sass_parser *p, const struct sass_item *i)
{
    struct sass_parser before = *p;
    unsigned r = 7;
    bool ok = asm_separator(p);
    if (i->neg && asm_eat(p, "!"))
        asm_set_bit(p, i->neg);
    ok = ok && asm_read_predicate(p, i->file == FILE_UNIFORM, &r);
    if (!ok && (i->style == PREDICATE_OPTIONAL || i->style == PREDICATE_INVERTED_OPTIONAL)) {
        *p = before;
        ok = true;
        r = 7;
    }
    bool inverted = i->style == PREDICATE_INVERTED || i->style == PREDICATE_INVERTED_OPTIONAL;
    asm_set(p, i->f, inverted ? r ^ 7 : r);
    return ok;
}

/* ---- addresses ---- */

/* Reads the bank, or the uniform register in place of a bank, and the bracket before the offset. */
static bool read_bank(struct sass_parser *p, const struct sass_item *i)
{
    uint64_t bank = 0;
    unsigned r = 0;
    if (i->file == FILE_UNIFORM ? !asm_eat(p, "cx[") || !asm_read_register(p, FILE_UNIFORM, i->g.width, &r)
                                : !asm_eat(p, "c[") || !asm_read_number(p, &bank) || bank >> i->g.width)
        return false;
    asm_set(p, i->g, bank + r);
    return asm_eat(p, "]") && asm_eat(p, "[");
}

/* Reads a number for a field of `width` bits that leaves out the lowest `unit` bits, which must be 0. */
static bool read_wide_units(struct sass_parser *p, unsigned width, unsigned unit, enum sign sign, uint64_t *v)
{
    if (!asm_read_integer(p, width + unit, sign, v) || *v & ((1ull << unit) - 1))
        return false;
    *v >>= unit;
    return true;
}

static bool read_units(struct sass_parser *p, const struct sass_item *i, enum sign sign, uint64_t *v)
{
    return read_wide_units(p, (unsigned)i->f.width + i->g.width, i->unit, sign, v);
}

static bool parse_constant(struct sass_parser *p, const struct sass_item *i)
{
    uint64_t offset;
    if (!asm_separator(p))
        return false;
    asm_prefix(p, i);
    if (!read_bank(p, i) || !read_wide_units(p, i->f.width, i->unit, EITHER, &offset) || !asm_eat(p, "]"))
        return false;
    asm_set(p, i->f, offset);
    return suffix(p, i);
}

static bool read_address_part(struct sass_parser *p, const struct sass_item *part, enum sign sign)
{
    uint64_t v;
    unsigned r;
    if (part->kind == SI_IMMEDIATE) {
        if (!read_units(p, part, sign, &v))
            return false;
        asm_set_value(p, part->f, part->g, v);
        return true;
    }
    if (!asm_read_register(p, part->file, part->f.width, &r))
        return false;
    asm_set(p, part->f, r);
    return suffix(p, part);
}

/* Reads the parts of the address that the text has, in order; at least one. The others become zero. */
static bool read_parts(struct sass_parser *p, const struct sass_item *i)
{
    unsigned count = 0;
    for (const struct sass_item *part = i->parts; part->kind != SI_END; part++) {
        struct sass_parser before = *p;
        bool is_unsigned = part->style == IMM_U || (!count && i->style & ADDRESS_UNSIGNED);
        if ((!count || asm_eat(p, "+")) && read_address_part(p, part, is_unsigned ? UNSIGNED : SIGNED)) {
            count++;
            continue;
        }
        *p = before;
        if (part->kind == SI_REGISTER)
            asm_set(p, part->f, ~0ull);
        if (part->sf_rule == PART_SILENT)
            asm_set(p, part->sf, ~0ull);
    }
    return count && asm_eat(p, "]");
}

static bool parse_address(struct sass_parser *p, const struct sass_item *i)
{
    unsigned r;
    if (!asm_separator(p) || (i->names && !asm_eat(p, i->names[0])))
        return false;
    if (i->g.width) {
        if (!asm_eat(p, "[") || !asm_read_register(p, FILE_UNIFORM, i->g.width, &r) || !asm_eat(p, "]"))
            return false;
        asm_set(p, i->g, r);
    }
    return !i->parts || (asm_eat(p, "[") && read_parts(p, i));
}

static bool parse_indexed(struct sass_parser *p, const struct sass_item *i)
{
    return asm_separator(p) && read_bank(p, i) && read_parts(p, i);
}

static bool read_float(struct sass_parser *p, enum sass_float f, unsigned dropped, uint64_t *bits)
{
    asm_skip_space(p);
    if (!sass_float_parse(&p->at, f, bits) || *bits & ((1ull << dropped) - 1))
        return false;
    *bits >>= dropped;
    return true;
}

static bool read_immediate(struct sass_parser *p, const struct sass_item *i, uint64_t *v)
{
    switch (i->style) {
    case IMM_F20: return read_float(p, FLOAT_32, 12, v);
    case IMM_D20: return read_float(p, FLOAT_64, 44, v);
    case IMM_D32: return read_float(p, FLOAT_64, 32, v);
    case IMM_F32: return read_float(p, FLOAT_32, 0, v);
    case IMM_F16_9: return read_float(p, FLOAT_16, 6, v);
    case IMM_F16: return read_float(p, FLOAT_16, 0, v);
    case IMM_BF16: return read_float(p, FLOAT_BF16, 0, v);
    case IMM_S20:
    case IMM_S_OPTIONAL:
    case IMM_S: return read_units(p, i, SIGNED, v);
    case IMM_BY_BIT: return read_units(p, i, EITHER, v);
    default: return read_units(p, i, UNSIGNED, v);
    }
}

static bool parse_immediate(struct sass_parser *p, const struct sass_item *i)
{
    struct sass_parser before = *p;
    uint64_t v = 0, hidden = 0;
    bool optional = sass_hides(i, &hidden);
    if (!asm_separator(p) || !read_immediate(p, i, &v)) {
        if (!optional)
            return false;
        *p = before;
        v = hidden;
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

static bool parse_name(struct sass_parser *p, const struct sass_item *i)
{
    return asm_separator(p) && asm_constrain(p, i->f, i->g, asm_match(p, i->names, i->count, ""));
}

static bool parse_special(struct sass_parser *p, const struct sass_item *i)
{
    if (!asm_separator(p))
        return false;
    const char *best = "";
    unsigned id = i->count;
    for (unsigned n = 0; n < i->count; n++)
        if (i->names[n] && strlen(i->names[n]) > strlen(best) && !strncmp(p->at, i->names[n], strlen(i->names[n]))) {
            best = i->names[n];
            id = n;
        }
    p->at += strlen(best);
    uint64_t number = id;
    if (id == i->count && (!asm_eat(p, "SR") || !asm_read_number(p, &number) || number >> i->f.width))
        return false;
    asm_set(p, i->f, number);
    return !asm_is_word(*p->at);
}

bool asm_target(struct sass_parser *p, const struct sass_item *i)
{
    unsigned width = (unsigned)i->f.width + i->g.width;
    bool far = width + i->unit > 32;
    uint64_t v;
    if (!asm_separator(p) || !asm_read_integer(p, far ? 63 : 32, EITHER, &v))
        return false;
    int64_t to = far ? sass_sign_extend(v, 63) : (int32_t)v, limit = 1ll << (width - 1);
    int64_t offset = to - p->site->address - p->site->table->word_bytes;
    if (offset & ((1ll << i->unit) - 1) || offset >> i->unit < -limit || offset >> i->unit >= limit)
        return false;
    asm_set_value(p, i->f, i->g, (uint64_t)(offset >> i->unit));
    return true;
}

static bool parse_target(struct sass_parser *p, const struct sass_item *i) { return asm_target(p, i); }

static bool parse_barriers(struct sass_parser *p, const struct sass_item *i)
{
    struct sass_parser before = *p;
    if (!asm_separator(p) || !asm_eat(p, "{")) {
        *p = before;
        return true;
    }
    do {
        uint64_t b;
        if (!asm_read_number(p, &b) || b >= RP_CONTROL_BARRIERS)
            return false;
        asm_set(p, i->f, 1u << b);
    } while (asm_eat(p, ","));
    return asm_eat(p, "}");
}

static bool parse_barrier_name(struct sass_parser *p, const struct sass_item *i)
{
    uint64_t b;
    if (!asm_separator(p) || !asm_eat(p, "SB") || !asm_read_number(p, &b) || b >= RP_CONTROL_BARRIERS)
        return false;
    asm_set(p, i->f, b);
    return true;
}

static bool parse_swizzle(struct sass_parser *p, const struct sass_item *i)
{
    unsigned value = 0;
    if (!asm_separator(p))
        return false;
    for (unsigned lane = 0; lane < 4; lane++) {
        unsigned s = 0;
        while (s < 4 && strncmp(p->at, i->names[s], 2))
            s++;
        if (s == 4)
            return false;
        p->at += 2;
        value = value << 2 | s;
    }
    asm_set(p, i->f, value);
    return !asm_is_word(*p->at);
}

static bool parse_unprinted(struct sass_parser *p, const struct sass_item *i)
{
    asm_set(p, i->f, i->style);
    return true;
}

bool asm_item(struct sass_parser *p, const struct sass_item *i)
{
    static bool (*const parse[])(struct sass_parser *, const struct sass_item *) = {
#define ROW_OF(kind, handler, meaning) [SI_##kind] = parse_##handler,
        SASS_KINDS(ROW_OF)
#undef ROW_OF
    };
    const struct sass_table *t = p->site->table;
    struct sass_item resolved = *i;
    p->joined = i->joined;
    if (i->kind >= SI_OWN)
        return t->own[i->kind - SI_OWN].parse(p, i);
    if (t->resolve)
        t->resolve(p->word, &resolved);
    return parse[i->kind](p, &resolved);
}
