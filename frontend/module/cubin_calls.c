/* Inlined calls in the output of ptxas -g: its line tables have none, but .debug_info has the addresses of their
 * bodies. An address here is the number of the kernel, from 1, above 32 bits that are the offset in its code. */
#include <string.h>

#include "frontend/module/cubin_file.h"
#include "frontend/module/dwarf_calls.h"

static size_t find_section(const struct cubin_file *f, const char *name)
{
    size_t i = 1;
    while (i < f->section_count && strcmp(f->sections[i].name, name))
        i++;
    return i < f->section_count ? i : 0;
}

static struct cubin_bytes copy_of_section(const struct cubin_file *f, const char *name)
{
    size_t i = find_section(f, name);
    struct cubin_bytes out = {0};
    if (!i || !f->sections[i].bytes.size)
        return out;
    out.size = f->sections[i].bytes.size;
    out.at = arena_alloc(f->arena, out.size);
    memcpy(out.at, f->sections[i].bytes.at, out.size);
    return out;
}

/* Relocates only symbols of code; all other numbers stay as they are. */
static void relocate(struct cubin_file *f, struct cubin_bytes info, const GElf_Rela *r)
{
    uint64_t symbol = GELF_R_SYM(r->r_info);
    if (symbol >= f->symbol_count || r->r_offset > info.size || info.size - r->r_offset < 8)
        return;
    const struct cubin_kernel *k = cubin_kernel_of_section(f, f->symbols[symbol].st_shndx);
    if (!k)
        return;
    uint64_t offset = f->symbols[symbol].st_value + (uint64_t)r->r_addend;
    put32(info.at + r->r_offset, (uint32_t)offset);
    put32(info.at + r->r_offset + 4, (uint32_t)(k - f->cubin->kernels) + 1);
}

static void relocate_section(struct cubin_file *f, const char *name, struct cubin_bytes info)
{
    size_t target = find_section(f, name);
    for (size_t i = 1; i < f->section_count; i++) {
        const struct cubin_section *s = &f->sections[i];
        if (s->header.sh_type != SHT_RELA || s->header.sh_info != target || !target)
            continue;
        Elf_Data *data = elf_getdata(elf_getscn(f->elf, i), NULL);
        size_t entry = gelf_fsize(f->elf, ELF_T_RELA, 1, EV_CURRENT);
        GElf_Rela r;
        for (uint32_t n = 0; data && n < s->bytes.size / entry; n++)
            if (gelf_getrela(data, (int)n, &r))
                relocate(f, info, &r);
    }
}

/* The index in cubin.files of a file of the unit with that line table. */
static uint32_t file_of(uint32_t line_table, uint32_t file, const struct line_unit *units, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (units[i].offset == line_table && file)
            return units[i].first_file + file - 1;
    return UINT32_MAX;
}

static void number_files(struct dwarf_calls *calls, const struct line_unit *units, uint32_t count)
{
    for (uint32_t i = 0; i < calls->calls.count; i++) {
        struct dwarf_call *c = &calls->calls.at[i];
        c->file = file_of(c->line_table, c->file, units, count);
    }
    for (uint32_t i = 0; i < calls->bodies.count; i++) {
        struct dwarf_body *b = &calls->bodies.at[i];
        b->file = file_of(b->line_table, b->file, units, count);
    }
}

static void add_calls(struct cubin_file *f, const struct dwarf_calls *calls)
{
    struct cubin *c = f->cubin;
    c->inlined = ARENA_ARRAY(f->arena, struct rp_inlined_call, calls->calls.count);
    c->inlined_count = calls->calls.count;
    for (uint32_t i = 0; i < calls->calls.count; i++) {
        const struct dwarf_call *from = &calls->calls.at[i];
        bool known = from->file < c->file_count;
        c->inlined[i] =
            (struct rp_inlined_call){from->function, known ? from->file : 0, known ? from->line : 0, from->around};
    }
}

static void find_inlined_lines(struct cubin_file *f, const struct dwarf_calls *calls)
{
    struct cubin *c = f->cubin;
    VECTOR(struct dwarf_location) locations = {0};
    for (uint32_t k = 0; k < c->kernel_count; k++)
        for (uint32_t i = 0; i < c->kernels[k].line_count; i++) {
            const struct cubin_line *line = &c->kernels[k].lines[i];
            struct dwarf_location location = {(uint64_t)(k + 1) << 32 | line->offset, line->file, line->line};
            VECTOR_PUSH(f->arena, &locations, location);
        }
    uint32_t *innermost = ARENA_ARRAY(f->arena, uint32_t, (size_t)locations.count + 1), at = 0;
    dwarf_innermost(f->arena, calls, locations.at, locations.count, innermost);
    for (uint32_t k = 0; k < c->kernel_count; k++)
        for (uint32_t i = 0; i < c->kernels[k].line_count; i++)
            c->kernels[k].lines[i].inlined = innermost[at++];
}

void cubin_read_calls(struct cubin_file *f, const struct line_unit *units, uint32_t count)
{
    struct dwarf_calls calls = {0};
    struct dwarf_sections sections = {.info = copy_of_section(f, ".debug_info"),
                                      .abbrev = copy_of_section(f, ".debug_abbrev"),
                                      .strings = copy_of_section(f, ".debug_str"),
                                      .line_strings = copy_of_section(f, ".debug_line_str"),
                                      .string_offsets = copy_of_section(f, ".debug_str_offsets"),
                                      .addresses = copy_of_section(f, ".debug_addr")};
    relocate_section(f, ".debug_info", sections.info);
    relocate_section(f, ".debug_addr", sections.addresses);
    dwarf_read_calls(f->arena, &sections, &calls);
    if (!calls.calls.count)
        return;
    number_files(&calls, units, count);
    add_calls(f, &calls);
    find_inlined_lines(f, &calls);
}
