/* Events for an observer. */
#include "replay/engines/staged/staged.h"

static uint64_t now(const struct staged *g) { return g->cycle - g->begin; }

static struct engine_location location_of(const struct staged_sm *sm, const struct staged_warp *w)
{
    return (struct engine_location){sm->chip->launch_number, w->number, w->block->index, sm->number, w->subcore};
}

static struct rp_step step_of(const struct staged *g, const struct inst *in)
{
    uint32_t index = (uint32_t)(in->s - g->statics);
    return (struct rp_step){
        .instruction = &g->kernel->instructions[index], .index = index, .active = in->active, .executed = in->executed};
}

void staged_report_block(const struct staged_sm *sm, const struct staged_block *b, bool leaves)
{
    const struct engine_location at = {.launch = sm->chip->launch_number, .block = b->index, .sm = sm->number};
    engine_report_block(sm->chip->job, &at, leaves, now(sm->chip) + leaves);
}

void staged_report_issue(const struct staged_sm *sm, struct staged_warp *w, struct inst *in, bool second)
{
    const struct staged *g = sm->chip;
    const struct engine_location at = location_of(sm, w);
    const struct rp_step step = step_of(g, in);
    in->observed = (struct staged_observed){.number = w->issued++, .dispatch = now(g)};
    if (in->s->dst >= 0 && g->reports_done)
        w->observed[in->s->dst] = in->observed;
    engine_report_issue(g->job, &at, &step, in->observed.number, second, RESPONSE_NONE, now(g));
}

void staged_report_stall(const struct staged_sm *sm, const struct inst *in, const struct engine_stall *s)
{
    const struct staged *g = sm->chip;
    if (!g->job->observer || !s->cycles)
        return;
    const struct engine_location at = location_of(sm, &sm->warps[in->warp]);
    const struct rp_step step = step_of(g, in);
    struct engine_stall stall = *s;
    stall.level = s->why == STALL_MEMORY ? s->level : RESPONSE_NONE;
    engine_report_stall(g->job, &at, &step, &stall, now(g));
}

void staged_report_drain(const struct staged_sm *sm, const struct staged_warp *w, uint64_t cycles)
{
    const struct engine_location at = location_of(sm, w);
    engine_report_drain(sm->chip->job, &at, cycles, now(sm->chip) + 1);
}

void staged_report_dispatch(const struct staged_sm *sm, struct inst *in)
{
    const struct staged *g = sm->chip;
    in->observed.dispatch = now(g);
    if (in->s->dst >= 0 && g->reports_done)
        sm->warps[in->warp].observed[in->s->dst] = in->observed;
}

void staged_report_done(const struct staged_sm *sm, const struct staged_warp *w, const struct staged_observed *f)
{
    const struct engine_location at = location_of(sm, w);
    engine_report_done(sm->chip->job, &at, f->number, f->dispatch, now(sm->chip));
}

void staged_report_access(const struct staged *g, const struct packet *p, enum cache_kind kind,
                          enum response_level level)
{
    const struct observer *o = g->job->observer;
    if (o && o->access)
        o->access(o->data, &(struct observed_access){.sm = p->sm,
                                                     .local = staged_is_local(p->address),
                                                     .beyond = level != RESPONSE_L1,
                                                     .kind = kind,
                                                     .level = level,
                                                     .address = p->address,
                                                     .cycle = g->job->clock + now(g)});
}

/* The channel's cycle begins with the core's, or between it and the core's last one. */
static void report_command(void *data, enum dram_command_kind what, uint32_t bank, uint64_t row, uint64_t cycle)
{
    const struct channel *c = data;
    const struct staged *g = c->chip;
    const struct observer *o = g->job->observer;
    (void)cycle;
    o->dram(o->data, &(struct observed_dram){.channel = (uint32_t)(c - g->channels),
                                             .bank = bank,
                                             .command = what,
                                             .row = row,
                                             .cycle = g->job->clock + now(g)});
}

static void observe_channels(struct staged *g, bool commands)
{
    for (uint32_t i = 0; g->dram && g->dram->listen && i < g->layout.channels.count; i++) {
        struct channel *c = &g->channels[i];
        c->chip = g;
        c->listener = (struct dram_listener){report_command, c};
        g->dram->listen(c->dram, commands ? &c->listener : NULL);
    }
}

void staged_observe(struct staged *g, const struct engine_job *job)
{
    unsigned events = observer_events(job->observer);
    g->job = job;
    g->reports_done = events & OBSERVE_DONE;
    g->reports_stalls = events & OBSERVE_STALL;
    observe_channels(g, events & OBSERVE_DRAM);
}
