#include "frontend/guest/plain.h"

#include <inttypes.h>

/* Runs a core until it exits, waits, or its turn is over. */
static void guest_turn(struct guest_machine *m, struct guest_core *c, uint64_t limit, const struct guest_observer *o)
{
    for (uint32_t n = 0; n < GUEST_PLAIN_TURN && c->status == GUEST_RUNS; n++) {
        if (limit && c->retired >= limit) {
            guest_fault(m, c,
                        "endless loop? The core has executed %" PRIu64 " instructions, the limit is %" PRIu64
                        " (--limit gives more)",
                        c->retired, limit);
            return;
        }
        const uint32_t pc = c->pc;
        if (!m->guest->isa->step(m, c, o))
            return;
        c->from = pc;
        c->retired++;
    }
}

bool guest_run_plain(struct guest_machine *m, uint64_t limit, const struct guest_observer *o)
{
    static const struct guest_observer nobody;
    for (bool some = true; some && !m->failed && !m->ended;) {
        some = false;
        for (uint32_t i = 0; i < m->cores && !guest_interrupted(m) && !m->ended; i++) {
            guest_turn(m, &m->core[i], limit, o ? o : &nobody);
            some |= m->core[i].status == GUEST_RUNS;
        }
        some |= guest_release_barrier(m);
    }
    return !m->failed;
}
