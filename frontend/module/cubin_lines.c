/* .debug_line: line programs of DWARF 2, as ptxas -lineinfo writes them (DWARF 2.0.0, section 6.2), to 5 (DWARF 5,
 * section 6.2.4). A DW_LNE_set_address is relocated against the symbol of the kernel whose code the rows describe.
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
enum { LNCT_PATH = 1, LNCT_DIRECTORY_INDEX = 2 };
enum { MOST_JOINED = 64 << 20 /* bytes of all names with directories; names of a file that has more are bare */ };
enum {
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f
};

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
    VECTOR(const char *) directories; /* of this unit */
    size_t joined;                    /* see MOST_JOINED */
    uint32_t first_file;              /* of this unit */
    uint8_t minimum, opcode_base, line_range;
    int8_t line_base;
    uint8_t argument_count[256];
    uint64_t address, line, file; /* file: from 1, also of DWARF 5, which counts from 0 */
    bool files_from_0;
    struct cubin_kernel *kernel;
    struct cubin_bytes names, file_names;  /* .debug_str, .debug_line_str: text_section */
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

/* A file in a directory of the unit. Number 0 is where the compiler ran, which the names that users give do not have.
 */
static void keep_file(struct program *p, const char *name, uint64_t directory)
{
    const bool known = directory && directory < p->directories.count && *name != '/';
    const char *in = known && strcmp(p->directories.at[directory], ".") != 0 ? p->directories.at[directory] : "";
    p->joined += *in ? strlen(in) + strlen(name) : 0;
    if (*in && p->joined <= MOST_JOINED)
        name = arena_printf(p->f->arena, "%s%s%s", in, in[strlen(in) - 1] == '/' ? "" : "/", name);
    VECTOR_PUSH(p->f->arena, &p->files, name);
}

static void add_file(struct program *p, const char *name)
{
    uint64_t directory = uleb(p);
    for (int i = 0; i < 2; i++) /* time, size */
        uleb(p);
    keep_file(p, name, directory);
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
    struct cubin_line row = {(uint32_t)p->address, (uint32_t)file, (uint32_t)p->line, p->inlined, all->count + 1};
    VECTOR_PUSH(p->f->arena, all, row);
}

/* What is behind a sequence belongs to no line, unless another sequence says so: those have an order from 1 on. */
static void end_sequence(struct program *p)
{
    struct cubin_kernel *k = p->kernel;
    if (!k || p->address >= k->code.size || !p->files.count)
        return;
    struct cubin_line row = {.offset = (uint32_t)p->address};
    VECTOR_PUSH(p->f->arena, &p->rows[k - p->f->cubin->kernels], row);
}

static void reset(struct program *p)
{
    p->address = 0;
    p->line = 1;
    p->file = 1 + p->files_from_0;
    p->inlined = 0;
    p->sequence.count = 0;
}

static const char *function_name(const struct program *p, uint64_t at)
{
    return at < p->names.size ? inlined_function_name(p->f->arena, (const char *)p->names.at + at) : "?";
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
        end_sequence(p);
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
    case LNS_SET_FILE: p->file = uleb(p) + p->files_from_0; break;
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

/* Up to the code: directories and files of DWARF 2 to 4. */
static void read_files(struct program *p, const uint8_t *code)
{
    VECTOR_PUSH(p->f->arena, &p->directories, "");
    while (p->at < code && *p->at) {
        const char *directory = string(p);
        VECTOR_PUSH(p->f->arena, &p->directories, directory);
    }
    byte(p);
    while (p->at < code && *p->at)
        add_file(p, string(p));
}

static const char *string_of_section(struct program *p, const struct cubin_bytes *section)
{
    uint64_t at = fixed(p, 4);
    p->damaged |= at >= section->size;
    return p->damaged ? "" : (const char *)section->at + at;
}

static void skip(struct program *p, uint64_t bytes)
{
    p->damaged |= bytes > (uint64_t)(p->end - p->at);
    p->at = p->damaged ? p->end : p->at + bytes;
}

/* A value of an entry of DWARF 5; NULL: it is no text. *number: what it is, where it is a number of up to 16 bits. */
static const char *entry_value(struct program *p, uint64_t form, uint64_t *number)
{
    switch (form) {
    case FORM_STRING: return string(p);
    case FORM_STRP: return string_of_section(p, &p->names);
    case FORM_LINE_STRP: return string_of_section(p, &p->file_names);
    case FORM_UDATA: *number = uleb(p); break;
    case FORM_BLOCK: skip(p, uleb(p)); break;
    case FORM_DATA1: *number = byte(p); break;
    case FORM_DATA2: *number = fixed(p, 2); break;
    case FORM_DATA4: skip(p, 4); break;
    case FORM_DATA8: skip(p, 8); break;
    case FORM_DATA16: skip(p, 16); break;
    default: p->damaged = true;
    }
    return NULL;
}

/* The directories of DWARF 5, or its files, which are kept: the pairs that say what an entry has, and the entries. */
static void read_entries(struct program *p, bool keep)
{
    uint64_t content[256], form[256];
    unsigned pairs = byte(p);
    for (unsigned i = 0; i < pairs; i++) {
        content[i] = uleb(p);
        form[i] = uleb(p);
    }
    for (uint64_t n = uleb(p); n && pairs && !p->damaged; n--) {
        const char *path = "";
        uint64_t directory = 0;
        for (unsigned i = 0; i < pairs; i++) {
            uint64_t number = 0;
            const char *text = entry_value(p, form[i], &number);
            if (content[i] == LNCT_PATH && text)
                path = text;
            else if (content[i] == LNCT_DIRECTORY_INDEX)
                directory = number;
        }
        if (keep)
            keep_file(p, path, directory);
        else
            VECTOR_PUSH(p->f->arena, &p->directories, path);
    }
}

/* One unit: header, directories, files, program. One of another version has no rows. */
static bool unit(struct program *p)
{
    struct line_unit here = {(uint32_t)(p->at - p->start), p->files.count};
    uint64_t length = fixed(p, 4);
    VECTOR_PUSH(p->f->arena, &p->units, here);
    if (p->damaged || length > (uint64_t)(p->end - p->at))
        return false;
    const uint8_t *end = p->at + length;
    uint64_t version = fixed(p, 2);
    if (!p->damaged && (version < 2 || version > 5)) {
        p->at = end;
        return true;
    }
    if (version >= 5)
        fixed(p, 2); /* sizes of addresses and of segment selectors */
    uint64_t header = fixed(p, 4);
    if (p->damaged || p->at > end || header > (uint64_t)(end - p->at))
        return false;
    const uint8_t *code = p->at + header;
    p->minimum = byte(p);
    if (version >= 4)
        byte(p); /* maximum_operations_per_instruction: 1 */
    byte(p);     /* default_is_stmt */
    p->line_base = (int8_t)byte(p);
    p->line_range = byte(p);
    p->opcode_base = byte(p);
    if (!p->line_range || !p->opcode_base)
        return false;
    for (unsigned i = 1; i < p->opcode_base; i++)
        p->argument_count[i] = byte(p);
    p->directories.count = 0;
    p->first_file = p->files.count;
    p->files_from_0 = version >= 5;
    if (version >= 5) {
        read_entries(p, false);
        read_entries(p, true);
    } else {
        read_files(p, code);
    }
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

/* A copy of a section of strings, so that all of it is UTF-8 and ends in a NUL. */
static struct cubin_bytes text_section(const struct cubin_file *f, const char *name)
{
    for (size_t i = 1; i < f->section_count; i++) {
        struct cubin_bytes b = f->sections[i].bytes;
        if (strcmp(f->sections[i].name, name) || !b.size)
            continue;
        char *copy = arena_alloc(f->arena, (size_t)b.size + 1);
        memcpy(copy, b.at, b.size);
        copy[b.size] = 0;
        for (char *s = copy; s < copy + b.size; s += strlen(s) + 1)
            rp_utf8_repair(s);
        return (struct cubin_bytes){(uint8_t *)copy, b.size};
    }
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

/* Runs the programs of section i. */
static bool read_section(struct program *p, size_t i)
{
    struct cubin_file *f = p->f;
    const struct cubin_section *s = &f->sections[i];
    p->rows = ARENA_ARRAY(f->arena, rows, f->cubin->kernel_count);
    p->start = p->at = s->bytes.at;
    p->end = s->bytes.at + s->bytes.size;
    p->patches = read_patches(f, i, &p->patch_count);
    p->names = text_section(f, ".debug_str");
    p->file_names = text_section(f, ".debug_line_str");
    while (p->at < p->end)
        if (!unit(p))
            return cubin_bad(f, s->name, "the line program at 0x%x is damaged", (unsigned)(p->at - p->start));
    keep_rows(p);
    return true;
}

/* .debug_line; the number of sections: there is none. */
static size_t line_section(const struct cubin_file *f)
{
    size_t i = 1;
    while (i < f->section_count && strcmp(f->sections[i].name, ".debug_line"))
        i++;
    return i;
}

bool cubin_read_lines(struct cubin_file *f)
{
    struct program p = {.f = f};
    const size_t i = line_section(f);
    if (i >= f->section_count)
        return true;
    if (!read_section(&p, i))
        return false;
    if (!p.calls.count)
        cubin_read_calls(f, p.units.at, p.units.count);
    return true;
}

/* Names and bytes of sections. Those that are compressed have none. */
static void read_sections(struct cubin_file *f)
{
    size_t names = 0;
    elf_getshdrnum(f->elf, &f->section_count);
    elf_getshdrstrndx(f->elf, &names);
    f->sections = ARENA_ARRAY(f->arena, struct cubin_section, f->section_count + 1);
    for (size_t i = 1; i < f->section_count; i++) {
        struct cubin_section *s = &f->sections[i];
        Elf_Scn *scn = elf_getscn(f->elf, i);
        Elf_Data *data = gelf_getshdr(scn, &s->header) ? elf_rawdata(scn, NULL) : NULL;
        const char *name = elf_strptr(f->elf, names, s->header.sh_name);
        s->name = name ? name : "";
        if (data && data->d_buf && s->header.sh_type != SHT_NOBITS && !(s->header.sh_flags & SHF_COMPRESSED) &&
            data->d_size <= UINT32_MAX)
            s->bytes = (struct cubin_bytes){data->d_buf, (uint32_t)data->d_size};
    }
}

bool cubin_lines_of_executable(struct cubin *c, struct arena *arena, Elf *elf, struct rp_error *err)
{
    struct cubin_file f = {.cubin = c, .arena = arena, .err = err, .elf = elf};
    struct program p = {.f = &f};
    c->kernel_count = 1;
    c->kernels = ARENA_NEW(arena, struct cubin_kernel);
    *c->kernels = (struct cubin_kernel){.code = {.size = UINT32_MAX}};
    read_sections(&f);
    const size_t i = line_section(&f);
    return i >= f.section_count || read_section(&p, i);
}
