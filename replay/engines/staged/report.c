/* What issues when, and when it is done, for those who asked (engine_job.issued): in the order of issues, so that an
 * instruction is told once those before it are done, too. */
#include <stdlib.h>

#include "replay/engines/staged/staged.h"

struct staged_report {
    struct replay_issue issue;
    bool done;
};

void staged_report_issue(struct staged_sm *sm, const struct staged_warp *w, struct inst *in)
{
    struct staged *g = sm->chip;
    if (g->report_count == g->report_room) {
        uint64_t room = g->report_room ? 2 * g->report_room : 1024;
        struct staged_report *larger = malloc(room * sizeof *larger);
        g->no_memory |= !larger;
        if (!larger)
            return;
        for (uint64_t i = 0; i < g->report_count; i++)
            larger[(g->reported + i) % room] = g->reports[(g->reported + i) % g->report_room];
        free(g->reports);
        g->reports = larger;
        g->report_room = room;
    }
    uint32_t index = (uint32_t)(in->s - g->statics);
    uint64_t now = g->cycle - g->begin;
    in->report = g->reported + g->report_count++;
    g->reports[in->report % g->report_room] =
        (struct staged_report){.issue = {.launch = g->launch_number,
                                         .warp = w->number,
                                         .block = w->block->index,
                                         .sm = sm->number,
                                         .subcore = w->subcore,
                                         .index = index,
                                         .instruction = &g->kernel->instructions[index],
                                         .issue = now,
                                         .dispatch = now}};
}

void staged_report_dispatch(struct staged_sm *sm, const struct inst *in)
{
    struct staged *g = sm->chip;
    if (g->job->issued)
        g->reports[in->report % g->report_room].issue.dispatch = g->cycle - g->begin;
}

void staged_report_done(struct staged_sm *sm, uint64_t report)
{
    struct staged *g = sm->chip;
    if (!g->job->issued || report < g->reported)
        return;
    struct staged_report *r = &g->reports[report % g->report_room];
    r->issue.done = g->cycle - g->begin;
    r->done = true;
    for (; g->report_count && (r = &g->reports[g->reported % g->report_room])->done; g->report_count--, g->reported++)
        g->job->issued(g->job->issued_data, &r->issue);
}

void staged_reports_end(struct staged *g)
{
    for (; g->report_count; g->report_count--, g->reported++) { /* of a recording that ended early */
        struct replay_issue *r = &g->reports[g->reported % g->report_room].issue;
        r->done = r->done ? r->done : g->cycle - g->begin;
        g->job->issued(g->job->issued_data, r);
    }
    free(g->reports);
    g->reports = NULL;
    g->report_room = 0;
}
