#include "tools/asm/write.h"

#include <errno.h>
#include <gelf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/module/cubin_attributes.h"

enum {
    MACHINE_CUDA = 190,
    INFO = 0x70000000, /* type of the sections of attributes */
    KERNEL = 0x10,     /* st_other of a kernel */
    TEXTURE = 10,      /* types of symbols that are references */
    SURFACE = 12,
    FIRST_WIDE = 70,
    FIRST_WITHOUT_REGISTERS = 90, /* sm from which on sh_info of code does not hold them */
    FIRST_RESERVED = 90,          /* sm from which on a kernel's shared memory begins with the system's part */
    REGISTERS_AT = 24,
    BARRIERS_AT = 20,
    OS_ABI_13 = 0x41,
};

struct section {
    const char *name;
    GElf_Shdr header;
    const uint8_t *bytes; /* NULL: zeros, of a section without content in the file */
    Elf_Type type;
};

struct symbol {
    const char *name;
    GElf_Sym entry;
};

/* Bytes that grow. */
typedef VECTOR(uint8_t) byte_list;

/* The relocations of one section that are of one kind. */
struct relocation_table {
    const char *from;
    bool explicit_addend;
    uint32_t section; /* that holds them */
    VECTOR(const struct cubin_relocation *) relocations;
};

struct writer {
    const struct cubin *cubin;
    struct arena *arena;
    struct rp_error *err;
    Elf *elf;
    VECTOR(struct section) sections; /* from number 1 on */
    VECTOR(struct symbol) locals;
    VECTOR(struct symbol) globals;
    VECTOR(struct relocation_table) tables;
    void *names;    /* tree of struct named, by name: numbers of sections and symbols */
    uint32_t *code; /* sections of kernels */
};

/* ---- bytes --------------------------------------------------------------------------------------------------------
 */

static void put(struct writer *w, byte_list *b, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        VECTOR_PUSH(w->arena, b, (uint8_t)(value >> 8 * i));
}

static uint32_t put_string(struct writer *w, byte_list *b, const char *text)
{
    uint32_t at = b->count;
    for (size_t i = 0; i <= strlen(text); i++)
        VECTOR_PUSH(w->arena, b, (uint8_t)text[i]);
    return at;
}

/* ---- names --------------------------------------------------------------------------------------------------------
 */

/* Sections and symbols by name. */
struct named {
    const char *name;
    uint32_t section;          /* 0: none */
    uint32_t symbol, is_local; /* place in locals or globals, from 1; 0: none */
    uint32_t table;            /* of relocations, from 1 */
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static struct named *find(struct writer *w, const char *name)
{
    struct named *fresh = ARENA_NEW(w->arena, struct named);
    fresh->name = name;
    struct named *const *at = tsearch(fresh, &w->names, by_name);
    if (!at)
        longjmp(*w->arena->out_of_memory, ARENA_FULL);
    return *at;
}

static void leave(void *node) { (void)node; }

/* ---- sections -----------------------------------------------------------------------------------------------------
 */

static uint32_t add_section(struct writer *w, const char *name, uint32_t type, uint64_t flags, uint32_t align,
                            const uint8_t *bytes, uint64_t size)
{
    struct section s = {.name = name, .bytes = bytes, .type = ELF_T_BYTE};
    s.header = (GElf_Shdr){.sh_type = type, .sh_flags = flags, .sh_addralign = align, .sh_size = size};
    VECTOR_PUSH(w->arena, &w->sections, s);
    find(w, name)->section = w->sections.count;
    return w->sections.count;
}

static struct section *section(struct writer *w, uint32_t number) { return &w->sections.at[number - 1]; }

static uint32_t add_list(struct writer *w, const char *name, uint32_t type, uint32_t align, const byte_list *b)
{
    return add_section(w, name, type, 0, align, b->at, b->count);
}

static const char *name_of(struct writer *w, const char *section, const struct cubin_kernel *k)
{
    return arena_printf(w->arena, "%s%s", section, k->name);
}

/* ---- symbols ------------------------------------------------------------------------------------------------------
 */

/* The first symbol of a name is the one that relocations mean. */
static void add_symbol(struct writer *w, const char *name, bool local, unsigned type, uint32_t section, uint64_t value,
                       uint64_t size, uint8_t other)
{
    struct symbol s = {.name = name};
    s.entry = (GElf_Sym){.st_info = GELF_ST_INFO(local ? STB_LOCAL : STB_GLOBAL, type),
                         .st_other = other,
                         .st_shndx = (GElf_Section)section,
                         .st_value = value,
                         .st_size = size};
    struct named *n = find(w, name);
    if (local)
        VECTOR_PUSH(w->arena, &w->locals, s);
    else
        VECTOR_PUSH(w->arena, &w->globals, s);
    if (!n->symbol) {
        n->symbol = local ? w->locals.count : w->globals.count;
        n->is_local = local;
    }
}

/* Its number in the file, once all symbols are there. */
static uint32_t symbol_number(struct writer *w, const char *name)
{
    const struct named *n = find(w, name);
    return n->is_local ? n->symbol : n->symbol + w->locals.count;
}

static void add_undefined(struct writer *w, const struct cubin_relocation *r)
{
    unsigned type = STT_FUNC;
    if (r->type == 0x06)
        type = TEXTURE;
    else if (r->type == 0x34)
        type = SURFACE;
    else if (*r->symbol == '.')
        type = STT_OBJECT;
    add_symbol(w, r->symbol, false, type, 0, 0, 0, 0);
}

static void add_code_symbols(struct writer *w)
{
    for (uint32_t i = 0; i < w->cubin->kernel_count; i++) {
        const struct cubin_kernel *k = &w->cubin->kernels[i];
        add_symbol(w, k->name, false, STT_FUNC, w->code[i], 0, k->code.size, k->entry ? KERNEL : 0);
        for (uint32_t f = 0; f < k->function_count; f++)
            add_symbol(w, k->functions[f].name, true, STT_FUNC, w->code[i], k->functions[f].offset,
                       k->functions[f].size, 0);
    }
}

static const char *section_of(const struct writer *w, const struct cubin_variable *v)
{
    if (v->space == CUBIN_CONSTANT)
        return arena_printf(w->arena, ".nv.constant%u", v->bank);
    return v->space == CUBIN_GLOBAL ? ".nv.global" : ".nv.global.init";
}

static void add_symbols(struct writer *w)
{
    const struct cubin *c = w->cubin;
    for (uint32_t i = 0; i < w->sections.count; i++) {
        const struct section *s = &w->sections.at[i];
        if (s->header.sh_flags & SHF_ALLOC)
            add_symbol(w, s->name, true, STT_SECTION, i + 1, 0, 0, 0);
    }
    add_code_symbols(w);
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct cubin_variable *v = &c->variables[i];
        bool first = !find(w, v->name)->symbol;
        add_symbol(w, v->name, !first, STT_OBJECT, find(w, section_of(w, v))->section, v->offset, v->size, 0);
    }
    for (uint32_t i = 0; i < c->relocation_count; i++)
        if (!find(w, c->relocations[i].symbol)->symbol)
            add_undefined(w, &c->relocations[i]);
}

/* ---- attributes ---------------------------------------------------------------------------------------------------
 */

static void head(struct writer *w, byte_list *b, unsigned format, unsigned attribute, size_t value)
{
    put(w, b, format, 1);
    put(w, b, attribute, 1);
    put(w, b, value, 2);
}

static void words(struct writer *w, byte_list *b, unsigned attribute, const uint32_t *values, uint32_t count)
{
    head(w, b, CUBIN_SIZED, attribute, 4 * (size_t)count);
    for (uint32_t i = 0; i < count; i++)
        put(w, b, values[i], 4);
}

static void function_words(struct writer *w, byte_list *b, unsigned attribute, const char *name, uint32_t value)
{
    words(w, b, attribute, (const uint32_t[]){symbol_number(w, name), value}, 2);
}

static void file_attributes(struct writer *w, byte_list *b)
{
    for (uint32_t i = 0; i < w->cubin->kernel_count; i++) {
        const struct cubin_kernel *k = &w->cubin->kernels[i];
        function_words(w, b, REGCOUNT, k->name, k->registers);
        function_words(w, b, FRAME_SIZE, k->name, k->frame_bytes);
        if (k->callee_bytes && k->function_count)
            function_words(w, b, FRAME_SIZE, k->functions[0].name, k->callee_bytes);
        function_words(w, b, MIN_STACK_SIZE, k->name, k->stack_bytes);
    }
}

static bool has_attribute(const struct cubin_kernel *k, unsigned number)
{
    for (uint32_t i = 0; i < k->attribute_count; i++)
        if (k->attributes[i].number == number)
            return true;
    return false;
}

/* Parameters, the last one first. A parameter's last word: its size from bit 18 on, and marks of constant memory; or,
 * where there are many, its size alone. */
static void parameter_attributes(struct writer *w, byte_list *b, const struct cubin_kernel *k)
{
    enum { SIZE_AT = 18, MARKS = 0x1f000, MOST_WITHOUT_V2 = 4096 };
    const bool wide = k->parameter_bytes > MOST_WITHOUT_V2;
    uint32_t bank = symbol_number(w, name_of(w, ".nv.constant0.", k));
    words(w, b, PARAM_CBANK, (const uint32_t[]){bank, k->parameter_base | k->parameter_bytes << 16}, 2);
    head(w, b, CUBIN_HALF, CBANK_PARAM_SIZE, k->parameter_bytes);
    for (uint32_t i = k->parameter_count; i-- > 0;) {
        const struct cubin_parameter *p = &k->parameters[i];
        uint32_t place = p->ordinal | (uint32_t)p->offset << 16;
        uint32_t last = wide ? p->size : (uint32_t)p->size << SIZE_AT | MARKS;
        words(w, b, wide ? KPARAM_INFO_V2 : KPARAM_INFO, (const uint32_t[]){0, place, last}, 3);
    }
}

static void branch_attributes(struct writer *w, byte_list *b, const struct cubin_kernel *k)
{
    byte_list all = {0};
    for (uint32_t i = 0; i < k->branch_count; i++) {
        const struct cubin_branch *branch = &k->branches[i];
        put(w, &all, branch->offset, 4);
        put(w, &all, 0, 4);
        put(w, &all, branch->count, 4);
        for (uint32_t t = 0; t < branch->count; t++)
            put(w, &all, k->targets[branch->first + t], 4);
    }
    if (!all.count)
        return;
    head(w, b, CUBIN_SIZED, BRANCH_TARGETS, all.count);
    for (uint32_t i = 0; i < all.count; i++)
        put(w, b, all.at[i], 1);
}

/* The undefined functions that a section leads to. */
static void externals(struct writer *w, byte_list *all, const char *section)
{
    for (int explicit = 0; explicit < 2; explicit ++) {
        uint32_t table = find(w, arena_printf(w->arena, explicit ? ".rela%s" : ".rel%s", section))->table;
        for (uint32_t i = 0; table && i < w->tables.at[table - 1].relocations.count; i++) {
            const struct named *n = find(w, w->tables.at[table - 1].relocations.at[i]->symbol);
            const GElf_Sym *s = n->is_local ? NULL : &w->globals.at[n->symbol - 1].entry;
            if (s && !s->st_shndx && GELF_ST_TYPE(s->st_info) == STT_FUNC)
                put(w, all, n->symbol + w->locals.count, 4);
        }
    }
}

static void external_attributes(struct writer *w, byte_list *b, const struct cubin_kernel *k)
{
    byte_list all = {0};
    externals(w, &all, name_of(w, ".text.", k));
    externals(w, &all, ".nv.constant4");
    if (!all.count || all.count > UINT16_MAX)
        return;
    head(w, b, CUBIN_SIZED, EXTERNS, all.count);
    for (uint32_t i = 0; i < all.count; i++)
        put(w, b, all.at[i], 1);
}

static void other_attributes(struct writer *w, byte_list *b, const struct cubin_kernel *k)
{
    for (uint32_t i = 0; i < k->attribute_count; i++) {
        const struct cubin_attribute *a = &k->attributes[i];
        head(w, b, a->format, a->number, a->value);
        for (uint32_t n = 0; a->format == CUBIN_SIZED && n < ((uint32_t)a->value + 3) / 4 * 4; n++)
            put(w, b, n < a->value ? a->payload[n] : 0, 1);
    }
}

static void kernel_attributes(struct writer *w, byte_list *b, const struct cubin_kernel *k)
{
    if (!has_attribute(k, CUDA_API_VERSION))
        words(w, b, CUDA_API_VERSION, &(uint32_t){w->cubin->toolkit}, 1);
    if (k->entry)
        parameter_attributes(w, b, k);
    if (k->entry && !has_attribute(k, MAXREG_COUNT))
        head(w, b, CUBIN_HALF, MAXREG_COUNT, UINT8_MAX);
    external_attributes(w, b, k);
    other_attributes(w, b, k);
    if (k->max_threads[0])
        words(w, b, MAX_THREADS, k->max_threads, 3);
    if (k->required_threads[0])
        words(w, b, REQNTID, k->required_threads, 3);
    branch_attributes(w, b, k);
    if (k->crs_bytes)
        words(w, b, CRS_STACK_SIZE, &k->crs_bytes, 1);
    if (k->required_cluster[0])
        words(w, b, CLUSTER, k->required_cluster, 3);
    if (k->explicit_cluster)
        head(w, b, CUBIN_ALONE, EXPLICIT_CLUSTER, 0);
    if (k->max_cluster)
        words(w, b, MAX_CLUSTER, &k->max_cluster, 1);
}

/* ---- the sections of a cubin --------------------------------------------------------------------------------------
 */

enum { SHSTRTAB = 1, STRTAB, SYMTAB, FILE_INFO, FIRST_INFO };

/* Those that follow from symbols are filled in later. */
static void plan_tables(struct writer *w)
{
    add_section(w, ".shstrtab", SHT_STRTAB, 0, 1, NULL, 0);
    add_section(w, ".strtab", SHT_STRTAB, 0, 1, NULL, 0);
    add_section(w, ".symtab", SHT_SYMTAB, 0, 8, NULL, 0);
    add_section(w, ".nv.info", INFO, 0, 4, NULL, 0);
    for (uint32_t i = 0; i < w->cubin->kernel_count; i++)
        add_section(w, name_of(w, ".nv.info.", &w->cubin->kernels[i]), INFO, SHF_INFO_LINK, 4, NULL, 0);
}

static void plan_relocations(struct writer *w)
{
    for (uint32_t i = 0; i < w->cubin->relocation_count; i++) {
        const struct cubin_relocation *r = &w->cubin->relocations[i];
        const char *name = arena_printf(w->arena, r->explicit_addend ? ".rela%s" : ".rel%s", r->from);
        struct named *n = find(w, name);
        if (!n->section) {
            struct relocation_table t = {.from = r->from, .explicit_addend = r->explicit_addend};
            t.section = add_section(w, name, r->explicit_addend ? SHT_RELA : SHT_REL, SHF_INFO_LINK, 8, NULL, 0);
            VECTOR_PUSH(w->arena, &w->tables, t);
            n->table = w->tables.count;
        }
        VECTOR_PUSH(w->arena, &w->tables.at[n->table - 1].relocations, r);
    }
}

/* .note.nv.cuinfo of CUDA 13, in which the architecture of the PTX stands: a note with the owner's name. */
static void plan_note(struct writer *w)
{
    static const char owner[] = "NVIDIA Corp";
    enum { CONTENT = 8, TYPE = 1000, VERSION = 2 };
    const struct cubin *c = w->cubin;
    byte_list note = {0};
    if (c->os_abi != OS_ABI_13)
        return;
    put(w, &note, sizeof owner, 4);
    put(w, &note, CONTENT, 4);
    put(w, &note, TYPE, 4);
    put_string(w, &note, owner);
    put(w, &note, VERSION, 2);
    put(w, &note, c->virtual_sm, 2);
    put(w, &note, c->toolkit, 4);
    add_list(w, ".note.nv.cuinfo", SHT_NOTE, 4, &note);
}

static void plan_constants(struct writer *w)
{
    const struct cubin *c = w->cubin;
    for (uint32_t b = 32; b-- > 1;)
        if (c->constant[b].size)
            add_section(w, arena_printf(w->arena, ".nv.constant%u", b), SHT_PROGBITS, SHF_ALLOC, 8, c->constant[b].at,
                        c->constant[b].size);
    for (uint32_t b = 32; b-- > 0;)
        for (uint32_t i = 0; i < c->kernel_count; i++) {
            const struct cubin_kernel *k = &c->kernels[i];
            struct cubin_bytes bank = k->constant[b];
            if (!b && k->entry && !bank.size) {
                bank.size = k->parameter_base + k->parameter_bytes;
                bank.at = arena_alloc(w->arena, bank.size);
            }
            if (bank.size)
                add_section(w, arena_printf(w->arena, ".nv.constant%u.%s", b, k->name), SHT_PROGBITS,
                            SHF_ALLOC | SHF_INFO_LINK, 4, bank.at, bank.size);
        }
}

static void plan_code(struct writer *w)
{
    const struct cubin *c = w->cubin;
    const uint32_t align = c->sm < FIRST_WIDE ? 32 : 128;
    w->code = ARENA_ARRAY(w->arena, uint32_t, c->kernel_count + 1);
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        const struct cubin_kernel *k = &c->kernels[i];
        uint64_t flags = SHF_ALLOC | SHF_EXECINSTR | (uint64_t)k->barriers << BARRIERS_AT;
        w->code[i] = add_section(w, name_of(w, ".text.", k), SHT_PROGBITS, flags, align, k->code.at, k->code.size);
    }
}

/* Sections without content come last. */
static void plan_memory(struct writer *w)
{
    const struct cubin *c = w->cubin;
    if (c->global_init.size)
        add_section(w, ".nv.global.init", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 256, c->global_init.at,
                    c->global_init.size);
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        const struct cubin_kernel *k = &c->kernels[i];
        uint32_t reserved = c->sm < FIRST_RESERVED ? 0 : CUBIN_RESERVED_SHARED;
        if (k->static_shared || (k->entry && reserved))
            add_section(w, name_of(w, ".nv.shared.", k), SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_INFO_LINK, 16, NULL,
                        (uint64_t)k->static_shared + reserved);
    }
    if (c->global_size)
        add_section(w, ".nv.global", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 256, NULL, c->global_size);
}

/* ---- filling in ---------------------------------------------------------------------------------------------------
 */

static void fill(struct writer *w, uint32_t number, const uint8_t *bytes, size_t size)
{
    section(w, number)->bytes = bytes;
    section(w, number)->header.sh_size = size;
}

static void fill_infos(struct writer *w)
{
    byte_list file = {0};
    file_attributes(w, &file);
    fill(w, FILE_INFO, file.at, file.count);
    section(w, FILE_INFO)->header.sh_link = SYMTAB;
    for (uint32_t i = 0; i < w->cubin->kernel_count; i++) {
        byte_list b = {0};
        kernel_attributes(w, &b, &w->cubin->kernels[i]);
        fill(w, FIRST_INFO + i, b.at, b.count);
        section(w, FIRST_INFO + i)->header.sh_link = SYMTAB;
    }
}

/* Which code sections speak of. */
static void link_sections(struct writer *w)
{
    const struct cubin *c = w->cubin;
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        const struct cubin_kernel *k = &c->kernels[i];
        GElf_Shdr *code = &section(w, w->code[i])->header;
        uint32_t symbol = symbol_number(w, k->name), shared = find(w, name_of(w, ".nv.shared.", k))->section;
        code->sh_link = SYMTAB;
        code->sh_info = symbol | (c->sm < FIRST_WITHOUT_REGISTERS ? k->registers << REGISTERS_AT : 0);
        section(w, FIRST_INFO + i)->header.sh_info = w->code[i];
        if (shared)
            section(w, shared)->header.sh_info = w->code[i];
        for (uint32_t b = 0; b < 32; b++) {
            uint32_t bank = find(w, arena_printf(w->arena, ".nv.constant%u.%s", b, k->name))->section;
            if (bank)
                section(w, bank)->header.sh_info = w->code[i];
        }
    }
}

static void put_symbol(struct writer *w, byte_list *b, const GElf_Sym *s)
{
    if (!w->cubin->is_64) {
        put(w, b, s->st_name, 4);
        put(w, b, s->st_value, 4);
        put(w, b, s->st_size, 4);
    } else {
        put(w, b, s->st_name, 4);
    }
    put(w, b, s->st_info, 1);
    put(w, b, s->st_other, 1);
    put(w, b, s->st_shndx, 2);
    if (w->cubin->is_64) {
        put(w, b, s->st_value, 8);
        put(w, b, s->st_size, 8);
    }
}

static void fill_symbols(struct writer *w)
{
    byte_list strings = {0}, table = {0};
    uint32_t count = w->locals.count + w->globals.count;
    put_string(w, &strings, "");
    put_symbol(w, &table, &(GElf_Sym){0});
    uint32_t entry = table.count;
    for (uint32_t i = 0; i < count; i++) {
        struct symbol *s = i < w->locals.count ? &w->locals.at[i] : &w->globals.at[i - w->locals.count];
        s->entry.st_name = put_string(w, &strings, s->name);
        put_symbol(w, &table, &s->entry);
    }
    fill(w, STRTAB, strings.at, strings.count);
    fill(w, SYMTAB, table.at, table.count);
    section(w, SYMTAB)->header.sh_link = STRTAB;
    section(w, SYMTAB)->header.sh_info = w->locals.count + 1;
    section(w, SYMTAB)->header.sh_entsize = entry;
}

static void put_relocation(struct writer *w, byte_list *b, const struct cubin_relocation *r)
{
    enum { TYPE_BITS = 8, TYPE_BITS_64 = 32 };
    unsigned bytes = w->cubin->is_64 ? 8 : 4;
    uint64_t symbol = symbol_number(w, r->symbol);
    put(w, b, r->offset, bytes);
    put(w, b, symbol << (w->cubin->is_64 ? TYPE_BITS_64 : TYPE_BITS) | r->type, bytes);
    if (r->explicit_addend)
        put(w, b, (uint64_t)r->addend, bytes);
}

static void fill_relocations(struct writer *w)
{
    for (uint32_t i = 0; i < w->tables.count; i++) {
        const struct relocation_table *t = &w->tables.at[i];
        byte_list b = {0};
        for (uint32_t n = 0; n < t->relocations.count; n++)
            put_relocation(w, &b, t->relocations.at[n]);
        fill(w, t->section, b.at, b.count);
        GElf_Shdr *h = &section(w, t->section)->header;
        h->sh_link = SYMTAB;
        h->sh_info = find(w, t->from)->section;
        h->sh_entsize = b.count / t->relocations.count;
    }
}

/* The names of sections, behind an empty one. */
static void fill_names(struct writer *w)
{
    byte_list b = {0};
    put_string(w, &b, "");
    for (uint32_t i = 0; i < w->sections.count; i++)
        w->sections.at[i].header.sh_name = put_string(w, &b, w->sections.at[i].name);
    fill(w, SHSTRTAB, b.at, b.count);
}

/* ---- the file -----------------------------------------------------------------------------------------------------
 */

static bool failed(struct writer *w)
{
    return rp_fail(w->err, RP_SYSTEM, "%s: the ELF file cannot be made: %s", w->cubin->file_name, elf_errmsg(-1));
}

static bool make_header(struct writer *w)
{
    const struct cubin *c = w->cubin;
    GElf_Ehdr h;
    if (!gelf_newehdr(w->elf, c->is_64 ? ELFCLASS64 : ELFCLASS32) || !gelf_getehdr(w->elf, &h))
        return failed(w);
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_ident[EI_OSABI] = c->os_abi;
    h.e_ident[EI_ABIVERSION] = c->abi_version;
    h.e_type = ET_EXEC;
    h.e_machine = MACHINE_CUDA;
    h.e_version = EV_CURRENT;
    h.e_flags = c->flags;
    h.e_shstrndx = SHSTRTAB;
    return gelf_update_ehdr(w->elf, &h) || failed(w);
}

static bool make_section(struct writer *w, const struct section *s)
{
    Elf_Scn *scn = elf_newscn(w->elf);
    Elf_Data *data = scn ? elf_newdata(scn) : NULL;
    if (!data || !gelf_update_shdr(scn, &(GElf_Shdr){0}))
        return failed(w);
    data->d_buf = (void *)s->bytes;
    data->d_size = s->header.sh_size;
    data->d_align = s->header.sh_addralign;
    data->d_type = ELF_T_BYTE;
    data->d_version = EV_CURRENT;
    GElf_Shdr h = s->header;
    return gelf_update_shdr(scn, &h) || failed(w);
}

/* From the first to the last section that is loaded with these rights. */
static GElf_Phdr segment(struct writer *w, uint64_t rights)
{
    GElf_Phdr p = {.p_type = PT_LOAD, .p_align = 8, .p_flags = PF_R};
    p.p_flags |= rights & SHF_WRITE ? PF_W : PF_X;
    for (uint32_t i = 1; i <= w->sections.count; i++) {
        GElf_Shdr h;
        if (!gelf_getshdr(elf_getscn(w->elf, i), &h) || !(h.sh_flags & SHF_ALLOC) || (h.sh_flags & SHF_WRITE) != rights)
            continue;
        if (!p.p_memsz)
            p.p_offset = h.sh_offset;
        if (h.sh_type != SHT_NOBITS)
            p.p_filesz = h.sh_offset + h.sh_size - p.p_offset;
        uint64_t end = h.sh_type == SHT_NOBITS ? p.p_memsz + h.sh_size : p.p_filesz;
        p.p_memsz = end > p.p_memsz ? end : p.p_memsz;
    }
    return p;
}

enum { SEGMENTS = 3 };
static bool make_segments(struct writer *w)
{
    GElf_Ehdr h;
    if (!gelf_getehdr(w->elf, &h))
        return failed(w);
    GElf_Phdr p[SEGMENTS] = {{.p_type = PT_PHDR, .p_flags = PF_R | PF_X, .p_align = 8, .p_offset = h.e_phoff},
                             segment(w, 0),
                             segment(w, SHF_WRITE)};
    p[0].p_filesz = p[0].p_memsz = gelf_fsize(w->elf, ELF_T_PHDR, SEGMENTS, EV_CURRENT);
    for (int i = 0; i < SEGMENTS; i++)
        if (!gelf_update_phdr(w->elf, i, &p[i]))
            return failed(w);
    return true;
}

static bool make_file(struct writer *w, int fd)
{
    elf_version(EV_CURRENT);
    w->elf = elf_begin(fd, ELF_C_WRITE, NULL);
    if (!w->elf || !make_header(w) || !gelf_newphdr(w->elf, SEGMENTS))
        return failed(w);
    for (uint32_t i = 0; i < w->sections.count; i++)
        if (!make_section(w, &w->sections.at[i]))
            return false;
    return (elf_update(w->elf, ELF_C_NULL) >= 0 || failed(w)) && make_segments(w) &&
           (elf_update(w->elf, ELF_C_WRITE) >= 0 || failed(w));
}

/* All of a file; it ends where it was written last. */
static uint8_t *content(struct writer *w, int fd, size_t *size)
{
    enum { VERSION_AT = 20 };
    off_t end = lseek(fd, 0, SEEK_END);
    uint8_t *bytes = end > 0 ? malloc((size_t)end) : NULL;
    if (!bytes || pread(fd, bytes, (size_t)end, 0) != end) {
        rp_fail(w->err, RP_SYSTEM, "%s: %s", w->cubin->file_name, strerror(errno));
        free(bytes);
        return NULL;
    }
    *size = (size_t)end;
    if (w->cubin->toolkit && w->cubin->os_abi != OS_ABI_13) /* libelf takes no other version than its own */
        for (unsigned i = 0; i < 4; i++)
            bytes[VERSION_AT + i] = (uint8_t)(w->cubin->toolkit >> 8 * i);
    return bytes;
}

static void plan(struct writer *w)
{
    plan_tables(w);
    plan_note(w);
    plan_relocations(w);
    plan_constants(w);
    plan_code(w);
    plan_memory(w);
    add_symbols(w);
    fill_infos(w);
    link_sections(w);
    fill_symbols(w);
    fill_relocations(w);
    fill_names(w);
}

uint8_t *cubin_write(struct arena *arena, const struct cubin *c, size_t *size, struct rp_error *err)
{
    struct writer w = {.cubin = c, .arena = arena, .err = err};
    plan(&w);
    tdestroy(w.names, leave);
    int fd = memfd_create("cubin", MFD_CLOEXEC);
    if (fd < 0) {
        rp_fail(err, RP_SYSTEM, "%s: %s", c->file_name, strerror(errno));
        return NULL;
    }
    bool ok = make_file(&w, fd);
    elf_end(w.elf);
    uint8_t *bytes = ok ? content(&w, fd, size) : NULL;
    close(fd);
    return bytes;
}
