/* Prefetches the state that an SM is about to use into the caches of the host. The SMs of a large machine together need
 * more than these caches hold, so an SM that runs again finds little of its state there. Most of the time then goes
 * into misses that wait for one another. Prefetches do not wait. */
#include "replay/engines/fast/fast.h"

static inline void fetch(const void *from, const void *to)
{
    for (const char *at = from; at < (const char *)to; at += HOST_LINE)
        __builtin_prefetch(at, 1);
}

/* Prefetches the part of the wheel up to sm->until. */
static void fetch_wheel(const struct fast_sm *sm, const struct fast_subcore *sc)
{
    uint64_t first = sm->now % WHEEL, count = sm->until - sm->now;
    if (count >= WHEEL) {
        fetch(sc->wheel, sc->wheel + WHEEL);
        return;
    }
    uint64_t end = first + count;
    fetch(sc->wheel + first, sc->wheel + (end < WHEEL ? end : WHEEL));
    if (end > WHEEL)
        fetch(sc->wheel, sc->wheel + (end - WHEEL));
}

static void fetch_subcore(const struct fast_sm *sm, const struct fast_subcore *sc)
{
    fetch(sc, &sc->slots[16]); /* most sub-cores use no more */
    fetch_wheel(sm, sc);
    __builtin_prefetch(sc->scheduler);
}

/* Slots whose warps wake before sm->until. */
static uint64_t awake(const struct fast_sm *sm, const struct fast_subcore *sc)
{
    uint64_t slots = sc->ready, first = sm->now / 64, last = (sm->until - 1) / 64;
    last = last - first < WHEEL / 64 ? last : first + WHEEL / 64 - 1;
    for (uint64_t word = first; word <= last; word++)
        for (uint64_t bits = sc->pending[word % (WHEEL / 64)]; bits; bits &= bits - 1)
            slots |= sc->wheel[word % (WHEEL / 64) * 64 + (unsigned)__builtin_ctzll(bits)];
    return slots;
}

static void fetch_operands(const struct fast_warp *w)
{
    const struct op *op = w->op;
    if (!op)
        return;
    __builtin_prefetch(w->next.accesses);
    __builtin_prefetch(&w->scoreboard[op->wait[0]], 1);
    __builtin_prefetch(&w->scoreboard[op->wait[1]], 1);
    __builtin_prefetch(&w->scoreboard[op->destination], 1);
}

void fast_prefetch(const struct fast_sm *sm)
{
    uint64_t slots[MOST_SUBCORES];
    for (unsigned i = 0; i < sm->subcore_count; i++)
        fetch_subcore(sm, &sm->subcores[i]);
    for (unsigned i = 0; i < sm->subcore_count; i++) {
        slots[i] = awake(sm, &sm->subcores[i]);
        for (uint64_t left = slots[i]; left; left &= left - 1) {
            const struct fast_warp *w = sm->subcores[i].slots[__builtin_ctzll(left)];
            fetch(w, &w->arrival);
        }
    }
    for (unsigned i = 0; i < sm->subcore_count; i++)
        for (uint64_t left = slots[i]; left; left &= left - 1)
            fetch_operands(sm->subcores[i].slots[__builtin_ctzll(left)]);
}
