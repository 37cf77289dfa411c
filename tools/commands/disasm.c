/* reprise disasm: the machine code of a cubin or a guest as text. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/target.h"
#include "frontend/loader/guests.h"
#include "frontend/loader/isa.h"
#include "frontend/module/cubin.h"
#include "frontend/module/fatbin.h"
#include "tools/asm/directives.h"
#include "tools/guests/listing.h"
#include "tools/lib/archive.h"
#include "tools/lib/command.h"
#include "tools/lib/file.h"
#include "tools/lib/input.h"
#include "tools/lib/names.h"

struct disasm {
    const char *file, *kernel, *binary;
    char **names; /* of the kernels of all images */
    size_t name_count;
    const char *chosen;    /* one of them; NULL: all */
    uint32_t unknown;      /* words that are no instruction, so far */
    struct rp_error first; /* describes the first of them */
    bool no_code;          /* the last fat binary had none that can be printed */
    bool is_member;        /* file is a member of a static library */
};

enum { KEY_BINARY = 256, LINE_BYTES = 512 };

static const struct option_row rows[] = {
    {"kernel", 'k', "NAME", "Only this kernel, by its name in the file or in the source; of a guest, this function"},
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

/* Right-aligns guards: "@!P0 SYNC" becomes "          @!P0 SYNC ;". */
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

struct listing {
    int width; /* of the widest line, without its instruction word */
    unsigned word_bytes;
};

static void measure(void *listing, uint32_t address, const char *text, struct isa_word word)
{
    char out[LINE_BYTES];
    (void)word;
    struct listing *l = listing;
    int width = text ? line(out, sizeof out, address, text) : 0;
    l->width = width > l->width ? width : l->width;
}

static void print(void *listing, uint32_t address, const char *text, struct isa_word word)
{
    const struct listing *l = listing;
    char out[LINE_BYTES] = "", hex[ISA_WORD_TEXT];
    if (text)
        line(out, sizeof out, address, text);
    printf("%-*s  /* %s */\n", l->width, out, isa_word_print(hex, word, l->word_bytes));
}

/* kernel: NULL for bare code. */
static bool print_code(struct disasm *a, const char *kernel, const struct machine_code *c, struct rp_error *err)
{
    const struct isa *isa = isa_of_code(a->file, c->sm, err);
    struct rp_error what;
    if (!isa)
        return false;
    struct listing listing = {0, isa->word_bytes};
    uint32_t unknown = isa->disassemble(isa, c, measure, &listing, &what);
    if (unknown && !a->unknown)
        rp_fail(&a->first, RP_BAD_INPUT, "%s%s%s: %s", a->file, kernel ? ": kernel " : "", kernel ? kernel : "",
                what.text);
    a->unknown += unknown;
    isa->disassemble(isa, c, print, &listing, &what);
    return true;
}

/* The result of a listing that was printed to its end. False: some words are no instruction. */
static bool all_known(const struct disasm *a, struct rp_error *err)
{
    if (a->unknown > 1)
        return rp_fail(err, RP_BAD_INPUT, "%s; %u words that are no instructions are printed as .word", a->first.text,
                       (unsigned)a->unknown);
    return !a->unknown || rp_fail(err, RP_BAD_INPUT, "%s; printed as .word", a->first.text);
}

/* ---- files --------------------------------------------------------------------------------------------------------
 */

/* Code of sm_90a. Files of CUDA 13 have the architecture in these bits, for which the one of 64-bit addresses is 0. */
static bool has_accelerators(const struct cubin *c) { return c->sm == 90 && (c->flags & 0xc00) == 0xc00; }

static void print_flags(const struct cubin *c)
{
    printf("\t.headerflags\t@\"%s%s%sEF_CUDA_SM%u EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%u)\"\n",
           c->flags & 0x100 ? "EF_CUDA_TEXMODE_UNIFIED " : "", c->flags & 0x400 ? "EF_CUDA_64BIT_ADDRESS " : "",
           has_accelerators(c) ? "EF_CUDA_ACCELERATORS " : "", c->sm, c->virtual_sm);
}

static bool print_kernel(struct disasm *a, const struct cubin *c, const struct cubin_kernel *k, struct rp_error *err)
{
    const struct machine_code code = {k->code.at, k->code.size, c->sm};
    printf("\t\tFunction : %s\n", k->name);
    print_flags(c);
    directives_print_function(stdout, c, k);
    if (!print_code(a, k->name, &code, err))
        return false;
    printf("\t\t..........\n\n\n");
    return true;
}

static void print_head(const struct disasm *a, const struct cubin *c)
{
    const char *member = a->is_member ? strrchr(a->file, '(') : NULL; /* LIBRARY(MEMBER) */
    if (member)
        printf("\n// member %.*s\n", (int)strcspn(member + 1, ")"), member + 1);
    printf("\n\tcode for sm_%u%s\n", c->sm, has_accelerators(c) ? "a" : "");
    directives_print_module(stdout, c);
}

/* All kernels, or the chosen one where the image has it. */
static bool print_image(struct disasm *a, const struct cubin *c, struct rp_error *err)
{
    bool ok = true, any = !a->chosen;
    for (uint32_t k = 0; !any && k < c->kernel_count; k++)
        any = !strcmp(c->kernels[k].name, a->chosen);
    if (any)
        print_head(a, c);
    for (uint32_t k = 0; any && ok && k < c->kernel_count; k++)
        if (!a->chosen || !strcmp(c->kernels[k].name, a->chosen))
            ok = print_kernel(a, c, &c->kernels[k], err);
    return ok;
}

static bool is_collected(const struct disasm *a, const char *name)
{
    for (size_t i = 0; i < a->name_count; i++)
        if (!strcmp(a->names[i], name))
            return true;
    return false;
}

/* Kernels, each name once, and the device function that is asked for by its name in the file. */
static bool collect_image(struct disasm *a, const struct cubin *c, struct rp_error *err)
{
    char **grown = realloc(a->names, (a->name_count + c->kernel_count + 1) * sizeof *grown);
    if (!grown)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    a->names = grown;
    for (uint32_t k = 0; k < c->kernel_count; k++) {
        const char *name = c->kernels[k].name;
        if ((!c->kernels[k].entry && strcmp(name, a->kernel) != 0) || is_collected(a, name))
            continue;
        if (!(a->names[a->name_count] = strdup(name)))
            return rp_fail(err, RP_SYSTEM, "out of memory");
        a->name_count++;
    }
    return true;
}

typedef bool image_function(struct disasm *, const struct cubin *, struct rp_error *);
static bool visit_images(struct disasm *, const uint8_t *, size_t, image_function *, struct rp_error *);

static bool visit_cubin(struct disasm *a, const uint8_t *bytes, size_t size, image_function *visit,
                        struct rp_error *err)
{
    unsigned sm = cubin_sm(bytes, size);
    struct cubin *c = !sm || isa_of_code(a->file, sm, err) ? cubin_load(a->file, bytes, size, err) : NULL;
    bool ok = c && visit(a, c, err);
    cubin_free(c);
    return ok;
}

static bool is_new(const struct fatbin *fat, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (fat->entries[k].kind == fat->entries[i].kind && fat->entries[k].arch == fat->entries[i].arch)
            return false;
    return true;
}

static bool no_machine_code(struct disasm *a, const struct fatbin *fat, struct rp_error *err)
{
    char known[128], has[256] = "nothing";
    size_t n = 0;
    isa_ranges(known, sizeof known);
    a->no_code = true;
    for (uint32_t i = 0; i < fat->count && n < sizeof has - 32; i++)
        if (is_new(fat, i))
            n += (size_t)snprintf(has + n, sizeof has - n, "%s%s_%" PRIu32, n ? ", " : "",
                                  fat->entries[i].kind == FATBIN_PTX ? "PTX for compute" : "sm", fat->entries[i].arch);
    if (fat->link_time && !fat->count)
        return rp_fail(err, RP_BAD_INPUT, "%s: the fat binary holds " FATBIN_LINK_TIME, fat->file_name);
    return rp_fail(err, RP_BAD_INPUT, "%s: the fat binary holds no machine code for %s; it holds %s", fat->file_name,
                   known, has);
}

static bool visit_fatbin(struct disasm *a, const uint8_t *bytes, size_t size, image_function *visit,
                         struct rp_error *err)
{
    struct fatbin *fat = fatbin_load(a->file, bytes, size, err);
    if (!fat)
        return false;
    bool ok = true, any = false;
    for (uint32_t i = 0; ok && i < fat->count; i++) {
        struct fatbin_entry *e = &fat->entries[i];
        if (e->kind == FATBIN_CUBIN && isa_of_sm(e->arch)) {
            any = true;
            ok = fatbin_unpack(fat, e, err) && visit_cubin(a, e->bytes, e->size, visit, err);
        }
    }
    if (ok && !any)
        ok = no_machine_code(a, fat, err);
    fatbin_free(fat);
    return ok;
}

struct member_visit {
    struct disasm *disasm;
    image_function *visit;
    bool any;
};

/* A member of a static library; those without machine code for a GPU are passed over. */
static bool visit_member(void *data, const char *name, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    struct member_visit *m = data;
    struct disasm *a = m->disasm;
    const char *archive = a->file;
    if (!fatbin_is(bytes, size) && !cubin_sm(bytes, size))
        return true;
    a->file = name;
    a->is_member = true;
    bool ok = visit_images(a, bytes, size, m->visit, err);
    if (!ok && err->status == RP_BAD_INPUT && a->no_code) /* PTX alone, or for other GPUs */
        ok = true;
    else
        m->any = true;
    a->file = archive;
    a->is_member = false;
    return ok;
}

static bool visit_archive(struct disasm *a, const uint8_t *bytes, size_t size, image_function *visit,
                          struct rp_error *err)
{
    struct member_visit m = {a, visit, false};
    return archive_visit(a->file, bytes, size, visit_member, &m, err) &&
           (m.any || rp_fail(err, RP_BAD_INPUT, "%s: no member of this static library holds machine code", a->file));
}

static bool visit_images(struct disasm *a, const uint8_t *bytes, size_t size, image_function *visit,
                         struct rp_error *err)
{
    a->no_code = false;
    if (archive_is_thin(bytes, size))
        return rp_fail(err, RP_BAD_INPUT,
                       "%s: a thin static library, which only names its objects; give one of them: 'ar t' lists them",
                       a->file);
    return (archive_is(bytes, size)  ? visit_archive
            : fatbin_is(bytes, size) ? visit_fatbin
                                     : visit_cubin)(a, bytes, size, visit, err);
}

/* A program has a cubin for each source file and architecture: the kernel is chosen among those of all. */
static bool print_images(struct disasm *a, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    bool ok = !a->kernel || visit_images(a, bytes, size, collect_image, err);
    if (ok && a->kernel) {
        a->chosen = choose_kernel(a->file, (const char *const *)a->names, a->name_count, a->kernel, err);
        ok = a->chosen;
    }
    ok = ok && visit_images(a, bytes, size, print_image, err);
    for (size_t i = 0; i < a->name_count; i++)
        free(a->names[i]);
    free(a->names);
    return ok;
}

static bool print_binary(struct disasm *a, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    const struct target *target = target_find(a->binary, strlen(a->binary));
    const struct isa *isa = target && target == target_of_sm(target->sm) ? isa_of_sm(target->sm) : NULL;
    if (!isa) {
        char known[256];
        isa_architectures(known, sizeof known);
        return rp_fail(err, RP_USAGE, "--binary %s: one of %s", a->binary, known);
    }
    if (size % isa->granule || size > UINT32_MAX)
        return rp_fail(err, RP_BAD_INPUT, "%s: %zu bytes are no whole number of %u-byte bundles", a->file, size,
                       isa->granule);
    const struct machine_code code = {bytes, (uint32_t)size, target->sm};
    printf("\n\tcode for %s\n", a->binary);
    return print_code(a, NULL, &code, err);
}

static bool print_guest(struct disasm *a, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    struct guest_unknown unknown;
    if (!guest_print_code(a->file, bytes, size, a->kernel, &unknown, err))
        return false;
    a->unknown = unknown.count;
    rp_fail(&a->first, RP_BAD_INPUT, "%s: %s", a->file, unknown.first);
    return true;
}

/* Whether it is an ELF file that no GPU's code is in. */
static bool is_of_host(const uint8_t *bytes, size_t size)
{
    return size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG) && !cubin_is(bytes, size) && !fatbin_is(bytes, size);
}

static bool print_file(struct disasm *a, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    if (!size)
        return rp_fail(err, RP_BAD_INPUT, "%s: empty; machine code is a cubin, a fat binary or bare words", a->file);
    if (a->binary)
        return print_binary(a, bytes, size, err);
    if (guest_recognises(bytes, size))
        return print_guest(a, bytes, size, err);
    if (is_of_host(bytes, size))
        return rp_fail(err, RP_BAD_INPUT,
                       "%s: an ELF file, but not for an NVIDIA GPU, and no guest, which is a little-endian file of "
                       "32 bits for RISC-V, ARM or IA-32",
                       a->file);
    return print_images(a, bytes, size, err);
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
    bool ok = print_file(&a, bytes, size, &err);
    ok = ok && all_known(&a, &err);
    free(bytes);
    return ok ? RP_OK : command_fail(&err);
}

static const struct command_example examples[] = {
    {"All kernels of a cubin", "reprise disasm module.cubin"},
    {"One kernel of a program, for each architecture that it has code for", "reprise disasm ./program --kernel which"},
    {"A static library", "reprise disasm libkernels.a --kernel which"},
    {"One kernel, and back again",
     "reprise disasm module.cubin --kernel first > first.sass\nreprise asm first.sass -o first.cubin"},
    {NULL, NULL},
};
const struct command command_disasm = {
    .name = "disasm",
    .summary = "print the machine code of a cubin or a guest as text",
    .usage = "FILE",
    .about =
        "Prints the machine code of a cubin, a fat binary, or a host object, library (static ones, too) or program "
        "with fat binaries in "
        "the layout of cuobjdump -sass: an instruction a line with "
        "its address and its word. On sm_50 to sm_62 the control word of three instructions is above them. From sm_70 "
        "on a word holds its own control bits. A word that is no instruction is printed as '.word 0x...'; the exit "
        "status is then 2.\n"
        "Lines that begin with a dot say what a cubin has besides, such as parameters and variables "
        "(docs/assembly.md). 'reprise asm' makes a cubin of the text.\n"
        "Of a guest (docs/guests.md) it prints what objdump -d does, of RISC-V with -M no-aliases. What is no "
        "instruction is .byte, .short or .word there, and so is data between instructions.",
    .options = rows,
    .examples = examples,
    .option = disasm_option,
    .run = disasm_run,
};
