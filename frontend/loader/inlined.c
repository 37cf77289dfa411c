#include "frontend/loader/inlined.h"

#include <string.h>

void inlined_keep(struct arena *arena, const struct rp_inlined_call *all, uint32_t count, struct rp_instruction *in,
                  uint32_t instruction_count, struct rp_kernel *k)
{
    uint32_t *number = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1), kept = 0;
    memset(number, 0, ((size_t)count + 1) * sizeof *number);
    for (uint32_t i = 0; i < instruction_count; i++)
        for (uint32_t c = in[i].inlined; c && !number[c]; c = all[c - 1].inlined)
            number[c] = 1;
    for (uint32_t c = 1; c <= count; c++)
        kept += number[c];
    struct rp_inlined_call *calls = ARENA_ARRAY(arena, struct rp_inlined_call, (size_t)kept + 1);
    kept = 0;
    for (uint32_t c = 1; c <= count; c++) {
        if (!number[c])
            continue;
        calls[kept] = all[c - 1];
        calls[kept].inlined = number[all[c - 1].inlined];
        number[c] = ++kept;
    }
    for (uint32_t i = 0; i < instruction_count; i++)
        in[i].inlined = number[in[i].inlined];
    k->inlined = calls;
    k->inlined_count = kept;
}
