#include "tests/unit/sass7x/row_words.h"

#include <stddef.h>
#include <string.h>

#include "tests/support/kernel_case.h"
#include "tests/support/sass_corpus.h"
#include "tests/unit/sass7x/row_model.h"

struct making {
    const struct sass_row *row;
    struct isa_word word, taken; /* the word, and which bits are set */
    unsigned sources, uniforms, predicates, constants, addresses;
    uint64_t *seed;
};

static unsigned below(struct making *m, unsigned n) { return (unsigned)(random_next(m->seed) >> 20) % n; }
static bool chance(struct making *m, unsigned n) { return below(m, n) == 0; }

static void put(struct making *m, struct sass_bits f, uint64_t v)
{
    if (!f.width || sass_field(m->taken, f))
        return;
    sass_put(&m->word, f, v);
    sass_put(&m->taken, f, ~0ull);
}
static void put_both(struct making *m, const struct sass_item *i, uint64_t v)
{
    put(m, i->f, v);
    put(m, i->g, v >> i->f.width);
}

static bool is_named(const struct making *m, const char *name) { return !strcmp(m->row->name, name); }

/* ---- modifiers --------------------------------------------------------------------------------------------------- */

/* What the frontend refuses, or what no model says. */
static bool is_left_out(const struct making *m, const char *modifier)
{
    static const struct {
        const char *name, *modifier;
    } all[] = {{"R2UR", "OR"},       {"VIADD", "16x2"}, {"VIADDMNMX", "U16x2"}, {"VIADDMNMX", "S16x2"}, {"LDG", "ZD"},
               {"ATOMG", "SAFEADD"}, {"ATOM", "128"},   {"ATOMG", "128"},       {"ATOMS", "128"},       {"LDC", "IL"},
               {"LDC", "IS"},        {"LDC", "ISL"},    {"ATOMS", "ARRIVE.64"}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (is_named(m, all[i].name) && !strcmp(all[i].modifier, modifier))
            return true;
    return false;
}

static void choose_modifier(struct making *m, const struct sass_item *i)
{
    uint16_t fitting[128];
    unsigned count = 0, extended = 0;
    for (unsigned n = 0; n < i->count; n++)
        extended += i->names[n] && !strcmp(i->names[n], "E");
    for (unsigned n = 0; n < i->count && n < 128; n++)
        if (i->names[n] && !is_left_out(m, i->names[n]) && (!extended || !strcmp(i->names[n], "E")))
            fitting[count++] = (uint16_t)n;
    if (count)
        put_both(m, i, fitting[below(m, count)]);
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

enum { RESULT_AT = 16, NO_REGISTER = 255, NO_UNIFORM = 63 };

static void choose_signs(struct making *m, const struct sass_item *i)
{
    const uint8_t bits[] = {i->neg, i->abs, i->inv};
    for (unsigned k = 0; k < 3; k++)
        if (bits[k])
            put(m, SASS_BITS(bits[k], 1), chance(m, 3));
    if (i->count && i->sf.width)
        put(m, i->sf, below(m, i->count));
}

static void choose_register(struct making *m, const struct sass_item *i)
{
    bool uniform = i->file == FILE_UNIFORM, result = i->f.at == RESULT_AT;
    unsigned n, none = uniform ? NO_UNIFORM : NO_REGISTER;
    if (result)
        n = is_named(m, "QSPC") ? NO_REGISTER : 20;
    else if (chance(m, 9) && !is_named(m, "R2UR"))
        n = none;
    else
        n = uniform ? 8 + 2 * m->uniforms : 4 + 2 * m->sources;
    if (!result) {
        m->sources += !uniform;
        m->uniforms += uniform;
    }
    bool quad = !result && !strncmp(m->row->name, "ST", 2) && n != none;
    put(m, i->f, quad ? 4 : n); /* of up to 128 bits */
    choose_signs(m, i);
}

static void choose_predicate(struct making *m, const struct sass_item *i)
{
    static const char *const without[] = {"FLO", "UFLO", "VABSDIFF", "VABSDIFF4", "VIMNMX", "LDG", "LD", "LDS"};
    static const uint8_t read[] = {0, 1, 4, 5, 7, 7};
    enum { FIRST = 81, SECOND = 84, NONE = 7 };
    unsigned n = i->f.at == FIRST ? 2 : i->f.at == SECOND ? 3 : read[below(m, 6)];
    bool result = i->f.at == FIRST || i->f.at == SECOND, inverted = i->style >= PREDICATE_INVERTED;
    for (unsigned k = 0; result && k < sizeof without / sizeof *without; k++)
        n = is_named(m, without[k]) ? NONE : n;
    bool alone = i->f.at == SECOND && sass_field(m->word, SASS_BITS(FIRST, 3)) == NONE;
    if ((result && chance(m, 3)) || inverted || alone || i->kind == SI_PREDICATE_PAIR)
        n = NONE;
    put(m, i->f, inverted ? NONE - n : n);
    if (i->kind == SI_PREDICATE_PAIR)
        put(m, i->g, NONE);
    else if (i->neg)
        put(m, SASS_BITS(i->neg, 1), !inverted && chance(m, 2));
}

/* ---- numbers and constants --------------------------------------------------------------------------------------- */

static void choose_number(struct making *m, const struct sass_item *i)
{
    static unsigned table; /* of logic: each in turn */
    unsigned width = i->f.width + i->g.width;
    uint64_t v = random_next(m->seed) >> 16;
    if (i->style == IMM_QUAD)
        v = 15;
    else if (width == 8)
        v = table++;
    else if (width >= 12 && chance(m, 2))
        v = corner(V_INT, (unsigned)v & 0xff);
    put_both(m, i, v);
}

static void choose_constant(struct making *m, const struct sass_item *i)
{
    put(m, i->f, (m->constants + 4 * below(m, 3)) >> i->unit);
    put(m, i->g, 0);
    choose_signs(m, i);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

enum place { GLOBAL, SHARED, LOCAL };
static enum place place_of(const struct making *m)
{
    const char *name = m->row->name;
    if (!strcmp(name, "LDGSTS"))
        return m->addresses ? GLOBAL : SHARED;
    if (!strcmp(name, "LDS") || !strcmp(name, "STS") || !strcmp(name, "ATOMS"))
        return SHARED;
    return !strcmp(name, "LDL") || !strcmp(name, "STL") || !strcmp(name, "CCTLL") ? LOCAL : GLOBAL;
}

/* The base, and what of ROW_STEP it brings. */
static unsigned choose_base(struct making *m, const struct sass_item *p, enum place place)
{
    enum { NARROW = 0, SCALES = 4 };
    static const uint8_t scaled[SCALES] = {18, 25, 26, 27};
    if (place == LOCAL) {
        put(m, p->f, 19);
        return 0;
    }
    if (place == SHARED) {
        unsigned scale = p->count == SCALES ? below(m, SCALES) : 0;
        put(m, p->f, scaled[scale]);
        put(m, p->sf, scale);
        return 0;
    }
    if (p->sf.width)
        put(m, p->sf, below(m, 2));
    bool narrow = p->count && p->sf.width && sass_field(m->word, p->sf) == NARROW;
    put(m, p->f, narrow ? 24 : 16);
    return narrow ? ROW_STEP : 0;
}

static void choose_address(struct making *m, const struct sass_item *i)
{
    enum place place = place_of(m);
    unsigned step = 0;
    bool narrow = false;
    put(m, i->g, 4); /* the descriptor */
    for (const struct sass_item *p = i->parts; p->kind != SI_END; p++) {
        if (p->kind == SI_REGISTER && p->file == FILE_GENERAL) {
            step += choose_base(m, p, place);
            narrow = step;
        } else if (p->kind == SI_REGISTER) {
            bool none = !narrow && chance(m, 3);
            put(m, p->f, narrow ? 18 : none ? NO_UNIFORM : 16);
            step += narrow || none ? 0 : ROW_STEP;
        } else if (p->kind == SI_IMMEDIATE) {
            put(m, p->f, (uint64_t)((chance(m, 2) ? ROW_STEP : 0) - (int64_t)step) >> p->unit);
        }
    }
    m->addresses++;
}

static void choose_indexed(struct making *m, const struct sass_item *i)
{
    unsigned step = 0;
    for (const struct sass_item *p = i->parts; p->kind != SI_END; p++) {
        bool uniform = p->file == FILE_UNIFORM;
        if (p->kind == SI_REGISTER) {
            bool none = !uniform && chance(m, 3);
            put(m, p->f, none ? NO_REGISTER : uniform ? 16 : 24);
            step = none ? 0 : ROW_STEP;
        } else {
            put(m, p->f, m->constants + 8 * below(m, 2) - step);
        }
    }
    put(m, i->g, 0);
}

/* A special register that the model knows. */
static void choose_special(struct making *m, const struct sass_item *i)
{
    for (unsigned n = below(m, 256), tries = 0; tries < 256; tries++, n = (n + 1) % 256)
        if (i->names[n] && row_knows_special(i->names[n])) {
            put(m, i->f, n);
            return;
        }
}

/* ---- a word ------------------------------------------------------------------------------------------------------ */

static void choose(struct making *m, const struct sass_item *i)
{
    switch (i->kind) {
    case SI_MODIFIER: choose_modifier(m, i); break;
    case SI_REGISTER: choose_register(m, i); break;
    case SI_PREDICATE:
    case SI_PREDICATE_PAIR: choose_predicate(m, i); break;
    case SI_IMMEDIATE: choose_number(m, i); break;
    case SI_CONSTANT: choose_constant(m, i); break;
    case SI_ADDRESS: choose_address(m, i); break;
    case SI_INDEXED: choose_indexed(m, i); break;
    case SI_SPECIAL: choose_special(m, i); break;
    default: break;
    }
}

static struct isa_word made(const struct sass_row *row, unsigned constants, uint64_t *seed)
{
    struct making m = {.row = row, .constants = constants, .seed = seed};
    put(&m, sass7x_table.opcode, row->value);
    put(&m, sass7x_table.guard, 7);
    put(&m, SASS_BITS((uint8_t)(sass7x_table.guard.at + 3), 1), 0);
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REQUIRE || i->kind == SI_DEFAULT)
            put(&m, i->f, i->style);
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_MODIFIER)
            choose(&m, i);
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind != SI_MODIFIER)
            choose(&m, i);
    return m.word;
}

/* Atomics do not have each operation for each type; other forms are refused. */
static bool is_sensible(const char *text)
{
    struct row_text x;
    row_parse(&x, text);
    if (!strcmp(x.name, "VABSDIFF4"))
        return row_has(&x, "U8");
    if (!strcmp(x.name, "ULDC") && strstr(x.operand[1], "UR"))
        return !strstr(x.modifiers, "8.") && !strstr(x.modifiers, "16.");
    if (strncmp(x.name, "ATOM", 4) && strncmp(x.name, "RED", 3))
        return true;
    bool is_float = strchr(x.modifiers, 'F') != NULL, is_signed = row_has(&x, "S32") || row_has(&x, "S64");
    if (row_has(&x, "F32") && !row_has(&x, "FTZ"))
        return false;
    if (strstr(x.modifiers, "x4.") || strstr(x.modifiers, "x8.") || strstr(x.modifiers, "F32x"))
        return false; /* vectors */
    if (row_has(&x, "ADD"))
        return !row_has(&x, "S64");
    if (row_has(&x, "MIN") || row_has(&x, "MAX"))
        return !is_float;
    return !is_float && !is_signed && !((row_has(&x, "INC") || row_has(&x, "DEC")) && row_has(&x, "64"));
}

bool row_word_of(const struct sass_row *row, unsigned arch, unsigned constants, uint64_t *seed, struct isa_word *word)
{
    const struct sass_site site = {&sass7x_table, arch, 0};
    char text[SASS_TEXT_SIZE];
    for (unsigned i = 0; i < ROW_TRIES; i++) {
        *word = made(row, constants, seed);
        if (sass_find(&sass7x_table, *word, arch) == row && sass_print(&site, *word, 0, text, NULL) &&
            is_sensible(text))
            return true;
    }
    return false;
}

bool row_is_described(const struct sass_row *row)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if ((i->kind == SI_CONSTANT || i->kind == SI_INDEXED) && i->file == FILE_UNIFORM)
            return true;
    return false;
}

static bool has_uniform(const struct sass_item *i)
{
    for (; i->kind != SI_END; i++)
        if (i->file == FILE_UNIFORM || (i->parts && has_uniform(i->parts)))
            return true;
    return false;
}
bool row_is_uniform(const struct sass_row *row) { return has_uniform(row->items); }

bool row_prints(const struct sass_row *row, const char *word)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        for (unsigned k = 0; i->kind == SI_MODIFIER && k < i->count; k++)
            if (i->count == 1 && i->names[k] && strstr(i->names[k], word))
                return true;
    return false;
}
