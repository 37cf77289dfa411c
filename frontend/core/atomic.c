/* Atomics and reductions: lane by lane in ascending order, so that lanes that meet at one address have a fixed order.
 */
#include <string.h>

#include "frontend/core/access.h"
#include "frontend/core/flags.h"
#include "frontend/core/lanes/lanes.h"

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

/* One lane's operation where no other host thread comes near. Counts it among *changes if it is one. */
static uint64_t update(void *at, unsigned bytes, apply_fn apply, const struct uop *u, uint64_t b, uint64_t c,
                       uint64_t *changes)
{
    uint64_t old = read_element(at, bytes);
    uint64_t value = apply((enum rp_atomic)u->memory->operand.atomic, (enum lane_type)u->type, old, b, c);
    *changes += value != old;
    write_element(at, bytes, value);
    return old;
}

/* The same against other host threads. Blocks run in parallel only if no kernel instruction uses the old value and all
 * operations on one place commute, so their order does not show. */
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

void atomic_lanes(struct warp *w, const struct uop *u, const struct lane_addresses *la, uint8_t *host, lanemask m,
                  bool shared)
{
    unsigned bytes = lane_element_bytes((enum lane_type)u->type);
    const uint8_t *b = operand_at(w, u->b), *c = is_sink(u->c) ? NULL : operand_at(w, u->c);
    uint8_t *d = is_sink(u->d) ? NULL : operand_at(w, u->d);
    /* shared memory keeps subnormals where global memory flushes them */
    apply_fn apply = host == w->block->shared ? atomic_apply : atomic_apply_global;
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

bool atomic_known(const struct uop *u)
{
    unsigned bytes = lane_element_bytes((enum lane_type)u->type);
    return u->memory->operand.width == bytes && bytes * 8 == lane_type_bits((enum lane_type)u->type) &&
           atomic_exists((enum rp_atomic)u->memory->operand.atomic, (enum lane_type)u->type);
}
