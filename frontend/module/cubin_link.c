/* Relocations: reading them from the file, and writing addresses where they say. Their types are those of the table
 * "Relocation types" that NVIDIA's linker uses; the binary utilities print their names (R_CUDA_...). */
#include <inttypes.h>
#include <string.h>

#include "frontend/module/cubin_file.h"

/* Fields of the words of 16 bytes of sm_70 and later: bits `shift` and up of the value, the lowest `width` of them at
 * bit `at`, those above at bit `above`. */
static const struct cubin_field {
    uint32_t type;
    uint8_t shift, at, width, above, above_width;
} fields[] = {
    {0x37, 0, 32, 32, 0, 0}, {0x38, 0, 32, 32, 0, 0}, {0x39, 32, 32, 32, 0, 0}, {0x3a, 2, 34, 47, 0, 0},
    {0x3b, 0, 32, 16, 0, 0}, {0x4a, 0, 40, 24, 0, 0}, {0x4b, 2, 16, 8, 34, 47}, {0x72, 2, 16, 8, 34, 48},
};

static const struct cubin_field *field_of(uint32_t type)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].type == type)
            return &fields[i];
    return NULL;
}

/* Marks for NVIDIA's linker: places where it may write YIELD, and unused slots. */
static bool is_mark(uint32_t type) { return type == 0x44 || type == 0x45 || type == 0x49; }

static enum cubin_patch patch_of(uint32_t type)
{
    if (field_of(type))
        return CUBIN_PATCH_FIELD;
    switch (type) {
    case 0x01: return CUBIN_PATCH_32;
    case 0x02:
    case 0x04:
    case 0x23:
    case 0x66: return CUBIN_PATCH_64;
    case 0x06: return CUBIN_PATCH_TEXTURE;
    case 0x2a: return CUBIN_PATCH_CODE;
    case 0x2b: return CUBIN_PATCH_CODE_LOW;
    case 0x2c: return CUBIN_PATCH_CODE_HIGH;
    case 0x34: return CUBIN_PATCH_SURFACE;
    default: return CUBIN_PATCH_NONE;
    }
}

static uint32_t patch_bytes(enum cubin_patch patch)
{
    if (patch == CUBIN_PATCH_FIELD)
        return 16;
    return patch == CUBIN_PATCH_32 || patch == CUBIN_PATCH_TEXTURE || patch == CUBIN_PATCH_SURFACE ? 4 : 8;
}

static bool is_patched(const struct cubin_section *s)
{
    return !strncmp(s->name, ".text.", 6) || !strncmp(s->name, ".nv.constant", 12) ||
           !strcmp(s->name, ".nv.global.init");
}

static bool read_one(struct cubin_file *f, const struct cubin_section *table, const struct cubin_section *to,
                     const GElf_Rela *r)
{
    uint64_t symbol = GELF_R_SYM(r->r_info);
    struct cubin_relocation out = {.type = (uint32_t)GELF_R_TYPE(r->r_info),
                                   .in = to->bytes,
                                   .offset = (uint32_t)r->r_offset,
                                   .section = (uint32_t)(to - f->sections),
                                   .explicit_addend = table->header.sh_type == SHT_RELA,
                                   .addend = r->r_addend,
                                   .from = to->name};
    out.patch = patch_of(out.type);
    if (symbol >= f->symbol_count)
        return cubin_bad(f, table->name, "names symbol %" PRIu64 " of %u", symbol, f->symbol_count);
    if (r->r_offset > to->bytes.size || to->bytes.size - r->r_offset < patch_bytes(out.patch))
        return cubin_bad(f, table->name, "patches %s at 0x%" PRIx64 ", outside it", to->name, (uint64_t)r->r_offset);
    const GElf_Sym *s = &f->symbols[symbol];
    out.symbol = f->symbol_names[symbol];
    out.target = s->st_shndx < f->section_count ? s->st_shndx : 0;
    out.value = s->st_value;
    f->cubin->relocations[f->cubin->relocation_count++] = out;
    return true;
}

static bool read_table(struct cubin_file *f, size_t index)
{
    const struct cubin_section *s = &f->sections[index], *to = &f->sections[s->header.sh_info];
    Elf_Data *data = elf_getdata(elf_getscn(f->elf, index), NULL);
    bool rela = s->header.sh_type == SHT_RELA;
    size_t entry = gelf_fsize(f->elf, rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    if (!data || s->header.sh_entsize != entry)
        return cubin_bad(f, s->name, "not a table of relocations");
    for (uint32_t i = 0; i < s->bytes.size / entry; i++) {
        GElf_Rela r = {0};
        GElf_Rel without;
        if (rela ? !gelf_getrela(data, (int)i, &r) : !gelf_getrel(data, (int)i, &without))
            return cubin_bad(f, s->name, "entry %u is damaged", i);
        if (!rela) {
            r.r_offset = without.r_offset;
            r.r_info = without.r_info;
        }
        if (!is_mark((uint32_t)GELF_R_TYPE(r.r_info)) && !read_one(f, s, to, &r))
            return false;
    }
    return true;
}

bool cubin_read_relocations(struct cubin_file *f)
{
    size_t room = 0;
    for (size_t i = 1; i < f->section_count; i++)
        if (f->sections[i].header.sh_type == SHT_REL || f->sections[i].header.sh_type == SHT_RELA)
            room += f->sections[i].bytes.size / 8;
    f->cubin->relocations = ARENA_ARRAY(f->arena, struct cubin_relocation, room + 1);
    for (size_t i = 1; i < f->section_count; i++) {
        const GElf_Shdr *h = &f->sections[i].header;
        if (h->sh_type != SHT_REL && h->sh_type != SHT_RELA)
            continue;
        if (h->sh_info >= f->section_count)
            return cubin_bad(f, f->sections[i].name, "patches section %u of %zu", h->sh_info, f->section_count);
        if (is_patched(&f->sections[h->sh_info]) && !read_table(f, i))
            return false;
    }
    return true;
}

/* ---- applying -----------------------------------------------------------------------------------------------------
 */

static const struct cubin_kernel *code_at(const struct cubin *c, uint32_t section)
{
    for (uint32_t k = 0; k < c->kernel_count; k++)
        if (c->kernels[k].section == section)
            return &c->kernels[k];
    return NULL;
}

static bool address_of(const struct cubin *c, const struct cubin_addresses *a, const struct cubin_relocation *r,
                       uint64_t *address, struct rp_error *err)
{
    const struct cubin_kernel *code = r->target ? code_at(c, r->target) : NULL, *from = code_at(c, r->section);
    if (!r->target) {
        if (a->external && a->external(a->data, r->symbol, address))
            return true;
        return rp_fail(err, RP_BAD_INPUT, "%s: section %s: symbol '%s' is defined nowhere", c->file_name, r->from,
                       r->symbol);
    }
    bool init = r->target == c->global_init_section, global = init || r->target == c->global_section;
    const struct cubin_variable *v =
        a->apart && global ? cubin_variable_at(c, init ? CUBIN_GLOBAL_INIT : CUBIN_GLOBAL, r->value) : NULL;
    if (v)
        *address = v->address;
    else if (init)
        *address = a->global_init + r->value;
    else if (r->target == c->global_section)
        *address = a->global + r->value;
    else if (r->target == c->constant_section[3])
        *address = a->constant + r->value;
    else if (code && code->entry && from && from != code)
        return rp_fail(err, RP_BAD_INPUT, "%s: section %s: calls of kernels ('%s') are not covered yet", c->file_name,
                       r->from, r->symbol);
    else if (code)
        *address = code->base + r->value;
    else
        return rp_fail(err, RP_BAD_INPUT, "%s: section %s: symbol '%s' has no address", c->file_name, r->from,
                       r->symbol);
    return true;
}

static void patch_code(uint8_t *at, uint32_t value)
{
    uint64_t word = le64(at);
    uint32_t old = (uint32_t)(word >> 20);
    word &= ~(0xffffffffull << 20);
    word |= (uint64_t)(uint32_t)(value + old) << 20;
    put32(at, (uint32_t)word);
    put32(at + 4, (uint32_t)(word >> 32));
}

/* `width` bits of a word of 16 bytes, the lowest first. */
static uint64_t bits_at(const uint8_t *word, unsigned at, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)(word[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}

static void put_bits(uint8_t *word, unsigned at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        uint8_t mask = (uint8_t)(1u << (at + i) % 8), *byte = &word[(at + i) / 8];
        *byte = (uint8_t)(value >> i & 1 ? *byte | mask : *byte & ~mask);
    }
}

static void patch_field(uint8_t *word, const struct cubin_field *f, uint64_t value)
{
    uint64_t sum = bits_at(word, f->at, f->width) | bits_at(word, f->above, f->above_width) << f->width;
    sum += value >> f->shift;
    put_bits(word, f->at, f->width, sum);
    put_bits(word, f->above, f->above_width, sum >> f->width);
}

static void apply(const struct cubin_relocation *r, uint64_t value)
{
    uint8_t *at = r->in.at + r->offset;
    uint64_t sum;
    switch (r->patch) {
    case CUBIN_PATCH_32: put32(at, le32(at) + (uint32_t)value); break;
    case CUBIN_PATCH_64:
        sum = le64(at) + value;
        put32(at, (uint32_t)sum);
        put32(at + 4, (uint32_t)(sum >> 32));
        break;
    case CUBIN_PATCH_TEXTURE:
    case CUBIN_PATCH_SURFACE: put32(at, (le32(at) & ~0xfffffu) | ((uint32_t)value & 0xfffff)); break;
    case CUBIN_PATCH_CODE:
    case CUBIN_PATCH_CODE_LOW: patch_code(at, (uint32_t)value); break;
    case CUBIN_PATCH_CODE_HIGH: patch_code(at, (uint32_t)(value >> 32)); break;
    case CUBIN_PATCH_FIELD: patch_field(at, field_of(r->type), value); break;
    case CUBIN_PATCH_NONE: break;
    }
}

/* Whether it calls CUDA's device runtime, of which launches of kernels are made. */
static bool launches_kernels(const struct cubin *c)
{
    static const char *const runtime[] = {"__cudaCDP2", "cudaGetParameterBuffer", "cudaLaunchDevice"};
    for (uint32_t i = 0; i < c->relocation_count; i++)
        for (size_t n = 0; n < sizeof runtime / sizeof *runtime; n++)
            if (c->relocations[i].symbol && !strncmp(c->relocations[i].symbol, runtime[n], strlen(runtime[n])))
                return true;
    return false;
}

static bool bad_relocation(const struct cubin *c, const struct cubin_relocation *r, struct rp_error *err)
{
    if (launches_kernels(c))
        return rp_fail(err, RP_BAD_INPUT,
                       "%s: section %s: kernels that launch kernels (dynamic parallelism) are run as PTX, not as "
                       "machine code",
                       c->file_name, r->from);
    return rp_fail(err, RP_BAD_INPUT, "%s: section %s: relocation type 0x%x at 0x%x is not understood%s", c->file_name,
                   r->from, r->type, r->offset, c->relocatable ? "; link the object first" : "");
}

bool cubin_link(struct cubin *c, const struct cubin_addresses *a, struct rp_error *err)
{
    for (uint32_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *r = &c->relocations[i];
        uint64_t value;
        if (r->patch == CUBIN_PATCH_NONE)
            return bad_relocation(c, r, err);
        if (!address_of(c, a, r, &value, err))
            return false;
        if (value > UINT32_MAX && (r->patch == CUBIN_PATCH_CODE || r->patch == CUBIN_PATCH_32))
            return rp_fail(err, RP_BAD_INPUT,
                           "%s: section %s: 32 bits do not hold the address of '%s', 0x%" PRIx64
                           "; compile for 64-bit addresses",
                           c->file_name, r->from, r->symbol, value);
        apply(r, value + (uint64_t)r->addend);
    }
    cubin_join_functions(c);
    return true;
}
