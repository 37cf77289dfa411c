/* Every form of what changes nothing that a program can see: fences, prefetches and other hints, waits for what is done
 * already. Registers and memory are afterwards as they were, but for a destination, which is 0; and the kernel goes on.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx_forms/batch.h"

enum { FORMS_AT_LEAST = 100 };

/* What a lane has in registers and memory. */
struct quiet_lane {
    uint64_t address, d2, d3;
    uint32_t r[5], p;
    uint64_t global, shared, local;
};

static bool is_quiet(const struct ptx_form *f)
{
    return f->lowering == LOW_NOTHING || f->lowering == LOW_PREFETCH || f->lowering == LOW_FENCE ||
           f->lowering == LOW_GROUP || f->lowering == LOW_WARPGROUP;
}

static size_t quiet_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    char operands[300];
    batch_operands(operands, sizeof operands, s);
    return (size_t)snprintf(
        to, size,
        ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
        ".reg .b128 %%q<3>; .reg .b64 %%d<4>, %%in, %%out, %%at, %%v; .reg .b32 %%r<8>, %%t, %%s, %%z; .reg .b16 "
        "%%h<3>;"
        " .reg .pred %%p<3>;\n"
        ".shared .align 8 .b8 memory[256]; .local .align 8 .b8 own[8];\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%at, %%t, %u;\n"
        "add.u64 %%in, %%in, %%at; add.u64 %%out, %%out, %%at; mov.u32 %%s, memory; shl.b32 %%z, %%t, 3;\n"
        "add.u32 %%s, %%s, %%z; ld.global.b64 %%d1, [%%in]; ld.global.b64 %%d2, [%%in+8]; ld.global.b64 %%d3, "
        "[%%in+16];\n"
        "ld.global.b32 %%r0, [%%in+24]; ld.global.b32 %%r1, [%%in+28]; ld.global.b32 %%r2, [%%in+32];\n"
        "ld.global.b32 %%r3, [%%in+36]; ld.global.b32 %%r4, [%%in+40]; ld.global.b32 %%z, [%%in+44];\n"
        "setp.ne.u32 %%p1, %%z, 0; ld.global.b64 %%v, [%%in+56]; st.shared.b64 [%%s], %%v;\n"
        "ld.global.b64 %%v, [%%in+64]; st.local.b64 [own], %%v;\n"
        "%s%s;\n"
        "st.global.b64 [%%out], %%d1; st.global.b64 [%%out+8], %%d2; st.global.b64 [%%out+16], %%d3; st.global.b32 "
        "[%%out+24], %%r0;\n"
        "st.global.b32 [%%out+28], %%r1; st.global.b32 [%%out+32], %%r2; st.global.b32 [%%out+36], %%r3;\n"
        "st.global.b32 [%%out+40], %%r4; selp.b32 %%z, 1, 0, %%p1; st.global.b32 [%%out+44], %%z;\n"
        "ld.global.b64 %%v, [%%in+48]; st.global.b64 [%%out+48], %%v; ld.shared.b64 %%v, [%%s];\n"
        "st.global.b64 [%%out+56], %%v; ld.local.b64 %%v, [own]; st.global.b64 [%%out+64], %%v; ret; }\n",
        number, (unsigned)sizeof(struct quiet_lane), s->text, operands);
}

static bool has_destination(const struct spelled *s) { return s->operands && s->form->operands[0].role == 'd'; }

static void compare_quiet(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t in, out;
    } params;
    struct quiet_lane *in = batch_memory(b, BATCH_LANES * sizeof *in, &params.in), before[BATCH_LANES];
    struct quiet_lane *out = batch_memory(b, BATCH_LANES * sizeof *out, &params.out);
    for (unsigned l = 0; l < BATCH_LANES; l++) {
        in[l] = (struct quiet_lane){.address = params.in, .d2 = batch_random(b), .d3 = batch_random(b)};
        for (int i = 0; i < 5; i++)
            in[l].r[i] = (uint32_t)batch_random(b) & 0xff0;
        in[l].p = batch_random(b) & 1;
        in[l].global = batch_random(b), in[l].shared = batch_random(b), in[l].local = batch_random(b);
    }
    memcpy(before, in, sizeof before);
    if (!batch_launch(b, p, s, 1, &params))
        return;
    cr_expect(!memcmp(before, in, sizeof before), "%s: memory has changed", s->text);
    for (unsigned l = 0; l < BATCH_LANES; l++) {
        before[l].d2 = has_destination(s) ? 0 : before[l].d2;
        cr_expect(!memcmp(&before[l], &out[l], sizeof *out), "%s: something of lane %u has changed", s->text, l);
    }
}

Test(quiet, every_form_changes_nothing)
{
    static const struct batch_of forms = {
        .what = "fences, hints and waits",
        .head = ".version 9.0\n.target sm_90a\n.address_size 64\n",
        .chosen = is_quiet,
        .print = quiet_kernel,
        .compare = compare_quiet,
        .at_least = FORMS_AT_LEAST,
    };
    batch_every_form(&forms);
}
