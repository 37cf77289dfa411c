#include "frontend/guest/spins.h"

#include <string.h>

#define GUEST_SPIN_FIRST 32 /* steps of a split before its state is kept */
#define GUEST_COMPARED 256  /* steps of a round whose stores are compared, at most */

/* Another split runs. */
static void guest_watch(struct guest_warp *w, lanemask lanes)
{
    w->spin.runs = lanes;
    w->spin.at = UOP_NOWHERE;
    w->spin.distance = GUEST_SPIN_FIRST;
    w->spin.next = w->steps + GUEST_SPIN_FIRST;
    guest_compare_stores(&w->g, false);
}

static void guest_keep_state(struct guest_warp *w, uint32_t at)
{
    w->spin.at = at;
    w->spin.lanes = w->g.w.active;
    guest_note_stores(w);
    memcpy(w->spin.registers, w->g.w.window, GUEST_WINDOW_BYTES);
    const lanemask codes[] = {w->g.w.sign, w->g.w.zero, w->g.w.carry, w->g.w.overflow};
    memcpy(w->spin.codes, codes, sizeof codes);
}

void guest_watch_closely(struct guest_warp *w, lanemask lanes)
{
    w->spin.runs = lanes;
    w->spin.at = UOP_NOWHERE;
    w->spin.distance = 0;
    w->spin.next = w->steps;
    guest_compare_stores(&w->g, true);
}

void guest_watch_split(struct guest_warp *w, uint32_t at, lanemask lanes)
{
    if (w->spin.spinners & lanes) {
        guest_watch_closely(w, lanes);
        guest_keep_state(w, at);
    } else if (lanes != w->spin.runs) {
        guest_watch(w, lanes);
    }
}

/* *differs: the register that differed last. It is looked at first, and then that which differs now. */
static bool guest_same_registers(const struct guest_warp *w, unsigned *differs)
{
    const uint32_t *now = (const uint32_t *)w->g.w.window, *then = (const uint32_t *)w->spin.registers;
    const unsigned predicates = (32 + GUEST_TEMPORARIES) * LANES, first = (unsigned)__builtin_ctz(w->g.w.active);
    const struct warp *v = &w->g.w;
    if (now[*differs * LANES + first] != then[*differs * LANES + first])
        return false;
    uint32_t differ = (v->sign ^ w->spin.codes[0]) | (v->zero ^ w->spin.codes[1]) | (v->carry ^ w->spin.codes[2]) |
                      (v->overflow ^ w->spin.codes[3]);
    for (unsigned n = 0; n < GUEST_PREDICATES - 1; n++)
        differ |= now[predicates + n] ^ then[predicates + n];
    differ &= v->active;
    for (unsigned r = 0; r < w->g.program->guest->isa->registers && !differ; r++) {
        differ = v->active & w->engine->compare[CMP_NE](now + r * LANES, then + r * LANES);
        *differs = differ ? r : *differs;
    }
    return !differ;
}

/* To find out whether what it stores changes memory takes time: it is looked at for one round, once for each state, and
 * only of short loops. */
bool guest_is_back(struct guest_warp *w)
{
    const bool compared = w->g.compares;
    const uint64_t kept = w->spin.next - w->spin.distance; /* steps when the state was kept */
    if (!guest_same_registers(w, &w->spin.differs))
        return false;
    if (!w->g.stored)
        return true;
    if (!compared && w->steps - kept > GUEST_COMPARED)
        return false;
    guest_compare_stores(&w->g, !compared);
    guest_note_stores(w);
    w->spin.at = compared ? UOP_NOWHERE : w->spin.at;
    return false;
}

void guest_keep_next_state(struct guest_warp *w, uint32_t at)
{
    struct guest_spin *s = &w->spin;
    if (s->distance) {
        s->spinners &= ~w->g.w.active;
        guest_compare_stores(&w->g, false);
    }
    s->distance = s->distance ? 2 * s->distance : GUEST_SPIN_FIRST;
    s->next = w->steps + s->distance;
    guest_keep_state(w, at);
}
