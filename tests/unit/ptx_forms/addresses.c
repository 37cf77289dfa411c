/* Every form of mov, and of what makes, tells apart and gives out addresses: cvta, isspacep, mapa, getctarank, alloca,
 * stacksave, stackrestore. A kernel says itself whether an address leads to what was stored at the other one. PTX ISA,
 * "Data Movement and Conversion Instructions", "Stack Manipulation Instructions". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx_forms/batch.h"
#include "tests/unit/ptx_forms/reference.h"

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static bool is_of_addresses(const struct ptx_form *f)
{
    return f->lowering == LOW_CVTA || f->lowering == LOW_ISSPACEP || f->lowering == LOW_CLUSTER ||
           f->lowering == LOW_STACK;
}

/* A variable of each space, with a number of its own. */
static const struct {
    int space;
    const char *name, *variable, *load;
    uint32_t value;
} spaces[] = {
    {RP_SPACE_GLOBAL, "global", "gv", "ld.global", 11},
    {RP_SPACE_SHARED, "shared", "sv", "ld.shared", 12},
    {RP_SPACE_LOCAL, "local", "lv", "ld.local", 13},
    {RP_SPACE_CONST, "const", "cv", "ld.const", 14},
    {RP_SPACE_PARAM, "param", "pv", "ld.param", 15},
    {RP_SPACE_SHARED_CLUSTER, "shared::cluster", "sv", "ld.shared", 12},
};
enum { SPACES = sizeof spaces / sizeof *spaces };
static unsigned space_of(const struct spelled *s)
{
    int space = mods_value(&s->mods, G_SPACE, -1);
    for (unsigned i = 0; i < SPACES; i++)
        if (spaces[i].space == space)
            return i;
    cr_assert(false, "%s: which space?", s->text);
    return 0;
}

/* What a generic address leads to. */
static size_t print_cvta(char *to, size_t size, const struct spelled *s)
{
    unsigned i = space_of(s);
    const char *v = spaces[i].variable, *from = mods_have(&s->mods, M_TO) ? "%y" : "%x";
    if (s->mods.types[0] == PT_U32) /* the low word of what .u64 gives */
        return (size_t)snprintf(to, size,
                                "mov.u64 %%x, %s; %s%s.u64 %%y, %%x; cvt.u32.u64 %%r2, %%x; %s %%r3, %%r2;\n"
                                "cvt.u32.u64 %%r4, %%y; setp.eq.u32 %%p1, %%r3, %%r4; selp.b32 %%r1, %u, 0, %%p1;",
                                v, mods_have(&s->mods, M_TO) ? "cvta.to." : "cvta.", spaces[i].name, s->text,
                                spaces[i].value);
    size_t n = (size_t)snprintf(to, size, "mov.u64 %%x, %s; ", v);
    if (from[1] == 'y')
        n += (size_t)snprintf(to + n, size - n, "cvta.%s.u64 %%y, %%x; ", spaces[i].name);
    n += (size_t)snprintf(to + n, size - n, "%s %%z, %s; ", s->text, from);
    if (from[1] == 'y')
        return n + (size_t)snprintf(to + n, size - n, "setp.eq.u64 %%p1, %%x, %%z; selp.b32 %%r1, %u, 0, %%p1;",
                                    spaces[i].value);
    return n + (size_t)snprintf(to + n, size - n, "ld.b32 %%r1, [%%z];");
}

/* A bit for each space whose generic address the form takes for one of its own. */
static size_t print_isspacep(char *to, size_t size, const struct spelled *s)
{
    size_t n = (size_t)snprintf(to, size, "mov.u32 %%r1, 0;\n");
    for (unsigned i = 0; i < SPACES; i++)
        n += (size_t)snprintf(to + n, size - n,
                              "mov.u64 %%x, %s; cvta.%s.u64 %%y, %%x; %s %%p1, %%y; selp.b32 %%r2, %u, 0, %%p1; or.b32 "
                              "%%r1, %%r1, %%r2;\n",
                              spaces[i].variable, spaces[i].name, s->text, 1u << i);
    return n;
}

/* In a cluster of two blocks: of the other one's variable. */
static size_t print_cluster(char *to, size_t size, const struct spelled *s)
{
    bool wide = strstr(s->text, "u64"), window = strstr(s->text, "shared::cluster"), rank = s->form->opcode[0] == 'g';
    size_t n =
        (size_t)snprintf(to, size,
                         "mov.u32 %%r3, %%cluster_ctarank; xor.b32 %%r4, %%r3, 1; mov.u32 %%r2, sv; add.u32 %%r5, "
                         "%%r3, 30; st.shared.b32 [%%r2], %%r5; barrier.cluster.arrive; barrier.cluster.wait;\n"
                         "cvt.u64.u32 %%x, %%r2; %s\n",
                         window ? "" : "cvta.shared.u64 %x, %x; cvt.u32.u64 %r2, %x;");
    const char *address = wide ? "%x" : "%r2", *in = window ? ".shared::cluster" : "";
    if (rank)
        n +=
            (size_t)snprintf(to + n, size - n,
                             "mapa%s.%s %s, %s, %%r4; %s %%r1, %s; xor.b32 %%r1, %%r1, %%r3; add.u32 %%r1, %%r1, 20;\n",
                             in, wide ? "u64" : "u32", address, address, s->text, address);
    else
        n += (size_t)snprintf(to + n, size - n, "%s %s, %s, %%r4; ld%s.b32 %%r1, [%s]; sub.u32 %%r1, %%r1, %%r4;\n",
                              s->text, address, address, in, address);
    return n + (size_t)snprintf(to + n, size - n, "barrier.cluster.arrive; barrier.cluster.wait;");
}

/* Two pieces of stack that do not meet, and the stack as it was. */
static size_t print_stack(char *to, size_t size, const struct spelled *s)
{
    const char *t = s->mods.types[0] == PT_U64 ? "u64" : "u32", *x = t[1] == '6' ? "%x" : "%r6",
               *y = t[1] == '6' ? "%y" : "%r7", *z = t[1] == '6' ? "%z" : "%r8", *v = t[1] == '6' ? "%v" : "%r9";
    char alloca_a[100], alloca_b[100], save[60], restore[60];
    snprintf(alloca_a, sizeof alloca_a, "alloca.%s %s, %s", t, x, t[1] == '6' ? "%c24" : "24");
    snprintf(alloca_b, sizeof alloca_b, "alloca.%s %s, 40", t, y);
    snprintf(save, sizeof save, "stacksave.%s %s", t, z);
    snprintf(restore, sizeof restore, "stackrestore.%s %s", t, z);
    if (s->operands == 3)
        snprintf(alloca_b, sizeof alloca_b, "alloca.%s %s, 40, 16", t, y);
    return (size_t)snprintf(to, size,
                            "mov.u64 %%c24, 24; %s; %s; st.local.b32 [%s], 7; st.local.b32 [%s+20], 7; %s;\n"
                            "st.local.b32 [%s], 9; st.local.b32 [%s+36], 9; ld.local.b32 %%r1, [%s];\n"
                            "ld.local.b32 %%r2, [%s+20]; add.u32 %%r1, %%r1, %%r2; %s; stacksave.%s %s;\n"
                            "setp.eq.%s %%p1, %s, %s; selp.b32 %%r2, 100, 0, %%p1; add.u32 %%r1, %%r1, %%r2;\n",
                            save, alloca_a, x, x, alloca_b, y, y, x, x, restore, t, v, t, v, z);
}

static size_t address_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    char code[2000];
    switch (s->form->lowering) {
    case LOW_CVTA: print_cvta(code, sizeof code, s); break;
    case LOW_ISSPACEP: print_isspacep(code, sizeof code, s); break;
    case LOW_CLUSTER: print_cluster(code, sizeof code, s); break;
    default: print_stack(code, sizeof code, s); break;
    }
    return (size_t)snprintf(to, size,
                            ".visible .entry k%u(.param .u64 out, .param .b32 pv)%s {\n"
                            ".reg .b64 %%out, %%x, %%y, %%z, %%v, %%c24; .reg .b32 %%r<10>; .reg .pred %%p<2>;\n"
                            ".shared .b32 sv; .local .b32 lv; ld.param.u64 %%out, [out];\n"
                            "st.shared.b32 [sv], 12; st.local.b32 [lv], 13;\n%s\nst.global.b32 [%%out], %%r1; ret; }\n",
                            number, s->form->lowering == LOW_CLUSTER ? " .reqnctapercluster 2, 1, 1" : "", code);
}

static uint32_t address_model(const struct spelled *s)
{
    uint32_t same = 0;
    switch (s->form->lowering) {
    case LOW_CVTA: return spaces[space_of(s)].value;
    case LOW_CLUSTER: return s->form->opcode[0] == 'g' ? 21 : 30;
    case LOW_STACK: return 7 + 7 + 100;
    default: break;
    }
    for (unsigned i = 0; i < SPACES; i++) /* the window of a cluster has that of the block in it */
        same |= (uint32_t)(spaces[i].value == spaces[space_of(s)].value) << i;
    return same;
}

static void compare_address(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t out;
        uint32_t pv;
    } params = {.pv = 15};
    uint32_t *out = batch_memory(b, sizeof *out, &params.out);
    if (batch_launch(b, p, s, s->form->lowering == LOW_CLUSTER ? 2 : 1, &params))
        cr_expect_eq(*out, address_model(s), "%s: %u, not %u", s->text, *out, address_model(s));
}

Test(addresses, every_form_leads_to_what_was_stored)
{
    static const struct batch_of forms = {
        .what = "addresses",
        .head = BATCH_HEAD ".global .b32 gv = 11; .const .b32 cv = 14;\n",
        .threads = 1,
        .chosen = is_of_addresses,
        .print = address_kernel,
        .compare = compare_address,
        .at_least = 25,
    };
    batch_every_form(&forms);
}

/* ---- mov --------------------------------------------------------------------------------------------------------- */

static bool is_move(const struct ptx_form *f) { return f->lowering == LOW_MOVE; }

/* From a register; then apart and together again, in as many pieces as there are. */
static size_t move_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    const char *c = batch_register_class(t);
    char through[900] = "";
    if (t == PT_B32)
        snprintf(through, sizeof through, "%s {%%h1, %%h2}, %%r2; %s %%r2, {%%h1, %%h2};", s->text, s->text);
    if (t == PT_B64)
        snprintf(
            through, sizeof through,
            "%s {%%r3, %%r4}, %%d2; %s %%d2, {%%r3, %%r4}; %s {%%h1, %%h2, %%h3, %%h4}, %%d2; %s %%d2, {%%h1, %%h2, "
            "%%h3, %%h4};",
            s->text, s->text, s->text, s->text);
    if (t == PT_B128)
        snprintf(through, sizeof through, "%s {%%d3, %%d4}, %%q2; %s %%q2, {%%d3, %%d4};", s->text, s->text);
    if (bits_of(t) == 16 && ptx_types[t].kind != 'F') /* also the low half of an address: the difference is 0 */
        snprintf(through, sizeof through,
                 "%s %%h3, sv+2; mov.u32 %%t, sv+2; cvt.u16.u32 %%h4, %%t; xor.b16 %%h3, %%h3, %%h4; xor.b16 %%h2, "
                 "%%h2, %%h3;\n"
                 "%s %%h3, lv; mov.u64 %%at, lv; cvt.u16.u64 %%h4, %%at; xor.b16 %%h3, %%h3, %%h4; xor.b16 %%h2, %%h2, "
                 "%%h3;\n",
                 s->text, s->text);
    return (size_t)snprintf(
        to, size,
        ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %%in, %%out, %%at; .reg .b128 %%q<5>; .reg .b64 %%d<5>; .reg .b32 %%r<5>; .reg .b16 %%h<5>;\n"
        ".reg .pred %%p<3>; .reg .b32 %%t; .shared .b32 sv; .local .b32 pad, lv;\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%at, %%t, 16;\n"
        "add.u64 %%in, %%in, %%at; add.u64 %%out, %%out, %%at; ld.global.b128 %%q1, [%%in]; ld.global.b64 %%d1, "
        "[%%in];\n"
        "ld.global.b32 %%r1, [%%in]; ld.global.b16 %%h1, [%%in]; setp.lt.s32 %%p1, %%r1, 0;\n"
        "%s %%%s2, %%%s1; %s\n"
        "%s\nret; }\n",
        number, s->text, c, c, through,
        t == PT_PRED ? "selp.b32 %r2, 1, 0, %p2; st.global.b32 [%out], %r2;"
        : *c == 'q'  ? "st.global.b128 [%out], %q2;"
        : *c == 'd'  ? "st.global.b64 [%out], %d2;"
        : *c == 'r'  ? "st.global.b32 [%out], %r2;"
                     : "st.global.b16 [%out], %h2;");
}

static void *random_memory(struct batch *b, size_t bytes, uint64_t *address)
{
    uint8_t *memory = batch_memory(b, bytes, address);
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (uint8_t)batch_random(b);
    return memory;
}

static void compare_move(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t in, out;
    } params;
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    uint8_t(*in)[16] = random_memory(b, BATCH_LANES * 16, &params.in);
    uint8_t(*out)[16] = batch_memory(b, BATCH_LANES * 16, &params.out);
    unsigned bytes = t == PT_PRED ? 4 : bits_of(t) < 16 ? 2 : bits_of(t) / 8;
    if (!batch_launch(b, p, s, 1, &params))
        return;
    for (unsigned l = 0; l < BATCH_LANES; l++) {
        uint8_t want[16] = {t == PT_PRED ? in[l][3] >> 7 : 0};
        memcpy(want, t == PT_PRED ? want : in[l], t == PT_PRED ? 1 : bytes);
        cr_expect(!memcmp(want, out[l], bytes), "%s, lane %u", s->text, l);
    }
}

Test(addresses, every_mov_leaves_the_same_bits)
{
    static const struct batch_of forms = {
        .what = "mov",
        .chosen = is_move,
        .print = move_kernel,
        .compare = compare_move,
        .at_least = 13,
    };
    batch_every_form(&forms);
}

/* ---- mov.v2, mov.v4 ---------------------------------------------------------------------------------------------- */

static bool is_vector_move(const struct ptx_form *f) { return f->lowering == LOW_MOVE_VECTOR; }

/* {%x0, %x1, ...}, from register `first` on and around. */
static size_t print_vector(char *to, size_t size, const char *class, unsigned count, unsigned first)
{
    size_t n = 0;
    for (unsigned i = 0; i < count; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%%%s%u", i ? ", " : "{", class, (first + i) % count);
    return n + (size_t)snprintf(to + n, size - n, "}");
}

static unsigned elements_of(const struct spelled *s) { return (unsigned)mods_value(&s->mods, G_VECTOR, 1); }
/* A vector of four integers may also come from a special register. */
static bool takes_special(const struct spelled *s) { return elements_of(s) == 4 && s->mods.types[0] != PT_F32; }

/* Elements go round by one, within the same registers; behind them, the vector %ntid. */
static size_t vector_move_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    unsigned count = elements_of(s), bits = bits_of((enum ptx_type)s->mods.types[0]);
    const char *c = batch_register_class((enum ptx_type)s->mods.types[0]);
    char straight[60], turned[60], special[320] = "";
    print_vector(straight, sizeof straight, c, count, 0);
    print_vector(turned, sizeof turned, c, count, 1);
    if (takes_special(s))
        snprintf(special, sizeof special, "%s %s, %%ntid; st.global.v%u.b%u [%%out+16], %s;", s->text, straight, count,
                 bits, straight);
    return (size_t)snprintf(to, size,
                            ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
                            ".reg .b64 %%in, %%out, %%at, %%d<4>; .reg .b32 %%t, %%r<4>; .reg .b16 %%h<4>;\n"
                            "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x;\n"
                            "mul.wide.u32 %%at, %%t, 32; add.u64 %%in, %%in, %%at; add.u64 %%out, %%out, %%at;\n"
                            "ld.global.v%u.b%u %s, [%%in]; %s %s, %s; st.global.v%u.b%u [%%out], %s; %s\nret; }\n",
                            number, count, bits, straight, s->text, turned, straight, count, bits, straight, special);
}

static void compare_vector_move(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t in, out;
    } params;
    unsigned count = elements_of(s), bytes = bits_of((enum ptx_type)s->mods.types[0]) / 8;
    uint8_t(*in)[32] = random_memory(b, BATCH_LANES * 32, &params.in);
    uint8_t(*out)[32] = batch_memory(b, BATCH_LANES * 32, &params.out);
    if (!batch_launch(b, p, s, 1, &params))
        return;
    for (unsigned l = 0; l < BATCH_LANES; l++) {
        for (unsigned i = 0; i < count; i++)
            cr_expect(!memcmp(out[l] + (i + 1) % count * bytes, in[l] + i * bytes, bytes), "%s, lane %u, element %u",
                      s->text, l, i);
        for (unsigned i = 0; takes_special(s) && i < 4; i++)
            cr_expect_eq(out[l][16 + i * bytes], i == 0 ? BATCH_LANES : i < 3, "%s, lane %u, %%ntid's element %u",
                         s->text, l, i);
    }
}

Test(addresses, every_mov_of_vectors_moves_all_elements_at_once)
{
    static const struct batch_of forms = {
        .what = "mov of vectors",
        .chosen = is_vector_move,
        .print = vector_move_kernel,
        .compare = compare_vector_move,
        .at_least = 18,
    };
    batch_every_form(&forms);
}
