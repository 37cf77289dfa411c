/* reprise asm: text as 'reprise disasm' prints it, back to machine code. */
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/loader/isa.h"
#include "tools/asm/replace.h"
#include "tools/lib/command.h"
#include "tools/lib/file.h"
#include "tools/lib/names.h"
#include "tools/lib/output.h"
#include "tracefmt/plural.h"

struct request {
    const char *file, *kernel, *out, *into, *arch_name;
    bool check;
    const struct isa *isa; /* NULL: not known yet */
    unsigned line;
    bool skip; /* inside a function that --kernel does not name */
    struct assembly code;
    char *function;           /* whose code it is; NULL: the text has not said */
    struct cubin_bytes cubin; /* of --into */
    unsigned functions, words;
    const char *upper; /* of the word of this line, in hexadecimal: the line behind it has it; NULL: it has not */
};

enum { KEY_ARCH = 256, KEY_CHECK, KEY_INTO };

static const struct option_row rows[] = {
    {"output", 'o', "FILE",
     "Write the machine code there: bare, as --binary of disasm reads it, or with --into a cubin"},
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
            command_usage(line,
                          "what to assemble, and where to? Example: reprise asm mm.sass --kernel matmul -o mm.bin");
        if (!a->out && !a->check && !a->into)
            command_usage(line, "%s: where to? Name a file with -o, or give --check", a->file);
        if (a->out && !a->into && ends_in(a->out, ".cubin"))
            command_usage(line, "-o %s: a cubin has more than code. Say whose code the text is: --into FILE.cubin",
                          a->out);
        if (a->into && !a->out)
            command_usage(line, "--into %s: where shall the new cubin go? Give -o FILE", a->into);
    }
}

static bool bad(const struct request *a, struct rp_error *err, const char *what)
{
    return rp_fail(err, RP_BAD_INPUT, "%s:%u: %s", a->file, a->line, what);
}

static bool set_arch(struct request *a, const char *name, struct rp_error *err)
{
    char known[256], more[3] = "";
    int parts = sscanf(name, "sm_%u%2s", &a->code.sm, more);
    bool whole = parts == 1 || (parts == 2 && a->code.sm == 90 && !strcmp(more, "a"));
    a->isa = whole ? isa_of_sm(a->code.sm) : NULL;
    isa_architectures(known, sizeof known);
    return a->isa || rp_fail(err, RP_BAD_INPUT, "%s: architecture '%s' is none of %s, sm_90a", a->file, name, known);
}

static bool is_known(const struct request *a, struct rp_error *err)
{
    return a->isa || bad(a, err, "which architecture? Say --arch sm_62, or 'code for sm_62' in the text");
}

/* comment: the text behind the instruction. Finds the instruction word in it, if there is one. */
static bool add_instruction(struct request *a, const char *text, const char *comment, struct rp_error *err)
{
    struct isa_word word;
    struct rp_error inner;
    const char *at = comment + strspn(comment, " \t");
    if (!is_known(a, err))
        return false;
    bool listed = !strncmp(at, "/* ", 3) && isa_word_read(at + 3, a->isa->word_bytes, &word);
    if (listed && a->upper)
        word.hi = strtoull(a->upper, NULL, 16);
    if (!a->isa->assemble(a->isa, &a->code, text, listed ? &word : NULL, a->check, &inner))
        return rp_fail(err, inner.status, "%s:%u: %s", a->file, a->line, inner.text);
    a->words++;
    return true;
}

enum { MOST_BYTES = 16 }; /* of a word of any ISA */

/* Whether the line is a comment that holds nothing but an instruction word. */
static bool is_control(const struct request *a, const char *s, struct isa_word *word)
{
    unsigned bytes = a->isa ? a->isa->word_bytes : MOST_BYTES;
    const char *end = !strncmp(s, "/* ", 3) ? isa_word_read(s + 3, bytes, word) : NULL;
    return end && !strcmp(end, " */");
}

static bool add_control(struct request *a, struct isa_word word, struct rp_error *err)
{
    struct rp_error inner;
    return is_known(a, err) && (a->isa->control(a->isa, &a->code, word, &inner) || bad(a, err, inner.text));
}

/* ---- text ---------------------------------------------------------------------------------------------------------
 */

/* The function's code is complete. */
static bool end_function(struct request *a, struct rp_error *err)
{
    if (!a->isa || !a->code.size)
        return true;
    if (!a->isa->finish(a->isa, &a->code, err))
        return false;
    if (!a->into)
        return !a->out || output_write(a->out, a->code.bytes, a->code.size, err);
    return a->function ? cubin_replace_code(&a->cubin, a->function, a->code.bytes, a->code.size, err)
                       : rp_fail(err, RP_BAD_INPUT, "%s: whose code is this? A line 'Function : NAME' comes before it",
                                 a->file);
}

static bool new_function(struct request *a, const char *name, struct rp_error *err)
{
    if (a->into && !end_function(a, err))
        return false;
    free(a->function);
    a->function = strdup(name);
    if (!a->function)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    a->skip = a->kernel && strcmp(a->kernel, name);
    a->code.has_control = false;
    a->code.size = 0;
    if (a->skip)
        return true;
    if (++a->functions > 1 && a->out && !a->into)
        return bad(a, err, "several functions in the text; choose one with --kernel, or name their cubin with --into");
    return true;
}

static char *trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]);)
        s[--n] = 0;
    return s;
}

static bool same_arch(const struct request *a, const char *name, struct rp_error *err)
{
    return !strcmp(a->arch_name, name) ||
           rp_fail(err, RP_BAD_INPUT, "%s:%u: the text is code for %s, and --arch says %s", a->file, a->line, name,
                   a->arch_name);
}

static bool read_line(struct request *a, char *s, struct rp_error *err)
{
    s = trim(s);
    if (!strncmp(s, "code for ", 9))
        return a->arch_name ? same_arch(a, s + 9, err) : set_arch(a, s + 9, err);
    if (!strncmp(s, "Function : ", 11))
        return new_function(a, s + 11, err);
    if (!*s || (*s == '.' && !isa_word_is_bare(s)) || !strncmp(s, "//", 2) || a->skip)
        return true;
    struct isa_word control;
    if (is_control(a, s, &control))
        return add_control(a, control, err);
    unsigned address;
    int end = 0;
    if (sscanf(s, "/*%x*/%n", &address, &end) == 1 && end) {
        uint32_t here = a->isa ? a->isa->next_address(a->isa, &a->code) : 0;
        if (a->isa && address != here)
            return rp_fail(err, RP_BAD_INPUT, "%s:%u: address 0x%x where 0x%x is next", a->file, a->line, address,
                           here);
        s = trim(s + end);
    }
    char *semicolon = strchr(s, ';');
    if (!semicolon)
        return bad(a, err, "an instruction ends in ';'");
    *semicolon = 0;
    return add_instruction(a, trim(s), semicolon + 1, err);
}

/* The 64 bits of a comment at the end of a line, as their digits; NULL: it has no such comment. */
static const char *half_word(const char *line)
{
    static const char before[] = "/* 0x", after[] = " */";
    enum { DIGITS = 16 };
    const char *end = line + strcspn(line, "\r\n"), *at = NULL;
    for (const char *s = line; (s = strstr(s, before)) && s < end; s++)
        at = s + strlen(before);
    bool whole = at && strspn(at, "0123456789abcdef") == DIGITS && !strncmp(at + DIGITS, after, strlen(after));
    return whole && at + DIGITS + strspn(at + DIGITS, " */\t") == end ? at : NULL;
}

/* cuobjdump writes words of 128 bits in two lines, the upper half in a line of its own. */
static const char *upper_half(const struct request *a, const char *line, const char *next)
{
    bool wide = a->isa && a->isa->word_bytes == 16 && strchr(line, ';');
    return wide && next && !strncmp(next + strspn(next, " \t"), "/* 0x", 5) && half_word(line) ? half_word(next) : NULL;
}

#define MOST_FUNCTIONS 4096

/* Finds the function that --kernel names, by its name in the text or in the source. The caller frees the name. NULL:
 * err says why there is none. */
static char *find_function(const struct request *a, const char *text, struct rp_error *err)
{
    char *names[MOST_FUNCTIONS];
    size_t count = 0;
    for (const char *s = text; (s = strstr(s, "Function : ")) && count < MOST_FUNCTIONS;) {
        s += 11;
        char *name = strndup(s, strcspn(s, " \t\r\n"));
        bool known = !name;
        for (size_t i = 0; i < count && name; i++)
            known |= !strcmp(names[i], name);
        if (known)
            free(name);
        else
            names[count++] = name;
    }
    const char *chosen = choose_kernel(a->file, (const char *const *)names, count, a->kernel, err);
    char *copy = chosen ? strdup(chosen) : NULL;
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    if (chosen && !copy)
        rp_fail(err, RP_SYSTEM, "out of memory");
    return copy;
}

static bool assemble(struct request *a, char *text, struct rp_error *err)
{
    if (a->arch_name && !set_arch(a, a->arch_name, err))
        return false;
    for (char *s = text, *next; s; s = next) {
        a->line++;
        next = strchr(s, '\n');
        if (next)
            *next++ = 0;
        a->upper = upper_half(a, s, next);
        if (!read_line(a, s, err))
            return false;
        if (a->upper) {
            a->line++;
            char *end = strchr(next, '\n');
            next = end ? end + 1 : NULL;
        }
    }
    if (!a->words)
        return rp_fail(err, RP_BAD_INPUT, "%s: no instruction", a->file);
    return end_function(a, err) && (!a->into || output_write(a->out, a->cubin.bytes, a->cubin.size, err));
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
    free(a.function);
    free(a.cubin.bytes);
    return ok ? RP_OK : command_fail(&err);
}

static const struct command_example examples[] = {
    {"One kernel as text, and the text as machine code",
     "reprise disasm module.cubin --kernel first > first.sass\nreprise asm first.sass -o first.bin"},
    {"A cubin with code that was changed by hand",
     "reprise disasm module.cubin > module.sass\nreprise asm module.sass --into module.cubin -o changed.cubin"},
    {NULL, NULL},
};
const struct command command_asm = {
    .name = "asm",
    .summary = "turn such text back into machine code",
    .usage = "FILE -o FILE\nFILE --into CUBIN -o FILE\nFILE --check",
    .about = "Assembles machine code from text as 'reprise disasm' prints it. Addresses and words "
             "behind the instructions may be left out. '.word 0x...' is a word as it is. On sm_50 to sm_62 a "
             "control word stands in a comment before every three instructions. From sm_70 on the word behind an "
             "instruction gives the bits that the text does not show, such as the control bits.\n"
             "A cubin has more than code: parameters, constants, registers, lines. --into takes all that from a cubin; "
             "the code of a function keeps its length.",
    .options = rows,
    .examples = examples,
    .option = asm_option,
    .run = asm_run,
};
