#include "frontend/host/streams.h"

#include <stdlib.h>
#include <string.h>

static bool no_memory(struct rp_error *err) { return rp_fail(err, RP_SYSTEM, "out of memory for streams"); }

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static uint32_t clock_at(const struct clock *c, uint32_t i) { return i < c->count ? c->at[i] : 0; }

/* Raises the clock's value for stream i to at least `value`. */
static bool clock_raise(struct clock *c, uint32_t i, uint32_t value)
{
    if (clock_at(c, i) >= value)
        return true;
    if (i >= c->count) {
        uint32_t *at = realloc(c->at, (i + 1) * sizeof *at);
        if (!at)
            return false;
        c->at = at;
        while (c->count <= i)
            at[c->count++] = 0;
    }
    c->at[i] = value;
    return true;
}

static bool clock_join(struct clock *to, const struct clock *from)
{
    bool ok = true;
    for (uint32_t i = 0; i < from->count; i++)
        ok = ok && clock_raise(to, i, from->at[i]);
    return ok;
}

/* ---- streams and events ------------------------------------------------------------------------------------------ */

/* The index of a stream in the list; -1: it is not there. Each device has a stream 0. */
static int64_t known_stream(const struct streams *s, uint32_t device, uint32_t id)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].id == id && (id || s->list[i].device == device))
            return i;
    return -1;
}

/* The same, and adds it. -1: out of memory. */
static int64_t find_stream(struct streams *s, uint32_t device, uint32_t id)
{
    int64_t at = known_stream(s, device, id);
    if (at >= 0)
        return at;
    bool first = !s->count && (id || device); /* the default stream of device 0 is always the first */
    struct stream *list = realloc(s->list, (s->count + 1u + first) * sizeof *list);
    if (!list)
        return -1;
    s->list = list;
    if (first)
        list[s->count++] = (struct stream){0};
    list[s->count] = (struct stream){.id = id, .device = device};
    return s->count++;
}

static struct event *find_event(const struct streams *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->event_count; i++)
        if (s->events[i].id == id)
            return &s->events[i];
    return NULL;
}

static struct event *add_event(struct streams *s, uint32_t id)
{
    struct event *e = find_event(s, id);
    if (e)
        return e;
    struct event *events = realloc(s->events, (s->event_count + 1) * sizeof *events);
    if (!events)
        return NULL;
    s->events = events;
    events[s->event_count] = (struct event){.id = id};
    return &events[s->event_count++];
}

void streams_free(struct streams *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        free(s->list[i].before.at);
        free(s->list[i].listed.at);
    }
    for (uint32_t i = 0; i < s->event_count; i++)
        free(s->events[i].clock.at);
    free(s->children);
    free(s->list);
    free(s->events);
    free(s->host.at);
    free(s->dependencies);
    *s = (struct streams){0};
}

/* Joins the clock with everything that the stream was asked for so far. */
static bool join_stream(struct clock *c, const struct streams *s, uint32_t at)
{
    return clock_join(c, &s->list[at].before) && clock_raise(c, at, s->list[at].last);
}

/* Joins the clock with everything that was asked of the device; of its blocking streams alone, for which its default
 * stream waits. */
static bool join_device(struct clock *c, const struct streams *s, uint32_t device, bool blocking)
{
    bool ok = true;
    for (uint32_t i = 0; i < s->count; i++)
        ok = ok && (s->list[i].device != device || (blocking && s->list[i].non_blocking) || join_stream(c, s, i));
    return ok;
}

/* Updates the stream's clock with everything that must come before its next operation. */
static bool advance(struct streams *s, uint32_t at)
{
    struct stream *x = &s->list[at];
    int64_t first = known_stream(s, x->device, 0);
    if (!clock_join(&x->before, &s->host) || !clock_raise(&x->before, at, x->last))
        return false;
    if (!x->id)
        return join_device(&x->before, s, x->device, true);
    return x->non_blocking || first < 0 || join_stream(&x->before, s, (uint32_t)first);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

bool streams_before(struct streams *s, uint32_t device, uint32_t stream, struct rp_launch *out, struct rp_error *err)
{
    int64_t at = find_stream(s, device, stream);
    if (at < 0 || !advance(s, (uint32_t)at))
        return no_memory(err);
    const struct stream *x = &s->list[at];
    uint32_t *list = realloc(s->dependencies, (s->count + 1) * sizeof *list), n = 0;
    if (!list)
        return no_memory(err);
    s->dependencies = list;
    for (uint32_t i = 0; i < s->count; i++)
        if (i != at && clock_at(&x->before, i) > clock_at(&x->listed, i))
            list[n++] = x->before.at[i] - 1;
    qsort(list, n, sizeof *list, ascending);
    out->stream = stream;
    out->dependencies = list;
    out->dependency_count = n;
    return true;
}

bool streams_launched(struct streams *s, uint32_t device, uint32_t stream, uint32_t launch, struct rp_error *err)
{
    int64_t at = find_stream(s, device, stream);
    if (at < 0 || !clock_join(&s->list[at].listed, &s->list[at].before))
        return no_memory(err);
    s->list[at].last = launch + 1;
    return true;
}

bool streams_follow(struct streams *s, uint32_t device, uint32_t stream, uint32_t other, struct rp_error *err)
{
    int64_t after = find_stream(s, device, stream), at = find_stream(s, device, other);
    return (after >= 0 && at >= 0 && join_stream(&s->list[after].before, s, (uint32_t)at)) || no_memory(err);
}

bool streams_blocks(const struct streams *s, uint32_t device, uint32_t stream)
{
    int64_t at = known_stream(s, device, stream);
    return at < 0 || !s->list[at].non_blocking;
}

bool streams_child(struct streams *s, const struct child_stream *wanted, uint32_t *number, bool *made,
                   struct rp_error *err)
{
    uint32_t i = 0;
    while (i < s->child_count && memcmp(&s->children[i], wanted, sizeof *wanted) != 0)
        i++;
    *made = i == s->child_count;
    if (*made) {
        struct child_stream *children = realloc(s->children, (i + 1) * sizeof *children);
        if (!children)
            return no_memory(err);
        s->children = children;
        children[s->child_count++] = *wanted;
    }
    *number = CHILD_STREAM_BASE + i;
    return true;
}

/* ---- what the host does ------------------------------------------------------------------------------------------ */

static bool note_event(struct streams *s, const struct rp_host_operation *o, uint32_t at, bool *nothing)
{
    struct event *e = o->kind == RP_HOST_RECORD_EVENT ? add_event(s, o->event) : find_event(s, o->event);
    *nothing = !e && o->kind != RP_HOST_RECORD_EVENT;
    if (*nothing)
        return true;
    if (o->kind == RP_HOST_WAIT_EVENT)
        return clock_join(&s->list[at].before, &e->clock);
    if (o->kind == RP_HOST_SYNCHRONISE_EVENT)
        return clock_join(&s->host, &e->clock);
    if (!e || !advance(s, at))
        return false;
    e->clock.count = 0; /* recording an event again replaces it */
    return clock_join(&e->clock, &s->list[at].before);
}

static bool note(struct streams *s, const struct rp_host_operation *o, bool *nothing)
{
    int64_t at = find_stream(s, o->device, o->stream);
    if (at < 0)
        return false;
    switch (o->kind) {
    case RP_HOST_COPY:
    case RP_HOST_SET:
        return advance(s, (uint32_t)at) && (!rp_host_waits(o) || clock_join(&s->host, &s->list[at].before));
    case RP_HOST_CREATE_STREAM: s->list[at].non_blocking = o->non_blocking; return true;
    case RP_HOST_SYNCHRONISE: return join_device(&s->host, s, o->device, false);
    case RP_HOST_SYNCHRONISE_STREAM: return advance(s, (uint32_t)at) && clock_join(&s->host, &s->list[at].before);
    case RP_HOST_SYNCHRONISE_EVENT:
    case RP_HOST_RECORD_EVENT:
    case RP_HOST_WAIT_EVENT: return note_event(s, o, (uint32_t)at, nothing);
    default: return true;
    }
}

bool streams_note(struct streams *s, const struct rp_host_operation *o, bool *nothing, struct rp_error *err)
{
    *nothing = false;
    return note(s, o, nothing) || no_memory(err);
}
