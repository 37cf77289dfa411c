#include <stdlib.h>

#include "replay/staged/staged.h"

/* Numbers as Accel-Sim has them: that of the register and 1 more; R255, which reads as zero, is one like others. */
static int32_t number_of(rp_register r)
{
    if (rp_register_file(r) != RP_FILE_GENERAL)
        return -1;
    unsigned index = rp_register_index(r);
    return r == RP_REGISTER_ZERO ? 256 : (int32_t)(index >= 255 ? index + 2 : index + 1);
}

static void set_registers(struct staged *g, const struct rp_instruction *in, struct staged_static *s)
{
    s->dst = -1;
    for (uint32_t i = 0; i < in->dst_count && s->dst < 0; i++)
        s->dst = number_of(in->dst[i]);
    unsigned listed = 0;
    for (uint32_t i = 0; i < in->src_count && listed < STAGED_SOURCES; i++) {
        int32_t n = number_of(in->src[i]);
        bool known = n < 0;
        listed += n >= 0;
        for (unsigned j = 0; j < s->src_count; j++)
            known |= s->src[j] == n;
        if (!known)
            s->src[s->src_count++] = n;
    }
    for (unsigned j = 0; j < s->src_count; j++)
        g->registers = (uint32_t)s->src[j] >= g->registers ? (uint32_t)s->src[j] + 1 : g->registers;
    unsigned banks = (unsigned)g->o[STAGED_REGISTER_BANKS];
    for (unsigned j = 0; j < s->src_count; j++)
        s->src_bank[j] = (uint8_t)((uint32_t)s->src[j] % banks);
    s->dst_bank = s->dst >= 0 ? (uint8_t)((uint32_t)s->dst % banks) : 0;
    g->registers = s->dst >= (int32_t)g->registers ? (uint32_t)s->dst + 1 : g->registers;
}

static const struct machine_timing *timing_of(const struct staged *g, const struct rp_instruction *in)
{
    const struct machine *m = g->machine;
    if (in->flags & RP_EXIT)
        return &m->classes[RP_CLASS_BARRIER];
    if (in->unit_class != RP_CLASS_MEMORY)
        return &m->classes[in->unit_class];
    unsigned space = in->memory_count ? in->memory[0].space : (unsigned)RP_SPACE_GLOBAL;
    return &m->spaces[space == RP_SPACE_GENERIC || space == RP_SPACE_NONE ? (unsigned)RP_SPACE_GLOBAL : space];
}

bool staged_statics(struct staged *g, struct rp_error *err)
{
    const struct rp_kernel *k = g->kernel;
    g->registers = 1;
    g->statics = calloc(k->instruction_count, sizeof *g->statics);
    if (!g->statics)
        return rp_fail(err, RP_SYSTEM, "out of memory for kernel %s", k->name);
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        const struct rp_instruction *in = &k->instructions[i];
        struct staged_static *s = &g->statics[i];
        const struct machine_timing *t = timing_of(g, in);
        uint64_t latency = (uint64_t)t->initiation + t->latency;
        if (latency + 4 > STAGED_RING)
            return rp_fail(err, RP_BAD_INPUT, "machine %s: pipeline 'staged' has units of up to %u cycles, not %u",
                           g->machine->name, STAGED_RING - 4, (unsigned)latency);
        s->unit = t->unit;
        s->initiation = (uint16_t)t->initiation;
        s->latency = (uint16_t)latency;
        s->is_memory = t->unit == g->machine->spaces[RP_SPACE_GLOBAL].unit;
        s->is_exit = in->flags & RP_EXIT;
        s->is_barrier = is_block_barrier(in);
        s->is_fence = in->unit_class == RP_CLASS_FENCE;
        set_registers(g, in, s);
    }
    return true;
}
