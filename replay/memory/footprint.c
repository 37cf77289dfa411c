#include "replay/memory/footprint.h"

#include <stdlib.h>

#include "replay/base/async.h"
#include "replay/base/trace_semantics.h"

/* A step of the walk that brings fewer new sectors than this part of all so far is the last one. */
#define NEW_PART 64
/* So many times the sectors of L2 fill it: lines that are mapped to one set replace each other. */
#define FILLS 2u

/* The sectors that were found, the last access first, and a hash table of them: open addressing, 0: free, else an index
 * + 1. */
struct sectors {
    struct memory_touch *list;
    uint32_t *when; /* of each: the number of its last access among those of its warp */
    uint32_t *table;
    uint64_t room, count, most; /* room: a power of two; most: as many as fill L2 */
    uint64_t wave;              /* those from here on are of the wave that is visited */
};

struct walk {
    struct rp_trace *trace;
    const struct footprint *of;
    uint64_t sector; /* bytes */
    struct sectors seen;
};

/* The entry of the sector, or a free one. */
static uint32_t *entry_of(const struct sectors *s, uint64_t address)
{
    uint64_t at = (address * 0x9e3779b97f4a7c15u >> 20) & (s->room - 1);
    while (s->table[at] && s->list[s->table[at] - 1].address != address)
        at = (at + 1) & (s->room - 1);
    return &s->table[at];
}

/* Adds the sector, or remembers that it was written before. */
static void see(void *data, uint64_t address, const struct rp_memory_operand *o, uint32_t access)
{
    struct sectors *s = data;
    enum cache_kind kind = cache_kind_of(o);
    uint32_t *entry = entry_of(s, address);
    if (*entry) {
        uint32_t i = *entry - 1;
        s->list[i].kind = kind == CACHE_READ ? s->list[i].kind : (uint8_t)kind;
        s->when[i] = i >= s->wave && access > s->when[i] ? access : s->when[i];
    } else if (s->count < s->most) {
        s->list[s->count] = (struct memory_touch){address, (uint8_t)kind, hints_of(o)};
        s->when[s->count++] = access;
        *entry = (uint32_t)s->count;
    }
}

/* A sector while those of its wave are sorted. */
struct sorted {
    struct memory_touch touch;
    uint32_t when, place, *entry;
};

static int latest_first(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    if (x->when != y->when)
        return x->when > y->when ? -1 : 1;
    return x->place > y->place ? -1 : 1;
}

/* The blocks of a wave run at the same time: its sectors are ordered by when warps come to them. False: out of memory.
 */
static bool end_wave(struct sectors *s)
{
    uint64_t count = s->count - s->wave;
    struct sorted *all = malloc((count + 1) * sizeof *all);
    for (uint64_t i = 0; all && i < count; i++) {
        const struct memory_touch *t = &s->list[s->wave + i];
        all[i] = (struct sorted){*t, s->when[s->wave + i], (uint32_t)i, entry_of(s, t->address)};
    }
    if (all)
        qsort(all, count, sizeof *all, latest_first);
    for (uint64_t i = 0; all && i < count; i++) {
        s->list[s->wave + i] = all[i].touch;
        *all[i].entry = (uint32_t)(s->wave + i) + 1;
    }
    s->wave = s->count;
    free(all);
    return all;
}

/* What a block accesses, in pieces. */
struct visit {
    uint64_t piece;  /* bytes */
    uint32_t access; /* number of the warp's */
    footprint_see *see;
    void *data;
};

static void visit_bytes(const struct visit *v, const struct rp_memory_operand *o, uint64_t address, uint64_t bytes)
{
    uint64_t first = address / v->piece, last = (address + (bytes ? bytes : 1) - 1) / v->piece;
    for (uint64_t s = first; s <= last; s++)
        v->see(v->data, s * v->piece, o, v->access);
}

/* The lanes of an operand; neighbours in one piece count once. */
static void visit_access(const struct visit *v, const struct rp_launch *l, const struct rp_step *step, uint32_t i)
{
    const struct rp_memory_operand *o = &step->instruction->memory[i];
    const struct rp_dynamic_access *a = &step->accesses[i];
    uint64_t address[RP_WARP_LANES], offset, before = UINT64_MAX;
    uint64_t bytes = is_bulk(o) ? rp_bulk_bytes(*rp_step_operand_aux(step, i)) : o->width;
    rp_access_addresses(a, address);
    for (rp_lanemask m = a->pattern->mask; m; m &= m - 1) {
        uint64_t at = address[__builtin_ctz(m)];
        if (o->space == RP_SPACE_GENERIC && resolve_generic(l, at, &offset) != RP_SPACE_GLOBAL)
            continue;
        if (at / v->piece == before && (at + bytes - 1) / v->piece == before)
            continue;
        visit_bytes(v, o, at, bytes);
        before = at / v->piece;
    }
}

/* Local memory is left out: its place depends on where the block would have run. */
static bool is_global(unsigned space)
{
    return path_of_space(space) == PATH_CACHES && space != RP_SPACE_NONE && space != RP_SPACE_LOCAL;
}

static bool visit_warp(struct visit *v, const struct rp_launch *l, struct rp_block *b, uint32_t warp,
                       struct rp_error *err)
{
    struct rp_cursor c;
    struct rp_step step;
    int more;
    if (!rp_cursor_open(&c, b, warp, err))
        return false;
    v->access = 0;
    while ((more = rp_cursor_next(&c, &step, err)) > 0) {
        v->access += step.executed && step.instruction->memory_count;
        for (uint32_t i = 0; step.executed && i < step.instruction->memory_count; i++)
            if (is_global(step.instruction->memory[i].space) && step.accesses[i].pattern->mask)
                visit_access(v, l, &step, i);
    }
    rp_cursor_close(&c);
    return !more;
}

bool footprint_visit_block(struct rp_trace *t, uint32_t launch, uint64_t block, uint64_t piece, footprint_see *see,
                           void *data, struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(t, launch);
    struct visit v = {.piece = piece, .see = see, .data = data};
    struct rp_block *b = rp_block_open(t, launch, block, err);
    bool fine = b;
    for (uint32_t warp = 0; fine && warp < rp_block_warps(b); warp++)
        fine = visit_warp(&v, l, b, warp, err);
    rp_block_close(b);
    return fine;
}

/* Steps back by a block. False: it is the first of the range. */
static bool step_back(const struct walk *w, uint32_t *launch, uint64_t *block)
{
    while (*launch > w->of->launch && !*block)
        *block = rp_trace_launch_totals(w->trace, --*launch).blocks;
    if (!*block || (*launch == w->of->launch && *block <= w->of->block))
        return false;
    --*block;
    return true;
}

/* Ends the wave. *more: it brought new sectors, so that the one before matters. */
static bool pass_wave(struct walk *w, bool *more, struct rp_error *err)
{
    uint64_t fresh = w->seen.count - w->seen.wave;
    *more = fresh >= w->seen.count / NEW_PART;
    bool ended = end_wave(&w->seen);
    return ended || rp_fail(err, RP_SYSTEM, "%s: out of memory for what its blocks access", rp_trace_path(w->trace));
}

/* Goes back until the range fills L2, or no longer matters. A wave ends after so many blocks, and with its launch. */
static bool go_back(struct walk *w, struct rp_error *err)
{
    uint64_t visited = 0, block = w->of->until_block;
    uint32_t launch = w->of->until_launch, last = launch;
    bool more = true;
    while (w->seen.count < w->seen.most && step_back(w, &launch, &block)) {
        if (visited == w->of->step || launch != last) {
            bool passed = pass_wave(w, &more, err);
            if (!passed)
                return false;
            if (!more && launch == last)
                return true;
            visited = 0;
            last = launch;
        }
        if (!footprint_visit_block(w->trace, launch, block, w->sector, see, &w->seen, err))
            return false;
        visited++;
    }
    return pass_wave(w, &more, err);
}

static void reverse(struct memory_touch *list, uint64_t count)
{
    for (uint64_t i = 0; i < count / 2; i++) {
        struct memory_touch one = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = one;
    }
}

bool footprint_touches(struct rp_trace *t, const struct memory_system *m, const struct footprint *of,
                       struct memory_touches *touches, struct rp_error *err)
{
    uint64_t lines, line = memory_system_l2_line(m, &lines);
    struct walk w = {.trace = t, .of = of, .sector = memory_system_l2_sector(m), .seen = {.room = 64}};
    struct sectors *s = &w.seen;
    *touches = (struct memory_touches){0};
    if (!w.sector)
        return true;
    s->most = FILLS * lines * (line / w.sector);
    while (s->room < 2 * s->most)
        s->room *= 2;
    s->table = calloc(s->room, sizeof *s->table);
    s->when = malloc((s->most + 1) * sizeof *s->when);
    s->list = malloc((s->most + 1) * sizeof *s->list);
    bool fine = (s->table && s->when && s->list) ||
                rp_fail(err, RP_SYSTEM, "%s: out of memory for what its blocks access", rp_trace_path(t));
    fine = fine && go_back(&w, err);
    free(s->table);
    free(s->when);
    if (!fine) {
        free(s->list);
        return false;
    }
    reverse(s->list, s->count);
    struct memory_touch *smaller = realloc(s->list, (s->count + 1) * sizeof *smaller);
    *touches = (struct memory_touches){smaller ? smaller : s->list, s->count};
    return true;
}
