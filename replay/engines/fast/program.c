/* Static tables of a kernel on a machine. */
#include <stdlib.h>
#include <string.h>

#include "replay/base/class_timing.h"
#include "replay/engines/fast/fast.h"

/* All registers of a kernel as file << 24 | index, sorted and without repetition; a register's number is its index
 * here. */
struct names {
    uint32_t *items;
    size_t count;
};

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t expand(rp_register r, uint32_t *out)
{
    for (unsigned i = 0; i < rp_register_waits(r); i++)
        out[i] = rp_register_file(r) << 24 | ((rp_register_index(r) + i) & 0xffffff);
    return rp_register_waits(r);
}

static size_t operand_registers(const struct rp_instruction *in)
{
    size_t count = 0;
    for (uint32_t i = 0; i < in->dst_count; i++)
        count += rp_register_count(in->dst[i]);
    for (uint32_t i = 0; i < in->src_count; i++)
        count += rp_register_count(in->src[i]);
    return count;
}

static size_t all_registers(const struct rp_kernel *k)
{
    size_t count = 0;
    for (uint32_t i = 0; i < k->instruction_count; i++)
        count += operand_registers(&k->instructions[i]);
    return count;
}

static bool collect_names(struct names *names, const struct rp_kernel *k)
{
    size_t all = all_registers(k), n = 0;
    names->items = malloc((all + 1) * sizeof *names->items);
    if (!names->items)
        return false;
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        const struct rp_instruction *in = &k->instructions[i];
        for (uint32_t d = 0; d < in->dst_count; d++)
            n += expand(in->dst[d], names->items + n);
        for (uint32_t s = 0; s < in->src_count; s++)
            n += expand(in->src[s], names->items + n);
    }
    qsort(names->items, n, sizeof *names->items, ascending);
    for (size_t i = 0; i < n; i++)
        if (!i || names->items[i] != names->items[i - 1])
            names->items[names->count++] = names->items[i];
    return true;
}

/* Adds the registers of an operand to the `count` numbers at `list`, unless they are there. */
static unsigned add_operand(const struct names *names, rp_register r, uint32_t *list, unsigned count)
{
    uint32_t each[16];
    size_t n = expand(r, each);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *at = bsearch(&each[i], names->items, names->count, sizeof *names->items, ascending);
        uint32_t number = (uint32_t)(at - names->items);
        bool there = false;
        for (unsigned j = 0; j < count; j++)
            there |= list[j] == number;
        if (!there)
            list[count++] = number;
    }
    return count;
}

/* Adds all operands of an instruction, after those of the instructions before it. Returns the number of their
 * registers. */
static uint32_t add_operands(const struct program *p, const struct names *names, const struct rp_instruction *in,
                             struct op *op)
{
    uint32_t *list = p->registers + op->registers;
    unsigned count = 0;
    for (uint32_t d = 0; d < in->dst_count; d++)
        count = add_operand(names, in->dst[d], list, count);
    op->destinations = (uint16_t)count;
    for (uint32_t s = 0; s < in->src_count; s++)
        count = add_operand(names, in->src[s], list, count);
    op->waits = (uint16_t)count;
    return count;
}

static enum producer producer_of(const struct rp_instruction *in)
{
    if (!timed_by_space(in))
        return in->memory_count ? PRODUCER_MEMORY : PRODUCER_OTHER;
    unsigned space = in->memory_count ? in->memory[0].space : (unsigned)RP_SPACE_GLOBAL;
    return path_of_space(space) == PATH_SHARED ? PRODUCER_SHARED : PRODUCER_MEMORY;
}

/* Whether it is one access that needs no model. Where an observer wants the level, accesses to caches are not plain:
 * each reports its own. */
static bool is_plain(const struct fast *f, const struct fast_grid *g, const struct rp_instruction *in)
{
    if (in->memory_count != 1 || async_starts(in) || is_object(in->memory))
        return false;
    unsigned space = in->memory[0].space;
    if (space == RP_SPACE_NONE || needs_resolving(g->launch, space) || space == RP_SPACE_LOCAL)
        return false;
    enum path path = path_of_space(space);
    return path == PATH_SHARED ? f->plain_shared : path == PATH_CACHES && f->plain_global && !f->observes;
}

/* The offset in struct fast_part of a counter of its statistics. */
static uint16_t offset_of(const struct fast_part *part, const uint64_t *counter)
{
    return (uint16_t)((const char *)counter - (const char *)part);
}

/* Whether it is a fence that waits only until accesses are performed for its block. */
static bool waits_for_block(const struct fast *f, const struct rp_instruction *in)
{
    return is_block_fence(f->machine, in) && memory_system_orders_blocks(f->memory);
}

static bool has_block_fence(const struct fast *f, const struct rp_kernel *k)
{
    bool found = false;
    for (uint32_t i = 0; i < k->instruction_count; i++)
        found |= waits_for_block(f, &k->instructions[i]);
    return found;
}

/* Of an instruction with memory operands: whether an execution may go to caches. */
static bool may_reach_caches(const struct rp_instruction *in)
{
    bool may = false;
    for (uint32_t i = 0; i < in->memory_count; i++)
        may |= in->memory[i].space != RP_SPACE_NONE && path_of_space(in->memory[i].space) == PATH_CACHES;
    return may;
}

/* Of an instruction with memory operands: whether it is one access to the block's own shared memory. */
static bool is_shared(const struct fast *f, const struct fast_grid *g, const struct rp_instruction *in)
{
    const struct rp_memory_operand *o = in->memory;
    return in->memory_count == 1 && path_of_space(o->space) == PATH_SHARED && !needs_resolving(g->launch, o->space) &&
           !is_bulk(o) && o->width <= UINT16_MAX && !f->job->sampled && !f->plain_shared;
}

static struct op build_op(const struct fast *f, const struct fast_grid *g, const struct rp_instruction *in)
{
    const struct machine *m = f->machine;
    bool memory = timed_by_space(in);
    unsigned space = memory && in->memory_count && in->memory[0].space != RP_SPACE_NONE ? in->memory[0].space
                                                                                        : (unsigned)RP_SPACE_GLOBAL;
    bool by_space = memory && needs_resolving(g->launch, space);
    struct machine_timing t = by_space ? m->spaces[RP_SPACE_GLOBAL]
                              : memory ? space_timing(m, in, space)
                                       : class_timing(m, in);
    unsigned flags = (in->unit_class == RP_CLASS_CONTROL ? OP_CONTROL : 0) |
                     (in->unit_class == RP_CLASS_FENCE ? OP_FENCE : 0) | (waits_for_block(f, in) ? OP_BLOCK_FENCE : 0) |
                     (is_block_barrier(in) ? OP_BARRIER : 0) | (in->flags & RP_EXIT ? OP_EXIT : 0) |
                     (is_cluster_barrier(in) ? OP_CLUSTER : 0) |
                     (is_plain(f, g, in) ? OP_PLAIN
                      : in->memory_count ? OP_ACCESS
                                         : 0) |
                     (async_acts(in) ? OP_ACTS : 0) | (async_starts(in) ? OP_STARTS : 0) |
                     (async_tests(in) ? OP_TESTS : 0) | (async_awaits_groups(in) ? OP_GROUPS : 0) |
                     (by_space ? OP_BY_SPACE : 0) | (in->flags & RP_GUARDED ? OP_GUARDED : 0) |
                     (rp_aux_count(in) ? OP_AUX : 0) | (!m->issue_exit && is_plain_exit(in) ? OP_FREE_EXIT : 0);
    if (flags & OP_ACCESS)
        flags |= (f->may_refuse && may_reach_caches(in) ? OP_CACHES : 0) | (is_shared(f, g, in) ? OP_SHARED : 0);
    struct op op = {.flags = flags,
                    .unit = t.unit,
                    .producer = (uint8_t)producer_of(in),
                    .initiation = t.initiation,
                    .latency = t.latency,
                    .accesses = (uint16_t)in->memory_count};
    if (flags & (OP_PLAIN | OP_SHARED)) {
        bool shared = path_of_space(in->memory[0].space) == PATH_SHARED;
        struct fast_part part;
        op.counter = offset_of(&part, shared ? shared_counter(&part.statistics, in->memory)
                                             : global_counter(&part.statistics, in->memory));
        op.latency += shared ? 0 : (uint32_t)f->delay;
        op.width = (uint16_t)in->memory->width;
        op.flags |= is_atomic(in->memory) ? OP_ATOMIC : 0;
    }
    return op;
}

/* Fills in the entries that the op itself holds. */
static void fill_op(const struct program *p, const struct rp_instruction *in, struct op *op)
{
    const uint32_t *entry = p->registers + op->registers;
    for (unsigned i = 0; i < OP_WAITS; i++)
        op->wait[i] = i < op->waits ? entry[i] : FREE_ENTRY;
    if (op->waits > OP_WAITS || op->destinations > 1)
        op->flags |= OP_MANY;
    if (async_starts(in)) /* no instruction waits for its registers */
        op->destinations = 0;
    op->destination = op->destinations ? entry[0] : NO_ENTRY;
}

bool program_build(struct program *p, const struct fast *f, const struct fast_grid *grid, struct rp_error *err)
{
    const struct machine *m = f->machine;
    const struct rp_kernel *k = grid->kernel;
    struct names names = {0};
    *p = (struct program){0};
    bool fine = collect_names(&names, k);
    p->op_count = k->instruction_count;
    p->ops = calloc(2 * (size_t)k->instruction_count + 1, sizeof *p->ops);
    p->registers = malloc((2 * all_registers(k) + 1) * sizeof *p->registers);
    fine = fine && p->ops && p->registers;
    if (!fine)
        rp_fail(err, RP_SYSTEM, "out of memory for the tables of kernel %s", k->name);
    bool ordered = has_block_fence(f, k);
    uint32_t used = 0;
    for (uint32_t i = 0; fine && i < k->instruction_count; i++) {
        const struct rp_instruction *in = &k->instructions[i];
        if (operand_registers(in) > UINT16_MAX || in->memory_count > UINT16_MAX) {
            fine = rp_fail(err, RP_BAD_INPUT, "kernel %s: instruction %u names too many %s", k->name, i,
                           in->memory_count > UINT16_MAX ? "addresses" : "registers");
            break;
        }
        p->ops[i] = build_op(f, grid, in);
        p->free_exits += (p->ops[i].flags & OP_FREE_EXIT) != 0;
        p->ops[i].flags |= ordered && in->memory_count && !async_starts(in) ? OP_ORDERED : 0;
        if (((const struct instruction_cache_model *)m->icache.model)->keeps)
            p->ops[i].flags |= OP_FETCHED | OP_EXTENDED;
        if (f->observes)
            p->ops[i].flags |= OP_OBSERVED | OP_EXTENDED;
        if (grid->control_words || m->issue_width > 1)
            p->ops[i].flags |= OP_EXTENDED;
        p->ops[i].registers = used;
        if (!grid->control_words)
            used += add_operands(p, &names, in, &p->ops[i]);
        if (p->ops[i].flags & (OP_ACTS | OP_TESTS | OP_GROUPS))
            p->ops[i].flags |= OP_EXTENDED;
    }
    free(names.items);
    if (fine && !entries_share(p, k, (uint32_t)names.count, used))
        fine = rp_fail(err, RP_SYSTEM, "out of memory for the registers of kernel %s", k->name);
    for (uint32_t i = 0; fine && i < 2 * k->instruction_count; i++)
        fill_op(p, &k->instructions[i % k->instruction_count], &p->ops[i]);
    if (fine)
        return true;
    program_free(p);
    return false;
}

void program_free(struct program *p)
{
    free(p->ops);
    free(p->registers);
    free(p->uses);
    *p = (struct program){0};
}
