#include "frontend/guest/spins.h"
#include "frontend/guest/changes.h"

#include <string.h>

#define GUEST_SPIN_FIRST 32 /* steps of a split before its state is kept */
#define GUEST_COMPARED 1024 /* steps of a round whose stores are compared, or in which lanes part, at most */

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
    guest_end_changes(&w->g);
    guest_note_stores(w);
    w->spin.stored = false;
    memcpy(w->spin.registers, w->g.w.window, GUEST_WINDOW_BYTES);
    const lanemask codes[] = {w->g.w.sign, w->g.w.zero, w->g.w.carry, w->g.w.overflow};
    memcpy(w->spin.codes, codes, sizeof codes);
}

/* The split that runs has cores that were spinning. */
static void guest_watch_closely(struct guest_warp *w, lanemask lanes)
{
    w->spin.runs = lanes;
    w->spin.at = UOP_NOWHERE;
    w->spin.distance = 0;
    w->spin.next = w->steps;
    guest_compare_stores(&w->g, true);
}

static uint64_t guest_steps_since_kept(const struct guest_warp *w)
{
    return w->steps - (w->spin.next - w->spin.distance);
}

/* Whether these are part of those that are watched, and may soon be with the others again. If they were spinning, there
 * must be a state that no store has made old. */
static bool guest_parted(const struct guest_warp *w, lanemask lanes)
{
    const struct guest_spin *s = &w->spin;
    return !(lanes & ~s->runs) && guest_steps_since_kept(w) <= GUEST_COMPARED &&
           (!(s->spinners & lanes) || (s->at != UOP_NOWHERE && w->g.compares && !s->stored));
}

void guest_watch_joined(struct guest_warp *w)
{
    const lanemask lanes = w->g.w.active;
    if (w->spin.spinners & lanes && !guest_parted(w, lanes))
        guest_watch_closely(w, lanes);
    w->spin.runs |= lanes;
}

void guest_watch_split(struct guest_warp *w, uint32_t at, lanemask lanes)
{
    if (at != w->spin.at && guest_parted(w, lanes))
        return;
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
    if (!guest_same_registers(w, &w->spin.differs))
        return false;
    guest_note_stores(w);
    if (!w->spin.stored && !guest_changed(&w->g, w->g.w.active)) {
        guest_end_changes(&w->g); /* those of others */
        guest_note_stores(w);
        return true;
    }
    if (!compared && guest_steps_since_kept(w) > GUEST_COMPARED)
        return false;
    guest_compare_stores(&w->g, !compared);
    w->spin.stored = false;
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
