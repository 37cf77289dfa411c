/* The coverage inventory: every spelling parses, lowers and binds. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx/support.h"

enum { INVENTORY = 219, WITH_VARIANTS = 287, WIDTH = 64 };
static char spellings[WITH_VARIANTS + 1][WIDTH];

static unsigned read_list(void)
{
    FILE *f = fopen("tests/golden/ptx-spellings.txt", "r");
    unsigned n = 0;
    cr_assert(f, "run from the repository's root");
    while (n <= WITH_VARIANTS && fscanf(f, "%63s", spellings[n]) == 1)
        n++;
    fclose(f);
    return n;
}

/* Whether one of the kernel's instructions is spelled so: the name, then a blank or the end. */
static bool has_spelling(const struct program *p, const char *spelling)
{
    size_t n = strlen(spelling);
    for (uint32_t i = 0; i < p->kernel.instruction_count; i++) {
        const char *text = p->kernel.instructions[i].text;
        if (strncmp(text, spelling, n) == 0 && (text[n] == ' ' || text[n] == 0))
            return true;
    }
    return false;
}

Test(spellings, all_lower_and_bind)
{
    struct rp_error err = {0};
    struct module *m = ptx_load("tests/golden/ptx-spellings.ptx", &err);
    cr_assert(m, "%s", err.text);
    cr_assert_eq(read_list(), WITH_VARIANTS);
    cr_assert_eq(m->program_count, WITH_VARIANTS);
    for (unsigned i = 0; i < WITH_VARIANTS; i++) {
        struct program *p = module_find(m, m->programs[i].name, &err);
        cr_expect(p, "%s: %s", spellings[i], err.text);
        cr_expect(p && has_spelling(p, spellings[i]), "%s is not in its kernel", spellings[i]);
    }
    module_free(m);
}

static void expect_all_kernels(const char *path, unsigned kernels)
{
    struct rp_error err = {0};
    struct module *m = ptx_load(path, &err);
    cr_assert(m, "%s", err.text);
    cr_expect_eq(m->program_count, kernels);
    for (uint32_t i = 0; i < m->program_count; i++)
        cr_expect(module_find(m, m->programs[i].name, &err), "%s", err.text);
    module_free(m);
}

Test(spellings, the_rest_of_the_covered_isa) { expect_all_kernels("tests/golden/ptx-isa.ptx", 10); }
Test(spellings, matrix_instructions) { expect_all_kernels("tests/golden/ptx-matrices.ptx", 1); }
Test(spellings, what_clang_writes_optimised) { expect_all_kernels("tests/golden/ptx-clang-O2.ptx", 1); }
Test(spellings, what_clang_writes_unoptimised) { expect_all_kernels("tests/golden/ptx-clang-O0.ptx", 1); }

/* Instructions of which only the name is known are taken by the parser and refused by name when their kernel is asked
 * for; other kernels of the module are not affected. */
Test(spellings, uncovered_instructions)
{
    static const char *const lines[] = {
        "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2, %r3}], "
        "[%r4];",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.cp_mask [%r1], [%r2], %r3, [%r4], %r5;",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1,%r2}, [%r5];",
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];",
        "tex.2dms.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r1,%r2,%r3,%r4}];",
        "add.rn.f32x2 %d1, %d2, %d3;",
        "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d1], 1;",
        "multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%d1];",
    };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        char body[1000], opcode[100];
        snprintf(
            body, sizeof body,
            ".entry good() { ret; }\n.entry bad() {\n.reg .pred %%p<3>; .reg .b32 %%r<8>; .reg .b64 %%d<4>; .reg .f32 "
            "%%f<5>;\n%s\nret; }",
            lines[i]);
        snprintf(opcode, sizeof opcode, "%.*s'", (int)strcspn(lines[i], " ;"), lines[i]);
        struct rp_error err = {0};
        struct module *m = load_body(body);
        cr_expect(!module_find(m, "bad", &err), "%s", lines[i]);
        cr_expect(strstr(err.text, opcode) && strstr(err.text, "not covered"), "%s", err.text);
        cr_expect(strncmp(err.text, "test.ptx:5:", 11) == 0, "%s", err.text);
        cr_expect(module_find(m, "good", &err), "%s", err.text);
        module_free(m);
    }
}
