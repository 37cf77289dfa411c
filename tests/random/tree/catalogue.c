/* Which forms random programs have. */
#include <stdlib.h>
#include <string.h>

#include "frontend/host/launch.h"
#include "frontend/isa/ptx/check.h"
#include "tests/random/tree/tree.h"
#include "tests/unit/ptx_forms/reference.h"

enum { PER_ROW = 60, ROWS = 400, BATCH = 300, TEXT = 1 << 20 };

struct row {
    struct spelled *forms;
    unsigned seen, count;
};
static struct row rows[ROWS];
static unsigned row_count, form_count;

unsigned class_of_type(enum ptx_type t)
{
    unsigned bits = bits_of(t);
    return t == PT_PRED ? CLASSES : bits <= 16 ? CLASS_H : bits == 32 ? CLASS_R : CLASS_D;
}

int place_of(char role)
{
    const char *at = role ? strchr("dabclq.p", role) : NULL;
    return at ? (int)(at - "dabclq.p") : -1;
}

/* As the reference wants it: 3 of min and max of three sources. */
uint32_t immediate_of(const struct spelled *s)
{
    uint32_t h = 17;
    bool extreme = !strcmp(s->form->opcode, "min") || !strcmp(s->form->opcode, "max");
    if (extreme && s->operands == 4)
        return 3;
    for (const char *c = s->text; *c; c++)
        h = h * 31 + (unsigned char)*c;
    return h & 0xff;
}

static bool is_exact(const struct spelled *s)
{
    static const uint64_t ones = 0x3ff03f803f800001;
    for (int i = 0; i < 2; i++) {
        struct call c = {.opcode = s->form->opcode, .mods = &s->mods, .imm = immediate_of(s)};
        struct answer r;
        if (i)
            c.a = low_bits(ones, bits_of(ptx_operand_type(&s->form->operands[1], &s->mods)));
        if (reference(&c, &r) != ANSWERED || r.near)
            return false;
    }
    return true;
}

/* Of a row with many forms a sample, chosen the same way each time. */
static void take(const struct spelled *s, void *data)
{
    struct row *row = data;
    uint64_t random = ++row->seen;
    unsigned at = row->count;
    if (!is_exact(s) || is_old_form(s))
        return;
    if (at == PER_ROW && (at = (unsigned)(tree_random(&random) % row->seen)) >= PER_ROW)
        return;
    row->forms[at] = *s;
    row->count += at == row->count;
}

static bool is_chosen(const struct ptx_form *f)
{
    switch (f->lowering) {
    case LOW_LANES:
    case LOW_CONVERT:
    case LOW_CARRY:
    case LOW_VIDEO:
    case LOW_VIDEO_SIMD: return strcmp(f->opcode, "activemask") != 0;
    default: return false;
    }
}

static size_t operand_text(char *to, size_t size, const struct spelled *s, uint32_t i)
{
    static const char classes[] = "hrdp";
    const struct operand_form *o = &s->form->operands[i];
    char class = classes[class_of_type(ptx_operand_type(o, &s->mods))];
    if (o->role == 'i')
        return (size_t)snprintf(to, size, "%s%u", i ? ", " : " ", immediate_of(s));
    return (size_t)snprintf(to, size, o->pair ? "%s%%%c0|%%p0" : "%s%%%c0", i ? ", " : " ", class);
}

/* Takes out what the frontend refuses: modifiers that do not go together. */
static bool keep_accepted(struct row *row, char *text)
{
    struct rp_error err;
    size_t n = (size_t)snprintf(text, TEXT, ".version 8.7\n.target sm_90\n.address_size 64\n");
    for (unsigned i = 0; i < row->count; i++) {
        n +=
            (size_t)snprintf(text + n, TEXT - n,
                             ".entry k%u() { .reg .b64 %%d<2>; .reg .b32 %%r<2>; .reg .b16 %%h<2>; .reg .pred %%p<2>;\n"
                             "%s",
                             i, row->forms[i].text);
        for (uint32_t o = 0; o < row->forms[i].operands; o++)
            n += operand_text(text + n, TEXT - n, &row->forms[i], o);
        n += (size_t)snprintf(text + n, TEXT - n, ";\n ret; }\n");
    }
    struct rp_device *device = rp_device_new(&err);
    struct module *m = device ? ptx_load_text("catalogue.ptx", text, n, 0, &err) : NULL;
    if (!m || !rp_device_adopt(device, m, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < row->count; i++) {
        char name[20];
        snprintf(name, sizeof name, "k%u", i);
        if (module_find(m, name, &err))
            row->forms[kept++] = row->forms[i];
    }
    row->count = kept;
    rp_device_free(device);
    return true;
}

bool catalogue_open(void)
{
    const char *name;
    char *text = malloc(TEXT);
    bool good = text;
    for (uint32_t i = 0; good && (name = ptx_opcode_name(i)); i++) {
        uint32_t count;
        const struct ptx_form *forms = ptx_opcode(name, (uint32_t)strlen(name), &count);
        for (uint32_t f = 0; good && f < count && row_count < ROWS; f++) {
            struct row *row = &rows[row_count];
            if (!is_chosen(&forms[f]))
                continue;
            if (!row->forms && !(row->forms = malloc(PER_ROW * sizeof *row->forms)))
                good = false;
            *row = (struct row){.forms = row->forms};
            if (good)
                walk_row(&forms[f], true, take, row);
            good = good && (!row->count || keep_accepted(row, text));
            form_count += row->count;
            row_count += row->count > 0;
        }
    }
    free(text);
    return good;
}

void catalogue_close(void)
{
    for (unsigned i = 0; i < ROWS; i++)
        free(rows[i].forms);
}

unsigned catalogue_count(void) { return form_count; }

static bool has_type(const struct spelled *s, const char *name)
{
    for (unsigned i = 0; i < s->mods.type_count; i++)
        if (!strcmp(ptx_types[s->mods.types[i]].name, name))
            return true;
    return false;
}

static unsigned magnitude_bits(enum ptx_type t) { return bits_of(t) - is_signed_type(t); }
/* cvt that ptxas refuses: .sat where nothing can be too large, rounding to no integer among equal types. */
static bool is_idle_conversion(const struct spelled *s)
{
    enum ptx_type to = (enum ptx_type)s->mods.types[0], from = (enum ptx_type)s->mods.types[1];
    bool integers = !is_float_type(to) && !is_float_type(from);
    if (strcmp(s->form->opcode, "cvt") != 0 || s->mods.type_count != 2)
        return false;
    if (integers && mods_have(&s->mods, M_SAT))
        return magnitude_bits(to) >= magnitude_bits(from) && is_signed_type(to) >= is_signed_type(from);
    return to == from && is_float_type(to) && mods_value(&s->mods, G_ROUND, ROUND_DEFAULT) != ROUND_DEFAULT &&
           !strstr(s->text, "i.");
}

/* What the frontend takes and today's ptxas does not: bit types of sums, no rounding of mad. */
static bool is_old_spelling(const struct spelled *s)
{
    const char *op = s->form->opcode;
    char kind = s->mods.type_count ? ptx_types[s->mods.types[0]].kind : 0;
    bool sum = !strncmp(op, "add", 3) || !strncmp(op, "sub", 3);
    return (sum && kind == 'B') || (!strcmp(op, "mad") && kind == 'F' && mods_value(&s->mods, G_ROUND, -1) < 0);
}

/* PTX ISA, "Target ISA Notes" of each instruction: where a form begins. 100: not among the targets of these tests. */
static unsigned least_target(const struct spelled *s)
{
    const struct ptx_modifiers *m = &s->mods;
    const char *op = s->form->opcode;
    bool bf16 = has_type(s, "bf16") || has_type(s, "bf16x2"), f16 = has_type(s, "f16") || has_type(s, "f16x2");
    bool extreme = !strcmp(op, "min") || !strcmp(op, "max");
    if ((extreme && s->operands == 4) || is_old_spelling(s) || is_idle_conversion(s))
        return 100;
    if (mods_have(m, M_OOB))
        return 90;
    if (has_type(s, "e4m3x2") || has_type(s, "e5m2x2"))
        return 89;
    if (has_type(s, "tf32") && mods_have(m, M_SATFINITE) && mods_value(m, G_ROUND, -1) != ROUND_NA)
        return 100;
    if (bf16 && mods_have(m, M_XORSIGN))
        return 86;
    if (bf16)
        return !strcmp(op, "fma") || extreme || !strcmp(op, "neg") || !strcmp(op, "abs") ? 80 : 90;
    if (has_type(s, "tf32") || has_type(s, "u16x2") || has_type(s, "s16x2"))
        return 90;
    if (mods_have(m, M_RELU))
        return is_signed_type((enum ptx_type)m->types[0]) ? 90 : 80;
    if (extreme && (f16 || mods_have(m, M_NAN) || mods_have(m, M_XORSIGN)))
        return mods_have(m, M_XORSIGN) ? 86 : 80;
    return !strcmp(op, "cvt") && s->operands > 2 ? 80 : 70;
}

const struct spelled *catalogue_any(uint64_t *random, unsigned target)
{
    for (;;) {
        const struct row *row = &rows[tree_random(random) % row_count];
        const struct spelled *s = &row->forms[tree_random(random) % row->count];
        if (least_target(s) <= target)
            return s;
    }
}
