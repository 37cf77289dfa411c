/* In which streams of a trace the launches of kernels are. A GPU runs a launch beside its siblings unless they are in
 * one stream, and after what its parent did before; it is complete when its children are. A replay cannot begin a
 * launch within another one, so children come after their parent. Those of a launch take FAMILY_SLOTS streams of the
 * trace at most, each the next one of the CHILD_STREAMS that the host's stream has, in a ring. Streams of kernels that
 * share one of them are replayed one after the other. */
#include <stdlib.h>

#include "frontend/host/internal.h"
#include "frontend/host/run.h"

/* Streams that mean something of their own: cuda_device_runtime_api.h of CUDA 13.0. */
enum { STREAM_DEFAULT = 0, STREAM_FIRE_AND_FORGET = 4 };

/* The launch of this level that began last, and those of the next level that belong to it. */
struct family_level {
    uint32_t stream;
    uint32_t used; /* by them, a bit for each slot */
    uint32_t below[FAMILY_SLOTS];
};

/* The default stream is one for each block. */
unsigned family_slot(struct rp_running *parent, uint64_t stream, uint64_t block)
{
    uint64_t which = stream == STREAM_DEFAULT           ? block
                     : stream == STREAM_FIRE_AND_FORGET ? parent->children.forgotten++
                                                        : stream;
    return (unsigned)(which % FAMILY_SLOTS);
}

/* The launch of the level has ended, with all below it. */
static bool end_level(struct rp_running *host, uint32_t level, struct rp_error *err)
{
    struct family_level *l = &host->children.levels[level];
    bool ok = true;
    for (unsigned i = 0; i < FAMILY_SLOTS && ok; i++)
        if (l->used >> i & 1)
            ok = streams_follow(&host->device->streams, host->config.device, l->stream, l->below[i], err);
    l->used = 0;
    return ok;
}

static bool end_levels(struct rp_running *host, uint32_t depth, struct rp_error *err)
{
    struct children *c = &host->children;
    bool ok = true;
    for (uint32_t level = c->deepest + 1; level-- > depth && ok;)
        ok = end_level(host, level, err);
    c->deepest = depth;
    return ok;
}

static bool take_stream(struct rp_running *host, uint32_t *stream, struct rp_error *err)
{
    const struct rp_launch_config *c = &host->config;
    struct child_stream is = {c->device, c->stream, host->children.streams++ % CHILD_STREAMS};
    bool made;
    if (!streams_child(&host->device->streams, &is, stream, &made, err))
        return false;
    if (!made || streams_blocks(&host->device->streams, c->device, c->stream))
        return true;
    struct rp_host_operation create = {
        .kind = RP_HOST_CREATE_STREAM, .device = c->device, .stream = *stream, .non_blocking = true};
    return rp_report_operation(host->device, &create, err);
}

bool family_begin(struct rp_running *host, uint32_t depth, bool tail, unsigned slot, uint32_t *stream,
                  struct rp_error *err)
{
    struct children *c = &host->children;
    if (!c->levels) {
        if (!(c->levels = calloc(MOST_LEVELS + 1, sizeof *c->levels)))
            return rp_fail(err, RP_SYSTEM, "out of memory for launches of kernels");
        c->levels[0].stream = host->config.stream;
    }
    if (!end_levels(host, depth, err))
        return false;
    if (!tail) {
        struct family_level *parent = &c->levels[depth - 1];
        uint32_t *to = &parent->below[slot];
        bool taken = parent->used >> slot & 1;
        if ((!taken && !take_stream(host, to, err)) ||
            !streams_follow(&host->device->streams, host->config.device, *to, parent->stream, err))
            return false;
        parent->used |= 1u << slot;
        c->levels[depth].stream = *to;
    }
    *stream = c->levels[depth].stream;
    return true;
}

bool family_end(struct rp_running *host, struct rp_error *err)
{
    return !host->children.levels || end_levels(host, 0, err);
}
