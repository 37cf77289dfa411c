#include "tools/wcet/paths.h"
#include "tools/wcet/steps.h"

#include <stdlib.h>
#include <string.h>

#define MOST_OPS 65000
#define MOST_PLACES 500

/* One warp while it is read. */
struct reading {
    struct wcet_path_op *ops;
    bool *memory;
    uint32_t *consumer; /* by op: the number of the first op that waits for its result; 0: none does, as op 0 waits for
                           nothing */
    uint32_t count, capacity;
    uint32_t fence;   /* the op after the last fence */
    uint32_t *writer; /* by register: 1 + the op that wrote it last */
};

struct reader {
    const struct wcet_model *model;
    struct wcet_paths *out;
    uint32_t warps;
    struct reading *warp;
    bool supported;
};

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- reading -------------------------------------------------------------------------------------------------------
 */

static bool grow(struct reading *w, struct rp_error *err)
{
    uint32_t capacity = w->capacity ? 2 * w->capacity : 64;
    struct wcet_path_op *ops = realloc(w->ops, capacity * sizeof *ops);
    if (ops)
        w->ops = ops;
    bool *memory = realloc(w->memory, capacity * sizeof *memory);
    if (memory)
        w->memory = memory;
    uint32_t *consumer = realloc(w->consumer, capacity * sizeof *consumer);
    if (consumer)
        w->consumer = consumer;
    if (!ops || !memory || !consumer)
        return rp_fail(err, RP_SYSTEM, "out of memory for the instructions of a warp");
    w->capacity = capacity;
    return true;
}

static bool add(struct reading *w, const struct wcet_path_op *op, bool memory, struct rp_error *err)
{
    if (w->count == w->capacity && !grow(w, err))
        return false;
    w->ops[w->count] = *op;
    w->memory[w->count] = memory;
    w->consumer[w->count++] = 0;
    return true;
}

static void wait_for(struct reading *w, uint32_t op)
{
    if (!w->consumer[op])
        w->consumer[op] = w->count;
}

/* Finds the ops for which the next instruction waits: those that last wrote registers that it reads or writes, and for
 * a fence all accesses since the last one. */
static void find_producers(const struct reader *r, struct reading *w, const struct wcet_row *row)
{
    const uint32_t *slot = r->model->slots + row->first;
    for (uint32_t i = 0; i < row->waits; i++)
        if (w->writer[slot[i]])
            wait_for(w, w->writer[slot[i]] - 1);
    if (!row->fence)
        return;
    for (; w->fence < w->count; w->fence++)
        if (w->memory[w->fence])
            wait_for(w, w->fence);
}

/* The numbers of unit and port become dense once all warps are read. */
static struct wcet_path_op op_of(const struct wcet_model *m, const struct wcet_row *row, const struct wcet_op *op)
{
    return (struct wcet_path_op){.unit = m->ideal[op->unit] ? WCET_PATH_NONE : op->unit,
                                 .port = op->waits ? op->port : WCET_PATH_NONE,
                                 .gives = WCET_PATH_NONE,
                                 .takes = WCET_PATH_NONE,
                                 .refused = m->refuses[op->unit],
                                 .initiation = op->initiation,
                                 .latency = op->latency,
                                 .arrival = op->port == WCET_PORT_DRAM ? op->initiation : 0,
                                 .occupancy = op->occupancy,
                                 .duration = op->duration,
                                 .pause = row->control ? (uint32_t)m->machine->control_interval : 1};
}

static bool read_step(struct reader *r, struct reading *w, struct wcet_steps *steps, const struct rp_step *step,
                      struct rp_error *err)
{
    static const struct wcet_path_op wait = {
        .unit = WCET_PATH_NONE, .port = WCET_PATH_NONE, .gives = WCET_PATH_NONE, .takes = WCET_PATH_NONE, .wait = true};
    const struct wcet_row *row = &r->model->rows[step->index];
    struct wcet_op op;
    struct wcet_transactions list;
    if (row->exit)
        return true;
    if (!wcet_op_of(r->model, step, &op, &list, err))
        return false;
    find_producers(r, w, row);
    struct wcet_path_op own = op_of(r->model, row, &op);
    if (!add(w, &own, op.memory, err))
        return false;
    const uint32_t *writes = r->model->slots + row->first + row->waits;
    for (uint32_t i = 0; i < row->writes; i++)
        w->writer[writes[i]] = w->count;
    if (!row->barrier || !wcet_steps_wait(steps, step, err))
        return true;
    r->supported &= !row->control;
    return add(w, &wait, false, err);
}

static bool read_warp(struct reader *r, struct rp_block *block, uint32_t number, struct rp_error *err)
{
    struct reading *w = &r->warp[number];
    struct wcet_steps steps;
    struct rp_step step;
    int more = -1;
    w->writer = calloc(r->model->slot_count + 1, sizeof *w->writer);
    if (!w->writer)
        return rp_fail(err, RP_SYSTEM, "out of memory for the registers of a warp");
    if (!wcet_steps_open(&steps, block, r->model->launch, number, err))
        return false;
    while (r->supported && (more = wcet_steps_next(&steps, &step, err)) > 0) {
        if (!read_step(r, w, &steps, &step, err))
            break;
        r->supported &= w->count <= MOST_OPS;
    }
    wcet_steps_close(&steps);
    return !r->supported || more == 0;
}

static bool read_warps(struct reader *r, struct rp_trace *t, uint32_t launch, struct rp_error *err)
{
    struct rp_block *block = rp_block_open(t, launch, 0, err);
    if (!block)
        return false;
    r->warps = rp_block_warps(block);
    r->warp = calloc(r->warps + 1, sizeof *r->warp);
    bool fine = r->warp || rp_fail(err, RP_SYSTEM, "out of memory for the warps of a block");
    for (uint32_t i = 0; fine && r->supported && i < r->warps; i++)
        fine = read_warp(r, block, i, err);
    rp_block_close(block);
    return fine;
}

/* ---- units and ports that can be occupied
 * ----------------------------------------------------------------------------------------------
 */

static void number_units(struct reader *r)
{
    uint16_t unit[MACHINE_UNITS], port[WCET_PORTS], kept = 0;
    memset(unit, 0xff, sizeof unit);
    memset(port, 0xff, sizeof port);
    for (uint32_t i = 0; i < r->warps; i++)
        for (uint32_t k = 0; k < r->warp[i].count; k++) {
            const struct wcet_path_op *op = &r->warp[i].ops[k];
            if (op->unit != WCET_PATH_NONE && op->initiation > 1 && unit[op->unit] == WCET_PATH_NONE)
                unit[op->unit] = kept++;
            if (op->port != WCET_PATH_NONE && port[op->port] == WCET_PATH_NONE)
                port[op->port] = kept++;
        }
    r->out->kept = kept;
    for (uint32_t i = 0; i < r->warps; i++)
        for (uint32_t k = 0; k < r->warp[i].count; k++) {
            struct wcet_path_op *op = &r->warp[i].ops[k];
            op->unit = op->unit == WCET_PATH_NONE ? WCET_PATH_NONE : unit[op->unit];
            op->port = op->port == WCET_PATH_NONE ? WCET_PATH_NONE : port[op->port];
            op->refused &= op->unit != WCET_PATH_NONE;
        }
}

/* ---- places of results --------------------------------------------------------------------------------------------
 */

/* Cycles from issue to the result without waiting for unit or port. */
static uint64_t result_after(const struct wcet_path_op *op)
{
    return later(op->initiation, (uint64_t)op->arrival + op->duration) + op->latency;
}

/* A lower bound of the cycles from the issue of an op to that of the next one. */
static uint64_t step_after(const struct wcet_paths *p, const struct reading *w, uint32_t i)
{
    const struct wcet_path_op *op = &w->ops[i], *next = op + 1;
    if (op->wait)
        return p->release;
    if (i + 1 < w->count && next->wait)
        return 0;
    uint64_t step = op->pause;
    if (w->consumer[i] == i + 1)
        step = later(step, result_after(op));
    return step;
}

/* Whether the result is always there when the warp reaches the instruction that waits for it. If that is the next
 * instruction, only the pause counts: step_after() includes the wait for this very result. */
static bool surely_there(const struct reading *w, uint32_t i, const uint64_t *from_start)
{
    const struct wcet_path_op *op = &w->ops[i];
    uint32_t consumer = w->consumer[i];
    uint64_t least = consumer == i + 1 ? op->pause : from_start[consumer] - from_start[i];
    return op->unit == WCET_PATH_NONE && op->port == WCET_PATH_NONE && result_after(op) <= least;
}

/* Numbers the results that may be in flight when the warp reaches the instruction that waits for them. */
static bool give_places(struct wcet_paths *p, struct reading *w, struct rp_error *err)
{
    uint64_t *from_start = calloc(w->count + 1, sizeof *from_start);
    uint16_t *free_places = calloc(w->count + 1, sizeof *free_places);
    uint32_t free_count = 0, used = 0;
    bool fine = from_start && free_places;
    for (uint32_t i = 0; fine && i < w->count; i++)
        from_start[i + 1] = from_start[i] + step_after(p, w, i);
    for (uint32_t i = 0; fine && i < w->count; i++) {
        struct wcet_path_op *op = &w->ops[i];
        uint32_t consumer = w->consumer[i];
        if (op->takes != WCET_PATH_NONE)
            free_places[free_count++] = op->takes;
        if (!consumer || surely_there(w, i, from_start))
            continue;
        if (w->ops[consumer].takes == WCET_PATH_NONE)
            w->ops[consumer].takes = free_count ? free_places[--free_count] : (uint16_t)used++;
        op->gives = w->ops[consumer].takes;
    }
    p->places = used > p->places ? used : p->places;
    free(from_start);
    free(free_places);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for the instructions of a warp");
}

/* ---- lower bounds -------------------------------------------------------------------------------------------------
 */

static uint16_t within(uint64_t cycles) { return cycles < WCET_PATH_NEVER ? (uint16_t)cycles : WCET_PATH_NEVER; }

static bool find_least(const struct wcet_paths *p, const struct reading *w, struct wcet_path *path,
                       struct rp_error *err)
{
    size_t row = p->kept + p->places;
    path->least = malloc((w->count + 1) * row * sizeof *path->least + 1);
    if (!path->least)
        return rp_fail(err, RP_SYSTEM, "out of memory for the instructions of a warp");
    memset(path->least + w->count * row, 0xff, row * sizeof *path->least);
    for (uint32_t i = w->count; i-- > 0;) {
        const struct wcet_path_op *op = &w->ops[i];
        uint16_t *least = path->least + i * row, *next = least + row;
        uint64_t step = step_after(p, w, i);
        for (size_t k = 0; k < row; k++)
            least[k] = next[k] == WCET_PATH_NEVER ? WCET_PATH_NEVER : within(next[k] + step);
        if (op->unit != WCET_PATH_NONE)
            least[op->unit] = 0;
        if (op->port != WCET_PATH_NONE && op->arrival < least[op->port])
            least[op->port] = (uint16_t)op->arrival;
        if (op->takes != WCET_PATH_NONE)
            least[p->kept + op->takes] = 0;
    }
    return true;
}

/* ---- warps with the same path ---------------------------------------------------------------------------------------
 */

static bool same_op(const struct wcet_path_op *a, const struct wcet_path_op *b)
{
    return a->unit == b->unit && a->port == b->port && a->gives == b->gives && a->takes == b->takes &&
           a->refused == b->refused && a->wait == b->wait && a->initiation == b->initiation &&
           a->latency == b->latency && a->arrival == b->arrival && a->occupancy == b->occupancy &&
           a->duration == b->duration && a->pause == b->pause;
}

static bool same_path(const struct wcet_path *p, const struct reading *w)
{
    if (p->count != w->count)
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        if (!same_op(&p->ops[i], &w->ops[i]))
            return false;
    return true;
}

static bool find_paths(struct reader *r, struct rp_error *err)
{
    struct wcet_paths *out = r->out;
    out->warps = r->warps;
    out->paths = calloc(r->warps + 1, sizeof *out->paths);
    if (!out->paths)
        return rp_fail(err, RP_SYSTEM, "out of memory for the warps of a block");
    for (uint32_t i = 0; i < r->warps; i++)
        if (!give_places(out, &r->warp[i], err))
            return false;
    if (out->places > MOST_PLACES) {
        wcet_paths_free(out);
        return true;
    }
    for (uint32_t i = 0; i < r->warps; i++) {
        struct reading *w = &r->warp[i];
        struct wcet_path *path = out->paths;
        while (path < out->paths + out->count && !same_path(path, w))
            path++;
        path->alike++;
        if (path < out->paths + out->count)
            continue;
        out->count++;
        path->count = w->count;
        if (!find_least(out, w, path, err))
            return false;
        path->ops = w->ops;
        w->ops = NULL;
    }
    return true;
}

static bool supported(const struct wcet_model *m)
{
    const struct machine *machine = m->machine;
    return rp_launch_blocks(m->launch) == 1 && machine->subcores == 1 && machine->issue_width == 1 && m->exact &&
           !m->line_count;
}

bool wcet_paths_read(struct wcet_paths *out, const struct wcet_model *m, struct rp_trace *t, uint32_t launch,
                     struct rp_error *err)
{
    struct reader r = {.model = m, .out = out, .supported = supported(m)};
    *out = (struct wcet_paths){.start = (uint64_t)m->machine->dispatch_latency,
                               .release = 1 + (uint32_t)m->machine->barrier_latency};
    bool fine = !r.supported || read_warps(&r, t, launch, err);
    if (fine && r.supported) {
        number_units(&r);
        fine = find_paths(&r, err);
    }
    for (uint32_t i = 0; r.warp && i < r.warps; i++) {
        free(r.warp[i].ops);
        free(r.warp[i].memory);
        free(r.warp[i].consumer);
        free(r.warp[i].writer);
    }
    free(r.warp);
    if (!fine)
        wcet_paths_free(out);
    return fine;
}

void wcet_paths_free(struct wcet_paths *p)
{
    for (uint32_t i = 0; p->paths && i < p->count; i++) {
        free(p->paths[i].ops);
        free(p->paths[i].least);
    }
    free(p->paths);
    p->paths = NULL;
}
