/* Preparation of a program before its first run: checks its operations against its static table, once, so that the warp
 * loop need not check anything; packs them into uops; chooses the engine's handlers. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/access.h"
#include "frontend/core/engine.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/core/operands.h"
#include "frontend/core/schedule.h"
#include "frontend/core/slice.h"
#include "frontend/core/strides.h"
#include "frontend/operation/flags.h"
#include "tracefmt/error.h"

static bool broken(const struct program *p, uint32_t at, const char *what, struct rp_error *err)
{
    uint32_t index = p->operations[at].index;
    const char *text = index < p->kernel.instruction_count ? p->kernel.instructions[index].text : NULL;
    return rp_fail(err, RP_BAD_INPUT, "kernel '%s': operation %u ('%s') %s", p->name, at, text ? text : "?", what);
}

static bool in_program(const struct program *p, uint32_t target) { return target < p->uop_count; }

static bool control_ok(const struct program *p, const struct operation *u)
{
    if ((u->kind == UOP_BRANCH || u->kind == UOP_PUSH) && !in_program(p, u->target))
        return false;
    if (u->kind == UOP_CALL && u->target != UOP_NOWHERE && !in_program(p, u->target))
        return false;
    if ((u->kind == UOP_BRANCH || u->kind == UOP_BRANCH_TABLE) && u->reconverge != UOP_NOWHERE &&
        (!in_program(p, u->reconverge) || p->operations[u->reconverge].kind != UOP_RECONVERGE))
        return false;
    for (uint32_t i = 0; i < u->table_count; i++)
        if (!in_program(p, u->table[i]) && u->table[i] != UOP_NOWHERE)
            return false;
    return true;
}

static void set_flags(const struct program *p, struct uop *u)
{
    const struct rp_instruction *in = &p->kernel.instructions[u->index];
    if (in->memory_count && !(u->flags & UF_SILENT))
        u->flags |= UF_LOG_ACCESS;
    if (in->flags & RP_HAS_AUX)
        u->flags |= UF_LOG_AUX;
}

static bool reads_clock(const struct operation *u)
{
    return u->kind == UOP_LANE && u->op == OP_SPECIAL && u->imm >= SR_CLOCK && u->imm <= SR_GLOBALTIMER_HI;
}

/* Whether independent threads wait at this instruction for those that its member mask names. */
static bool is_collective(const struct operation *o)
{
    if (o->kind == UOP_BARRIER)
        return o->barrier.kind == RP_BARRIER_WARP_SYNC;
    if (o->kind != UOP_LANE)
        return false;
    if (o->flags & UF_WHOLE_WARP)
        return true;
    bool masked = (o->op == OP_SHFL || o->op == OP_VOTE) && o->lists[0].count;
    return masked || o->op == OP_MATCH || o->op == OP_REDUX || o->op == OP_ELECT;
}

static bool tests_object(const struct operation *o)
{
    return o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_OBJECT && o->memory.object == RP_OBJECT_TEST;
}

/* Changes what differs for independent threads. Instructions at which they wait evaluate their guards themselves. */
static void make_independent(struct uop *u, const struct operation *o)
{
    if (is_collective(o)) {
        u->kind = UOP_COLLECTIVE;
        u->flags |= o->op == OP_SHFL ? UF_MEMBERS : 0;
    } else if (o->kind == UOP_LANE && o->op == OP_SHFL)
        u->kind = UOP_SHUFFLE;
    if (tests_object(o))
        u->kind = UOP_OBJECT_WAIT;
    if (u->kind == UOP_COLLECTIVE || u->kind == UOP_BARRIER || u->kind == UOP_OBJECT_WAIT)
        u->flags &= ~UF_GUARDED;
}

/* Whether all elements of the constant array are equal; *value: the first one with what follows it, 8 bytes. */
static bool all_equal(const uint8_t *array, uint32_t element, uint64_t *value)
{
    memcpy(value, array, sizeof *value);
    return !memcmp(array, array + element, 64 - element);
}

/* Whether an operation has no predicates or modes, so that its uop has room for a value. */
static bool has_room(const struct operation *o)
{
    switch (o->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_FMA:
    case OP_MIN:
    case OP_MAX:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_SHL:
    case OP_SHR: return true;
    default: return false;
    }
}

/* If b of an operation on registers is a constant with equal elements, keeps the value in the uop, where there is room.
 * So long code with many constants does not have to fetch an array for each. */
static void keep_constant(const struct program *p, struct uop *u, const struct operation *o)
{
    if (o->kind != UOP_LANE || !has_room(o) || o->p.at || o->pd.at || !o->b.at || is_register(o->b))
        return;
    uint64_t value;
    if (!all_equal(p->constants + o->b.at, operation_width(o) > 4 * RP_WARP_LANES ? 8 : 4, &value))
        return;
    u->equal_b = value;
    u->flags |= UF_EQUAL_B;
}

/* Whether another thread may change what it reads, and the program expects that. */
static bool polls(const struct rp_memory_operand *m)
{
    return m->atomic != RP_ATOMIC_NONE || m->object == RP_OBJECT_TEST ||
           (m->kind == RP_ACCESS_LOAD && m->order != RP_ORDER_WEAK);
}

static bool check(const struct program *p, uint32_t i, struct rp_error *err)
{
    const struct operation *u = &p->operations[i];
    if (u->index >= p->kernel.instruction_count)
        return broken(p, i, "belongs to no instruction", err);
    const struct rp_instruction *in = &p->kernel.instructions[u->index];
    if (u->flags & UF_FIRST && !(in->flags & RP_GUARDED) != !is_register(u->guard))
        return broken(p, i, "and its instruction disagree about the guard", err);
    if (in->flags & RP_HAS_AUX && u->kind != UOP_BARRIER && !in->memory_count)
        return broken(p, i, "has an aux value but is no barrier and has no memory operand", err);
    if (tests_object(u) && !(u->flags & UF_FIRST))
        return broken(p, i, "tests a barrier object behind its instruction's first operation", err);
    if (!control_ok(p, u))
        return broken(p, i, "goes to a place that does not exist", err);
    if (u->kind == UOP_LANE && !u->fn)
        return broken(p, i, "has no handler", err);
    return true;
}

/* Makes uop i; its descriptor goes to `descriptor`. */
static bool prepare_uop(struct program *p, uint32_t i, void *descriptor, struct rp_error *err)
{
    struct operation *o = &p->operations[i];
    if (o->kind == UOP_RECONVERGE) { /* belongs to the instruction after it */
        if (i + 1 == p->uop_count)
            return broken(p, i, "has nothing after it", err);
        o->index = p->operations[i + 1].index;
        o->flags |= UF_FIRST;
        uop_pack(&p->uops[i], o, descriptor);
        return true;
    }
    if (!check(p, i, err))
        return false;
    if (reads_clock(o))
        o->kind = UOP_CLOCK;
    struct uop *u = &p->uops[i];
    uop_pack(u, o, descriptor);
    set_flags(p, u);
    keep_constant(p, u, o);
    if (o->kind == UOP_LANE && o->flags & UF_UNIFORM)
        u->kind = UOP_UNIFORM;
    if (u->kind == UOP_MEMORY && !access_prepare(u, descriptor))
        return broken(p, i, "is a memory access that is not covered yet", err);
    p->polls |= o->kind == UOP_MEMORY && polls(&o->memory);
    p->has_objects |= o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_OBJECT;
    if (p->target && p->target->independent_threads)
        make_independent(u, o);
    return true;
}

/* Only the ends of straight runs are logged, so consecutive uops must belong to consecutive instructions. */
static bool consecutive(const struct program *p, uint32_t i)
{
    const struct operation *u = &p->operations[i], *next = u + 1;
    if (u->kind == UOP_RECONVERGE || !operation_may_fall_through(u))
        return true;
    return next->index == u->index + (next->flags & UF_FIRST ? 1 : 0);
}

/* Checks that each memory operand of an instruction is recorded by one uop, in the order of the table. To be called
 * with the uops of an instruction from the last to the first; *recorded counts between the calls. */
static bool accesses_ok(const struct program *p, uint32_t i, unsigned *recorded)
{
    const struct uop *u = &p->uops[i];
    if (u->kind == UOP_RECONVERGE)
        return true;
    unsigned count = p->kernel.instructions[u->index].memory_count;
    if (p->operations[i].kind == UOP_MEMORY && u->flags & UF_LOG_ACCESS) {
        *recorded += access_is_image(u) ? image_operands(u) : 1;
        if (u->memory->access + *recorded != count)
            return false;
    }
    if (!(u->flags & UF_FIRST))
        return true;
    bool ok = *recorded == count;
    *recorded = 0;
    return ok;
}

static uint32_t operand_end(struct operand o) { return is_register(o) ? register_offset(o) + 512 : 0; }

/* The end of the highest register that an operation names, assuming 512 bytes, the widest register. */
static uint32_t extent(const struct operation *u)
{
    const struct operand all[] = {u->guard, u->d, u->a, u->b, u->c, u->p, u->pd, u->pd2};
    uint32_t end = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t e = operand_end(all[i]);
        end = e > end ? e : end;
    }
    for (unsigned n = 0; n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < u->lists[n].count; i++) {
            uint32_t e = operand_end(u->lists[n].at[i]);
            end = e > end ? e : end;
        }
    return end;
}

/* Allocates one piece of memory: all uops, then the descriptors, both in order. */
static uint8_t *allocate_uops(struct program *p, struct rp_error *err)
{
    size_t uops = (size_t)p->uop_count * sizeof(struct uop), bytes = uops;
    for (uint32_t i = 0; i < p->uop_count; i++)
        bytes += uop_descriptor_bytes(&p->operations[i]);
    p->uops = aligned_alloc(sizeof(struct uop), (bytes + 63) / 64 * 64);
    if (p->uops)
        return (uint8_t *)p->uops + bytes;
    rp_fail(err, RP_SYSTEM, "kernel '%s': out of memory", p->name);
    return NULL;
}

/* The number of kernels that this process has had; identities tell kernels apart even if one reuses another's address.
 */
static _Atomic uint64_t identities;

static bool prepare_uops(struct program *p, uint8_t *descriptor, struct rp_error *err)
{
    uint32_t end = p->window_bytes;
    unsigned recorded = 0;
    for (uint32_t i = p->uop_count; i-- > 0;) { /* backwards: a RECONVERGE gets its successor's index */
        descriptor -= uop_descriptor_bytes(&p->operations[i]);
        if (!prepare_uop(p, i, descriptor, err))
            return false;
        if (!accesses_ok(p, i, &recorded))
            return broken(p, i, "has memory operands that the engine does not know", err);
        if (i + 1 < p->uop_count && !consecutive(p, i))
            return broken(p, i, "is not followed by the next instruction", err);
        uint32_t e = extent(&p->operations[i]);
        end = e > end ? e : end;
    }
    p->register_extent = (end + 63) / 64 * 64;
    p->kernel.identity = atomic_fetch_add(&identities, 1) + 1;
    return true;
}

bool program_prepare(struct program *p, struct rp_error *err)
{
    if (p->uops)
        return true;
    if (!in_program(p, p->entry) || operation_may_fall_through(&p->operations[p->uop_count - 1]))
        return rp_fail(err, RP_BAD_INPUT, "kernel '%s' runs past its end", p->name);
    uint8_t *descriptors = allocate_uops(p, err);
    if (!descriptors)
        return false;
    bool ok = prepare_uops(p, descriptors, err);
    if (ok && slice_find(p) && schedule_uops(p)) {
        polling_mark(p);
        if (together_mark(p) && strides_mark(p))
            return true;
    }
    if (ok)
        rp_fail(err, RP_SYSTEM, "kernel '%s': out of memory", p->name);
    program_release(p);
    return false;
}

void program_release(struct program *p)
{
    free(p->uops);
    p->uops = NULL;
    slice_free(p->slice);
    p->slice = NULL;
    free(p->overran);
    p->overran = NULL;
}
