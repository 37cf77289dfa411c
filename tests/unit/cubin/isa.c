/* The table of instruction sets: what belongs to which row. */
#include "frontend/loader/isa.h"
#include "frontend/core/program.h"
#include "tests/unit/cubin/golden.h"

Test(isa, modules)
{
    size_t size, later_size;
    uint8_t *bytes = golden("module.cubin", &size), *later = golden("sm_75-13.0.cubin", &later_size);
    cr_expect_eq(cubin_sm(bytes, size), 62);
    cr_expect_eq(isa_of_module(bytes, size), &isa_sass5x);
    cr_expect_eq(cubin_sm(later, later_size), 75); /* where CUDA 13 writes it */
    cr_expect_eq(isa_of_module(later, later_size), &isa_sass7x);
    for (size_t n = 0; n < 52; n++) /* not even a header */
        cr_expect_null(isa_of_module(bytes, n), "%zu bytes", n);
    bytes[18] = 62; /* e_machine: x86-64 */
    cr_expect_eq(cubin_sm(bytes, size), 0);
    cr_expect_null(isa_of_module(bytes, size));
    cr_expect_eq(isa_of_module(".version 7.0", 12), &isa_ptx);
    cr_expect_eq(isa_of_module(".version 7.0", 13), &isa_ptx, "a NUL may end the text");
    cr_expect_null(isa_of_module("a\0b", 3));
    cr_expect_null(isa_of_module("", 0));
    free(bytes);
    free(later);
}

/* Code that no ISA knows is refused by its architecture, before anything else in it is looked at. */
Test(isa, unknown_code)
{
    struct rp_error err;
    size_t size;
    uint8_t *bytes = golden("module.cubin", &size);
    bytes[48] = 35; /* e_flags: sm_35 */
    cr_expect_null(module_load_bytes("x", bytes, size, 0, &err));
    cr_expect_str_eq(err.text, "x: machine code for sm_35; sm_50 to sm_62, sm_70 to sm_90 are understood");
    cr_expect_null(isa_of_code("x", 35, &err));
    cr_expect_eq(isa_of_code("x", 75, &err), &isa_sass7x);
    cr_expect_eq(isa_of_code("x", 62, &err), &isa_sass5x);
    free(bytes);
}

Test(isa, architectures)
{
    static const unsigned known[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
    char text[200], few[8];
    size_t next = 0;
    for (unsigned sm = 0; sm < 200; sm++) {
        bool is_known = next < sizeof known / sizeof *known && known[next] == sm;
        next += is_known;
        cr_expect_eq(isa_of_sm(sm), !is_known ? NULL : sm < 70 ? &isa_sass5x : &isa_sass7x, "sm_%u", sm);
    }
    isa_ranges(text, sizeof text);
    cr_expect_str_eq(text, "sm_50 to sm_62, sm_70 to sm_90");
    isa_architectures(text, sizeof text);
    cr_expect_str_eq(
        text, "sm_50, sm_52, sm_53, sm_60, sm_61, sm_62, sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90");
    isa_architectures(few, sizeof few);
    cr_expect_str_eq(few, "sm_50, ");
    cr_expect_lt(isa_rank(&isa_sass5x), isa_rank(&isa_ptx), "machine code comes before PTX");
    cr_expect_lt(isa_rank(&isa_ptx), isa_rank(&isa_sass7x), "PTX comes before machine code of Volta to Hopper");
}

struct words {
    uint32_t next, control, instructions;
    uint64_t word[4];
    char first[64];
};
static void take(void *data, uint32_t address, const char *text, struct isa_word word)
{
    struct words *w = data;
    cr_expect_eq(address, w->next);
    cr_expect_eq(word.lo, w->word[address / 8 % 4]);
    w->next += 8;
    w->control += !text;
    if (text && !w->instructions++)
        snprintf(w->first, sizeof w->first, "%s", text);
}

/* A bundle: control, and three times MOV R1, c[0x0][0x20]. */
Test(isa, disassembly)
{
    struct words w = {.word = {0x001fbc03fde007f6, 0x4c98078000870001, 0x4c98078000870001, 0x4c98078000870001}};
    uint8_t bytes[2 * sizeof w.word];
    struct rp_error err;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(w.word[i / 8 % 4] >> 8 * (i % 8));
    const struct machine_code code = {bytes, sizeof bytes, 61};
    cr_assert_eq(isa_of_sm(61)->disassemble(isa_of_sm(61), &code, take, &w, &err), 0, "%s", err.text);
    cr_expect(w.next == sizeof bytes && w.control == 2 && w.instructions == 6);
    cr_expect_str_eq(w.first, "MOV R1, c[0x0][0x20]");
    cr_expect_eq(sizeof bytes % isa_of_sm(61)->granule, 0);
    cr_expect_null(isa_ptx.disassemble);
}

/* Words that mean nothing do not end it: they are counted, and the first is named. */
Test(isa, words_that_mean_nothing)
{
    struct words w = {.word = {0x001fbc03fde007f6, 0xfeed000000000000, 0x4c98078000870001, 0x5bc9038000270304}};
    uint8_t bytes[sizeof w.word];
    struct rp_error err;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(w.word[i / 8] >> 8 * (i % 8));
    const struct machine_code code = {bytes, sizeof bytes, 61};
    cr_expect_eq(isa_of_sm(61)->disassemble(isa_of_sm(61), &code, take, &w, &err), 2);
    cr_expect(w.next == sizeof bytes && w.control == 1 && w.instructions == 3);
    cr_expect_str_eq(w.first, ".word 0xfeed000000000000");
    cr_expect_str_eq(err.text, "unknown instruction 0xfeed000000000000 at address 0x8");
}
