#include "replay/base/units.h"

#include "replay/base/copies.h"

/* Launches and operations between two synchronisations: where they begin, and their streams. */
struct stretch {
    uint32_t launch;
    size_t operation;
    struct map streams;
};

static size_t operations_between(const struct rp_trace *t, size_t low, size_t high, uint32_t launches)
{
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rp_trace_host_operation(t, middle)->launch < launches)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t operations_after(const struct rp_trace *t, uint32_t launches)
{
    return operations_between(t, 0, rp_trace_host_operation_count(t), launches);
}

/* All work before `launch` and `operation` ends before later work begins: makes units of the stretch. A stretch without
 * launches is continued instead. */
static void end_stretch(struct launch_units *u, const struct rp_trace *t, struct stretch *s, uint32_t launch,
                        size_t operation)
{
    bool serial = s->streams.count < 2;
    if (s->launch == launch)
        return;
    for (uint32_t l = s->launch; l < launch; l++) {
        bool first = l == s->launch;
        if (!serial && !first)
            break;
        size_t begin = first ? s->operation : operations_between(t, s->operation, operation, l);
        if (!first)
            u->list[u->count - 1].until = begin;
        u->list[u->count++] = (struct launch_unit){l, serial ? l + 1 : launch, begin, operation, &u->non_blocking};
    }
    s->launch = launch;
    s->operation = operation;
    map_clear(&s->streams);
}

static bool waits_for_all(const struct stretch *s, const struct rp_host_operation *o)
{
    return o->kind == RP_HOST_SYNCHRONISE || (o->kind == RP_HOST_SYNCHRONISE_STREAM && s->streams.count == 1 &&
                                              map_get(&s->streams, o->stream) != MAP_NONE);
}

static bool note_operation(struct launch_units *u, struct stretch *s, const struct machine *m,
                           const struct rp_host_operation *o)
{
    if (o->kind == RP_HOST_CREATE_STREAM && o->non_blocking)
        return map_put(&u->non_blocking, o->stream, 0);
    return copy_path_of(m, o) == COPY_PATHS || map_put(&s->streams, o->stream, 0);
}

bool launch_units(struct launch_units *u, const struct rp_trace *t, const struct machine *m, struct rp_error *err)
{
    uint32_t launches = rp_trace_launch_count(t);
    size_t operations = rp_trace_host_operation_count(t), o = 0;
    struct stretch s = {0};
    *u = (struct launch_units){.list = malloc((launches ? launches : 1) * sizeof *u->list)};
    bool fine = u->list;
    for (uint32_t l = 0; fine && l <= launches; l++) {
        for (const struct rp_host_operation *op; fine && o < operations; o++) {
            if ((op = rp_trace_host_operation(t, o))->launch > l)
                break;
            if (waits_for_all(&s, op))
                end_stretch(u, t, &s, l, o + 1);
            fine = note_operation(u, &s, m, op);
        }
        fine = fine && (l == launches || map_put(&s.streams, rp_trace_launch(t, l)->stream, 0));
    }
    if (fine)
        end_stretch(u, t, &s, launches, operations);
    if (u->count) /* the last unit gets the copies and synchronisations after the last launch */
        u->list[u->count - 1].until = operations;
    free(s.streams.entries);
    if (fine)
        return true;
    launch_units_free(u);
    return rp_fail(err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(t));
}

void launch_units_free(struct launch_units *u)
{
    free(u->list);
    free(u->non_blocking.entries);
    *u = (struct launch_units){0};
}
