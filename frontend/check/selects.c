/* Loads whose value a selection discards. Where a variable is set by one branch only, compilers load it before the
 * test, and select afterwards: the value of a lane that the selection does not take is not read. What the predicate
 * will be is known where the load and the selection are in a straight line, the predicate is set before the load, and
 * nothing but the selection reads the value. */
#include "frontend/check/internal.h"
#include "frontend/operation/flags.h"

enum { MOST_OPERATIONS = 32 }; /* between the load and the selection */

static bool same(struct operand a, struct operand b)
{
    return is_register(a) && is_register(b) && register_offset(a) == register_offset(b);
}

/* The register that the load writes; nothing: it writes several. */
static struct operand loaded(const struct operation *o)
{
    if (!o->lists[0].count)
        return o->d;
    return o->lists[0].count == 1 ? o->lists[0].at[0] : OPERAND_NONE;
}

static bool reads(const struct operation *o, struct operand r)
{
    bool found = same(o->a, r) || same(o->b, r) || same(o->c, r);
    for (unsigned n = 0; n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            found |= same(o->lists[n].at[i], r);
    return found;
}

static bool writes(const struct operation *o, struct operand r)
{
    return same(o->d, r) || same(o->pd, r) || same(o->pd2, r);
}

/* Whether one instruction alone reads what another one loads. In PTX each value has a register of its own. */
static bool reads_alone(const struct rp_kernel *k, uint32_t load, uint32_t reader)
{
    const struct rp_instruction *l = &k->instructions[load];
    if (l->raw_size || l->dst_count != 1)
        return false;
    for (uint32_t i = 0; i < k->instruction_count; i++)
        for (uint32_t r = 0; i != reader && r < k->instructions[i].src_count; r++)
            if (k->instructions[i].src[r] == l->dst[0])
                return false;
    return true;
}

/* The selection behind the load that alone reads its value; NULL: there is none that is known. */
static const struct operation *selection(const struct program *p, uint32_t load, struct operand value)
{
    const struct operation *found = NULL;
    for (uint32_t i = load + 1; i < p->uop_count && i <= load + MOST_OPERATIONS && !found; i++) {
        const struct operation *o = &p->operations[i];
        found = reads(o, value) ? o : NULL;
        if ((o->kind != UOP_LANE && o->kind != UOP_MEMORY) || (!found && writes(o, value)))
            return NULL;
    }
    if (!found || found->kind != UOP_LANE || found->op != OP_SELP || !is_register(found->p) || same(found->a, found->b))
        return NULL;
    for (const struct operation *o = &p->operations[load]; o < found; o++)
        if (writes(o, found->p))
            return NULL;
    return reads_alone(&p->kernel, p->operations[load].index, found->index) ? found : NULL;
}

bool check_discarded(const struct touch *t)
{
    const struct program *p = t->block->program;
    const struct warp *w = &t->block->warps[t->thread / RP_WARP_LANES].w;
    uint32_t load = (uint32_t)(t->u - p->uops);
    if (t->stores || load >= p->uop_count)
        return false;
    struct operand value = loaded(&p->operations[load]);
    const struct operation *o = is_register(value) ? selection(p, load, value) : NULL;
    if (!o)
        return false;
    bool holds = mask_at(w, o->p) >> t->thread % RP_WARP_LANES & 1;
    return same(o->a, value) == (holds == (bool)o->p_flip);
}
