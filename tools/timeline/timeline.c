#include "tools/timeline/timeline.h"

#include <inttypes.h>

#include "tools/timeline/relay.h"

unsigned timeline_tracks_of(const struct machine *m)
{
    static const unsigned needs[TIMELINE_TRACK_COUNT] = {
#define X(id, name, events) [TIMELINE_##id##_NUMBER] = (events),
        TIMELINE_TRACKS(X)
#undef X
    };
    unsigned events = replay_events(m, REPLAY_FAST), tracks = 0;
    for (unsigned i = 0; i < TIMELINE_TRACK_COUNT; i++)
        tracks |= needs[i] & ~events ? 0 : 1u << i;
    return tracks;
}

static bool note_warning(void *data, const struct replay_launch *l, struct rp_error *err)
{
    struct timeline_result *r = data;
    (void)err;
    if (*l->warning)
        fprintf(stderr, "reprise: warning: launch %" PRIu32 ": %s\n", l->launch, l->warning);
    r->partial |= *l->warning;
    return true;
}

bool timeline_replay(const struct timeline_request *r, const struct observer *o, struct timeline_result *out,
                     struct rp_error *err)
{
    *out = (struct timeline_result){0};
    struct relay *relay = relay_open(o);
    const struct observer through = relay ? relay_observer(relay) : *o;
    const struct replay_options options = {.engine = REPLAY_FAST,
                                           .launch = r->launch,
                                           .observer = &through,
                                           .progress = r->progress,
                                           .progress_data = r->progress_data,
                                           .launch_done = note_warning,
                                           .launch_done_data = out};
    struct replay_result result;
    bool fine = replay(r->trace, r->machine, &options, &result, err);
    relay_close(relay);
    if (!fine)
        return false;
    out->cycles = result.total.cycles;
    replay_result_free(&result);
    return true;
}

bool timeline_check(const struct timeline_request *r, const struct timeline_result *result, bool shown,
                    struct rp_error *err)
{
    const struct timeline_window *w = &r->window;
    if (!shown && !w->from_cycle && w->to_cycle == UINT64_MAX)
        return rp_fail(err, RP_USAGE, "%s: nothing of what is asked for happens in the whole replay%s",
                       rp_trace_path(r->trace), r->tracks ? "; --tracks names other tracks" : "");
    return shown ||
           rp_fail(err, RP_USAGE,
                   "%s: nothing of what is asked for happens in these cycles: the replay ends in cycle %" PRIu64,
                   rp_trace_path(r->trace), result->cycles);
}
