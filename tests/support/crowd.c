#include "tests/support/crowd.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the warps do ------------------------------------------------------------------------------------------- */

struct op {
    uint32_t row, initiation, latency;
    uint8_t unit;
    bool memory;
};

/* One warp in one section. */
struct part {
    struct op *ops;
    size_t count, capacity;
    bool barrier; /* ends at one */
};

struct crowd {
    struct wcet_model model;
    uint32_t sections, warps;
    struct part *parts; /* by section and warp */
};

static struct part *part_of(const struct crowd *c, uint32_t section, uint32_t warp)
{
    return &c->parts[(size_t)section * c->warps + warp];
}

uint32_t crowd_sections(const struct crowd *c) { return c->sections; }
uint32_t crowd_warps(const struct crowd *c) { return c->warps; }

static void *grown(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 64;
    void *more = realloc(array, *capacity * size);
    if (!more)
        abort();
    return more;
}

static void add_section(struct crowd *c)
{
    c->parts = realloc(c->parts, (size_t)(c->sections + 1) * c->warps * sizeof *c->parts);
    if (!c->parts)
        abort();
    memset(part_of(c, c->sections, 0), 0, c->warps * sizeof *c->parts);
    c->sections++;
}

static bool read_warp(struct crowd *c, struct rp_block *block, uint32_t warp, struct rp_error *err)
{
    struct rp_cursor cursor;
    struct rp_step step;
    uint32_t section = 0;
    int more;
    if (!rp_cursor_open(&cursor, block, warp, err))
        return false;
    while ((more = rp_cursor_next(&cursor, &step, err)) > 0) {
        const struct wcet_row *row = &c->model.rows[step.index];
        struct wcet_transactions list;
        struct wcet_op op;
        if (row->exit)
            continue;
        if (!wcet_op_of(&c->model, &step, &op, &list, err)) {
            more = -1;
            break;
        }
        if (section == c->sections)
            add_section(c);
        struct part *p = part_of(c, section, warp);
        p->ops = grown(p->ops, p->count, &p->capacity, sizeof *p->ops);
        p->ops[p->count++] = (struct op){step.index, op.initiation, op.latency, op.unit, op.memory};
        p->barrier = row->barrier && step.executed;
        section += p->barrier;
    }
    rp_cursor_close(&cursor);
    return more == 0;
}

static bool known(const struct wcet_model *m, struct rp_error *err)
{
    bool refuses = false;
    for (uint32_t u = 0; u < m->machine->unit_count; u++)
        refuses |= m->refuses[u];
    return !(refuses || m->memory_port || strcmp(m->machine->shared.model->name, "ideal") != 0) ||
           rp_fail(err, RP_BAD_INPUT, "machine %s: ports and units that refuse instructions are not simulated here",
                   m->machine->name);
}

struct crowd *crowd_open(struct rp_trace *t, uint32_t launch, const struct machine *machine, struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(t, launch);
    struct crowd *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    if (!wcet_model_begin(&c->model, machine, rp_trace_kernel(t, l->kernel), l, 0, err)) {
        free(c);
        return NULL;
    }
    struct rp_block *block = rp_block_open(t, launch, 0, err);
    c->warps = block ? rp_block_warps(block) : 0;
    bool fine = block && known(&c->model, err);
    for (uint32_t w = 0; fine && w < c->warps; w++)
        fine = read_warp(c, block, w, err);
    if (block)
        rp_block_close(block);
    if (fine)
        return c;
    crowd_free(c);
    return NULL;
}

void crowd_free(struct crowd *c)
{
    for (size_t i = 0; i < (size_t)c->sections * c->warps; i++)
        free(c->parts[i].ops);
    free(c->parts);
    wcet_model_end(&c->model);
    free(c);
}

/* ---- the simulation ---------------------------------------------------------------------------------------------- */

struct runner {
    const struct part *part;
    size_t at;
    uint64_t ready, memory_done, last; /* last: of its results that anybody may wait for, or issue */
    uint64_t *written;                 /* by register */
};

struct run {
    const struct crowd *crowd;
    struct runner *runners; /* the first one is starved */
    uint32_t count, turn;
    uint64_t now, unit_free[MACHINE_UNITS];
};

/* When the next instruction is ready, if it may issue at `next`. */
static uint64_t ready_at(const struct run *r, const struct runner *w, uint64_t next)
{
    const struct wcet_model *m = &r->crowd->model;
    const struct wcet_row *row = &m->rows[w->part->ops[w->at].row];
    for (uint32_t i = 0; i < row->waits; i++) {
        uint64_t written = w->written[m->slots[row->first + i]];
        next = written > next ? written : next;
    }
    return row->fence && w->memory_done > next ? w->memory_done : next;
}

static void issue(struct run *r, struct runner *w)
{
    const struct wcet_model *m = &r->crowd->model;
    const struct op *op = &w->part->ops[w->at++];
    const struct wcet_row *row = &m->rows[op->row];
    uint64_t *free_at = &r->unit_free[op->unit];
    uint64_t start = m->ideal[op->unit] || *free_at < r->now ? r->now : *free_at;
    uint64_t done = *free_at = start + op->initiation;
    done += op->latency;
    for (uint32_t i = 0; i < row->writes; i++)
        w->written[m->slots[row->first + row->waits + i]] = done;
    if (op->memory && done > w->memory_done)
        w->memory_done = done;
    uint64_t pause = row->control ? (uint64_t)m->machine->control_interval - 1 : 0;
    uint64_t over = w->part->barrier || m->silent[op->unit] ? r->now + 1 : done;
    w->last = over > w->last ? over : w->last;
    if (w->at < w->part->count)
        w->ready = ready_at(r, w, r->now + 1 + pause);
}

/* Does a go before b? Both are ready, and neither is starved. */
static bool before(const struct run *r, enum crowd_order order, uint32_t a, uint32_t b)
{
    const struct runner *x = &r->runners[a], *y = &r->runners[b];
    switch (order) {
    case CROWD_TURNS: return (a + r->count - r->turn) % r->count < (b + r->count - r->turn) % r->count;
    case CROWD_BEHIND: return x->at != y->at ? x->at < y->at : a < b;
    case CROWD_AHEAD: return x->at != y->at ? x->at > y->at : a < b;
    default: return a < b;
    }
}

/* The warp that issues, after time has gone on until one is ready. */
static uint32_t pick(struct run *r, enum crowd_order order)
{
    uint64_t soon = UINT64_MAX;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct runner *w = &r->runners[i];
        if (w->at < w->part->count && w->ready < soon)
            soon = w->ready;
    }
    if (soon > r->now)
        r->now = soon;
    uint32_t best = 0;
    for (uint32_t i = 1; i < r->count; i++) {
        const struct runner *w = &r->runners[i];
        if (w->at < w->part->count && w->ready <= r->now && (!best || before(r, order, i, best)))
            best = i;
    }
    return best;
}

static void simulate(struct run *r, enum crowd_order order)
{
    while (r->runners[0].at < r->runners[0].part->count) {
        uint32_t i = pick(r, order);
        issue(r, &r->runners[i]);
        r->turn = i + 1;
        r->now++;
    }
}

uint64_t crowd_cycles(const struct crowd *c, uint32_t section, uint32_t warp, uint32_t copies, enum crowd_order order)
{
    struct run r = {.crowd = c, .count = 1};
    uint32_t most = 1 + copies * c->warps;
    r.runners = calloc(most, sizeof *r.runners);
    uint64_t *written = calloc((size_t)most * (c->model.slot_count + 1), sizeof *written);
    if (!r.runners || !written)
        abort();
    r.runners[0].part = part_of(c, section, warp);
    for (uint32_t i = 0; i < copies; i++)
        for (uint32_t w = 0; w < c->warps; w++)
            if (w != warp && part_of(c, section, w)->count)
                r.runners[r.count++].part = part_of(c, section, w);
    for (uint32_t i = 0; i < r.count; i++)
        r.runners[i].written = written + (size_t)i * (c->model.slot_count + 1);
    simulate(&r, order);
    uint64_t cycles = r.runners[0].last;
    free(written);
    free(r.runners);
    return cycles;
}

/* ---- Theorem 6 --------------------------------------------------------------------------------------------------- */

static bool same_ops(const struct part *a, const struct part *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct op *x = &a->ops[i], *y = &b->ops[i];
        same = x->row == y->row && x->initiation == y->initiation && x->latency == y->latency && x->unit == y->unit;
    }
    return same;
}

/* What nothing of this kind is below for a section that is over when this warp is. */
static double least_beside(const struct crowd *c, uint32_t section, uint32_t warp, uint32_t copies)
{
    uint64_t alone = crowd_cycles(c, section, warp, 0, CROWD_AGE), longest = 0;
    for (unsigned o = 0; o < CROWD_ORDERS; o++) {
        uint64_t cycles = crowd_cycles(c, section, warp, copies, (enum crowd_order)o);
        longest = cycles > longest ? cycles : longest;
    }
    return ((double)alone * (copies - 1) + (double)longest) / copies;
}

static double least_of_section(const struct crowd *c, uint32_t section, uint32_t warps)
{
    uint32_t present = 0, barriers = 0;
    double least = 0;
    for (uint32_t w = 0; w < c->warps; w++) {
        present += part_of(c, section, w)->count > 0;
        barriers += part_of(c, section, w)->barrier;
    }
    for (uint32_t w = 0; w < c->warps; w++) {
        const struct part *p = part_of(c, section, w);
        bool seen = !p->count || (barriers && !p->barrier); /* its results may come while the next section runs */
        for (uint32_t v = 0; !seen && v < w; v++)
            seen = same_ops(part_of(c, section, v), p) && part_of(c, section, v)->barrier == p->barrier;
        if (seen)
            continue;
        uint32_t many = present > 1 ? (warps - 1) / (present - 1) : 1;
        double one = least_beside(c, section, w, 1), all = least_beside(c, section, w, many > 1 ? many : 1);
        least = one > least ? one : least;
        least = all > least ? all : least;
    }
    return least;
}

double crowd_least(const struct crowd *c, uint32_t warps)
{
    double least = 0;
    for (uint32_t s = 0; s < c->sections; s++)
        least += least_of_section(c, s, warps);
    return least;
}
