#include "tools/dump/issue_times.h"

#include <stdlib.h>

static bool make_room(struct issue_times *t)
{
    if (t->count < t->room)
        return true;
    size_t room = t->room ? 2 * t->room : 1024;
    struct issue_time *list = realloc(t->list, room * sizeof *list);
    if (!list)
        return false;
    t->list = list;
    t->room = room;
    return true;
}

static void note(void *data, const struct replay_issue *i)
{
    struct issue_times *t = data;
    if (i->launch != t->launch || i->block != t->block || i->warp != t->warp || t->count >= t->most || t->starved)
        return;
    if (make_room(t))
        t->list[t->count++] = (struct issue_time){i->issue, i->dispatch, i->done};
    else
        t->starved = true;
}

bool issue_times_find(struct issue_times *t, struct rp_trace *trace, const struct machine *m, struct rp_error *err)
{
    struct replay_options options = {.engine = REPLAY_REFERENCE, .launch = t->launch, .issued = note, .issued_data = t};
    struct replay_result result;
    if (!replay(trace, m, &options, &result, err))
        return false;
    replay_result_free(&result);
    return !t->starved || rp_fail(err, RP_SYSTEM, "out of memory for the cycles of a warp; --limit keeps fewer");
}

void issue_times_free(struct issue_times *t)
{
    free(t->list);
    *t = (struct issue_times){0};
}
