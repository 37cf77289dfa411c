/* Every form of the barriers of a block, a warp and a cluster: two warps write to shared memory, come to the barrier,
 * and read what the other one wrote; reductions are compared with a plain count. PTX ISA, "bar, barrier",
 * "bar.warp.sync", "barrier.cluster". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx_forms/batch.h"

enum { THREADS = 64, ROUNDS = 4, FORMS_AT_LEAST = 60 };

struct barrier_in {
    uint32_t value, flag;
};
struct barrier_out {
    uint32_t seen, d, q;
};

static bool is_barrier(const struct ptx_form *f)
{
    return f->lowering == LOW_BARRIER || f->lowering == LOW_WARP_BARRIER || f->lowering == LOW_CLUSTER_BARRIER;
}
static bool arrives(const struct spelled *s) { return mods_have(&s->mods, M_ARRIVE); }
static bool is_of_warp(const struct spelled *s) { return s->form->lowering == LOW_WARP_BARRIER; }
static bool is_of_cluster(const struct spelled *s) { return s->form->lowering == LOW_CLUSTER_BARRIER; }

/* Numbers are immediates, in variant 1 in registers. */
static void print_operands(char *to, size_t size, const struct spelled *s)
{
    bool registers = s->variant;
    size_t n = 0;
    *to = 0;
    for (uint32_t i = 0; i < s->operands; i++) {
        char role = s->form->operands[i].role;
        const char *o = role == 'd'     ? "%r5"
                        : role == 'q'   ? "%p2"
                        : role == 'p'   ? "%p1"
                        : is_of_warp(s) ? (registers ? "%r4" : "0xffffffff")
                        : role == 'a'   ? (registers ? "%r0" : "3")
                                        : (registers ? "%r1" : "64");
        n += (size_t)snprintf(to + n, size - n, "%s%s", i ? ", " : " ", o);
    }
}

/* What stands around the form so that all threads meet. */
static void print_meeting(char *to, size_t size, const struct spelled *s, const char *form)
{
    if (is_of_cluster(s))
        snprintf(to, size, arrives(s) ? "%s; barrier.cluster.wait;" : "barrier.cluster.arrive; %s;", form);
    else if (arrives(s))
        snprintf(to, size, "@%%p3 bra first; bar.sync 3, 64; bra behind; first: %s; behind: ", form);
    else
        snprintf(to, size, "%s;", form);
}

static size_t barrier_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    char operands[100], form[300], meeting[400];
    print_operands(operands, sizeof operands, s);
    snprintf(form, sizeof form, "%s%s", s->text, operands);
    print_meeting(meeting, sizeof meeting, s, form);
    return (size_t)snprintf(
        to, size,
        ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %%in, %%out, %%at; .reg .b32 %%r<8>, %%t, %%s; .reg .pred %%p<4>; .shared .b32 row[64];\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%at, %%t, 8;\n"
        "add.u64 %%in, %%in, %%at; mul.wide.u32 %%at, %%t, 12; add.u64 %%out, %%out, %%at;\n"
        "ld.global.b32 %%r2, [%%in]; ld.global.b32 %%r3, [%%in+4]; setp.ne.u32 %%p1, %%r3, 0; setp.ne.u32 %%p2, 0, 0;\n"
        "setp.lt.u32 %%p3, %%t, 32; mov.u32 %%r0, 3; mov.u32 %%r1, 64; mov.u32 %%r4, -1; mov.u32 %%r5, 77;\n"
        "mov.u32 %%s, row; mad.lo.u32 %%s, %%t, 4, %%s; st.shared.b32 [%%s], %%r2;\n"
        "%s\n"
        "xor.b32 %%t, %%t, %d; mov.u32 %%s, row; mad.lo.u32 %%s, %%t, 4, %%s; ld.shared.b32 %%r6, [%%s];\n"
        "st.global.b32 [%%out], %%r6; st.global.b32 [%%out+4], %%r5; selp.b32 %%r6, 1, 0, %%p2;\n"
        "st.global.b32 [%%out+8], %%r6; ret; }\n",
        number, meeting, is_of_warp(s) ? 31 : 63);
}

static void expect_thread(const struct spelled *s, const struct barrier_in *in, const struct barrier_out *out,
                          unsigned t, unsigned set)
{
    unsigned partner = t ^ (is_of_warp(s) ? 31 : 63);
    bool waits = !arrives(s) || is_of_cluster(s) || t >= 32;
    uint32_t d = mods_have(&s->mods, M_POPC) ? set : 77;
    uint32_t q = mods_have(&s->mods, M_AND) ? set == THREADS : mods_have(&s->mods, M_OR) ? set != 0 : 0;
    cr_expect(!waits || out[t].seen == in[partner].value, "%s: thread %u has not waited", s->text, t);
    cr_expect_eq(out[t].d, d, "%s: thread %u: %u, not %u", s->text, t, out[t].d, d);
    cr_expect_eq(out[t].q, q, "%s: thread %u: %u, not %u", s->text, t, out[t].q, q);
}

static void compare_barrier(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t in, out;
    } params;
    struct barrier_in *in = batch_memory(b, THREADS * sizeof *in, &params.in);
    struct barrier_out *out = batch_memory(b, THREADS * sizeof *out, &params.out);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned set = 0;
        for (unsigned t = 0; t < THREADS; t++) {
            in[t] = (struct barrier_in){(uint32_t)batch_random(b), round < 2 ? round : batch_random(b) & 1};
            set += in[t].flag;
        }
        if (!batch_launch(b, p, s, 1, &params))
            return;
        for (unsigned t = 0; t < THREADS; t++)
            expect_thread(s, in, out, t, set);
    }
}

static void add_barrier(const struct spelled *s, void *batch)
{
    struct spelled in_registers = *s;
    in_registers.variant = 1;
    batch_add(s, batch);
    if (s->operands)
        batch_add(&in_registers, batch);
}

Test(barriers, every_form_lets_threads_meet)
{
    static const struct batch_of forms = {
        .what = "barriers",
        .threads = THREADS,
        .chosen = is_barrier,
        .add = add_barrier,
        .print = barrier_kernel,
        .compare = compare_barrier,
        .at_least = FORMS_AT_LEAST,
    };
    batch_every_form(&forms);
}
