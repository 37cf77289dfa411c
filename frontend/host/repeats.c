#include "frontend/host/repeats.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend/core/track.h"
#include "frontend/host/internal.h"

#define MOST_LAUNCHES 1024 /* that are kept; then all are forgotten */

/* Which launch it is, but for its parameters; compared byte by byte. */
struct identity {
    const struct program *program;
    uint64_t module; /* its identity: after it was unloaded, another program may have the same address */
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared, stack_bytes, device, parameter_bytes;
    uint32_t zero; /* where there would be padding */
};

/* The content of an allocation. */
struct content {
    uint64_t base, version;
    const uint8_t *copy; /* of unannounced memory; otherwise NULL */
};

struct launch {
    struct identity identity;
    uint8_t *params;
    uint64_t nanoseconds;
    uint64_t images; /* device->image_changes */
    struct content *accessed;
    size_t count;
    uint8_t *copies;
    uint64_t copied; /* bytes */
};

struct repeats {
    void *launches; /* of tsearch(3) */
    unsigned count;
    uint64_t copied; /* bytes of all launches' copies */
};

/* ---- the table --------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct launch *l = a, *m = b;
    int order = memcmp(&l->identity, &m->identity, sizeof l->identity);
    return order || !l->identity.parameter_bytes ? order : memcmp(l->params, m->params, l->identity.parameter_bytes);
}

static void release(void *launch)
{
    struct launch *l = launch;
    free(l->params);
    free(l->accessed);
    free(l->copies);
    free(l);
}

void repeats_free(struct repeats *r)
{
    if (r)
        tdestroy(r->launches, release);
    free(r);
}

/* The launch as a key: its parameters stay those of the running one. */
static struct launch key_of(const struct rp_running *r)
{
    const struct rp_launch_config *c = &r->config;
    struct launch l = {.identity = {.program = r->program,
                                    .module = r->loaded->module->identity,
                                    .dynamic_shared = c->dynamic_shared,
                                    .stack_bytes = c->stack_bytes,
                                    .device = c->device,
                                    .parameter_bytes = r->program->parameter_bytes},
                       .params = r->params};
    memcpy(l.identity.grid, c->grid, sizeof l.identity.grid);
    memcpy(l.identity.block, c->block, sizeof l.identity.block);
    memcpy(l.identity.cluster, c->cluster, sizeof l.identity.cluster);
    return l;
}

/* The table with room for one more launch. NULL: out of memory. */
static struct repeats *table_of(struct rp_device *d, uint64_t copied)
{
    if (d->repeats && (d->repeats->count == MOST_LAUNCHES || d->repeats->copied + copied > MOST_KEPT)) {
        repeats_free(d->repeats);
        d->repeats = NULL;
    }
    if (!d->repeats)
        d->repeats = calloc(1, sizeof *d->repeats);
    return d->repeats;
}

/* Takes over the launch, in the place of what was known of it. */
static void keep(struct rp_device *d, struct launch *l)
{
    struct repeats *r = table_of(d, l->copied);
    struct launch **at = r ? tsearch(l, &r->launches, compare) : NULL;
    if (!at) {
        release(l);
        return;
    }
    r->count += *at == l;
    r->copied += l->copied;
    if (*at != l) { /* equal, so that it may take the place in the tree */
        r->copied -= (*at)->copied;
        release(*at);
        *at = l;
    }
}

/* ---- looking at content ------------------------------------------------------------------------------------------ */

static bool is_as_it_was(const struct memory *m, const struct content *c)
{
    const struct allocation *a = memory_find(m, c->base);
    return a && memory_version(m, a) == c->version && (!c->copy || !memcmp(a->host, c->copy, a->size));
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool repeats_known(struct rp_running *r, uint64_t *nanoseconds)
{
    const struct rp_device *d = r->device;
    const struct launch key = key_of(r);
    struct launch *const *at = d->repeats ? tfind(&key, &d->repeats->launches, compare) : NULL;
    const struct launch *l = at ? *at : NULL;
    bool known = l && l->images == d->image_changes;
    for (size_t i = 0; known && i < l->count; i++)
        known = is_as_it_was(&d->memory, &l->accessed[i]);
    *nanoseconds = known ? l->nanoseconds : 0;
    r->begun = now();
    return known;
}

/* ---- noting ------------------------------------------------------------------------------------------------------ */

/* The allocations that the launch accessed, and the bytes of those that are unannounced. */
static size_t count_accessed(const struct track_grid *g, uint64_t *unannounced)
{
    size_t count = 0;
    struct track_effect effect;
    const struct allocation *a;
    *unannounced = 0;
    for (uint32_t next = 0; (a = track_accessed(g, &next, &effect)); count++)
        *unannounced += a->unannounced ? a->size : 0;
    return count;
}

static void copy_content(struct launch *l, const struct memory *m, const struct track_grid *g)
{
    struct track_effect effect;
    uint8_t *copy = l->copies;
    const struct allocation *a;
    for (uint32_t next = 0; (a = track_accessed(g, &next, &effect));) {
        l->accessed[l->count++] =
            (struct content){.base = a->base, .version = memory_version(m, a), .copy = a->unannounced ? copy : NULL};
        if (!a->unannounced)
            continue;
        memcpy(copy, a->host, a->size);
        copy += a->size;
    }
}

static bool may_copy(const struct rp_running *r, uint64_t bytes)
{
    return bytes <= MOST_UNANNOUNCED || (bytes <= r->result.warp_instructions && bytes <= MOST_KEPT);
}

/* It would do the same again: keeps what the launch accessed. Without memory for that, it runs next time, too. */
static void learn(const struct rp_running *r, const struct track_grid *g, uint64_t nanoseconds)
{
    uint64_t unannounced;
    size_t count = count_accessed(g, &unannounced), bytes = r->program->parameter_bytes;
    struct launch *l = may_copy(r, unannounced) ? malloc(sizeof *l) : NULL;
    if (!l)
        return;
    *l = key_of(r);
    l->nanoseconds = nanoseconds;
    l->images = r->device->image_changes;
    l->params = malloc(bytes + 1);
    l->accessed = calloc(count + 1, sizeof *l->accessed);
    l->copies = malloc(unannounced + 1);
    l->copied = unannounced;
    if (!l->params || !l->accessed || !l->copies) {
        release(l);
        return;
    }
    memcpy(l->params, r->params, bytes);
    copy_content(l, &r->device->memory, g);
    keep(r->device, l);
}

void repeats_note(struct rp_running *r, struct track_grid *g)
{
    struct memory *m = &r->device->memory;
    uint64_t took = now() - r->begun;
    struct track_effect effect;
    bool other = false; /* it would read other content than it has */
    const struct allocation *a;
    track_compare(g);
    for (uint32_t next = 0; (a = track_accessed(g, &next, &effect)); other |= effect.read && effect.changed)
        if (effect.changed)
            memory_changed(m, memory_find(m, a->base));
    if (!other)
        learn(r, g, took);
}
