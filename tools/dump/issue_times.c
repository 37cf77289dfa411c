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

static bool is_asked_for(const struct issue_times *t, uint32_t launch, uint64_t block, uint32_t warp)
{
    return launch == t->launch && block == t->block && warp == t->warp;
}

static void note_issue(void *data, const struct observed_issue *i)
{
    struct issue_times *t = data;
    if (!is_asked_for(t, i->launch, i->block, i->warp) || t->count >= t->most || t->out_of_memory)
        return;
    if (make_room(t))
        t->list[t->count++] = (struct issue_time){.issue = i->cycle};
    else
        t->out_of_memory = true;
}

static void note_done(void *data, const struct observed_done *d)
{
    struct issue_times *t = data;
    if (!is_asked_for(t, d->launch, d->block, d->warp) || d->number >= t->count)
        return;
    t->list[d->number].dispatch = d->dispatch;
    t->list[d->number].done = d->cycle;
}

bool issue_times_find(struct issue_times *t, struct rp_trace *trace, const struct machine *m, struct rp_error *err)
{
    const struct observer observer = {.data = t, .issue = note_issue, .done = note_done};
    struct replay_options options = {.launch = t->launch, .observer = &observer};
    struct replay_result result;
    size_t done = 0;
    if (!replay(trace, m, &options, &result, err))
        return false;
    replay_result_free(&result);
    while (done < t->count && t->list[done].done)
        done++;
    t->count = done;
    return !t->out_of_memory || rp_fail(err, RP_SYSTEM, "out of memory for the cycles of a warp; --limit keeps fewer");
}

void issue_times_free(struct issue_times *t)
{
    free(t->list);
    *t = (struct issue_times){0};
}
