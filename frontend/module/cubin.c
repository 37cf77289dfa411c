#include "frontend/module/cubin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/module/cubin_file.h"

enum {
    MACHINE_CUDA = 190,
    OSABI_CUDA = 0x33,
    OSABI_CUDA_13 = 0x41,
    ENTRY = 0x10,
    FIRST_WIDE = 70,    /* sm of words of 128 bits */
    FIRST_RESERVED = 90 /* sm that reserves the beginning of shared memory */
};

bool cubin_bad(struct cubin_file *f, const char *section, const char *format, ...)
{
    char reason[256];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return rp_fail(f->err, RP_BAD_INPUT, "%s: section %s: %s", f->cubin->file_name, section, reason);
}

bool cubin_is(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    return size >= 20 && !memcmp(b, ELFMAG, SELFMAG) && le16(b + 18) == MACHINE_CUDA;
}

static unsigned sm_of(uint32_t flags, uint8_t osabi)
{
    return osabi == OSABI_CUDA_13 ? flags >> 8 & 0xff : flags & 0xff;
}

unsigned cubin_sm(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    size_t flags_at = size > EI_CLASS && b[EI_CLASS] == ELFCLASS64 ? 48 : 36;
    if (!cubin_is(bytes, size) || size < flags_at + 4)
        return 0;
    return sm_of((uint32_t)(le16(b + flags_at) | le16(b + flags_at + 2) << 16), b[EI_OSABI]);
}

/* ---- sections and symbols -----------------------------------------------------------------------------------------
 */

static bool read_header(struct cubin_file *f)
{
    struct cubin *c = f->cubin;
    GElf_Ehdr h;
    if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &h))
        return rp_fail(f->err, RP_BAD_INPUT, "%s: not an ELF file", c->file_name);
    if (h.e_machine != MACHINE_CUDA)
        return rp_fail(f->err, RP_BAD_INPUT, "%s: an ELF file, but not for an NVIDIA GPU (machine %u)", c->file_name,
                       h.e_machine);
    if (h.e_ident[EI_DATA] != ELFDATA2LSB || (h.e_type != ET_EXEC && h.e_type != ET_REL))
        return rp_fail(f->err, RP_BAD_INPUT, "%s: neither an executable nor a relocatable cubin (type %u)",
                       c->file_name, h.e_type);
    bool late = h.e_ident[EI_OSABI] == OSABI_CUDA_13;
    c->flags = h.e_flags;
    c->os_abi = h.e_ident[EI_OSABI];
    c->abi_version = h.e_ident[EI_ABIVERSION];
    c->sm = sm_of(h.e_flags, h.e_ident[EI_OSABI]);
    c->virtual_sm = late ? c->sm : h.e_flags >> 16 & 0xff;
    c->toolkit = h.e_version;
    c->is_64 = gelf_getclass(f->elf) == ELFCLASS64;
    c->relocatable = h.e_type == ET_REL;
    return c->sm || rp_fail(f->err, RP_BAD_INPUT, "%s: machine code that names no architecture", c->file_name);
}

static bool read_section(struct cubin_file *f, size_t index, size_t names)
{
    Elf_Scn *scn = elf_getscn(f->elf, index);
    struct cubin_section *s = &f->sections[index];
    if (!scn || !gelf_getshdr(scn, &s->header))
        return rp_fail(f->err, RP_BAD_INPUT, "%s: section header %zu is damaged", f->cubin->file_name, index);
    const char *name = elf_strptr(f->elf, names, s->header.sh_name);
    if (!name)
        return rp_fail(f->err, RP_BAD_INPUT, "%s: section %zu has no name", f->cubin->file_name, index);
    s->name = arena_string(f->arena, name, strlen(name));
    if (s->header.sh_type == SHT_NULL || s->header.sh_type == SHT_NOBITS || !s->header.sh_size)
        return true;
    Elf_Data *data = elf_rawdata(scn, NULL);
    if (!data || !data->d_buf || data->d_size != s->header.sh_size || data->d_size > UINT32_MAX)
        return cubin_bad(f, s->name, "lies outside the file");
    s->bytes.size = (uint32_t)data->d_size;
    s->bytes.at = arena_alloc(f->arena, data->d_size);
    memcpy(s->bytes.at, data->d_buf, data->d_size);
    return true;
}

static bool read_sections(struct cubin_file *f)
{
    size_t names;
    if (elf_getshdrnum(f->elf, &f->section_count) || elf_getshdrstrndx(f->elf, &names) || f->section_count < 2)
        return rp_fail(f->err, RP_BAD_INPUT, "%s: the table of sections is damaged", f->cubin->file_name);
    f->sections = ARENA_ARRAY(f->arena, struct cubin_section, f->section_count);
    f->sections[0].name = "";
    for (size_t i = 1; i < f->section_count; i++)
        if (!read_section(f, i, names))
            return false;
    return true;
}

static bool read_symbols(struct cubin_file *f)
{
    for (size_t i = 1; i < f->section_count; i++) {
        const struct cubin_section *s = &f->sections[i];
        if (s->header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(elf_getscn(f->elf, i), NULL);
        size_t entry = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
        if (!data || s->header.sh_entsize != entry || s->bytes.size % entry)
            return cubin_bad(f, s->name, "not a table of symbols");
        f->symbol_count = s->bytes.size / (uint32_t)entry;
        f->symbols = ARENA_ARRAY(f->arena, GElf_Sym, f->symbol_count);
        f->symbol_names = ARENA_ARRAY(f->arena, const char *, f->symbol_count);
        for (uint32_t k = 0; k < f->symbol_count; k++) {
            const char *name = NULL;
            if (gelf_getsym(data, (int)k, &f->symbols[k]))
                name = elf_strptr(f->elf, s->header.sh_link, f->symbols[k].st_name);
            if (!name)
                return cubin_bad(f, s->name, "symbol %u is damaged", k);
            f->symbol_names[k] = arena_string(f->arena, name, strlen(name));
        }
        return true;
    }
    return rp_fail(f->err, RP_BAD_INPUT, "%s: no table of symbols", f->cubin->file_name);
}

/* ---- kernels and variables ----------------------------------------------------------------------------------------
 */

struct cubin_kernel *cubin_kernel_of_section(struct cubin_file *f, uint32_t section)
{
    for (uint32_t k = 0; k < f->cubin->kernel_count; k++)
        if (f->cubin->kernels[k].section == section)
            return &f->cubin->kernels[k];
    return NULL;
}

static bool is_code(const struct cubin_section *s)
{
    return s->header.sh_flags & SHF_EXECINSTR && !strncmp(s->name, ".text.", 6) && s->header.sh_type == SHT_PROGBITS;
}

static bool read_kernels(struct cubin_file *f)
{
    struct cubin *c = f->cubin;
    const uint32_t unit = c->sm < FIRST_WIDE ? 32 : 16; /* a bundle, or a word that holds its control bits */
    c->kernels = ARENA_ARRAY(f->arena, struct cubin_kernel, f->section_count);
    for (size_t i = 1; i < f->section_count; i++) {
        const struct cubin_section *s = &f->sections[i];
        if (!is_code(s))
            continue;
        if (s->bytes.size % unit)
            return cubin_bad(f, s->name, "%u bytes of code are no whole number of %u-byte %s", s->bytes.size, unit,
                             unit == 32 ? "bundles" : "words");
        struct cubin_kernel *k = &c->kernels[c->kernel_count++];
        k->name = s->name + 6;
        k->section = (uint32_t)i;
        k->code = s->bytes;
        k->registers = s->header.sh_info >> 24;
        k->reserved_shared = c->sm < FIRST_RESERVED ? 0 : CUBIN_RESERVED_SHARED;
        k->barriers = s->header.sh_flags >> 20 & 0x7f;
    }
    return true;
}

/* ".nv.constant3" is the module's bank 3, ".nv.constant2.k" kernel k's bank 2. */
static bool read_constant(struct cubin_file *f, uint32_t index)
{
    const struct cubin_section *s = &f->sections[index];
    char *end;
    unsigned long bank = strtoul(s->name + strlen(".nv.constant"), &end, 10);
    if (bank > 31 || (*end && *end != '.'))
        return cubin_bad(f, s->name, "no constant bank");
    if (s->bytes.size > 65536)
        return cubin_bad(f, s->name, "%u bytes in a bank of 65536", s->bytes.size);
    if (!*end) {
        f->cubin->constant[bank] = s->bytes;
        f->cubin->constant_section[bank] = index;
        return true;
    }
    for (uint32_t k = 0; k < f->cubin->kernel_count; k++)
        if (!strcmp(f->cubin->kernels[k].name, end + 1))
            f->cubin->kernels[k].constant[bank] = s->bytes;
    return true;
}

/* .note.nv.cuinfo of CUDA 13: a note of ELF (12 bytes of sizes and type, the owner's name, padded) whose content is u16
 * version, u16 architecture of the PTX, u32 version of the toolkit. */
static void read_cuinfo(struct cubin *c, const struct cubin_bytes *note)
{
    enum { HEADER = 12, WORD = 4 };
    uint32_t name;
    if (note->size < HEADER)
        return;
    memcpy(&name, note->at, sizeof name);
    uint64_t at = HEADER + ((uint64_t)name + WORD - 1) / WORD * WORD;
    if (at + WORD <= note->size && note->at[at + 2])
        c->virtual_sm = note->at[at + 2];
}

/* A kernel's section holds the reserved bytes, too. */
static void set_shared(struct cubin_kernel *k, uint64_t bytes)
{
    bytes = bytes < UINT32_MAX ? bytes : UINT32_MAX;
    k->static_shared = bytes > k->reserved_shared ? (uint32_t)bytes - k->reserved_shared : 0;
}

static bool read_data(struct cubin_file *f)
{
    struct cubin *c = f->cubin;
    for (uint32_t i = 1; i < f->section_count; i++) {
        const struct cubin_section *s = &f->sections[i];
        if (!strncmp(s->name, ".nv.constant", 12) && !read_constant(f, i))
            return false;
        if (!strcmp(s->name, ".nv.global.init")) {
            c->global_init = s->bytes;
            c->global_init_section = i;
        } else if (!strcmp(s->name, ".nv.global")) {
            c->global_size = s->header.sh_size;
            c->global_section = i;
        } else if (!strcmp(s->name, ".note.nv.cuinfo")) {
            read_cuinfo(c, &s->bytes);
        } else if (!strncmp(s->name, ".nv.shared.", 11)) {
            for (uint32_t k = 0; k < c->kernel_count; k++)
                if (!strcmp(c->kernels[k].name, s->name + 11))
                    set_shared(&c->kernels[k], s->header.sh_size);
        }
    }
    if (c->global_size >> 40)
        return cubin_bad(f, ".nv.global", "impossibly large");
    for (uint32_t k = 0; k < c->kernel_count; k++)
        if (c->kernels[k].static_shared > 1 << 20)
            return cubin_bad(f, ".nv.shared", "kernel %s: impossibly large", c->kernels[k].name);
    return true;
}

static bool place_variable(struct cubin_file *f, const GElf_Sym *symbol, struct cubin_variable *v)
{
    const struct cubin *c = f->cubin;
    uint32_t section = symbol->st_shndx;
    if (section == c->global_init_section)
        v->space = CUBIN_GLOBAL_INIT;
    else if (section == c->global_section)
        v->space = CUBIN_GLOBAL;
    else {
        for (v->bank = 0; v->bank < 32 && c->constant_section[v->bank] != section;)
            v->bank++;
        if (v->bank == 32)
            return false;
        v->space = CUBIN_CONSTANT;
    }
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct cubin_function *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool add_function(struct cubin_file *f, const GElf_Sym *symbol, const char *name)
{
    struct cubin_kernel *k = cubin_kernel_of_section(f, symbol->st_shndx);
    if (!k)
        return true;
    if (symbol->st_value > k->code.size || symbol->st_size > k->code.size - symbol->st_value)
        return cubin_bad(f, f->sections[k->section].name, "function %s lies outside", name);
    if (!strcmp(name, k->name)) {
        k->entry = symbol->st_other & ENTRY;
        return true;
    }
    if (!k->functions)
        k->functions = ARENA_ARRAY(f->arena, struct cubin_function, f->symbol_count);
    k->functions[k->function_count++] =
        (struct cubin_function){name, (uint32_t)symbol->st_value, (uint32_t)symbol->st_size};
    return true;
}

static bool sort_symbols(struct cubin_file *f)
{
    struct cubin *c = f->cubin;
    c->variables = ARENA_ARRAY(f->arena, struct cubin_variable, f->symbol_count);
    for (uint32_t i = 1; i < f->symbol_count; i++) {
        const GElf_Sym *symbol = &f->symbols[i];
        unsigned type = GELF_ST_TYPE(symbol->st_info);
        struct cubin_variable v = {.name = f->symbol_names[i], .offset = symbol->st_value, .size = symbol->st_size};
        if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= f->section_count)
            continue;
        if (type == STT_FUNC && !add_function(f, symbol, v.name))
            return false;
        if (type != STT_OBJECT || !place_variable(f, symbol, &v))
            continue;
        uint64_t room = f->sections[symbol->st_shndx].header.sh_size;
        if (v.offset > room || v.size > room - v.offset)
            return cubin_bad(f, f->sections[symbol->st_shndx].name, "variable %s lies outside", v.name);
        c->variables[c->variable_count++] = v;
    }
    for (uint32_t k = 0; k < c->kernel_count; k++)
        if (c->kernels[k].function_count)
            qsort(c->kernels[k].functions, c->kernels[k].function_count, sizeof *c->kernels[k].functions, by_offset);
    return true;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------
 */

struct owner {
    struct arena arena;
    jmp_buf out_of_memory;
    Elf *elf; /* while the file is open */
};

static bool load(struct cubin_file *f)
{
    return read_header(f) && read_sections(f) && read_symbols(f) && read_kernels(f) && read_data(f) &&
           sort_symbols(f) && cubin_read_info(f) && cubin_read_relocations(f) && cubin_read_lines(f) &&
           cubin_place_functions(f);
}

/* libelf wants memory that it may write to. */
static bool load_copy(struct cubin_file *f, const void *bytes, size_t size)
{
    char *copy = arena_alloc(f->arena, size + 1);
    memcpy(copy, bytes, size);
    elf_version(EV_CURRENT);
    struct owner *owner = f->cubin->owner;
    f->elf = owner->elf = elf_memory(copy, size);
    if (!f->elf)
        return rp_fail(f->err, RP_BAD_INPUT, "%s: not an ELF file: %s", f->cubin->file_name, elf_errmsg(-1));
    bool ok = load(f);
    elf_end(f->elf);
    owner->elf = NULL;
    return ok;
}

struct cubin *cubin_load(const char *file_name, const void *bytes, size_t size, struct rp_error *err)
{
    struct owner *owner = calloc(1, sizeof *owner);
    if (!owner || setjmp(owner->out_of_memory)) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", file_name);
        if (owner) {
            elf_end(owner->elf);
            arena_free(&owner->arena);
        }
        free(owner);
        return NULL;
    }
    owner->arena.out_of_memory = &owner->out_of_memory;
    struct cubin *c = ARENA_NEW(&owner->arena, struct cubin);
    c->owner = owner;
    c->file_name = arena_string(&owner->arena, file_name, strlen(file_name));
    struct cubin_file f = {.cubin = c, .arena = &owner->arena, .err = err};
    if (load_copy(&f, bytes, size))
        return c;
    cubin_free(c);
    return NULL;
}

void cubin_free(struct cubin *c)
{
    if (!c)
        return;
    struct owner *owner = c->owner;
    arena_free(&owner->arena);
    free(owner);
}

struct cubin_kernel *cubin_kernel(struct cubin *c, const char *name, struct rp_error *err)
{
    char list[600] = "";
    struct cubin_kernel *only = NULL;
    unsigned entries = 0;
    size_t length = 0;
    for (uint32_t k = 0; k < c->kernel_count; k++) {
        struct cubin_kernel *kernel = &c->kernels[k];
        if (name && !strcmp(kernel->name, name))
            return kernel;
        if (!kernel->entry)
            continue;
        only = kernel;
        int n = snprintf(list + length, sizeof list - length, "%s%s", entries++ ? ", " : "", kernel->name);
        length = n > 0 && (size_t)n < sizeof list - length ? length + (size_t)n : sizeof list - 1;
    }
    if (!name && entries == 1)
        return only;
    if (!entries)
        rp_fail(err, RP_BAD_INPUT, "%s: holds no kernel", c->file_name);
    else if (name)
        rp_fail(err, RP_BAD_INPUT, "%s: no kernel '%s'; there are: %s", c->file_name, name, list);
    else
        rp_fail(err, RP_BAD_INPUT, "%s: several kernels, name one of: %s", c->file_name, list);
    return NULL;
}

/* Where the function begins that has the offset, or the code behind a function: lines end there. */
static uint32_t function_start(const struct cubin_kernel *k, uint32_t offset)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < k->function_count; i++) {
        uint32_t begin = k->functions[i].offset, end = begin + k->functions[i].size;
        start = begin <= offset && begin > start ? begin : start;
        start = end <= offset && end > start ? end : start;
    }
    for (uint32_t i = 0; i < k->part_count; i++)
        start = k->parts[i]->base <= offset && k->parts[i]->base > start ? k->parts[i]->base : start;
    return start;
}

const struct cubin_line *cubin_line(const struct cubin_kernel *k, uint32_t offset)
{
    const struct cubin_line *best = NULL;
    for (uint32_t low = 0, high = k->line_count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (k->lines[middle].offset <= offset) {
            best = &k->lines[middle];
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return best && best->order && best->offset >= function_start(k, offset) ? best : NULL;
}
