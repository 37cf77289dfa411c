/* Stores before which a warp's first turn ends; see engine.h, "warps that begin together". */
#include <stdlib.h>

#include "frontend/core/engine.h"
#include "frontend/core/loops.h"
#include "frontend/core/operands.h"
#include "frontend/operation/flags.h"

/* Register windows in units of 128 bytes, a 32-bit register of all lanes; predicates share them. */
#define UNIT 128u
#define MOST_WORDS (UINT64_C(1) << 20) /* of all loops' sets; programs that need more have no such stores */

/* The units that each loop writes, whatever the function. */
struct written {
    uint64_t *words;
    uint32_t per_loop;
};

static void loop_writes(uint64_t *set, struct operand o, uint32_t bytes)
{
    if (!is_register(o))
        return;
    for (uint32_t at = register_offset(o) / UNIT, last = (register_offset(o) + bytes - 1) / UNIT; at <= last; at++)
        set[at / 64] |= UINT64_C(1) << at % 64;
}

/* Registers in lists count as written, though some are only read. */
static void loop_writes_results(uint64_t *set, const struct operation *o)
{
    uint32_t bytes = operation_width(o);
    loop_writes(set, o->d, bytes);
    loop_writes(set, o->pd, PREDICATE_BYTES);
    loop_writes(set, o->pd2, PREDICATE_BYTES);
    for (unsigned n = 0; n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            loop_writes(set, o->lists[n].at[i], bytes);
}

static bool loop_wrote(const uint64_t *set, struct operand o, uint32_t bytes)
{
    for (uint32_t at = register_offset(o) / UNIT, last = (register_offset(o) + bytes - 1) / UNIT; at <= last; at++)
        if (set[at / 64] >> at % 64 & 1)
            return true;
    return false;
}

/* Whether it is a plain store to global memory that is an instruction by itself. */
static bool is_plain_store(const struct program *p, uint32_t i)
{
    const struct uop *u = &p->uops[i];
    if (u->kind != UOP_MEMORY || u->flags & UF_GUARDED || !(u->flags & u[1].flags & UF_FIRST) || !is_register(u->a))
        return false;
    const struct rp_memory_operand *m = &u->memory->operand;
    return m->kind == RP_ACCESS_STORE && (m->space == RP_SPACE_GLOBAL || m->space == RP_SPACE_GENERIC);
}

static void mark_even_stores(struct program *p, const uint32_t *loops, const struct written *w)
{
    for (uint32_t i = 0; i + 1 < p->uop_count; i++) {
        struct uop *u = &p->uops[i];
        if (!loops[i] || !is_plain_store(p, i))
            continue;
        uint32_t bytes = (u->stype == T_U64 ? 8 : 4) * RP_WARP_LANES;
        if (!loop_wrote(w->words + (size_t)loops[i] * w->per_loop, u->a, bytes))
            u->kind = UOP_STRONG;
    }
}

bool together_mark(struct program *p)
{
    if (p->polls)
        return true;
    uint32_t count;
    uint32_t *loops = loops_find(p, &count);
    if (!loops)
        return false;
    struct written w = {.per_loop = p->register_extent / UNIT / 64 + 1};
    bool few = (count + UINT64_C(1)) * w.per_loop <= MOST_WORDS;
    bool ok = !count || !few || (w.words = calloc((size_t)(count + 1) * w.per_loop, sizeof *w.words));
    if (w.words) {
        for (uint32_t i = 0; i < p->uop_count; i++)
            loop_writes_results(w.words + (size_t)loops[i] * w.per_loop, &p->operations[i]);
        mark_even_stores(p, loops, &w);
    }
    free(w.words);
    free(loops);
    return ok;
}
