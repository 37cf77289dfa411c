/* Verification: reads the whole trace and checks that its parts agree; and sums over the whole content. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/frame.h"
#include "tracefmt/reader_internal.h"

/* Blocks that have begun and not ended, ascending by index, with the piece that must come next. */
struct open_list {
    struct open_entry {
        uint64_t block;
        uint32_t next;
    } * entries;
    size_t count, capacity;
};

struct launch_check {
    struct open_list open;
    uint64_t begun, last; /* number of blocks that have begun; the last of them */
};

struct verification {
    struct rp_trace *trace;
    struct launch_check *launches;
    struct rp_error *err;
};

static size_t find(const struct open_list *l, uint64_t block)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->entries[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool begin_block(struct launch_check *l, const struct chunk_block *b, struct rp_error *err)
{
    if (l->begun && b->index <= l->last)
        return rp_fail(err, RP_BAD_INPUT, "block %" PRIu64 " begins after block %" PRIu64, b->index, l->last);
    l->begun++;
    l->last = b->index;
    if (b->end)
        return true;
    if (l->open.count == l->open.capacity) {
        size_t capacity = l->open.capacity * 2 + 16;
        struct open_entry *larger = realloc(l->open.entries, capacity * sizeof *larger);
        if (!larger)
            return rp_fail(err, RP_SYSTEM, "out of memory");
        l->open.entries = larger;
        l->open.capacity = capacity;
    }
    l->open.entries[l->open.count++] = (struct open_entry){b->index, 1};
    return true;
}

static bool continue_block(struct launch_check *l, const struct chunk_block *b, struct rp_error *err)
{
    size_t at = find(&l->open, b->index);
    struct open_entry *e = at < l->open.count ? &l->open.entries[at] : NULL;
    if (!e || e->block != b->index || e->next != b->piece)
        return rp_fail(err, RP_BAD_INPUT, "block %" PRIu64 " goes on with part %" PRIu32 ", which is not its next",
                       b->index, b->piece);
    e->next++;
    if (b->end)
        memmove(e, e + 1, (--l->open.count - at) * sizeof *e);
    return true;
}

/* Checks that a completed launch has all its blocks, each to its end. */
static bool check_launch(const struct verification *v, uint32_t launch)
{
    const struct tables *t = &v->trace->tables;
    const struct launch_check *l = &v->launches[launch];
    const struct rp_launch_end *end = t->ends[launch];
    uint64_t blocks = rp_launch_blocks(t->launches[launch]);
    bool complete = end && end->outcome == RP_OUTCOME_COMPLETE;
    return !complete || (l->begun == blocks && !l->open.count) ||
           rp_fail(v->err, RP_BAD_INPUT,
                   "%s: launch %" PRIu32 " is complete, but of its %" PRIu64 " blocks %" PRIu64
                   " are there and %zu do not end",
                   v->trace->path, launch, blocks, l->begun, l->open.count);
}

/* ---- the host ---------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A rule for operations that name something that must exist: an allocation, by its address, or an event. */
struct name_check {
    uint8_t from;  /* the kind that creates the name */
    uint8_t to[2]; /* the kinds that refer to it */
    bool ends;     /* the first of these removes it */
    const char *what;
};

static uint64_t name_of(const struct rp_host_operation *o)
{
    return o->kind == RP_HOST_ALLOCATE || o->kind == RP_HOST_FREE ? o->address : o->event;
}

/* Checks operations against the rule. names: ascending, unique; alive: for each name, whether it exists now. */
static bool check_names(const struct verification *v, const struct name_check *c, const uint64_t *names, size_t count,
                        bool *alive)
{
    const struct tables *t = &v->trace->tables;
    for (size_t i = 0; i < t->operation_count; i++) {
        const struct rp_host_operation *o = &t->operations[i];
        if (o->kind != c->from && o->kind != c->to[0] && o->kind != c->to[1])
            continue;
        uint64_t name = name_of(o);
        const uint64_t *at = bsearch(&name, names, count, sizeof *names, ascending);
        if (o->kind == c->from)
            alive[at - names] = true;
        else if (!at || !alive[at - names])
            return rp_fail(v->err, RP_BAD_INPUT, "%s: host operation %zu (%s) names %s 0x%" PRIx64 ", which %s",
                           v->trace->path, i, rp_host_kind_name((enum rp_host_kind)o->kind), c->what, name,
                           c->ends ? "is not allocated" : "was not recorded before");
        else if (c->ends)
            alive[at - names] = false;
    }
    return true;
}

static bool check_host(const struct verification *v, const struct name_check *c)
{
    const struct tables *t = &v->trace->tables;
    size_t count = 0, kept = 0;
    uint64_t *names = malloc((t->operation_count + 1) * sizeof *names);
    bool *alive = calloc(t->operation_count + 1, sizeof *alive);
    bool ok = names && alive;
    for (size_t i = 0; ok && i < t->operation_count; i++)
        if (t->operations[i].kind == c->from)
            names[count++] = name_of(&t->operations[i]);
    if (ok) {
        qsort(names, count, sizeof *names, ascending);
        for (size_t i = 0; i < count; i++)
            if (!kept || names[kept - 1] != names[i])
                names[kept++] = names[i];
        ok = check_names(v, c, names, kept, alive);
    } else {
        rp_fail(v->err, RP_SYSTEM, "%s: out of memory", v->trace->path);
    }
    free(names);
    free(alive);
    return ok;
}

static const struct name_check host_checks[] = {
    {RP_HOST_ALLOCATE, {RP_HOST_FREE, RP_HOST_FREE}, true, "the allocation at"},
    {RP_HOST_RECORD_EVENT, {RP_HOST_SYNCHRONISE_EVENT, RP_HOST_WAIT_EVENT}, false, "event"},
};

static bool verify_chunk(struct verification *v, const struct chunk *c)
{
    struct launch_check *l = &v->launches[c->launch];
    for (uint32_t i = 0; i < c->block_count; i++)
        if (!(c->blocks[i].piece ? continue_block(l, &c->blocks[i], v->err) : begin_block(l, &c->blocks[i], v->err)))
            return false;
    return true;
}

static bool verify_frame(struct verification *v, size_t frame, size_t *chunk)
{
    struct rp_trace *t = v->trace;
    if (t->index.frames[frame].kind == FRAME_UNKNOWN)
        return true;
    if (t->index.frames[frame].kind == FRAME_TABLES) {
        struct buffer raw = {0};
        bool ok = trace_read_frame(t, frame, &raw, v->err);
        buffer_free(&raw);
        return ok;
    }
    struct chunk *c = trace_load_chunk(t, (*chunk)++, v->err);
    struct rp_error why = {0}, *outer = v->err;
    v->err = &why;
    bool ok = c && verify_chunk(v, c);
    v->err = outer;
    if (c && !ok)
        rp_fail(v->err, why.status, "%s: frame %zu at offset %" PRIu64 ": %s", t->path, frame,
                t->index.frames[frame].offset, why.text);
    chunk_free(c);
    return ok;
}

bool rp_trace_verify(struct rp_trace *t, void (*progress)(void *, uint64_t done, uint64_t total), void *data,
                     struct rp_error *err)
{
    uint32_t launches = t->tables.launch_count;
    struct verification v = {t, calloc((size_t)launches + 1, sizeof *v.launches), err};
    size_t chunk = 0;
    bool ok = v.launches || rp_fail(err, RP_SYSTEM, "%s: out of memory", t->path);
    for (size_t i = 0; ok && i < t->index.frame_count; i++) {
        ok = verify_frame(&v, i, &chunk);
        if (ok && progress)
            progress(data, t->index.frames[i].offset + t->index.frames[i].bytes, t->bytes);
    }
    if (ok && t->damage)
        ok = rp_fail(err, RP_BAD_INPUT, "%s", t->damage);
    for (uint32_t l = 0; ok && l < launches; l++)
        ok = check_launch(&v, l);
    for (size_t c = 0; ok && c < sizeof host_checks / sizeof *host_checks; c++)
        ok = check_host(&v, &host_checks[c]);
    for (uint32_t l = 0; v.launches && l < launches; l++)
        free(v.launches[l].open.entries);
    free(v.launches);
    return ok;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static void count_path(const struct chunk_path *cp, const struct rp_kernel *k, struct rp_class_counts *out)
{
    const rp_lanemask *guard = cp->path.guards;
    for (size_t i = 0; i < cp->path.run_count; i++) {
        const struct rp_run *r = &cp->path.runs[i];
        for (uint32_t at = r->start; at < r->start + r->length; at++) {
            const struct rp_instruction *in = &k->instructions[at];
            rp_lanemask executed = in->flags & RP_GUARDED ? *guard++ : r->active;
            out->warp[in->unit_class] += cp->users;
            out->thread[in->unit_class] += (uint64_t)cp->users * rp_lane_count(executed);
        }
    }
}

bool rp_trace_class_counts(struct rp_trace *t, uint32_t launch, struct rp_class_counts *out,
                           void (*progress)(void *, uint64_t done, uint64_t total), void *data, struct rp_error *err)
{
    memset(out, 0, sizeof *out);
    if (launch >= t->tables.launch_count)
        return rp_fail(err, RP_BAD_INPUT, "%s has no launch %" PRIu32, t->path, launch);
    const struct launch_chunks *l = &t->launches[launch];
    const struct rp_kernel *k = t->tables.kernels[t->tables.launches[launch]->kernel];
    for (size_t i = 0; i < l->chunk_count; i++) {
        struct chunk *c = trace_load_chunk(t, t->chunks[l->chunk_at + i], err);
        if (!c)
            return false;
        for (uint32_t p = 0; p < c->path_count; p++)
            count_path(&c->paths[p], k, out);
        chunk_free(c);
        if (progress)
            progress(data, i + 1, l->chunk_count);
    }
    return true;
}
