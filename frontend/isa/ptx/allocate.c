#include "frontend/isa/ptx/allocate.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/core/components.h"
#include "frontend/core/slice.h"

enum { UNIT = 64 /* bytes: 32 lanes of the smallest element */, NONE = UINT32_MAX };

static bool list_is_destination(const struct operation *u)
{
    return (u->kind == UOP_LANE && lane_op_writes_list(u->op)) ||
           (u->kind == UOP_MEMORY && u->memory.kind != RP_ACCESS_STORE);
}

void each_register(struct operation *u, void (*visit)(void *, struct operand *, bool), void *data)
{
    bool stores = u->kind == UOP_MEMORY && u->memory.kind == RP_ACCESS_STORE, out = list_is_destination(u);
    struct operand *sources[] = {&u->guard, &u->a, &u->b, &u->c, &u->p};
    struct operand *results[] = {&u->pd, &u->pd2};
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++)
        if (is_register(*sources[i]))
            visit(data, sources[i], false);
    if (stores && is_register(u->d))
        visit(data, &u->d, false);
    for (unsigned k = 1; k <= UOP_LISTS; k++) { /* sources come before results: the first list is visited last */
        unsigned n = k % UOP_LISTS;
        for (uint32_t i = 0; i < u->lists[n].count; i++)
            if (is_register(u->lists[n].at[i]))
                visit(data, &u->lists[n].at[i], out && n == 0);
    }
    if (!stores && is_register(u->d))
        visit(data, &u->d, true);
    for (unsigned i = 0; i < sizeof results / sizeof *results; i++)
        if (is_register(*results[i]))
            visit(data, results[i], true);
}

enum { SLICE_PARTS = 3 };

struct work {
    struct arena *arena;
    struct operation *operations;
    const struct flow *flow;
    const uint8_t *element;
    uint8_t *part; /* by register: 0: in the slice without memory, 1: only in the slice with memory, 2: in no slice */
    bool has_part[SLICE_PARTS]; /* by part: some register is in it */
    uint8_t *definition;        /* by register: enum definition */
    uint32_t registers, first_temporary;
    uint32_t *mention_start; /* by register */
    struct mention *mentions;
    uint32_t *block_of;                             /* by operation */
    uint32_t *live_in, *live_out, *has_kill, *seen; /* by block: the last register for which this holds, plus 1 */
    uint32_t *visited, visited_count, *pending;
    uint32_t *first_at, *last_at; /* by block, for the current register */
    uint32_t *low, *high; /* by register: the first and last point of its range; low NONE: no operation names it */
    int32_t *change;      /* by point: how many more (or, if negative, fewer) 32-bit registers are live from here on */
    int32_t *live, *live_predicates, *live_after; /* the same by instruction, counted from the first one */
    int32_t *kept;                                /* live_after without constants */
    /* while collecting */
    uint32_t operation;
    bool counting, may_share;
};

struct shape {
    const struct work *w;
    unsigned results;
    uint8_t size;
    bool alike;
};

static void look_at(void *data, struct operand *o, bool is_destination)
{
    struct shape *s = data;
    uint8_t size = s->w->element[register_offset(*o)];
    if (size == 0)
        return; /* predicates have slots of their own */
    if (s->size && s->size != size)
        s->alike = false;
    s->size = size;
    s->results += is_destination;
}

/* Whether the result may share the slot of a source that dies here. */
static bool may_share(const struct work *w, struct operation *u)
{
    struct shape s = {w, 0, 0, true};
    if (u->kind != UOP_LANE || is_register(u->pd) || is_register(u->pd2))
        return false;
    each_register(u, look_at, &s);
    return s.alike && s.results == 1;
}

static void collect(void *data, struct operand *o, bool is_destination)
{
    struct work *w = data;
    uint32_t r = register_offset(*o);
    if (w->counting) {
        w->mention_start[r + 2]++;
        return;
    }
    const struct operation *u = &w->operations[w->operation];
    bool whole = !is_register(u->guard) || r >= w->first_temporary;
    w->mentions[w->mention_start[r + 1]++] = (struct mention){2 * w->operation + (is_destination && w->may_share),
                                                              is_destination, is_destination && whole, false};
}

static void collect_mentions(struct work *w)
{
    uint32_t operations = w->flow->start[w->flow->count];
    w->mention_start = ARENA_ARRAY(w->arena, uint32_t, (size_t)w->registers + 2);
    w->counting = true;
    for (uint32_t i = 0; i < operations; i++)
        each_register(&w->operations[i], collect, w);
    for (uint32_t r = 2; r < w->registers + 2; r++)
        w->mention_start[r] += w->mention_start[r - 1];
    w->mentions = ARENA_ARRAY(w->arena, struct mention, (size_t)w->mention_start[w->registers + 1] + 1);
    w->counting = false;
    for (w->operation = 0; w->operation < operations; w->operation++) {
        w->may_share = may_share(w, &w->operations[w->operation]);
        each_register(&w->operations[w->operation], collect, w);
    }
}

/* ---- constants ---- */

enum definition { DEFINED_NOWHERE, DEFINED_AS_CONSTANT, DEFINED_OTHERWISE };

static bool defines_constant(const struct operation *u)
{
    if (is_register(u->guard))
        return false;
    if (u->kind == UOP_LANE)
        return u->op == OP_MOV && !is_register(u->a);
    return u->kind == UOP_MEMORY && u->memory.kind == RP_ACCESS_LOAD && !is_register(u->a) && !u->frame_relative &&
           (u->memory.space == RP_SPACE_CONST || u->memory.space == RP_SPACE_PARAM);
}

static void define(void *data, struct operand *o, bool is_destination)
{
    struct work *w = data;
    const struct operation *u = &w->operations[w->operation];
    uint8_t *how = &w->definition[register_offset(*o)];
    if (u->kind == UOP_MEMORY && o == &u->a)
        *how = DEFINED_OTHERWISE; /* addresses are in registers */
    else if (is_destination)
        *how = *how == DEFINED_NOWHERE && defines_constant(u) ? DEFINED_AS_CONSTANT : DEFINED_OTHERWISE;
}

static void find_constants(struct work *w)
{
    w->definition = ARENA_ARRAY(w->arena, uint8_t, (size_t)w->registers + 1);
    for (w->operation = 0; w->operation < w->flow->start[w->flow->count]; w->operation++)
        each_register(&w->operations[w->operation], define, w);
}

/* The 32-bit registers that machine code keeps for the value. */
static int32_t kept_units(const struct work *w, uint32_t r)
{
    return w->definition[r] == DEFINED_AS_CONSTANT ? 0 : (w->element[r] + 3) / 4;
}

static void mark_seen(struct work *w, uint32_t block, uint32_t stamp)
{
    if (w->seen[block] == stamp)
        return;
    w->seen[block] = stamp;
    w->first_at[block] = NONE;
    w->visited[w->visited_count++] = block;
}

/* Scans the mentions of register r. Finds the blocks that need its value from outside (live_in), and the blocks that
 * overwrite it in all lanes (has_kill). */
static uint32_t scan_mentions(struct work *w, uint32_t r)
{
    uint32_t stamp = r + 1, pending = 0;
    w->visited_count = 0;
    for (uint32_t i = w->mention_start[r]; i < w->mention_start[r + 1]; i++) {
        const struct mention *m = &w->mentions[i];
        uint32_t b = w->block_of[m->at / 2];
        bool first = w->seen[b] != stamp;
        mark_seen(w, b, stamp);
        if (first)
            w->first_at[b] = m->at;
        w->last_at[b] = m->at;
        if (w->has_kill[b] != stamp && !m->kills && w->live_in[b] != stamp) {
            w->live_in[b] = stamp;
            w->pending[pending++] = b;
        }
        if (m->kills)
            w->has_kill[b] = stamp;
    }
    return pending;
}

/* Goes backwards from the blocks that need the value to the blocks that set it. */
static void spread(struct work *w, uint32_t r, uint32_t pending)
{
    uint32_t stamp = r + 1;
    while (pending > 0) {
        uint32_t b = w->pending[--pending];
        for (uint32_t i = w->flow->pred_start[b]; i < w->flow->pred_start[b + 1]; i++) {
            uint32_t p = w->flow->preds[i];
            mark_seen(w, p, stamp);
            w->live_out[p] = stamp;
            if (w->has_kill[p] != stamp && w->live_in[p] != stamp) {
                w->live_in[p] = stamp;
                w->pending[pending++] = p;
            }
        }
    }
}

static void measure(struct work *w, uint32_t r)
{
    uint32_t stamp = r + 1, low = NONE, high = 0;
    int32_t units = kept_units(w, r);
    for (uint32_t i = 0; i < w->visited_count; i++) {
        uint32_t b = w->visited[i], from, to;
        bool mentioned = w->first_at[b] != NONE;
        from = w->live_in[b] == stamp || !mentioned ? 2 * w->flow->start[b] : w->first_at[b];
        to = w->live_out[b] == stamp || !mentioned ? 2 * w->flow->start[b + 1] - 1 : w->last_at[b];
        low = from < low ? from : low;
        high = to > high ? to : high;
        w->change[from] += units;
        w->change[to + 1] -= units;
    }
    w->low[r] = low;
    w->high[r] = high;
}

/* ---- live registers by instruction ---- */

static uint32_t instruction_of(const struct work *w, uint32_t operation)
{
    return w->operations[operation].index - w->operations[0].index;
}

static void cover(int32_t *change, uint32_t from, uint32_t to, int32_t units)
{
    if (!change || from >= to)
        return;
    change[from] += units;
    change[to] -= units;
}

/* Counts register r in the instructions of block b, whose mentions of r are [first, end). It counts in an instruction
 * that reads or writes it, and in one over which its value lives. */
static void cover_block(struct work *w, uint32_t r, uint32_t b, uint32_t first, uint32_t end)
{
    uint32_t begin = instruction_of(w, w->flow->start[b]), next = instruction_of(w, w->flow->start[b + 1] - 1) + 1;
    int32_t *during = w->element[r] ? w->live : w->live_predicates, *after = w->element[r] ? w->live_after : NULL;
    int32_t units = w->element[r] ? (w->element[r] + 3) / 4 : 1, kept = kept_units(w, r);
    bool alive = w->live_out[b] == r + 1;
    while (end-- > first) {
        uint32_t at = instruction_of(w, w->mentions[end].at / 2);
        w->mentions[end].alive = alive;
        cover(after, alive ? at : next, next, units);
        cover(w->kept, alive ? at : next, next, kept);
        cover(during, at, alive ? next : at + 1 < next ? at + 1 : next, units);
        next = at < next ? at : next;
        alive = !w->mentions[end].kills;
    }
    cover(after, alive ? begin : next, next, units);
    cover(w->kept, alive ? begin : next, next, kept);
    cover(during, alive ? begin : next, next, units);
}

static void cover_blocks(struct work *w, uint32_t r)
{
    for (uint32_t end = w->mention_start[r + 1], first; end > w->mention_start[r]; end = first) {
        uint32_t b = w->block_of[w->mentions[end - 1].at / 2];
        for (first = end - 1; first > w->mention_start[r] && w->block_of[w->mentions[first - 1].at / 2] == b;)
            first--;
        cover_block(w, r, b, first, end);
    }
    for (uint32_t i = 0; i < w->visited_count; i++)
        if (w->first_at[w->visited[i]] == NONE)
            cover_block(w, r, w->visited[i], 0, 0);
}

static uint16_t within_16_bits(int32_t n) { return (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX); }

static void sum_live(const struct work *w, struct allocation *out)
{
    uint32_t operations = w->flow->start[w->flow->count];
    int32_t registers = 0, predicates = 0, after = 0, kept = 0;
    out->live_count = operations ? instruction_of(w, operations - 1) + 1 : 0;
    out->live = ARENA_ARRAY(w->arena, struct rp_live, (size_t)out->live_count + 1);
    out->kept = ARENA_ARRAY(w->arena, uint32_t, (size_t)out->live_count + 1);
    for (uint32_t i = 0; i < out->live_count; i++) {
        registers += w->live[i];
        predicates += w->live_predicates[i];
        after += w->live_after[i];
        kept += w->kept[i];
        out->kept[i] = (uint32_t)kept;
        out->live[i] = (struct rp_live){within_16_bits(registers), within_16_bits(predicates), within_16_bits(after)};
    }
}

static uint32_t peak(const struct work *w)
{
    int32_t now = 0, most = 0;
    for (uint32_t i = 0; i < 2 * w->flow->start[w->flow->count]; i++) {
        now += w->change[i];
        most = now > most ? now : most;
    }
    return (uint32_t)most;
}

static void find_ranges(struct work *w)
{
    uint32_t blocks = w->flow->count, operations = w->flow->start[blocks];
    uint32_t **by_block[] = {&w->live_in, &w->live_out, &w->has_kill, &w->seen,
                             &w->visited, &w->pending,  &w->first_at, &w->last_at};
    for (unsigned i = 0; i < sizeof by_block / sizeof *by_block; i++)
        *by_block[i] = ARENA_ARRAY(w->arena, uint32_t, (size_t)blocks + 1);
    w->block_of = ARENA_ARRAY(w->arena, uint32_t, (size_t)operations + 1);
    w->low = ARENA_ARRAY(w->arena, uint32_t, (size_t)w->registers + 1);
    w->high = ARENA_ARRAY(w->arena, uint32_t, (size_t)w->registers + 1);
    w->change = ARENA_ARRAY(w->arena, int32_t, 2 * (size_t)operations + 2);
    int32_t **by_instruction[] = {&w->live, &w->live_predicates, &w->live_after, &w->kept};
    for (unsigned i = 0; i < sizeof by_instruction / sizeof *by_instruction; i++)
        *by_instruction[i] =
            ARENA_ARRAY(w->arena, int32_t, (operations ? instruction_of(w, operations - 1) : 0) + (size_t)3);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t i = w->flow->start[b]; i < w->flow->start[b + 1]; i++)
            w->block_of[i] = b;
    collect_mentions(w);
    find_constants(w);
    for (uint32_t r = 0; r < w->registers; r++) {
        spread(w, r, scan_mentions(w, r));
        measure(w, r);
        if (r < w->first_temporary)
            cover_blocks(w, r);
    }
}

/* ---- slots ---- */

/* Free 64-byte units of an area, or free predicate words: bit set means taken. */
struct slots {
    struct arena *arena;
    uint64_t *taken;
    uint32_t words, full_below; /* words before full_below have no free bit */
    uint32_t extent;            /* units ever taken */
};

static void slots_grow(struct slots *s)
{
    uint32_t words = s->words ? s->words * 2 : 4;
    uint64_t *grown = ARENA_ARRAY(s->arena, uint64_t, words);
    if (s->words)
        memcpy(grown, s->taken, s->words * sizeof *grown);
    s->taken = grown;
    s->words = words;
}

/* Lowest run of `n` (1, 2, 4 or 8) free bits at a multiple of n. */
static uint32_t slots_take(struct slots *s, uint32_t n)
{
    uint64_t run = (1ull << n) - 1;
    while (s->full_below < s->words && s->taken[s->full_below] == UINT64_MAX)
        s->full_below++;
    for (uint32_t w = s->full_below;; w++) {
        if (w == s->words)
            slots_grow(s);
        if (s->taken[w] == UINT64_MAX)
            continue;
        for (uint32_t bit = 0; bit < 64; bit += n)
            if (!(s->taken[w] >> bit & run)) {
                uint32_t at = w * 64 + bit;
                s->taken[w] |= run << bit;
                if (at + n > s->extent)
                    s->extent = at + n;
                return at;
            }
    }
}

static void slots_give(struct slots *s, uint32_t at, uint32_t n)
{
    s->taken[at / 64] &= ~(((1ull << n) - 1) << (at % 64));
    if (at / 64 < s->full_below)
        s->full_below = at / 64;
}

static uint32_t units_of(uint8_t element) { return element ? (uint32_t)element * 32 / UNIT : 1; }

/* Sorts registers by the point where their range begins: a stable counting sort. */
static uint32_t *by_beginning(const struct work *w, uint32_t *count)
{
    uint32_t points = 2 * w->flow->start[w->flow->count];
    uint32_t *start = ARENA_ARRAY(w->arena, uint32_t, (size_t)points + 2);
    uint32_t *order = ARENA_ARRAY(w->arena, uint32_t, (size_t)w->registers + 1);
    for (uint32_t r = 0; r < w->registers; r++)
        if (w->low[r] != NONE)
            start[w->low[r] + 1]++;
    for (uint32_t i = 1; i <= points; i++)
        start[i] += start[i - 1];
    *count = start[points];
    for (uint32_t r = 0; r < w->registers; r++)
        if (w->low[r] != NONE)
            order[start[w->low[r]]++] = r;
    return order;
}

/* The pools of slots. Each element size has its own pool, and so have predicates. Pools never share bytes, not even one
 * after the other. When paths diverge, lanes of one path run on while lanes of the other still hold values that are
 * dead on the first path. That does no harm as long as each lane has the same bytes in both registers, which is so only
 * for elements of equal width.
 *
 * Registers of different parts (struct work) do not share bytes either. What a loop counts while it waits must not look
 * like a change of the state that it waits for. */
enum { POOL_PREDICATES, POOL_64, POOL_128, POOL_256, POOL_512, WIDTHS, POOLS = SLICE_PARTS * WIDTHS };

static unsigned width_pool(uint8_t element)
{
    switch (element ? units_of(element) : 0) {
    case 0: return POOL_PREDICATES;
    case 1: return POOL_64;
    case 2: return POOL_128;
    case 4: return POOL_256;
    default: return POOL_512;
    }
}

static unsigned pool_of(const struct work *w, uint32_t r) { return width_pool(w->element[r]) + w->part[r] * WIDTHS; }

/* The gap between parts, because slice.c takes each operand to be as wide as the widest one of its operation. */
#define SLICE_GAP 512u

static void place_pools(const struct work *w, const struct slots pools[POOLS], struct allocation *out)
{
    uint32_t base[POOLS], end = 0;
    for (unsigned part = 0; part < SLICE_PARTS; part++) {
        if (!w->has_part[part])
            continue;
        if (end) /* this is a multiple of the size of every slot */
            end = (end + 2 * SLICE_GAP - 1) / SLICE_GAP * SLICE_GAP;
        for (unsigned i = WIDTHS; i-- > 0;) { /* the widest first, predicates last */
            uint32_t pool = part * WIDTHS + i, extent = pools[pool].extent;
            base[pool] = end;
            end += i == POOL_PREDICATES ? (extent * 4 + UNIT - 1) / UNIT * UNIT : extent * UNIT;
        }
    }
    for (uint32_t r = 0; r < w->registers; r++)
        out->offset[r] = base[pool_of(w, r)] + out->offset[r] * (w->element[r] ? UNIT : 4);
    out->window_bytes = end;
}

/* Visits the points in order. `ending` holds, by point, the registers whose range ends there, as a list through
 * `next`. */
static void scan(struct work *w, struct allocation *out)
{
    uint32_t points = 2 * w->flow->start[w->flow->count], count, n = 0;
    uint32_t *order = by_beginning(w, &count);
    uint32_t *ending = ARENA_ARRAY(w->arena, uint32_t, (size_t)points + 1);
    uint32_t *next = ARENA_ARRAY(w->arena, uint32_t, (size_t)w->registers + 1);
    struct slots pools[POOLS] = {{0}};
    for (unsigned i = 0; i < POOLS; i++)
        pools[i].arena = w->arena;
    for (uint32_t point = 0; point < points; point++) {
        for (; n < count && w->low[order[n]] == point; n++) {
            uint32_t r = order[n];
            out->offset[r] = slots_take(&pools[pool_of(w, r)], units_of(w->element[r]));
            next[r] = ending[w->high[r]];
            ending[w->high[r]] = r + 1;
        }
        for (uint32_t e = ending[point]; e; e = next[e - 1])
            slots_give(&pools[pool_of(w, e - 1)], out->offset[e - 1], units_of(w->element[e - 1]));
    }
    place_pools(w, pools, out);
}

/* Sets loop_of[i] to the loop of operation i. Returns the number of loops. */
static uint32_t loops_of(const struct work *w, uint32_t *loop_of)
{
    const struct flow *f = w->flow;
    uint32_t *component = ARENA_ARRAY(w->arena, uint32_t, (size_t)f->count + 1);
    uint32_t *scratch = ARENA_ARRAY(w->arena, uint32_t, (size_t)f->count * COMPONENTS_SCRATCH + 1);
    uint32_t loops = components_find(f->count, f->pred_start, f->preds, component, scratch);
    for (uint32_t i = 0; i < f->start[f->count]; i++)
        loop_of[i] = component[w->block_of[i]];
    return loops;
}

/* Finds the part of each register. Without a loop nothing waits, and all registers count as in the slice. */
static void find_slice(struct work *w)
{
    uint32_t count = w->flow->start[w->flow->count], *loop_of = ARENA_ARRAY(w->arena, uint32_t, (size_t)count + 1);
    const struct slice_numbers numbers = {.operations = w->operations,
                                          .count = count,
                                          .loop_of = loop_of,
                                          .loops = loops_of(w, loop_of),
                                          .registers = w->registers};
    uint8_t *slices = ARENA_ARRAY(w->arena, uint8_t, (size_t)w->registers + 1);
    w->part = ARENA_ARRAY(w->arena, uint8_t, (size_t)w->registers + 1);
    if (numbers.loops)
        slice_of_numbers(&numbers, slices,
                         ARENA_ARRAY(w->arena, uint32_t, SLICE_SCRATCH(count, numbers.loops, w->registers)));
    else
        memset(slices, SLICE_ALONE, w->registers);
    for (uint32_t r = 0; r < w->registers; r++) {
        bool unused = w->low[r] == NONE; /* nothing reads its offset */
        w->part[r] = unused || slices[r] & SLICE_ALONE ? 0 : slices[r] ? 1 : 2;
        w->has_part[w->part[r]] = true;
    }
}

void allocate_registers(struct arena *a, struct operation *operations, const struct flow *flow, const uint8_t *element,
                        uint32_t registers, uint32_t first_temporary, struct allocation *out)
{
    struct work w = {.arena = a,
                     .operations = operations,
                     .flow = flow,
                     .element = element,
                     .registers = registers,
                     .first_temporary = first_temporary};
    out->offset = ARENA_ARRAY(a, uint32_t, (size_t)registers + 1);
    find_ranges(&w);
    out->pressure = peak(&w);
    sum_live(&w, out);
    out->mention_start = w.mention_start;
    out->mentions = w.mentions;
    out->units = ARENA_ARRAY(a, uint8_t, (size_t)registers + 1);
    for (uint32_t r = 0; r < registers; r++)
        out->units[r] = (uint8_t)kept_units(&w, r);
    find_slice(&w);
    scan(&w, out);
}

static void place(void *data, struct operand *o, bool is_destination)
{
    const struct allocation *a = data;
    (void)is_destination;
    *o = OPERAND_REGISTER(a->offset[register_offset(*o)]);
}

void place_registers(struct operation *operations, uint32_t count, const struct allocation *a)
{
    for (uint32_t i = 0; i < count; i++)
        each_register(&operations[i], place, (void *)a);
}
