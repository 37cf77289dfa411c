#include <stdlib.h>

#include "replay/base/class_timing.h"
#include "replay/engines/staged/staged.h"

/* The number of a register in Accel-Sim is its own plus 1. R255, which reads as zero, is an ordinary register there. */
static int32_t number_of(rp_register r)
{
    if (rp_register_file(r) != RP_FILE_GENERAL)
        return -1;
    unsigned index = rp_register_index(r);
    return r == RP_REGISTER_ZERO ? 256 : (int32_t)(index >= 255 ? index + 2 : index + 1);
}

/* Numbers the registers of the other files, after the general ones. */
static void number_files(struct staged *g)
{
    uint32_t most[STAGED_FILES] = {0};
    for (uint32_t i = 0; i < g->kernel->instruction_count; i++) {
        const struct rp_instruction *in = &g->kernel->instructions[i];
        for (uint32_t r = 0; r < in->src_count + in->dst_count; r++) {
            rp_register reg = r < in->src_count ? in->src[r] : in->dst[r - in->src_count];
            uint32_t end = rp_register_index(reg) + rp_register_count(reg);
            uint32_t *of = &most[rp_register_file(reg) % STAGED_FILES];
            *of = reg != RP_REGISTER_ZERO && end > *of ? end : *of;
        }
    }
    g->file[RP_FILE_GENERAL] = 0;
    uint32_t next = (most[RP_FILE_GENERAL] > 255 ? most[RP_FILE_GENERAL] : 255) + 2;
    g->general = next;
    for (unsigned f = 0; f < STAGED_FILES; f++)
        if (f != RP_FILE_GENERAL) {
            g->file[f] = next;
            next += most[f];
        }
}

static int32_t any_number(const struct staged *g, rp_register r)
{
    if (!rp_register_waits(r))
        return -1;
    int32_t general = number_of(r);
    return general >= 0 ? general : (int32_t)(g->file[rp_register_file(r) % STAGED_FILES] + rp_register_index(r));
}

static void set_operands(struct staged *g, const struct rp_instruction *in, struct staged_static *s)
{
    s->dst = -1;
    for (uint32_t i = 0; i < in->dst_count && s->dst < 0; i++)
        s->dst = number_of(in->dst[i]);
    unsigned listed = 0, banks = (unsigned)g->o[STAGED_REGISTER_BANKS];
    for (uint32_t i = 0; i < in->src_count && listed < STAGED_SOURCES; i++) {
        int32_t n = number_of(in->src[i]);
        bool known = n < 0;
        listed += n >= 0;
        for (unsigned j = 0; j < s->src_count; j++)
            if (s->src[j] == n) {
                s->slots[j] |= rp_source_slots(in, i);
                known = true;
            }
        if (!known) {
            s->slots[s->src_count] = (uint8_t)rp_source_slots(in, i);
            s->src[s->src_count++] = n;
        }
    }
    s->keeps = (uint8_t)rp_control_reuse(in->control);
    for (unsigned j = 0; banks && j < s->src_count; j++)
        s->src_bank[j] = (uint8_t)((uint32_t)s->src[j] % banks);
    s->dst_bank = s->dst >= 0 && banks ? (uint8_t)((uint32_t)s->dst % banks) : 0;
}

/* Adds a register of an instruction, or all of a pair or quad, to its list. */
static unsigned add_all(struct staged *g, uint32_t *list, unsigned count, rp_register r, int32_t but)
{
    int32_t first = any_number(g, r);
    for (int32_t n = first; first >= 0 && n < first + (int32_t)rp_register_count(r); n++) {
        bool known = n == but || count == UINT8_MAX;
        for (unsigned i = 0; !known && i < count; i++)
            known = list[i] == (uint32_t)n;
        if (!known)
            list[count++] = (uint32_t)n;
        g->registers = (uint32_t)n >= g->registers ? (uint32_t)n + 1 : g->registers;
    }
    return count;
}

/* Lists the registers that the scoreboard checks. Returns the end of the lists. */
static uint32_t *set_scoreboard(struct staged *g, const struct rp_instruction *in, struct staged_static *s,
                                uint32_t *list)
{
    unsigned looks = 0, also = 0;
    s->looks = list;
    if (g->o[STAGED_FIRST_REGISTER]) {
        for (unsigned i = 0; i < s->src_count; i++)
            list[looks++] = (uint32_t)s->src[i];
        if (s->dst >= 0)
            list[looks++] = (uint32_t)s->dst;
        for (unsigned i = 0; i < looks; i++)
            g->registers = list[i] >= g->registers ? list[i] + 1u : g->registers;
    } else {
        for (uint32_t i = 0; i < in->src_count; i++)
            looks = add_all(g, list, looks, in->src[i], -1);
        for (uint32_t i = 0; i < in->dst_count; i++)
            looks = add_all(g, list, looks, in->dst[i], -1);
    }
    s->look_count = (uint8_t)looks;
    s->also = list + looks;
    for (uint32_t i = 0; !g->o[STAGED_FIRST_REGISTER] && i < in->dst_count; i++) {
        if (s->dst < 0)
            s->dst = any_number(g, in->dst[i]);
        also = add_all(g, s->also, also, in->dst[i], s->dst);
    }
    s->also_count = (uint8_t)also;
    return s->also + also;
}

static size_t list_room(const struct rp_kernel *k)
{
    size_t room = 1;
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        const struct rp_instruction *in = &k->instructions[i];
        for (uint32_t r = 0; r < in->src_count; r++)
            room += rp_register_count(in->src[r]);
        for (uint32_t r = 0; r < in->dst_count; r++)
            room += 2 * (size_t)rp_register_count(in->dst[r]);
    }
    return room;
}

static struct machine_timing timing_of(const struct staged *g, const struct rp_instruction *in)
{
    const struct machine *m = g->machine;
    if (in->flags & RP_EXIT)
        return m->classes[RP_CLASS_BARRIER];
    if (in->unit_class != RP_CLASS_MEMORY)
        return class_timing(m, in);
    unsigned space = in->memory_count ? in->memory[0].space : (unsigned)RP_SPACE_GLOBAL;
    return space_timing(m, in, space == RP_SPACE_GENERIC || space == RP_SPACE_NONE ? (unsigned)RP_SPACE_GLOBAL : space);
}

bool staged_statics(struct staged *g, struct rp_error *err)
{
    const struct rp_kernel *k = g->kernel;
    g->registers = 1;
    g->statics = calloc(k->instruction_count, sizeof *g->statics);
    free(g->lists);
    uint32_t *list = g->lists = malloc(list_room(k) * sizeof *g->lists);
    if (!g->statics || !list)
        return rp_fail(err, RP_SYSTEM, "out of memory for kernel %s", k->name);
    number_files(g);
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        const struct rp_instruction *in = &k->instructions[i];
        struct staged_static *s = &g->statics[i];
        struct machine_timing t = timing_of(g, in);
        uint64_t latency = (uint64_t)t.initiation + t.latency;
        if (latency + 4 > STAGED_RING)
            return rp_fail(err, RP_BAD_INPUT, "machine %s: pipeline 'staged' has units of up to %u cycles, not %u",
                           g->machine->name, STAGED_RING - 4, (unsigned)latency);
        s->unit = t.unit;
        s->initiation = (uint16_t)t.initiation;
        s->latency = (uint16_t)latency;
        s->is_memory = t.unit == g->machine->spaces[RP_SPACE_GLOBAL].unit;
        s->is_exit = in->flags & RP_EXIT;
        s->is_barrier = is_block_barrier(in);
        s->is_fence = in->unit_class == RP_CLASS_FENCE;
        s->is_block_fence = s->is_fence && is_block_fence(g->machine, in);
        set_operands(g, in, s);
        list = set_scoreboard(g, in, s, list);
    }
    return true;
}
