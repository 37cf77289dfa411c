#include "frontend/isa/ptx/table.h"

#include "frontend/core/footprint.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ptx_type_info ptx_types[PT_COUNT] = {
    [PT_NONE] = {"", 0, 0, T_NONE},
#define TYPE(id, name, bits, kind, lane) [PT_##id] = {name, bits, kind, lane},
#include "frontend/isa/ptx/types.def"
#undef TYPE
};

static const struct {
    const char *name;
    uint8_t group;
    int32_t value;
} modifiers[M_COUNT] = {
#define MOD(id, name, group, value) [M_##id] = {name, G_##group, value},
#include "frontend/isa/ptx/modifiers.def"
#undef MOD
};

static const struct row {
    const char *opcode, *mods, *types, *operands;
    uint8_t class_rule, lowering, op;
} rows[] = {
#define I(opcode, mods, types, operands, class, lowering, op)                                                          \
    {opcode, mods, types, operands, C_##class, LOW_##lowering, OP_##op},
#include "frontend/isa/ptx/instructions.def"
#undef I
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct least {
    const char *opcode, *mods, *types;
    uint16_t sm;
} leasts[] = {
#define T(opcode, mods, types, sm) {opcode, mods, types, sm},
#include "frontend/isa/ptx/targets.def"
#undef T
};
enum { LEASTS = sizeof leasts / sizeof *leasts };

/* Sets of types and groups of modifiers that rows refer to as "@NAME". */
static const char *const type_sets[][2] = {
    {"INT", "u16,u32,u64,s16,s32,s64"},
    {"INTW", "u32,u64,s32,s64"},
    {"BITS", "b16,b32,b64"},
    {"CMP", "b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64"},
    {"CVT", "u8,u16,u32,u64,s8,s16,s32,s64,bf16,f16,f32,f64"},
    {"MEM", "b8,b16,b32,b64,b128,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64"},
};
static const struct {
    const char *name;
    enum ptx_group group;
} group_names[] = {
    {"ROUND", G_ROUND},           {"COMPARE", G_COMPARE},     {"TESTP", G_TESTP},           {"PRMT", G_PRMT},
    {"SHUFFLE", G_SHUFFLE},       {"SPACE", G_SPACE},         {"ORDER", G_ORDER},           {"SCOPE", G_SCOPE},
    {"CACHE", G_CACHE},           {"VECTOR", G_VECTOR},       {"EVICT1", G_EVICT1},         {"EVICT2", G_EVICT2},
    {"SHAPE_K8", G_SHAPE_K8},     {"SHAPE_K16", G_SHAPE_K16}, {"SHAPE_K32", G_SHAPE_K32},   {"SHAPE_K64", G_SHAPE_K64},
    {"SHAPE_K256", G_SHAPE_K256}, {"PREFETCH", G_PREFETCH},   {"CACHE_HINT", G_CACHE_HINT},
};

static struct ptx_form forms[ROWS], needing[LEASTS]; /* needing: the forms of leasts[] */
static struct {
    const char *name;
    uint16_t first, count, first_least, least_count;
} opcodes[ROWS];
static unsigned opcode_count;
enum { HASH_SLOTS = 1024 };
static uint16_t opcode_slots[HASH_SLOTS], type_slots[HASH_SLOTS], modifier_slots[HASH_SLOTS]; /* index + 1 */
static pthread_once_t started = PTHREAD_ONCE_INIT;

static unsigned hash(const char *s, size_t n)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static void slot_put(uint16_t *slots, const char *name, unsigned index)
{
    unsigned at = hash(name, strlen(name)) % HASH_SLOTS;
    while (slots[at])
        at = (at + 1) % HASH_SLOTS;
    slots[at] = (uint16_t)(index + 1);
}

#define SLOT_FIND(slots, text, length, name_of)                                                                        \
    for (unsigned at_ = hash(text, length) % HASH_SLOTS; (slots)[at_]; at_ = (at_ + 1) % HASH_SLOTS) {                 \
        unsigned i_ = (slots)[at_] - 1u;                                                                               \
        const char *n_ = (name_of);                                                                                    \
        if (strlen(n_) == (length) && memcmp(n_, text, length) == 0)                                                   \
            return (int)i_;                                                                                            \
    }

static int opcode_find(const char *s, size_t n)
{
    SLOT_FIND(opcode_slots, s, n, opcodes[i_].name)
    return -1;
}
static int type_find(const char *s, size_t n)
{
    SLOT_FIND(type_slots, s, n, ptx_types[i_].name)
    return PT_NONE;
}
static int modifier_find(const char *s, size_t n)
{
    SLOT_FIND(modifier_slots, s, n, modifiers[i_].name)
    return -1;
}

static _Noreturn void bad_row(const struct row *r, const char *word)
{
    fprintf(stderr, "instructions.def: row of %s: \"%s\" is no part of a pattern\n", r->opcode, word);
    abort();
}

static void set_add(struct mod_set *s, int id) { s->word[id / 64] |= 1ull << (id % 64); }

static void add_alternative(const struct row *r, struct mod_set *s, const char *text)
{
    if (*text == '@') {
        for (unsigned g = 0; g < sizeof group_names / sizeof *group_names; g++)
            if (strcmp(group_names[g].name, text + 1) == 0) {
                for (int m = 0; m < M_COUNT; m++)
                    if (modifiers[m].group == group_names[g].group)
                        set_add(s, m);
                return;
            }
        bad_row(r, text);
    }
    int m = modifier_find(text, strlen(text));
    if (m < 0)
        bad_row(r, text);
    set_add(s, m);
}

static void read_modifiers(const struct row *r, struct ptx_form *f)
{
    if (*r->mods == '*') {
        f->any_modifiers = true;
        f->first_modifier = r->mods[1] ? r->mods + 2 : NULL;
        return;
    }
    char text[200], *save = NULL, *inner;
    snprintf(text, sizeof text, "%s", r->mods);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        size_t length = strlen(word);
        if (f->choice_count == MAX_CHOICES)
            bad_row(r, word);
        struct mod_choice *c = &f->choices[f->choice_count++];
        c->required = word[length - 1] != '?';
        if (!c->required)
            word[length - 1] = 0;
        c->leading = *word == '^';
        for (char *alt = strtok_r(word + c->leading, "|", &inner); alt; alt = strtok_r(NULL, "|", &inner))
            add_alternative(r, &c->set, alt);
        for (int w = 0; w < MOD_WORDS; w++)
            f->allowed.word[w] |= c->set.word[w];
    }
}

static uint64_t type_set(const struct row *r, char *list)
{
    uint64_t set = 0;
    char *save = NULL;
    for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        if (*word != '@') {
            int t = type_find(word, strlen(word));
            if (t == PT_NONE)
                bad_row(r, word);
            set |= 1ull << t;
            continue;
        }
        unsigned i = 0;
        while (i < sizeof type_sets / sizeof *type_sets && strcmp(type_sets[i][0], word + 1) != 0)
            i++;
        if (i == sizeof type_sets / sizeof *type_sets)
            bad_row(r, word);
        char members[100];
        snprintf(members, sizeof members, "%s", type_sets[i][1]);
        set |= type_set(r, members);
    }
    return set;
}

static void read_operands(const struct row *r, struct ptx_form *f)
{
    f->any_operands = *r->operands == '*';
    if (f->any_operands)
        return;
    char text[100], *save = NULL;
    snprintf(text, sizeof text, "%s", r->operands);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (!strchr("dqabclpmiLx", *word) || f->operand_count == MAX_OPERANDS)
            bad_row(r, word);
        struct operand_form *o = &f->operands[f->operand_count++];
        o->role = *word++;
        if (*word && strchr("123uwvfn", *word))
            o->typing = *word++;
        if (*word == '|')
            o->pair = true, word += 2;
        if (*word == '?')
            o->optional = true, word++;
        else
            f->operands_needed = f->operand_count;
        if (*word)
            bad_row(r, word);
    }
}

static void read_row(const struct row *r, struct ptx_form *f)
{
    *f = (struct ptx_form){.opcode = r->opcode, .class_rule = r->class_rule, .lowering = r->lowering, .op = r->op};
    read_modifiers(r, f);
    char text[200], *save = NULL;
    snprintf(text, sizeof text, "%s", r->types);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (f->type_count == MAX_TYPES)
            bad_row(r, word);
        f->types[f->type_count++] = type_set(r, word);
    }
    read_operands(r, f);
}

static void read_leasts(void)
{
    for (unsigned i = 0; i < LEASTS; i++) {
        const struct row r = {
            .opcode = leasts[i].opcode, .mods = leasts[i].mods, .types = leasts[i].types, .operands = ""};
        int opcode = opcode_find(r.opcode, strlen(r.opcode));
        if (opcode < 0 || (opcodes[opcode].least_count && strcmp(leasts[i - 1].opcode, r.opcode) != 0))
            bad_row(&r, "(a least target)");
        read_row(&r, &needing[i]);
        if (!opcodes[opcode].least_count++)
            opcodes[opcode].first_least = (uint16_t)i;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct ptx_form *const *x = a, *const *y = b;
    return strcmp((*x)->opcode, (*y)->opcode);
}

static const char *sorted_names[ROWS];

static void start(void)
{
    for (unsigned t = 1; t < PT_COUNT; t++)
        slot_put(type_slots, ptx_types[t].name, t);
    for (unsigned m = 0; m < M_COUNT; m++)
        slot_put(modifier_slots, modifiers[m].name, m);
    const struct ptx_form *firsts[ROWS];
    for (unsigned i = 0; i < ROWS; i++) {
        read_row(&rows[i], &forms[i]);
        if (opcode_count && strcmp(opcodes[opcode_count - 1].name, rows[i].opcode) == 0) {
            opcodes[opcode_count - 1].count++;
            continue;
        }
        if (opcode_find(rows[i].opcode, strlen(rows[i].opcode)) >= 0)
            bad_row(&rows[i], "(rows of one opcode stand apart)");
        firsts[opcode_count] = &forms[i];
        opcodes[opcode_count].name = rows[i].opcode;
        opcodes[opcode_count].first = (uint16_t)i;
        opcodes[opcode_count].count = 1;
        slot_put(opcode_slots, rows[i].opcode, opcode_count++);
    }
    read_leasts();
    qsort(firsts, opcode_count, sizeof *firsts, by_name);
    for (unsigned i = 0; i < opcode_count; i++)
        sorted_names[i] = firsts[i]->opcode;
}

void ptx_table_start(void) { pthread_once(&started, start); }

const struct ptx_form *ptx_opcode(const char *name, uint32_t length, uint32_t *count)
{
    ptx_table_start();
    int i = opcode_find(name, length);
    if (i < 0)
        return NULL;
    *count = opcodes[i].count;
    return &forms[opcodes[i].first];
}

const char *ptx_opcode_name(uint32_t index)
{
    ptx_table_start();
    return index < opcode_count ? sorted_names[index] : NULL;
}

enum ptx_type ptx_type_named(const char *name, uint32_t length)
{
    ptx_table_start();
    return (enum ptx_type)type_find(name, length);
}

int ptx_modifier_named(const char *name, uint32_t length)
{
    ptx_table_start();
    return modifier_find(name, length);
}

const char *ptx_modifier_name(enum ptx_modifier m) { return modifiers[m].name; }

int mods_value(const struct ptx_modifiers *mods, enum ptx_group group, int otherwise)
{
    for (int w = 0; w < MOD_WORDS; w++)
        for (uint64_t bits = mods->set.word[w]; bits; bits &= bits - 1) {
            int m = w * 64 + __builtin_ctzll(bits);
            if (modifiers[m].group == group)
                return modifiers[m].value;
        }
    return otherwise;
}

/* How many of the modifiers are alternatives of the choice. */
static int chosen(const struct mod_choice *c, const struct ptx_modifiers *mods)
{
    int n = 0;
    for (int w = 0; w < MOD_WORDS; w++)
        n += __builtin_popcountll(mods->set.word[w] & c->set.word[w]);
    return n;
}

static enum form_mismatch match_choices(const struct ptx_form *f, const struct ptx_modifiers *mods, unsigned *choice)
{
    int at = 0; /* leading modifiers so far */
    for (unsigned i = 0; i < f->choice_count; i++) {
        const struct mod_choice *c = &f->choices[i];
        int n = chosen(c, mods);
        *choice = i;
        if (n == 0 && c->required)
            return FORM_MISSING;
        if (n > 1)
            return FORM_TWICE;
        if (n == 0 || !c->leading)
            continue;
        int m = mods->leading[at++];
        if (m < 0 || !(c->set.word[m / 64] >> (m % 64) & 1))
            return FORM_ORDER;
    }
    return FORM_FITS;
}

enum form_mismatch ptx_form_match(const struct ptx_form *f, const struct ptx_modifiers *mods, unsigned *choice)
{
    unsigned ignored;
    if (f->any_modifiers)
        return FORM_FITS;
    for (int w = 0; w < MOD_WORDS; w++)
        if (mods->set.word[w] & ~f->allowed.word[w])
            return FORM_MODIFIER;
    if (mods->type_count != f->type_count)
        return FORM_TYPE_COUNT;
    for (int i = 0; i < f->type_count; i++)
        if (!(f->types[i] >> mods->types[i] & 1))
            return FORM_TYPE;
    return match_choices(f, mods, choice ? choice : &ignored);
}

static bool needs(const struct ptx_form *least, const struct ptx_modifiers *mods)
{
    uint64_t have = 0;
    for (unsigned i = 0; i < least->choice_count; i++)
        if (!chosen(&least->choices[i], mods))
            return false;
    for (unsigned i = 0; i < mods->type_count; i++)
        have |= 1ull << mods->types[i];
    if (least->type_count < 2)
        return !least->type_count || (have & least->types[0]);
    for (unsigned i = 0; i < least->type_count; i++)
        if (i >= mods->type_count || !(least->types[i] >> mods->types[i] & 1))
            return false;
    return true;
}

unsigned ptx_least_target(const struct ptx_form *f, const struct ptx_modifiers *mods)
{
    int opcode = opcode_find(f->opcode, strlen(f->opcode));
    unsigned sm = f->op == OP_MIN3 || f->op == OP_MAX3 ? 100 : 0;
    for (unsigned i = 0; i < opcodes[opcode].least_count; i++) {
        unsigned row = opcodes[opcode].first_least + i;
        if (leasts[row].sm > sm && needs(&needing[row], mods))
            sm = leasts[row].sm;
    }
    return sm;
}

static uint8_t arithmetic_class(enum ptx_type t)
{
    if (ptx_types[t].kind != 'F')
        return RP_CLASS_INT;
    return t == PT_F64 ? RP_CLASS_FP64 : t == PT_F32 || t == PT_F32X2 ? RP_CLASS_FP32 : RP_CLASS_FP16;
}

static uint8_t conversion_class(enum ptx_type d, enum ptx_type a)
{
    if (ptx_types[d].kind != 'F' && ptx_types[a].kind != 'F')
        return RP_CLASS_INT;
    return d == PT_F64 || a == PT_F64 ? RP_CLASS_CONVERT64 : RP_CLASS_CONVERT;
}

struct operand_range ptx_operand_range(const struct ptx_form *f, const struct ptx_modifiers *mods)
{
    static const enum ptx_modifier bringers[] = {M_MULTICAST, M_L2_HINT};
    struct operand_range r = {f->operands_needed, f->operand_count};
    for (unsigned i = 0; i < sizeof bringers / sizeof *bringers; i++)
        if (f->allowed.word[bringers[i] / 64] >> (bringers[i] % 64) & 1)
            mods_have(mods, bringers[i]) ? r.least++ : r.most--;
    return r;
}

uint8_t ptx_class(const struct ptx_form *f, const struct ptx_modifiers *mods)
{
    if (f->class_rule < RP_CLASS_COUNT)
        return f->class_rule;
    /* a comparison belongs to the unit of the type that it compares, the last one */
    enum ptx_type t = mods->type_count ? mods->types[mods->type_count - 1] : PT_NONE;
    uint8_t plain = arithmetic_class(t);
    switch (f->class_rule) {
    case C_MULTIPLY: return plain == RP_CLASS_INT ? RP_CLASS_INT_MUL : plain;
    case C_DIVIDE:
        if (mods_have(mods, M_APPROX) || mods_have(mods, M_FULL))
            return RP_CLASS_SFU;
        return plain == RP_CLASS_INT    ? RP_CLASS_INT_DIV
               : plain == RP_CLASS_FP64 ? RP_CLASS_FP64_DIV
                                        : RP_CLASS_FP32_DIV;
    case C_CONVERSION: return conversion_class(mods->types[0], mods->types[1]);
    default: return plain;
    }
}
