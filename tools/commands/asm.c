/* reprise asm: text as 'reprise disasm' prints it, back to machine code. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/loader/isa.h"
#include "tools/asm/directives.h"
#include "tools/asm/labels.h"
#include "tools/asm/lines.h"
#include "tools/asm/needs.h"
#include "tools/asm/replace.h"
#include "tools/asm/write.h"
#include "tools/lib/command.h"
#include "tools/lib/file.h"
#include "tools/lib/names.h"
#include "tools/lib/output.h"
#include "tracefmt/plural.h"

enum { MOST_BYTES = 16 }; /* of a word of any ISA */
enum form { NO_OUTPUT, BARE, CUBIN, INTO };

struct request {
    const char *file, *kernel, *out, *into, *arch_name;
    enum form form;
    bool check;
    struct listing_reader text;
    struct listing_line line;
    struct labels labels;
    struct module_text module; /* its arena holds all that lives as long as the text */
    const struct isa *isa;     /* NULL: not known yet */
    bool accelerators;
    bool skip; /* outside a function, or inside one that --kernel does not name */
    struct assembly code;
    struct code_needs needs;
    const char *target;      /* the architecture that the text last named; NULL: none */
    const char *function;    /* whose code it is; NULL: the text has not said */
    struct cubin_copy cubin; /* of --into */
    unsigned targets, functions, words;
};

enum { KEY_ARCH = 256, KEY_CHECK, KEY_INTO };

static const struct option_row rows[] = {
    {"output", 'o', "FILE",
     "Write there: a cubin where the name ends in .cubin, else the machine code alone, as --binary of disasm reads it"},
    {"into", KEY_INTO, "CUBIN", "Write a copy of this cubin with the functions of the text in the place of its own"},
    {"kernel", 'k', "NAME", "Only this function of the text, by its name there or in the source"},
    {"arch", KEY_ARCH, "ARCH", "Such as sm_62, where the text does not say 'code for ARCH'"},
    {"check", KEY_CHECK, NULL, "Compare every word with the one in the comment behind its instruction"},
    {0},
};

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static void asm_option(struct command_line *line, int key, char *arg)
{
    struct request *a = line->input;
    switch (key) {
    case 'o': a->out = arg; break;
    case 'k': a->kernel = arg; break;
    case KEY_ARCH: a->arch_name = arg; break;
    case KEY_CHECK: a->check = true; break;
    case KEY_INTO: a->into = arg; break;
    case KEY_ARGUMENT:
        if (a->file)
            command_usage(line, "one file at a time: '%s' is one too many", arg);
        a->file = arg;
        break;
    case KEY_END:
        if (!a->file)
            command_usage(line, "what to assemble, and where to? Example: reprise asm mm.sass -o mm.cubin");
        if (!a->out && !a->check && !a->into)
            command_usage(line, "%s: where to? Name a file with -o, or give --check", a->file);
        if (a->into && !a->out)
            command_usage(line, "--into %s: where shall the new cubin go? Give -o FILE", a->into);
        a->form = a->into ? INTO : !a->out ? NO_OUTPUT : ends_in(a->out, ".cubin") ? CUBIN : BARE;
        if (a->form == CUBIN && a->kernel)
            command_usage(line, "-o %s: a cubin has all functions of the text, and --kernel names one", a->out);
    }
}

static bool bad(const struct request *a, struct rp_error *err, const char *what)
{
    return rp_fail(err, RP_BAD_INPUT, "%s:%u: %s", a->file, a->line.number, what);
}

static bool set_arch(struct request *a, const char *name, struct rp_error *err)
{
    char known[256];
    a->isa = isa_of_target(name, &a->code.sm, &a->accelerators);
    isa_architectures(known, sizeof known);
    if (!a->isa)
        return rp_fail(err, RP_BAD_INPUT, "%s: architecture '%s' is none of %s, sm_90a", a->file, name, known);
    unsigned into = a->form == INTO ? cubin_sm(a->cubin.bytes, a->cubin.size) : a->code.sm;
    if (into != a->code.sm)
        return rp_fail(err, RP_BAD_INPUT, "%s: code for %s, and %s is a cubin for sm_%u", a->file, name, a->into, into);
    a->text.word_bytes = a->isa->word_bytes;
    return true;
}

/* A text that names no architecture has that of the cubin that it goes into. */
static bool is_known(struct request *a, struct rp_error *err)
{
    char name[16];
    snprintf(name, sizeof name, "sm_%u", a->form == INTO ? cubin_sm(a->cubin.bytes, a->cubin.size) : 0);
    if (!a->isa && a->form == INTO)
        return set_arch(a, name, err);
    return a->isa || bad(a, err, "which architecture? Say --arch sm_62, or 'code for sm_62' in the text");
}

/* ---- instructions -------------------------------------------------------------------------------------------------
 */

static bool add_text(struct request *a, const char *text, const struct isa_word *listed, struct rp_error *err)
{
    struct rp_error inner;
    return a->isa->assemble(a->isa, &a->code, text, listed, a->check, &inner) ||
           rp_fail(err, inner.status, "%s:%u:%u: %s", a->file, a->line.number, a->line.column + a->code.stopped,
                   inner.text);
}

/* An instruction of nvdisasm's whose operand the linker fills in: the word says what stands there. */
static bool add_linked(struct request *a, const char *text, const struct isa_word *listed, struct rp_error *err)
{
    char word[sizeof ".word " + ISA_WORD_TEXT] = ".word ", hex[ISA_WORD_TEXT];
    size_t length;
    const char *operand = linked_operand(text, &length);
    if (operand[0] == '`' && !listed)
        return rp_fail(err, RP_BAD_INPUT, "%s:%u: no label '%.*s' in this function", a->file, a->line.number,
                       (int)strcspn(operand + 2, ")"), operand + 2);
    if (a->form == CUBIN)
        return rp_fail(err, RP_BAD_INPUT,
                       "%s:%u: '%.*s': the linker fills this in. 'reprise disasm' prints such words with lines "
                       "'.relocation'; or give the cubin that the text is of: --into CUBIN",
                       a->file, a->line.number, (int)length, operand);
    if (!listed)
        return rp_fail(err, RP_BAD_INPUT, "%s:%u: no label '%.*s' in this function, and no word behind the instruction",
                       a->file, a->line.number, (int)length, operand);
    if (!is_linked(a->isa, &a->code, text, *listed))
        return rp_fail(err, RP_BAD_INPUT, "%s:%u: '%s' is not what the comment says, %s", a->file, a->line.number, text,
                       isa_word_print(hex, *listed, a->isa->word_bytes));
    strcat(word, isa_word_print(hex, *listed, a->isa->word_bytes));
    return add_text(a, word, listed, err);
}

static bool add_instruction(struct request *a, struct rp_error *err)
{
    const struct listing_line *l = &a->line;
    const struct isa_word *listed = l->has_word ? &l->word : NULL;
    size_t length;
    if (!is_known(a, err))
        return false;
    uint32_t here = a->isa->next_address(a->isa, &a->code);
    if (l->has_address && l->address != here)
        return rp_fail(err, RP_BAD_INPUT, "%s:%u: address 0x%x where 0x%x is next", a->file, l->number, l->address,
                       here);
    const char *text = labels_resolve(&a->labels, &a->module.arena, a->function ? a->function : "", l->text);
    needs_add(&a->needs, text, l->number);
    a->words++;
    return linked_operand(text, &length) ? add_linked(a, text, listed, err) : add_text(a, text, listed, err);
}

static bool add_control(struct request *a, struct rp_error *err)
{
    struct rp_error inner;
    return is_known(a, err) && (a->isa->control(a->isa, &a->code, a->line.word, &inner) || bad(a, err, inner.text));
}

/* ---- functions ----------------------------------------------------------------------------------------------------
 */

/* The code of the function at hand is complete. */
static bool end_function(struct request *a, struct rp_error *err)
{
    struct rp_error inner;
    if (a->skip || !a->isa || !a->code.size)
        return true;
    if (!a->isa->finish(a->isa, &a->code, err))
        return false;
    a->skip = true;
    if (a->form != INTO && a->form != CUBIN)
        return true;
    if (!a->function)
        return rp_fail(err, RP_BAD_INPUT, "%s: whose code is this? A line 'Function : NAME' comes before it", a->file);
    if (a->form == INTO)
        return cubin_replace_code(&a->cubin, a->function, a->code.bytes, a->code.size, err);
    return directives_end_function(&a->module, &a->code, &a->needs, &inner) ||
           rp_fail(err, inner.status, "%s: %s", a->file, inner.text);
}

/* name: NULL where what follows is no code. */
static bool new_function(struct request *a, const char *name, struct rp_error *err)
{
    if (!end_function(a, err))
        return false;
    a->skip = !name || (a->kernel && strcmp(a->kernel, name) != 0);
    a->code.has_control = false;
    if (a->skip)
        return true;
    if (++a->functions > 1 && a->form == BARE)
        return bad(
            a, err,
            "several functions in the text; choose one with --kernel, or make a cubin: -o FILE.cubin, or --into");
    for (uint32_t i = 0; i < a->module.kernels.count; i++)
        if (!strcmp(a->module.kernels.at[i]->name, name))
            return rp_fail(err, RP_BAD_INPUT, "%s:%u: function '%s' comes a second time", a->file, a->line.number,
                           name);
    a->function = arena_string(&a->module.arena, name, strlen(name));
    a->code.size = 0;
    a->needs = (struct code_needs){0};
    if (a->form == CUBIN)
        directives_begin_function(&a->module, name);
    return true;
}
static bool same_arch(const struct request *a, const char *name, struct rp_error *err)
{
    return !strcmp(a->arch_name, name) ||
           rp_fail(err, RP_BAD_INPUT, "%s:%u: the text is code for %s, and --arch says %s", a->file, a->line.number,
                   name, a->arch_name);
}

/* Listings of CUDA 12.8 and later name it twice, in 'code for sm_86' and '.target sm_86'. */
static bool new_target(struct request *a, const char *name, struct rp_error *err)
{
    if (a->target && !a->functions && !strcmp(a->target, name))
        return true;
    a->target = arena_string(&a->module.arena, name, strlen(name));
    if (++a->targets > 1 && a->form == CUBIN)
        return bad(a, err, "a second cubin begins here, and a text makes one: cut the text");
    return a->arch_name ? same_arch(a, name, err) : set_arch(a, name, err);
}

static bool read_directive(struct request *a, struct rp_error *err)
{
    struct rp_error inner;
    bool is_of_cubin = a->form == CUBIN && !(a->skip && a->functions);
    return !is_of_cubin || directives_read(&a->module, a->line.text, &inner) || bad(a, err, inner.text);
}

static bool read_line(struct request *a, struct rp_error *err)
{
    switch (a->line.kind) {
    case LINE_NOTHING:
    case LINE_LABEL: return true;
    case LINE_TARGET: return new_target(a, a->line.name, err);
    case LINE_FLAGS: return a->isa || new_target(a, a->line.name, err);
    case LINE_FUNCTION: return new_function(a, a->line.name, err);
    case LINE_DIRECTIVE: return read_directive(a, err);
    case LINE_WORD: return a->skip || add_control(a, err);
    case LINE_INSTRUCTION: return a->skip || add_instruction(a, err);
    case LINE_UNFINISHED: return a->skip || bad(a, err, "an instruction ends in ';'");
    case LINE_COMMENT: return a->skip || bad(a, err, "a comment ends in '*/', in its own line");
    }
    return true;
}

#define MOST_FUNCTIONS 4096

/* Finds the function that --kernel names, by its name in the text or in the source. The caller frees the name. NULL:
 * err says why there is none. */
static char *find_function(const struct request *a, const char *text, struct rp_error *err)
{
    char *names[MOST_FUNCTIONS], *copy_of_text = strdup(text);
    struct listing_reader r = {copy_of_text, 0, MOST_BYTES};
    struct listing_line line;
    size_t count = 0;
    while (copy_of_text && listing_next(&r, &line) && count < MOST_FUNCTIONS) {
        if (line.kind != LINE_FUNCTION || !line.name)
            continue;
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known |= !strcmp(names[i], line.name);
        if (!known && (names[count] = strdup(line.name)))
            count++;
    }
    free(copy_of_text);
    const char *chosen = choose_kernel(a->file, (const char *const *)names, count, a->kernel, err);
    char *copy = chosen ? strdup(chosen) : NULL;
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    if (chosen && !copy)
        rp_fail(err, RP_SYSTEM, "out of memory");
    return copy;
}

static bool has_entry(const struct module_text *m)
{
    for (uint32_t i = 0; i < m->kernels.count; i++)
        if (m->kernels.at[i]->entry)
            return true;
    return false;
}

/* What the text makes of a cubin goes through the loader, so that nothing is written that cannot be read. */
static bool write_cubin(struct request *a, struct rp_error *err)
{
    size_t size;
    a->module.cubin.file_name = a->file;
    if (!has_entry(&a->module))
        return rp_fail(err, RP_BAD_INPUT, "%s: no function is a kernel: a kernel has a line '.entry'", a->file);
    directives_finish(&a->module, a->code.sm, a->accelerators);
    uint8_t *bytes = cubin_write(&a->module.arena, &a->module.cubin, &size, err);
    struct cubin *again = bytes ? cubin_load(a->file, bytes, size, err) : NULL;
    bool ok = again && output_write(a->out, bytes, size, err);
    cubin_free(again);
    free(bytes);
    return ok;
}

static bool write_output(struct request *a, struct rp_error *err)
{
    switch (a->form) {
    case NO_OUTPUT: return true;
    case BARE: return output_write(a->out, a->code.bytes, a->code.size, err);
    case INTO: return output_write(a->out, a->cubin.bytes, a->cubin.size, err);
    case CUBIN: return write_cubin(a, err);
    }
    return true;
}

static bool assemble(struct request *a, char *text, struct rp_error *err)
{
    jmp_buf out_of_memory;
    a->module.arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory))
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", a->file);
    a->text = (struct listing_reader){text, 0, MOST_BYTES};
    if (a->arch_name && !set_arch(a, a->arch_name, err))
        return false;
    const struct isa *isa = a->form == INTO ? isa_of_sm(cubin_sm(a->cubin.bytes, a->cubin.size)) : a->isa;
    if (!labels_read(&a->labels, &a->module.arena, a->file, text, isa, err))
        return false;
    while (listing_next(&a->text, &a->line))
        if (!read_line(a, err))
            return false;
    if (!a->words)
        return rp_fail(err, RP_BAD_INPUT, "%s: no instruction", a->file);
    return end_function(a, err) && write_output(a, err);
}

static int asm_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct request a = {0};
    command_parse(&line, c, argc, argv, &a);
    struct rp_error err;
    size_t size;
    if (!output_spares("the code", a.out, a.file, "the text", &err) ||
        !output_spares("the code", a.out, a.into, "the cubin of --into", &err) ||
        (a.out && !output_check(a.out, INPUT_CODE, &err)))
        return command_fail(&err);
    uint8_t *text = file_read(a.file, &size, &err);
    if (!text)
        return command_fail(&err);
    if (strlen((char *)text) != size) {
        rp_fail(&err, RP_BAD_INPUT, "%s is no text%s", a.file,
                memcmp(text, ELFMAG, SELFMAG) ? "" : "; 'reprise disasm' prints that of a cubin");
        free(text);
        return command_fail(&err);
    }
    if (a.into && !cubin_bytes_read(a.into, &a.cubin, &err)) {
        free(text);
        return command_fail(&err);
    }
    char *kernel = a.kernel ? find_function(&a, (char *)text, &err) : NULL;
    bool ok = !a.kernel || kernel;
    a.kernel = kernel;
    ok = ok && assemble(&a, (char *)text, &err);
    if (ok && a.check)
        printf("%u instruction%s in %u function%s: every word as in its comment\n", a.words, rp_plural(a.words),
               a.functions ? a.functions : 1, a.functions > 1 ? "s" : "");
    free(text);
    free(kernel);
    free(a.code.bytes);
    arena_free(&a.module.arena);
    free(a.cubin.bytes);
    return ok ? RP_OK : command_fail(&err);
}

static const struct command_example examples[] = {
    {"A cubin as text, and the text as a cubin",
     "reprise disasm module.cubin > module.sass\nreprise asm module.sass -o again.cubin"},
    {"One kernel as text, and the text as machine code",
     "reprise disasm module.cubin --kernel first > first.sass\nreprise asm first.sass -o first.bin"},
    {"A cubin with code that was changed by hand, and all else of it, such as lines",
     "reprise asm module.sass --into module.cubin -o changed.cubin"},
    {NULL, NULL},
};
const struct command command_asm = {
    .name = "asm",
    .summary = "turn such text back into machine code, or a cubin",
    .usage = "FILE -o FILE.cubin\nFILE -o FILE\nFILE --into CUBIN -o FILE\nFILE --check",
    .about =
        "Assembles machine code from text as 'reprise disasm', 'cuobjdump -sass' or 'nvdisasm -hex' prints it. "
        "Addresses "
        "and words behind the instructions may be left out. '.word 0x...' is a word as it is. On sm_50 to sm_62 a "
        "control word stands in a comment before every three instructions. From sm_70 on the word behind an "
        "instruction gives the bits that the text does not show, such as the control bits. A label is a line 'NAME:'; "
        "`(NAME) is its address.\n"
        "A cubin has more than code: parameters, constants, registers. 'reprise disasm' prints them in lines that "
        "begin with a dot, such as '.param 0x0 8' (docs/assembly.md). For -o FILE.cubin a kernel needs '.entry' and "
        "'.registers', and '.param' and '.barriers' where its code shows them. No text has source lines. With --into "
        "all but the code is that of the cubin named, lines too, and the code of a function keeps its length.",
    .options = rows,
    .examples = examples,
    .option = asm_option,
    .run = asm_run,
};
