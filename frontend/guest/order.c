#include "frontend/guest/order.h"

#include <string.h>

#include "frontend/operation/flags.h"
#include "tracefmt/trace.h"

#define APART 4 /* between neighbouring uops in the order, so that others can be placed right behind or before one */

/* Functions are numbered by their symbols, from 1; 0: code before any function. */
struct guest_calls {
    const struct guest_program *program;
    uint32_t functions;
    uint32_t *function; /* by uop */
    uint32_t *first;    /* by function: where its callees begin in `callee`; behind the last one: how many there are */
    uint32_t *callee;
};

static void guest_number_functions(struct guest_calls *c)
{
    const struct guest_program *p = c->program;
    for (uint32_t i = 0; i < p->uop_count; i++) {
        const struct guest_symbol *s = guest_function(p->guest, (uint32_t)p->instructions[p->uops[i].index].pc);
        c->function[i] = s ? (uint32_t)(s - p->guest->symbols) + 1 : 0;
    }
}

/* The function to which uop i leads, if that is another one; else its own. */
static uint32_t guest_leads_to(const struct guest_calls *c, uint32_t i)
{
    const struct uop *u = &c->program->uops[i];
    return c->function[u->kind == UOP_BRANCH ? u->target : i];
}

/* Calls, and jumps to another function. */
static void guest_find_calls(struct guest_calls *c)
{
    const uint32_t count = c->program->uop_count;
    for (uint32_t i = 0; i < count; i++)
        c->first[c->function[i] + 1] += guest_leads_to(c, i) != c->function[i];
    for (uint32_t f = 0; f < c->functions; f++)
        c->first[f + 1] += c->first[f];
    uint32_t *at = ARENA_ARRAY(c->program->arena, uint32_t, c->functions);
    memcpy(at, c->first, c->functions * sizeof *at);
    for (uint32_t i = 0; i < count; i++)
        if (guest_leads_to(c, i) != c->function[i])
            c->callee[at[c->function[i]]++] = guest_leads_to(c, i);
}

/* Ranks functions so that callees come before their callers, as far as calls do not go round: depth first from each of
 * them, in the order of addresses. rank: 0 of those that have none yet. */
static void guest_rank_functions(const struct guest_calls *c, uint32_t *rank)
{
    struct arena *arena = c->program->arena;
    uint32_t *path = ARENA_ARRAY(arena, uint32_t, c->functions), *at = ARENA_ARRAY(arena, uint32_t, c->functions);
    bool *seen = ARENA_ARRAY(arena, bool, c->functions);
    uint32_t ranked = 0;
    memcpy(at, c->first, c->functions * sizeof *at);
    for (uint32_t f = 0; f < c->functions; f++) {
        uint32_t depth = 0;
        if (!seen[f])
            path[depth++] = f;
        seen[f] = true;
        while (depth) {
            const uint32_t here = path[depth - 1];
            if (at[here] == c->first[here + 1]) {
                rank[here] = ++ranked;
                depth--;
                continue;
            }
            const uint32_t next = c->callee[at[here]++];
            if (!seen[next])
                path[depth++] = next;
            seen[next] = true;
        }
    }
}

/* Counts the uops of each function, and so finds where each begins in line. end: by function, behind its last place. */
static void guest_place_uops(const struct guest_calls *c, const uint32_t *rank, uint32_t *order, uint32_t *end)
{
    const uint32_t count = c->program->uop_count;
    uint32_t *place = ARENA_ARRAY(c->program->arena, uint32_t, c->functions + 1);
    for (uint32_t i = 0; i < count; i++)
        place[rank[c->function[i]]]++;
    for (uint32_t r = 0; r < c->functions; r++)
        place[r + 1] += place[r];
    for (uint32_t i = 0; i < count; i++)
        order[i] = APART * place[rank[c->function[i]] - 1]++;
    for (uint32_t f = 0; f < c->functions; f++)
        end[f] = APART * place[rank[f] - 1] - 1; /* behind a loop whose last branch is the function's last uop, too */
}

/* Moves the first uops of loops, and of functions that lie behind their callers: there cores wait. */
static void guest_place_targets(const struct guest_calls *c, const uint32_t *end, uint32_t *order, bool *waits)
{
    const struct guest_program *p = c->program;
    for (uint32_t i = 0; i < p->uop_count; i++) {
        const struct uop *u = &p->uops[i];
        if (u->kind != UOP_BRANCH)
            continue;
        const bool leaves = c->function[u->target] != c->function[i];
        const bool loops = !leaves && u->target <= i && !(p->instructions[u->index].flags & RP_CALL);
        const uint32_t behind = loops ? order[i] | 1 : leaves && u->target > i ? end[c->function[i]] : 0;
        if (behind > order[u->target]) {
            order[u->target] = behind;
            waits[u->target] = true;
        }
    }
}

/* Whether uop i is a branch without a condition, forward within a function. */
static bool guest_leads_on(const struct guest_calls *c, uint32_t i)
{
    const struct uop *u = &c->program->uops[i];
    return u->kind == UOP_BRANCH && u->compare == CMP_TRUE && !(u->flags & UF_GUARDED) && u->target > i &&
           c->function[u->target] == c->function[i];
}

/* Moves branches that lead on to before their targets. From the last to the first, as one may lead to another. */
static void guest_place_branches(const struct guest_calls *c, uint32_t *order, bool *waits)
{
    for (uint32_t i = c->program->uop_count; i-- > 0;)
        if (guest_leads_on(c, i) && order[i] < order[c->program->uops[i].target]) {
            order[i] = order[c->program->uops[i].target] - 1;
            waits[i] = false;
        }
}

uint32_t *guest_order(const struct guest_program *p, bool *waits)
{
    struct guest_calls c = {.program = p, .functions = p->guest->symbol_count + 1};
    c.function = ARENA_ARRAY(p->arena, uint32_t, p->uop_count);
    c.first = ARENA_ARRAY(p->arena, uint32_t, c.functions + 1);
    c.callee = ARENA_ARRAY(p->arena, uint32_t, p->uop_count);
    uint32_t *rank = ARENA_ARRAY(p->arena, uint32_t, c.functions);
    uint32_t *order = ARENA_ARRAY(p->arena, uint32_t, p->uop_count);
    guest_number_functions(&c);
    guest_find_calls(&c);
    guest_rank_functions(&c, rank);
    uint32_t *end = ARENA_ARRAY(p->arena, uint32_t, c.functions);
    guest_place_uops(&c, rank, order, end);
    guest_place_targets(&c, end, order, waits);
    guest_place_branches(&c, order, waits);
    return order;
}
