/* Loads whose value a selection discards. Where a variable is set by one branch only, compilers load it before or while
 * they test, and select afterwards: the value of a lane that the selection does not take is not read. Which one it
 * takes is known where the load and the selection are in a straight line, nothing but the selection reads the value,
 * and the predicate does not depend on what is loaded on the way there. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"
#include "frontend/core/operands.h"
#include "frontend/operation/flags.h"

enum { MOST_OPERATIONS = 64 }; /* between the load and the selection */
enum { MOST_VISITED = 4096 };  /* operations behind the selection; of more, the value counts as read */
enum { MOST_UNKNOWN = 64 };
enum { SELECTS_UNSEEN, SELECTS_NONE, SELECTS_FIRST }; /* of struct selects: not looked for; none; its number + this */

static bool same(struct operand a, struct operand b)
{
    return is_register(a) && is_register(b) && register_offset(a) == register_offset(b);
}

/* Whether lists[n] is written. */
static bool writes_list(const struct operation *o, unsigned n)
{
    bool loads = o->kind == UOP_MEMORY && o->memory.kind != RP_ACCESS_STORE;
    return n == 0 && (loads || (o->kind == UOP_LANE && lane_op_writes_list(o->op)));
}

static bool reads(const struct operation *o, struct operand r)
{
    bool found = same(o->a, r) || same(o->b, r) || same(o->c, r) || same(o->p, r) || same(o->guard, r);
    for (unsigned n = 0; n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count && !writes_list(o, n); i++)
            found |= same(o->lists[n].at[i], r);
    return found || (o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_STORE && same(o->d, r));
}

/* The n-th register that the operation writes; nothing: it writes fewer. */
static struct operand written(const struct operation *o, uint32_t n)
{
    const struct operand single[] = {o->d, o->pd, o->pd2};
    bool stores = o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_STORE;
    if (n < 3)
        return stores ? OPERAND_NONE : single[n];
    return writes_list(o, 0) && n - 3 < o->lists[0].count ? o->lists[0].at[n - 3] : OPERAND_NONE;
}
static uint32_t written_count(const struct operation *o) { return 3 + (writes_list(o, 0) ? o->lists[0].count : 0); }

static bool writes(const struct operation *o, struct operand r)
{
    bool found = false;
    for (uint32_t n = 0; n < written_count(o); n++)
        found |= same(written(o, n), r);
    return found;
}

/* ---- the selection ----------------------------------------------------------------------------------------------- */

/* The register that the load writes; nothing: it writes several. */
static struct operand loaded(const struct operation *o)
{
    if (!o->lists[0].count)
        return o->d;
    return o->lists[0].count == 1 ? o->lists[0].at[0] : OPERAND_NONE;
}

/* Operations that are still to be visited, and those that were. */
struct visits {
    uint8_t *seen;
    uint32_t *list, count, total;
};

static void visit(struct visits *v, const struct program *p, uint32_t i)
{
    if (i >= p->uop_count || v->seen[i] || v->total == MOST_VISITED)
        return;
    v->seen[i] = 1;
    v->list[v->count++] = i;
    v->total++;
}

/* Visits the successors of operation i. False: they are not known. */
static bool visit_next(struct visits *v, const struct program *p, uint32_t i)
{
    const struct operation *o = &p->operations[i];
    bool machine_code = p->kernel.instructions[o->index].raw_size, jumps = o->kind == UOP_BRANCH;
    /* a function in machine code has no registers of its own; a stack holds where some instructions go on */
    if ((machine_code && (o->kind == UOP_CALL || o->kind == UOP_RETURN)) || o->kind == UOP_PUSH || o->kind == UOP_POP)
        return false;
    if (operation_may_fall_through(o))
        visit(v, p, i + 1);
    if (jumps)
        visit(v, p, o->target);
    for (uint32_t k = 0; o->kind == UOP_BRANCH_TABLE && k < o->table_count; k++)
        visit(v, p, o->table[k]);
    return v->total < MOST_VISITED;
}

/* Whether nothing behind operation i reads what is in the register. */
static bool is_dead(const struct program *p, uint32_t i, struct operand value)
{
    struct visits v = {.seen = calloc(p->uop_count, 1), .list = malloc(MOST_VISITED * sizeof *v.list)};
    bool dead = v.seen && v.list && visit_next(&v, p, i);
    while (dead && v.count) {
        uint32_t next = v.list[--v.count];
        const struct operation *o = &p->operations[next];
        if (reads(o, value))
            dead = false;
        else if (!writes(o, value) || is_register(o->guard))
            dead = visit_next(&v, p, next);
    }
    free(v.seen);
    free(v.list);
    return dead;
}

/* The selection behind the load that alone reads its value, as struct selects has it. */
static uint32_t find_selection(const struct program *p, uint32_t load)
{
    struct operand value = loaded(&p->operations[load]);
    for (uint32_t i = load + 1; is_register(value) && i < p->uop_count && i <= load + MOST_OPERATIONS; i++) {
        const struct operation *o = &p->operations[i];
        bool reader = reads(o, value);
        if ((o->kind != UOP_LANE && o->kind != UOP_MEMORY) || (!reader && writes(o, value)))
            break;
        if (!reader)
            continue;
        bool selects = o->kind == UOP_LANE && o->op == OP_SELP && is_register(o->p) && !is_register(o->guard) &&
                       same(o->a, value) != same(o->b, value);
        return selects && (writes(o, value) || is_dead(p, i, value)) ? SELECTS_FIRST + i : SELECTS_NONE;
    }
    return SELECTS_NONE;
}

static const struct operation *selection(struct rp_check *c, const struct program *p, uint32_t load)
{
    struct selects *s = &c->selects;
    if (s->program != p->kernel.identity || !s->of) {
        free(s->of);
        *s = (struct selects){p->kernel.identity, calloc(p->uop_count, sizeof *s->of)};
    }
    if (!s->of)
        return NULL;
    if (s->of[load] == SELECTS_UNSEEN)
        s->of[load] = find_selection(p, load);
    return s->of[load] == SELECTS_NONE ? NULL : &p->operations[s->of[load] - SELECTS_FIRST];
}

/* ---- what its predicate will be ---------------------------------------------------------------------------------- */

/* A lane that goes ahead on a copy of its warp's registers. */
struct ahead {
    struct warp_state s;
    lanemask lane;
    uint32_t unknown_count;
    struct operand unknown[MOST_UNKNOWN]; /* registers that depend on loads */
};

static bool is_unknown(const struct ahead *a, struct operand r)
{
    bool found = false;
    for (uint32_t i = 0; i < a->unknown_count; i++)
        found |= same(a->unknown[i], r);
    return found;
}

static bool reads_unknown(const struct ahead *a, const struct operation *o)
{
    bool found = false;
    for (uint32_t i = 0; i < a->unknown_count; i++)
        found |= reads(o, a->unknown[i]);
    return found;
}

static void forget(struct ahead *a, struct operand r)
{
    for (uint32_t i = 0; i < a->unknown_count; i++)
        if (same(a->unknown[i], r))
            a->unknown[i--] = a->unknown[--a->unknown_count];
}

/* False: there are too many. */
static bool set_results(struct ahead *a, const struct operation *o, bool known)
{
    for (uint32_t n = 0; n < written_count(o); n++) {
        struct operand r = written(o, n);
        if (!is_register(r))
            continue;
        if (known)
            forget(a, r);
        else if (!is_unknown(a, r) && a->unknown_count == MOST_UNKNOWN)
            return false;
        else if (!is_unknown(a, r))
            a->unknown[a->unknown_count++] = r;
    }
    return true;
}

/* Whether it does nothing but compute a lane's registers from its own. */
static bool computes(const struct operation *o)
{
    bool of_lanes = o->op >= OP_SHFL && o->op <= OP_ELECT, in_part = o->op == OP_SCATTER_PREDICATES;
    return o->kind == UOP_LANE && o->op <= OP_VIDEO && !of_lanes && !in_part && !operation_uses_codes(o);
}

/* False: out of memory. */
static bool compute(struct ahead *a, const struct operation *o)
{
    struct uop u;
    uint64_t *descriptor = malloc(uop_descriptor_bytes(o) + 8);
    if (!descriptor)
        return false;
    uop_pack(&u, o, descriptor);
    lanemask executed = u.flags & UF_GUARDED ? guard(&a->s.w, &u) & a->lane : a->lane;
    if (executed) {
        o->fn(&a->s.w, &u, u.flags & UF_UNIFORM ? ~(lanemask)0 : executed);
        set_results(a, o, true);
    }
    free(descriptor);
    return true;
}

/* Whether it loads a constant or a parameter of the kernel, whatever the lane. */
static bool is_fixed(const struct ahead *a, const struct operation *o)
{
    const struct grid *g = a->s.w.block->grid;
    uint64_t at = (uint64_t)o->imm, size = 0;
    if (o->kind != UOP_MEMORY || o->memory.kind != RP_ACCESS_LOAD || is_register(o->a) || is_register(o->b) ||
        is_register(o->guard) || o->frame_relative)
        return false;
    if (o->memory.space == RP_SPACE_PARAM)
        size = g->program->parameter_bytes;
    else if (o->memory.space == RP_SPACE_CONST)
        size = extents_end(&g->constants);
    return o->memory.width <= size && at <= size - o->memory.width;
}

/* Loads stand at the same place among operations and among uops, which differ in the order of computations. */
static bool load_fixed(struct ahead *a, const struct operation *o)
{
    const struct program *p = a->s.w.block->program;
    struct uop u = p->uops[o - p->operations];
    u.flags &= ~(uint64_t)UF_LOG_ACCESS;
    u.fn(&a->s.w, &u, a->lane);
    return set_results(a, o, true);
}

static bool go_on(struct ahead *a, const struct operation *o)
{
    if (is_fixed(a, o))
        return load_fixed(a, o);
    if (o->kind == UOP_MEMORY || reads_unknown(a, o))
        return set_results(a, o, false);
    return computes(o) && compute(a, o);
}

/* What the predicate of a selection behind the load will be in a lane. False: that is not known. */
static bool predict(const struct program *p, const struct warp_state *s, uint32_t load, const struct operation *select,
                    unsigned lane, bool *holds)
{
    struct ahead a = {.s = *s, .lane = (lanemask)1 << lane};
    size_t bytes = (p->register_extent + 63) / 64 * 64 + 64;
    uint8_t *window = aligned_alloc(64, bytes);
    if (!window)
        return false;
    memcpy(window, s->w.window, p->register_extent);
    warp_set_window(&a.s.w, window);
    bool known = set_results(&a, &p->operations[load], false);
    for (const struct operation *o = &p->operations[load] + 1; known && o < select; o++)
        known = go_on(&a, o);
    known = known && !is_unknown(&a, select->p);
    *holds = known && (mask_at(&a.s.w, select->p) >> lane & 1);
    free(window);
    return known;
}

bool check_discarded(struct rp_check *c, const struct touch *t)
{
    const struct program *p = t->block->program;
    uint32_t load = (uint32_t)(t->u - p->uops);
    bool holds;
    if (t->stores || load >= p->uop_count)
        return false;
    const struct operation *o = selection(c, p, load);
    if (!o || !predict(p, &t->block->warps[t->thread / RP_WARP_LANES], load, o, t->thread % RP_WARP_LANES, &holds))
        return false;
    return same(o->a, loaded(&p->operations[load])) == (holds == (bool)o->p_flip);
}
