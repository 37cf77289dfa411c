/* The instruction table is walked: each form that computes from registers to registers, with every combination of its
 * modifiers and types, runs on corner values and is compared with the reference, which must know it. Each other row
 * must load, and have such a walk in another file, which is named here. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "tests/unit/ptx_forms/batch.h"
#include "tests/unit/ptx_forms/reference.h"

enum { THREADS = 96, INPUTS = 5, OUTPUTS = 3, FORMS_AT_LEAST = 6000 };

/* Across lanes, so not here: warps.c has models of them. */
static bool across_lanes(uint8_t op)
{
    return op == OP_SHFL || op == OP_VOTE || op == OP_MATCH || op == OP_REDUX || op == OP_ACTIVEMASK || op == OP_ELECT;
}
static bool is_walked(const struct ptx_form *f)
{
    switch (f->lowering) {
    case LOW_LANES: return !across_lanes(f->op);
    case LOW_CONVERT:
    case LOW_CARRY:
    case LOW_VIDEO:
    case LOW_VIDEO_SIMD: return true;
    default: return false;
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

#define PICK(list) list[batch_random(b) % (sizeof(list) / sizeof *(list))]
static uint64_t value_for(struct batch *b, enum ptx_type t, bool amount)
{
    static const uint64_t c16[] = {0,      1,      2,      0x7f,   0x80,   0xff,   0x100,  0x3ff,  0x400,
                                   0x3c00, 0xbc00, 0x3800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfd55,
                                   0x7f80, 0x3f80, 0x8000, 0x8001, 0x7fff, 0xffff, 0x0080, 0x007f, 0x8080};
    static const uint64_t c32[] = {0,          1,          2,          31,         32,         33,         0x7fff,
                                   0x8000,     0xffff,     0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000,
                                   0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x00800000, 0x007fffff,
                                   0x00000100, 0x80000100, 0x7e800001, 0x4f000000, 0xcf000000, 0x5f000000, 0x43e00000,
                                   0x477fe000, 0x477ff000, 0x3f800001, 0x4b800001, 0x3c007bff, 0xfc007e00, 0x80017c01};
    static const uint64_t c64[] = {0,
                                   1,
                                   63,
                                   64,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000000,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xffffffffffffffff,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000001,
                                   0x000fffffffffffff,
                                   0x0010000000000000,
                                   0x41dfffffffe00000,
                                   0x41e0000000000000,
                                   0x43e0000000000000,
                                   0x47efffffe0000000,
                                   0x47effffff0000000,
                                   0x36a0000000000000,
                                   0x40effc0000000000};
    unsigned bits = bits_of(t);
    uint64_t r = batch_random(b), x = batch_random(b);
    if (amount && r % 2)
        return x % 70;
    if (r % 3 == 0)
        return bits <= 16 ? PICK(c16) : bits == 32 ? PICK(c32) : PICK(c64);
    if (t == PT_F32 && r % 3 == 1) /* exponents near each other, few bits: halfway cases */
        return (x & 0x80000000) | (127 - 26 + batch_random(b) % 52) << 23 |
               (x & 0x7fffff & -(1ull << batch_random(b) % 24));
    if (t == PT_F64 && r % 3 == 1)
        return (x & 1ull << 63) | (1023 - 55 + batch_random(b) % 110) << 52 |
               (x & 0xfffffffffffff & -(1ull << batch_random(b) % 53));
    return low_bits(x, bits < 16 ? 16 : bits);
}

/* ---- one form as a kernel ---------------------------------------------------------------------------------------- */

static unsigned register_bits(enum ptx_type t) { return bits_of(t) < 16 ? 16 : bits_of(t); }

static int source_place(char role)
{
    const char *at = strchr("abcl", role);
    return role && at ? (int)(at - "abcl") : -1;
}

static uint32_t immediate_of(const char *spelling)
{
    uint32_t h = 17;
    for (; *spelling; spelling++)
        h = h * 31 + (unsigned char)*spelling;
    return h & 0xff;
}

static size_t loads(char *to, size_t size, const struct spelled *s)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->operands; i++) {
        int at = source_place(s->form->operands[i].role);
        enum ptx_type t = ptx_operand_type(&s->form->operands[i], &s->mods);
        if (at < 0)
            continue;
        if (t == PT_PRED)
            n += (size_t)snprintf(to + n, size - n,
                                  "ld.global.b32 %%r8, [%%in+%d]; and.b32 %%r8, %%r8, 1; setp.ne.b32 %%p%d, %%r8, 0;\n",
                                  8 * at, at);
        else
            n += (size_t)snprintf(to + n, size - n, "ld.global.b%u %%%s%d, [%%in+%d];\n", register_bits(t),
                                  batch_register_class(t), at, 8 * at);
    }
    return n;
}

static size_t operands(char *to, size_t size, const struct spelled *s)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        const char *comma = i ? ", " : " ", *class = batch_register_class(ptx_operand_type(o, &s->mods));
        int at = source_place(o->role);
        if (o->role == 'd')
            n += (size_t)snprintf(to + n, size - n, o->pair ? "%s%%%s9|%%p8" : "%s%%%s9", comma, class);
        else if (o->role == 'q')
            n += (size_t)snprintf(to + n, size - n, o->pair ? "%s%%p8|%%p7" : "%s%%p8", comma);
        else if (o->role == 'p')
            n += (size_t)snprintf(to + n, size - n, "%s%%p4", comma);
        else if (o->role == 'i')
            n += (size_t)snprintf(to + n, size - n, "%s%u", comma, immediate_of(s->text));
        else
            n += (size_t)snprintf(to + n, size - n, "%s%%%s%d", comma, class, at);
    }
    return n;
}

static size_t stores(char *to, size_t size, const struct spelled *s)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->operands; i++) {
        enum ptx_type t = ptx_operand_type(&s->form->operands[i], &s->mods);
        if (s->form->operands[i].role == 'd' && t == PT_PRED)
            n += (size_t)snprintf(to + n, size - n, "selp.b64 %%d9, 1, 0, %%p9; st.global.b64 [%%out], %%d9;\n");
        else if (s->form->operands[i].role == 'd')
            n += (size_t)snprintf(to + n, size - n, "st.global.b%u [%%out], %%%s9;\n", register_bits(t),
                                  batch_register_class(t));
    }
    return n + (size_t)snprintf(to + n, size - n,
                                "selp.b64 %%d9, 1, 0, %%p8; st.global.b64 [%%out+8], %%d9;\n"
                                "selp.b64 %%d9, 1, 0, %%p7; st.global.b64 [%%out+16], %%d9;\n");
}

static size_t kernel_text(char *to, size_t size, const struct spelled *s, unsigned number)
{
    size_t n = (size_t)snprintf(
        to, size,
        ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %%in, %%out, %%d<10>; .reg .b32 %%r<10>; .reg .b16 %%h<10>; .reg .pred %%p<10>;\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%r9, %%tid.x;\n"
        "mul.wide.u32 %%d9, %%r9, %d; add.u64 %%in, %%in, %%d9; mul.wide.u32 %%d9, %%r9, %d; add.u64 %%out, %%out, "
        "%%d9;\n"
        "ld.global.b32 %%r7, [%%in+32]; setp.ne.b32 %%p4, %%r7, 0; setp.ne.b32 %%p8, 0, 0; setp.ne.b32 %%p7, 0, 0;\n",
        number, 8 * INPUTS, 8 * OUTPUTS);
    n += loads(to + n, size - n, s);
    if (s->form->lowering == LOW_CARRY)
        n += (size_t)snprintf(to + n, size - n, "add.cc.u32 %%r8, %%r7, 0xffffffff;\n");
    n += (size_t)snprintf(to + n, size - n, "%s", s->text);
    n += operands(to + n, size - n, s);
    n += (size_t)snprintf(to + n, size - n, ";\n");
    n += stores(to + n, size - n, s);
    return n + (size_t)snprintf(to + n, size - n, "ret;\n}\n");
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static bool has_role(const struct spelled *s, char role)
{
    for (uint32_t i = 0; i < s->operands; i++)
        if (s->form->operands[i].role == role)
            return true;
    return false;
}

static struct call call_of(const struct spelled *s, const uint64_t in[INPUTS])
{
    struct call c = {.opcode = s->form->opcode, .mods = &s->mods, .p = in[4]};
    uint64_t *sources[] = {&c.a, &c.b, &c.c, &c.l};
    for (uint32_t i = 0; i < s->operands; i++) {
        int at = source_place(s->form->operands[i].role);
        enum ptx_type t = ptx_operand_type(&s->form->operands[i], &s->mods);
        if (at >= 0)
            *sources[at] = low_bits(in[at], bits_of(t));
    }
    bool extreme = !strcmp(c.opcode, "min") || !strcmp(c.opcode, "max");
    c.imm = extreme && has_role(s, 'c') ? 3 : immediate_of(s->text);
    return c;
}

static void fill(struct batch *b, const struct spelled *s, uint64_t in[INPUTS])
{
    memset(in, 0, INPUTS * sizeof *in);
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        int at = source_place(o->role);
        if (at >= 0)
            in[at] = value_for(b, ptx_operand_type(o, &s->mods), o->typing == 'u');
    }
    in[4] = batch_random(b) & 1;
}

static void expect_thread(const struct spelled *s, const uint64_t in[INPUTS], const uint64_t out[OUTPUTS], bool *good)
{
    struct call c = call_of(s, in);
    struct answer r;
    reference(&c, &r);
    unsigned width = 64;
    bool pair = false, d = false, q = false;
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        enum ptx_type t = ptx_operand_type(o, &s->mods);
        d |= o->role == 'd';
        q |= o->role == 'q' || o->pair;
        pair |= o->role == 'q' && o->pair;
        if (o->role == 'd')
            width = t == PT_PRED ? 1 : register_bits(t);
    }
    bool ok = (!d || answer_holds(&c, &r, low_bits(out[0], width))) && (!q || r.any || out[1] == r.q[0]) &&
              (!pair || r.any || out[2] == r.q[1]);
    cr_expect(ok, "%s of %#lx, %#lx, %#lx, %#lx, %lu: %#lx %lu %lu, not %#lx %d %d (%Lg)", s->text, in[0], in[1], in[2],
              in[3], in[4], low_bits(out[0], width), out[1], out[2], r.d, r.q[0], r.q[1], r.exact);
    *good = ok;
}

static void compare_form(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t in, out;
    } params;
    uint64_t *in = batch_memory(b, THREADS * INPUTS * sizeof *in, &params.in);
    uint64_t *out = batch_memory(b, THREADS * OUTPUTS * sizeof *out, &params.out);
    for (int t = 0; t < THREADS; t++)
        fill(b, s, in + t * INPUTS);
    bool good = batch_launch(b, p, s, 1, &params);
    for (int t = 0; t < THREADS && good; t++)
        expect_thread(s, in + t * INPUTS, out + t * OUTPUTS, &good);
}

static unsigned no_ptx;
static void add_form(const struct spelled *s, void *batch)
{
    const uint64_t zeros[INPUTS] = {0};
    struct call c = call_of(s, zeros);
    struct answer r;
    enum verdict v = reference(&c, &r);
    cr_expect_neq(v, NO_MODEL, "there is no model for %s: tests/unit/ptx_forms/reference_*.c", s->text);
    no_ptx += v == NOT_PTX;
    if (v == ANSWERED && !is_old_form(s))
        batch_add(s, batch);
}

static bool is_float_mad(const struct ptx_form *f) { return !strcmp(f->opcode, "mad") && f->op == OP_FMA; }
static void add_old_form(const struct spelled *s, void *batch)
{
    if (is_old_form(s))
        batch_add(s, batch);
}

Test(forms, mad_without_a_rounding)
{
    static const struct batch_of forms = {
        .what = "mad without a rounding",
        .head = ".version 1.3\n.target sm_13\n.address_size 64\n",
        .threads = THREADS,
        .chosen = is_float_mad,
        .add = add_old_form,
        .print = kernel_text,
        .compare = compare_form,
        .at_least = 5,
    };
    batch_every_form(&forms);
}

Test(forms, every_form_against_its_model)
{
    static const struct batch_of forms = {
        .what = "arithmetic",
        .head = ".version 9.0\n.target sm_100\n.address_size 64\n",
        .threads = THREADS,
        .chosen = is_walked,
        .add = add_form,
        .print = kernel_text,
        .compare = compare_form,
        .at_least = FORMS_AT_LEAST,
    };
    batch_every_form(&forms);
    fprintf(stderr, "# %u combinations of modifiers and types are no forms\n", no_ptx);
}

/* ---- all other rows ---------------------------------------------------------------------------------------------- */

/* Which file of tests has a walk that compares each form with a model: of a kind of instruction, by LOW_..., in this
 * folder; or of an opcode. */
struct modelled {
    const char *name, *file;
};
#define KIND(kind, file) [LOW_##kind] = {"LOW_" #kind, "tests/unit/ptx_forms/" file ".c"}
static const struct modelled kinds[] = {
    KIND(LANES, "warps"),          KIND(MOVE, "addresses"),        KIND(MOVE_VECTOR, "addresses"),
    KIND(CVTA, "addresses"),       KIND(ISSPACEP, "addresses"),    KIND(LOAD, "memory"),
    KIND(STORE, "memory"),         KIND(ATOMIC, "atomics"),        KIND(COPY, "copies"),
    KIND(PREFETCH, "quiet"),       KIND(BRANCH, "control"),        KIND(BRANCH_TABLE, "control"),
    KIND(CALL, "control"),         KIND(RETURN, "control"),        KIND(EXIT, "control"),
    KIND(BARRIER, "barriers"),     KIND(WARP_BARRIER, "barriers"), KIND(FENCE, "quiet"),
    KIND(TRAP, "control"),         KIND(OBJECT, "objects"),        KIND(OBJECT_WAIT, "objects"),
    KIND(BULK, "copies"),          KIND(TENSOR, "tensors"),        KIND(MAP_FIELD, "tensor_maps"),
    KIND(MAP_COPY, "tensor_maps"), KIND(GROUP, "quiet"),           KIND(STORE_ASYNC, "objects"),
    KIND(REDUCE_ASYNC, "objects"), KIND(PENDING_COUNT, "objects"), KIND(CLUSTER_BARRIER, "barriers"),
    KIND(CLUSTER, "addresses"),    KIND(STACK, "addresses"),       KIND(NOTHING, "quiet"),
    KIND(WARPGROUP, "quiet"),
};
#define SURFACES "tests/unit/ptx_forms/surfaces.c"
#define MATRICES "tests/unit/matrix/moves.c"
static const struct modelled opcodes[] = {
    {"tex", "tests/unit/ptx_forms/textures.c"},
    {"tld4", "tests/unit/ptx_forms/textures.c"},
    {"txq", SURFACES},
    {"suq", SURFACES},
    {"suld", SURFACES},
    {"sust", SURFACES},
    {"sured", SURFACES},
    {"ldmatrix", MATRICES},
    {"stmatrix", MATRICES},
    {"movmatrix", MATRICES},
    {"mma", "tests/unit/matrix/mma.c"},
    {"wmma", "tests/unit/matrix/wmma.c"},
    {"wgmma", "tests/unit/matrix/wgmma.c"},
};

static const struct modelled *by_opcode(const struct ptx_form *f)
{
    for (unsigned i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (!strcmp(f->opcode, opcodes[i].name))
            return &opcodes[i];
    return NULL;
}
static const struct modelled *by_kind(const struct ptx_form *f)
{
    return f->lowering < sizeof kinds / sizeof *kinds && kinds[f->lowering].name ? &kinds[f->lowering] : NULL;
}

/* A kind stands there as a word, an opcode as a string. */
static bool file_has(const char *path, const char *name, bool quoted)
{
    char word[40], line[300];
    bool found = false;
    FILE *f = fopen(path, "r");
    snprintf(word, sizeof word, quoted ? "\"%s\"" : "%s", name);
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, word);
        found = at && (quoted || !(at[strlen(word)] == '_' || isalpha((unsigned char)at[strlen(word)])));
    }
    if (f)
        fclose(f);
    return found;
}

struct rows {
    unsigned here, elsewhere;
};
static void expect_model(const struct ptx_form *f, void *data)
{
    struct rows *rows = data;
    if (f->lowering == LOW_NONE)
        return;
    rows->here += is_walked(f);
    rows->elsewhere += !is_walked(f);
    if (is_walked(f))
        return;
    const struct modelled *kind = by_kind(f), *m = kind ? kind : by_opcode(f);
    cr_expect(m, "a row of '%s' has no test of each of its forms against a model", f->opcode);
    cr_expect(!m || file_has(m->file, m->name, !kind), "'%s': %s has no walk of %s", f->opcode, m ? m->file : "",
              m ? m->name : "");
}
Test(forms, every_row_has_a_model)
{
    struct rows rows = {0};
    walk_rows(expect_model, &rows);
    fprintf(stderr, "# each form of all %u rows has a model: of %u here, of %u in other files\n",
            rows.here + rows.elsewhere, rows.here, rows.elsewhere);
}

/* Memory and what else takes no registers alone: every modifier and type of a row loads with the others in a plain
 * form. Some do not go together, so a row is looked at as a whole. */
struct loading {
    unsigned taken;
    struct rp_error err;
};

static void try_form(const struct spelled *s, void *data)
{
    struct loading *l = data;
    char text[1000];
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() {\n.reg .b128 %%q<8>; .reg .b64 "
                         "%%d<8>; .reg .b32 %%r<8>; .reg .b16 %%h<8>; .reg .pred %%p<8>;\n%s",
                         s->text);
    n += batch_operands(text + n, sizeof text - n, s);
    n += (size_t)snprintf(text + n, sizeof text - n, ";\nret; }\n");
    struct module *m = ptx_load_text("form.ptx", text, n, 0, &l->err);
    if (m && module_find(m, "k", &l->err))
        l->taken++;
    module_free(m);
}

static void expect_loads(const struct ptx_form *f, void *data)
{
    (void)data;
    struct loading l = {0};
    bool plain = true; /* labels and lists are other tests' */
    for (unsigned i = 0; i < f->operand_count; i++)
        plain &= f->operands[i].role != 'L';
    if (f->lowering == LOW_NONE || is_walked(f) || f->any_operands || !plain || by_opcode(f))
        return;
    walk_row(f, false, try_form, &l);
    cr_expect(l.taken, "no form of this row of '%s' loads: %s", f->opcode, l.err.text);
}
Test(forms, every_other_row_loads) { walk_rows(expect_loads, NULL); }
