#include "replay/session/devices.h"

#include <inttypes.h>
#include <stdlib.h>

#include "replay/base/map.h"

/* A stream: the cycle in which all that it was asked for has ended. */
struct line {
    uint32_t id, device;
    bool non_blocking;
    uint64_t free;
};
struct engines {
    uint64_t free[COPY_PATHS]; /* the cycle in which each has nothing more to do */
    uint64_t sms;              /* the same of the launches */
};

struct devices {
    const struct rp_trace *trace;
    const struct machine *machine;
    struct replay_result *result;
    uint32_t count;
    size_t operation; /* the next one */
    uint64_t host;    /* the cycle until which the host has waited */
    uint64_t last;    /* the latest end */
    struct line *lines;
    uint32_t line_count;
    struct map events;      /* event to its index in event_cycles + 0 */
    uint64_t *event_cycles; /* of events, in the order in which they were first recorded */
    uint32_t event_count;
    struct engines *engines; /* [count] */
    uint64_t *links;         /* [from x count + to]: the cycle in which the link is free */
    uint64_t *ends;          /* of launches, for those that depend on them */
};

static void raise(uint64_t *to, uint64_t value) { *to = *to < value ? value : *to; }

static bool no_memory(const struct devices *d, struct rp_error *err)
{
    return rp_fail(err, RP_SYSTEM, "%s: out of memory for the order of its launches", rp_trace_path(d->trace));
}

uint32_t devices_of(const struct rp_trace *t)
{
    uint32_t most = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++)
        most = rp_trace_launch(t, l)->device > most ? rp_trace_launch(t, l)->device : most;
    for (size_t i = 0; i < rp_trace_host_operation_count(t); i++) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, i);
        uint32_t highest = o->to > o->from ? o->to : o->from;
        most = o->kind == RP_HOST_COPY && highest > most ? highest : most;
    }
    return most + 1;
}

struct devices *devices_new(const struct rp_trace *t, const struct machine *m, struct replay_result *result,
                            struct rp_error *err)
{
    struct devices *d = calloc(1, sizeof *d);
    uint32_t count = devices_of(t), launches = rp_trace_launch_count(t);
    if (d) {
        *d = (struct devices){.trace = t, .machine = m, .result = result, .count = count};
        d->engines = calloc(count, sizeof *d->engines);
        d->links = calloc((size_t)count * count, sizeof *d->links);
        d->ends = calloc(launches ? launches : 1, sizeof *d->ends);
        result->devices = calloc(count, sizeof *result->devices);
        result->links = calloc((size_t)count * count, sizeof *result->links);
        if (d->engines && d->links && d->ends && result->devices && result->links) {
            result->device_count = count;
            return d;
        }
    }
    devices_free(d);
    rp_fail(err, RP_SYSTEM, "%s: out of memory for its devices", rp_trace_path(t));
    return NULL;
}

void devices_free(struct devices *d)
{
    if (!d)
        return;
    free(d->lines);
    free(d->events.entries);
    free(d->event_cycles);
    free(d->engines);
    free(d->links);
    free(d->ends);
    free(d);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* The stream's line. Each device has a stream 0. NULL: out of memory. */
static struct line *line_of(struct devices *d, uint32_t device, uint32_t id)
{
    for (uint32_t i = 0; i < d->line_count; i++)
        if (d->lines[i].id == id && (id || d->lines[i].device == device))
            return &d->lines[i];
    struct line *lines = realloc(d->lines, (d->line_count + 1) * sizeof *lines);
    if (!lines)
        return NULL;
    d->lines = lines;
    lines[d->line_count] = (struct line){.id = id, .device = device};
    return &lines[d->line_count++];
}

/* The cycle from which the stream's next work may begin: after its own, what the host has waited for, and, as the
 * default stream of a device and its blocking streams wait for each other, after theirs. */
static uint64_t front_of(const struct devices *d, const struct line *line)
{
    uint64_t front = line->free > d->host ? line->free : d->host;
    for (uint32_t i = 0; !line->non_blocking && i < d->line_count; i++) {
        const struct line *other = &d->lines[i];
        if (other->device == line->device && !other->non_blocking && (!line->id || !other->id))
            raise(&front, other->free);
    }
    return front;
}

/* ---- what the host does ------------------------------------------------------------------------------------------ */

static void count_copy(struct copy_counts *c, uint64_t bytes, uint64_t cycles)
{
    copy_counts_add(c, &(struct copy_counts){.count = 1, .bytes = bytes, .cycles = cycles});
}

static void add_copy(struct devices *d, struct line *line, const struct rp_host_operation *o)
{
    uint64_t begin = front_of(d, line), cycles = 0, *engine = NULL;
    enum copy_path path = copy_path_of(d->machine, o);
    if (copy_crosses(o)) {
        size_t link = (size_t)o->from * d->count + o->to;
        cycles = copy_link_cycles(d->machine, o->size);
        engine = &d->links[link];
        count_copy(&d->result->links[link], o->size, cycles);
    } else if (path < COPY_PATHS) {
        cycles = copy_cycles(d->machine, path, o->size);
        engine = &d->engines[line->device].free[copy_engine_of(d->machine, path)];
        count_copy(&d->result->copies[path], o->size, cycles);
    }
    if (engine && cycles) {
        raise(&begin, *engine);
        *engine = begin + cycles;
    }
    line->free = begin + cycles;
    raise(&d->last, line->free);
    if (rp_host_waits(o))
        raise(&d->host, line->free);
}

static bool record_event(struct devices *d, uint32_t event, uint64_t cycle)
{
    uint32_t at = map_get(&d->events, event);
    if (at == MAP_NONE) {
        uint64_t *cycles = realloc(d->event_cycles, (d->event_count + 1) * sizeof *cycles);
        if (!cycles)
            return false;
        d->event_cycles = cycles;
        at = d->event_count++;
        if (!map_put(&d->events, event, at))
            return false;
    }
    d->event_cycles[at] = cycle;
    return true;
}

static uint64_t event_cycle(const struct devices *d, uint32_t event)
{
    uint32_t at = map_get(&d->events, event);
    return at == MAP_NONE ? 0 : d->event_cycles[at];
}

static void synchronise(struct devices *d, uint32_t device)
{
    for (uint32_t i = 0; i < d->line_count; i++)
        if (d->lines[i].device == device)
            raise(&d->host, d->lines[i].free);
}

static bool add_operation(struct devices *d, const struct rp_host_operation *o)
{
    struct line *line = line_of(d, o->device, o->stream);
    if (!line)
        return false;
    switch (o->kind) {
    case RP_HOST_COPY:
    case RP_HOST_SET: add_copy(d, line, o); break;
    case RP_HOST_CREATE_STREAM: line->non_blocking = o->non_blocking; break;
    case RP_HOST_SYNCHRONISE: synchronise(d, o->device); break;
    case RP_HOST_SYNCHRONISE_STREAM: raise(&d->host, front_of(d, line)); break;
    case RP_HOST_SYNCHRONISE_EVENT: raise(&d->host, event_cycle(d, o->event)); break;
    case RP_HOST_RECORD_EVENT: return record_event(d, o->event, front_of(d, line));
    case RP_HOST_WAIT_EVENT: raise(&line->free, event_cycle(d, o->event)); break;
    default: break;
    }
    return true;
}

/* Adds what the host did before so many launches had begun. */
static bool add_operations(struct devices *d, uint32_t launches)
{
    for (; d->operation < rp_trace_host_operation_count(d->trace); d->operation++) {
        const struct rp_host_operation *o = rp_trace_host_operation(d->trace, d->operation);
        if (o->launch > launches)
            break;
        if (!add_operation(d, o))
            return false;
    }
    return true;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

bool devices_place(struct devices *d, struct replay_launch *launch, struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(d->trace, launch->launch);
    uint64_t cycles = launch->end - launch->begin;
    struct line *line = add_operations(d, launch->launch) ? line_of(d, l->device, l->stream) : NULL;
    if (!line)
        return no_memory(d, err);
    uint64_t begin = front_of(d, line);
    raise(&begin, d->engines[l->device].sms);
    for (uint32_t i = 0; i < l->dependency_count; i++)
        raise(&begin, d->ends[l->dependencies[i]]);
    launch->begin = begin;
    launch->end = line->free = d->engines[l->device].sms = d->ends[launch->launch] = begin + cycles;
    raise(&d->last, launch->end);
    d->result->devices[l->device].launches++;
    d->result->devices[l->device].cycles += cycles;
    return true;
}

bool devices_finish(struct devices *d, uint64_t *end, struct rp_error *err)
{
    *end = 0;
    if (!add_operations(d, UINT32_MAX))
        return no_memory(d, err);
    *end = d->last;
    return true;
}
