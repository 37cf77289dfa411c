#include "frontend/loader/isa.h"

#include <stdio.h>

/* In the order in which they are chosen from a fat binary. */
static const struct isa *const all[] = {&isa_sass5x, &isa_ptx, &isa_sass7x};
#define COUNT (sizeof all / sizeof *all)

const struct isa *isa_of_module(const void *bytes, size_t size)
{
    for (size_t i = 0; i < COUNT; i++)
        if (all[i]->recognises(all[i], bytes, size))
            return all[i];
    return NULL;
}

const struct isa *isa_of_sm(unsigned sm)
{
    for (size_t i = 0; i < COUNT; i++)
        if (all[i]->disassemble && all[i]->covers(all[i], sm))
            return all[i];
    return NULL;
}

const struct isa *isa_of_code(const char *path, unsigned sm, struct rp_error *err)
{
    const struct isa *isa = isa_of_sm(sm);
    char known[128];
    isa_ranges(known, sizeof known);
    if (!isa)
        rp_fail(err, RP_BAD_INPUT, "%s: machine code for sm_%u; %s are understood", path, sm, known);
    return isa;
}

unsigned isa_rank(const struct isa *isa)
{
    unsigned i = 0;
    while (all[i] != isa)
        i++;
    return i;
}

bool isa_sm_runs(unsigned sm, unsigned code) { return sm / 10 == code / 10 && code <= sm; }

void isa_ranges(char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < COUNT && used < size; i++)
        if (all[i]->disassemble)
            used += (size_t)snprintf(text + used, size - used, "%ssm_%u to sm_%u", used ? ", " : "", all[i]->oldest_sm,
                                     all[i]->newest_sm);
}

void isa_architectures(char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < COUNT; i++)
        for (unsigned sm = all[i]->oldest_sm; all[i]->disassemble && sm <= all[i]->newest_sm && used < size; sm++)
            if (all[i]->covers(all[i], sm))
                used += (size_t)snprintf(text + used, size - used, "%ssm_%u", used ? ", " : "", sm);
}

void isa_mnemonics(isa_mnemonic_fn use, void *data)
{
    for (size_t i = 0; i < COUNT; i++)
        if (all[i]->mnemonics)
            all[i]->mnemonics(all[i], use, data);
}
