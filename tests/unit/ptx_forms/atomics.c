/* Each row of atom and red, in every operation, type and space, runs on corner values, once with a place for each lane
 * and once with places that lanes share, generic addresses in global and in shared memory; memory and old values are
 * compared with a plain model, lane by lane. Order, scope and hint change no value: each alone where no space is named,
 * and a sample of all. A form without a model fails. PTX ISA, "atom" and "red". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/uop.h"
#include "frontend/host/launch.h"
#include "frontend/isa/ptx/check.h"
#include "tests/support/form_walk.h"
#include "tests/support/model_float.h"
#include "tests/unit/ptx_forms/reference.h"

enum { SAMPLE = 31, LANES = 32, BATCH = 200, TEXT = 2 << 20, CELL = 16, SHARED_PLACES = 3, FORMS_AT_LEAST = 1000 };

struct lane_in {
    uint64_t offset, none; /* of its place */
    uint8_t b[CELL], c[CELL];
};
struct atomic_form {
    struct spelled s;
    bool generic_shared; /* a generic address of shared memory */
};
struct atomics {
    struct atomic_form forms[BATCH];
    unsigned count, rows, checked, refused, out_of_place;
    char *text;
    size_t length;
};

static unsigned elements_of(const struct spelled *s) { return (unsigned)mods_value(&s->mods, G_VECTOR, 1); }
static int space_of(const struct spelled *s) { return mods_value(&s->mods, G_SPACE, RP_SPACE_GENERIC); }
static bool in_shared(const struct atomic_form *f)
{
    int space = space_of(&f->s);
    return f->generic_shared || space == RP_SPACE_SHARED || space == RP_SPACE_SHARED_CLUSTER;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static enum verdict change(const struct atomic_form *f, uint8_t *place, const uint8_t *b, const uint8_t *c)
{
    enum ptx_type t = (enum ptx_type)f->s.mods.types[0];
    int op = mods_value(&f->s.mods, G_OPERATION, -1);
    if (bits_of(t) == 128) {
        if (op != RP_ATOMIC_EXCH && op != RP_ATOMIC_CAS)
            return NO_MODEL;
        if (op == RP_ATOMIC_EXCH || memcmp(place, b, 16) == 0)
            memcpy(place, op == RP_ATOMIC_EXCH ? b : c, 16);
        return ANSWERED;
    }
    unsigned bytes = bits_of(t) / 8, step = is_pair_type(t) ? 2 : bytes;
    for (unsigned i = 0; i < elements_of(&f->s) * bytes; i += step) {
        uint64_t old = 0, vb = 0, vc = 0, value = 0;
        memcpy(&old, place + i, step);
        memcpy(&vb, b + i, step);
        memcpy(&vc, c + i, step);
        enum verdict v = reference_atomic(op, t, !in_shared(f), old, vb, vc, &value);
        if (v != ANSWERED)
            return v;
        memcpy(place + i, &value, step);
    }
    return ANSWERED;
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static const char *registers_of(enum ptx_type t)
{
    return bits_of(t) == 16 ? "h" : bits_of(t) == 32 ? "r" : bits_of(t) == 64 ? "d" : "q";
}

#define SAY(...) n += (size_t)snprintf(to + n, size - n, __VA_ARGS__)
enum { FROM_B = 0, FROM_C = 8, FROM_D = 16 }; /* first registers */
static size_t vector(char *to, size_t size, const struct spelled *s, unsigned first)
{
    size_t n = 0;
    unsigned count = elements_of(s);
    for (unsigned i = 0; i < count; i++)
        SAY("%s%%%s%u%s",
            i           ? ","
            : count > 1 ? "{"
                        : "",
            registers_of((enum ptx_type)s->mods.types[0]), first + i, count > 1 && i + 1 == count ? "}" : "");
    return n;
}

static size_t instruction(char *to, size_t size, const struct spelled *s)
{
    size_t n = 0;
    SAY("%s", s->text);
    for (uint32_t i = 0; i < s->operands; i++) {
        char role = s->form->operands[i].role;
        SAY("%s", i ? ", " : " ");
        if (role == 'm')
            SAY("[%%at]");
        else if (role == 'x')
            SAY("%%hint");
        else
            n += vector(to + n, size - n, s, role == 'd' ? FROM_D : role == 'b' ? FROM_B : FROM_C);
    }
    SAY(";\n");
    return n;
}

static size_t atomic_kernel(char *to, size_t size, const struct atomic_form *f, unsigned number)
{
    enum ptx_type t = (enum ptx_type)f->s.mods.types[0];
    unsigned bytes = bits_of(t) / 8;
    const char *class = registers_of(t);
    size_t n = 0;
    SAY(".visible .entry k%u(.param .u64 in, .param .u64 out, .param .u64 cells) {\n"
        ".reg .b64 %%in, %%out, %%mine, %%at, %%wide, %%hint, %%x, %%y, %%own; .reg .b32 %%t;\n"
        ".reg .b128 %%q<24>; .reg .b64 %%d<24>; .reg .b32 %%r<24>; .reg .b16 %%h<24>;\n"
        ".shared .align 16 .b8 s[%d];\nld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
        "ld.param.u64 %%mine, [cells]; mov.b64 %%at, %%mine; mov.u64 %%hint, 0; mov.u32 %%t, %%tid.x;\n"
        "mul.wide.u32 %%wide, %%t, %d; add.u64 %%in, %%in, %%wide; mul.wide.u32 %%wide, %%t, %d;\n"
        "add.u64 %%out, %%out, %%wide; add.u64 %%mine, %%mine, %%wide;\n",
        number, LANES * CELL, (int)sizeof(struct lane_in), CELL);
    if (in_shared(f))
        SAY("mov.u64 %%at, s; add.u64 %%own, %%at, %%wide; ld.global.v2.b64 {%%x, %%y}, [%%mine];\n"
            "st.shared.v2.b64 [%%own], {%%x, %%y}; bar.sync 0;\n");
    if (f->generic_shared)
        SAY("cvta.shared.u64 %%at, %%at;\n");
    SAY("ld.global.b64 %%wide, [%%in]; add.u64 %%at, %%at, %%wide;\n");
    for (unsigned i = 0; i < elements_of(&f->s); i++)
        SAY("ld.global.b%u %%%s%u, [%%in+%u]; ld.global.b%u %%%s%u, [%%in+%u];\n", 8 * bytes, class, FROM_B + i,
            16 + i * bytes, 8 * bytes, class, FROM_C + i, 32 + i * bytes);
    n += instruction(to + n, size - n, &f->s);
    for (unsigned i = 0; f->s.form->operands[0].role == 'd' && i < elements_of(&f->s); i++)
        SAY("st.global.b%u [%%out+%u], %%%s%u;\n", 8 * bytes, i * bytes, class, FROM_D + i);
    if (in_shared(f))
        SAY("bar.sync 0; ld.shared.v2.b64 {%%x, %%y}, [%%own]; st.global.v2.b64 [%%mine], {%%x, %%y};\n");
    SAY("ret;\n}\n");
    return n;
}

/* ---- values and comparison --------------------------------------------------------------------------------------- */

static uint64_t atomic_state;
static uint64_t next_random(void)
{
    uint64_t z = atomic_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    return z ^ z >> 31;
}

static void fill(const struct atomic_form *f, bool meet, struct lane_in *in, uint8_t *cells)
{
    enum ptx_type t = (enum ptx_type)f->s.mods.types[0];
    unsigned width = is_pair_type(t) ? 2 : bits_of(t) == 128 ? 8 : bits_of(t) / 8;
    reference_numbers(cells, LANES * CELL, width, next_random);
    for (unsigned l = 0; l < LANES; l++) {
        in[l].offset = CELL * (meet ? l % SHARED_PLACES : l);
        reference_numbers(in[l].b, CELL, width, next_random);
        reference_numbers(in[l].c, CELL, width, next_random);
        if (mods_value(&f->s.mods, G_OPERATION, -1) == RP_ATOMIC_CAS && l % 2) /* so that half of them swap */
            memcpy(in[l].b, cells + in[l].offset, CELL);
    }
}

static void compare_atomic(struct rp_device *device, struct program *p, const struct atomic_form *f, bool meet,
                           const uint64_t *addresses)
{
    struct rp_launch_config config = {.grid = {1, 1, 1}, .block = {LANES, 1, 1}, .params = addresses, .threads = 1};
    struct rp_launch_result result;
    struct rp_error err;
    struct lane_in *in = rp_host(device, addresses[0], 8);
    uint8_t *out = rp_host(device, addresses[1], 8), *cells = rp_host(device, addresses[2], 8);
    uint8_t wanted[LANES * CELL], old[LANES * CELL] = {0};
    unsigned bytes = bits_of((enum ptx_type)f->s.mods.types[0]) / 8 * elements_of(&f->s);
    fill(f, meet, in, cells);
    memcpy(wanted, cells, sizeof wanted);
    memset(out, 0, LANES * CELL);
    for (unsigned l = 0; l < LANES; l++) {
        if (f->s.form->operands[0].role == 'd')
            memcpy(old + l * CELL, wanted + in[l].offset, bytes);
        if (change(f, wanted + in[l].offset, in[l].b, in[l].c) != ANSWERED)
            return;
    }
    cr_assert(rp_launch_kernel(device, p, &config, &result, &err), "%s: %s", f->s.text, err.text);
    for (unsigned l = 0; l < LANES; l++)
        if (memcmp(old + l * CELL, out + l * CELL, CELL) || memcmp(wanted + l * CELL, cells + l * CELL, CELL)) {
            uint64_t w[2], g[2], b;
            memcpy(w, wanted + l * CELL, 16);
            memcpy(g, cells + l * CELL, 16);
            memcpy(&b, in[l].b, 8);
            cr_expect(false, "%s%s%s, lane %u, b %#lx: place %#lx %#lx, not %#lx %#lx; old values %s", f->s.text,
                      f->generic_shared ? " (in shared memory)" : "", meet ? ", lanes meet" : "", l, b, g[0], g[1],
                      w[0], w[1], memcmp(old + l * CELL, out + l * CELL, CELL) ? "differ" : "agree");
            return;
        }
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static void begin(struct atomics *b)
{
    b->count = 0;
    b->length = (size_t)snprintf(b->text, TEXT, ".version 9.0\n.target sm_90\n.address_size 64\n");
}

static void run_atomics(struct atomics *b)
{
    struct rp_error err;
    struct rp_device *device = rp_device_new(&err);
    struct module *m = ptx_load_text("atomics.ptx", b->text, b->length, 0, &err);
    cr_assert(device && m, "%s", err.text);
    cr_assert(rp_device_adopt(device, m, &err), "%s", err.text);
    const uint64_t addresses[] = {rp_alloc(device, LANES * sizeof(struct lane_in), "in", &err),
                                  rp_alloc(device, LANES * CELL, "out", &err),
                                  rp_alloc(device, LANES * CELL, "cells", &err)};
    for (unsigned i = 0; i < b->count; i++) {
        char name[20];
        snprintf(name, sizeof name, "k%u", i);
        struct program *p = module_find(m, name, &err);
        if (!p) {
            cr_expect(!strstr(err.text, "is not covered yet"), "%s", err.text);
            b->refused++;
            continue;
        }
        compare_atomic(device, p, &b->forms[i], false, addresses);
        compare_atomic(device, p, &b->forms[i], true, addresses);
        b->checked++;
    }
    rp_device_free(device);
}

static void add(struct atomics *b, const struct spelled *s, bool generic_shared)
{
    struct atomic_form f = {*s, generic_shared};
    uint8_t none[3][CELL] = {{0}};
    cr_expect_eq(change(&f, none[0], none[1], none[2]), ANSWERED, "there is no model for %s: %s", s->text, __FILE__);
    b->forms[b->count] = f;
    b->length += atomic_kernel(b->text + b->length, TEXT - b->length, &f, b->count);
    if (++b->count == BATCH) {
        run_atomics(b);
        begin(b);
    }
}

/* Spaces that have no atomics. */
static void expect_refusal(struct atomics *b, const struct spelled *s)
{
    const struct atomic_form f = {*s, false};
    struct rp_error err;
    begin(b);
    b->length += atomic_kernel(b->text + b->length, TEXT - b->length, &f, 0);
    struct module *m = ptx_load_text("atomics.ptx", b->text, b->length, 0, &err);
    cr_expect(!m || !module_find(m, "k0", &err), "%s is taken", s->text);
    module_free(m);
    b->out_of_place++;
}

static void add_out_of_place(const struct spelled *s, void *data)
{
    int space = space_of(s);
    if (space == RP_SPACE_LOCAL || space == RP_SPACE_CONST || space == RP_SPACE_PARAM)
        expect_refusal(data, s);
}

static bool is_sampled(const struct spelled *s)
{
    uint32_t h = 2166136261u;
    for (const char *c = s->text; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return (h >> 8) % SAMPLE == 0;
}

static void add_atomic(const struct spelled *s, void *data)
{
    struct atomics *b = data;
    bool order = mods_value(&s->mods, G_ORDER, -1) >= 0, scope = mods_value(&s->mods, G_SCOPE, -1) >= 0,
         hint = mods_have(&s->mods, M_L2_HINT);
    int space = space_of(s);
    if (order + scope + hint > (space == RP_SPACE_GENERIC) && !is_sampled(s))
        return;
    if (space == RP_SPACE_LOCAL || space == RP_SPACE_CONST || space == RP_SPACE_PARAM)
        return; /* add_out_of_place */
    add(b, s, false);
    if (space == RP_SPACE_GENERIC && elements_of(s) == 1)
        add(b, s, true);
}

Test(atomics, every_form_against_its_model)
{
    static const char *const names[] = {"atom", "red"};
    struct atomics *b = calloc(1, sizeof *b);
    b->text = malloc(TEXT);
    atomic_state = 15;
    begin(b);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t count;
        const struct ptx_form *forms = ptx_opcode(names[i], (uint32_t)strlen(names[i]), &count);
        for (uint32_t f = 0; f < count; f++)
            if (forms[f].lowering == LOW_ATOMIC) {
                unsigned before = b->checked;
                walk_row(&forms[f], true, add_atomic, b);
                run_atomics(b);
                walk_row(&forms[f], false, add_out_of_place, b);
                begin(b);
                cr_expect_gt(b->checked, before, "no form of row %u of '%s' runs", f, names[i]);
                b->rows++;
            }
    }
    fprintf(stderr,
            "# atom, red: %u forms of %u rows agree with their model, %u are refused, %u name spaces without atomics\n",
            b->checked, b->rows, b->refused, b->out_of_place);
    cr_expect_gt(b->checked, (unsigned)FORMS_AT_LEAST);
    free(b->text);
    free(b);
}
