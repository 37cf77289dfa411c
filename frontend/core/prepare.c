/* Before a program runs for the first time: its uops are checked against its static table, once, so that the loop need
 * not check anything, and the engine's handlers are chosen. */
#include <stdatomic.h>

#include "frontend/core/access.h"
#include "frontend/core/engine.h"
#include "frontend/core/flags.h"
#include "frontend/core/lanes/lanes.h"
#include "tracefmt/error.h"

static bool broken(const struct program *p, uint32_t at, const char *what, struct rp_error *err)
{
    uint32_t index = p->uops[at].index;
    const char *text = index < p->kernel.instruction_count ? p->kernel.instructions[index].text : NULL;
    return rp_fail(err, RP_BAD_INPUT, "kernel '%s': operation %u ('%s') %s", p->name, at, text ? text : "?", what);
}

static bool in_program(const struct program *p, uint32_t target) { return target < p->uop_count; }

static bool control_ok(const struct program *p, const struct uop *u)
{
    if ((u->kind == UOP_BRANCH || u->kind == UOP_PUSH) && !in_program(p, u->target))
        return false;
    if (u->kind == UOP_CALL && u->target != UOP_NOWHERE && !in_program(p, u->target))
        return false;
    if ((u->kind == UOP_BRANCH || u->kind == UOP_BRANCH_TABLE) && u->reconverge != UOP_NOWHERE &&
        (!in_program(p, u->reconverge) || p->uops[u->reconverge].kind != UOP_RECONVERGE))
        return false;
    for (uint32_t i = 0; i < u->table_count; i++)
        if (!in_program(p, u->table[i]) && (u->kind != UOP_CALL || u->table[i] != UOP_NOWHERE))
            return false;
    return true;
}

/* A path may fall into the next uop unless this one always leaves. */
static bool may_fall_through(const struct uop *u)
{
    bool leaves = u->kind == UOP_BRANCH || u->kind == UOP_BRANCH_TABLE || u->kind == UOP_RETURN ||
                  u->kind == UOP_EXIT || u->kind == UOP_POP || u->kind == UOP_TRAP;
    return !leaves || u->guard.keep;
}

static void set_flags(const struct program *p, struct uop *u)
{
    const struct rp_instruction *in = &p->kernel.instructions[u->index];
    if (u->guard.keep)
        u->flags |= UF_GUARDED;
    if (in->memory_count && !(u->flags & UF_SILENT))
        u->flags |= UF_LOG_ACCESS;
    if (in->flags & RP_HAS_AUX)
        u->flags |= UF_LOG_AUX;
}

static bool reads_clock(const struct uop *u)
{
    return u->kind == UOP_LANE && u->op == OP_SPECIAL && u->imm >= SR_CLOCK && u->imm <= SR_GLOBALTIMER_HI;
}

static bool prepare_uop(struct program *p, uint32_t i, struct rp_error *err)
{
    struct uop *u = &p->uops[i];
    if (u->kind == UOP_RECONVERGE) { /* stands for the instruction after it */
        if (i + 1 == p->uop_count)
            return broken(p, i, "has nothing after it", err);
        u->index = p->uops[i + 1].index;
        u->flags |= UF_FIRST;
        return true;
    }
    if (u->index >= p->kernel.instruction_count)
        return broken(p, i, "belongs to no instruction", err);
    const struct rp_instruction *in = &p->kernel.instructions[u->index];
    set_flags(p, u);
    if (u->flags & UF_FIRST && !(in->flags & RP_GUARDED) != !u->guard.keep)
        return broken(p, i, "and its instruction disagree about the guard", err);
    if (in->flags & RP_HAS_AUX && u->kind != UOP_BARRIER)
        return broken(p, i, "has an aux value but is no barrier", err);
    if (!control_ok(p, u))
        return broken(p, i, "goes to a place that does not exist", err);
    if (u->kind == UOP_MEMORY && !access_prepare(u))
        return broken(p, i, "is a memory access that is not covered yet", err);
    if (u->kind == UOP_LANE && !u->fn)
        return broken(p, i, "has no handler", err);
    if (reads_clock(u))
        u->kind = UOP_CLOCK;
    return true;
}

/* Straight runs are logged by their ends only, so instructions must follow each other as uops do. */
static bool consecutive(const struct program *p, uint32_t i)
{
    const struct uop *u = &p->uops[i], *next = u + 1;
    if (u->kind == UOP_RECONVERGE || !may_fall_through(u))
        return true;
    return next->index == u->index + (next->flags & UF_FIRST ? 1 : 0);
}

/* An instruction with a memory operand records exactly one access, others none. The uops of an instruction come here
 * from its last to its first; *recorded counts between them. */
static bool accesses_ok(const struct program *p, uint32_t i, unsigned *recorded)
{
    const struct uop *u = &p->uops[i];
    if (u->kind == UOP_RECONVERGE)
        return true;
    *recorded += u->kind == UOP_MEMORY && u->flags & UF_LOG_ACCESS;
    if (!(u->flags & UF_FIRST))
        return true;
    bool ok = *recorded == p->kernel.instructions[u->index].memory_count && *recorded <= 1;
    *recorded = 0;
    return ok;
}

static uint32_t operand_end(struct operand o, uint32_t bytes) { return o.keep ? (uint32_t)o.at + bytes : 0; }

/* The end of the farthest register that a uop names; 512 bytes are the widest register. */
static uint32_t extent(const struct uop *u)
{
    const struct operand *all[] = {&u->guard, &u->d, &u->a, &u->b, &u->c, &u->p, &u->pd, &u->pd2, &u->d2};
    uint32_t end = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t e = operand_end(*all[i], 512);
        end = e > end ? e : end;
    }
    for (uint32_t i = 0; i < u->list_count; i++) {
        uint32_t e = operand_end(u->list[i], 512);
        end = e > end ? e : end;
    }
    return end;
}

/* Kernels of the process so far: what tells one from another that had its address before. */
static _Atomic uint64_t identities;

bool program_prepare(struct program *p, struct rp_error *err)
{
    if (p->prepared)
        return true;
    if (!in_program(p, p->entry) || may_fall_through(&p->uops[p->uop_count - 1]))
        return rp_fail(err, RP_BAD_INPUT, "kernel '%s' runs past its end", p->name);
    uint32_t end = p->window_bytes;
    unsigned recorded = 0;
    for (uint32_t i = p->uop_count; i-- > 0;) { /* backwards: a RECONVERGE takes its successor's index */
        if (!prepare_uop(p, i, err))
            return false;
        if (!accesses_ok(p, i, &recorded))
            return broken(p, i, "has memory operands that the engine does not know", err);
        if (i + 1 < p->uop_count && !consecutive(p, i))
            return broken(p, i, "is not followed by the next instruction", err);
        uint32_t e = extent(&p->uops[i]);
        end = e > end ? e : end;
    }
    p->register_extent = (end + 63) / 64 * 64;
    p->kernel.identity = atomic_fetch_add(&identities, 1) + 1;
    p->prepared = true;
    return true;
}
