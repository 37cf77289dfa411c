/* reprise disasm: the machine code of a cubin as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass5x/disasm.h"
#include "frontend/loader/cubin.h"
#include "frontend/loader/fatbin.h"
#include "tools/command.h"
#include "tools/file.h"
#include "tools/input.h"

struct disasm {
    const char *file, *kernel, *binary;
};

enum { KEY_BINARY = 256 };

static const struct option_row rows[] = {
    {"kernel", 'k', "NAME", "Only this kernel"},
    {"binary", KEY_BINARY, "ARCH", "The file is bare machine code of ARCH, such as sm_62: no ELF around it"},
    {0},
};

static void disasm_option(struct command_line *line, int key, char *arg)
{
    struct disasm *a = line->input;
    switch (key) {
    case 'k': a->kernel = arg; break;
    case KEY_BINARY: a->binary = arg; break;
    case KEY_ARGUMENT:
        if (a->file)
            command_usage(line, "one file at a time: '%s' is one too many", arg);
        a->file = arg;
        break;
    case KEY_END:
        if (!a->file)
            command_usage(line, "which cubin? Example: reprise disasm mm.cubin --kernel matmul");
    }
}

/* ---- one function -------------------------------------------------------------------------------------------------
 */

static uint64_t word_at(const uint8_t *code, uint32_t at)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | code[at + (uint32_t)i];
    return v;
}

/* "@!P0 SYNC" as "          @!P0 SYNC ;": guards end in one column. */
static int line(char *out, size_t size, uint32_t address, const char *text)
{
    const char *rest = text;
    int guard = 0;
    if (*text == '@') {
        guard = (int)strcspn(text, " ");
        rest = text + guard + 1;
    }
    return snprintf(out, size, "        /*%04" PRIx32 "*/ %17.*s %s ;", address, guard, text, rest);
}

struct code {
    const uint8_t *bytes;
    uint32_t size;
    enum sass_arch arch;
};

/* Calls use(data, address, text, word) for every word; control words have no text. */
static bool each_word(const struct code *c, void (*use)(void *, uint32_t, const char *, uint64_t), void *data,
                      struct rp_error *err)
{
    uint64_t control = 0;
    for (uint32_t at = 0; at + SASS_WORD_BYTES <= c->size; at += SASS_WORD_BYTES) {
        char text[SASS_TEXT_SIZE], out[SASS_TEXT_SIZE + 64];
        uint64_t word = word_at(c->bytes, at);
        unsigned slot = at / SASS_WORD_BYTES % 4;
        if (!slot) {
            control = word;
            use(data, at, NULL, word);
            continue;
        }
        if (!sass_print(word, sass_control(control, slot - 1), at, c->arch, text, err))
            return false;
        line(out, sizeof out, at, text);
        use(data, at, out, word);
    }
    return true;
}

static void measure(void *widest, uint32_t address, const char *text, uint64_t word)
{
    (void)address;
    (void)word;
    int *w = widest;
    if (text && (int)strlen(text) > *w)
        *w = (int)strlen(text);
}

static void print(void *width, uint32_t address, const char *text, uint64_t word)
{
    (void)address;
    printf("%-*s  /* 0x%016" PRIx64 " */\n", *(int *)width, text ? text : "", word);
}

static bool print_code(const struct code *c, struct rp_error *err)
{
    int width = 0;
    if (!each_word(c, measure, &width, err))
        return false;
    return each_word(c, print, &width, err);
}

/* ---- files --------------------------------------------------------------------------------------------------------
 */

static void print_flags(const struct cubin *c)
{
    printf("\t.headerflags\t@\"%s%sEF_CUDA_SM%u EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%u)\"\n",
           c->flags & 0x100 ? "EF_CUDA_TEXMODE_UNIFIED " : "", c->flags & 0x400 ? "EF_CUDA_64BIT_ADDRESS " : "", c->sm,
           c->virtual_sm);
}

static bool print_kernel(const struct cubin *c, const struct cubin_kernel *k, struct rp_error *err)
{
    struct code code = {k->code.at, k->code.size, sass_arch(c->sm)};
    if (!code.arch)
        return rp_fail(err, RP_BAD_INPUT, "%s: there is no sm_%u", c->file_name, c->sm);
    printf("\t\tFunction : %s\n", k->name);
    print_flags(c);
    if (!print_code(&code, err)) {
        struct rp_error inner = *err;
        return rp_fail(err, inner.status, "%s: kernel %s: %s", c->file_name, k->name, inner.text);
    }
    printf("\t\t..........\n\n\n");
    return true;
}

static bool print_cubin(const struct disasm *a, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    struct cubin *c = cubin_load(a->file, bytes, size, err);
    if (!c)
        return false;
    struct cubin_kernel *one = a->kernel ? cubin_kernel(c, a->kernel, err) : NULL;
    bool ok = !a->kernel || one;
    if (ok)
        printf("\n\tcode for sm_%u\n", c->sm);
    for (uint32_t k = 0; ok && k < c->kernel_count; k++)
        if (!one || one == &c->kernels[k])
            ok = print_kernel(c, &c->kernels[k], err);
    cubin_free(c);
    return ok;
}

static bool print_fatbin(const struct disasm *a, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    struct fatbin *fat = fatbin_load(a->file, bytes, size, err);
    if (!fat)
        return false;
    bool ok = true, any = false;
    for (uint32_t i = 0; ok && i < fat->count; i++)
        if (fat->entries[i].kind == FATBIN_CUBIN && sass_arch(fat->entries[i].arch)) {
            any = true;
            ok = print_cubin(a, fat->entries[i].bytes, fat->entries[i].size, err);
        }
    if (ok && !any)
        ok = rp_fail(err, RP_BAD_INPUT, "%s: the fat binary holds no machine code for sm_50 to sm_62", a->file);
    fatbin_free(fat);
    return ok;
}

static bool print_binary(const struct disasm *a, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    enum sass_arch arch = sass_arch_named(a->binary);
    if (!arch)
        return rp_fail(err, RP_USAGE, "--binary %s: one of sm_50, sm_52, sm_53, sm_60, sm_61, sm_62", a->binary);
    if (size % SASS_BUNDLE_BYTES || size > UINT32_MAX)
        return rp_fail(err, RP_BAD_INPUT, "%s: %zu bytes are no whole number of 32-byte bundles", a->file, size);
    struct code code = {bytes, (uint32_t)size, arch};
    printf("\n\tcode for %s\n", a->binary);
    if (print_code(&code, err))
        return true;
    struct rp_error inner = *err;
    return rp_fail(err, inner.status, "%s: %s", a->file, inner.text);
}

static int disasm_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct disasm a = {0};
    command_parse(&line, c, argc, argv, &a);
    struct rp_error err;
    size_t size;
    bool looked_at = a.binary || !strcmp(a.file, "-") || input_check(a.file, INPUT_CODE, &err);
    uint8_t *bytes = looked_at ? file_read(a.file, &size, &err) : NULL;
    if (!bytes)
        return command_fail(&err);
    bool ok =
        !size ? rp_fail(&err, RP_BAD_INPUT, "%s: empty; machine code is a cubin, a fat binary or bare words", a.file)
        : a.binary               ? print_binary(&a, bytes, size, &err)
        : fatbin_is(bytes, size) ? print_fatbin(&a, bytes, size, &err)
                                 : print_cubin(&a, bytes, size, &err);
    free(bytes);
    return ok ? RP_OK : command_fail(&err);
}

static const struct command_example examples[] = {
    {"All kernels of a cubin", "reprise disasm module.cubin"},
    {"One kernel, and back again",
     "reprise disasm module.cubin --kernel axpy > axpy.sass\nreprise asm axpy.sass --check"},
    {NULL, NULL},
};
const struct command command_disasm = {
    .name = "disasm",
    .summary = "print the machine code of a cubin as text",
    .usage = "FILE",
    .about = "Prints the machine code of a cubin or fat binary for sm_50 to sm_62 in the layout of cuobjdump -sass: an "
             "instruction a line with its address and its word, the control word of three instructions above them.\n"
             "'reprise asm' turns the text back into machine code.",
    .options = rows,
    .examples = examples,
    .option = disasm_option,
    .run = disasm_run,
};
