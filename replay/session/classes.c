#include "replay/session/classes.h"

#include <stdlib.h>
#include <string.h>

#include "replay/base/sampled.h"
#include "replay/base/units.h"
#include "tracefmt/hash.h"

bool classes_are_exact(const struct machine *m) { return m->flush_caches && !machine_samples(m); }

uint64_t launch_shape(const struct rp_launch *l)
{
    const uint32_t words[] = {l->kernel,     l->grid[0],    l->grid[1],     l->grid[2],
                              l->block[0],   l->block[1],   l->block[2],    l->cluster[0],
                              l->cluster[1], l->cluster[2], l->cooperative, l->dynamic_shared};
    return hash_bytes(0, words, sizeof words);
}

/* ---- what launches are compared by ------------------------------------------------------------------------------- */

struct entry {
    uint64_t look;  /* geometry and counts */
    uint64_t bytes; /* of the content, decompressed, with the launch's number in each chunk */
    struct rp_launch_hash content;
    uint32_t place; /* in the list */
    bool alone;     /* its bytes are too many or too few for any other's content */
};

static uint64_t look_of(const struct rp_trace *t, uint32_t launch, uint64_t warmth)
{
    const struct rp_launch *l = rp_trace_launch(t, launch);
    const struct rp_launch_end *end = rp_trace_launch_end(t, launch);
    struct rp_launch_totals totals = rp_trace_launch_totals(t, launch);
    const uint64_t words[] = {launch_shape(l),
                              l->cluster_shared,
                              l->cluster_step,
                              l->shared_window,
                              l->shared_window_size,
                              l->local_window,
                              l->local_window_size,
                              l->const_window,
                              l->const_window_size,
                              l->param_window,
                              l->param_window_size,
                              end ? 1u + end->outcome : 0,
                              totals.blocks,
                              totals.warp_instructions,
                              totals.thread_instructions,
                              totals.chunks,
                              warmth};
    return hash_bytes(0, words, sizeof words);
}

/* What warm_l2 depends on: the host's operations so far on memory, in a hash that goes on from launch to launch, and
 * the launch's own list of allocations. */
struct warmth {
    size_t operation;
    uint64_t hash;
};

static uint64_t warmth_of(struct warmth *w, const struct rp_trace *t, uint32_t launch)
{
    for (size_t end = operations_after(t, launch + 1); w->operation < end; w->operation++) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, w->operation);
        const uint64_t words[] = {o->kind, o->direction, o->initialised, o->address, o->size};
        if (o->kind == RP_HOST_ALLOCATE || o->kind == RP_HOST_FREE ||
            (o->kind == RP_HOST_COPY && o->direction == RP_COPY_TO_DEVICE))
            w->hash = hash_bytes(w->hash, words, sizeof words);
    }
    const struct rp_launch *l = rp_trace_launch(t, launch);
    uint64_t hash = w->hash;
    for (uint32_t i = 0; i < l->allocation_count; i++) {
        const uint64_t words[] = {l->allocations[i].base, l->allocations[i].size, l->allocations[i].initialised};
        hash = hash_bytes(hash, words, sizeof words);
    }
    return hash;
}

/* ---- equal ones -------------------------------------------------------------------------------------------------- */

static int by_look(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->look != y->look)
        return x->look < y->look ? -1 : 1;
    return x->bytes != y->bytes ? (x->bytes > y->bytes) - (x->bytes < y->bytes)
                                : (x->place > y->place) - (x->place < y->place);
}

static int by_content(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = memcmp(&x->content, &y->content, sizeof x->content);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* The most bytes by which chunks of equal content differ: the launch's number and the length of it all are varints. */
#define CHUNK_SLACK 6u

/* Whether no launch before or behind, of those that look alike, can have the same content. */
static bool differs(const struct rp_trace *t, const uint32_t *launches, const struct entry *list, size_t count,
                    size_t i)
{
    uint64_t slack = CHUNK_SLACK * rp_trace_launch_totals(t, launches[list[i].place]).chunks;
    return (!i || list[i].bytes - list[i - 1].bytes > slack) &&
           (i + 1 == count || list[i + 1].bytes - list[i].bytes > slack);
}

/* These look alike, and are sorted by bytes: those with the same content are equal. */
static bool compare(struct rp_trace *t, const uint32_t *launches, struct entry *list, size_t count, uint32_t *first,
                    struct rp_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        first[list[i].place] = list[i].place;
        list[i].alone = differs(t, launches, list, count, i);
    }
    for (size_t i = 0; i < count; i++)
        if (!list[i].alone)
            list[kept++] = list[i];
    for (size_t i = 0; i < kept; i++)
        if (!rp_trace_launch_hash(t, launches[list[i].place], &list[i].content, err))
            return false;
    qsort(list, kept, sizeof *list, by_content);
    for (size_t i = 1; i < kept; i++)
        if (!memcmp(&list[i].content, &list[i - 1].content, sizeof list->content))
            first[list[i].place] = first[list[i - 1].place];
    return true;
}

bool classes_find(struct rp_trace *t, const struct machine *m, const uint32_t *launches, uint32_t count,
                  uint32_t *first, struct rp_error *err)
{
    struct entry *list = calloc(count + 1, sizeof *list);
    struct warmth warmth = {0};
    bool fine = list || rp_fail(err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(t));
    for (uint32_t i = 0; fine && i < count; i++) {
        list[i].place = i;
        list[i].bytes = rp_trace_launch_totals(t, launches[i]).raw_bytes;
        list[i].look = look_of(t, launches[i], m->warm_l2 ? warmth_of(&warmth, t, launches[i]) : 0);
    }
    if (fine)
        qsort(list, count, sizeof *list, by_look);
    for (uint32_t i = 0, end; fine && i < count; i = end) {
        for (end = i + 1; end < count && list[end].look == list[i].look;)
            end++;
        fine = compare(t, launches, list + i, end - i, first, err);
    }
    free(list);
    return fine;
}
