/* What instructions become: operations, their operands, and the static instructions of the trace. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx/support.h"

#define REGISTERS                                                                                                      \
    ".reg .pred %p<6>; .reg .b16 %h<6>; .reg .b32 %r<9>; .reg .b64 %d<6>; .reg .f32 %f<6>; .reg .f64 %g<6>;\n"

/* A kernel of these instructions; line 3 is the first of them. */
static struct program *kernel_of(const char *code, struct module **m)
{
    char body[2000];
    snprintf(body, sizeof body, "%s%s\nret; }", ".entry k(.param .u64 in) {" REGISTERS, code);
    return only_program(body, m);
}

static uint64_t constant_at(const struct program *p, struct operand o, unsigned bytes)
{
    uint64_t value = 0;
    cr_assert_not(is_register(o));
    memcpy(&value, p->constants + o.at, bytes);
    return value;
}

Test(lowering, constants_are_shared)
{
    struct module *m;
    struct program *p =
        kernel_of("add.u32 %r1, %r2, 7; add.u32 %r2, %r3, 7; add.u64 %d1, %d2, 7; add.f32 %f1, %f2, 1.5;"
                  "add.f64 %g1, %g2, 1.5; add.s16 %h1, %h2, -1; add.f32 %f1, %f1, 0f3FC00000;",
                  &m);
    cr_expect_eq(p->operations[0].b.at, p->operations[1].b.at);
    cr_expect_neq(p->operations[0].b.at, p->operations[2].b.at);
    cr_expect_eq(p->operations[3].b.at, p->operations[6].b.at);
    for (unsigned lane = 0; lane < 32; lane++) {
        struct operand at = {p->operations[0].b.at + 4 * lane};
        cr_expect_eq(constant_at(p, at, 4), 7);
    }
    cr_expect_eq(constant_at(p, p->operations[2].b, 8), 7);
    cr_expect_eq(constant_at(p, p->operations[3].b, 4), 0x3fc00000);
    cr_expect_eq(constant_at(p, p->operations[4].b, 8), 0x3ff8000000000000);
    cr_expect_eq(constant_at(p, p->operations[5].b, 2), 0xffff);
    module_free(m);
}

Test(lowering, guards)
{
    struct module *m;
    struct program *p = kernel_of("@%p1 add.u32 %r1, %r2, 1;\n@!%p1 add.u32 %r1, %r2, 1;\nadd.u32 %r1, %r2, 1;", &m);
    const struct rp_instruction *in = p->kernel.instructions;
    cr_expect_eq(in[0].flags, RP_GUARDED);
    cr_expect_eq(in[1].flags, RP_GUARDED | RP_GUARD_NEGATED);
    cr_expect_eq(in[2].flags, 0);
    cr_expect_eq(in[0].guard, RP_REGISTER(RP_FILE_PREDICATE, 0, 1));
    cr_expect_eq(in[0].src_count, 2);
    cr_expect_eq(in[0].src[0], in[0].guard);
    cr_expect_str_eq(in[1].text, "@!%p1 add.u32 %r1, %r2, 1");
    cr_expect_eq(p->operations[0].guard_flip, 0);
    cr_expect_eq(p->operations[1].guard_flip, ~0u);
    cr_expect(is_register(p->operations[0].guard) && p->operations[0].guard.at == p->operations[1].guard.at);
    cr_expect_not(is_register(p->operations[2].guard));
    module_free(m);
}

/* Registers wider than the type: sources are truncated first, results extended afterwards; one instruction all the
 * same. */
Test(lowering, wider_registers)
{
    struct module *m;
    struct program *p =
        kernel_of("cvt.s32.s8 %r1, %r2; cvt.u8.s32 %r3, %r4; ld.global.s8 %d1, [%d2]; st.global.u16 [%d2], %r1;"
                  "ld.global.u8 %h1, [%d2];",
                  &m);
    const struct operation *u = p->operations;
    cr_expect_eq(u[0].op, OP_CVT);
    cr_expect_eq(u[0].type, T_U16);
    cr_expect_eq(u[0].stype, T_U32);
    cr_expect_eq(u[1].type, T_S32);
    cr_expect_eq(u[1].stype, T_S8);
    cr_expect_eq(u[1].a.at, u[0].d.at);
    cr_expect((u[0].flags & UF_FIRST) && !(u[1].flags & UF_FIRST) && u[0].index == u[1].index);
    cr_expect_eq(u[2].type, T_U8); /* the result, in a temporary; then its extension */
    cr_expect_eq(u[3].type, T_U32);
    cr_expect_eq(u[3].stype, T_U8);
    cr_expect_eq(u[3].a.at, u[2].d.at);
    cr_expect(u[4].kind == UOP_MEMORY && u[4].type == T_S8 && u[4].dtype == T_S64);
    cr_expect(u[5].kind == UOP_MEMORY && u[5].type == T_U16 && u[5].dtype == T_U32);
    cr_expect(u[6].type == T_U8 && u[6].dtype == T_U16);
    cr_expect_eq(p->kernel.instruction_count, 6);
    module_free(m);
}

/* A policy is known where the function makes one, for all accesses: by createpolicy, as the number that ptxas makes of
 * it, over moves; not where two may come, or a part of the accesses is meant. */
Test(lowering, cache_policies)
{
    struct module *m;
    struct program *p = kernel_of(".reg .b64 %d6, %d7;\nld.param.u64 %d1, [in];\n"
                                  "mov.u64 %d2, 0;\ncreatepolicy.fractional.L2::evict_first.b64 %d2, 1.0;\n"
                                  "mov.b64 %d3, 1508705875169116160;\nmov.b64 %d4, %d3;\n"
                                  "createpolicy.fractional.L2::evict_last.b64 %d5, 0.5;\n"
                                  "createpolicy.fractional.L2::evict_unchanged.b64 %d6;\n"
                                  "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %d7, 0f3F800000;\n"
                                  "@%p1 mov.u64 %d7, %d4;\n"
                                  "ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;\n"
                                  "st.global.L2::cache_hint.u32 [%d1], %r1, %d4;\n"
                                  "ld.global.L2::cache_hint.u32 %r1, [%d1], %d5;\n"
                                  "ld.global.L1::no_allocate.L2::cache_hint.u32 %r1, [%d1], %d6;\n"
                                  "ld.global.L2::cache_hint.u32 %r1, [%d1], %d7;\n"
                                  "ld.global.L2::cache_hint.u32 %r1, [%d1], %d1;\n"
                                  "red.global.add.L2::cache_hint.u32 [%d1], %r1, %d2;\n"
                                  "ld.global.u32 %r1, [%d1];",
                                  &m);
    static const uint8_t want[] = {RP_EVICT_FIRST,  RP_EVICT_LAST,   RP_EVICT_NORMAL, RP_EVICT_UNCHANGED,
                                   RP_EVICT_NORMAL, RP_EVICT_NORMAL, RP_EVICT_FIRST,  RP_EVICT_NORMAL};
    for (unsigned i = 0; i < sizeof want; i++) {
        const struct rp_instruction *in = &p->kernel.instructions[9 + i];
        cr_assert_eq(in->memory_count, 1, "%s", in->text);
        cr_expect_eq(in->memory[0].evict_l2, want[i], "%s: %d", in->text, in->memory[0].evict_l2);
    }
    module_free(m);
}

Test(lowering, memory_operands)
{
    struct module *m;
    struct program *p =
        kernel_of("ld.param.u64 %d1, [in];\nld.global.nc.L1::no_allocate.L2::evict_last.v4.f32 {%f1, %f2, _, %f3}, "
                  "[%d1+-16];\nst.release.gpu.shared.u32 [%r1+4], 5;\n"
                  "atom.acq_rel.sys.global.cas.b64 %d2, [%d1], %d3, 0;\nred.shared.add.f32 [%r1], "
                  "%f1;\nld.volatile.u32 %r2, [%d1];",
                  &m);
    const struct rp_instruction *in = p->kernel.instructions;
    const struct rp_memory_operand want[] = {
        {RP_SPACE_PARAM, RP_ACCESS_LOAD, 0, RP_ORDER_WEAK, 0, 0, RP_VALUE_UNSIGNED, 1, 8, 0, 0, 0},
        {RP_SPACE_GLOBAL, RP_ACCESS_LOAD, 0, RP_ORDER_WEAK, RP_CACHE_NC, 0, RP_VALUE_FLOAT, 4, 16, 0,
         RP_EVICT_NO_ALLOCATE, RP_EVICT_LAST},
        {RP_SPACE_SHARED, RP_ACCESS_STORE, RP_SCOPE_GPU, RP_ORDER_RELEASE, 0, 0, RP_VALUE_UNSIGNED, 1, 4, 0, 0, 0},
        {RP_SPACE_GLOBAL, RP_ACCESS_ATOMIC, RP_SCOPE_SYSTEM, RP_ORDER_ACQ_REL, 0, RP_ATOMIC_CAS, RP_VALUE_BITS, 1, 8, 0,
         0, 0},
        {RP_SPACE_SHARED, RP_ACCESS_REDUCTION, RP_SCOPE_GPU, RP_ORDER_RELAXED, 0, RP_ATOMIC_ADD, RP_VALUE_FLOAT, 1, 4,
         0, 0, 0},
        {RP_SPACE_GENERIC, RP_ACCESS_LOAD, 0, RP_ORDER_VOLATILE, 0, 0, RP_VALUE_UNSIGNED, 1, 4, 0, 0, 0},
    };
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
        cr_assert_eq(in[i].memory_count, 1);
        cr_expect_eq(memcmp(&in[i].memory[0], &want[i], offsetof(struct rp_memory_operand, evict_l2) + 1), 0, "%s",
                     in[i].text);
        cr_expect_eq(in[i].unit_class, RP_CLASS_MEMORY);
    }
    const struct operation *u = p->operations;
    cr_expect(u[0].imm == 0 && !is_register(u[0].a) && !u[0].frame_relative);
    cr_expect(u[1].imm == -16 && u[1].lists[0].count == 4 && u[1].stype == T_U64);
    cr_expect(is_sink(u[1].lists[0].at[2]));
    cr_expect(u[2].imm == 4 && u[2].stype == T_U32 && constant_at(p, u[2].d, 4) == 5);
    cr_expect_eq(in[1].dst_count, 3);
    cr_expect_eq(in[1].src_count, 1);
    module_free(m);
}

Test(lowering, registers_of_the_trace)
{
    struct module *m;
    struct program *p =
        kernel_of("add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r2, %r2;\nsetp.eq.and.u32 %p1|%p2, %r1, %r4, !%p3;\n"
                  "mov.b64 %d1, {%r1, %r4};\nst.global.v2.u32 [%d1], {%r1, %r2};",
                  &m);
    const struct rp_instruction *in = p->kernel.instructions;
    const rp_register carry = RP_REGISTER(RP_FILE_CARRY, 0, 1);
    cr_expect(in[0].dst_count == 2 && in[0].dst[1] == carry && in[0].src_count == 2);
    cr_expect(in[1].src_count == 2 && in[1].src[1] == carry && in[1].dst_count == 1); /* %r2 once */
    cr_expect(in[2].dst_count == 2 && in[2].src_count == 3);
    cr_expect_eq(rp_register_file(in[2].dst[0]), RP_FILE_PREDICATE);
    cr_expect_eq(in[0].src[0], in[1].src[0]);
    cr_expect(in[3].src_count == 2 && in[3].src[0] == in[0].dst[0] && in[3].src[1] == in[1].dst[0]);
    cr_expect(in[4].dst_count == 0 && in[4].src_count == 3 && in[4].src[0] == in[3].dst[0]);
    module_free(m);
}

static void expect_class(const char *instruction, uint8_t wanted)
{
    struct module *m;
    struct program *p = kernel_of(instruction, &m);
    cr_expect_eq(p->kernel.instructions[0].unit_class, wanted, "%s: %s", instruction,
                 rp_class_name(p->kernel.instructions[0].unit_class));
    module_free(m);
}

Test(lowering, unit_classes)
{
    expect_class("add.s32 %r1, %r2, %r3;", RP_CLASS_INT);
    expect_class("mul.wide.u32 %d1, %r2, %r3;", RP_CLASS_INT_MUL);
    expect_class("rem.u64 %d1, %d2, %d3;", RP_CLASS_INT_DIV);
    expect_class("fma.rn.f32 %f1, %f2, %f3, %f4;", RP_CLASS_FP32);
    expect_class("div.rn.f32 %f1, %f2, %f3;", RP_CLASS_FP32_DIV);
    expect_class("div.approx.f32 %f1, %f2, %f3;", RP_CLASS_SFU);
    expect_class("rcp.approx.ftz.f64 %g1, %g2;", RP_CLASS_SFU);
    expect_class("sqrt.rn.f64 %g1, %g2;", RP_CLASS_FP64_DIV);
    expect_class("mul.f64 %g1, %g2, %g3;", RP_CLASS_FP64);
    expect_class("setp.lt.f64 %p1, %g2, %g3;", RP_CLASS_FP64);
    expect_class("set.lt.u32.f32 %r1, %f2, %f3;", RP_CLASS_FP32);
    expect_class("cvt.s64.s32 %d1, %r1;", RP_CLASS_INT);
    expect_class("cvt.rn.f32.s32 %f1, %r1;", RP_CLASS_CONVERT);
    expect_class("cvt.f64.f32 %g1, %f1;", RP_CLASS_CONVERT64);
    expect_class("sin.approx.f32 %f1, %f2;", RP_CLASS_SFU);
    expect_class("selp.f32 %f1, %f2, %f3, %p1;", RP_CLASS_MOVE);
    expect_class("mov.u32 %r1, %tid.x;", RP_CLASS_MOVE);
    expect_class("shfl.sync.up.b32 %r1, %r2, 1, 0, -1;", RP_CLASS_SHUFFLE);
    expect_class("vote.sync.ballot.b32 %r1, %p1, -1;", RP_CLASS_VOTE);
    expect_class("bar.sync 0;", RP_CLASS_BARRIER);
    expect_class("membar.gl;", RP_CLASS_FENCE);
    expect_class("@%p1 ret;", RP_CLASS_CONTROL);
    expect_class("nanosleep.u32 20;", RP_CLASS_NOP);
}

Test(lowering, barriers)
{
    struct module *m;
    struct program *p = kernel_of(
        "bar.sync 1, 64;\nbar.sync %r1, %r2;\nbar.red.and.pred %p1, 0, !%p2;\nbar.arrive 2, 32;\nfence.acq_rel.gpu;",
        &m);
    const struct rp_instruction *in = p->kernel.instructions;
    cr_expect(in[0].barrier.kind == RP_BARRIER_SYNC && in[0].barrier.id == 1 && in[0].barrier.count == 64);
    cr_expect_eq(in[0].flags, 0);
    cr_expect(in[1].barrier.id == -1 && in[1].barrier.count == -1 && in[1].flags == RP_HAS_AUX);
    cr_expect(in[2].barrier.kind == RP_BARRIER_REDUCE && p->operations[2].imm == BARRIER_AND &&
              p->operations[2].p_flip == 1);
    cr_expect(in[3].barrier.kind == RP_BARRIER_ARRIVE && in[3].barrier.count == 32);
    cr_expect_eq(in[4].fence_scope, RP_SCOPE_GPU);
    module_free(m);
}

static unsigned order_of(const char *code)
{
    struct module *m;
    unsigned order = kernel_of(code, &m)->order;
    module_free(m);
    return order;
}

Test(lowering, order)
{
    cr_expect_eq(order_of("atom.global.add.u32 %r1, [%d1], 1;"), 0); /* the old value is not used */
    cr_expect_eq(order_of("atom.global.add.u32 %r1, [%d1], 1; st.global.u32 [%d1], %r1;"), ORDER_ATOMIC_RESULT);
    cr_expect_eq(order_of("atom.shared.add.u32 %r1, [%r2], 1; st.global.u32 [%d1], %r1;"), 0);
    cr_expect_eq(order_of("atom.add.u32 %r1, [%d1], 1; st.global.u32 [%d1], %r1;"), ORDER_ATOMIC_RESULT);
    cr_expect_eq(order_of("red.global.add.f32 [%d1], %f1;"), ORDER_FLOAT_ATOMIC);
    cr_expect_eq(order_of("red.shared.add.f32 [%r1], %f1;"), 0);
    cr_expect_eq(order_of("ld.volatile.global.u32 %r1, [%d1];"), ORDER_POLLING);
    cr_expect_eq(order_of("ld.acquire.gpu.u32 %r1, [%d1];"), ORDER_POLLING);
    cr_expect_eq(order_of("ld.volatile.shared.u32 %r1, [%r2];"), 0);
    cr_expect_eq(order_of("atom.global.exch.b32 %r1, [%d1], 1;"), ORDER_POLLING);
    cr_expect_eq(order_of("mov.u64 %d1, %clock64;"), ORDER_CLOCK);
    cr_expect_eq(order_of("mov.u32 %r1, %smid;"), ORDER_CLOCK);
    cr_expect_eq(order_of("mov.u32 %r1, %laneid; ld.global.u32 %r1, [%d1];"), 0);
}

Test(lowering, text_and_source_lines)
{
    struct module *m;
    struct program *p =
        only_program(".file 3 \"a/b.cu\"\n.entry k() {" REGISTERS
                     "add.u32   %r1,\n\t%r2, // a comment\n /* another */ 7 ;\n.loc 3 41 5\nsub.u32 %r1, %r2, 1;\n"
                     ".loc 9 42 1, function_name LABEL, inlined_at 3 1 2\nneg.s32 %r1, %r2; ret; }\n.file 9 "
                     "\"c.cuh\"\n.file 4 \"unused.h\"",
                     &m);
    const struct rp_instruction *in = p->kernel.instructions;
    cr_expect_str_eq(in[0].text, "add.u32 %r1, %r2, 7");
    cr_expect_eq(p->kernel.file_count, 3);
    cr_expect_str_eq(p->kernel.files[0], "test.ptx");
    cr_expect(in[0].file == 0 && in[0].line == 4);
    cr_expect_str_eq(p->kernel.files[in[1].file], "a/b.cu");
    cr_expect_eq(in[1].line, 41);
    cr_expect_str_eq(p->kernel.files[in[2].file], "c.cuh");
    cr_expect_eq(in[2].line, 42);
    cr_assert(in[2].inlined == 1 && p->kernel.inlined_count == 1 && !in[1].inlined);
    cr_expect_str_eq(p->kernel.inlined[0].function, "LABEL", "there is no .debug_str");
    cr_expect(p->kernel.inlined[0].line == 1 && !strcmp(p->kernel.files[p->kernel.inlined[0].file], "a/b.cu"));
    cr_expect(in[3].pc == 24 && in[3].flags == (RP_RETURN | RP_EXIT));
    module_free(m);
}

/* clang writes line 0 where code belongs to no line; the lines of the PTX are no lines of that file. */
Test(lowering, line_0_stays_with_the_line_before)
{
    struct module *m;
    struct program *p = only_program(".file 3 \"b.cu\"\n.entry k() {" REGISTERS
                                     ".loc 3 41 5\nadd.u32 %r1, %r2, 7;\n.loc 3 0 5\nsub.u32 %r1, %r2, 1;\n"
                                     ".loc 3 42 5\nneg.s32 %r1, %r2; ret; }",
                                     &m);
    const struct rp_instruction *in = p->kernel.instructions;
    cr_expect(in[0].line == 41 && in[1].line == 41 && in[2].line == 42, "%u", in[1].line);
    cr_expect_str_eq(p->kernel.files[in[1].file], "b.cu");
    module_free(m);
}

static void expect_call(const struct rp_kernel *k, uint32_t number, const char *function, const char *file,
                        uint32_t line, uint32_t inlined)
{
    cr_assert(number && number <= k->inlined_count, "%s: %u", function, number);
    const struct rp_inlined_call *c = &k->inlined[number - 1];
    cr_expect_str_eq(c->function, function);
    cr_expect_str_eq(k->files[c->file], file);
    cr_expect(c->line == line && c->inlined == inlined && inlined < number, "%s", function);
}

/* In the form of nvcc -lineinfo: norm(), which calls dot() in line 20, is called in lines 41 and 42 of the kernel. */
Test(lowering, chains_of_inlined_calls)
{
    struct module *m;
    struct program *p =
        only_program(".file 1 \"k.cu\"\n.entry k() {" REGISTERS ".loc 1 41 5\nadd.u32 %r1, %r2, 1;\n"
                     ".loc 1 20 9, function_name $L__info_string1, inlined_at 1 41 5\nadd.u32 %r1, %r2, 2;\n"
                     ".loc 2 7 1, function_name .debug_str+1, inlined_at 1 20 9\nadd.u32 %r1, %r2, 3;\n"
                     ".loc 1 20 9, function_name $L__info_string1, inlined_at 1 41 5\nadd.u32 %r1, %r2, 4;\n"
                     ".loc 1 42 5\n.loc 1 20 9, function_name $L__info_string1, inlined_at 1 42 5\n"
                     ".loc 2 7 1, function_name $L__info_string0, inlined_at 1 20 9\nadd.u32 %r1, %r2, 5;\n"
                     ".loc 1 43 5\nret; }\n.file 2 \"dot.cuh\"\n.section .debug_str\n{\n.b8 0\n"
                     "$L__info_string0:\n.b8 100,111\n.b8 116,0\n$L__info_string1:\n.b8 110\n.b8 111,114\n"
                     ".b8 109\n.b8 0\n}\n.section .debug_loc { .b8 1 }\n",
                     &m);
    const struct rp_kernel *k = &p->kernel;
    const struct rp_instruction *in = k->instructions;
    cr_expect(in[0].inlined == 0 && in[0].line == 41 && in[5].inlined == 0 && in[5].line == 43);
    cr_expect_eq(k->inlined_count, 4, "each call once: %u", k->inlined_count);
    cr_expect(in[1].line == 20 && in[2].line == 7 && in[3].inlined == in[1].inlined && in[4].line == 7);
    expect_call(k, in[1].inlined, "norm", "k.cu", 41, 0);
    expect_call(k, in[2].inlined, "dot", "k.cu", 20, in[1].inlined);
    uint32_t second = k->inlined[in[4].inlined - 1].inlined;
    expect_call(k, in[4].inlined, "dot", "k.cu", 20, second);
    expect_call(k, second, "norm", "k.cu", 42, 0);
    module_free(m);
}

/* nvcc's namespaces of files have numbers that differ from one compilation to the next. */
Test(lowering, names_of_inlined_functions)
{
    static const struct {
        const char *name, *shown;
    } cases[] = {{"_INTERNAL_e29_7_hop_cu_24c::a::f<_INTERNAL_e29_7_hop_cu_24c::b>", "a::f<b>"},
                 {"f<_INTERNAL_>(_INTERNAL_1_x)", "f<_INTERNAL_>(_INTERNAL_1_x)"},
                 {"norm", "norm"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct module *m;
        char text[1000];
        int n = snprintf(text, sizeof text,
                         ".file 1 \"k.cu\"\n.entry k() { .reg .b32 %%r<3>; .loc 1 41 5\n"
                         ".loc 1 20 9, function_name L, inlined_at 1 41 5\nneg.s32 %%r1, %%r2; ret; }\n"
                         ".section .debug_str { L: .b8 ");
        for (const char *c = cases[i].name; *c; c++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%d,", *c);
        snprintf(text + n, sizeof text - (size_t)n, "0 }");
        struct program *p = only_program(text, &m);
        cr_expect_str_eq(p->kernel.inlined[0].function, cases[i].shown);
        module_free(m);
    }
}

/* .debug_info as LLVM writes it: norm() is called in lines 41 and 300 of the kernel, twice in line 300, and calls dot()
 * in line 20. Its bodies are from one label to another, with other code between. */
#define LLVM_DEBUG_INFO                                                                                                \
    ".section .debug_abbrev { .b8 1,17,1,3,8,0,0 .b8 2,46,0,3,8,0,0 .b8 3,46,1,17,1,18,1,49,19,0,0\n"                  \
    ".b8 4,29,1,49,19,17,1,18,1,88,11,89,5,87,11,0,0 .b8 0 }\n"                                                        \
    ".section .debug_info { .b32 148 .b8 2 .b8 0 .b32 .debug_abbrev .b8 8 .b8 1,107,0 .b8 2,100,111,116,0\n"           \
    ".b8 2,110,111,114,109,0 .b8 3 .b64 B .b64 E .b32 19\n"                                                            \
    ".b8 4 .b32 19 .b64 L1 .b64 L3 .b8 1 .b16 41 .b8 3 .b8 4 .b32 14 .b64 L2 .b64 L3 .b8 1 .b16 20 .b8 5 .b8 0,0\n"    \
    ".b8 4 .b32 19 .b64 L1 .b64 L4 .b8 1 .b16 300 .b8 7 .b8 0 .b8 4 .b32 14 .b64 L1 .b64 L4 .b8 1 .b16 300 .b8 9\n"    \
    ".b8 0,0,0 }\n"

/* Bodies overlap, so comments decide. What a comment has and .debug_info has not is passed over. */
Test(lowering, chains_in_comments)
{
    struct module *m;
    struct program *p =
        only_program(".entry k() {" REGISTERS "B: .loc 1 41 5 // k.cu:41:5\nadd.u32 %r1, %r2, 1;\n"
                     "L1: .loc 1 20 9 // k.cu:20:9 @[ k.cu:41:3 ]\nadd.u32 %r1, %r2, 2;\n"
                     "L2: .loc 2 7 1\t// dot.cuh:7:1 @[ k.cu:20:5 @[ k.cu:41:3 ] ]\nadd.u32 %r1, %r2, 3;\n"
                     ".loc 1 43 5 // k.cu:43:5\nadd.u32 %r1, %r2, 4;\n"
                     ".loc 1 21 9 // k.cu:21:9 @[ k.cu:300:7 ]\nadd.u32 %r1, %r2, 5;\n"
                     "L3: .loc 2 7 1 // dot.cuh:7:1 @[ k.cu:300:9 ]\nadd.u32 %r1, %r2, 6;\n"
                     ".loc 2 7 1 // dot.cuh:7:1 @[ k.cu:20:5 @[ k.cu:301:3 ] ]\nadd.u32 %r1, %r2, 7;\n"
                     ".loc 2 7 1 // dot.cuh:7:1 @[ k.cu:21:5 @[ k.cu:300:7 ] ]\nadd.u32 %r1, %r2, 8;\n"
                     "L4: .loc 1 44 5\nret; E: }\n.file 1 \"a/k.cu\"\n.file 2 \"dot.cuh\"\n" LLVM_DEBUG_INFO,
                     &m);
    const struct rp_kernel *k = &p->kernel;
    const struct rp_instruction *in = k->instructions;
    cr_expect(!in[0].inlined && !in[3].inlined && !in[6].inlined && !in[8].inlined);
    expect_call(k, in[1].inlined, "norm", "a/k.cu", 41, 0);
    expect_call(k, in[2].inlined, "dot", "a/k.cu", 20, in[1].inlined);
    expect_call(k, in[4].inlined, "norm", "a/k.cu", 300, 0);
    expect_call(k, in[5].inlined, "dot", "a/k.cu", 300, 0);
    cr_expect_eq(in[7].inlined, in[4].inlined, "the call around is known");
    cr_expect_eq(k->inlined_count, 4);
    module_free(m);
}

/* Without comments addresses decide, as in what nvcc -G writes: the last of those that overlap. */
Test(lowering, chains_by_address)
{
    struct module *m;
    struct program *p = only_program(".entry k() {" REGISTERS "B: .loc 1 41 5\nadd.u32 %r1, %r2, 1;\n"
                                     "L1: .loc 1 20 9\nadd.u32 %r1, %r2, 2;\nL2: L3: .loc 2 7 1\nadd.u32 %r1, %r2, 3;\n"
                                     "L4: .loc 1 0 5\nadd.u32 %r1, %r2, 4;\n.loc 1 44 5\nret; E: }\n"
                                     ".file 1 \"k.cu\"\n.file 2 \"dot.cuh\"\n" LLVM_DEBUG_INFO,
                                     &m);
    const struct rp_kernel *k = &p->kernel;
    const struct rp_instruction *in = k->instructions;
    cr_expect(!in[0].inlined && !in[4].inlined);
    expect_call(k, in[1].inlined, "dot", "k.cu", 300, 0);
    cr_expect_eq(in[2].inlined, in[1].inlined);
    cr_expect(in[3].line == 7 && in[3].inlined == in[2].inlined, "line 0 stays with the line before");
    module_free(m);
}

Test(lowering, threads_and_registers)
{
    struct module *m;
    struct program *p = only_program(".entry k() .maxntid 16, 8 .maxnreg 3 .minnctapersm 2 { .reg .b64 %d<9>;\n"
                                     "add.u64 %d1, %d2, %d3; add.u64 %d4, %d1, %d2; ret; }",
                                     &m);
    cr_expect_eq(p->max_threads, 128);
    cr_expect_eq(p->required_threads[0], 0);
    cr_expect_eq(p->kernel.registers, 3); /* what .maxnreg allows */
    module_free(m);
    p = only_program(".entry k() .reqntid 32, 2, 2 { ret; }", &m);
    cr_expect(p->max_threads == 128 && p->required_threads[0] == 32 && p->required_threads[2] == 2);
    module_free(m);
}
