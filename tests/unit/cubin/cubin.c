/* What is expected here was read off module.ptx and off NVIDIA's nvdisasm and readelf, not off our loader. */
#include <string.h>

#include "tests/support/sass5x.h"
#include "tests/unit/cubin/golden.h"

static uint64_t word(const struct cubin_kernel *k, uint32_t at)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | k->code.at[at + (uint32_t)i];
    return v;
}

static void check_module(const char *name, unsigned toolkit)
{
    struct cubin *c = load_golden(name);
    struct rp_error err;
    cr_expect_eq(c->sm, 62);
    cr_expect_eq(c->virtual_sm, 62);
    cr_expect_eq(c->toolkit, toolkit);
    cr_expect(c->is_64 && !c->relocatable);
    cr_expect_eq(c->kernel_count, 2);
    struct cubin_kernel *k = cubin_kernel(c, "first", &err);
    cr_assert(k && k->entry);
    cr_expect_eq(k->code.size, 0x180);
    cr_expect_eq(k->barriers, 1);
    cr_expect_eq(k->static_shared, 128);
    cr_expect_eq(k->parameter_base, 0x140);
    cr_expect_eq(k->parameter_bytes, 24);
    cr_expect_eq(k->parameter_count, 3);
    static const struct cubin_parameter expected[3] = {{0, 0, 8}, {1, 8, 4}, {2, 12, 12}};
    cr_expect_arr_eq(k->parameters, expected, sizeof expected);
    cr_expect_eq(k->max_threads[0], 128);
    cr_expect_eq(k->max_threads[1], 2);
    cr_expect_eq(k->required_threads[0], 0);
    cr_expect_eq(k->constant[0].size, 0x140 + 24 + 4);
    cr_expect_eq(k->crs_bytes, 16);
    cr_expect_eq(k->function_count, 1);
    cr_expect_str_eq(k->functions[0].name, "$first$next");
    struct cubin_kernel *second = cubin_kernel(c, "second", &err);
    cr_assert(second);
    cr_expect_eq(second->required_threads[0], 64);
    cr_expect_eq(second->static_shared, 0);
    cr_expect_eq(second->parameter_bytes, 4);
    cr_expect_eq(c->global_size, 400);
    cr_expect_eq(c->global_init.size, 12);
    cr_expect_eq(c->global_init.at[8], 5);
    cr_expect_eq(c->constant[3].size, 16);
    cr_expect_eq(c->constant[3].at[8], 3);
    cubin_free(c);
}

Test(cubin, ptxas_11_8) { check_module("module-11.8.cubin", 0x76); }
Test(cubin, ptxas_12_3) { check_module("module.cubin", 0x7b); }
Test(cubin, ptxas_12_9) { check_module("module-12.9.cubin", 0x81); }

Test(cubin, registers_and_functions)
{
    struct cubin *c = load_golden("module.cubin");
    struct cubin_kernel *k = cubin_kernel(c, "first", NULL);
    cr_expect_eq(k->registers, 9);
    cr_expect_eq(k->functions[0].offset, 0x140);
    cr_expect_eq(k->functions[0].size, 64);
    cr_expect_eq(cubin_kernel(c, "second", NULL)->registers, 2);
    cubin_free(c);
}

static const struct cubin_variable *variable(const struct cubin *c, const char *name)
{
    for (uint32_t i = 0; i < c->variable_count; i++)
        if (!strcmp(c->variables[i].name, name))
            return &c->variables[i];
    cr_assert_fail("no variable %s", name);
    return NULL;
}

Test(cubin, variables)
{
    struct cubin *c = load_golden("module.cubin");
    const struct cubin_variable *v = variable(c, "initialised");
    cr_expect(v->space == CUBIN_GLOBAL_INIT && v->offset == 8 && v->size == 4);
    v = variable(c, "zeroed");
    cr_expect(v->space == CUBIN_GLOBAL && v->offset == 0 && v->size == 400);
    v = variable(c, "table");
    cr_expect(v->space == CUBIN_CONSTANT && v->bank == 3 && v->size == 16);
    cubin_free(c);
}

Test(cubin, lines)
{
    struct cubin *c = load_golden("module.cubin");
    struct cubin_kernel *k = cubin_kernel(c, "first", NULL);
    static const struct {
        uint32_t offset, line;
        const char *file;
    } expected[] = {{0x08, 10, "kernel.cu"}, {0x30, 10, "kernel.cu"}, {0x38, 11, "kernel.cu"},
                    {0x48, 10, "kernel.cu"}, {0x68, 12, "kernel.cu"}, {0x78, 11, "kernel.cu"},
                    {0x98, 12, "kernel.cu"}, {0x148, 7, "device.cuh"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct cubin_line *l = cubin_line(k, expected[i].offset);
        cr_assert(l, "0x%x", expected[i].offset);
        cr_expect_eq(l->line, expected[i].line, "0x%x: line %u", expected[i].offset, l->line);
        cr_expect_str_eq(c->files[l->file], expected[i].file, "0x%x", expected[i].offset);
    }
    cr_expect_null(cubin_line(cubin_kernel(c, "second", NULL), 8));
    cubin_free(c);
}

/* A function without lines has none of the one before it: in the kernel's section, and in one of its own. */
Test(cubin, lines_end_with_their_function)
{
    static const struct {
        const char *file;
        uint32_t told, silent; /* stores */
    } files[] = {{"silent.cubin", 0x2c0, 0x1f0}, {"silent-linked.cubin", 0x2b0, 0x470}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct cubin *c = load_golden(files[i].file);
        const struct cubin_kernel *k = cubin_kernel(c, "k", NULL);
        const struct cubin_line *l = cubin_line(k, files[i].told);
        cr_assert(l, "%s", files[i].file);
        cr_expect(l->line == 4, "%s: line %u", files[i].file, l->line);
        cr_expect_null(cubin_line(k, files[i].silent), "%s", files[i].file);
        cubin_free(c);
    }
}

/* "dot.cuh:7 k.cu:20 k.cu:41": a line and where its inlined calls stand. */
static void write_chain(const struct cubin *c, const struct cubin_line *l, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%s:%u", c->files[l->file], l->line);
    for (uint32_t i = l->inlined; i && n < size; i = c->inlined[i - 1].inlined) {
        cr_assert(i <= c->inlined_count && c->inlined[i - 1].inlined < i);
        n += (size_t)snprintf(text + n, size - n, " %s=%s:%u", c->inlined[i - 1].function,
                              c->files[c->inlined[i - 1].file], c->inlined[i - 1].line);
    }
}

/* As nvdisasm --print-line-info-inline lists them; the names of the functions are in inlined.ptx. */
Test(cubin, lines_of_inlined_functions)
{
    static const struct {
        const char *kernel;
        uint32_t offset;
        const char *chain;
    } expected[] = {
        {"k", 0x08, "k.cu:41"},     {"k", 0x18, "k.cu:20 norm=k.cu:41"},
        {"k", 0x10, "k.cu:41"},     {"k", 0x50, "k.cu:20 norm=k.cu:41"},
        {"k", 0x78, "k.cu:43"},     {"k", 0x58, "dot.cuh:7 dot=k.cu:20 norm=k.cu:41"},
        {"first", 0x08, "k.cu:30"}, {"k", 0x70, "dot.cuh:7 dot=k.cu:20 norm=k.cu:41"},
        {"first", 0x18, "k.cu:30"}, {"first", 0x10, "k.cu:20 norm=k.cu:30"},
        {"first", 0x58, "k.cu:31"}, {"first", 0x28, "k.cu:20 norm=k.cu:30"},
    };
    struct cubin *c = load_golden("inlined.cubin");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char text[200];
        const struct cubin_line *l = cubin_line(cubin_kernel(c, expected[i].kernel, NULL), expected[i].offset);
        cr_assert(l, "0x%x", expected[i].offset);
        write_chain(c, l, text, sizeof text);
        cr_expect_str_eq(text, expected[i].chain, "%s, 0x%x: %s", expected[i].kernel, expected[i].offset, text);
    }
    cubin_free(c);
}

/* As addr2line lists them; tests/cli/lines.sh compares all lines, and makes the files. */
Test(cubin, lines_of_dwarf_5)
{
    static const char *const files[] = {"dwarf-5-clang.cubin", "dwarf-5-gcc.cubin"};
    static const char innermost[] = "dot.h:5 dot=k.c:5 norm=k.c:11";
    for (unsigned f = 0; f < 2; f++) {
        struct cubin *c = load_golden(files[f]);
        struct cubin_kernel *k = cubin_kernel(c, "which", NULL);
        unsigned found = 0;
        for (uint32_t i = 0; i < k->line_count; i++) {
            char text[200];
            write_chain(c, &k->lines[i], text, sizeof text);
            found += !strcmp(text, innermost);
        }
        cr_expect(found, "%s: no %s", files[f], innermost);
        cubin_free(c);
    }
}

static bool external(void *data, const char *symbol, uint64_t *value)
{
    (void)data;
    *value = !strcmp(symbol, "vprintf") ? 0xfff0 : 0x12;
    return true;
}

/* MOV32I pairs of 12.3: R4,R5 = zeroed at 0x50, 0x68; R6,R7 = initialised at 0x88, 0x98. JCAL vprintf in `second`. */
Test(cubin, addresses_in_code)
{
    struct cubin *c = load_golden("module.cubin");
    struct rp_error err = {0};
    struct cubin_addresses a = {0x200000000, 0x312345678, 0x3000000, external, NULL, false};
    cr_assert(cubin_link(c, &a, &err), "%s", err.text);
    static const struct {
        uint32_t at;
        const char *text;
    } expected[] = {
        {0x50, "MOV32I R4, 0x12345678"}, {0x68, "MOV32I R5, 0x3"}, {0x88, "MOV32I R6, 0x8"}, {0x98, "MOV32I R7, 0x2"}};
    struct cubin_kernel *k = cubin_kernel(c, "first", NULL);
    char text[SASS_TEXT_SIZE];
    for (size_t i = 0; i < 4; i++) {
        cr_assert(sass5x_print(word(k, expected[i].at), 0, expected[i].at, SASS_62, text, &err), "%s", err.text);
        cr_expect_str_eq(text, expected[i].text);
    }
    k = cubin_kernel(c, "second", NULL);
    cr_assert(sass5x_print(word(k, 0x10), 0, 0x10, SASS_62, text, &err), "%s", err.text);
    cr_expect_str_eq(text, "JCAL 0xfff0");
    static const uint8_t pointer[8] = {0x78, 0x56, 0x34, 0x12, 3};
    cr_expect_arr_eq(c->global_init.at, pointer, 8);
    cr_expect_eq(cubin_kernel(c, "first", NULL)->constant[0].at[0x158], 0x12, "the texture's index");
    cubin_free(c);
}

/* 12.9 keeps addresses in constant bank 4: vprintf, initialised, zeroed, pointer. */
Test(cubin, addresses_in_bank_4)
{
    struct cubin *c = load_golden("module-12.9.cubin");
    struct rp_error err = {0};
    struct cubin_addresses a = {0x200000000, 0x300000000, 0x3000000, external, NULL, false};
    cr_assert(cubin_link(c, &a, &err), "%s", err.text);
    unsigned found = 0;
    for (uint32_t at = 0; at + 8 <= c->constant[4].size; at += 8) {
        uint64_t v;
        memcpy(&v, c->constant[4].at + at, 8);
        found |= v == 0xfff0 ? 1 : v == 0x200000008 ? 2 : v == 0x300000000 ? 4 : v == 0x200000000 ? 8 : 16;
    }
    cr_expect_eq(found, 15);
    cubin_free(c);
}

Test(cubin, what_cannot_be_linked)
{
    struct cubin *c = load_golden("module.cubin");
    struct rp_error err = {0};
    struct cubin_addresses a = {0};
    cr_expect_not(cubin_link(c, &a, &err));
    cr_expect(strstr(err.text, "vprintf") || strstr(err.text, "image"), "%s", err.text);
    cubin_free(c);
    c = load_golden("object.cubin");
    cr_expect(c->relocatable);
    a.external = external;
    cr_expect_not(cubin_link(c, &a, &err));
    cr_expect(strstr(err.text, "link the object first"), "%s", err.text);
    cubin_free(c);
}

Test(cubin, objects_have_functions_of_their_own)
{
    struct cubin *c = load_golden("object.cubin");
    cr_expect_eq(c->kernel_count, 3);
    struct cubin_kernel *next = cubin_kernel(c, "next", NULL);
    cr_assert(next);
    cr_expect_not(next->entry);
    cubin_free(c);
}

Test(cubin, which_kernel)
{
    struct cubin *c = load_golden("module.cubin");
    struct rp_error err;
    cr_expect_null(cubin_kernel(c, "third", &err));
    cr_expect_str_eq(err.text, "module.cubin: no kernel 'third'; there are: second, first");
    cr_expect_null(cubin_kernel(c, NULL, &err));
    cr_expect_str_eq(err.text, "module.cubin: several kernels, name one of: second, first");
    cubin_free(c);
}

Test(cubin, what_is_no_cubin)
{
    struct rp_error err;
    cr_expect_null(cubin_load("x", "hello", 5, &err));
    cr_expect_str_eq(err.text, "x: not an ELF file");
    size_t size;
    uint8_t *bytes = golden("module.cubin", &size);
    bytes[48] = 0; /* e_flags */
    cr_expect_null(cubin_load("x", bytes, size, &err));
    cr_expect_str_eq(err.text, "x: machine code that names no architecture");
    bytes[48] = 0x3e;
    bytes[18] = 62; /* e_machine: x86-64 */
    cr_expect_null(cubin_load("x", bytes, size, &err));
    cr_expect_str_eq(err.text, "x: an ELF file, but not for an NVIDIA GPU (machine 62)");
    free(bytes);
    /* of ptxas 13.0, where e_flags is 0x06004b04 and OSABI 0x41 tells */
    bytes = golden("sm_75-13.0.cubin", &size);
    bytes[49] = 0x3d; /* no toolkit of 13 makes code for sm_61; it would stand here */
    struct cubin *c = cubin_load("x", bytes, size, &err);
    cr_assert(c, "%s", err.text);
    cr_expect_eq(c->sm, 61);
    cr_expect_eq(c->virtual_sm, 75); /* of .note.nv.cuinfo */
    cubin_free(c);
    free(bytes);
}

/* pointers.ptx: only kernels that call through pointers, themselves or in a function, can reach what code has pointers
 * to.
 */
Test(cubin, pointers_that_code_makes)
{
    static const char *const files[] = {"pointers.sm_62.cubin", "pointers.sm_86.cubin"};
    for (unsigned f = 0; f < 2; f++) {
        struct cubin *c = load_golden(files[f]);
        cr_expect_eq(cubin_kernel(c, "alone", NULL)->part_count, 0, "%s", files[f]);
        cr_expect_eq(cubin_kernel(c, "store", NULL)->part_count, 2, "%s", files[f]);
        cr_expect_eq(cubin_kernel(c, "call", NULL)->part_count, 2, "%s", files[f]);
        cr_expect_eq(cubin_kernel(c, "through", NULL)->part_count, 3, "%s", files[f]);
        cubin_free(c);
    }
}

/* Functions get addresses that begin where the longest kernel, `choose`, ends. Each function is placed once. Only a
 * kernel that reaches a function is continued with the functions' code. Relocations of calls and pointers hold the
 * address. 2a is the relocation of a call: R_CUDA_ABS32_20. */
Test(cubin, functions_of_their_own_get_addresses)
{
    struct cubin *c = load_golden("functions.cubin");
    struct rp_error err = {0};
    struct cubin_addresses a = {0};
    struct cubin_kernel *chain = cubin_kernel(c, "chain", NULL), *choose = cubin_kernel(c, "choose", NULL);
    struct cubin_kernel *square = cubin_kernel(c, "square", NULL), *triple = cubin_kernel(c, "triple", NULL);
    cr_assert(chain && choose && square && triple);
    cr_expect(chain->entry && !square->entry && !triple->entry);
    cr_expect_eq(chain->base, 0);
    uint32_t longest = choose->code.size, first = square->base < triple->base ? square->base : triple->base;
    cr_expect_geq(longest, chain->code.size);
    cr_expect_eq(first, longest);
    cr_expect_eq(square->base + square->code.size == triple->base || triple->base + triple->code.size == square->base,
                 true);
    cr_assert(cubin_link(c, &a, &err), "%s", err.text);
    cr_expect_arr_eq(chain->image.at, chain->code.at, chain->code.size);
    cr_expect_arr_eq(chain->image.at + square->base, square->code.at, square->code.size);
    uint64_t pointers[2];
    memcpy(pointers, c->global_init.at, sizeof pointers);
    cr_expect_eq(pointers[0], triple->base);
    cr_expect_eq(pointers[1], square->base);
    unsigned calls = 0;
    for (uint32_t i = 0; i < c->relocation_count; i++)
        if (c->relocations[i].type == 0x2a && c->relocations[i].section == chain->section) {
            cr_expect_eq((uint32_t)(word(chain, c->relocations[i].offset) >> 20), square->base);
            calls++;
        }
    cr_expect_eq(calls, 1);
    cubin_free(c);
}
