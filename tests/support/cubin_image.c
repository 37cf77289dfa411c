#include "tests/support/cubin_image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass5x/table.h"

enum { PARAMETER_BYTES = 24, CBANK_OFFSET = 8 };

static const char names[] = "\0.shstrtab\0.strtab\0.symtab\0.text.k\0.nv.info.k\0.nv.constant0.k";
enum { SHSTRTAB = 1, STRTAB, SYMTAB, TEXT, INFO, CONSTANT, SECTIONS };
static const char *const section_names[SECTIONS] = {"",        ".shstrtab",  ".strtab",        ".symtab",
                                                    ".text.k", ".nv.info.k", ".nv.constant0.k"};
static const uint8_t info[] = {4, 0x0a, 8,  0, 3, 0, 0, 0, 0, 0, 24, 0,                   /* PARAM_CBANK */
                               4, 0x17, 12, 0, 0, 0, 0, 0, 1, 0, 8,  0, 0, 0xf0, 0x41, 0, /* 16 bytes at 8 */
                               4, 0x17, 12, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0xf0, 0x21, 0, /* 8 bytes at 0 */
                               3, 0x19, 24, 0};                                           /* CBANK_PARAM_SIZE */

static uint32_t name_at(const char *name)
{
    for (uint32_t i = 0; i < sizeof names; i += (uint32_t)strlen(names + i) + 1)
        if (!strcmp(names + i, name))
            return i;
    abort();
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

unsigned cubin_parameters(unsigned sm) { return sm < 70 ? 0x140 : sm < 90 ? 0x160 : 0x210; }

/* The code; its size goes to *bytes. */
static uint64_t *code_of(unsigned sm, const uint64_t *words, unsigned count, size_t *bytes)
{
    const unsigned bundles = (count + 2) / 3;
    *bytes = sm < 70 ? bundles * 32 : count * 8;
    uint64_t *code = calloc(1, *bytes + 1);
    if (sm >= 70)
        memcpy(code, words, *bytes);
    for (unsigned i = 0; sm < 70 && i < 3 * bundles; i++) /* behind the control word of its bundle */
        code[i / 3 * 4 + i % 3 + 1] = i < count ? words[i] : sass5x_table.nop.lo;
    return code;
}

uint8_t *cubin_image(unsigned sm, const uint64_t *words, unsigned count, bool relocatable, size_t *size)
{
    size_t code_bytes;
    uint64_t *code = code_of(sm, words, count, &code_bytes);
    uint8_t attributes[sizeof info];
    memcpy(attributes, info, sizeof info);
    attributes[CBANK_OFFSET] = (uint8_t)cubin_parameters(sm);
    attributes[CBANK_OFFSET + 1] = (uint8_t)(cubin_parameters(sm) >> 8);
    Elf64_Sym symbols[2] = {{0},
                            {.st_name = 1, .st_size = code_bytes, .st_info = 0x12, .st_other = 0x10, .st_shndx = TEXT}};
    struct image image = {.size = sizeof(Elf64_Ehdr)};
    add(&image, SHSTRTAB, SHT_STRTAB, names, sizeof names);
    add(&image, STRTAB, SHT_STRTAB, "\0k", 3);
    Elf64_Shdr *h = add(&image, SYMTAB, SHT_SYMTAB, symbols, sizeof symbols);
    h->sh_link = STRTAB, h->sh_info = 1, h->sh_entsize = sizeof *symbols;
    h = add(&image, TEXT, SHT_PROGBITS, code, code_bytes);
    h->sh_flags = SHF_ALLOC | SHF_EXECINSTR, h->sh_link = SYMTAB, h->sh_info = 255u << 24 | 1;
    h = add(&image, INFO, 0x70000000, attributes, sizeof attributes);
    h->sh_link = SYMTAB, h->sh_info = TEXT;
    h = add(&image, CONSTANT, SHT_PROGBITS, NULL, cubin_parameters(sm) + PARAMETER_BYTES);
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
