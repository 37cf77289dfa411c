/* What bad text is answered: place, message, the line itself and a caret under the place. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx/support.h"

/* Each body is inside a kernel that begins on line 2 with its registers; the text stands on line 3. */
static const struct {
    const char *text;
    unsigned column;
    const char *message;
} in_kernel[] = {
    {"add.u32 %r1, %r2.b0, %r3;", 14, "'%r2' has no such part here"},
    {"vadd.u32.u32.u32 %r1, %r2.b10, %r3;", 23, "'%r2' has no such part here"},
    {"vadd.u32.u32.u32 %r1, %r2, %r3, %r3;", 1,
     "a third source goes with .add, .min, .max or a part of the destination"},
    {"vadd.u32.u32.u32.add %r1, %r2, %r3;", 1,
     "a third source goes with .add, .min, .max or a part of the destination, and is missing"},
    {"vadd.u32.u32.u32.add %r1.h0, %r2, %r3, %r3;", 22,
     "a part of the destination and a second operation exclude each other"},
    {"vsub.u32.u32.u32 %r1, -%r2, %r3;", 23, "only vmad negates its sources"},
    {"vmad.u32.u32.u32.po %r1, -%r2, %r3, %r3;", 1, ".po excludes negated sources"},
    {"vmad.u32.u32.u32 %r1, -%r2, %r3, -%r3;", 1, "either the product or the third source is negated"},
    {"vmad.u32.u32.u32 %r1.h0, %r2, %r3, %r3;", 1, "vmad takes parts of its first two sources only"},
    {"vadd2.u32.u32.u32 %r1.h01, %r2, %r3, %r3;", 19, "the parts of a destination go down, below 2"},
    {"vadd2.u32.u32.u32 %r1, %r2.h4, %r3, %r3;", 24, "a part here is .h and digits from 0 to 3"},
    {"vadd2.u32.u32.u32 %r1, %r2.b10, %r3, %r3;", 24, "a part here is .h and digits from 0 to 3"},
    {"vset4.u32.u32.eq %r1, %r2, %r3.b12345, %r3;", 28, "a part here is .b and digits from 0 to 7"},
    {"vadd4.u32.u32.u32 %r1, %r2.b10, %r3, %r3;", 24, "a source selects 4 parts"},
    {"vadd2.u32.u32.u32 %r1, %r2, %r3, %r3.h10;", 34, "the third source has no parts"},
    {"vadd2.u32.u32.u32 %r1, 5, %r3, %r3;", 24, "sources of 'vadd2' are registers"},
    {"vadd2.u32.u32.u32 %r1, -%r2, %r3, %r3;", 24, "'!' goes with a predicate source only"},
    {"vadd2.u32.u32.u32.sat.add %r1, %r2, %r3, %r3;", 6, "'vadd2' takes only one of .sat .add"},
    {"ad.s32 %r1, %r2, %r3;", 1, "unknown instruction 'ad'; did you mean 'add'?"},
    {"frobnicate.s32 %r1, %r2;", 1, "unknown instruction 'frobnicate'"},
    {"add.s32.foo %r1, %r2, %r3;", 8, "'.foo' is no modifier of 'add'"},
    {"ld.globl.u32 %r1, [%d1];", 3, "'.globl' is no modifier of 'ld'; did you mean '.global'?"},
    {"add.sat.u32 %r1, %r2, %r3;", 4, "'add' does not take .u32 here, but .s32"},
    {"mul.s32 %r1, %r2, %r3;", 4, "'mul' needs one of .hi .lo"},
    {"mul.s32.lo %r1, %r2, %r3;", 4, "'mul' wants .hi .lo before all other modifiers and types"},
    {"add.rn.rz.f32 %f1, %f1, %f1;", 4, "'add' takes only one of .rn .rz .rm .rp"},
    {"add %r1, %r2, %r3;", 1, "'add' takes 1 type, not 0"},
    {"add.s32 %r1, %r2;", 1, "'add' takes 3 operands here, not 2"},
    {"add.s32 %r1, %r2, %r33;", 19, "'%r33' is not declared: there are only 4 registers of that name"},
    {"add.s32 %r1, %r2, counte;", 19, "'counte' is not declared; did you mean 'counter'?"},
    {"add.s32 %r1, %d2, %r3;", 14, "'%d2' has 64 bits where .s32 belongs"},
    {"add.s32 %r1, %f2, %r3;", 14, "'%f2' is .f32 where .s32 belongs"},
    {"add.s32 %p1, %r2, %r3;", 9, "'%p1' is a predicate, not a number"},
    {"setp.eq.u32 %r1, %r2, %r3;", 13, "'%r1' is no predicate"},
    {"add.s32 5, %r2, %r3;", 9, "the destination must be a register"},
    {"add.s32 %r1, _, %r3;", 14, "'_' can only be a destination"},
    {"@%r1 ret;", 2, "'%r1' is no predicate register"},
    {"bra 5;", 5, "a label belongs here"},
    {"bra NOWHERE;", 5, "there is no label 'NOWHERE' here"},
    {"LOOP: bra LOP;", 11, "there is no label 'LOP' here; did you mean 'LOOP'?"},
    {"A: A: ret;", 4, "'A' is declared twice"},
    {"add.s32 %r1, %r2, 0f123;", 19, "0f takes exactly 8 hexadecimal digits"},
    {"mov.u64 %d1, 99999999999999999999;", 14, "this number does not fit in 64 bits"},
    {"mov.u32 %r1, 5 / (3 - 3);", 16, "division by zero"},
    {"ld.global.u32 %r1, %d1;", 20, "an address in [] belongs here"},
    {"ld.global.u32 %r1, [%f1];", 21, "'%f1' (.f32) cannot hold an address"},
    {"ld.global.v2.u32 {%r1, %r2, %r3}, [%d1];", 18, "3 values where 2 belong"},
    {"ld.global.v2.u32 %r1, [%d1];", 18, "2 values are loaded, not 1"},
    {"st.shared.u32 [cst], %r1;", 16, "'cst' is in .const memory, not in .shared"},
    {"cvt.s32.f32 %r1, %f1;", 1, "cvt from .f32 to .s32 needs a rounding: .rni .rzi .rmi or .rpi"},
    {"cvt.f32.s32 %f1, %r1;", 1, "cvt from .s32 to .f32 needs a rounding: .rn .rz .rm or .rp"},
    {"cvt.rn.u64.u32 %d1, %r1;", 1, "cvt from .u32 to .u64 does not round this way"},
    {"bar.sync 16;", 10, "barriers are numbered 0 to 15"},
    {"bar.sync 1, 33;", 13, "a barrier's count of threads is a multiple of 32 up to 1024"},
    {"call nothing;", 6, "'nothing' is not declared"},
    {"call declared;", 6, "function 'declared' is declared, and this module does not define it"},
    {"call cnpLaunchDevice;", 6,
     "the first version of dynamic parallelism is not supported; compile without CUDA_FORCE_CDP1_IF_SUPPORTED "
     "(-lineinfo says which line calls 'cnpLaunchDevice')"},
    {"call (%r1), declared;", 13, "'declared' has 0 results and 0 parameters, the call 1 and 0"},
    {"call k;", 6, "'k' is a kernel, not a function"},
    {"call %d1;", 6, "a call through a register needs a prototype"},
    {"brx.idx %r1, A; A: ret;", 14, "'A' is no label of a .branchtargets before this instruction"},
    {".reg .b32 %r<4>;", 11, "'%r' is declared twice"},
    {".reg .b31 x;", 6, "'.b31' is no type"},
    {".shared .b8 big[1073741825];", 17, "an array's length must be between 0 and 1073741824"},
    {".frame 5;", 1, "no directive '.frame' inside a function"},
    {"ret \\", 5, "a character that PTX does not have (0x5c)"},
    {"atom.const.add.u32 %r1, [cst], 1;", 1, "atomics go to .global or .shared memory"},
    {"setp.lt.and.s32 %p1, %r1, %r2;", 1, "'setp' takes 4 operands here, not 3"},
    {"ld.global.L2::cache_hint.b32 %r1, [%d1];", 1, "'ld' takes 3 operands here, not 2"},
    {"ld.global.b32 %r1, [%d1], %d2;", 1, "'ld' takes 2 operands here, not 3"},
    {"cp.async.ca.shared.global.L2::cache_hint [%r1], [%d1], 16;", 1, "'cp' takes 4 operands here, not 3"},
    {"cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 16, %d2;", 1, "'cp' takes 3 operands here, not 4"},
    {"mov.b64 %d1, {%r1, %r2, %r3};", 14, ".b64 does not consist of 3 elements"},
    {"mov.b64 {%r1, %d2}, %d1;", 15, "'%d2' is not 32 bits wide"},
    {"lop3.b32 %r1, %r2, %r3, %r1, %r2;", 30, "a constant belongs here"},
    {"bfe.u32 %r1, %r2, 256, 1;", 19, "a position or length of bits is from 0 to 255, not 256"},
    {"bfi.b32 %r1, %r2, %r3, %r1, -1;", 29, "a position or length of bits is from 0 to 255, not -1"},
    {"pmevent 16;", 9, "an event is from 0 to 15, not 16"},
    {"pmevent.mask 65536;", 14, "a mask of events is from 0 to 65535, not 65536"},
    {"setmaxnreg.inc.sync.aligned.u32 25;", 33, "a number of registers is a multiple of 8, not 25"},
    {"mov.u64 %d1, %laneid;", 14, "%laneid has 32 bits where .u64 belongs: mov.u32 takes it, cvt.u64.u32 extends it"},
    {"mov.u32 %r1, %clock64;", 14,
     "%clock64 has 64 bits where .u32 belongs: mov.u64 takes it, cvt.u32.u64 its lower half"},
    {"mov.u32 %r1, %is_explicit_cluster;", 14, "%is_explicit_cluster has 1 bit where .u32 belongs: mov.pred takes it"},
    {"cvt.rn.f32.u32 %f1, %laneid;", 21,
     "%laneid is no floating-point number: mov.u32 takes it, and cvt of that register converts it"},
    {"add.u32 %r1, %r2, %laneid;", 19, "special registers are sources of mov and cvt only"},
    {"elect.sync %r1, -1;", 12, "elect.sync has two results, as in %r1|%p1 or _|%p1"},
    {"mov.u32 %r1, 5u;", 15, "the suffix of an unsigned number is 'U', not 'u'"},
    {"mov.f32 %f1, .5f;", 14, "a number belongs here"},
    {"ld.global.u32 %r1, [counter[1]];", 21,
     "an element is no address in []: write it without them, as in ld.u32 r, a[1]"},
    {"st.param.u32 [given], %r1;", 15, "'given' is a parameter, which is only read: copy it to a .local variable"},
    {"{ .param .u64 z; call (_), takes, (z); }", 36, "'z' is .u64 where the function has .u32: declare it as that"},
    {"{ .param .b8 z[4]; call (_), takes, (z); }", 38,
     "'z' is .align 1 .b8 [4] where the function has .u32: declare it as that"},
    {"call (%f1), takes, (%r1);", 7, "'%f1' is .f32 where the function has .u32: declare it as that"},
    {"call (_), takes, (%d1);", 19, "'%d1' is .b64 where the function has .u32: declare it as that"},
    {"call (_), takes, (given);", 19, "'given' is the function's own: copy it to a .param variable for the call"},
    {"call (_), takes, ({%r1,%r2});", 19,
     "a part of a vector, or one in braces, is no argument: use a register of its own"},
    {"call fills, (1);", 14, "a number where the function has .align 4 .b8 [4]: use a .param variable"},
    {"call (_), narrow, (1);", 1, "no call passes or returns one .u16: declare the parameter or result .b16"},
    {"call %d1, (%r1), P; P: .callprototype _ (.param .u32 _);", 18,
     "'P' is no label of a .callprototype before this instruction"},
    {"P: .callprototype f (.param .u32 _);", 19, "a prototype has no name: write '_'"},
    {"P: .callprototype _ (.param .u32 _); call %d1, (%f1), P;", 49, "'%f1' is .f32 where the function has .u32"},
    {"tex.1d.v4.f32.s32 {%f1, _, _, _}, [%d1, {%f1}];", 42, "integers (.s32) belong here"},
    {"tex.1d.v4.f32.f32 {%f1, _, _, _}, [%d1, {1}];", 42, "floating-point numbers (.f32) belong here"},
    {"tex.a1d.v4.f32.f32 {%f1, _, _, _}, [%d1, {%f1, %f2}];", 43, "the layer is an integer (.u32)"},
    {"tex.2d.v4.f32.f32 {%f1, _, _, _}, [%d1, {%f1, %f2, %f3}];", 41, "a vector has 1, 2 or 4 elements, not 3"},
    {"tex.2d.v4.f32.f32 {%f1, _, _, _}, [%d1, {%f1, _}];", 47, "a register or a number belongs here"},
    {"tex.1d.v4.f32.f32 {%f1, _, _, _}, [%d1, 1.5];", 41, "a register, or a vector in braces, belongs here"},
    {"tex.grad.2d.v4.f32.f32 {%f1, _, _, _}, [%d1, {%f1, %f2}], {%f1}, {%f1};", 59, "a gradient is a vector of 2 here"},
    {"tex.1d.v4.f32.f32 {%f1, _, _, _}, [%r1, {%f1}];", 36, "a handle has 64 bits: a register is .u64"},
    {"sust.b.1d.b32.trap [%d1, {%d2}], %r1;", 27, "'%d2' is .b64 where 32 bits belong"},
    {"sust.b.2d.b32.trap [%d1, {%f1, %f2}], %r1;", 27, "integers (.s32) belong here"},
};

/* Loads, and lowers the kernel if there is one; the error's text or "" if all is well. */
static void load_and_find(const char *body, struct rp_error *err)
{
    char text[2000];
    int n = snprintf(text, sizeof text, "%s%s", HEADER, body);
    err->text[0] = 0;
    struct module *m = ptx_load_text("dir/bad.ptx", text, (uint64_t)n, 0, err);
    if (m)
        module_find(m, "k", err);
    module_free(m);
}

/* "dir/bad.ptx:LINE:COLUMN: message...", then the line, then the caret under the column. */
static void expect_error(const char *body, unsigned line, unsigned column, const char *message, const char *shown)
{
    struct rp_error err = {0};
    char expected[600];
    load_and_find(body, &err);
    snprintf(expected, sizeof expected, "dir/bad.ptx:%u:%u: %s", line, column, message);
    cr_expect(strncmp(err.text, expected, strlen(expected)) == 0, "expected %s\n     got %s", expected, err.text);
    cr_expect_eq(err.status, RP_BAD_INPUT);
    const char *second = strchr(err.text, '\n'), *third = second ? strchr(second + 1, '\n') : NULL;
    cr_assert(second && third, "%s", err.text);
    cr_expect(strncmp(second + 5, shown, strlen(shown)) == 0, "%s", err.text);
    cr_expect_eq(strlen(third + 1), 4 + column, "%s", err.text);
    cr_expect_eq(third[4 + column], '^', "%s", err.text);
}

Test(errors, in_kernels)
{
    for (unsigned i = 0; i < sizeof in_kernel / sizeof *in_kernel; i++) {
        char body[1000];
        snprintf(body, sizeof body,
                 ".const .b8 cst[4]; .global .u32 counter; .func declared(); .func cnpLaunchDevice(); "
                 ".func (.param .u32 r) takes(.param .u32 a) { ret; } .func fills(.param .align 4 .b8 a[4]) { ret; } "
                 ".func (.param .u16 r) narrow(.param .u16 a) { ret; } .entry k(.param .u32 given) { "
                 ".reg .pred %%p<4>; .reg .b32 "
                 "%%r<4>; .reg .b64 %%d<4>; "
                 ".reg .f32 %%f<4>;\n%s\nret; }",
                 in_kernel[i].text);
        expect_error(body, 3, in_kernel[i].column, in_kernel[i].message, in_kernel[i].text);
    }
}

/* Also where the runtime of the device is linked in, and the call is in a function of its header. */
Test(errors, name_the_line_that_launches_a_kernel)
{
    struct rp_error err = {0};
    load_and_find(".func cnpLaunchDevice() { ret; }\n.entry k() {\n.loc 1 4 30\n"
                  ".loc 2 727 5, function_name $n, inlined_at 1 4 30\ncall cnpLaunchDevice;\nret; }\n"
                  ".file 1 \"app.cu\"\n.file 2 \"header.h\"\n.section .debug_str {\n$n: .b8 97, 0\n}\n",
                  &err);
    cr_expect(strstr(err.text,
                     ": app.cu:4 calls 'cnpLaunchDevice'; the first version of dynamic parallelism is not supported; "
                     "compile without CUDA_FORCE_CDP1_IF_SUPPORTED\n"),
              "%s", err.text);
}

Test(errors, at_module_level)
{
    expect_error(".globl .u32 x;", 2, 1, "no directive '.globl' here; did you mean '.global'?", ".globl .u32 x;");
    expect_error(".global .u32 x[2] = {1, 2, 3};", 2, 28, "more values than 'x' has elements", ".global");
    expect_error(".global .u32 x = 1.5;", 2, 18, "a floating-point value where .u32 belongs", ".global");
    expect_error(".global .u32 x = nothing;", 2, 18, "'nothing' is not declared", ".global");
    expect_error(".shared .u32 x = 1;", 2, 18, "only .global and .const variables have initial values", ".shared");
    expect_error(".global .align 3 .u32 x;", 2, 16, "an alignment is a power of two", ".global");
    expect_error(".global .u32 x[];", 2, 14, "'x' has no length", ".global");
    expect_error(".entry k() {\nret;", 3, 5, "the file ends inside function 'k'", "ret;");
    expect_error(".entry k() { ret; } /* open", 2, 21, "this comment has no end", ".entry");
    expect_error(".entry k() { ret; }\n.entry k() { ret; }", 3, 8, "'k' is defined twice", ".entry");
    expect_error(".func f(.param .b32 a); .func f(.param .b64 a) { ret; }", 2, 31,
                 "'f' was declared with other parameters", ".func");
    expect_error(".global .u64 x = x;", 2, 18,
                 "'x' has no address before the ';' of its declaration: declare it .extern first", ".global");
    expect_error(".global .u64 x, y = x;", 2, 21, "'x' has no address before the ';' of its declaration", ".global");
    expect_error("hello", 2, 1, "a directive like .entry or .global belongs here", "hello");
}

Test(errors, newer_version)
{
    struct rp_error err = {0};
    cr_expect_null(ptx_load_text("x.ptx", ".version 9.6\n", 13, 0, &err));
    cr_expect_eq(err.status, RP_BAD_INPUT);
    cr_expect_str_eq(err.text, "x.ptx:1:10: PTX up to version 9.5 is known here; if the module uses nothing newer, "
                               "write 9.5\n    .version 9.6\n             ^");
}

/* What came after the instruction table is refused by name; the rest of the module loads. */
Test(errors, newer_instructions)
{
    static const struct {
        const char *version, *line, *said;
    } cases[] = {
        {"9.5", "ret;", NULL},
        {"9.5", "bfloat.u32 %r1, %r1;", "unknown instruction 'bfloat' (the module is PTX 9.5, known is 9.0)"},
        {"9.2", "min.u8x4 %r1, %r1, %r1;", "'.u8x4' is no modifier of 'min' (the module is PTX 9.2, known is 9.0)"},
        {"9.0", "min.u8x4 %r1, %r1, %r1;", "'.u8x4' is no modifier of 'min'\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        struct rp_error err = {0};
        int n = snprintf(text, sizeof text,
                         ".version %s\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .b32 "
                         "%%r<2>;\n%s\nret; }\n",
                         cases[i].version, cases[i].line);
        struct module *m = ptx_load_text("x.ptx", text, (size_t)n, 0, &err);
        cr_expect_eq(!m, cases[i].said != NULL, "%s: %s", cases[i].line, err.text);
        cr_expect(!cases[i].said || strstr(err.text, cases[i].said), "%s", err.text);
        module_free(m);
    }
}

/* It matters when a kernel is to run, unless another is given. */
Test(errors, unknown_target)
{
    static const char text[] = ".version 7.0\n.target sm_62, sm_999\n.entry k() { ret; }\n";
    struct rp_error err = {0};
    struct module *m = ptx_load_text("x.ptx", text, sizeof text - 1, 0, &err);
    cr_assert_not_null(m, "%s", err.text);
    cr_expect_null(module_find(m, "k", &err));
    cr_expect_eq(err.status, RP_BAD_INPUT);
    cr_expect(strncmp(err.text, "x.ptx:2:16: no target 'sm_999'; --target gives another", 54) == 0, "%s", err.text);
    cr_expect_not_null(strstr(err.text, " sm_121, sm_121f, sm_121a\n    .target sm_62, sm_999\n"), "%s", err.text);
    cr_expect(!module_set_target(m, "sm_998", &err));
    cr_expect_eq(err.status, RP_USAGE);
    cr_expect_null(module_find(m, "k", &err));
    cr_assert(module_set_target(m, "sm_75", &err));
    struct program *p = module_find(m, "k", &err);
    cr_assert_not_null(p, "%s", err.text);
    cr_expect_str_eq(p->target->name, "sm_75");
    module_free(m);
}

/* Of several directives the highest counts; machine code keeps its own. */
Test(errors, targets)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.target texmode_unified, sm_90a\n.target sm_62\n";
    struct rp_error err = {0};
    struct module *m = ptx_load_text("x.ptx", text, sizeof text - 1, 0, &err);
    cr_assert_not_null(m, "%s", err.text);
    cr_expect_str_eq(m->target->name, "sm_90a");
    cr_expect(m->target->independent_threads);
    cr_expect(module_set_target(m, "sm_62", &err));
    cr_expect_eq(m->target->sm, 62);
    cr_expect(!m->target->independent_threads);
    cr_expect(!module_set_target(m, "sm_63", &err));
    cr_expect_eq(err.status, RP_USAGE);
    cr_expect(strncmp(err.text, "no target 'sm_63'; known are sm_10, ", 36) == 0, "%s", err.text);
    module_free(m);
}

/* What the text's .target does not have is refused, wherever --target runs it; forms that no target has, always. */
Test(errors, forms_and_targets)
{
    static const struct {
        const char *target, *line, *said;
    } cases[] = {
        {"sm_75", "redux.sync.add.u32 %r1, %r1, %r1;",
         "'redux.sync.add.u32' needs .target sm_80 or higher, this is sm_75"},
        {"sm_80", "redux.sync.add.u32 %r1, %r1, %r1;", NULL},
        {"sm_52", "add.f16 %h1, %h1, %h1;", "'add.f16' needs .target sm_53 or higher, this is sm_52"},
        {"sm_53", "@%p1 add.f16 %h1, %h1, %h1;", NULL},
        {"sm_50", "@%p1 add.bf16 %h1, %h1, %h1;", "'add.bf16' needs .target sm_90 or higher, this is sm_50"},
        {"sm_90a", "add.bf16 %h1, %h1, %h1;", NULL},
        {"sm_80", "cvt.rn.bf16.f32 %h1, %f1;", NULL},
        {"sm_80", "cvt.rn.bf16.s32 %h1, %r1;", "'cvt.rn.bf16.s32' needs .target sm_90 or higher, this is sm_80"},
        {"sm_90", "min.f32 %f1, %f1, %f1;", NULL},
        {"sm_90a", "min.f32 %f1, %f1, %f1, %f1;", "'min.f32' needs .target sm_100 or higher, this is sm_90a"},
        {"sm_100", "min.f32 %f1, %f1, %f1, %f1;", NULL},
        {"sm_75", "cp.async.wait_all;", "'cp.async.wait_all' needs .target sm_80 or higher, this is sm_75"},
        {"sm_80", "cp.async.wait_all;", NULL},
        {"sm_52", "atom.global.add.f64 %g1, [%d1], %g1;", "'atom.global.add.f64' needs .target sm_60 or higher"},
        {"sm_60", "atom.global.add.f64 %g1, [%d1], %g1;", NULL},
        {"sm_70", "barrier.cluster.wait;", "'barrier.cluster.wait' needs .target sm_90 or higher"},
        {"sm_60", "@%p1 ld.relaxed.gpu.u32 %r1, [%d1];", "'ld.relaxed.gpu.u32' needs .target sm_70 or higher"},
        {"sm_90", "setmaxnreg.inc.sync.aligned.u32 64;", "needs .target sm_90a, this is sm_90"},
        {"sm_90a", "setmaxnreg.inc.sync.aligned.u32 64;", NULL},
        {"sm_90", "add.sat.bf16 %h1, %h1, %h1;", "'add' does not take .bf16 here, but .s32"},
        {"sm_90", "fma.rn.ftz.bf16 %h1, %h1, %h1, %h1;", "'fma' does not take .bf16 here, but .f32"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        struct rp_error err = {0};
        int n =
            snprintf(text, sizeof text,
                     ".version 8.8\n.target %s\n.address_size 64\n.entry k() {\n.reg .b32 %%r<2>; .reg .b16 "
                     "%%h<2>; .reg .f32 %%f<2>; .reg .b64 %%d<2>; .reg .f64 %%g<2>; .reg .pred %%p<2>;\n%s\nret; }\n",
                     cases[i].target, cases[i].line);
        struct module *m = ptx_load_text("x.ptx", text, (size_t)n, 0, &err);
        bool runs = m && module_set_target(m, "sm_100", &err) && module_find(m, "k", &err);
        cr_expect_eq(runs, !cases[i].said, "%s: %s", cases[i].line, err.text);
        cr_expect(runs || !cases[i].said || strstr(err.text, cases[i].said), "%s", err.text);
        module_free(m);
    }
}

Test(errors, no_version)
{
    struct rp_error err = {0};
    cr_expect_null(ptx_load_text("x.ptx", "int main() {}", 13, 0, &err));
    cr_expect_str_eq(err.text, "x.ptx:1:1: PTX begins with .version\n    int main() {}\n    ^");
    cr_expect_null(ptx_load_text("x.ptx", "", 0, 0, &err));
    cr_expect_null(ptx_load("tests/golden/there-is-no-such.ptx", &err));
    cr_expect_str_eq(err.text, "tests/golden/there-is-no-such.ptx: No such file or directory");
}

Test(errors, kernels_are_listed)
{
    struct rp_error err = {0};
    struct module *m = load_body(".entry a() { ret; } .entry b() { ret; }");
    cr_expect_null(module_find(m, "c", &err));
    cr_expect_str_eq(err.text, "test.ptx has no kernel 'c'; it has: a, b");
    cr_expect_null(module_find(m, NULL, &err));
    cr_expect_str_eq(err.text, "test.ptx has several kernels; name one of: a, b");
    cr_expect_not_null(module_find(m, "b", &err));
    module_free(m);
    m = load_body(".func f() { ret; }");
    cr_expect_null(module_find(m, NULL, &err));
    cr_expect_str_eq(err.text, "test.ptx has no kernel");
    module_free(m);
}

/* Long lines are cut around the place; the caret still stands under it. */
Test(errors, long_lines)
{
    char body[1200];
    memset(body, ' ', sizeof body);
    strcpy(body + 900, ".globl");
    struct rp_error err = {0};
    load_and_find(body, &err);
    cr_expect(strstr(err.text, ":2:901: no directive '.globl'"), "%s", err.text);
    const char *word = strstr(err.text, "\n    ") + 1, *caret = strchr(word, '\n') + 1;
    cr_expect_eq(word[strlen(caret) - 1], '.', "%s", err.text);
}

/* What a kernel asks of its clusters reaches its program. */
Test(errors, clusters)
{
    struct rp_error err = {0};
    struct module *m = load_body(".entry one() .explicitcluster .maxclusterrank 4 { ret; }\n"
                                 ".entry two() .reqnctapercluster 2, 3 { ret; }");
    const struct program *one = module_find(m, "one", &err), *two = module_find(m, "two", &err);
    cr_assert(one && two, "%s", err.text);
    cr_expect(one->max_cluster == 4 && !one->required_cluster[0]);
    cr_expect(!two->max_cluster && two->required_cluster[0] == 2 && two->required_cluster[1] == 3 &&
              two->required_cluster[2] == 1);
    module_free(m);
}
