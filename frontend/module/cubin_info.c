/* .nv.info: records of one byte format, one byte attribute, and two bytes that are a value or the size of what follows.
 */
#include <string.h>

#include "frontend/module/cubin_attributes.h"
#include "frontend/module/cubin_file.h"

struct record {
    uint8_t format, attribute;
    uint16_t value;
    const uint8_t *payload; /* CUBIN_SIZED: `value` bytes */
};

/* File-wide records speak of a function by its symbol: a kernel, or a device function (*callee) in its code. */
static struct cubin_kernel *kernel_of_symbol(struct cubin_file *f, uint32_t symbol, bool *callee)
{
    if (symbol >= f->symbol_count)
        return NULL;
    struct cubin_kernel *k = cubin_kernel_of_section(f, f->symbols[symbol].st_shndx);
    *callee = k && strcmp(k->name, f->symbol_names[symbol]);
    return k;
}

static bool file_record(struct cubin_file *f, const struct record *r)
{
    if (r->format != CUBIN_SIZED || r->value < 8)
        return true;
    bool callee;
    struct cubin_kernel *k = kernel_of_symbol(f, le32(r->payload), &callee);
    uint32_t value = le32(r->payload + 4);
    if (!k)
        return true;
    if (callee) {
        k->callee_bytes += r->attribute == FRAME_SIZE ? value : 0;
        return true;
    }
    switch (r->attribute) {
    case FRAME_SIZE: k->frame_bytes = value; break;
    case MIN_STACK_SIZE: k->stack_bytes = value; break;
    case REGCOUNT: k->registers = value; break;
    default: break;
    }
    return true;
}

static void three(const struct record *r, uint32_t to[3])
{
    for (int i = 0; i < 3; i++)
        to[i] = le32(r->payload + 4 * i);
}

static void add_parameter(struct cubin_file *f, struct cubin_kernel *k, const struct record *r, uint32_t room)
{
    if (!k->parameters)
        k->parameters = ARENA_ARRAY(f->arena, struct cubin_parameter, room);
    uint16_t size = r->attribute == KPARAM_INFO ? (uint16_t)(le32(r->payload + 8) >> 18) : le16(r->payload + 8);
    struct cubin_parameter p = {le16(r->payload + 4), le16(r->payload + 6), size};
    uint32_t at = k->parameter_count++; /* written last parameter first: keep them by ordinal */
    for (; at > 0 && k->parameters[at - 1].ordinal > p.ordinal; at--)
        k->parameters[at] = k->parameters[at - 1];
    k->parameters[at] = p;
}

/* Records that follow one another: offset of the branch, a word, number of targets, and their offsets. */
static bool add_branches(struct cubin_file *f, const char *section, struct cubin_kernel *k, const struct record *r)
{
    enum { HEAD = 12 };
    uint32_t words = r->value / 4;
    if (k->branches)
        return cubin_bad(f, section, "attribute 0x%02x comes twice", r->attribute);
    k->branches = ARENA_ARRAY(f->arena, struct cubin_branch, words / 3 + 1);
    k->targets = ARENA_ARRAY(f->arena, uint32_t, words + 1);
    for (uint32_t at = 0; at < r->value;) {
        if (r->value - at < HEAD)
            return cubin_bad(f, section, "attribute 0x%02x ends within a branch", r->attribute);
        struct cubin_branch b = {le32(r->payload + at), k->target_count, le32(r->payload + at + 8)};
        at += HEAD;
        if (b.count > (r->value - at) / 4)
            return cubin_bad(f, section, "attribute 0x%02x ends within the targets of a branch", r->attribute);
        for (uint32_t t = 0; t < b.count; t++, at += 4)
            k->targets[k->target_count++] = le32(r->payload + at);
        k->branches[k->branch_count++] = b;
    }
    return true;
}

/* Keeps a record as it is. */
static void keep(struct cubin_file *f, struct cubin_kernel *k, const struct record *r, uint32_t room)
{
    if (!k->attributes)
        k->attributes = ARENA_ARRAY(f->arena, struct cubin_attribute, room);
    k->attributes[k->attribute_count++] = (struct cubin_attribute){r->format, r->attribute, r->value, r->payload};
}

static bool kernel_record(struct cubin_file *f, const char *section, struct cubin_kernel *k, const struct record *r,
                          uint32_t section_bytes)
{
    static const uint8_t least[256] = {
        [MAX_THREADS] = 12,     [PARAM_CBANK] = 8, [REQNTID] = 12,    [KPARAM_INFO] = 12,   [CRS_STACK_SIZE] = 4,
        [CBANK_PARAM_SIZE] = 0, [CLUSTER] = 12,    [MAX_CLUSTER] = 4, [KPARAM_INFO_V2] = 10};
    if (r->format == CUBIN_SIZED && r->value < least[r->attribute])
        return cubin_bad(f, section, "attribute 0x%02x has %u bytes, needs %u", r->attribute, r->value,
                         least[r->attribute]);
    if (least[r->attribute] && r->format != CUBIN_SIZED)
        return cubin_bad(f, section, "attribute 0x%02x has format %u", r->attribute, r->format);
    switch (r->attribute) {
    case MAX_THREADS: three(r, k->max_threads); break;
    case REQNTID: three(r, k->required_threads); break;
    case CLUSTER: three(r, k->required_cluster); break;
    case EXPLICIT_CLUSTER: k->explicit_cluster = true; break;
    case MAX_CLUSTER: k->max_cluster = le32(r->payload); break;
    case PARAM_CBANK:
        k->parameter_base = le16(r->payload + 4);
        k->parameter_bytes = le16(r->payload + 6);
        break;
    case CBANK_PARAM_SIZE: k->parameter_bytes = r->value; break;
    case KPARAM_INFO_V2:
    case KPARAM_INFO: add_parameter(f, k, r, section_bytes / 16 + 1); break;
    case CRS_STACK_SIZE: k->crs_bytes = le32(r->payload); break;
    case BRANCH_TARGETS: return r->format != CUBIN_SIZED || add_branches(f, section, k, r);
    case EXTERNS: break; /* symbols, which relocations name, too */
    default: keep(f, k, r, section_bytes / 4 + 1); break;
    }
    return true;
}

static bool read_records(struct cubin_file *f, const struct cubin_section *s, struct cubin_kernel *k)
{
    for (uint32_t at = 0; at < s->bytes.size;) {
        const uint8_t *p = s->bytes.at + at;
        if (s->bytes.size - at < 4)
            return cubin_bad(f, s->name, "ends within a record");
        struct record r = {p[0], p[1], le16(p + 2), p + 4};
        if (r.format < CUBIN_ALONE || r.format > CUBIN_SIZED)
            return cubin_bad(f, s->name, "record at 0x%x has format %u", at, r.format);
        uint32_t size = 4 + (r.format == CUBIN_SIZED ? ((uint32_t)r.value + 3) / 4 * 4 : 0);
        if (r.format == CUBIN_SIZED && r.value > s->bytes.size - at - 4)
            return cubin_bad(f, s->name, "record at 0x%x runs over its end", at);
        if (!(k ? kernel_record(f, s->name, k, &r, s->bytes.size) : file_record(f, &r)))
            return false;
        at += size < s->bytes.size - at ? size : s->bytes.size - at;
    }
    return true;
}

static bool check_parameters(struct cubin_file *f, const struct cubin_kernel *k)
{
    uint32_t bank = k->constant[0].size;
    if (k->parameter_bytes && k->parameter_base + k->parameter_bytes > bank)
        return rp_fail(f->err, RP_BAD_INPUT, "%s: kernel %s: parameters reach to 0x%x in a constant bank of 0x%x bytes",
                       f->cubin->file_name, k->name, k->parameter_base + k->parameter_bytes, bank);
    for (uint32_t p = 0; p < k->parameter_count; p++)
        if (k->parameters[p].ordinal != p || k->parameters[p].offset + k->parameters[p].size > k->parameter_bytes)
            return rp_fail(f->err, RP_BAD_INPUT, "%s: kernel %s: parameter %u is not where parameters are",
                           f->cubin->file_name, k->name, p);
    return true;
}

bool cubin_read_info(struct cubin_file *f)
{
    for (size_t i = 1; i < f->section_count; i++) {
        const struct cubin_section *s = &f->sections[i];
        if (!strcmp(s->name, ".nv.info") && !read_records(f, s, NULL))
            return false;
        if (strncmp(s->name, ".nv.info.", 9))
            continue;
        for (uint32_t k = 0; k < f->cubin->kernel_count; k++)
            if (!strcmp(f->cubin->kernels[k].name, s->name + 9) && !read_records(f, s, &f->cubin->kernels[k]))
                return false;
    }
    for (uint32_t k = 0; k < f->cubin->kernel_count; k++)
        if (!check_parameters(f, &f->cubin->kernels[k]))
            return false;
    return true;
}
