/* The steps of a warp, for sections: at a barrier one ahead, because lanes may come to it in several steps (struct
 * arrival, replay/base/trace_semantics.h), of which the last is where the warp waits. */
#ifndef REPRISE_TOOLS_WCET_STEPS_H
#define REPRISE_TOOLS_WCET_STEPS_H

#include "replay/base/trace_semantics.h"

struct wcet_steps {
    struct rp_cursor cursor;
    struct arrival arrival;
    struct rp_step next; /* with `ahead` */
    bool ahead;
    int more; /* of `next`, as rp_cursor_next */
};

bool wcet_steps_open(struct wcet_steps *, struct rp_block *, const struct rp_launch *, uint32_t warp,
                     struct rp_error *);
void wcet_steps_close(struct wcet_steps *);
/* As rp_cursor_next. */
int wcet_steps_next(struct wcet_steps *, struct rp_step *, struct rp_error *);
/* Whether the warp waits at a barrier behind the step that was given last; its accesses and aux values are gone then. A
 * failure is told by the next step. */
bool wcet_steps_wait(struct wcet_steps *, const struct rp_step *, struct rp_error *);

#endif
