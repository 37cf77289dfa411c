#include "replay/base/async.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/cluster.h"
#include "replay/base/source_location.h"

/* ---- instructions ------------------------------------------------------------------------------------------------ */

bool async_acts(const struct rp_instruction *in)
{
    bool acts = in->async.kind != RP_ASYNC_NONE;
    for (uint32_t m = 0; m < in->memory_count; m++)
        acts |= is_object(&in->memory[m]) && in->memory[m].object != RP_OBJECT_TEST;
    return acts;
}

bool kernel_is_async(const struct rp_kernel *k)
{
    for (uint32_t i = 0; i < k->instruction_count; i++)
        if (async_acts(&k->instructions[i]) || async_tests(&k->instructions[i]))
            return true;
    return false;
}

static bool too_large(const struct rp_kernel *k, const struct rp_step *s, uint64_t bytes, struct rp_error *err)
{
    char location[LOCATION_BYTES];
    instruction_location(k, s->index, location);
    return rp_fail(err, RP_BAD_INPUT, "%s: a bulk copy of %" PRIu64 " bytes, more than any shared memory holds",
                   location, bytes);
}

bool async_check(const struct rp_kernel *k, const struct rp_step *s, struct rp_error *err)
{
    const struct rp_instruction *in = s->instruction;
    for (uint32_t m = 0; s->executed && m < in->memory_count; m++)
        if (is_bulk(&in->memory[m]) && rp_bulk_bytes(*rp_step_operand_aux(s, m)) > ASYNC_BULK_MOST)
            return too_large(k, s, rp_bulk_bytes(*rp_step_operand_aux(s, m)), err);
    return true;
}

rp_lanemask async_piece(uint64_t at, uint64_t bytes, uint64_t i, uint64_t address[RP_WARP_LANES])
{
    uint64_t begin = i * ASYNC_PIECE_LANES * ASYNC_PIECE_WIDTH;
    rp_lanemask mask = 0;
    for (unsigned l = 0; l < RP_WARP_LANES; l++) {
        uint64_t offset = begin + l * ASYNC_PIECE_WIDTH;
        address[l] = at + offset;
        mask |= (rp_lanemask)(offset < bytes) << l;
    }
    return mask;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static void *larger(void *items, size_t *capacity, size_t size)
{
    size_t count = *capacity ? 2 * *capacity : 8;
    void *more = realloc(items, count * size);
    *capacity = more ? count : *capacity;
    return more;
}

static const struct async_object *find(const struct async_block *b, uint64_t address)
{
    for (size_t i = 0; i < b->object_count; i++)
        if (b->objects[i].address == address)
            return &b->objects[i];
    return NULL;
}

/* The object at the address; adds one, not `made` yet, if there is none. NULL: out of memory. */
static struct async_object *object_at(struct async_block *b, uint64_t address)
{
    struct async_object *found = (struct async_object *)find(b, address);
    if (found)
        return found;
    if (b->object_count == b->object_capacity) {
        struct async_object *more = larger(b->objects, &b->object_capacity, sizeof *more);
        if (!more)
            return NULL;
        b->objects = more;
    }
    b->objects[b->object_count] = (struct async_object){.address = address};
    return &b->objects[b->object_count++];
}

/* Ends the phase if nothing is pending. True: it has ended. Surplus arrivals count for the next phases. */
static bool settle(struct async_object *o)
{
    uint64_t now = o->early < o->pending ? o->early : o->pending;
    o->early -= now;
    o->pending -= now;
    if (!o->made || o->pending || o->bytes)
        return false;
    uint64_t more = o->expected ? o->early / o->expected : 0; /* phases that surplus arrivals complete */
    o->phase += 1 + more;
    o->early -= more * o->expected;
    o->pending = o->expected - (o->expected ? o->early : 0);
    o->early -= o->expected ? o->early : 0;
    return true;
}

static bool change(struct async_object *o, enum rp_object_operation what, uint64_t arrivals, uint64_t bytes)
{
    switch (what) {
    case RP_OBJECT_INIT:
        *o = (struct async_object){.address = o->address, .pending = arrivals, .expected = arrivals, .made = true};
        return false;
    case RP_OBJECT_INVALIDATE: *o = (struct async_object){.address = o->address}; return false;
    case RP_OBJECT_DROP: o->expected -= arrivals; break;
    case RP_OBJECT_ADD_BEHIND: o->pending += arrivals; return false;
    case RP_OBJECT_ARRIVE_BEHIND: return false;
    default: break;
    }
    o->early += arrivals;
    o->bytes += bytes;
    return settle(o);
}

/* The objects that the lanes of an operand name: address, rank of the block, and how many lanes name it. */
struct named {
    unsigned count, lanes;
    uint64_t address[RP_WARP_LANES];
    uint32_t rank[RP_WARP_LANES];
    unsigned times[RP_WARP_LANES];
};
static void name_objects(const struct rp_launch *l, uint32_t rank, const struct rp_memory_operand *o,
                         const struct rp_dynamic_access *a, struct named *n)
{
    uint64_t address[RP_WARP_LANES];
    n->count = n->lanes = 0;
    rp_access_addresses(a, address);
    for (rp_lanemask m = a->pattern->mask; m; m &= m - 1) {
        uint64_t at = address[__builtin_ctz(m)];
        unsigned i = 0;
        if (o->space == RP_SPACE_GENERIC)
            resolve_generic(l, at, &at);
        uint32_t of = cluster_owner(l, rank, &at);
        while (i < n->count && (n->address[i] != at || n->rank[i] != of))
            i++;
        if (i == n->count) {
            n->address[n->count] = at;
            n->rank[n->count] = of;
            n->times[n->count++] = 0;
        }
        n->times[i]++;
        n->lanes++;
    }
}

bool async_over(const struct async_block *b, const struct rp_launch *l, const struct rp_step *s)
{
    struct named n;
    name_objects(l, b->rank, s->instruction->memory, s->accesses, &n);
    for (unsigned i = 0; i < n.count; i++) {
        const struct async_object *o = find(b, n.address[i]);
        if (!o || o->phase <= rp_object_phase(s->aux_values[0]))
            return false;
    }
    return true;
}

void async_describe(const struct rp_kernel *k, const struct rp_step *s, char *text, size_t size)
{
    char location[LOCATION_BYTES];
    instruction_location(k, s->index, location);
    snprintf(text, size, "for the end of phase %" PRIu64 " of the barrier object at 0x%" PRIx64 ", at %s",
             rp_object_phase(s->aux_values[0]), s->accesses[0].base, location);
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

static bool add_work(struct async_warp *w, const struct async_work *work, uint64_t now)
{
    if (w->count == w->capacity) { /* drop work that is complete, up to the first that is not */
        size_t over = 0;
        while (over < w->count && (w->items[over].commit || w->items[over].done <= now))
            over++;
        if (over)
            memmove(w->items, w->items + over, (w->count - over) * sizeof *w->items);
        w->count -= over;
    }
    if (w->count == w->capacity) {
        struct async_work *more = larger(w->items, &w->capacity, sizeof *more);
        if (!more)
            return false;
        w->items = more;
    }
    w->items[w->count++] = *work;
    return true;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

uint64_t async_groups_done(const struct async_block *b, unsigned warp, const struct rp_step *s)
{
    const struct async_warp *w = &b->warps[warp];
    const struct rp_async *wait = &s->instruction->async;
    uint32_t closed[RP_WARP_LANES] = {0}; /* groups of each lane so far, counted from the last one back */
    rp_lanemask awaited = wait->role == RP_ASYNC_WAIT_ALL ? s->executed : 0; /* lanes that wait for items this old */
    uint64_t done = 0;
    for (size_t i = w->count; i-- > 0;) {
        const struct async_work *work = &w->items[i];
        if (work->kind != wait->kind)
            continue;
        if (!work->commit) {
            if (work->lanes & awaited)
                done = later(done, wait->role == RP_ASYNC_WAIT_READ ? work->read : work->done);
            continue;
        }
        for (rp_lanemask m = work->lanes & s->executed; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            if (closed[lane]++ >= wait->pending)
                awaited |= 1u << lane;
        }
    }
    return done;
}

/* The cycle in which all copies of these lanes that were started before number `before` are complete. */
static uint64_t copies_done(const struct async_warp *w, rp_lanemask lanes, uint64_t before)
{
    uint64_t done = 0;
    for (size_t i = 0; i < w->count && w->items[i].number < before; i++)
        if (!w->items[i].commit && w->items[i].kind == RP_ASYNC_COPY && w->items[i].lanes & lanes)
            done = later(done, w->items[i].done);
    return done;
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

static void put_next(struct async_queue *q)
{
    q->next = ASYNC_UNKNOWN;
    for (size_t i = 0; i < q->count; i++)
        q->next = q->items[i].cycle < q->next ? q->items[i].cycle : q->next;
}

static void add_update(struct async_queue *q, const struct async_update *t)
{
    if (q->count == q->capacity) {
        struct async_update *more = larger(q->items, &q->capacity, sizeof *more);
        if (!more) {
            q->out_of_memory = true;
            return;
        }
        q->items = more;
    }
    q->items[q->count++] = *t;
    put_next(q);
}

bool async_due(struct async_queue *q, uint64_t now, struct async_update *t)
{
    size_t first = q->count;
    if (!q->count || q->next > now)
        return false;
    for (size_t i = 0; i < q->count; i++) {
        const struct async_update *a = &q->items[i], *b = &q->items[first];
        if (first == q->count || a->cycle < b->cycle || (a->cycle == b->cycle && a->number < b->number))
            first = i;
    }
    *t = q->items[first];
    memmove(&q->items[first], &q->items[first + 1], (--q->count - first) * sizeof *t);
    put_next(q);
    return true;
}

bool async_update(struct async_block *b, struct async_queue *q, const struct async_update *t)
{
    struct async_object *o = object_at(b, t->address);
    q->out_of_memory |= !o;
    return o && change(o, (enum rp_object_operation)t->what, t->arrivals, t->bytes);
}

void async_queue_free(struct async_queue *q)
{
    free(q->items);
    *q = (struct async_queue){.next = ASYNC_UNKNOWN};
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

static bool is_behind(enum rp_object_operation what)
{
    return what == RP_OBJECT_ARRIVE_BEHIND || what == RP_OBJECT_ADD_BEHIND;
}

/* Operates on one object of one operand. `t`: the update. `later`: when copies are complete, else now. */
static bool operate_on(struct async_block *b, struct async_queue *q, struct async_update *t, bool later)
{
    bool behind = is_behind((enum rp_object_operation)t->what), here = t->rank == b->rank;
    struct async_object *object = here ? object_at(b, t->address) : NULL;
    bool over = false;
    q->out_of_memory |= here && !object;
    if (object && !later)
        over = change(object, (enum rp_object_operation)t->what, t->arrivals, t->bytes);
    t->what = later || behind ? RP_OBJECT_ARRIVE : t->what;
    if (later || behind || !here)
        add_update(q, t);
    return over;
}

/* The blocks that the copy writes to, a bit for each rank; 0: those whose addresses it names. */
static uint32_t blocks_of(const struct rp_launch *l, const struct rp_step *s)
{
    const struct rp_instruction *in = s->instruction;
    for (uint32_t m = 0; m < in->memory_count; m++)
        if (in->memory[m].kind == RP_ACCESS_BULK_STORE && bulk_blocks(l, s, m))
            return bulk_blocks(l, s, m);
    return 0;
}

/* Operates on the objects of one operand. `t`: the fields of the update that are the same for all of them. */
static bool operate(struct async_block *b, struct async_queue *q, const struct rp_launch *l, const struct rp_step *s,
                    uint32_t m, struct async_update t)
{
    const struct rp_memory_operand *o = &s->instruction->memory[m];
    const uint64_t *aux = rp_step_operand_aux(s, m);
    bool later = async_starts(s->instruction), over = false;
    uint32_t blocks = blocks_of(l, s);
    struct named n;
    name_objects(l, b->rank, o, &s->accesses[m], &n);
    for (unsigned i = 0; i < n.count; i++) {
        t.address = n.address[i];
        t.bytes = n.count == 1 ? aux[1] : (uint64_t)((int64_t)aux[1] / (int64_t)n.lanes) * n.times[i];
        t.arrivals = n.count == 1 || o->object == RP_OBJECT_INIT ? aux[2] : aux[2] / n.lanes * n.times[i];
        for (uint32_t left = blocks ? blocks : 1u << n.rank[i]; left; left &= left - 1) {
            t.what = (uint8_t)o->object;
            t.rank = (uint32_t)__builtin_ctz(left);
            over |= operate_on(b, q, &t, later);
        }
    }
    return over;
}

bool async_issue(struct async_block *b, struct async_queue *q, void *block, unsigned warp, const struct rp_launch *l,
                 const struct rp_step *s, uint64_t now, uint64_t done, uint64_t read, uint64_t *number)
{
    const struct rp_instruction *in = s->instruction;
    struct async_warp *w = &b->warps[warp];
    bool over = false;
    *number = q->number++;
    if (!s->executed)
        return false;
    struct async_update t = {
        .block = block, .cycle = done, .number = *number, .lanes = s->executed, .warp = warp, .behind = false};
    if (async_starts(in) || (in->async.kind != RP_ASYNC_NONE && in->async.role == RP_ASYNC_COMMIT)) {
        struct async_work work = {*number, done, read, s->executed, in->async.kind, in->async.role == RP_ASYNC_COMMIT};
        if (in->async.role != RP_ASYNC_SIGNAL && !add_work(w, &work, now))
            q->out_of_memory = true;
        work.commit = true;
        if (in->async.role == RP_ASYNC_START && in->async.pending && !add_work(w, &work, now))
            q->out_of_memory = true;
    }
    for (uint32_t m = 0; m < in->memory_count; m++) {
        if (!is_object(&in->memory[m]) || in->memory[m].object == RP_OBJECT_TEST)
            continue;
        if (is_behind((enum rp_object_operation)in->memory[m].object)) {
            uint64_t copies = copies_done(w, s->executed, *number);
            t.behind = true;
            t.cycle = later(copies, now + 1);
        }
        over |= operate(b, q, l, s, m, t);
    }
    return over;
}

void async_known(struct async_block *b, struct async_queue *q, const void *block, unsigned warp, uint64_t number,
                 uint64_t done)
{
    struct async_warp *w = &b->warps[warp];
    for (size_t i = 0; i < w->count; i++)
        if (w->items[i].number == number && !w->items[i].commit) {
            w->items[i].done = done;
            w->items[i].read = w->items[i].read == ASYNC_UNKNOWN ? done : w->items[i].read;
        }
    for (size_t i = 0; i < q->count; i++) {
        struct async_update *t = &q->items[i];
        if (t->block != block || t->warp != warp || t->cycle != ASYNC_UNKNOWN)
            continue;
        if (t->behind)
            t->cycle = copies_done(w, t->lanes, t->number);
        else if (t->number == number)
            t->cycle = done;
    }
    put_next(q);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

struct async_block *async_block_new(unsigned warps)
{
    struct async_block *b = calloc(1, sizeof *b + warps * sizeof *b->warps);
    if (b)
        b->warp_count = warps;
    return b;
}

void async_block_clear(struct async_block *b, uint32_t rank)
{
    b->rank = rank;
    b->object_count = 0;
    for (unsigned i = 0; i < b->warp_count; i++)
        b->warps[i].count = 0;
}

void async_block_free(struct async_block *b)
{
    for (unsigned i = 0; b && i < b->warp_count; i++)
        free(b->warps[i].items);
    if (b)
        free(b->objects);
    free(b);
}
