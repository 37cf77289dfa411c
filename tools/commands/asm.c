/* reprise asm: text as 'reprise disasm' prints it, back to machine code. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass5x/disasm.h"
#include "tools/lib/command.h"
#include "tools/lib/file.h"
#include "tools/lib/names.h"
#include "tools/lib/output.h"
#include "tracefmt/plural.h"

/* Without control words in the text: stall of 15 cycles, no barrier set, none waited for. */
#define CONTROL_DEFAULT 0x7efu
#define REUSE_MASK (15u << 17)

struct assembly {
    const char *file, *kernel, *out, *arch_name;
    bool check;
    enum sass_arch arch;
    unsigned line;
    bool skip;        /* inside a function that was not asked for */
    bool has_control; /* control is that of the bundle under way */
    uint64_t control; /* as the text says */
    uint8_t *code;
    uint32_t size, room;
    unsigned functions, words;
};

enum { KEY_ARCH = 256, KEY_CHECK };

static const struct option_row rows[] = {
    {"output", 'o', "FILE", "Write the machine code there: bare bundles, as --binary of disasm reads them"},
    {"kernel", 'k', "NAME", "Only this function of the text, by its name there or in the source"},
    {"arch", KEY_ARCH, "ARCH",
     "sm_50, sm_52, sm_53, sm_60, sm_61 or sm_62, where the text does not say 'code for ARCH'"},
    {"check", KEY_CHECK, NULL, "Compare every word with the one in the comment behind its instruction"},
    {0},
};

static void asm_option(struct command_line *line, int key, char *arg)
{
    struct assembly *a = line->input;
    switch (key) {
    case 'o': a->out = arg; break;
    case 'k': a->kernel = arg; break;
    case KEY_ARCH: a->arch_name = arg; break;
    case KEY_CHECK: a->check = true; break;
    case KEY_ARGUMENT:
        if (a->file)
            command_usage(line, "one file at a time: '%s' is one too many", arg);
        a->file = arg;
        break;
    case KEY_END:
        if (!a->file || !(a->out || a->check))
            command_usage(line,
                          "what to assemble, and where to? Example: reprise asm mm.sass --kernel matmul -o mm.bin");
    }
}

static bool bad(const struct assembly *a, struct rp_error *err, const char *what)
{
    return rp_fail(err, RP_BAD_INPUT, "%s:%u: %s", a->file, a->line, what);
}

static bool set_arch(struct assembly *a, const char *name, struct rp_error *err)
{
    if ((a->arch = sass_arch_named(name)))
        return true;
    return rp_fail(err, RP_BAD_INPUT, "%s: architecture '%s' is none of sm_50, sm_52, sm_53, sm_60, sm_61, sm_62",
                   a->file, name);
}

/* ---- words --------------------------------------------------------------------------------------------------------
 */

static bool append(struct assembly *a, uint64_t word, struct rp_error *err)
{
    if (a->size + SASS_WORD_BYTES > a->room) {
        uint8_t *grown = a->room < 1u << 30 ? realloc(a->code, a->room ? a->room * 2 : 4096) : NULL;
        if (!grown)
            return rp_fail(err, RP_SYSTEM, "%s: out of memory", a->file);
        a->code = grown;
        a->room = a->room ? a->room * 2 : 4096;
    }
    for (int i = 0; i < 8; i++)
        a->code[a->size++] = (uint8_t)(word >> (8 * i));
    return true;
}

/* Completes the control word of the bundle that holds instruction `slot` with the bits that the instruction's text
 * shows. */
static void add_control(struct assembly *a, unsigned slot, uint32_t shown)
{
    uint8_t *bundle = a->code + a->size / SASS_BUNDLE_BYTES * SASS_BUNDLE_BYTES;
    uint64_t bits = (uint64_t)(shown & REUSE_MASK) << (21 * slot);
    for (int i = 0; i < 8; i++)
        bundle[i] |= (uint8_t)(bits >> (8 * i));
}

static uint64_t default_control(void)
{
    return (uint64_t)CONTROL_DEFAULT | (uint64_t)CONTROL_DEFAULT << 21 | (uint64_t)CONTROL_DEFAULT << 42;
}

/* ".word 0xfeed000000000000": a word that is no instruction. */
static bool is_word(const char *text) { return !strncmp(text, ".word", 5) && isspace((unsigned char)text[5]); }

static bool bare_word(const char *text, uint64_t *word)
{
    text += 5 + strspn(text + 5, " \t");
    if (strncmp(text, "0x", 2))
        return false;
    size_t digits = strlen(text += 2);
    *word = strtoull(text, NULL, 16);
    return digits && digits <= 16 && strspn(text, "0123456789abcdefABCDEF") == digits;
}

static bool add_instruction(struct assembly *a, const char *text, const char *comment, struct rp_error *err)
{
    if (!a->arch)
        return bad(a, err, "which architecture? Say --arch sm_62, or 'code for sm_62' in the text");
    if (a->size % SASS_BUNDLE_BYTES == 0) {
        if (!append(a, a->has_control ? a->control : default_control(), err))
            return false;
        a->has_control = false;
    }
    uint64_t word, expected;
    uint32_t shown;
    struct rp_error inner;
    if (is_word(text)) {
        if (!bare_word(text, &word))
            return bad(a, err, "a word that is no instruction is .word and 1 to 16 hexadecimal digits after 0x");
        shown = 0;
    } else if (!sass_assemble(text, a->size, a->arch, &word, &shown, &inner))
        return rp_fail(err, inner.status, "%s:%u: %s", a->file, a->line, inner.text);
    if (a->check && sscanf(comment, " /* 0x%" SCNx64, &expected) != 1)
        return bad(a, err, "no comment with the instruction's word to compare with");
    if (a->check && expected != word)
        return rp_fail(err, RP_BAD_INPUT, "%s:%u: '%s' is 0x%016" PRIx64 ", the comment says 0x%016" PRIx64, a->file,
                       a->line, text, word, expected);
    add_control(a, a->size / SASS_WORD_BYTES % 4 - 1, shown);
    a->words++;
    return append(a, word, err);
}

/* A bundle that is not full ends in NOPs. */
static bool fill_bundle(struct assembly *a, struct rp_error *err)
{
    while (a->size % SASS_BUNDLE_BYTES)
        if (!append(a, SASS_NOP, err))
            return false;
    return true;
}

/* ---- text ---------------------------------------------------------------------------------------------------------
 */

static bool new_function(struct assembly *a, const char *name, struct rp_error *err)
{
    a->skip = a->kernel && strcmp(a->kernel, name);
    a->has_control = false;
    if (a->skip)
        return true;
    if (++a->functions > 1 && a->out)
        return bad(a, err, "several functions in the text; choose one with --kernel");
    a->size = 0;
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

static bool read_line(struct assembly *a, char *s, struct rp_error *err)
{
    s = trim(s);
    if (!strncmp(s, "code for ", 9))
        return a->arch_name || set_arch(a, s + 9, err);
    if (!strncmp(s, "Function : ", 11))
        return new_function(a, s + 11, err);
    if (!*s || (*s == '.' && !is_word(s)) || !strncmp(s, "//", 2) || a->skip)
        return true;
    uint64_t control;
    int end = 0;
    if (sscanf(s, "/* 0x%16" SCNx64 " */%n", &control, &end) == 1 && end && !s[end]) {
        if (a->size % SASS_BUNDLE_BYTES)
            return bad(a, err, "a control word belongs before every three instructions");
        a->control = control;
        a->has_control = true;
        return true;
    }
    unsigned address;
    if (sscanf(s, "/*%x*/%n", &address, &end) == 1 && end) {
        uint32_t here = a->size % SASS_BUNDLE_BYTES ? a->size : a->size + SASS_WORD_BYTES;
        if (address != here)
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

#define MOST_FUNCTIONS 4096

/* The function that --kernel means, by its name in the text or in the source; to be freed. NULL: err says why not. */
static char *find_function(const struct assembly *a, const char *text, struct rp_error *err)
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

static bool assemble(struct assembly *a, char *text, struct rp_error *err)
{
    if (a->arch_name && !set_arch(a, a->arch_name, err))
        return false;
    for (char *s = text, *next; s; s = next) {
        a->line++;
        next = strchr(s, '\n');
        if (next)
            *next++ = 0;
        if (!read_line(a, s, err))
            return false;
    }
    if (!a->words)
        return rp_fail(err, RP_BAD_INPUT, "%s: no instruction", a->file);
    return fill_bundle(a, err) && (!a->out || output_write(a->out, a->code, a->size, err));
}

static int asm_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct assembly a = {0};
    command_parse(&line, c, argc, argv, &a);
    struct rp_error err;
    size_t size;
    if (a.out && output_same_file(a.out, a.file)) {
        rp_fail(&err, RP_USAGE, "the code '%s' would be written over the text; give it another name", a.out);
        return command_fail(&err);
    }
    uint8_t *text = file_read(a.file, &size, &err);
    if (!text)
        return command_fail(&err);
    char *kernel = a.kernel ? find_function(&a, (char *)text, &err) : NULL;
    bool ok = !a.kernel || kernel;
    a.kernel = kernel;
    ok = ok && assemble(&a, (char *)text, &err);
    if (ok && a.check)
        printf("%u instruction%s in %u function%s: every word as in its comment\n", a.words, rp_plural(a.words),
               a.functions ? a.functions : 1, a.functions > 1 ? "s" : "");
    free(text);
    free(kernel);
    free(a.code);
    return ok ? RP_OK : command_fail(&err);
}

static const struct command_example examples[] = {
    {"One kernel as text, and the text as machine code",
     "reprise disasm module.cubin --kernel first > first.sass\nreprise asm first.sass -o first.bin"},
    {NULL, NULL},
};
const struct command command_asm = {
    .name = "asm",
    .summary = "turn such text back into machine code",
    .usage = "FILE -o FILE\nFILE --check",
    .about = "Assembles machine code for sm_50 to sm_62 from text as 'reprise disasm' prints it. Addresses and words "
             "behind the instructions may be left out. '.word 0x...' is a word as it is. A control word stands in a "
             "comment before every three instructions.",
    .options = rows,
    .examples = examples,
    .option = asm_option,
    .run = asm_run,
};
