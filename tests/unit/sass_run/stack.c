/* The SIMT stack as PasTiS describes it (ERTS 2022, III.A), step by step: active mask and stack after every
 * instruction, and where the lanes of nested and irregular divergence go. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/core/engine.h"
#include "tests/support/sass_rig.h"

/* ---- watching: every NOP notes the state of its warp --------------------------------------------------------------
 */

struct entry {
    uint32_t npc;
    lanemask mask;
};
struct moment { /* before the instruction at `pc`; {pc, active} is the top entry of the paper's stack */
    uint32_t pc, depth;
    lanemask active;
    struct entry stack[8]; /* what lies below the top, lowest first */
};
static struct moment seen[64];
static unsigned seen_count;
static uop_fn real[256];

static void note_entry(struct moment *m, const struct rp_instruction *in, const struct uop *pc, lanemask lanes)
{
    if (lanes && m->depth < 8)
        m->stack[m->depth++] = (struct entry){(uint32_t)in[pc->index].pc, lanes};
}

static void watch(struct warp *w, const struct uop *u, lanemask executed)
{
    const struct warp_state *s = (const struct warp_state *)w;
    const struct program *p = w->block->program;
    const struct rp_instruction *in = p->kernel.instructions;
    if (!strcmp(in[u->index].text, "NOP") && seen_count < sizeof seen / sizeof *seen) {
        struct moment *m = &seen[seen_count++];
        *m = (struct moment){.pc = (uint32_t)in[u->index].pc, .active = w->active};
        for (int64_t order = 1; order <= s->top; order++) { /* splits and joins by age are the stack */
            for (uint32_t i = 1; i <= s->joins_made; i++)
                if (s->joins[i].order == order)
                    note_entry(m, in, s->joins[i].pc, s->joins[i].lanes & w->live);
            for (uint32_t i = 0; i < s->split_count; i++)
                if (s->splits[i].order == order)
                    note_entry(m, in, s->splits[i].pc, s->splits[i].lanes);
        }
    }
    real[u - p->uops](w, u, executed);
}

/* Runs one warp; P0 of lane l is bit l of `p0`, P1 of `p1`. */
static void run_watched(const char *text, lanemask p0, lanemask p1)
{
    struct sass_rig r;
    sass_rig_open(&r, 62, text, 4096);
    cr_assert_lt(r.program->uop_count, 256u);
    for (uint32_t i = 0; i < r.program->uop_count; i++)
        if (r.program->operations[i].kind == UOP_LANE) {
            real[i] = r.program->operations[i].fn;
            r.program->operations[i].fn = watch;
        }
    seen_count = 0;
    cr_assert(sass_rig_run(&r, 1, 32, (uint32_t[4]){p0, p1}), "%s", r.err.text);
    sass_rig_close(&r);
}
#define PREDICATES                                                                                                     \
    "S2R R0, SR_LANEID\n MOV R1, c[0x0][0x148]\n MOV R2, c[0x0][0x14c]\n"                                              \
    "SHR.U32 R1, R1, R0\n SHR.U32 R2, R2, R0\n LOP.AND.NZ P0, RZ, R1, 0x1\n LOP.AND.NZ P1, RZ, R2, 0x1\n"

/* The moments are these, in this order; a stack has `depth` entries below its top. */
static void expect_moment(unsigned i, uint32_t pc, lanemask active, unsigned depth, const struct entry *stack)
{
    cr_assert_lt(i, seen_count, "only %u moments", seen_count);
    const struct moment *m = &seen[i];
    cr_assert_eq(m->pc, pc, "moment %u: at 0x%x, not 0x%x", i, m->pc, pc);
    cr_expect_eq(m->active, active, "moment %u: active %08x, not %08x", i, m->active, active);
    cr_assert_eq(m->depth, depth, "moment %u: %u entries below the top, not %u", i, m->depth, depth);
    for (unsigned e = 0; e < depth; e++) {
        cr_expect_eq(m->stack[e].npc, stack[e].npc, "moment %u, entry %u: npc 0x%x, not 0x%x", i, e, m->stack[e].npc,
                     stack[e].npc);
        cr_expect_eq(m->stack[e].mask, stack[e].mask, "moment %u, entry %u: mask %08x, not %08x", i, e,
                     m->stack[e].mask, stack[e].mask);
    }
}

/* ---- the figures ------------------------------------------------------------------------------------------------ */

/* Figures 5 to 7: the two threads that take the branch run first, then the others, then all together. The paper writes
 * thread 0 as a mask's highest bit, we as its lowest. */
static void figures(const char *push, const char *pop)
{
    char text[1024];
    snprintf(text, sizeof text,
             PREDICATES "start:\n NOP\n %s <meet>\n after_push:\n NOP\n @P0 BRA <taken>\n"
                        "rest:\n NOP\n %s\n taken:\n NOP\n %s\n meet:\n NOP\n EXIT\n",
             push, pop, pop);
    const lanemask all = 0xffffffff, two = 0x00000003;
    uint32_t meet = sass_label(text, "meet"), rest = sass_label(text, "rest");
    run_watched(text, two, 0);
    cr_assert_eq(seen_count, 5u);
    expect_moment(0, sass_label(text, "start"), all, 0, NULL);
    expect_moment(1, sass_label(text, "after_push"), all, 1, (struct entry[]){{meet, all}});
    expect_moment(2, sass_label(text, "taken"), two, 2, (struct entry[]){{meet, all}, {rest, all & ~two}});
    expect_moment(3, rest, all & ~two, 1, (struct entry[]){{meet, all}});
    expect_moment(4, meet, all, 0, NULL);
}
Test(stack, figures_5_to_7_ssy) { figures("SSY", "SYNC"); }
Test(stack, figures_5_to_7_pbk) { figures("PBK", "BRK"); }
Test(stack, figures_5_to_7_pcnt) { figures("PCNT", "CONT"); }

/* A branch that all or none take leaves the stack alone. */
Test(stack, undivided_branches)
{
    static const char text[] = PREDICATES "SSY <meet>\n @P0 BRA <taken>\n rest:\n NOP\n SYNC\n taken:\n NOP\n SYNC\n"
                                          "meet:\n NOP\n EXIT\n";
    for (unsigned taken = 0; taken < 2; taken++) {
        run_watched(text, taken ? ~0u : 0, 0);
        cr_assert_eq(seen_count, 2u);
        expect_moment(0, sass_label(text, taken ? "taken" : "rest"), ~0u, 1,
                      (struct entry[]){{sass_label(text, "meet"), ~0u}});
        expect_moment(1, sass_label(text, "meet"), ~0u, 0, NULL);
    }
}

/* A SYNC under a guard: who has not popped goes on, and the others wait for them. */
Test(stack, a_pop_of_some_lanes)
{
    static const char text[] = PREDICATES "SSY <meet>\n @P0 SYNC\n left:\n NOP\n SYNC\n meet:\n NOP\n EXIT\n";
    run_watched(text, 0x0000ff00, 0);
    cr_assert_eq(seen_count, 2u);
    expect_moment(0, sass_label(text, "left"), 0xffff00ff, 1, (struct entry[]){{sass_label(text, "meet"), ~0u}});
    expect_moment(1, sass_label(text, "meet"), ~0u, 0, NULL);
}

/* A BRK out of an SSY inside a PBK: its lanes leave both. */
Test(stack, a_break_out_of_a_nested_region)
{
    static const char text[] = PREDICATES "PBK <out>\n SSY <meet>\n @P0 BRA <leave>\n stay:\n NOP\n SYNC\n"
                                          "leave:\n NOP\n BRK\n meet:\n NOP\n BRK\n out:\n NOP\n EXIT\n";
    const lanemask gone = 0x0000000f;
    uint32_t out = sass_label(text, "out"), meet = sass_label(text, "meet"), stay = sass_label(text, "stay");
    run_watched(text, gone, 0);
    cr_assert_eq(seen_count, 4u);
    expect_moment(0, sass_label(text, "leave"), gone, 3, (struct entry[]){{out, ~0u}, {meet, ~0u}, {stay, ~gone}});
    expect_moment(1, stay, ~gone, 2, (struct entry[]){{out, ~0u}, {meet, ~gone}});
    expect_moment(2, meet, ~gone, 1, (struct entry[]){{out, ~0u}});
    expect_moment(3, out, ~0u, 0, NULL);
}

/* Lanes that exit are gone from every entry. */
Test(stack, an_exit_inside)
{
    static const char text[] = PREDICATES "SSY <meet>\n @P0 BRA <taken>\n rest:\n NOP\n SYNC\n"
                                          "taken:\n NOP\n @P1 EXIT\n left:\n NOP\n SYNC\n meet:\n NOP\n EXIT\n";
    const lanemask taken = 0x00ff00ff, gone = 0x000000ff;
    uint32_t meet = sass_label(text, "meet"), rest = sass_label(text, "rest");
    run_watched(text, taken, gone);
    cr_assert_eq(seen_count, 4u);
    expect_moment(0, sass_label(text, "taken"), taken, 2, (struct entry[]){{meet, ~0u}, {rest, ~taken}});
    expect_moment(1, sass_label(text, "left"), taken & ~gone, 2, (struct entry[]){{meet, ~gone}, {rest, ~taken}});
    expect_moment(2, rest, ~taken, 1, (struct entry[]){{meet, ~gone}});
    expect_moment(3, meet, ~gone, 0, NULL);
}

/* A call under divergence: the return address waits on the same stack, a RET of some lanes included. */
Test(stack, a_call_under_divergence)
{
    static const char text[] = PREDICATES "SSY <meet>\n @!P0 BRA <rest>\n CAL <function>\n back:\n NOP\n SYNC\n"
                                          "rest:\n NOP\n SYNC\n meet:\n NOP\n EXIT\n"
                                          "function:\n NOP\n @P1 RET\n longer:\n NOP\n RET\n";
    const lanemask called = 0x0f0f0f0f, early = 0x00000f0f;
    uint32_t meet = sass_label(text, "meet"), back = sass_label(text, "back");
    uint32_t after = sass_label(text, "rest");
    run_watched(text, called, early);
    cr_assert_eq(seen_count, 5u);
    /* the branch is taken by the lanes that do not call: they run first */
    uint32_t call = back - 8;
    if (call % 32 == 0)
        call -= 8;
    expect_moment(0, after, ~called, 2, (struct entry[]){{meet, ~0u}, {call, called}});
    expect_moment(1, sass_label(text, "function"), called, 2, (struct entry[]){{meet, ~0u}, {back, called}});
    expect_moment(2, sass_label(text, "longer"), called & ~early, 2, (struct entry[]){{meet, ~0u}, {back, called}});
    expect_moment(3, back, called, 1, (struct entry[]){{meet, ~0u}});
    expect_moment(4, meet, ~0u, 0, NULL);
}

/* A pop without its push is the kernel's fault. */
Test(stack, a_pop_of_nothing)
{
    struct sass_rig r;
    sass_rig_open(&r, 62, "SSY <end>\n BRK\n end:\n EXIT\n", 64);
    cr_assert(!sass_rig_run(&r, 1, 32, NULL));
    cr_expect_eq(r.err.status, RP_KERNEL);
    cr_expect_eq(r.result.fault, RP_FAULT_BAD_CALL);
    sass_rig_close(&r);
}
