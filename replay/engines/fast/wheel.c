#include "replay/engines/fast/fast.h"

void wheel_bring(struct fast_subcore *sc, uint64_t now)
{
    uint64_t far = sc->far;
    sc->far = 0;
    sc->far_first = NEVER;
    for (; far; far &= far - 1) {
        unsigned slot = (unsigned)__builtin_ctzll(far);
        wheel_add(sc, slot, now, sc->slots[slot]->wake);
    }
}

uint64_t wheel_beyond(const struct fast_subcore *sc, uint64_t from)
{
    unsigned at = from % WHEEL, word = at / 64;
    for (unsigned i = 0; i < WHEEL / 64; i++) {
        word = (word + 1) % (WHEEL / 64);
        uint64_t bits = sc->pending[word];
        if (bits) {
            unsigned found = word * 64 + (unsigned)__builtin_ctzll(bits);
            uint64_t wake = from + (found - at) % WHEEL;
            return wake < sc->far_first ? wake : sc->far_first;
        }
    }
    return sc->far_first;
}

void wheel_withdraw(struct fast_subcore *sc, unsigned slot, uint64_t now, uint64_t wake)
{
    uint64_t bit = 1ull << slot;
    if (!(sc->far & bit)) {
        if (wake >= now && wake - now < WHEEL)
            wheel_remove(sc, slot, wake);
        return;
    }
    uint64_t far = sc->far & ~bit;
    sc->far = far;
    sc->far_first = NEVER;
    for (; far; far &= far - 1) {
        uint64_t other = sc->slots[__builtin_ctzll(far)]->wake;
        sc->far_first = other < sc->far_first ? other : sc->far_first;
    }
}
