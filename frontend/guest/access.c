/* Loads, stores and atomics of 32 cores. Mostly all of them access one range, or each its own stack at the same offset:
 * then the words lie side by side or at equal distances, and the functions of frontend/core/access.h move them. All
 * else goes core by core, in ascending order. */
#include "frontend/core/access.h"
#include "frontend/guest/lanes.h"
#include "frontend/operation/flags.h"
#include "tracefmt/writer.h"

static unsigned guest_access_rights(const struct uop *u)
{
    return u->memory->operand.kind == RP_ACCESS_STORE ? GUEST_WRITE : GUEST_READ;
}

static void guest_log_access(const struct guest_group *g, const struct uop *u, lanemask m,
                             const struct lane_addresses *la)
{
    if (!g->w.log)
        return;
    if (la->affine && m == ~(lanemask)0)
        rp_log_affine_access(g->w.log, u->index, 0, la->at[0], la->stride);
    else
        rp_log_access(g->w.log, u->index, 0, m, la->at);
}

/* ---- all at once ---------------------------------------------------------------------------------------------------
 */

static bool guest_in_range(const struct guest_memory *m, const struct lane_addresses *la, uint32_t bytes,
                           unsigned rights)
{
    for (uint32_t i = 0; i < m->range_count; i++) {
        const struct guest_range *r = &m->ranges[i];
        if (la->low >= r->low && la->low < r->high)
            return la->high + bytes <= r->high && (r->rights & rights) == rights;
    }
    return false;
}

/* Each core accesses its own stack, all at the same offset: *to is where the host has the words. */
static bool guest_in_own_stacks(const struct guest_group *g, const struct lane_addresses *la, uint32_t bytes,
                                struct lane_addresses *to)
{
    const struct guest_memory *m = &g->machine->memory;
    if (!la->affine || la->stride != -(int64_t)m->stack_pitch)
        return false;
    const uint64_t low = guest_stack_top(m, g->first) - m->stack_bytes, offset = la->at[0] - low;
    if (la->at[0] < low || offset + bytes > m->stack_bytes || (offset & 3) + bytes > 4)
        return false;
    const size_t group = (size_t)(g->first / GUEST_GROUP) * GUEST_GROUP * m->stack_bytes;
    to->affine = true;
    to->stride = 4;
    to->at[0] = group + (offset & ~(uint64_t)3) * GUEST_GROUP + (offset & 3);
    return true;
}

static bool guest_access_together(const struct guest_group *g, const struct uop *u, lanemask m,
                                  const struct lane_addresses *la)
{
    const struct guest_memory *memory = &g->machine->memory;
    const uint32_t bytes = u->memory->operand.width;
    struct lane_addresses stack;
    if (la->bits & (bytes - 1)) /* what moves elements wants them aligned */
        return false;
    if (guest_in_range(memory, la, bytes, guest_access_rights(u)))
        u->memory->element(register_at(&g->w, u->d), memory->linear, la, m);
    else if (guest_in_own_stacks(g, la, bytes, &stack))
        u->memory->element(register_at(&g->w, u->d), memory->stacks, &stack, m);
    else
        return false;
    return true;
}

/* ---- core by core --------------------------------------------------------------------------------------------------
 */

static bool guest_access_lane(struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address)
{
    struct guest_memory *m = &g->machine->memory;
    const uint32_t bytes = u->memory->operand.width, shift = 32 - 8 * bytes;
    uint32_t *reg = (uint32_t *)register_at(&g->w, u->d) + lane, value = 0;
    if (u->memory->operand.kind == RP_ACCESS_STORE)
        return guest_memory_write(m, address, bytes, reg);
    if (!guest_memory_read(m, address, bytes, GUEST_READ, &value))
        return false;
    *reg = u->type == T_S8 || u->type == T_S16 ? (uint32_t)((int32_t)(value << shift) >> shift) : value;
    return true;
}

static void guest_access_failed(struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address)
{
    guest_lane_core(g, lane)->pc = (uint32_t)g->program->instructions[u->index].pc;
    g->failed = true;
    guest_fault_access(g->machine, guest_lane_core(g, lane), address, u->memory->operand.width, guest_access_rights(u));
}

static void guest_access_apart(struct guest_group *g, const struct uop *u, lanemask executed,
                               const struct lane_addresses *la)
{
    for (lanemask m = executed; m && !g->failed; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        const uint32_t address = (uint32_t)lane_address(la, l);
        if (!guest_access_lane(g, u, l, address))
            guest_access_failed(g, u, l, address);
    }
}

/* Reservations end one after another, as lanes store in ascending order. */
static void guest_end_reservations_of(struct guest_group *g, const struct uop *u, lanemask executed,
                                      const struct lane_addresses *la)
{
    for (lanemask m = executed; m && g->machine->reservations; m &= m - 1)
        guest_end_reservations(g->machine, (uint32_t)lane_address(la, (unsigned)__builtin_ctz(m)),
                               u->memory->operand.width);
}

static void guest_access(struct warp *w, const struct uop *u, lanemask executed)
{
    struct guest_group *g = (struct guest_group *)w;
    struct lane_addresses la;
    u->memory->addresses(&la, operand_at(w, u->a), u->imm, executed);
    guest_log_access(g, u, executed, &la);
    if (!guest_access_together(g, u, executed, &la))
        guest_access_apart(g, u, executed, &la);
    if (u->memory->operand.kind == RP_ACCESS_LOAD)
        return;
    g->stored = true;
    if (g->machine->reservations)
        guest_end_reservations_of(g, u, executed, &la);
}

/* ---- atomics -------------------------------------------------------------------------------------------------------
 */

static uint32_t guest_combine(const struct rp_memory_operand *o, uint32_t old, uint32_t b)
{
    const bool is_signed = o->value == RP_VALUE_SIGNED;
    switch (o->atomic) {
    case RP_ATOMIC_ADD: return old + b;
    case RP_ATOMIC_XOR: return old ^ b;
    case RP_ATOMIC_AND: return old & b;
    case RP_ATOMIC_OR: return old | b;
    case RP_ATOMIC_MIN: return (is_signed ? (int32_t)old < (int32_t)b : old < b) ? old : b;
    case RP_ATOMIC_MAX: return (is_signed ? (int32_t)old > (int32_t)b : old > b) ? old : b;
    default: return b; /* RP_ATOMIC_EXCH */
    }
}

/* *old: what the lane's register gets. False: a bad access. */
static bool guest_atomic_lane(struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address,
                              uint32_t *old)
{
    struct guest_memory *m = &g->machine->memory;
    const uint32_t b = lane_u32(&g->w, u->b, lane);
    uint32_t value;
    if (!guest_memory_read(m, address, 4, GUEST_READ, old))
        return false;
    if (u->op == GUEST_LOAD_RESERVED) {
        guest_reserve(g->machine, guest_lane_core(g, lane), address, 4);
        return true;
    }
    const uint32_t held = *old;
    const bool conditional = u->op == GUEST_STORE_CONDITIONAL;
    const bool stores = !conditional || guest_take_reservation(g->machine, guest_lane_core(g, lane), address);
    value = conditional ? b : guest_combine(&u->memory->operand, *old, b);
    *old = conditional ? !stores : *old;
    if (!stores)
        return true;
    guest_end_reservations(g->machine, address, 4);
    g->stored |= value != held;
    return guest_memory_write(m, address, 4, &value);
}

static void guest_misaligned(struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address)
{
    struct guest_core *c = guest_lane_core(g, lane);
    c->pc = (uint32_t)g->program->instructions[u->index].pc;
    g->failed = true;
    guest_fault(g->machine, c, "atomic access to 0x%x, which is no multiple of 4", (unsigned)address);
}

static void guest_atomic(struct warp *w, const struct uop *u, lanemask executed)
{
    struct guest_group *g = (struct guest_group *)w;
    struct lane_addresses la;
    u->memory->addresses(&la, operand_at(w, u->a), u->imm, executed);
    guest_log_access(g, u, executed, &la);
    uint32_t *d = register_at(w, u->d), old;
    for (lanemask m = executed; m && !g->failed; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        const uint32_t address = (uint32_t)lane_address(&la, l);
        if (address & 3)
            guest_misaligned(g, u, l, address);
        else if (!guest_atomic_lane(g, u, l, address, &old))
            guest_access_failed(g, u, l, address);
        else
            d[l] = old;
    }
}

void guest_prepare_access(struct uop *u, struct memory_descriptor *d)
{
    const unsigned bytes = lane_type_bits((enum lane_type)u->type) / 8;
    const bool is_signed = u->type == T_S8 || u->type == T_S16;
    d->addresses = SIMD_SELECT(addresses_narrow);
    u->fn = u->op == GUEST_PLAIN_ACCESS ? guest_access : guest_atomic;
    d->element = d->operand.kind == RP_ACCESS_STORE ? SIMD_SELECT(element_store)(bytes, 4)
                                                    : SIMD_SELECT(element_load)(bytes, 4, is_signed);
}
