#include "tools/asm/symbols.h"

#include <string.h>

#include "frontend/isa/sass/lower.h"
#include "frontend/loader/isa.h"

static uint32_t section_of(const struct cubin *c, const struct cubin_variable *v)
{
    return v->space == CUBIN_CONSTANT      ? c->constant_section[v->bank]
           : v->space == CUBIN_GLOBAL_INIT ? c->global_init_section
                                           : c->global_section;
}

bool symbol_is(const struct cubin *c, const char *name, uint32_t section, uint64_t value)
{
    uint32_t all = 0, there = 0;
    for (uint32_t i = 0; i < c->variable_count; i++)
        if (!strcmp(c->variables[i].name, name)) {
            all++;
            there += section_of(c, &c->variables[i]) == section && c->variables[i].offset == value;
        }
    for (uint32_t k = 0; k < c->kernel_count; k++) {
        const struct cubin_kernel *of = &c->kernels[k];
        if (!strcmp(of->name, name)) {
            all++;
            there += of->section == section && !value;
        }
        for (uint32_t i = 0; i < of->function_count; i++)
            if (!strcmp(of->functions[i].name, name)) {
                all++;
                there += of->section == section && of->functions[i].offset == value;
            }
    }
    return all == 1 && there;
}

static const struct cubin_kernel *code_of(const struct cubin *c, uint32_t section)
{
    for (uint32_t k = 0; k < c->kernel_count; k++)
        if (c->kernels[k].section == section)
            return &c->kernels[k];
    return NULL;
}

const char *symbol_section(const struct cubin *c, uint32_t section)
{
    if (!section)
        return NULL;
    if (section == c->global_init_section)
        return ".nv.global.init";
    if (section == c->global_section)
        return ".nv.global";
    if (section == c->constant_section[3])
        return ".nv.constant3";
    return code_of(c, section) ? ".text." : NULL;
}

const char *symbol_section_of(const struct cubin *c, uint32_t section)
{
    const struct cubin_kernel *k = code_of(c, section);
    return k ? k->name : "";
}

uint32_t parameter_base(unsigned sm)
{
    const struct isa *isa = isa_of_sm(sm);
    return isa ? isa->family->parameters(sm) : 0;
}

uint32_t parameter_bytes(const struct cubin_kernel *k)
{
    const struct cubin_parameter *last = k->parameter_count ? &k->parameters[k->parameter_count - 1] : NULL;
    return last ? (uint32_t)last->offset + last->size : 0;
}
