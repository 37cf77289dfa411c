#include "tests/unit/sass_run/rig.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass5x/disasm.h"

enum { MAX_WORDS = 4096, MAX_LABELS = 512, LINE = 128, PARAMETERS = 0x140, PARAMETER_BYTES = 24 };

/* ---- text to code ------------------------------------------------------------------------------------------------ */

struct label {
    char name[32];
    uint32_t address;
};
struct source {
    unsigned sm, label_count, word_count;
    struct label labels[MAX_LABELS];
    uint64_t words[MAX_WORDS];
};

/* Instruction i of a sequence of bundles. */
static uint32_t address_of(unsigned i) { return i / 3 * SASS_BUNDLE_BYTES + (i % 3 + 1) * SASS_WORD_BYTES; }

/* The next line without blanks at its ends; NULL after the last. */
static const char *next_line(const char *text, char line[LINE])
{
    text += strspn(text, " \n");
    if (!*text)
        return NULL;
    size_t n = strcspn(text, "\n");
    cr_assert_lt(n, LINE);
    memcpy(line, text, n);
    while (n && line[n - 1] == ' ')
        n--;
    line[n] = 0;
    return text + strcspn(text, "\n");
}

static void find_labels(struct source *s, const char *text)
{
    char line[LINE];
    unsigned count = 0;
    while ((text = next_line(text, line))) {
        size_t n = strlen(line);
        if (line[n - 1] != ':') {
            count++;
            continue;
        }
        struct label *l = &s->labels[s->label_count++];
        cr_assert_lt(s->label_count, (unsigned)MAX_LABELS);
        snprintf(l->name, sizeof l->name, "%.*s", (int)n - 1, line);
        l->address = address_of(count);
    }
}

uint32_t sass_label(const char *text, const char *name)
{
    static struct source s;
    s = (struct source){0};
    find_labels(&s, text);
    for (unsigned i = 0; i < s.label_count; i++)
        if (!strcmp(s.labels[i].name, name))
            return s.labels[i].address;
    cr_assert_fail("no label %s", name);
    return 0;
}

static void put_address(const struct source *s, char line[LINE])
{
    char *from = strchr(line, '<'), *to = from ? strchr(from, '>') : NULL, rest[LINE];
    if (!to)
        return;
    snprintf(rest, sizeof rest, "%s", to + 1);
    for (unsigned i = 0; i < s->label_count; i++)
        if (strlen(s->labels[i].name) == (size_t)(to - from - 1) &&
            !strncmp(s->labels[i].name, from + 1, (size_t)(to - from - 1))) {
            snprintf(from, (size_t)(line + LINE - from), "0x%x%s", s->labels[i].address, rest);
            return;
        }
    cr_assert_fail("no label in '%s'", line);
}

/* Fills up the last bundle; returns how many instructions the text has. */
static unsigned assemble(struct source *s, const char *text)
{
    char line[LINE];
    while ((text = next_line(text, line))) {
        uint32_t control;
        struct rp_error err;
        if (line[strlen(line) - 1] == ':')
            continue;
        cr_assert_lt(s->word_count, (unsigned)MAX_WORDS - 3);
        uint64_t *word = &s->words[s->word_count];
        put_address(s, line);
        if (!strncmp(line, "0x", 2))
            *word = strtoull(line, NULL, 16);
        else if (!sass_assemble(line, address_of(s->word_count), sass_arch(s->sm), word, &control, &err))
            cr_assert_fail("'%s': %s", line, err.text);
        s->word_count++;
    }
    unsigned count = s->word_count;
    while (s->word_count % 3)
        s->words[s->word_count++] = SASS_NOP;
    return count;
}

unsigned sass_words(unsigned sm, const char *text, uint64_t *words, unsigned size)
{
    static struct source s;
    s = (struct source){.sm = sm};
    find_labels(&s, text);
    unsigned count = assemble(&s, text);
    for (unsigned i = 0; i < count && i < size; i++)
        words[i] = s.words[i];
    return count;
}

/* ---- code to cubin ----------------------------------------------------------------------------------------------- */

static const char names[] = "\0.shstrtab\0.strtab\0.symtab\0.text.k\0.nv.info.k\0.nv.constant0.k";
enum { SHSTRTAB = 1, STRTAB, SYMTAB, TEXT, INFO, CONSTANT, SECTIONS };
static const char *const section_names[SECTIONS] = {"",        ".shstrtab",  ".strtab",        ".symtab",
                                                    ".text.k", ".nv.info.k", ".nv.constant0.k"};
static const uint8_t info[] = {4, 0x0a, 8,  0, 3, 0, 0, 0, 0x40, 1, 24, 0,                   /* PARAM_CBANK */
                               4, 0x17, 12, 0, 0, 0, 0, 0, 1,    0, 8,  0, 0, 0xf0, 0x41, 0, /* 16 bytes at 8 */
                               4, 0x17, 12, 0, 0, 0, 0, 0, 0,    0, 0,  0, 0, 0xf0, 0x21, 0, /* 8 bytes at 0 */
                               3, 0x19, 24, 0};                                              /* CBANK_PARAM_SIZE */

static uint32_t name_at(const char *name)
{
    for (uint32_t i = 0; i < sizeof names; i += (uint32_t)strlen(names + i) + 1)
        if (!strcmp(names + i, name))
            return i;
    cr_assert_fail("%s", name);
    return 0;
}

struct image {
    uint8_t *bytes;
    size_t size;
    Elf64_Shdr headers[SECTIONS];
};
static Elf64_Shdr *add(struct image *i, unsigned section, unsigned type, const void *bytes, size_t size)
{
    Elf64_Shdr *h = &i->headers[section];
    *h = (Elf64_Shdr){.sh_name = name_at(section_names[section]), .sh_type = type, .sh_offset = i->size};
    h->sh_size = size;
    h->sh_addralign = 4;
    i->bytes = realloc(i->bytes, i->size + size + 64);
    memset(i->bytes + i->size, 0, size + 64);
    if (bytes)
        memcpy(i->bytes + i->size, bytes, size);
    i->size = (i->size + size + 63) / 64 * 64;
    return h;
}

uint8_t *sass_cubin(unsigned sm, const char *text, bool relocatable, size_t *size)
{
    static struct source s;
    s = (struct source){.sm = sm};
    find_labels(&s, text);
    assemble(&s, text);
    size_t code_bytes = s.word_count / 3 * SASS_BUNDLE_BYTES;
    uint64_t *code = calloc(1, code_bytes);
    for (unsigned i = 0; i < s.word_count; i++)
        code[address_of(i) / 8] = s.words[i];
    Elf64_Sym symbols[2] = {{0},
                            {.st_name = 1, .st_size = code_bytes, .st_info = 0x12, .st_other = 0x10, .st_shndx = TEXT}};
    struct image image = {.size = sizeof(Elf64_Ehdr)};
    add(&image, SHSTRTAB, SHT_STRTAB, names, sizeof names);
    add(&image, STRTAB, SHT_STRTAB, "\0k", 3);
    Elf64_Shdr *h = add(&image, SYMTAB, SHT_SYMTAB, symbols, sizeof symbols);
    h->sh_link = STRTAB, h->sh_info = 1, h->sh_entsize = sizeof *symbols;
    h = add(&image, TEXT, SHT_PROGBITS, code, code_bytes);
    h->sh_flags = SHF_ALLOC | SHF_EXECINSTR, h->sh_link = SYMTAB, h->sh_info = 255u << 24 | 1;
    h = add(&image, INFO, 0x70000000, info, sizeof info);
    h->sh_link = SYMTAB, h->sh_info = TEXT;
    h = add(&image, CONSTANT, SHT_PROGBITS, NULL, PARAMETERS + PARAMETER_BYTES);
    h->sh_flags = SHF_ALLOC, h->sh_info = TEXT;
    Elf64_Ehdr e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x33, 7},
                    .e_type = relocatable ? ET_REL : ET_EXEC,
                    .e_machine = 190,
                    .e_version = 0x7b,
                    .e_ehsize = sizeof e,
                    .e_shoff = image.size,
                    .e_flags = sm << 16 | 0x500 | sm,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = SECTIONS,
                    .e_shstrndx = SHSTRTAB};
    image.bytes = realloc(image.bytes, image.size + sizeof image.headers);
    memcpy(image.bytes, &e, sizeof e);
    memcpy(image.bytes + image.size, image.headers, sizeof image.headers);
    free(code);
    *size = image.size + sizeof image.headers;
    return image.bytes;
}

/* ---- cubin to launch --------------------------------------------------------------------------------------------- */

bool sass_rig_load(struct sass_rig *r, unsigned sm, const char *text, size_t bytes)
{
    size_t size;
    uint8_t *cubin = sass_cubin(sm, text, false, &size);
    memset(r, 0, sizeof *r);
    r->context = rp_context_new(&r->err);
    cr_assert_not_null(r->context);
    struct module *m = cubin_module("test.cubin", cubin, size, &r->err);
    free(cubin);
    if (!m || !rp_context_adopt(r->context, m, &r->err))
        return false;
    r->address = rp_alloc(r->context, bytes, "buffer", &r->err);
    r->buffer = rp_host(r->context, r->address, bytes);
    cr_assert_not_null(r->buffer);
    r->program = module_find(m, NULL, &r->err);
    return r->program;
}

void sass_rig_open(struct sass_rig *r, unsigned sm, const char *text, size_t bytes)
{
    if (!sass_rig_load(r, sm, text, bytes))
        cr_assert_fail("%s\n%s", r->err.text, text);
}

bool sass_rig_run(struct sass_rig *r, uint32_t grid, uint32_t block, const uint32_t words[4])
{
    uint64_t params[3] = {r->address};
    if (words)
        memcpy(&params[1], words, 16);
    r->config.params = params;
    r->config.threads = 1;
    r->config.grid[0] = grid;
    r->config.block[0] = block;
    r->config.grid[1] = r->config.grid[2] = r->config.block[1] = r->config.block[2] = 1;
    return rp_launch_kernel(r->context, r->program, &r->config, &r->result, &r->err);
}

void sass_rig_close(struct sass_rig *r) { rp_context_free(r->context); }
