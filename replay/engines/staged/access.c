/* The accesses of an instruction: sectors of the whole warp, or cycles of shared memory. */
#include <stdlib.h>
#include <string.h>

#include "replay/base/cluster.h"
#include "replay/engines/staged/staged.h"

#define SECTOR 32u

static struct access *add_access(struct staged *g, struct inst *in)
{
    if (in->access_count == in->access_room) {
        uint32_t room = in->access_room ? 2 * in->access_room : 32;
        struct access *larger = realloc(in->accesses, room * sizeof *larger);
        if (!larger) {
            g->no_memory = true;
            return NULL;
        }
        in->accesses = larger;
        in->access_room = room;
    }
    struct access *a = &in->accesses[in->access_count++];
    *a = (struct access){0};
    return a;
}

static uint32_t bytes_of(uint64_t address, uint64_t width)
{
    uint64_t from = address % SECTOR, to = from + width > SECTOR ? SECTOR : from + width;
    return (uint32_t)((1ull << to) - (1ull << from));
}

/* Each atomic on one address makes an access of its own. */
static void touch(struct staged *g, struct inst *in, bool store, uint64_t address, uint64_t width)
{
    uint32_t bytes = bytes_of(address, width);
    bool beyond =
        in->ascending && in->access_count && address / SECTOR * SECTOR > in->accesses[in->access_count - 1].address;
    for (uint32_t i = beyond ? in->access_count : 0; i < in->access_count; i++) {
        struct access *a = &in->accesses[i];
        if (a->address != address / SECTOR * SECTOR || a->store != store || (in->atomic && a->bytes & bytes))
            continue;
        a->bytes |= bytes;
        a->lanes++;
        return;
    }
    in->ascending = beyond || !in->access_count;
    struct access *a = add_access(g, in);
    if (a)
        *a = (struct access){address / SECTOR * SECTOR, bytes, 1, store};
}

static void touch_all(struct staged *g, struct inst *in, bool store, uint64_t address, uint64_t width)
{
    while (width) {
        uint64_t room = SECTOR - address % SECTOR, part = width < room ? width : room;
        touch(g, in, store, address, part);
        address += part;
        width -= part;
    }
}

/* Whether `a` is served behind `b`: lower sectors are, and stores behind loads of their sector. */
static bool is_behind(const struct access *a, const struct access *b)
{
    return a->address != b->address ? a->address < b->address : a->store && !b->store;
}

/* Sorts accesses by sector; those of one sector and kind keep their order. The last access is served first. */
static void sort_accesses(struct inst *in)
{
    for (uint32_t i = in->ascending ? in->access_count : 1; i < in->access_count; i++) {
        struct access a = in->accesses[i];
        uint32_t j = i;
        for (; j && is_behind(&a, &in->accesses[j - 1]); j--)
            in->accesses[j] = in->accesses[j - 1];
        in->accesses[j] = a;
    }
}

/* A thread's local memory is interleaved with that of all others that may be resident. */
static void touch_local(struct staged_sm *sm, const struct staged_warp *w, struct inst *in, bool store, unsigned lane,
                        uint64_t address, uint32_t width)
{
    const struct staged *g = sm->chip;
    uint64_t threads = (uint64_t)g->warps_per_block * RP_WARP_LANES;
    uint64_t all = threads * g->limit * (uint64_t)g->machine->sms;
    uint64_t mine = threads * (sm->number + (uint64_t)g->machine->sms * w->block->slot) +
                    (uint64_t)w->number * RP_WARP_LANES + lane;
    for (uint32_t at = 0; at < width; at += 4)
        touch_all(sm->chip, in, store, 4 * ((address + at) / 4 * all + mine) + STAGED_LOCAL + (address + at) % 4,
                  width - at < 4 ? width - at : 4);
}

/* The cycles of an access to shared memory: the largest number of different words in one bank. Lanes that access the
 * same word count once. Only the first word of a lane counts. */
static uint32_t conflict(const uint64_t address[RP_WARP_LANES], rp_lanemask mask)
{
    uint32_t most = 1;
    uint8_t words[32] = {0}, list[32][RP_WARP_LANES]; /* by bank: how many, and a lane with each */
    for (rp_lanemask m = mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m), bank = address[lane] / 4 % 32, i = 0;
        while (i < words[bank] && address[list[bank][i]] / 4 != address[lane] / 4)
            i++;
        if (i < words[bank])
            continue;
        list[bank][words[bank]++] = (uint8_t)lane;
        most = words[bank] > most ? words[bank] : most;
    }
    return most;
}

static void touch_global(struct staged_sm *sm, const struct staged_warp *w, struct inst *in,
                         const struct rp_memory_operand *o, unsigned space, const uint64_t address[RP_WARP_LANES],
                         rp_lanemask mask)
{
    bool store = o->kind == RP_ACCESS_STORE;
    uint32_t width = o->width, before = in->access_count;
    bool ideal = sm->chip->machine->coalescer.model == &coalescer_ideal.model;
    for (rp_lanemask m = ideal ? mask & -mask : mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (space == RP_SPACE_LOCAL)
            touch_local(sm, w, in, store, lane, address[lane], width);
        else if (address[lane])
            touch_all(sm->chip, in, store, address[lane], width);
    }
    in->loads += store ? 0 : in->access_count - before;
    *global_counter(sm->chip->statistics, o) += in->access_count - before;
}

/* What guests' instructions access beside the first operand: further words of a list, or what they store after they
 * have loaded. A GPU's instruction has one operand in global memory; what it copies to shared memory takes no time. */
static void touch_others(struct staged_sm *sm, const struct staged_warp *w, const struct rp_step *step, struct inst *in)
{
    for (uint32_t i = 1; i < step->instruction->memory_count; i++) {
        const struct rp_memory_operand *o = &step->instruction->memory[i];
        uint64_t address[RP_WARP_LANES] = {0};
        if (o->space != RP_SPACE_GLOBAL || (o->kind != RP_ACCESS_LOAD && o->kind != RP_ACCESS_STORE))
            continue;
        in->load |= o->kind == RP_ACCESS_LOAD;
        in->store |= o->kind == RP_ACCESS_STORE;
        rp_access_addresses(&step->accesses[i], address);
        touch_global(sm, w, in, o, RP_SPACE_GLOBAL, address, step->accesses[i].pattern->mask);
    }
}

bool staged_accesses(struct staged_sm *sm, struct staged_warp *w, const struct rp_step *step, struct inst *in)
{
    struct staged *g = sm->chip;
    const struct rp_instruction *si = step->instruction;
    const struct rp_memory_operand *o = si->memory_count ? &si->memory[0] : NULL;
    uint64_t address[RP_WARP_LANES] = {0}, offset;
    in->any_lane = step->executed != 0;
    in->load = o && o->kind != RP_ACCESS_STORE;
    in->store = !in->load && o;
    in->atomic = o && (o->kind == RP_ACCESS_ATOMIC || o->kind == RP_ACCESS_REDUCTION);
    in->bypass = o && (!g->l1 || in->atomic || o->cache_op == RP_CACHE_CG || o->cache_op == RP_CACHE_CV ||
                       (o->order > RP_ORDER_VOLATILE && o->scope >= RP_SCOPE_GPU));
    in->conflict = 1;
    unsigned space = o ? timing_space(g->launch, 0, si, step) : RP_SPACE_GLOBAL;
    in->shared = path_of_space(space) == PATH_SHARED;
    in->lanes = (uint32_t)__builtin_popcount(step->executed);
    if (!o || !step->executed)
        return true;
    rp_access_addresses(&step->accesses[0], address);
    if (o->space == RP_SPACE_GENERIC && space != RP_SPACE_GLOBAL)
        for (rp_lanemask m = step->executed; m; m &= m - 1) {
            resolve_generic(g->launch, address[__builtin_ctz(m)], &offset);
            address[__builtin_ctz(m)] = offset;
        }
    if (in->shared) {
        if (g->machine->shared.model != &shared_memory_ideal.model)
            in->conflict = conflict(address, step->executed);
        *shared_counter(g->statistics, o) += in->conflict;
        g->statistics->shared_conflicts += in->conflict - 1;
    } else {
        touch_global(sm, w, in, o, space, address, step->executed);
        if (space == RP_SPACE_GLOBAL && !in->atomic)
            touch_others(sm, w, step, in);
        sort_accesses(in);
    }
    return !g->no_memory;
}
