#include "frontend/guest/guest.h"

#include <gelf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/module/cubin_file.h"

enum { PAGE = 4096, GUEST_MAX_MEMORY = 1 << 30, GUEST_MAX_CODE = 32 << 20 };

struct guest_file {
    struct guest *guest;
    struct arena *arena;
    struct rp_error *err;
    Elf *elf;
    const uint8_t *bytes;
    size_t size;
};

static bool guest_bad(struct guest_file *f, const char *why)
{
    return rp_fail(f->err, RP_BAD_INPUT, "%s: %s", f->guest->path, why);
}

static bool guest_check_header(struct guest_file *f)
{
    GElf_Ehdr h;
    if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &h))
        return guest_bad(f, "not an ELF file");
    if (h.e_type != ET_EXEC)
        return guest_bad(f, "a guest is a static executable: link it with -static -no-pie");
    struct rp_error why;
    if (!f->guest->isa->accepts((uint32_t)h.e_flags, &why))
        return guest_bad(f, why.text);
    f->guest->entry = (uint32_t)h.e_entry;
    return true;
}

static int guest_compare_segments(const void *a, const void *b)
{
    const struct guest_segment *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool guest_add_segment(struct guest_file *f, const GElf_Phdr *p)
{
    struct guest *g = f->guest;
    if (p->p_offset > f->size || p->p_filesz > f->size - p->p_offset || p->p_filesz > p->p_memsz)
        return guest_bad(f, "a segment lies outside of the file");
    if (p->p_vaddr > UINT32_MAX || p->p_memsz > UINT32_MAX || p->p_vaddr + p->p_memsz > 0x80000000u)
        return guest_bad(f, "a segment does not lie below 0x80000000, where guests have their memory");
    if (p->p_memsz > GUEST_MAX_MEMORY)
        return guest_bad(f, "a segment has more than 1 GiB: a program may have more on the heap, by guest_grow (brk)");
    struct guest_segment *s = &g->segments[g->segment_count++];
    *s = (struct guest_segment){.address = (uint32_t)p->p_vaddr,
                                .size = (uint32_t)p->p_memsz,
                                .file_size = (uint32_t)p->p_filesz,
                                .rights = (uint8_t)((p->p_flags & PF_R ? GUEST_READ : 0) |
                                                    (p->p_flags & PF_W ? GUEST_WRITE : 0) |
                                                    (p->p_flags & PF_X ? GUEST_EXECUTE : 0))};
    uint8_t *copy = arena_alloc(f->arena, s->file_size + 4); /* a decoder may look at four bytes */
    memcpy(copy, f->bytes + p->p_offset, s->file_size);
    s->bytes = copy;
    return true;
}

static bool guest_read_segments(struct guest_file *f)
{
    struct guest *g = f->guest;
    size_t count = 0;
    if (elf_getphdrnum(f->elf, &count) || count > 65535)
        return guest_bad(f, "it has no program headers");
    g->segments = ARENA_ARRAY(f->arena, struct guest_segment, count + 1);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(f->elf, (int)i, &p))
            return guest_bad(f, "its program headers cannot be read");
        if (p.p_type == PT_INTERP || p.p_type == PT_DYNAMIC)
            return guest_bad(f, "a guest is a static executable: link it with -static");
        if (p.p_type == PT_TLS && p.p_memsz)
            return guest_bad(
                f, "it has variables of threads, which guests do not have: leave _Thread_local out; C libraries "
                   "of Linux have some (link what 'reprise guest --flags' names instead)");
        if (p.p_type == PT_LOAD && p.p_memsz && !guest_add_segment(f, &p))
            return false;
    }
    if (!g->segment_count)
        return guest_bad(f, "it has no segments to load");
    qsort(g->segments, g->segment_count, sizeof *g->segments, guest_compare_segments);
    for (uint32_t i = 1; i < g->segment_count; i++)
        if (g->segments[i].address < g->segments[i - 1].address + g->segments[i - 1].size)
            return guest_bad(f, "two of its segments overlap");
    const struct guest_segment *last = &g->segments[g->segment_count - 1];
    g->end = (last->address + last->size + PAGE - 1) & ~(uint32_t)(PAGE - 1);
    return true;
}

/* ---- code ----------------------------------------------------------------------------------------------------------
 */

static int guest_compare_code(const void *a, const void *b)
{
    const struct guest_code *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Adds what of [low, high) lies in the file's part of a segment of code. */
static void guest_add_code(struct guest *g, uint64_t low, uint64_t high)
{
    low = (low + g->isa->alignment - 1) & ~(uint64_t)(g->isa->alignment - 1);
    for (uint32_t i = 0; i < g->segment_count; i++) {
        const struct guest_segment *s = &g->segments[i];
        if (s->rights & GUEST_EXECUTE && low >= s->address && low < high && high <= (uint64_t)s->address + s->file_size)
            g->code[g->code_count++] =
                (struct guest_code){(uint32_t)low, (uint32_t)high, s->bytes + (low - s->address)};
    }
}

static bool guest_read_code(struct guest_file *f)
{
    struct guest *g = f->guest;
    size_t sections = 0;
    elf_getshdrnum(f->elf, &sections);
    g->code = ARENA_ARRAY(f->arena, struct guest_code, sections + g->segment_count + 1);
    for (Elf_Scn *scn = NULL; sections && (scn = elf_nextscn(f->elf, scn));) {
        GElf_Shdr h;
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_PROGBITS && h.sh_flags & SHF_EXECINSTR)
            guest_add_code(g, h.sh_addr, h.sh_addr + h.sh_size);
    }
    for (uint32_t i = 0; !g->code_count && i < g->segment_count; i++)
        guest_add_code(g, g->segments[i].address, (uint64_t)g->segments[i].address + g->segments[i].file_size);
    qsort(g->code, g->code_count, sizeof *g->code, guest_compare_code);
    uint32_t end = 0;
    for (uint32_t i = 0; i < g->code_count; i++)
        end = g->code[i].high > end ? g->code[i].high : end;
    return !g->code_count || end - g->code[0].low <= GUEST_MAX_CODE ||
           guest_bad(f, "more than 32 MiB lie between the beginning and the end of its code");
}

/* ---- symbols -------------------------------------------------------------------------------------------------------
 */

static int guest_compare_symbols(const void *a, const void *b)
{
    const struct guest_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->function != y->function)
        return x->function ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* ELF for the ARM Architecture (IHI 0044), 4.5.5 "Mapping symbols": $a, $t and $d, and behind a full stop anything. */
static bool guest_is_mapping(const char *name)
{
    return name[0] == '$' && name[1] && strchr("atd", name[1]) && (!name[2] || name[2] == '.');
}

static void guest_add_mark(struct guest *g, const GElf_Sym *s, const char *name)
{
    const uint8_t encoding = name[1] == 'd' ? GUEST_DATA : name[1] == 't' ? GUEST_SHORT : GUEST_LONG;
    g->marks[g->mark_count++] = (struct guest_mark){(uint32_t)s->st_value, encoding};
}

static int guest_compare_marks(const void *a, const void *b)
{
    const struct guest_mark *x = a, *y = b;
    return x->address != y->address ? (x->address < y->address ? -1 : 1) : x->encoding - y->encoding;
}

/* The addresses of functions say how they are encoded; the bit is no part of the address. */
static void guest_mark_functions(struct guest *g)
{
    const bool only = !g->mark_count;
    for (uint32_t i = 0; i < g->symbol_count; i++) {
        struct guest_symbol *s = &g->symbols[i];
        if (!s->function)
            continue;
        const bool is_short = s->address & 1;
        s->address &= ~1u;
        if (only)
            g->marks[g->mark_count++] = (struct guest_mark){s->address, is_short ? GUEST_SHORT : GUEST_LONG};
    }
    qsort(g->marks, g->mark_count, sizeof *g->marks, guest_compare_marks);
}

static void guest_add_symbols(struct guest_file *f, Elf_Data *data, const GElf_Shdr *header)
{
    struct guest *g = f->guest;
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    g->symbols = ARENA_ARRAY(f->arena, struct guest_symbol, count + 1);
    g->marks = ARENA_ARRAY(f->arena, struct guest_mark, count + 1);
    for (size_t i = 0; i < count; i++) {
        GElf_Sym s;
        if (!gelf_getsym(data, (int)i, &s))
            break;
        const char *name = elf_strptr(f->elf, header->sh_link, s.st_name);
        const unsigned type = GELF_ST_TYPE(s.st_info);
        bool place =
            type == STT_FUNC || type == STT_OBJECT || (type == STT_NOTYPE && GELF_ST_BIND(s.st_info) == STB_GLOBAL);
        if (name && g->isa->interworks && guest_is_mapping(name))
            guest_add_mark(g, &s, name);
        if (!name || !*name || !place || s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_ABS)
            continue;
        g->symbols[g->symbol_count++] =
            (struct guest_symbol){(uint32_t)s.st_value, (uint32_t)s.st_size, arena_string(f->arena, name, strlen(name)),
                                  type == STT_FUNC || type == STT_NOTYPE};
    }
    if (g->isa->interworks)
        guest_mark_functions(g);
    qsort(g->symbols, g->symbol_count, sizeof *g->symbols, guest_compare_symbols);
}

static void guest_read_symbols(struct guest_file *f)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB && (data = elf_getdata(scn, NULL))) {
            guest_add_symbols(f, data, &header);
            return;
        }
    }
}

static bool guest_read_lines(struct guest_file *f)
{
    struct cubin *c = ARENA_NEW(f->arena, struct cubin);
    *c = (struct cubin){.file_name = f->guest->path};
    f->guest->lines = c;
    return cubin_lines_of_executable(c, f->arena, f->elf, f->err);
}

/* Code must be readable where the program starts. */
static bool guest_check_entry(struct guest_file *f)
{
    const struct guest *g = f->guest;
    for (uint32_t i = 0; i < g->segment_count; i++) {
        const struct guest_segment *s = &g->segments[i];
        if (s->rights & GUEST_EXECUTE && g->entry >= s->address && g->entry - s->address < s->file_size)
            return true;
    }
    return guest_bad(f, "its entry point is not in a segment of code");
}

static bool guest_read(struct guest_file *f, char *copy)
{
    elf_version(EV_CURRENT);
    f->elf = elf_memory(copy, f->size);
    bool ok = f->elf ? guest_check_header(f) && guest_read_segments(f) && guest_check_entry(f)
                     : guest_bad(f, "not an ELF file");
    ok = ok && guest_read_code(f);
    if (ok)
        guest_read_symbols(f);
    if (ok && f->guest->isa->interworks && !f->guest->mark_count)
        f->guest->isa->find_marks(f->guest);
    return ok && guest_read_lines(f);
}

/* libelf wants memory that it may write to. */
struct guest *guest_load(const struct guest_isa *isa, const char *path, const void *bytes, size_t size,
                         struct rp_error *err)
{
    struct arena *arena = calloc(1, sizeof *arena);
    char *volatile copy = malloc(size + 1);
    jmp_buf full;
    struct guest_file file = {.err = err, .bytes = bytes, .size = size, .arena = arena}, *volatile f = &file;
    volatile bool ok = false;
    if (!arena || !copy || setjmp(full)) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
    } else {
        memcpy(copy, bytes, size);
        arena->out_of_memory = &full;
        f->guest = ARENA_NEW(arena, struct guest);
        f->guest->isa = isa;
        f->guest->owner = arena;
        f->guest->path = arena_string(arena, path, strlen(path));
        ok = guest_read(f, copy);
    }
    if (f->elf)
        elf_end(f->elf);
    free(copy);
    if (ok)
        return f->guest;
    if (arena)
        arena_free(arena);
    free(arena);
    return NULL;
}

void guest_free(struct guest *g)
{
    if (!g)
        return;
    struct arena *arena = g->owner;
    arena_free(arena);
    free(arena);
}

/* The number of symbols at or below the address. */
static uint32_t guest_symbols_below(const struct guest *g, uint32_t address)
{
    uint32_t low = 0, high = g->symbol_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (g->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct guest_symbol *guest_function(const struct guest *g, uint32_t address)
{
    for (uint32_t i = guest_symbols_below(g, address); i-- > 0;)
        if (g->symbols[i].function)
            return &g->symbols[i];
    return NULL;
}

const struct guest_symbol *guest_symbol(const struct guest *g, const char *name)
{
    for (uint32_t i = 0; i < g->symbol_count; i++)
        if (!strcmp(g->symbols[i].name, name))
            return &g->symbols[i];
    return NULL;
}

const struct cubin_line *guest_line(const struct guest *g, uint32_t address)
{
    const struct cubin_line *l = cubin_line(g->lines->kernels, address);
    return l && l->line && l->file < g->lines->file_count ? l : NULL;
}

void guest_describe(const struct guest *g, uint32_t address, char *text, size_t size)
{
    const struct guest_symbol *s = guest_function(g, address);
    const struct cubin_line *l = guest_line(g, address);
    char line[128] = "";
    if (l)
        snprintf(line, sizeof line, ", %.100s:%" PRIu32, g->lines->files[l->file], l->line);
    if (s && address != s->address)
        snprintf(text, size, "%s+0x%" PRIx32 " (0x%" PRIx32 ")%s", s->name, address - s->address, address, line);
    else if (s)
        snprintf(text, size, "%s (0x%" PRIx32 ")%s", s->name, address, line);
    else
        snprintf(text, size, "0x%" PRIx32 "%s", address, line);
}
