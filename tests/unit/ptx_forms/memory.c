/* Every row of ld, ldu and st, in each type, vector and space, runs on bytes of which many are corners, in registers as
 * wide as the type and wider; what comes into the registers, and all bytes of the place, are compared with a plain
 * model: little-endian bytes, the sign or zeros above. Order, scope, cache operators and hints change no value: of
 * forms that have them, a sample runs. PTX ISA, "ld", "ldu", "st", and "Operand size exceeding instruction-type size".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "frontend/operation/uop.h"
#include "tests/unit/ptx_forms/batch.h"
#include "tests/unit/ptx_forms/reference.h"

enum { LANES = BATCH_LANES, CELL = 32, ELEMENTS = 8, SLOT = 16, VALUES = ELEMENTS * SLOT };
enum { SAMPLE = 251, FORMS_AT_LEAST = 2500, HEAD = 8192, SPACES = 16 };

/* A generic address may be of each of these spaces. */
static const int generic_spaces[] = {RP_SPACE_GLOBAL, RP_SPACE_SHARED, RP_SPACE_LOCAL, RP_SPACE_CONST};

/* What a variant of a form says: the space, and whether registers are wider than the type. */
struct access {
    const struct spelled *s;
    int place; /* the space that the bytes are in */
    bool store, generic, function, wide;
};
static struct access access_of(const struct spelled *s)
{
    int space = mods_value(&s->mods, G_SPACE, RP_SPACE_GENERIC);
    struct access a = {.s = s, .place = (int)(s->variant % SPACES), .wide = s->variant / SPACES};
    a.store = s->form->lowering == LOW_STORE;
    a.generic = space == RP_SPACE_GENERIC;
    a.function = mods_have(&s->mods, M_PARAM_FUNC) || (a.store && space == RP_SPACE_PARAM);
    return a;
}

/* What is in memory at first, and what is stored. */
static uint8_t bytes[LANES * CELL], values[LANES * VALUES];

static unsigned count_of(const struct access *a) { return (unsigned)mods_value(&a->s->mods, G_VECTOR, 1); }
static enum ptx_type type_in(const struct access *a) { return (enum ptx_type)a->s->mods.types[0]; }
static unsigned register_bits(const struct access *a)
{
    unsigned bits = bits_of(type_in(a));
    return a->wide ? 64 : bits < 16 ? 16 : bits;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* What one register of a load holds, in its first bytes. */
static void loaded(const struct access *a, const uint8_t *cell, unsigned element, uint8_t *slot)
{
    unsigned bytes = bits_of(type_in(a)) / 8;
    bool negative = is_signed_type(type_in(a)) && cell[(element + 1) * bytes - 1] & 0x80;
    memset(slot, 0, SLOT);
    memset(slot, negative ? 0xff : 0, register_bits(a) / 8);
    memcpy(slot, cell + element * bytes, bytes);
}

static void stored(const struct access *a, uint8_t *cell, const uint8_t *values)
{
    unsigned bytes = bits_of(type_in(a)) / 8;
    for (unsigned e = 0; e < count_of(a); e++)
        memcpy(cell + e * bytes, values + e * SLOT, bytes);
}

/* ptxas 12.9 for sm_100: "exceeds 128 bit limit", "global state space expected for 256 bit wide load/store". */
static bool is_too_wide(const struct spelled *s)
{
    const struct access a = access_of(s);
    unsigned element = bits_of(type_in(&a)), bits = element * count_of(&a);
    bool global = a.generic || a.place == RP_SPACE_GLOBAL;
    return count_of(&a) > 1 && (bits > 256 || element > 64 || (bits > 128 && !global));
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

#define SAY(...) n += (size_t)snprintf(to + n, size - n, __VA_ARGS__)
static size_t module_head(char *to, size_t size)
{
    size_t n = 0;
    SAY(".version 9.0\n.target sm_100\n.address_size 64\n.const .align 32 .b8 constants[%d] = {", LANES * CELL);
    for (unsigned i = 0; i < LANES * CELL; i++)
        SAY("%s%u", i ? "," : "", bytes[i]);
    SAY("};\n.func (.param .align 32 .b8 r[32]) echo(.param .align 32 .b8 a[32]) {\n.reg .b64 %%x<4>;\n"
        "ld.param.v2.b64 {%%x0, %%x1}, [a]; ld.param.v2.b64 {%%x2, %%x3}, [a+16];\n"
        "st.param.v2.b64 [r], {%%x0, %%x1}; st.param.v2.b64 [r+16], {%%x2, %%x3}; ret;\n}\n");
    return n;
}

/* %at: the lane's bytes in their space, with the contents of %in. */
static size_t place(char *to, size_t size, const struct access *a)
{
    const char *space = rp_space_name((enum rp_space)a->place);
    size_t n = 0;
    SAY("ld.global.v2.b64 {%%x0, %%x1}, [%%in]; ld.global.v2.b64 {%%x2, %%x3}, [%%in+16];\n");
    if (a->function)
        SAY("{ .param .align 32 .b8 a[32]; .param .align 32 .b8 r[32];\n"
            "st.param.v2.b64 [a], {%%x0, %%x1}; st.param.v2.b64 [a+16], {%%x2, %%x3};\n");
    else if (a->place == RP_SPACE_GLOBAL)
        SAY("mov.b64 %%at, %%in;\n");
    else if (a->place == RP_SPACE_CONST || a->place == RP_SPACE_PARAM)
        SAY("mov.b64 %%at, %s; add.u64 %%at, %%at, %%own;\n", a->place == RP_SPACE_CONST ? "constants" : "p");
    else
        SAY("mov.u64 %%at, %s; add.u64 %%at, %%at, %s; st.%s.v2.b64 [%%at], {%%x0, %%x1};\n"
            "st.%s.v2.b64 [%%at+16], {%%x2, %%x3};\n",
            a->place == RP_SPACE_SHARED ? "s" : "l", a->place == RP_SPACE_SHARED ? "%own" : "0", space, space);
    if (a->function && !a->store)
        SAY("call.uni (r), echo, (a);\n");
    if (a->generic && a->place != RP_SPACE_GLOBAL)
        SAY("cvta.%s.u64 %%at, %%at;\n", space);
    return n;
}

static size_t access_text(char *to, size_t size, const struct access *a)
{
    size_t n = 0;
    unsigned count = count_of(a);
    SAY("%s", a->s->text);
    for (uint32_t i = 0; i < a->s->operands; i++) {
        char role = a->s->form->operands[i].role;
        SAY("%s", i ? ", " : " ");
        if (role == 'm')
            SAY("[%s]", !a->function ? "%at" : a->store ? "a" : "r");
        else if (role == 'x')
            SAY("%%hint");
        else
            for (unsigned e = 0; e < count; e++)
                SAY("%s%%v%u%s", e ? "," : count > 1 ? "{" : "", e, count > 1 && e + 1 == count ? "}" : "");
    }
    SAY(";\n");
    return n;
}

/* What the lane leaves: its values of a load, its place of a store. */
static size_t results(char *to, size_t size, const struct access *a)
{
    const char *space = rp_space_name((enum rp_space)a->place);
    size_t n = 0;
    if (!a->store) {
        for (unsigned e = 0; e < count_of(a); e++)
            SAY("st.global.b%u [%%out+%u], %%v%u;\n", register_bits(a), e * SLOT, e);
        return n;
    }
    if (a->function)
        SAY("call.uni (r), echo, (a);\nld.param.v2.b64 {%%x0, %%x1}, [r]; ld.param.v2.b64 {%%x2, %%x3}, [r+16];\n");
    else if (a->generic)
        SAY("ld.v2.b64 {%%x0, %%x1}, [%%at]; ld.v2.b64 {%%x2, %%x3}, [%%at+16];\n");
    else
        SAY("ld.%s.v2.b64 {%%x0, %%x1}, [%%at]; ld.%s.v2.b64 {%%x2, %%x3}, [%%at+16];\n", space, space);
    SAY("st.global.v2.b64 [%%out], {%%x0, %%x1}; st.global.v2.b64 [%%out+16], {%%x2, %%x3};\n");
    return n;
}

static size_t access_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    const struct access of = access_of(s), *a = &of;
    size_t n = 0;
    SAY(".visible .entry k%u(.param .u64 in, .param .u64 out, .param .u64 values, .param .align 32 .b8 p[%d]) {\n"
        ".reg .b64 %%in, %%out, %%values, %%at, %%own, %%wide, %%hint, %%x<4>; .reg .b32 %%t; .reg .b%u %%v<%d>;\n"
        ".shared .align 32 .b8 s[%d]; .local .align 32 .b8 l[%d];\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u64 %%values, [values]; mov.u64 %%hint, 0;\n"
        "mov.u32 %%t, %%tid.x; mul.wide.u32 %%own, %%t, %d; mul.wide.u32 %%wide, %%t, %d; add.u64 %%in, %%in, %%own;\n"
        "add.u64 %%out, %%out, %%wide; add.u64 %%values, %%values, %%wide;\n",
        number, LANES * CELL, register_bits(a), ELEMENTS, LANES * CELL, CELL, CELL, VALUES);
    for (unsigned e = 0; a->store && e < count_of(a); e++)
        SAY("ld.global.b%u %%v%u, [%%values+%u];\n", register_bits(a), e, e * SLOT);
    n += place(to + n, size - n, a);
    n += access_text(to + n, size - n, a);
    n += results(to + n, size - n, a);
    SAY("%sret;\n}\n", a->function ? "}\n" : "");
    return n;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static void fill_bytes(uint8_t *to, size_t count, uint64_t seed)
{
    static const uint8_t corners[] = {0x00, 0xff, 0x80, 0x7f, 0x01};
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        to[i] = seed >> 62 ? (uint8_t)(seed >> 40) : corners[(seed >> 33) % sizeof corners];
    }
}

struct access_params {
    uint64_t in, out, values, none;
    uint8_t bytes[LANES * CELL];
};

static void compare_access(struct batch *b, struct program *p, const struct spelled *s)
{
    const struct access a = access_of(s);
    struct access_params params;
    uint8_t *out;
    memcpy(params.bytes, bytes, sizeof bytes);
    memcpy(batch_memory(b, sizeof bytes, &params.in), bytes, sizeof bytes);
    memcpy(batch_memory(b, sizeof values, &params.values), values, sizeof values);
    memset(out = batch_memory(b, LANES * VALUES, &params.out), 0, LANES * VALUES);
    if (!batch_launch(b, p, s, 1, &params))
        return;
    for (unsigned l = 0; l < LANES; l++) {
        uint8_t wanted[VALUES] = {0};
        const uint8_t *cell = bytes + l * CELL;
        if (a.store) {
            memcpy(wanted, cell, CELL);
            stored(&a, wanted, values + l * VALUES);
        }
        for (unsigned e = 0; !a.store && e < count_of(&a); e++)
            loaded(&a, cell, e, wanted + e * SLOT);
        if (memcmp(wanted, out + l * VALUES, VALUES)) {
            cr_expect(false, "%s, lane %u, registers of %u bits, in %s memory: not what the model gives", s->text, l,
                      register_bits(&a), rp_space_name((enum rp_space)a.place));
            return;
        }
    }
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool is_access(const struct ptx_form *f) { return f->lowering == LOW_LOAD || f->lowering == LOW_STORE; }

static bool is_sampled(const struct spelled *s)
{
    static const enum ptx_group silent[] = {G_ORDER, G_SCOPE, G_CACHE, G_EVICT1, G_EVICT2, G_PREFETCH, G_CACHE_HINT};
    uint32_t h = 2166136261u;
    bool plain = true;
    for (unsigned i = 0; i < sizeof silent / sizeof *silent; i++)
        plain &= mods_value(&s->mods, silent[i], -1) < 0;
    for (const char *c = s->text; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return plain || (h >> 8) % SAMPLE == 0 || mods_have(&s->mods, M_MMIO);
}

static void add_places(struct spelled *v, bool wide, void *batch)
{
    int space = mods_value(&v->mods, G_SPACE, RP_SPACE_GENERIC);
    /* non-coherent and uniform loads are of global memory */
    bool global = !strcmp(v->form->opcode, "ldu") || mods_have(&v->mods, M_MMIO);
    unsigned places = space != RP_SPACE_GENERIC || global ? 1 : v->form->lowering == LOW_STORE ? 3 : 4;
    for (unsigned i = 0; i < places; i++) {
        int place = space == RP_SPACE_GENERIC          ? generic_spaces[i]
                    : space == RP_SPACE_SHARED_CLUSTER ? RP_SPACE_SHARED
                                                       : space;
        v->variant = (unsigned)place + wide * SPACES;
        batch_add(v, batch);
    }
}

static void add_access(const struct spelled *s, void *batch)
{
    struct spelled v = *s;
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    if (!is_sampled(s))
        return;
    add_places(&v, false, batch);
    if (!is_float_type(t) && bits_of(t) < 64)
        add_places(&v, true, batch);
}

Test(memory, every_form_against_its_model)
{
    static char head[HEAD];
    const struct batch_of forms = {
        .what = "ld, ldu and st",
        .head = head,
        .chosen = is_access,
        .add = add_access,
        .print = access_kernel,
        .compare = compare_access,
        .refused = is_too_wide,
        .at_least = FORMS_AT_LEAST,
    };
    fill_bytes(bytes, sizeof bytes, 15);
    fill_bytes(values, sizeof values, 16);
    module_head(head, sizeof head);
    batch_every_form(&forms);
}
