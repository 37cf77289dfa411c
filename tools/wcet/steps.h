/* The steps of a warp, for sections. At a barrier it reads one step ahead: lanes may arrive in several steps (struct
 * arrival, replay/base/trace_semantics.h), and the warp waits at the last of them. */
#ifndef REPRISE_TOOLS_WCET_STEPS_H
#define REPRISE_TOOLS_WCET_STEPS_H

#include "replay/base/trace_semantics.h"

struct wcet_steps {
    struct rp_cursor cursor;
    struct arrival arrival;
    struct rp_step next; /* the next step, if `ahead` */
    bool ahead;
    int more; /* result of rp_cursor_next for `next` */
};

bool wcet_steps_open(struct wcet_steps *, struct rp_block *, const struct rp_launch *, uint32_t warp,
                     struct rp_error *);
void wcet_steps_close(struct wcet_steps *);
/* Returns what rp_cursor_next returns. */
int wcet_steps_next(struct wcet_steps *, struct rp_step *, struct rp_error *);
/* Whether the warp waits at a barrier after the last step; the step's accesses and aux values are invalid afterwards.
 * The next wcet_steps_next reports a failure. */
bool wcet_steps_wait(struct wcet_steps *, const struct rp_step *, struct rp_error *);

#endif
