#include "tests/hardware/rig_cubin.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass7x/table.h"

enum { WORD = 16, RIG_SECTIONS = 7, REGISTERS = 255, REGCOUNT = 0x2f, FORMAT_SIZED = 4 };
/* Control bits: the cycles until the next instruction, of which more than 11 count only without bit 4; the barriers
 * that it tells, 7: none; those that it waits for. */
enum {
    CONTROL_BIT = 41,
    STALL = 15,
    SHORT_STALL = 11,
    BRANCH_STALL = 5,
    NO_YIELD = 16,
    NO_BARRIER = 7,
    WRITES = 5,
    READS = 8,
    WAITS = 11
};

bool is_rig_cubin(const char *bytes, size_t size)
{
    static const char names[] = "\0.shstrtab\0.strtab\0.symtab\0.text.k";
    Elf64_Ehdr e;
    if (size < sizeof e + sizeof names)
        return false;
    memcpy(&e, bytes, sizeof e);
    return !memcmp(e.e_ident, ELFMAG, SELFMAG) && e.e_shnum == RIG_SECTIONS &&
           !memcmp(bytes + sizeof e, names, sizeof names);
}

static char *read_frame(size_t *size)
{
    const char *path = getenv("GPU_FRAME");
    FILE *f = path ? fopen(path, "rb") : NULL;
    char *bytes = malloc(1 << 20);
    *size = f ? fread(bytes, 1, 1 << 20, f) : 0;
    if (f)
        fclose(f);
    if (*size > sizeof(Elf64_Ehdr))
        return bytes;
    free(bytes);
    return NULL;
}

static Elf64_Shdr *section(char *bytes, const char *name)
{
    const Elf64_Ehdr *e = (const void *)bytes;
    Elf64_Shdr *all = (void *)(bytes + e->e_shoff);
    for (unsigned i = 0; i < e->e_shnum; i++)
        if (!strcmp(bytes + all[e->e_shstrndx].sh_offset + all[i].sh_name, name))
            return &all[i];
    return NULL;
}

/* .nv.info: attributes with a size have it in their third and fourth byte. */
static void set_registers(char *bytes, Elf64_Shdr *text)
{
    const Elf64_Shdr *info = section(bytes, ".nv.info");
    char *at = info ? bytes + info->sh_offset : NULL, *end = info ? at + info->sh_size : NULL;
    while (at + 4 <= end) {
        uint16_t length = 0;
        if (at[0] == FORMAT_SIZED)
            memcpy(&length, at + 2, 2);
        if (at[0] == FORMAT_SIZED && at[1] == REGCOUNT)
            memcpy(at + 8, &(uint32_t){REGISTERS}, 4);
        at += 4 + length;
    }
    text->sh_info = (text->sh_info & 0xffffff) | (uint32_t)REGISTERS << 24;
}

/* GPU_YIELD gives all instructions the same yield bit: never or always. */
static uint64_t with_yield(uint64_t stall, bool branches)
{
    const char *yield = getenv("GPU_YIELD");
    if (yield && !strcmp(yield, "never"))
        return (branches ? BRANCH_STALL : SHORT_STALL) | NO_YIELD;
    return yield && !strcmp(yield, "always") ? stall & ~(uint64_t)NO_YIELD : stall;
}

/* A result that comes when it comes is told through barrier 0, sources that are read later through barrier 1; each
 * instruction waits for both. */
static uint64_t control_of(const struct rp_instruction *in, struct isa_word word)
{
    const struct sass_row *row = sass_find(&sass7x_table, word, SASS_90);
    bool fixed = !row || row->latency != LATENCY_VARIABLE,
         flow = in->flags & (RP_BRANCH | RP_CALL | RP_RETURN | RP_EXIT);
    bool branches = flow || in->unit_class == RP_CLASS_CONTROL, has_result = in->dst_count > 0;
    uint64_t written = !fixed && has_result ? 0 : NO_BARRIER,
             read = !fixed && !has_result && !branches ? 1 : NO_BARRIER;
    uint64_t stall = branches ? BRANCH_STALL | NO_YIELD : STALL;
    stall = with_yield(stall, branches);
    return stall | written << WRITES | read << READS | 3ull << WAITS;
}

char *rig_cubin(const struct program *p)
{
    const uint64_t control_mask = 0x1fffffull << CONTROL_BIT;
    size_t size;
    char *bytes = read_frame(&size);
    Elf64_Shdr *text = bytes ? section(bytes, ".text.k") : NULL;
    const struct rp_kernel *k = &p->kernel;
    for (uint32_t i = 0; text && i < k->instruction_count; i++) {
        const struct rp_instruction *in = &k->instructions[i];
        struct isa_word word;
        if (!in->raw_size) /* a function of the system */
            continue;
        if (in->pc + WORD > text->sh_size)
            return free(bytes), NULL;
        memcpy(&word.lo, in->raw, 8);
        memcpy(&word.hi, in->raw + 8, 8);
        word.hi = (word.hi & ~control_mask) | control_of(in, word) << CONTROL_BIT;
        memcpy(bytes + text->sh_offset + in->pc, &word.lo, 8);
        memcpy(bytes + text->sh_offset + in->pc + 8, &word.hi, 8);
    }
    if (text)
        set_registers(bytes, text);
    return text ? bytes : (free(bytes), NULL);
}
