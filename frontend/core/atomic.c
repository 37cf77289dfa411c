/* Atomics and reductions: lane by lane in ascending order, so that lanes that meet at one address have a fixed order.
 */
#include <string.h>

#include "frontend/core/access.h"
#include "frontend/core/atomic_words.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/operation/flags.h"

static uint64_t read_element(const void *p, unsigned bytes)
{
    switch (bytes) {
    case 2: return *(const uint16_t *)p;
    case 4: return *(const uint32_t *)p;
    default: return *(const uint64_t *)p;
    }
}

static void write_element(void *p, unsigned bytes, uint64_t value)
{
    switch (bytes) {
    case 2: *(uint16_t *)p = (uint16_t)value; break;
    case 4: *(uint32_t *)p = (uint32_t)value; break;
    default: *(uint64_t *)p = value; break;
    }
}

typedef uint64_t (*apply_fn)(enum rp_atomic, enum lane_type, uint64_t old, uint64_t b, uint64_t c);

/* OP_ARRIVE */
static uint64_t arrive(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b, uint64_t c)
{
    const uint32_t phase = 1u << 31;
    uint32_t low = (uint32_t)old, before = (uint32_t)(old >> 32), after = before + (uint32_t)b;
    (void)op;
    (void)type;
    (void)c;
    if ((before ^ after) & phase)
        after = (after & phase) | ((low + (phase >> 1)) & ~phase);
    return (uint64_t)after << 32 | low;
}

/* One lane's operation, without other host threads. Counts it in *changes if it changes memory. */
static uint64_t update(void *at, unsigned bytes, apply_fn apply, const struct uop *u, uint64_t b, uint64_t c,
                       uint64_t *changes)
{
    uint64_t old = read_element(at, bytes);
    uint64_t value = apply((enum rp_atomic)u->memory->operand.atomic, (enum lane_type)u->type, old, b, c);
    *changes += value != old;
    write_element(at, bytes, value);
    return old;
}

/* The same with atomics of the host. Blocks run in parallel only if the kernel uses no old value and all operations on
 * one word commute, so their order has no effect. */
#define UPDATE_SHARED(name, word)                                                                                      \
    static uint64_t name(word *at, apply_fn apply, const struct uop *u, uint64_t b, uint64_t c)                        \
    {                                                                                                                  \
        word old = __atomic_load_n(at, __ATOMIC_RELAXED), value;                                                       \
        do                                                                                                             \
            value = (word)apply((enum rp_atomic)u->memory->operand.atomic, (enum lane_type)u->type, old, b, c);        \
        while (!__atomic_compare_exchange_n(at, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));               \
        return old;                                                                                                    \
    }
UPDATE_SHARED(update_shared_16, uint16_t)
UPDATE_SHARED(update_shared_32, uint32_t)
UPDATE_SHARED(update_shared_64, uint64_t)

static uint64_t update_shared(void *at, unsigned bytes, apply_fn apply, const struct uop *u, uint64_t b, uint64_t c)
{
    switch (bytes) {
    case 2: return update_shared_16(at, apply, u, b, c);
    case 4: return update_shared_32(at, apply, u, b, c);
    default: return update_shared_64(at, apply, u, b, c);
    }
}

/* Element `place` of a vector atomic: operand, and old value or sink. */
static void atomic_elements(struct warp *w, const struct uop *u, const struct lane_addresses *la, uint8_t *host,
                            lanemask m, bool shared, struct operand operand, struct operand old_value)
{
    unsigned bytes = lane_element_bytes((enum lane_type)u->type);
    const uint8_t *b = operand_at(w, operand), *c = is_sink(u->c) ? NULL : operand_at(w, u->c);
    uint8_t *d = is_sink(old_value) ? NULL : operand_at(w, old_value);
    /* atomics on shared memory keep subnormals, those on global memory flush them */
    bool in_shared = u->memory->operand.space == RP_SPACE_SHARED_CLUSTER || host == w->block->shared;
    apply_fn apply = u->op == OP_ARRIVE ? arrive : in_shared ? atomic_apply : atomic_apply_global;
    struct atomic_words words = {.op = (enum rp_atomic)u->memory->operand.atomic,
                                 .type = (enum lane_type)u->type,
                                 .operand = b,
                                 .third = c,
                                 .old = d,
                                 .host = host,
                                 .la = la,
                                 .shared = shared,
                                 .flushed = !in_shared};
    if (u->op != OP_ARRIVE && atomic_words(&words, m)) {
        w->block->changes += words.changes;
        return;
    }
    FOR_LANES(l, m)
    {
        uint64_t vb = read_element(b + l * bytes, bytes), vc = c ? read_element(c + l * bytes, bytes) : 0;
        void *at = host + lane_address(la, l);
        uint64_t old = shared ? update_shared(at, bytes, apply, u, vb, vc)
                              : update(at, bytes, apply, u, vb, vc, &w->block->changes);
        if (d)
            write_element(d + l * bytes, bytes, old);
    }
}

/* 128 bits: exch and cas. No other host thread accesses the memory: kernels that use the old value run in the fixed
 * order, and without the old value these operations are no reductions. */
static void atomic_long(struct warp *w, const struct uop *u, const struct lane_addresses *la, uint8_t *host, lanemask m)
{
    enum { HALF = 8 * RP_WARP_LANES };
    const uint8_t *b = operand_at(w, u->b), *c = is_sink(u->c) ? NULL : operand_at(w, u->c);
    uint8_t *d = is_sink(u->d) ? NULL : operand_at(w, u->d);
    FOR_LANES(l, m)
    {
        uint64_t *at = (uint64_t *)(host + lane_address(la, l)), old[2] = {at[0], at[1]};
        uint64_t vb[2] = {read_element(b + l * 8, 8), read_element(b + HALF + l * 8, 8)};
        bool swaps = !c || (old[0] == vb[0] && old[1] == vb[1]);
        for (int i = 0; i < 2; i++) {
            uint64_t value = c ? read_element(c + i * HALF + l * 8, 8) : vb[i];
            w->block->changes += swaps && value != old[i];
            at[i] = swaps ? value : old[i];
            if (d)
                write_element(d + i * HALF + l * 8, 8, old[i]);
        }
    }
}

void atomic_lanes(struct warp *w, const struct uop *u, const struct lane_addresses *la, uint8_t *host, lanemask m,
                  bool shared)
{
    const struct memory_descriptor *d = u->memory;
    unsigned bytes = lane_element_bytes((enum lane_type)u->type);
    if (u->type == T_B128)
        atomic_long(w, u, la, host, m);
    else if (!d->count)
        atomic_elements(w, u, la, host, m, shared, u->b, u->d);
    else
        for (uint32_t i = 0; i < d->count; i++) {
            /* vector atomics access device memory only */
            atomic_elements(w, u, la, host + i * bytes, m, shared, d->elements[d->count + i], d->elements[i]);
        }
}

bool atomic_known(const struct uop *u)
{
    const struct rp_memory_operand *o = &u->memory->operand;
    enum rp_atomic op = (enum rp_atomic)o->atomic;
    unsigned bytes = lane_element_bytes((enum lane_type)u->type), count = u->memory->count ? u->memory->count : 1;
    if (u->type == T_B128)
        return o->width == 16 && (op == RP_ATOMIC_EXCH || op == RP_ATOMIC_CAS);
    return o->width == bytes * count && bytes * 8 == lane_type_bits((enum lane_type)u->type) &&
           atomic_exists(op, (enum lane_type)u->type);
}
