/* Prints what a cubin has more than code as directives. */
#include <inttypes.h>
#include <string.h>

#include "tools/asm/directives.h"
#include "tools/asm/symbols.h"

enum { LINE_BYTES = 32 };

static bool is_zero(const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

static void print_hex(FILE *to, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        fprintf(to, "%02x", bytes[i]);
    fputc('\n', to);
}

static void print_bytes(FILE *to, const struct cubin_bytes *b)
{
    for (uint32_t at = 0; at < b->size; at += LINE_BYTES) {
        uint32_t n = b->size - at < LINE_BYTES ? b->size - at : LINE_BYTES;
        if (is_zero(b->at + at, n))
            continue;
        fprintf(to, "\t.bytes 0x%" PRIx32 " ", at);
        print_hex(to, b->at + at, n);
    }
}

/* Whether it patches the section whose name is made of these two. */
static bool is_of(const struct cubin_relocation *r, const char *section, const char *of)
{
    size_t n = strlen(section);
    return !strncmp(r->from, section, n) && !strcmp(r->from + n, of);
}

/* A symbol whose name does not tell it from others is printed as its section and a distance. */
static void print_relocation(FILE *to, const struct cubin *c, const struct cubin_relocation *r)
{
    const char *section = symbol_section(c, r->target), *name = section ? section : "";
    int64_t addend = r->addend;
    fprintf(to, "\t.relocation 0x%" PRIx32 " 0x%" PRIx32, r->offset, r->type);
    if (!section || symbol_is(c, r->symbol, r->target, r->value))
        fprintf(to, " %s", r->symbol);
    else {
        addend += (int64_t)r->value;
        fprintf(to, " %s%s", name, symbol_section_of(c, r->target));
    }
    if (r->explicit_addend || addend)
        fprintf(to, " %s0x%" PRIx64, addend < 0 ? "-" : "", addend < 0 ? 0 - (uint64_t)addend : (uint64_t)addend);
    fputc('\n', to);
}

static void print_relocations(FILE *to, const struct cubin *c, const char *section, const char *of)
{
    for (uint32_t i = 0; i < c->relocation_count; i++)
        if (is_of(&c->relocations[i], section, of))
            print_relocation(to, c, &c->relocations[i]);
}

/* of: the kernel whose data it is, or "" */
static void print_data(FILE *to, const struct cubin *c, const char *what, const char *section, const char *of,
                       uint64_t size, const struct cubin_bytes *bytes)
{
    fprintf(to, "\t.data %s 0x%" PRIx64 "\n", what, size);
    if (bytes)
        print_bytes(to, bytes);
    print_relocations(to, c, section, of);
}

static void print_variables(FILE *to, const struct cubin *c, enum cubin_space space, uint32_t bank)
{
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct cubin_variable *v = &c->variables[i];
        if (v->space == space && v->bank == bank)
            fprintf(to, "\t.variable %s 0x%" PRIx64 " 0x%" PRIx64 "\n", v->name, v->offset, v->size);
    }
}

void directives_print_module(FILE *to, const struct cubin *c)
{
    char what[16], section[32];
    fprintf(to, "\t.elf %u 0x%x %u 0x%x 0x%" PRIx32 " %u\n", c->is_64 ? 64 : 32, c->os_abi, c->abi_version, c->toolkit,
            c->flags, c->virtual_sm);
    if (c->relocatable)
        fprintf(to, "\t.relocatable\n");
    for (uint32_t b = 0; b < 32; b++) {
        if (!c->constant[b].size)
            continue;
        snprintf(what, sizeof what, "constant%" PRIu32, b);
        snprintf(section, sizeof section, ".nv.constant%" PRIu32, b);
        print_data(to, c, what, section, "", c->constant[b].size, &c->constant[b]);
        print_variables(to, c, CUBIN_CONSTANT, b);
    }
    if (c->global_init.size) {
        print_data(to, c, "initialised", ".nv.global.init", "", c->global_init.size, &c->global_init);
        print_variables(to, c, CUBIN_GLOBAL_INIT, 0);
    }
    if (c->global_size) {
        print_data(to, c, "zeroed", ".nv.global", "", c->global_size, NULL);
        print_variables(to, c, CUBIN_GLOBAL, 0);
    }
}

static void print_count(FILE *to, const char *name, uint32_t count)
{
    if (count)
        fprintf(to, "\t.%s %" PRIu32 "\n", name, count);
}

static void print_three(FILE *to, const char *name, const uint32_t count[3])
{
    if (count[0])
        fprintf(to, "\t.%s %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", name, count[0], count[1], count[2]);
}

/* Frames of the functions within the code; the loader has added those of functions with sections of their own. */
static uint32_t callee_frames(const struct cubin_kernel *k)
{
    uint32_t bytes = k->callee_bytes;
    for (uint32_t i = 0; i < k->part_count; i++)
        bytes -= k->parts[i]->frame_bytes;
    return bytes;
}

static void print_sizes(FILE *to, const struct cubin_kernel *k)
{
    if (k->entry)
        fprintf(to, "\t.entry\n");
    fprintf(to, "\t.registers %" PRIu32 "\n", k->registers);
    print_count(to, "barriers", k->barriers);
    print_count(to, "shared", k->static_shared);
    print_count(to, "frame", k->frame_bytes);
    print_count(to, "callee_frames", callee_frames(k));
    if (k->stack_bytes == CUBIN_UNKNOWN)
        fprintf(to, "\t.stack unknown\n");
    else
        print_count(to, "stack", k->stack_bytes);
    print_count(to, "crs", k->crs_bytes);
    print_three(to, "max_threads", k->max_threads);
    print_three(to, "required_threads", k->required_threads);
    print_three(to, "cluster", k->required_cluster);
    if (k->explicit_cluster)
        fprintf(to, "\t.explicit_cluster\n");
    print_count(to, "max_cluster", k->max_cluster);
}

static void print_parameters(FILE *to, const struct cubin *c, const struct cubin_kernel *k)
{
    uint32_t bytes = parameter_bytes(k);
    for (uint32_t i = 0; i < k->parameter_count; i++)
        fprintf(to, "\t.param 0x%x %u\n", k->parameters[i].offset, k->parameters[i].size);
    if (k->parameter_bytes && (k->parameter_bytes != bytes || k->parameter_base != parameter_base(c->sm)))
        fprintf(to, "\t.parameters 0x%" PRIx32 " %" PRIu32 "\n", k->parameter_base, k->parameter_bytes);
}

static void print_attribute(FILE *to, const struct cubin_attribute *a)
{
    fprintf(to, "\t.attribute 0x%02x", a->number);
    if (a->format == CUBIN_BYTE)
        fprintf(to, " byte 0x%x", a->value);
    if (a->format == CUBIN_HALF)
        fprintf(to, " half 0x%x", a->value);
    if (a->format != CUBIN_SIZED || !a->value) {
        fputs(a->format == CUBIN_SIZED ? " words\n" : "\n", to);
        return;
    }
    if (a->value % 4) {
        fputs(" bytes ", to);
        print_hex(to, a->payload, a->value);
        return;
    }
    fputs(" words", to);
    for (uint32_t i = 0; i < a->value; i += 4)
        fprintf(to, " 0x%x",
                a->payload[i] | a->payload[i + 1] << 8 | a->payload[i + 2] << 16 | (unsigned)a->payload[i + 3] << 24);
    fputc('\n', to);
}

static void print_branch(FILE *to, const struct cubin_kernel *k, const struct cubin_branch *b)
{
    fprintf(to, "\t.targets 0x%" PRIx32, b->offset);
    for (uint32_t t = 0; t < b->count; t++)
        fprintf(to, " 0x%" PRIx32, k->targets[b->first + t]);
    fputc('\n', to);
}

/* Bank 0 holds what a launch gives, and is as long as parameters make it, unless the file wants something there. */
static bool is_usual(const struct cubin *c, const struct cubin_kernel *k, uint32_t bank, const char *section)
{
    const struct cubin_bytes *b = &k->constant[bank];
    for (uint32_t i = 0; i < c->relocation_count; i++)
        if (is_of(&c->relocations[i], section, k->name))
            return false;
    return !bank && k->entry && b->size == parameter_base(c->sm) + parameter_bytes(k) && is_zero(b->at, b->size);
}

void directives_print_function(FILE *to, const struct cubin *c, const struct cubin_kernel *k)
{
    char what[16], section[32];
    print_sizes(to, k);
    print_parameters(to, c, k);
    for (uint32_t i = 0; i < k->function_count; i++)
        fprintf(to, "\t.function %s 0x%" PRIx32 " 0x%" PRIx32 "\n", k->functions[i].name, k->functions[i].offset,
                k->functions[i].size);
    for (uint32_t i = 0; i < k->branch_count; i++)
        print_branch(to, k, &k->branches[i]);
    for (uint32_t i = 0; i < k->attribute_count; i++)
        print_attribute(to, &k->attributes[i]);
    print_relocations(to, c, ".text.", k->name);
    for (uint32_t b = 0; b < 32; b++) {
        snprintf(what, sizeof what, "constant%" PRIu32, b);
        snprintf(section, sizeof section, ".nv.constant%" PRIu32 ".", b);
        if (k->constant[b].size && !is_usual(c, k, b, section))
            print_data(to, c, what, section, k->name, k->constant[b].size, &k->constant[b]);
    }
}
