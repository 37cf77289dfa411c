/* Loads, stores and atomics of 32 cores. Mostly all of them access one range, or each its own stack at the same offset:
 * then the words lie side by side or at equal distances, and the functions of frontend/core/access.h move them. All
 * else goes core by core, in ascending order; an atomic by several begins behind the lane with which the last one
 * began.
 */
#include "frontend/core/access.h"
#include "frontend/guest/changes.h"
#include "frontend/guest/lanes.h"
#include "frontend/guest/plain.h"
#include "frontend/guest/reservations.h"
#include "frontend/operation/flags.h"
#include "tracefmt/writer.h"

#include <string.h>

static unsigned guest_access_rights(const struct uop *u)
{
    return u->memory->operand.kind == RP_ACCESS_STORE ? GUEST_WRITE : GUEST_READ;
}

void guest_log_access(const struct guest_group *g, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    if (!g->w.log)
        return;
    if (la->affine && m == ~(lanemask)0)
        rp_log_affine_access(g->w.log, u->index, u->memory->access, la->at[0], la->stride);
    else
        rp_log_access(g->w.log, u->index, u->memory->access, m, la->at);
}

static void guest_tell_lane(const struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address,
                            bool store)
{
    const struct guest_observer *o = g->observer;
    const uint32_t bytes = (uint32_t)u->memory->operand.width * u->memory->operand.elements;
    o->access(o->data, guest_lane_core(g, lane), address, bytes, store);
}

/* Whether memory has what a lane is about to store at this address. */
static bool guest_has_value(const struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address)
{
    const struct memory_descriptor *d = u->memory;
    const uint32_t bytes = d->operand.width, words = d->count ? d->count : 1;
    bool same = true;
    for (uint32_t i = 0; i < words && same; i++) {
        uint32_t value = lane_u32(&g->w, d->count ? d->elements[i] : u->d, lane), held = 0;
        same = guest_memory_read(&g->machine->memory, address + 4 * i, bytes, GUEST_WRITE, &held) &&
               !memcmp(&held, &value, bytes);
    }
    return same;
}

static void guest_compare_lane(struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address)
{
    const uint32_t bytes = (uint32_t)u->memory->operand.width * u->memory->operand.elements;
    g->stored = !guest_has_value(g, u, lane, address) && !guest_remember_change(g, lane, address, bytes);
}

static void guest_tell_nobody(void *data, const struct guest_core *c, uint32_t address, uint32_t bytes, bool store)
{
    (void)data, (void)c, (void)address, (void)bytes, (void)store;
}

/* Who is told of accesses while stores compare: handlers that tell nobody compare nothing. */
static const struct guest_observer guest_comparer = {.access = guest_tell_nobody};

void guest_compare_stores(struct guest_group *g, bool compares)
{
    if (g->compares == compares)
        return;
    guest_end_changes(g);
    g->compares = compares;
    g->observer = compares ? &guest_comparer : NULL;
}

/* Tells of a plain access, or compares what it stores. */
static void guest_tell_lanes(struct guest_group *g, const struct uop *u, lanemask executed,
                             const struct lane_addresses *la)
{
    const bool store = u->memory->operand.kind == RP_ACCESS_STORE;
    for (lanemask m = executed; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        if (!g->compares)
            guest_tell_lane(g, u, l, (uint32_t)lane_address(la, l), store);
        else if (store && !g->stored)
            guest_compare_lane(g, u, l, (uint32_t)lane_address(la, l));
    }
}

static inline void guest_tell(struct guest_group *g, const struct uop *u, lanemask executed,
                              const struct lane_addresses *la)
{
    if (g->observer)
        guest_tell_lanes(g, u, executed, la);
}

void guest_set_stacks(struct guest_stacks *s, const struct guest_memory *m, uint32_t first)
{
    s->low = guest_stack_top(m, first) - m->stack_bytes;
    s->pitch = m->stack_pitch;
    s->bytes = m->stack_bytes;
    s->host = m->stacks + (size_t)first * m->stack_bytes;
    for (uint32_t l = 0; l < RP_WARP_LANES; l++)
        s->down[l] = l * s->pitch;
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

static bool guest_is_signed(const struct uop *u) { return u->type == T_S8 || u->type == T_S16; }

/* Moves element n of each core between a register and its stack. */
static void guest_move_in_stacks(const struct guest_group *g, const struct uop *u, struct operand reg, uint32_t n,
                                 lanemask executed, const struct guest_offsets *at)
{
    const uint32_t width = u->memory->operand.width;
    uint32_t *d = register_at(&g->w, reg);
    if (u->memory->operand.kind == RP_ACCESS_STORE)
        SIMD_SELECT(guest_store_stacks)(d, at, &g->stacks, n * width, width, executed);
    else
        SIMD_SELECT(guest_load_stacks)(d, at, &g->stacks, n * width, width, guest_is_signed(u), executed);
}

/* ---- core by core --------------------------------------------------------------------------------------------------
 */

/* Where the host has bytes within a word of the lane's own stack; NULL: they are not. */
static uint8_t *guest_in_own_stack(const struct guest_group *g, unsigned lane, uint32_t address, uint32_t bytes)
{
    const struct guest_stacks *s = &g->stacks;
    const uint32_t offset = address - (s->low - s->down[lane]), in_word = offset & 3;
    if (offset >= s->bytes || bytes > 4 - in_word)
        return NULL;
    return s->host + (size_t)(offset - in_word) * RP_WARP_LANES + (size_t)4 * lane + in_word;
}

static bool guest_access_lane(struct guest_group *g, const struct uop *u, struct operand d, unsigned lane,
                              uint32_t address)
{
    struct guest_memory *m = &g->machine->memory;
    const uint32_t bytes = u->memory->operand.width, shift = 32 - 8 * bytes;
    uint32_t *reg = (uint32_t *)register_at(&g->w, d) + lane, value = 0;
    uint8_t *own = guest_in_own_stack(g, lane, address, bytes);
    if (u->memory->operand.kind == RP_ACCESS_STORE) {
        if (own)
            guest_copy(own, reg, bytes);
        return own || guest_memory_write(m, address, bytes, reg);
    }
    if (own)
        guest_copy(&value, own, bytes);
    else if (!guest_memory_read(m, address, bytes, GUEST_READ, &value))
        return false;
    *reg = guest_is_signed(u) ? (uint32_t)((int32_t)(value << shift) >> shift) : value;
    return true;
}

static uint32_t guest_access_bytes(const struct uop *u)
{
    return (uint32_t)u->memory->operand.width * u->memory->operand.elements;
}

/* What the access that failed wanted. Atomic ones load first. */
static unsigned guest_rights_missed(const struct guest_group *g, const struct uop *u, uint32_t address)
{
    const uint8_t kind = u->memory->operand.kind;
    uint64_t value;
    const bool stores = kind == RP_ACCESS_STORE ||
                        (kind != RP_ACCESS_LOAD &&
                         guest_memory_read(&g->machine->memory, address, guest_access_bytes(u), GUEST_READ, &value));
    return stores ? GUEST_WRITE : GUEST_READ;
}

static void guest_access_failed(struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address)
{
    guest_lane_core(g, lane)->pc = (uint32_t)g->program->instructions[u->index].pc;
    g->failed = true;
    guest_fault_access(g->machine, guest_lane_core(g, lane), address, guest_access_bytes(u),
                       guest_rights_missed(g, u, address));
}

static void guest_misaligned(struct guest_group *g, const struct uop *u, unsigned lane, uint32_t address,
                             uint32_t bytes)
{
    struct guest_core *c = guest_lane_core(g, lane);
    c->pc = (uint32_t)g->program->instructions[u->index].pc;
    g->failed = true;
    guest_fault(g->machine, c, "access to 0x%x, which is no multiple of %u", (unsigned)address, (unsigned)bytes);
}

static void guest_access_apart(struct guest_group *g, const struct uop *u, struct operand d, lanemask executed,
                               const struct lane_addresses *la)
{
    for (lanemask m = executed; m && !g->failed; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        const uint32_t address = (uint32_t)lane_address(la, l);
        if (!guest_access_lane(g, u, d, l, address))
            guest_access_failed(g, u, l, address);
    }
}

/* Reservations end one after another, as lanes store in ascending order. */
static void guest_end_reservations_of(struct guest_group *g, const struct uop *u, lanemask executed,
                                      const struct lane_addresses *la)
{
    for (lanemask m = executed; m; m &= m - 1)
        guest_end_reservations(g->machine, (uint32_t)lane_address(la, (unsigned)__builtin_ctz(m)),
                               guest_access_bytes(u));
}

static void guest_note_store(struct guest_group *g, const struct uop *u, lanemask executed,
                             const struct lane_addresses *la)
{
    g->stored |= !g->compares;
    if (guest_may_be_reserved(g->machine, la->low, la->high + guest_access_bytes(u)))
        guest_end_reservations_of(g, u, executed, la);
}

/* Each core its own stack, or what is made core by core. */
static __attribute__((noinline)) void guest_access_elsewhere(struct guest_group *g, const struct uop *u,
                                                             lanemask executed, const struct lane_addresses *la)
{
    const uint32_t bytes = guest_access_bytes(u);
    struct guest_offsets at;
    if (SIMD_SELECT(guest_find_in_stacks)(&at, la, &g->stacks, bytes, bytes, executed))
        guest_move_in_stacks(g, u, u->d, 0, executed, &at);
    else
        guest_access_apart(g, u, u->d, executed, la);
}

/* Whether there are so few lanes that vectors would take longer: up to 3. */
static inline bool guest_are_few(lanemask lanes)
{
    const lanemask more = lanes & (lanes - 1), most = more & (more - 1);
    return !(most & (most - 1));
}

static void guest_access_few(struct guest_group *g, const struct uop *u, lanemask executed)
{
    const uint32_t *address = operand_at(&g->w, u->a);
    struct lane_addresses la;
    la.affine = false;
    la.low = 0;
    la.high = UINT32_MAX;
    for (lanemask m = executed; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        la.at[lane] = address[lane] + (uint32_t)u->imm;
    }
    guest_log_access(g, u, executed, &la);
    guest_tell(g, u, executed, &la);
    guest_access_apart(g, u, u->d, executed, &la);
    if (u->memory->operand.kind == RP_ACCESS_STORE)
        guest_note_store(g, u, executed, &la);
}

void guest_access(struct warp *w, const struct uop *u, lanemask executed)
{
    struct guest_group *g = (struct guest_group *)w;
    struct lane_addresses la;
    if (guest_are_few(executed)) {
        guest_access_few(g, u, executed);
        return;
    }
    u->memory->addresses(&la, operand_at(w, u->a), u->imm, executed);
    guest_log_access(g, u, executed, &la);
    guest_tell(g, u, executed, &la);
    if (guest_in_range(&g->machine->memory, &la, guest_access_bytes(u), guest_access_rights(u)))
        u->memory->element(register_at(w, u->d), g->machine->memory.linear, &la, executed);
    else
        guest_access_elsewhere(g, u, executed, &la);
    if (u->memory->operand.kind == RP_ACCESS_STORE)
        guest_note_store(g, u, executed, &la);
}

/* ---- several words -------------------------------------------------------------------------------------------------
 */

static void guest_next_word(struct lane_addresses *la)
{
    la->low += 4;
    la->high += 4;
    for (unsigned l = 0; l < (la->affine ? 1 : RP_WARP_LANES); l++)
        la->at[l] += 4;
}

/* The first lane whose address is no multiple of 4 is a fault. */
static bool guest_words_aligned(struct guest_group *g, const struct uop *u, lanemask executed,
                                const struct lane_addresses *la)
{
    for (lanemask m = la->bits & 3 ? executed : 0; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        if (lane_address(la, l) & 3) {
            guest_misaligned(g, u, l, (uint32_t)lane_address(la, l), 4);
            return false;
        }
    }
    return true;
}

/* Each core its own stack, or word by word, as one of them may fail. */
static __attribute__((noinline)) void guest_access_list_elsewhere(struct guest_group *g, const struct uop *u,
                                                                  lanemask executed, struct lane_addresses *la)
{
    const uint32_t count = u->memory->count;
    struct guest_offsets at;
    if (SIMD_SELECT(guest_find_in_stacks)(&at, la, &g->stacks, 4 * count, 4, executed)) {
        for (uint32_t i = 0; i < count; i++)
            guest_move_in_stacks(g, u, u->memory->elements[i], i, executed, &at);
        return;
    }
    for (uint32_t i = 0; i < u->memory->count && !g->failed; i++) {
        guest_access_apart(g, u, u->memory->elements[i], executed, la);
        guest_next_word(la);
    }
}

void guest_access_list(struct warp *w, const struct uop *u, lanemask executed)
{
    struct guest_group *g = (struct guest_group *)w;
    struct lane_addresses la;
    u->memory->addresses(&la, operand_at(w, u->a), u->imm, executed);
    guest_log_access(g, u, executed, &la);
    if (!guest_words_aligned(g, u, executed, &la))
        return;
    guest_tell(g, u, executed, &la);
    if (u->memory->operand.kind == RP_ACCESS_STORE)
        guest_note_store(g, u, executed, &la);
    if (!guest_in_range(&g->machine->memory, &la, 4 * u->memory->count, guest_access_rights(u))) {
        guest_access_list_elsewhere(g, u, executed, &la);
        return;
    }
    for (uint32_t i = 0; i < u->memory->count; i++)
        u->memory->element(register_at(w, u->memory->elements[i]), g->machine->memory.linear + 4 * i, &la, executed);
}

/* ---- atomics -------------------------------------------------------------------------------------------------------
 */

static uint32_t guest_truncate(uint32_t value, uint32_t bytes) { return value & UINT32_MAX >> (32 - 8 * bytes); }

/* c: what a compare-and-swap expects; old has zeros above its width, the result may have anything there */
static uint32_t guest_combine(const struct rp_memory_operand *o, uint32_t old, uint32_t b, uint32_t c)
{
    const bool is_signed = o->value == RP_VALUE_SIGNED;
    switch (o->atomic) {
    case RP_ATOMIC_ADD: return old + b;
    case RP_ATOMIC_XOR: return old ^ b;
    case RP_ATOMIC_AND: return old & b;
    case RP_ATOMIC_OR: return old | b;
    case RP_ATOMIC_MIN: return (is_signed ? (int32_t)old < (int32_t)b : old < b) ? old : b;
    case RP_ATOMIC_MAX: return (is_signed ? (int32_t)old > (int32_t)b : old > b) ? old : b;
    case RP_ATOMIC_CAS: return old == guest_truncate(c, o->width) ? b : old;
    default: return b; /* RP_ATOMIC_EXCH */
    }
}

/* An atomic access of one core. */
struct guest_atomic_access {
    unsigned lane;
    uint32_t address, bytes;
    uint8_t *host; /* NULL: it must be found, and checked */
};

static bool guest_atomic_read(const struct guest_group *g, const struct guest_atomic_access *a, unsigned rights,
                              void *to)
{
    if (!a->host)
        return guest_memory_read(&g->machine->memory, a->address, a->bytes, rights, to);
    guest_copy(to, a->host, a->bytes);
    return true;
}

static bool guest_atomic_write(const struct guest_group *g, const struct guest_atomic_access *a, const void *from)
{
    if (!a->host)
        return guest_memory_write(&g->machine->memory, a->address, a->bytes, from);
    guest_copy(a->host, from, a->bytes);
    return true;
}

static bool guest_load_reserved(struct guest_group *g, const struct uop *u, const struct guest_atomic_access *a)
{
    uint32_t words[2] = {0};
    if (!guest_atomic_read(g, a, GUEST_READ, words))
        return false;
    guest_reserve(g->machine, guest_lane_core(g, a->lane), a->address, a->bytes);
    for (uint32_t i = 0; i < u->memory->count; i++)
        ((uint32_t *)register_at(&g->w, u->memory->elements[i]))[a->lane] = words[i];
    if (!u->memory->count)
        ((uint32_t *)register_at(&g->w, u->d))[a->lane] = words[0];
    return true;
}

/* d: 0 if it has stored, else 1 */
static bool guest_store_conditional(struct guest_group *g, const struct uop *u, const struct guest_atomic_access *a)
{
    const struct memory_descriptor *d = u->memory;
    const bool holds = guest_take_reservation(g->machine, guest_lane_core(g, a->lane), a->address);
    uint32_t words[2], held[2] = {0};
    for (uint32_t i = 0; i < 2; i++)
        words[i] = lane_u32(&g->w, d->count > i ? d->elements[i] : u->b, a->lane);
    if (!guest_atomic_read(g, a, GUEST_READ, held))
        return false;
    ((uint32_t *)register_at(&g->w, u->d))[a->lane] = !holds;
    if (!holds)
        return true;
    guest_end_reservations(g->machine, a->address, a->bytes);
    g->stored |= memcmp(words, held, a->bytes) != 0;
    return guest_atomic_write(g, a, words);
}

/* False: a bad access. */
static bool guest_atomic_lane(struct guest_group *g, const struct uop *u, const struct guest_atomic_access *a)
{
    uint32_t old = 0;
    if (!guest_atomic_read(g, a, GUEST_READ | GUEST_WRITE, &old))
        return false;
    const uint32_t value =
        u->op == GUEST_ATOMIC_NEGATE
            ? -old
            : guest_combine(&u->memory->operand, old, lane_u32(&g->w, u->b, a->lane), lane_u32(&g->w, u->c, a->lane));
    ((uint32_t *)register_at(&g->w, u->d))[a->lane] = old;
    guest_end_reservations(g->machine, a->address, a->bytes);
    g->stored |= guest_truncate(value, a->bytes) != old;
    return guest_atomic_write(g, a, &value);
}

static bool guest_compare_exchange_pair(struct guest_group *g, const struct uop *u, const struct guest_atomic_access *a)
{
    const struct operand *e = u->memory->elements;
    uint32_t old[2], values[4];
    if (!guest_atomic_read(g, a, GUEST_READ | GUEST_WRITE, old))
        return false;
    for (unsigned i = 0; i < 4; i++)
        values[i] = lane_u32(&g->w, e[2 + i], a->lane);
    for (unsigned i = 0; i < 2; i++)
        ((uint32_t *)register_at(&g->w, e[i]))[a->lane] = old[i];
    const bool same = !memcmp(old, values, sizeof old);
    g->stored |= same;
    return guest_atomic_write(g, a, same ? values + 2 : old);
}

static bool guest_atomic_of_lane(struct guest_group *g, const struct uop *u, const struct guest_atomic_access *a)
{
    if (g->observer && u->op != GUEST_STORE_CONDITIONAL)
        guest_tell_lane(g, u, a->lane, a->address, false);
    if (g->observer && u->op != GUEST_LOAD_RESERVED &&
        (u->op != GUEST_STORE_CONDITIONAL || guest_lane_core(g, a->lane)->reservation == a->address))
        guest_tell_lane(g, u, a->lane, a->address, true);
    switch (u->op) {
    case GUEST_LOAD_RESERVED: return guest_load_reserved(g, u, a);
    case GUEST_STORE_CONDITIONAL: return guest_store_conditional(g, u, a);
    case GUEST_COMPARE_EXCHANGE_PAIR: return guest_compare_exchange_pair(g, u, a);
    default: return guest_atomic_lane(g, u, a);
    }
}

/* Words of `bytes`, which were checked. */
static inline __attribute__((always_inline)) void guest_atomic_words(struct guest_group *g, const struct uop *u,
                                                                     lanemask executed, const struct lane_addresses *la,
                                                                     unsigned bytes)
{
    const struct rp_memory_operand operand = u->memory->operand;
    const bool negate = u->op == GUEST_ATOMIC_NEGATE;
    const uint32_t *b = operand_at(&g->w, u->b), *c = operand_at(&g->w, u->c);
    uint32_t *d = register_at(&g->w, u->d), changed = 0;
    for (lanemask m = executed; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        uint8_t *host = g->machine->memory.linear + (uint32_t)lane_address(la, l);
        uint32_t old = 0, value;
        memcpy(&old, host, bytes);
        value = negate ? -old : guest_combine(&operand, old, b[l], c[l]);
        changed |= value ^ old;
        memcpy(host, &value, bytes);
        d[l] = old;
    }
    g->stored |= guest_truncate(changed, bytes) != 0;
}

/* Where all is checked and nobody is told. */
static void guest_atomic_checked(struct guest_group *g, const struct uop *u, lanemask executed,
                                 const struct lane_addresses *la)
{
    switch (guest_access_bytes(u)) {
    case 1: guest_atomic_words(g, u, executed, la, 1); break;
    case 2: guest_atomic_words(g, u, executed, la, 2); break;
    default: guest_atomic_words(g, u, executed, la, 4); break;
    }
}

static void guest_put_lanes(uint32_t *to, const uint32_t *from, lanemask executed)
{
    if (!~executed)
        memcpy(to, from, RP_WARP_LANES * sizeof *to);
    else
        for (lanemask m = executed; m; m &= m - 1)
            to[__builtin_ctz(m)] = from[__builtin_ctz(m)];
}

/* What is stored where `old` was. */
static void guest_combine_lanes(uint32_t *value, const struct rp_memory_operand *o, const uint32_t *old,
                                const uint32_t *b, const uint32_t *c)
{
    if (o->atomic == RP_ATOMIC_EXCH)
        memcpy(value, b, RP_WARP_LANES * sizeof *value);
    else
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            value[l] = guest_combine(o, old[l], b[l], c[l]);
}

static lanemask guest_same_lanes(const uint32_t *a, const uint32_t *b, lanemask executed)
{
    return SIMD_SELECT(guest_compare)(CMP_EQ)(a, b) & executed;
}

/* The same where each lane accesses its own stack, so that their order does not matter. */
static void guest_atomic_in_stacks(struct guest_group *g, const struct uop *u, lanemask executed,
                                   const struct guest_offsets *at)
{
    const uint32_t bytes = guest_access_bytes(u), *b = operand_at(&g->w, u->b), *c = operand_at(&g->w, u->c);
    uint32_t old[RP_WARP_LANES] __attribute__((aligned(64))) = {0}, value[RP_WARP_LANES] __attribute__((aligned(64)));
    SIMD_SELECT(guest_load_stacks)(old, at, &g->stacks, 0, bytes, false, executed);
    if (u->op == GUEST_ATOMIC_NEGATE)
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            value[l] = -old[l];
    else
        guest_combine_lanes(value, &u->memory->operand, old, b, c);
    SIMD_SELECT(guest_store_stacks)(value, at, &g->stacks, 0, bytes, executed);
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        value[l] = guest_truncate(value[l], bytes);
    g->stored |= guest_same_lanes(value, old, executed) != executed;
    guest_put_lanes(register_at(&g->w, u->d), old, executed);
}

static void guest_exchange_pairs_in_stacks(struct guest_group *g, const struct uop *u, lanemask executed,
                                           const struct guest_offsets *at)
{
    const struct operand *e = u->memory->elements;
    uint32_t old[2][RP_WARP_LANES] __attribute__((aligned(64))) = {{0}}, *values[6];
    for (unsigned i = 0; i < 6; i++)
        values[i] = register_at(&g->w, e[i]);
    for (unsigned i = 0; i < 2; i++)
        SIMD_SELECT(guest_load_stacks)(old[i], at, &g->stacks, 4 * i, 4, false, executed);
    const lanemask same = guest_same_lanes(old[0], values[2], guest_same_lanes(old[1], values[3], executed));
    for (unsigned i = 0; i < 2 && same; i++)
        SIMD_SELECT(guest_store_stacks)(values[4 + i], at, &g->stacks, 4 * i, 4, same);
    for (unsigned i = 0; i < 2; i++)
        guest_put_lanes(values[i], old[i], executed);
    g->stored |= same != 0;
}

/* Whether nothing but memory changes, at any address that is in range. */
static bool guest_atomic_is_plain(const struct guest_group *g, const struct uop *u)
{
    return u->op != GUEST_LOAD_RESERVED && u->op != GUEST_STORE_CONDITIONAL &&
           g->program->guest->isa->unaligned_atomics && !g->observer && !g->machine->reservations.count;
}

/* False: it must be made lane by lane. first: the lanes that come before the others. */
static bool guest_atomic_at_once(struct guest_group *g, const struct uop *u, lanemask executed, lanemask first,
                                 bool checked, const struct lane_addresses *la)
{
    const bool pair = u->op == GUEST_COMPARE_EXCHANGE_PAIR;
    const uint32_t bytes = guest_access_bytes(u);
    struct guest_offsets at;
    if (!guest_atomic_is_plain(g, u))
        return false;
    if (checked && !pair) {
        guest_atomic_checked(g, u, first, la);
        guest_atomic_checked(g, u, executed & ~first, la);
    } else if (checked || !SIMD_SELECT(guest_find_in_stacks)(&at, la, &g->stacks, bytes, pair ? 4 : bytes, executed))
        return false;
    else if (pair)
        guest_exchange_pairs_in_stacks(g, u, executed, &at);
    else
        guest_atomic_in_stacks(g, u, executed, &at);
    return true;
}

/* Of several lanes at one word the first one takes a lock. If that were always the lowest one, it could take the lock
 * again and again, and find each time that another must come before. So the next access begins behind the lane with
 * which this one began. Returns the lanes from there on, which come first; the others follow. */
static lanemask guest_take_turns_at(struct guest_group *g, uint32_t address, lanemask executed)
{
    uint8_t *turn = &g->turn[address / 4 % GUEST_TURNS];
    if (!(executed & (executed - 1)))
        return executed;
    const lanemask behind = executed & ~(lanemask)0 << *turn, first = behind ? behind : executed;
    *turn = (uint8_t)((__builtin_ctz(first) + 1) % RP_WARP_LANES);
    return first;
}

static void guest_atomic_by_lanes(struct guest_group *g, const struct uop *u, lanemask lanes, bool checked,
                                  const struct lane_addresses *la)
{
    struct guest_atomic_access a = {.bytes = guest_access_bytes(u)};
    const uint32_t unaligned = g->program->guest->isa->unaligned_atomics ? 0 : a.bytes - 1;
    for (lanemask m = lanes; m && !g->failed; m &= m - 1) {
        a.lane = (unsigned)__builtin_ctz(m);
        a.address = (uint32_t)lane_address(la, a.lane);
        a.host = checked ? g->machine->memory.linear + a.address : NULL;
        if (a.address & unaligned)
            guest_misaligned(g, u, a.lane, a.address, a.bytes);
        else if (!guest_atomic_of_lane(g, u, &a))
            guest_access_failed(g, u, a.lane, a.address);
    }
}

/* One lane after another. */
static void guest_atomic(struct warp *w, const struct uop *u, lanemask executed)
{
    struct guest_group *g = (struct guest_group *)w;
    struct lane_addresses la;
    u->memory->addresses(&la, operand_at(w, u->a), u->imm, executed);
    guest_log_access(g, u, executed, &la);
    const bool checked = guest_in_range(&g->machine->memory, &la, guest_access_bytes(u), GUEST_READ | GUEST_WRITE);
    const uint32_t lowest = (uint32_t)lane_address(&la, (unsigned)__builtin_ctz(executed));
    const lanemask first = u->op == GUEST_LOAD_RESERVED ? executed : guest_take_turns_at(g, lowest, executed);
    if (guest_atomic_at_once(g, u, executed, first, checked, &la))
        return;
    guest_atomic_by_lanes(g, u, first, checked, &la);
    guest_atomic_by_lanes(g, u, executed & ~first, checked, &la);
}

void guest_log_rest(struct guest_group *g, const struct uop *failed)
{
    for (const struct uop *u = failed + 1; g->w.log && u->index == failed->index; u++) {
        const lanemask executed = u->flags & UF_GUARDED ? g->w.active & guard(&g->w, u) : g->w.active;
        struct lane_addresses la;
        if (u->kind != UOP_MEMORY)
            continue;
        u->memory->addresses(&la, operand_at(&g->w, u->a), u->imm, executed);
        guest_log_access(g, u, executed, &la);
    }
}

void guest_drop_reservations(struct warp *w, const struct uop *u, lanemask executed)
{
    struct guest_group *g = (struct guest_group *)w;
    (void)u;
    for (lanemask m = executed; m; m &= m - 1)
        guest_take_reservation(g->machine, guest_lane_core(g, (unsigned)__builtin_ctz(m)), GUEST_NO_RESERVATION);
}

void guest_prepare_access(struct uop *u, struct memory_descriptor *d)
{
    const unsigned bytes = d->operand.width;
    const bool is_signed = guest_is_signed(u), store = d->operand.kind == RP_ACCESS_STORE;
    d->addresses = SIMD_SELECT(addresses_narrow);
    u->mode = d->access; /* handlers of the stacks need no more of the descriptor */
    u->fn = u->op > GUEST_MOVING_ACCESS ? guest_atomic
            : d->count                  ? SIMD_SELECT(guest_list_handler)(store, false)
                                        : SIMD_SELECT(guest_access_handler)(u->op, store, bytes, is_signed, false);
    d->element = store ? SIMD_SELECT(element_store)(bytes, 4) : SIMD_SELECT(element_load)(bytes, 4, is_signed);
}

void guest_prepare_known_access(struct uop *u)
{
    const bool store = u->memory->operand.kind == RP_ACCESS_STORE;
    u->fn = u->memory->count
                ? SIMD_SELECT(guest_list_handler)(store, true)
                : SIMD_SELECT(guest_access_handler)(u->op, store, u->memory->operand.width, guest_is_signed(u), true);
}
