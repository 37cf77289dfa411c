/* Every form of branches, calls and ends: which lanes come where, against a plain list. PTX ISA, "Control Flow
 * Instructions" and "Miscellaneous Instructions". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx_forms/batch.h"

enum { FORMS = 11 };

static bool is_control(const struct ptx_form *f)
{
    return f->lowering == LOW_BRANCH || f->lowering == LOW_BRANCH_TABLE || f->lowering == LOW_CALL ||
           f->lowering == LOW_RETURN || f->lowering == LOW_EXIT || f->lowering == LOW_TRAP;
}
static bool is_uniform(const struct spelled *s) { return mods_have(&s->mods, M_UNI); }

/* Each lane leaves a number: 1 where it did not jump, 2 and more where it did; `lane` % 3 chooses, and for .uni the
 * parameter, which is the same for all. */
static void print_code(char *to, size_t size, const struct spelled *s)
{
    const char *form = s->text;
    switch (s->form->lowering) {
    case LOW_BRANCH: snprintf(to, size, "@%%p1 %s away; mov.u32 %%v, 1; away:", form); break;
    case LOW_BRANCH_TABLE:
        snprintf(to, size,
                 "list: .branchtargets zero, one, two;\n%s %%c, list;\n"
                 "zero: mov.u32 %%v, 10; bra behind; one: mov.u32 %%v, 11; bra behind; two: mov.u32 %%v, 12; behind:",
                 form);
        break;
    case LOW_CALL:
        snprintf(to, size,
                 "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %%c; @%%p1 %s (r), square, (a);\n"
                 "@%%p1 ld.param.b32 %%v, [r]; }",
                 form);
        break;
    case LOW_RETURN:
        snprintf(to, size,
                 "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %%c; call (r), early%s, (a);\n"
                 "ld.param.b32 %%v, [r]; }",
                 is_uniform(s) ? "_uni" : "");
        break;
    default: snprintf(to, size, "@%%p1 %s;", form); break;
    }
}

static const char head[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                           ".func (.param .b32 r) square(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a];\n"
                           "mul.lo.u32 %x, %x, %x; add.u32 %x, %x, 100; st.param.b32 [r], %x; ret; }\n"
                           ".func (.param .b32 r) early(.param .b32 a) { .reg .b32 %x; .reg .pred %p;\n"
                           "ld.param.b32 %x, [a]; st.param.b32 [r], 20; setp.eq.u32 %p, %x, 0; @%p ret;\n"
                           "add.u32 %x, %x, 20; st.param.b32 [r], %x; ret; }\n"
                           ".func (.param .b32 r) early_uni(.param .b32 a) { .reg .b32 %x; .reg .pred %p;\n"
                           "ld.param.b32 %x, [a]; st.param.b32 [r], 20; setp.eq.u32 %p, %x, 0; @%p ret.uni;\n"
                           "add.u32 %x, %x, 20; st.param.b32 [r], %x; ret.uni; }\n";

static size_t control_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    char code[600];
    print_code(code, sizeof code, s);
    return (size_t)snprintf(to, size,
                            ".visible .entry k%u(.param .u64 out, .param .u32 uniform) {\n"
                            ".reg .b64 %%out, %%at; .reg .b32 %%t, %%u, %%c, %%v; .reg .pred %%p<3>;\n"
                            "ld.param.u64 %%out, [out]; ld.param.u32 %%u, [uniform]; mov.u32 %%t, %%tid.x;\n"
                            "mul.wide.u32 %%at, %%t, 4; add.u64 %%out, %%out, %%at; rem.u32 %%c, %%t, 3;\n"
                            "setp.lt.u32 %%p2, %%u, 3; @%%p2 mov.u32 %%c, %%u; setp.ne.u32 %%p1, %%c, 0;\n"
                            "mov.u32 %%v, 2; st.global.b32 [%%out], 3;\n%s\nst.global.b32 [%%out], %%v; ret; }\n",
                            number, code);
}

static uint32_t left_by(const struct spelled *s, uint32_t c)
{
    switch (s->form->lowering) {
    case LOW_BRANCH: return c ? 2 : 1;
    case LOW_BRANCH_TABLE: return 10 + c;
    case LOW_CALL: return c ? c * c + 100 : 2;
    case LOW_RETURN: return 20 + c;
    default: return c ? 3 : 2; /* exit */
    }
}

static void compare_control(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t out;
        uint32_t uniform;
    } params;
    uint32_t *out = batch_memory(b, BATCH_LANES * sizeof *out, &params.out);
    for (uint32_t u = 0; u <= 3; u++) { /* 3: lane by lane */
        if (u == 3 && is_uniform(s))
            continue;
        params.uniform = u;
        struct rp_launch_result result;
        struct rp_error err = {0};
        bool fine = batch_try(b, p, 1, &params, &result, &err);
        if (s->form->lowering == LOW_TRAP) {
            bool stops = u != 0;
            cr_expect(fine == !stops && (fine || result.fault == RP_FAULT_TRAP), "%s: %s", s->text, err.text);
            continue;
        }
        cr_expect(fine, "%s: %s", s->text, err.text);
        for (uint32_t l = 0; fine && l < BATCH_LANES; l++) {
            uint32_t want = left_by(s, u < 3 ? u : l % 3);
            cr_expect_eq(out[l], want, "%s, lane %u: %u, not %u", s->text, l, out[l], want);
        }
    }
}

Test(control, every_form_leads_lanes_where_it_says)
{
    static const struct batch_of forms = {
        .what = "branches, calls and ends",
        .head = head,
        .chosen = is_control,
        .print = control_kernel,
        .compare = compare_control,
        .at_least = FORMS,
    };
    batch_every_form(&forms);
}
