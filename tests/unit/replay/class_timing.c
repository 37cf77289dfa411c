/* Instructions that take another time than their class or their space says (replay/base/class_timing.h). */
#include <criterion/criterion.h>

#include "common.h"
#include "replay/base/class_timing.h"
#include "replay/base/trace_semantics.h"

#define NO WARP_TRACE_NONE

Test(class_timing, comparisons_by_their_text)
{
    static const struct {
        const char *text;
        bool compares;
    } rows[] = {{"FSETP.GEU.OR P1, PT, R4, R3, !P0", true},
                {"@!P0 FMNMX R4, R3, R2, !PT", true},
                {"FSET.BF.LT.AND R0, R1, R2, PT", true},
                {"FCMP.GT R0, R1, R2, R3", true},
                {"setp.lt.f32 %p1, %f1, %f2;", true},
                {"@%p2 min.ftz.f32 %f1, %f2, %f3;", true},
                {"max.f32 %f1, %f2, %f3;", true},
                {"set.lt.u32.f32 %r1, %f2, %f3;", true},
                {"FADD R0, R1, R2", false},
                {"FSETPX R0", false},
                {"FCHK P0, R0, R1", false},
                {"fma.rn.f32 %f1, %f2, %f3, %f4;", false},
                {"minus.f32 %f1;", false},
                {"@P0", false},
                {"@", false},
                {"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(is_fp32_compare(rows[i].text), rows[i].compares, "%s", rows[i].text);
}

/* ptxas writes ld.global.ca as LDG.STRONG.SM, which L1 serves: of a V100 Jia et al. measured L1's 28 cycles with .ca.
 */
Test(class_timing, strong_accesses_of_the_block_look_in_l1)
{
    static const struct {
        enum rp_order order;
        enum rp_scope scope;
        bool bypasses;
    } rows[] = {{RP_ORDER_WEAK, RP_SCOPE_NONE, false},   {RP_ORDER_RELAXED, RP_SCOPE_CTA, false},
                {RP_ORDER_ACQUIRE, RP_SCOPE_CTA, false}, {RP_ORDER_RELAXED, RP_SCOPE_CLUSTER, true},
                {RP_ORDER_RELAXED, RP_SCOPE_GPU, true},  {RP_ORDER_RELEASE, RP_SCOPE_SYSTEM, true},
                {RP_ORDER_MMIO, RP_SCOPE_GPU, true},     {RP_ORDER_VOLATILE, RP_SCOPE_NONE, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rp_memory_operand o = {.order = (uint8_t)rows[i].order, .scope = (uint8_t)rows[i].scope};
        cr_expect_eq(bypasses_l1(&o), rows[i].bypasses, "row %zu", i);
    }
}

/* On GA104 a comparison takes two cycles of the unit of integers, as the programming guide's 64 a cycle and SM. */
Test(class_timing, comparisons_take_the_unit_of_integers)
{
    struct warp_op ops[8];
    for (int o = 0; o < 8; o++)
        ops[o] = (struct warp_op){.unit_class = RP_CLASS_FP32,
                                  .destination = o,
                                  .source = {NO, NO, NO},
                                  .text = o % 2 ? "FSETP.GT.AND P0, PT, R1, R2, PT" : "FADD R1, R2, R3"};
    struct rp_trace *t = trace_of(&(struct warp_program){ops, 8}, 1);
    struct machine *m = test_machine("rtx3070", NULL, NULL);
    struct statistics s = both_engines(t, m);
    unsigned fp32 = m->classes[RP_CLASS_FP32].unit, integer = m->classes[RP_CLASS_INT].unit;
    cr_expect_eq(s.unit_busy[fp32], 4, "%d", (int)s.unit_busy[fp32]);
    cr_expect_eq(s.unit_busy[integer], 8, "%d", (int)s.unit_busy[integer]);
    machine_free(m);
    m = test_machine("rtx3070", NULL, (const char *const[]){"fp32_compare=fp32", NULL});
    s = both_engines(t, m);
    cr_expect_eq(s.unit_busy[fp32], 8, "%d", (int)s.unit_busy[fp32]);
    cr_expect_eq(s.unit_busy[integer], 0);
    machine_free(m);
    rp_trace_close(t);
}

/* LDC takes 27 cycles on a V100 (Jia et al., arXiv:1804.06826, Table 3.1); a constant that PTX loads may be an operand.
 */
Test(class_timing, loads_of_constants)
{
    struct machine *m = test_machine("v100", NULL, NULL);
    struct rp_instruction in = {.unit_class = RP_CLASS_MEMORY, .text = "@P1 LDC.64 R8, c[0x3][R20+0x10]"};
    struct machine_timing shared = m->spaces[RP_SPACE_SHARED], t = space_timing(m, &in, RP_SPACE_CONST);
    cr_expect_eq(t.unit, shared.unit);
    cr_expect_eq(t.initiation + t.latency, 27);
    cr_expect_eq(space_timing(m, &in, RP_SPACE_PARAM).unit, m->spaces[RP_SPACE_PARAM].unit);
    in.text = "ld.const.f32 %f1, [%rd1+4];";
    cr_expect_eq(space_timing(m, &in, RP_SPACE_CONST).unit, m->spaces[RP_SPACE_CONST].unit);
    cr_expect_eq(space_timing(m, &in, RP_SPACE_CONST).latency, m->spaces[RP_SPACE_CONST].latency);
    in.text = NULL;
    cr_expect_eq(space_timing(m, &in, RP_SPACE_CONST).latency, m->spaces[RP_SPACE_CONST].latency);
    machine_free(m);
    m = test_machine("v100", NULL, (const char *const[]){"ldc_latency=0", NULL});
    in.text = "LDC R8, c[0x3][R20]";
    cr_expect_eq(space_timing(m, &in, RP_SPACE_CONST).unit, m->spaces[RP_SPACE_CONST].unit);
    machine_free(m);
}
