/* Each row of atom and red, in every operation, type and space, runs on corner values, once with a place for each lane,
 * once with places that lanes share, and once with one place for all, with generic addresses in global and in shared
 * memory; memory and old values are compared with a plain model, lane by lane. Half of the forms have the old value in
 * the register of the operand. Order, scope and hint change no value: each alone where no space is named,
 * and a sample of all. A form without a model fails. PTX ISA, "atom" and "red". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "frontend/operation/uop.h"
#include "tests/unit/ptx_forms/batch.h"
#include "tests/unit/ptx_forms/reference.h"

enum { SAMPLE = 31, LANES = BATCH_LANES, CELL = 16, SOME_PLACES = 3, FORMS_AT_LEAST = 1000 };

struct lane_in {
    uint64_t offset, none; /* of its place */
    uint8_t b[CELL], c[CELL];
};
static unsigned elements_of(const struct spelled *s) { return (unsigned)mods_value(&s->mods, G_VECTOR, 1); }
static int space_of(const struct spelled *s) { return mods_value(&s->mods, G_SPACE, RP_SPACE_GENERIC); }
/* Variant 1: a generic address of shared memory. */
static bool in_shared(const struct spelled *s)
{
    int space = space_of(s);
    return s->variant || space == RP_SPACE_SHARED || space == RP_SPACE_SHARED_CLUSTER;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static enum verdict change(const struct spelled *s, uint8_t *place, const uint8_t *b, const uint8_t *c)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    int op = mods_value(&s->mods, G_OPERATION, -1);
    if (bits_of(t) == 128) {
        if (op != RP_ATOMIC_EXCH && op != RP_ATOMIC_CAS)
            return NO_MODEL;
        if (op == RP_ATOMIC_EXCH || memcmp(place, b, 16) == 0)
            memcpy(place, op == RP_ATOMIC_EXCH ? b : c, 16);
        return ANSWERED;
    }
    unsigned bytes = bits_of(t) / 8, step = is_pair_type(t) ? 2 : bytes;
    for (unsigned i = 0; i < elements_of(s) * bytes; i += step) {
        uint64_t old = 0, vb = 0, vc = 0, value = 0;
        memcpy(&old, place + i, step);
        memcpy(&vb, b + i, step);
        memcpy(&vc, c + i, step);
        enum verdict v = reference_atomic(op, t, !in_shared(s), old, vb, vc, &value);
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
static uint32_t hash_of(const struct spelled *s)
{
    uint32_t h = 2166136261u;
    for (const char *c = s->text; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return h >> 8;
}
static unsigned first_old(const struct spelled *s) { return hash_of(s) % 2 ? FROM_B : FROM_D; }
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
            n += vector(to + n, size - n, s, role == 'd' ? first_old(s) : role == 'b' ? FROM_B : FROM_C);
    }
    SAY(";\n");
    return n;
}

static size_t atomic_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
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
    if (in_shared(s))
        SAY("mov.u64 %%at, s; add.u64 %%own, %%at, %%wide; ld.global.v2.b64 {%%x, %%y}, [%%mine];\n"
            "st.shared.v2.b64 [%%own], {%%x, %%y}; bar.sync 0;\n");
    if (s->variant)
        SAY("cvta.shared.u64 %%at, %%at;\n");
    SAY("ld.global.b64 %%wide, [%%in]; add.u64 %%at, %%at, %%wide;\n");
    for (unsigned i = 0; i < elements_of(s); i++)
        SAY("ld.global.b%u %%%s%u, [%%in+%u]; ld.global.b%u %%%s%u, [%%in+%u];\n", 8 * bytes, class, FROM_B + i,
            16 + i * bytes, 8 * bytes, class, FROM_C + i, 32 + i * bytes);
    n += instruction(to + n, size - n, s);
    for (unsigned i = 0; s->form->operands[0].role == 'd' && i < elements_of(s); i++)
        SAY("st.global.b%u [%%out+%u], %%%s%u;\n", 8 * bytes, i * bytes, class, first_old(s) + i);
    if (in_shared(s))
        SAY("bar.sync 0; ld.shared.v2.b64 {%%x, %%y}, [%%own]; st.global.v2.b64 [%%mine], {%%x, %%y};\n");
    SAY("ret;\n}\n");
    return n;
}

/* ---- values and comparison --------------------------------------------------------------------------------------- */

static void fill(struct batch *b, const struct spelled *s, unsigned places, struct lane_in *in, uint8_t *cells)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    unsigned width = is_pair_type(t) ? 2 : bits_of(t) == 128 ? 8 : bits_of(t) / 8;
    batch_numbers(b, cells, LANES * CELL, width);
    for (unsigned l = 0; l < LANES; l++) {
        in[l].offset = CELL * (l % places);
        batch_numbers(b, in[l].b, CELL, width);
        batch_numbers(b, in[l].c, CELL, width);
        if (mods_value(&s->mods, G_OPERATION, -1) == RP_ATOMIC_CAS && l % 2) /* so that half of them swap */
            memcpy(in[l].b, cells + in[l].offset, CELL);
    }
}

struct atomic_params {
    uint64_t in, out, cells;
};

static void compare_once(struct batch *b, struct program *p, const struct spelled *s, unsigned places)
{
    struct atomic_params params;
    struct lane_in *in = batch_memory(b, LANES * sizeof *in, &params.in);
    uint8_t *out = batch_memory(b, LANES * CELL, &params.out), *cells = batch_memory(b, LANES * CELL, &params.cells);
    uint8_t wanted[LANES * CELL], old[LANES * CELL] = {0};
    unsigned bytes = bits_of((enum ptx_type)s->mods.types[0]) / 8 * elements_of(s);
    fill(b, s, places, in, cells);
    memcpy(wanted, cells, sizeof wanted);
    memset(out, 0, LANES * CELL);
    for (unsigned l = 0; l < LANES; l++) {
        if (s->form->operands[0].role == 'd')
            memcpy(old + l * CELL, wanted + in[l].offset, bytes);
        cr_assert_eq(change(s, wanted + in[l].offset, in[l].b, in[l].c), ANSWERED, "there is no model for %s", s->text);
    }
    if (!batch_launch(b, p, s, 1, &params))
        return;
    for (unsigned l = 0; l < LANES; l++)
        if (memcmp(old + l * CELL, out + l * CELL, CELL) || memcmp(wanted + l * CELL, cells + l * CELL, CELL)) {
            uint64_t w[2], g[2], operand;
            memcpy(w, wanted + l * CELL, 16);
            memcpy(g, cells + l * CELL, 16);
            memcpy(&operand, in[l].b, 8);
            cr_expect(false, "%s%s, %u places, lane %u, b %#lx: place %#lx %#lx, not %#lx %#lx; old values %s", s->text,
                      s->variant ? " (in shared memory)" : "", places, l, operand, g[0], g[1], w[0], w[1],
                      memcmp(old + l * CELL, out + l * CELL, CELL) ? "differ" : "agree");
            return;
        }
}

static void compare_atomic(struct batch *b, struct program *p, const struct spelled *s)
{
    compare_once(b, p, s, LANES);
    compare_once(b, p, s, SOME_PLACES);
    compare_once(b, p, s, 1);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool is_atomic(const struct ptx_form *f) { return f->lowering == LOW_ATOMIC; }
static bool is_out_of_place(const struct spelled *s)
{
    int space = space_of(s);
    return space == RP_SPACE_LOCAL || space == RP_SPACE_CONST || space == RP_SPACE_PARAM;
}

static bool is_sampled(const struct spelled *s) { return hash_of(s) % SAMPLE == 0; }

static void add_atomic(const struct spelled *s, void *batch)
{
    bool order = mods_value(&s->mods, G_ORDER, -1) >= 0, scope = mods_value(&s->mods, G_SCOPE, -1) >= 0,
         hint = mods_have(&s->mods, M_L2_HINT), generic = space_of(s) == RP_SPACE_GENERIC;
    struct spelled in_shared_memory = *s;
    in_shared_memory.variant = 1;
    if (is_out_of_place(s) ? order + scope + hint > 0 : order + scope + hint > generic && !is_sampled(s))
        return;
    batch_add(s, batch);
    if (generic && elements_of(s) == 1)
        batch_add(&in_shared_memory, batch);
}

Test(atomics, every_form_against_its_model)
{
    static const struct batch_of forms = {
        .what = "atom and red",
        .chosen = is_atomic,
        .add = add_atomic,
        .print = atomic_kernel,
        .compare = compare_atomic,
        .refused = is_out_of_place,
        .at_least = FORMS_AT_LEAST,
    };
    batch_every_form(&forms);
}
