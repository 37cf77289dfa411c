/* Entries of scoreboards. Compilers that give each result a register of its own name hundreds of registers, of which
 * few are in use at a time. Scoreboards of so many entries would not fit into the caches of the host. So registers
 * share entries where that changes no cycle.
 *
 * A region is a piece of straight code up to a branch. A register that only one region names, and whose last result
 * some instruction of it waits for, needs its entry from the first to the last of these instructions. Before and behind
 * them its entry holds a cycle that is over, for instructions issue in order. So within a region an entry may serve one
 * register after the other, and all regions may use the same entries.
 *
 * This holds as long as a warp leaves no region before its end. Where the lanes of a warp part and meet again, one may.
 * It is noticed (OP_LEAVES), and from then on the warp uses entries that are not shared. */
#include <stdlib.h>

#include "replay/engines/fast/fast.h"

#define SEVERAL UINT32_MAX
#define LINE_ENTRIES (HOST_LINE / sizeof(uint64_t))

static bool shares(const struct register_use *u) { return u->region != SEVERAL && !u->pending; }

/* An exit that takes no time waits for no registers. */
static bool names_registers(const struct op *op) { return !(op->flags & OP_FREE_EXIT); }

/* Divides the kernel into regions, and notes what each does with registers. */
static void note_uses(struct program *p, const struct rp_kernel *k)
{
    uint32_t region = 1;
    for (uint32_t i = 0; i < p->op_count; i++) {
        struct op *op = &p->ops[i];
        const uint32_t *number = p->registers + op->registers;
        for (unsigned n = 0; names_registers(op) && n < op->waits; n++) {
            struct register_use *u = &p->uses[number[n]];
            u->first = u->region ? u->first : i;
            u->region = u->region && u->region != region ? SEVERAL : region;
            u->last = i;
            u->pending = n < op->destinations;
        }
        if (k->instructions[i].unit_class == RP_CLASS_CONTROL || op->flags & OP_EXIT) {
            op->flags |= OP_LEAVES;
            region++;
        }
    }
}

/* Entries that are not in use; `count`: of all. */
struct vacant {
    uint32_t *items;
    uint32_t item_count, count;
};

/* The registers [from, to) of the op get entries if it is the first to name them. Those that it is the last to name
 * leave them. */
static void take_entries(struct program *p, uint32_t index, unsigned from, unsigned to, struct vacant *v)
{
    const uint32_t *number = p->registers + p->ops[index].registers;
    for (unsigned n = from; n < to; n++) {
        struct register_use *u = &p->uses[number[n]];
        if (!shares(u))
            continue;
        if (u->first == index)
            u->entry = v->item_count ? v->items[--v->item_count] : v->count++;
        if (u->last == index)
            v->items[v->item_count++] = u->entry;
    }
}

/* Entries of registers that share come first: most instructions use these. */
static void assign(struct program *p, struct vacant *v)
{
    v->count = FIRST_ENTRY;
    for (uint32_t i = 0; i < p->op_count; i++)
        if (names_registers(&p->ops[i])) {
            /* the sources first: what the instruction writes may have the entry of what it is the last to read */
            take_entries(p, i, p->ops[i].destinations, p->ops[i].waits, v);
            take_entries(p, i, 0, p->ops[i].destinations, v);
        }
    for (uint32_t r = 0; r < p->register_count; r++)
        if (!shares(&p->uses[r]))
            p->uses[r].entry = v->count++;
    p->shared_entries = v->count;
}

bool entries_share(struct program *p, const struct rp_kernel *k, uint32_t registers, uint32_t used)
{
    struct vacant vacant = {.items = malloc(((size_t)registers + 1) * sizeof *vacant.items)};
    p->register_count = registers;
    p->uses = calloc((size_t)registers + 1, sizeof *p->uses);
    if (p->uses && vacant.items) {
        note_uses(p, k);
        assign(p, &vacant);
        for (uint32_t i = 0; i < used; i++) {
            p->registers[used + i] = p->shared_entries + p->registers[i];
            p->registers[i] = p->uses[p->registers[i]].entry;
        }
        for (uint32_t i = 0; i < p->op_count; i++) {
            struct op *own = &p->ops[p->op_count + i];
            *own = p->ops[i];
            own->registers += used;
            own->flags |= OP_LEAVES;
        }
        size_t entries = (size_t)p->shared_entries + registers + LINE_ENTRIES - 1;
        p->entry_count = (uint32_t)(entries - entries % LINE_ENTRIES);
    }
    free(vacant.items);
    return p->uses && vacant.items;
}

/* From now on each register of the warp has an entry of its own. `last`: the instruction that it executed last. */
static void part(struct fast_sm *sm, struct fast_warp *w, uint32_t last)
{
    const struct program *p = &w->part->grid->program;
    for (uint32_t r = 0; r < p->register_count; r++) {
        const struct register_use *u = &p->uses[r];
        bool used = !shares(u) || (u->first <= last && u->last > last);
        w->scoreboard[p->shared_entries + r] = used ? w->scoreboard[u->entry] : 0;
    }
    for (uint32_t i = 0; i < sm->access_count; i++)
        if (sm->accesses[i].warp == w)
            sm->accesses[i].op += p->op_count;
    w->ops += p->op_count;
}

const struct op *fast_jump(struct fast_sm *sm, struct fast_warp *w, uint32_t last, uint32_t next)
{
    if (next != last + 1 && last < w->part->grid->program.op_count && !(w->ops[last].flags & OP_LEAVES))
        part(sm, w, last);
    return &w->ops[next];
}
