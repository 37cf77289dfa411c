/* .debug_line as ptxas -lineinfo writes it: line programs of DWARF 2 (DWARF 2.0.0, section 6.2). A DW_LNE_set_address
 * is relocated against the symbol of the kernel whose code the rows describe.
 *
 * NVIDIA's extended operation 0x90 says that the following rows belong to an inlined function. Its operands are the row
 * at whose place the function is called, counted from 1 in the sequence (0: none), and the offset of its name in
 * .debug_str. That was found by comparing line programs with the output of nvdisasm --print-line-info-inline. */
#include <stdlib.h>
#include <string.h>

#include "frontend/module/cubin_file.h"
#include "frontend/module/inlined.h"
#include "tracefmt/utf8.h"

enum { LNS_COPY = 1, LNS_ADVANCE_PC, LNS_ADVANCE_LINE, LNS_SET_FILE, LNS_CONST_ADD_PC = 8, LNS_FIXED_ADVANCE_PC };
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS, LNE_DEFINE_FILE, LNE_INLINED_CALL = 0x90 };

struct address_patch {
    uint64_t offset;
    struct cubin_kernel *kernel;
    uint64_t addend;
};

typedef VECTOR(struct cubin_line) rows;

/* A row as the place of a call. */
struct call_location {
    uint32_t file, line, inlined;
    uint32_t last; /* the last call at it; 0: none yet */
    uint64_t function;
};

struct program {
    struct cubin_file *f;
    rows *rows;                      /* one per kernel */
    const uint8_t *start, *at, *end; /* start: of the section */
    bool damaged;
    const struct address_patch *patches;
    uint32_t patch_count;
    VECTOR(const char *) files;
    uint32_t first_file; /* of this unit */
    uint8_t minimum, opcode_base, line_range;
    int8_t line_base;
    uint8_t argument_count[256];
    uint64_t address, line, file;
    struct cubin_kernel *kernel;
    struct cubin_bytes names;              /* .debug_str */
    VECTOR(struct call_location) sequence; /* its rows so far */
    uint32_t inlined;                      /* of the next row */
    VECTOR(struct rp_inlined_call) calls;
    VECTOR(struct line_unit) units;
};

static uint8_t byte(struct program *p)
{
    if (p->at < p->end)
        return *p->at++;
    p->damaged = true;
    return 0;
}

static uint64_t fixed(struct program *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)byte(p) << (8 * i);
    return v;
}

/* A number in LEB128 (DWARF 4, section 7.6), as its 7-bit groups. *shift: how many bits they have; *last: the last one.
 */
static uint64_t leb(struct program *p, unsigned *shift, uint8_t *last)
{
    uint64_t v = 0;
    *shift = 0;
    do {
        *last = byte(p);
        if (*shift < 64)
            v |= (uint64_t)(*last & 127) << *shift;
        *shift += 7;
    } while (*last & 128);
    return v;
}

static uint64_t uleb(struct program *p)
{
    unsigned shift;
    uint8_t last;
    return leb(p, &shift, &last);
}

static int64_t sleb(struct program *p)
{
    unsigned shift;
    uint8_t last;
    uint64_t v = leb(p, &shift, &last);
    return (int64_t)(last & 64 && shift < 64 ? v | ~0ull << shift : v);
}

static const char *string(struct program *p)
{
    const uint8_t *nul = memchr(p->at, 0, (size_t)(p->end - p->at));
    if (!nul) {
        p->damaged = true;
        return "";
    }
    char *s = arena_string(p->f->arena, (const char *)p->at, (size_t)(nul - p->at));
    rp_utf8_repair(s);
    p->at = nul + 1;
    return s;
}

static void add_file(struct program *p, const char *name)
{
    for (int i = 0; i < 3; i++) /* directory, time, size */
        uleb(p);
    VECTOR_PUSH(p->f->arena, &p->files, name);
}

static void emit(struct program *p)
{
    struct cubin_kernel *k = p->kernel;
    uint64_t file = p->first_file + p->file - 1;
    bool known = p->file && file < p->files.count && p->line <= UINT32_MAX;
    struct call_location location = {known ? (uint32_t)file : 0, known ? (uint32_t)p->line : 0, p->inlined, 0, 0};
    VECTOR_PUSH(p->f->arena, &p->sequence, location);
    if (!k || p->address >= k->code.size || !p->file || file >= p->files.count || p->line > UINT32_MAX)
        return;
    rows *all = &p->rows[k - p->f->cubin->kernels];
    struct cubin_line row = {(uint32_t)p->address, (uint32_t)file, (uint32_t)p->line, p->inlined, all->count};
    VECTOR_PUSH(p->f->arena, all, row);
}

static void reset(struct program *p)
{
    p->address = 0;
    p->line = p->file = 1;
    p->inlined = 0;
    p->sequence.count = 0;
}

static const char *function_name(const struct program *p, uint64_t at)
{
    if (at >= p->names.size || !memchr(p->names.at + at, 0, p->names.size - at))
        return "?";
    const char *name = (const char *)p->names.at + at;
    return inlined_function_name(p->f->arena, arena_string(p->f->arena, name, strlen(name)));
}

static void inlined_call(struct program *p)
{
    uint64_t row = uleb(p), function = uleb(p);
    p->inlined = 0;
    if (!row || row > p->sequence.count)
        return;
    struct call_location *at = &p->sequence.at[row - 1];
    if (!at->last || at->function != function) {
        struct rp_inlined_call call = {function_name(p, function), at->file, at->line, at->inlined};
        VECTOR_PUSH(p->f->arena, &p->calls, call);
        at->last = p->calls.count;
        at->function = function;
    }
    p->inlined = at->last;
}

static void extended(struct program *p)
{
    uint64_t size = uleb(p);
    if (p->damaged || !size || size > (uint64_t)(p->end - p->at)) {
        p->damaged = true;
        return;
    }
    const uint8_t *next = p->at + size;
    uint8_t operation = byte(p);
    if (operation == LNE_END_SEQUENCE) {
        reset(p);
    } else if (operation == LNE_SET_ADDRESS) {
        uint64_t where = (uint64_t)(p->at - p->start);
        p->kernel = p->f->cubin->kernel_count == 1 ? p->f->cubin->kernels : NULL;
        p->address = fixed(p, size == 5 ? 4 : 8);
        for (uint32_t i = 0; i < p->patch_count; i++)
            if (p->patches[i].offset == where)
                p->kernel = p->patches[i].kernel, p->address += p->patches[i].addend;
    } else if (operation == LNE_DEFINE_FILE) {
        add_file(p, string(p));
    } else if (operation == LNE_INLINED_CALL) {
        inlined_call(p);
    }
    if (p->at > next)
        p->damaged = true;
    p->at = next;
}

static void standard(struct program *p, uint8_t operation)
{
    switch (operation) {
    case LNS_COPY: emit(p); break;
    case LNS_ADVANCE_PC: p->address += uleb(p) * p->minimum; break;
    case LNS_ADVANCE_LINE: p->line += (uint64_t)sleb(p); break;
    case LNS_SET_FILE: p->file = uleb(p); break;
    case LNS_CONST_ADD_PC: p->address += (uint64_t)((255 - p->opcode_base) / p->line_range) * p->minimum; break;
    case LNS_FIXED_ADVANCE_PC: p->address += fixed(p, 2); break;
    default:
        for (uint8_t i = 0; i < p->argument_count[operation]; i++)
            uleb(p);
    }
}

static void run(struct program *p, const uint8_t *end)
{
    reset(p);
    p->kernel = NULL;
    while (p->at < end && !p->damaged) {
        uint8_t operation = byte(p);
        if (operation >= p->opcode_base) {
            unsigned step = operation - p->opcode_base;
            p->address += (uint64_t)(step / p->line_range) * p->minimum;
            p->line += (uint64_t)(int64_t)(p->line_base + (int)(step % p->line_range));
            emit(p);
        } else if (operation) {
            standard(p, operation);
        } else {
            extended(p);
        }
    }
}

/* One unit: header, directories, files, program. */
static bool unit(struct program *p)
{
    struct line_unit here = {(uint32_t)(p->at - p->start), p->files.count};
    uint64_t length = fixed(p, 4);
    VECTOR_PUSH(p->f->arena, &p->units, here);
    if (p->damaged || length > (uint64_t)(p->end - p->at))
        return false;
    const uint8_t *end = p->at + length;
    uint64_t version = fixed(p, 2), header = fixed(p, 4);
    if (p->damaged || version < 2 || version > 3 || header > (uint64_t)(end - p->at))
        return false;
    const uint8_t *code = p->at + header;
    p->minimum = byte(p);
    byte(p); /* default_is_stmt */
    p->line_base = (int8_t)byte(p);
    p->line_range = byte(p);
    p->opcode_base = byte(p);
    if (!p->line_range || !p->opcode_base)
        return false;
    for (unsigned i = 1; i < p->opcode_base; i++)
        p->argument_count[i] = byte(p);
    p->first_file = p->files.count;
    while (p->at < code && *p->at)
        string(p);
    byte(p);
    while (p->at < code && *p->at)
        add_file(p, string(p));
    if (p->damaged || p->at > code)
        return false;
    p->at = code;
    run(p, end);
    p->at = end;
    return !p->damaged;
}

/* Of a table without addends, or with them, as sm_90 has it. */
static bool get_relocation(Elf_Data *data, bool rela, uint32_t k, GElf_Rela *r)
{
    GElf_Rel without = {0};
    if (rela ? !gelf_getrela(data, (int)k, r) : !gelf_getrel(data, (int)k, &without))
        return false;
    if (!rela)
        *r = (GElf_Rela){.r_offset = without.r_offset, .r_info = without.r_info};
    return true;
}

static struct address_patch *read_patches(struct cubin_file *f, size_t lines, uint32_t *count)
{
    for (size_t i = 1; i < f->section_count; i++) {
        const struct cubin_section *s = &f->sections[i];
        bool rela = s->header.sh_type == SHT_RELA;
        if ((s->header.sh_type != SHT_REL && !rela) || s->header.sh_info != lines)
            continue;
        Elf_Data *data = elf_getdata(elf_getscn(f->elf, i), NULL);
        size_t entry = gelf_fsize(f->elf, rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
        uint32_t n = s->bytes.size / (uint32_t)entry;
        struct address_patch *patches = ARENA_ARRAY(f->arena, struct address_patch, n + 1);
        for (uint32_t k = 0; data && k < n; k++) {
            GElf_Rela r;
            if (!get_relocation(data, rela, k, &r) || GELF_R_SYM(r.r_info) >= f->symbol_count)
                continue;
            uint32_t section = f->symbols[GELF_R_SYM(r.r_info)].st_shndx;
            patches[(*count)++] =
                (struct address_patch){r.r_offset, cubin_kernel_of_section(f, section), (uint64_t)r.r_addend};
        }
        return patches;
    }
    return NULL;
}

static int by_offset(const void *a, const void *b)
{
    const struct cubin_line *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static struct cubin_bytes section_bytes(const struct cubin_file *f, const char *name)
{
    for (size_t i = 1; i < f->section_count; i++)
        if (!strcmp(f->sections[i].name, name))
            return f->sections[i].bytes;
    return (struct cubin_bytes){0};
}

static void keep_rows(struct program *p)
{
    struct cubin *c = p->f->cubin;
    c->files = p->files.at;
    c->file_count = p->files.count;
    c->inlined = p->calls.at;
    c->inlined_count = p->calls.count;
    for (uint32_t k = 0; k < c->kernel_count; k++) {
        c->kernels[k].lines = p->rows[k].at;
        c->kernels[k].line_count = p->rows[k].count;
        if (p->rows[k].count)
            qsort(p->rows[k].at, p->rows[k].count, sizeof *p->rows[k].at, by_offset);
    }
}

bool cubin_read_lines(struct cubin_file *f)
{
    for (size_t i = 1; i < f->section_count; i++) {
        const struct cubin_section *s = &f->sections[i];
        if (strcmp(s->name, ".debug_line"))
            continue;
        struct program p = {.f = f,
                            .rows = ARENA_ARRAY(f->arena, rows, f->cubin->kernel_count),
                            .start = s->bytes.at,
                            .at = s->bytes.at,
                            .end = s->bytes.at + s->bytes.size};
        p.patches = read_patches(f, i, &p.patch_count);
        p.names = section_bytes(f, ".debug_str");
        while (p.at < p.end)
            if (!unit(&p))
                return cubin_bad(f, s->name, "the line program at 0x%x is damaged", (unsigned)(p.at - p.start));
        keep_rows(&p);
        if (!p.calls.count)
            cubin_read_calls(f, p.units.at, p.units.count);
        break;
    }
    return true;
}
