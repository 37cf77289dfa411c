/* Every row of ld, ldu and st, in each type, vector and space, runs on bytes of which many are corners, in registers as
 * wide as the type and wider; what comes into the registers, and all bytes of the place, are compared with a plain
 * model: little-endian bytes, the sign or zeros above. Order, scope, cache operators and hints change no value: of
 * forms that have them, a sample runs. PTX ISA, "ld", "ldu", "st", and "Operand size exceeding instruction-type size".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/uop.h"
#include "frontend/host/launch.h"
#include "frontend/isa/ptx/check.h"
#include "tests/support/form_walk.h"
#include "tests/unit/ptx_forms/reference.h"

enum { LANES = 32, CELL = 32, ELEMENTS = 8, SLOT = 16, VALUES = ELEMENTS * SLOT, BATCH = 200, TEXT = 2 << 20 };
enum { SAMPLE = 251, FORMS_AT_LEAST = 2500 };

/* A generic address may be of each of these spaces. */
static const int generic_spaces[] = {RP_SPACE_GLOBAL, RP_SPACE_SHARED, RP_SPACE_LOCAL, RP_SPACE_CONST};

struct access {
    struct spelled s;
    int place; /* the space that the bytes are in */
    bool store, generic, function, wide;
};
struct accesses {
    struct access at[BATCH];
    unsigned count, checked, refused;
    char *text;
    size_t length;
    /* The kernel's parameters: addresses, and the same bytes as in memory. */
    struct {
        uint64_t in, out, values, none;
        uint8_t bytes[LANES * CELL];
    } params;
    uint8_t values[LANES * VALUES];
};

static unsigned count_of(const struct access *a) { return (unsigned)mods_value(&a->s.mods, G_VECTOR, 1); }
static enum ptx_type type_in(const struct access *a) { return (enum ptx_type)a->s.mods.types[0]; }
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
static bool is_too_wide(const struct access *a)
{
    unsigned element = bits_of(type_in(a)), bits = element * count_of(a);
    bool global = a->generic || a->place == RP_SPACE_GLOBAL;
    return count_of(a) > 1 && (bits > 256 || element > 64 || (bits > 128 && !global));
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

#define SAY(...) n += (size_t)snprintf(to + n, size - n, __VA_ARGS__)
static size_t module_head(char *to, size_t size, const uint8_t *bytes)
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
    SAY("%s", a->s.text);
    for (uint32_t i = 0; i < a->s.operands; i++) {
        char role = a->s.form->operands[i].role;
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

static size_t access_kernel(char *to, size_t size, const struct access *a, unsigned number)
{
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

static void fill_bytes(uint8_t *to, size_t bytes, uint64_t seed)
{
    static const uint8_t corners[] = {0x00, 0xff, 0x80, 0x7f, 0x01};
    for (size_t i = 0; i < bytes; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        to[i] = seed >> 62 ? (uint8_t)(seed >> 40) : corners[(seed >> 33) % sizeof corners];
    }
}

static void compare_access(struct rp_device *device, struct program *p, const struct access *a, struct accesses *b)
{
    struct rp_launch_config config = {.grid = {1, 1, 1}, .block = {LANES, 1, 1}, .params = &b->params, .threads = 1};
    struct rp_launch_result result;
    struct rp_error err;
    uint8_t *in = rp_host(device, b->params.in, 8), *out = rp_host(device, b->params.out, 8);
    memcpy(in, b->params.bytes, sizeof b->params.bytes);
    memcpy(rp_host(device, b->params.values, 8), b->values, sizeof b->values);
    memset(out, 0, LANES * VALUES);
    cr_assert(rp_launch_kernel(device, p, &config, &result, &err), "%s: %s", a->s.text, err.text);
    for (unsigned l = 0; l < LANES; l++) {
        uint8_t wanted[VALUES] = {0};
        const uint8_t *cell = b->params.bytes + l * CELL;
        if (a->store) {
            memcpy(wanted, cell, CELL);
            stored(a, wanted, b->values + l * VALUES);
        }
        for (unsigned e = 0; !a->store && e < count_of(a); e++)
            loaded(a, cell, e, wanted + e * SLOT);
        if (memcmp(wanted, out + l * VALUES, VALUES)) {
            cr_expect(false, "%s, lane %u, registers of %u bits, in %s memory: not what the model gives", a->s.text, l,
                      register_bits(a), rp_space_name((enum rp_space)a->place));
            return;
        }
    }
}

static void begin(struct accesses *b)
{
    b->count = 0;
    b->length = module_head(b->text, TEXT, b->params.bytes);
}

static void run_accesses(struct accesses *b)
{
    struct rp_error err;
    struct rp_device *device = rp_device_new(&err);
    struct module *m = ptx_load_text("memory.ptx", b->text, b->length, 0, &err);
    cr_assert(device && m, "%s", err.text);
    cr_assert(rp_device_adopt(device, m, &err), "%s", err.text);
    b->params.in = rp_alloc(device, LANES * CELL, "in", &err);
    b->params.out = rp_alloc(device, LANES * VALUES, "out", &err);
    b->params.values = rp_alloc(device, LANES * VALUES, "values", &err);
    for (unsigned i = 0; i < b->count; i++) {
        char name[20];
        snprintf(name, sizeof name, "k%u", i);
        struct program *p = module_find(m, name, &err);
        bool wide = is_too_wide(&b->at[i]);
        cr_expect(p ? !wide : wide, "%s: %s", b->at[i].s.text, p ? "its vector is too wide" : err.text);
        if (p && !wide)
            compare_access(device, p, &b->at[i], b);
        p ? b->checked++ : b->refused++;
    }
    rp_device_free(device);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void add(struct accesses *b, const struct access *a)
{
    b->at[b->count] = *a;
    b->length += access_kernel(b->text + b->length, TEXT - b->length, a, b->count);
    if (++b->count == BATCH) {
        run_accesses(b);
        begin(b);
    }
}

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

static void add_access(const struct spelled *s, void *data)
{
    struct accesses *b = data;
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    int space = mods_value(&s->mods, G_SPACE, RP_SPACE_GENERIC);
    if (!is_sampled(s))
        return;
    struct access a = {.s = *s, .store = s->form->lowering == LOW_STORE, .generic = space == RP_SPACE_GENERIC};
    a.place = space == RP_SPACE_SHARED_CLUSTER ? RP_SPACE_SHARED : space;
    a.function = mods_have(&s->mods, M_PARAM_FUNC) || (a.store && space == RP_SPACE_PARAM);
    for (int wide = 0; wide < (is_float_type(t) || bits_of(t) >= 64 ? 1 : 2); wide++) {
        a.wide = wide;
        if (!a.generic)
            add(b, &a);
        /* non-coherent and uniform loads are of global memory */
        bool global = !strcmp(s->form->opcode, "ldu") || mods_have(&s->mods, M_MMIO);
        for (unsigned i = 0; a.generic && i < (global ? 1u : a.store ? 3u : 4u); i++) {
            a.place = generic_spaces[i];
            add(b, &a);
        }
    }
}

static void walk_opcode(const char *opcode, struct accesses *b)
{
    uint32_t count;
    const struct ptx_form *forms = ptx_opcode(opcode, (uint32_t)strlen(opcode), &count);
    for (uint32_t f = 0; f < count; f++) {
        unsigned before = b->checked;
        if (forms[f].lowering != LOW_LOAD && forms[f].lowering != LOW_STORE)
            continue;
        begin(b);
        walk_row(&forms[f], true, add_access, b);
        run_accesses(b);
        cr_expect_gt(b->checked, before, "no form of row %u of '%s' runs", f, opcode);
    }
}

Test(memory, every_form_against_its_model)
{
    struct accesses *b = calloc(1, sizeof *b);
    b->text = malloc(TEXT);
    fill_bytes(b->params.bytes, sizeof b->params.bytes, 15);
    fill_bytes(b->values, sizeof b->values, 16);
    walk_opcode("ld", b);
    walk_opcode("ldu", b);
    walk_opcode("st", b);
    fprintf(stderr, "# %u forms of ld, ldu and st agree with their model, %u are refused\n", b->checked, b->refused);
    cr_expect_gt(b->checked, (unsigned)FORMS_AT_LEAST);
    free(b->text);
    free(b);
}
