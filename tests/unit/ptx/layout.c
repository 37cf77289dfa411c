/* Where variables and parameters lie, what they begin with, and how calls find them. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/ptx/support.h"

static uint64_t element(const uint8_t *image, uint64_t at, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, image + at, bytes);
    return value;
}

static const struct module_variable *variable(const struct module *m, const char *name)
{
    for (uint32_t i = 0; i < m->variable_count; i++)
        if (strcmp(m->variables[i].name, name) == 0)
            return &m->variables[i];
    cr_assert_fail("no variable %s", name);
    return NULL;
}

Test(layout, parameters)
{
    struct module *m;
    struct program *p = only_program(
        ".entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b, .param .f32 c, .param .align 16 .b8 d[20],\n"
        ".param .u16 e, .param .align 16 .f32 g[4]) { ret; }",
        &m);
    static const struct {
        uint32_t offset, size;
        bool is_float;
    } want[] = {{0, 1, false}, {8, 8, false}, {16, 4, true}, {32, 20, false}, {52, 2, false}, {64, 16, true}};
    cr_assert_eq(p->parameter_count, 6);
    cr_expect_eq(p->parameter_bytes, 80);
    for (unsigned i = 0; i < 6; i++) {
        cr_expect_eq(p->parameters[i].offset, want[i].offset, "%u", i);
        cr_expect_eq(p->parameters[i].size, want[i].size, "%u", i);
        cr_expect_eq(p->parameters[i].is_float, want[i].is_float, "%u", i);
    }
    module_free(m);
}

Test(layout, initial_values)
{
    struct module *m = load_body(
        ".func first() { ret; } .func second() { ret; }\n"
        ".global .u8 a[3] = {1, 0x80, -1};\n.global .f32 f[2] = {1.5, 0fC0000000};\n.global .f64 g = "
        "0d3FF0000000000000;\n"
        ".global .align 16 .s16 grid[2][3] = {{1, 2}, {4}};\n.global .u32 open[] = {1, 2, 3};\n.const .u32 table[4] = "
        "{0xFFFFFFFF, (1 << 4) | 3, 7 > 5 ? 10 : 20, ~0 & 0xFF};\n"
        ".global .u64 where[3] = {grid, a+2, generic(table)+4};\n.global .u8 parts[2] = {0xFF(grid), 0xFF00(grid)};\n"
        ".global .b8 text[] = {104, 105, 10, 0};\n.global .align 8 .v2 .u32 pairs[2] = {{1, 2}, {3, 4}};\n.global .u64 "
        "functions[2] = {first, second};\n.global .u32 zero[1000];\n");
    const uint8_t *g = m->global_image;
    uint64_t a = variable(m, "a")->address - MODULE_BASE, grid = variable(m, "grid")->address - MODULE_BASE;
    uint64_t f = variable(m, "f")->address - MODULE_BASE, where = variable(m, "where")->address - MODULE_BASE;
    cr_expect(element(g, a, 3) == 0xff8001);
    cr_expect(element(g, f, 4) == 0x3fc00000 && element(g, f + 4, 4) == 0xc0000000);
    cr_expect_eq(element(g, variable(m, "g")->address - MODULE_BASE, 8), 0x3ff0000000000000);
    cr_expect_eq(grid % 16, 0);
    static const uint16_t cells[] = {1, 2, 0, 4, 0, 0};
    cr_expect_eq(memcmp(g + grid, cells, sizeof cells), 0);
    cr_expect_eq(variable(m, "open")->size, 12);
    cr_expect_eq(element(g, where, 8), MODULE_BASE + grid);
    cr_expect_eq(element(g, where + 8, 8), MODULE_BASE + a + 2);
    cr_expect_eq(element(g, where + 16, 8), CONST_WINDOW + 4);
    cr_expect(variable(m, "table")->is_const && variable(m, "table")->address == CONST_WINDOW);
    cr_expect_eq(element(m->const_image, 0, 8), 0x13ffffffff);
    cr_expect_eq(element(m->const_image, 8, 8), 0xff0000000a);
    uint64_t parts = variable(m, "parts")->address - MODULE_BASE;
    cr_expect_eq(element(g, parts, 2), (MODULE_BASE + grid) & 0xffff);
    uint64_t text = variable(m, "text")->address - MODULE_BASE;
    cr_expect(variable(m, "text")->size == 4 && memcmp(g + text, "hi\n", 4) == 0);
    uint64_t pairs = variable(m, "pairs")->address - MODULE_BASE;
    cr_expect(element(g, pairs, 8) == 0x200000001 && element(g, pairs + 8, 8) == 0x400000003);
    uint64_t functions = variable(m, "functions")->address - MODULE_BASE;
    cr_expect(element(g, functions, 8) == FUNCTION_STEP && element(g, functions + 8, 8) == 2 * FUNCTION_STEP);
    module_free(m);
}

/* Static arrays first, whatever order the kernel names them in; extern ones share the place behind them. Gaps move an
 * array, and do not count. */
/* PTX ISA, ".attribute": what stands in its parentheses has some of its own. */
Test(layout, attributes)
{
    struct module *m;
    struct program *p = only_program(".global .attribute(.unified(19, 95)) .b32 v;\n"
                                     ".visible .attribute(.managed) .global .b32 w;\n"
                                     ".func .attribute(.unified(1, 2)) f() { ret; }\n.entry k() { ret; }",
                                     &m);
    cr_expect_eq(p->kernel.instruction_count, 1);
    module_free(m);
}

Test(layout, shared_memory)
{
    struct module *m;
    struct program *p =
        only_program(".extern .shared .align 16 .b8 dynamic[];\n.shared .u8 unused[100];\n.shared .u8 one[5];\n"
                     ".entry k() { .reg .b32 %r<4>; .shared .align 8 .b8 two[16];\n"
                     "ld.shared.u32 %r1, [dynamic+4]; ld.shared.u8 %r2, [one+1]; st.shared.u32 [two+4], %r1; mov.u32 "
                     "%r3, dynamic; ret; }",
                     &m);
    cr_expect_eq(p->operations[1].imm, 1);                    /* one at 0 */
    cr_expect_eq(p->operations[2].imm, VARIABLE_GAP + 8 + 4); /* two at 8 */
    cr_expect_eq(p->static_shared, 32);                       /* 24, rounded for the dynamic array */
    cr_expect_eq(p->operations[0].imm, 2 * VARIABLE_GAP + 32 + 4);
    cr_expect_eq(p->shared_gaps, 2 * VARIABLE_GAP);
    cr_expect_eq(p->kernel.static_shared, 32);
    module_free(m);
}

/* A callee's results and parameters lie where the caller's frame ends. */
Test(layout, calls)
{
    struct module *m;
    struct program *p =
        only_program(".func (.param .b64 r) f(.param .b32 a, .param .align 8 .b8 b[12]) { .reg .b32 %r<4>; .reg .b64 "
                     "%d<3>; .local .align 8 .b8 loc[20];\n"
                     "ld.param.b32 %r1, [a]; ld.param.b32 %r2, [b+8]; st.local.u32 [loc+4], %r1; mov.u64 %d1, loc; "
                     "st.param.b64 [r], %d1; ret; }\n"
                     ".entry k() { .reg .b32 %r<4>; .reg .b64 %d<3>; .local .u32 x[5];\n"
                     "{ .param .b32 p0; .param .align 8 .b8 p1[12]; .param .b64 q; st.param.b32 [p0], %r1; "
                     "st.param.b32 [p1+8], %r2;\n"
                     "call.uni (q), f, (p0, p1); ld.param.b64 %d1, [q]; }\nst.local.u32 [x], %r1; ret; }",
                     &m);
    const struct operation *u = p->operations;
    cr_expect_eq(p->frame_bytes, 32); /* x, rounded to 16 */
    cr_expect(u[0].frame_relative && u[0].imm == 32 + 8 && u[0].memory.space == RP_SPACE_LOCAL);
    cr_expect_eq(u[1].imm, 32 + 16 + 8);
    cr_expect(u[2].kind == UOP_CALL && u[2].frame_bytes == 32 && u[2].window_bytes == p->window_bytes);
    cr_expect_eq(u[3].imm, 32 + 0);
    cr_expect_eq(u[4].imm, 0);
    const struct operation *f = &u[u[2].target];
    cr_expect(f[0].frame_relative && f[0].imm == 8);
    cr_expect_eq(f[1].imm, 16 + 8);
    cr_expect_eq(f[2].imm, 32 + 4); /* loc behind 28 bytes of parameters, at 32 */
    cr_expect(f[3].op == OP_FRAME && f[3].imm == 32);
    cr_expect_eq(f[6].kind, UOP_RETURN);
    cr_expect_eq(p->max_depth_bytes, 32 + 64);
    cr_expect_not(p->recursive);
    module_free(m);
}

/* Parameters and results in registers: stored before the call, loaded by the callee, and back. */
Test(layout, parameters_in_registers)
{
    struct module *m;
    struct program *p =
        only_program(".func (.reg .u32 r) twice(.reg .u32 a) { add.u32 r, a, a; ret; }\n"
                     ".entry k() { .reg .u32 %r<4>; call (%r1), twice, (%r2); call (_), twice, (7); ret; }",
                     &m);
    static const char *const text[] = {
        "st.param.u32", "call (%r1), twice, (%r2)", "ld.param.u32", "st.param.u32", "call (_), twice, (7)", "ret",
        "ld.param.u32", "add.u32 r, a, a",          "st.param.u32", "ret"};
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++)
        cr_expect_eq(strncmp(p->kernel.instructions[i].text, text[i], strlen(text[i])), 0, "%u: %s", i,
                     p->kernel.instructions[i].text);
    cr_expect_eq(p->operations[0].imm, 4); /* result at 0, parameter at 4 */
    cr_expect_eq(p->operations[2].imm, 0);
    module_free(m);
}

Test(layout, recursion_and_calls_through_registers)
{
    struct module *m;
    struct program *p = only_program(
        ".func f(.param .b32 a) { .reg .b32 %r<2>; { .param .b32 q; st.param.b32 [q], %r1; call f, (q); } ret; }\n"
        ".entry k() { .reg .b32 %r<2>; { .param .b32 q; st.param.b32 [q], %r1; call f, (q); } ret; }",
        &m);
    cr_expect(p->recursive && p->max_depth_bytes == 0);
    module_free(m);
    p = only_program(
        ".func f(.param .b32 a) { ret; } .func g(.param .b32 a) { ret; } .func never(.param .b32 a) { ret; }\n"
        ".global .u64 table[2] = {f, g};\n"
        ".entry k() { .reg .b64 %d<2>; .reg .b32 %r<2>; ld.global.u64 %d1, [table]; { .param .b32 q; st.param.b32 [q], "
        "%r1;\n"
        "proto: .callprototype _ (.param .b32 _); call %d1, (q), proto; } ret; }",
        &m);
    const struct operation *call = NULL;
    for (uint32_t i = 0; i < p->uop_count; i++)
        if (p->operations[i].kind == UOP_CALL)
            call = &p->operations[i];
    cr_assert(call && call->target == UOP_NOWHERE && is_register(call->a));
    cr_assert_eq(call->table_count, 5); /* f, g, never, k from 1 */
    cr_expect_eq(p->operations[call->table[1]].kind, UOP_RETURN);
    cr_expect(call->table[2] != UOP_NOWHERE && call->table[2] != call->table[1]);
    cr_expect_eq(call->table[3], UOP_NOWHERE);
    module_free(m);
}

/* A name means what the innermost block says; labels too. */
Test(layout, scopes)
{
    struct module *m;
    struct program *p = only_program(".entry k() { .reg .b32 %r<3>; .reg .pred %p<2>;\n"
                                     "{ .reg .b64 %r<3>; add.u64 %r1, %r2, 1; AGAIN: @%p1 bra AGAIN; }\n"
                                     "{ .reg .b16 x; add.u16 x, x, 1; AGAIN: @%p1 bra AGAIN; bra DONE; }\n"
                                     "add.u32 %r1, %r2, 1; DONE: ret; }",
                                     &m);
    cr_expect_eq(p->operations[0].type, T_U64);
    for (uint32_t i = 0; i < p->uop_count; i++)
        if (p->operations[i].kind == UOP_BRANCH && (p->kernel.instructions[p->operations[i].index].flags & RP_GUARDED))
            cr_expect_eq(p->operations[p->operations[i].target].kind, UOP_BRANCH, "each AGAIN is its own block's");
    module_free(m);
}

Test(layout, arrays_of_a_module_are_aligned_for_vectors)
{
    struct module *m = load_body(".global .u8 c; .global .u32 n; .global .u32 a[5]; .global .u16 h[9];\n"
                                 ".const .u8 k; .const .f32 table[4];\n");
    cr_expect_eq(variable(m, "n")->address % 4, 0);
    cr_expect_eq(variable(m, "a")->address % 16, 0);
    cr_expect_eq(variable(m, "h")->address % 16, 0);
    cr_expect_eq(variable(m, "table")->address % 16, 0);
    module_free(m);
}
