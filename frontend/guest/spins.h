/* Finding that the running split of a group spins: it is where it was, with the same registers, and memory has not
 * changed. Then others run first, until somebody stores. */
#ifndef REPRISE_FRONTEND_GUEST_SPINS_H
#define REPRISE_FRONTEND_GUEST_SPINS_H

#include "frontend/guest/splits.h"

static inline void guest_note_stores(struct guest_warp *w)
{
    w->news |= w->g.stored;
    w->changed |= w->g.stored;
    w->spin.stored |= w->g.stored;
    w->g.stored = false;
}

/* A split begins to run at `at`. Part of those whose state is kept may come together again with the others: they do so
 * when each has taken a lock variable once, as LDREX and STREX let one core do at a time. */
void guest_watch_split(struct guest_warp *, uint32_t at, lanemask lanes);
/* The running split has taken in others. Those of them that were spinning may be again after a round, or two if what
 * they have loaded has changed. */
void guest_watch_joined(struct guest_warp *);
/* Whether the running split, which is where it had the kept state, or part of those that had it, has it again, and
 * memory has not changed. */
bool guest_is_back(struct guest_warp *);
/* The running split, at `at`, has gone as far as the next state is to be kept. */
void guest_keep_next_state(struct guest_warp *, uint32_t at);

/* Whether the running split, which has jumped to `at`, has been there in the same state and has stored nothing since,
 * or what memory had. */
static inline bool guest_spins(struct guest_warp *w, uint32_t at)
{
    if (at == w->spin.at && !(w->g.w.active & ~w->spin.lanes) && guest_is_back(w))
        return true;
    if (w->steps >= w->spin.next)
        guest_keep_next_state(w, at);
    return false;
}

#endif
