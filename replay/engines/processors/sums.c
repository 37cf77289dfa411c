/* Sums of costs, of many batches in one pass over the trace.
 *
 * A warp executes the same instructions in all batches, and only the samples differ. So a pass goes through the launch
 * warp by warp. First it reads the instructions of the warp, adds up the costs that are always the same, and lists the
 * instructions with sampled accesses. Then it goes through that list for each batch. Costs that differ only in their
 * samples are one *shape*. Each thread takes blocks in turn and has sums of its own. All sums are integers, so it does
 * not matter which thread took which block.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "replay/engines/processors/inside.h"
#include "tracefmt/plural.h"

#define MOST_SHAPES 65536u
#define MOST_THREADS 64u
#define BLOCKS_AT_ONCE 16u

struct shape {
    struct sampled_cost cost;
    bool simple;                /* one sample of one transaction */
    uint32_t of[SAMPLE_LEVELS]; /* if simple: the cost by level */
    uint64_t below[2];          /* and the bounds of the random numbers of the levels */
};

/* The sums that differ from batch to batch, besides the times of processors. */
struct batch_sum {
    uint64_t busy[MACHINE_UNITS];   /* cycles of instructions with sampled accesses */
    uint64_t levels[SAMPLE_LEVELS]; /* samples */
};

struct pass;

/* A thread's sums. */
struct worker {
    struct pass *pass;
    struct statistics fixed; /* sums that are the same in all batches */
    uint64_t *fixed_time;    /* [processors] */
    uint64_t *time;          /* sampled costs */
    struct batch_sum *batches;
    struct shape *shapes;
    uint32_t shape_count, shape_room;
    uint64_t *uses; /* [shape][processors], for the known distribution */
    uint32_t *list; /* shapes of the listed instructions of the warp */
    uint64_t list_count, list_room;
    uint64_t *warps; /* warps that issue an instruction */
    uint64_t issues[MACHINE_UNITS];
    uint32_t *static_of; /* by instruction: 1 + its last shape */
    uint64_t reported;   /* warp instructions */
    bool failed;
    struct rp_error error;
};

struct pass {
    const struct processors_launch *launch;
    uint32_t first, count; /* batches */
    uint64_t processors;
    atomic_uint_least64_t next; /* block */
    atomic_bool failed;
};

static bool out_of_memory(struct worker *w)
{
    return rp_fail(&w->error, RP_SYSTEM, "out of memory for the batches of a launch");
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static bool grow_shapes(struct worker *w)
{
    uint32_t room = w->shape_room ? 2 * w->shape_room : 16;
    struct shape *shapes = realloc(w->shapes, room * sizeof *shapes);
    if (!shapes)
        return out_of_memory(w);
    w->shapes = shapes;
    uint64_t *uses = realloc(w->uses, room * w->pass->processors * sizeof *uses);
    if (!uses)
        return out_of_memory(w);
    memset(uses + w->shape_room * w->pass->processors, 0, (room - w->shape_room) * w->pass->processors * sizeof *uses);
    w->uses = uses;
    w->shape_room = room;
    return true;
}

static bool add_shape(struct worker *w, const struct sampled_cost *cost)
{
    const struct stochastic *s = w->pass->launch->costs.sampled;
    if (w->shape_count == MOST_SHAPES)
        return rp_fail(&w->error, RP_BAD_INPUT, "a kernel has more than %u kinds of accesses", MOST_SHAPES);
    if (w->shape_count == w->shape_room && !grow_shapes(w))
        return false;
    const struct sampled_access *first = &cost->access[0];
    struct shape shape = {.simple = cost->accesses == 1 && first->samples == 1 && first->transactions == 1};
    memcpy(&shape.cost, cost, sizeof shape.cost);
    for (unsigned l = 0; l < SAMPLE_LEVELS; l++)
        shape.of[l] = (s->cost[l] > cost->least ? s->cost[l] : (uint32_t)cost->least) + cost->latency;
    memcpy(shape.below, s->below[first->kind[0]], sizeof shape.below);
    w->shapes[w->shape_count++] = shape;
    return true;
}

static bool same_cost(const struct shape *s, const struct sampled_cost *cost)
{
    return !memcmp(&s->cost, cost, sizeof *cost);
}

static bool find_shape(struct worker *w, uint32_t instruction, const struct sampled_cost *cost, uint32_t *number)
{
    uint32_t last = w->static_of[instruction], i = 0;
    if (!last || !same_cost(&w->shapes[last - 1], cost)) {
        while (i < w->shape_count && !same_cost(&w->shapes[i], cost))
            i++;
        if (i == w->shape_count && !add_shape(w, cost))
            return false;
        w->static_of[instruction] = last = i + 1;
    }
    *number = last - 1;
    return true;
}

static bool list_access(struct worker *w, uint32_t shape)
{
    if (w->list_count == w->list_room) {
        uint64_t room = w->list_room ? 2 * w->list_room : 1024;
        uint32_t *list = realloc(w->list, room * sizeof *list);
        if (!list)
            return out_of_memory(w);
        w->list = list;
        w->list_room = room;
    }
    w->list[w->list_count++] = shape;
    return true;
}

/* ---- a warp ------------------------------------------------------------------------------------------------------ */

static void count_issue(struct worker *w, uint64_t processor, const struct sampled_cost *cost)
{
    w->fixed_time[processor] += cost->least;
    w->fixed.unit_busy[cost->unit] += cost->least;
}

/* Reads the warp's instructions: adds up fixed costs and lists the others. */
static bool read_warp(struct worker *w, struct rp_cursor *cursor, uint64_t processor)
{
    const struct costs *c = &w->pass->launch->costs;
    struct rp_step step;
    int more;
    bool issued = false;
    w->list_count = 0;
    while ((more = rp_cursor_next(cursor, &step, &w->error)) > 0) {
        struct sampled_cost cost;
        uint32_t shape;
        bool failed = false;
        w->fixed.warp_instructions++;
        w->fixed.thread_instructions += rp_lane_count(step.executed);
        if (costs_nothing(c, step.instruction))
            continue;
        w->fixed.issue_cycles++;
        issued = true;
        if (!cost_of_step(c, &step, &cost, &w->fixed, &w->error, &failed)) {
            count_issue(w, processor, &cost);
        } else {
            if (!find_shape(w, step.index, &cost, &shape) || !list_access(w, shape))
                return false;
            w->uses[(uint64_t)shape * w->pass->processors + processor]++;
        }
        w->issues[cost.unit]++;
        if (failed)
            return false;
    }
    w->warps[processor] += issued;
    return more == 0;
}

/* Samples the accesses of any shape; *number: the next random number of the warp. */
static uint64_t sample_shape(const struct stochastic *s, const struct shape *shape, uint64_t stream, uint64_t *number,
                             struct batch_sum *sum)
{
    uint64_t cycles = shape->cost.least;
    for (unsigned a = 0; a < shape->cost.accesses; a++) {
        const struct sampled_access *r = &shape->cost.access[a];
        uint64_t access = 0;
        for (unsigned d = 0; d < r->samples; d++) {
            unsigned level = sampled_level(s, r->kind[d], r->transactions, stream, (*number)++);
            sum->levels[level]++;
            access += s->cost[level];
        }
        cycles = access > cycles ? access : cycles;
    }
    return cycles + shape->cost.latency;
}

static uint64_t sample_batch(const struct worker *w, uint64_t stream, struct batch_sum *sum)
{
    const struct stochastic *s = w->pass->launch->costs.sampled;
    uint64_t number = 0, all = 0;
    struct random_bits bits = {{0, 0}};
    bool fresh = false; /* bits hold the numbers of this pair */
    for (uint64_t i = 0; i < w->list_count; i++) {
        const struct shape *shape = &w->shapes[w->list[i]];
        uint64_t cycles;
        if (shape->simple) {
            if (!fresh)
                bits = random_pair(stream, number / 2, 0);
            uint64_t value = bits.word[number % 2] >> 1;
            unsigned level = (value >= shape->below[0]) + (value >= shape->below[1]);
            sum->levels[level]++;
            cycles = shape->of[level];
            fresh = !(number++ % 2);
        } else {
            cycles = sample_shape(s, shape, stream, &number, sum);
            fresh = false;
        }
        sum->busy[shape->cost.unit] += cycles;
        all += cycles;
    }
    return all;
}

static void sample_warp(struct worker *w, uint64_t block, unsigned warp, uint64_t processor)
{
    const struct pass *p = w->pass;
    for (uint32_t b = 0; w->list_count && b < p->count; b++) {
        uint64_t stream = random_stream(p->launch->random.seed, p->first + b, p->launch->number, block, warp);
        w->time[b * p->processors + processor] += sample_batch(w, stream, &w->batches[b]);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool sum_warps(struct worker *w, struct rp_block *block, uint64_t index)
{
    const struct processors *p = &w->pass->launch->processors;
    for (unsigned warp = 0; warp < p->warps; warp++) {
        uint64_t processor = processor_of_warp(p, index, warp);
        struct rp_cursor cursor;
        if (processor >= p->replayed)
            continue;
        if (!rp_cursor_open(&cursor, block, warp, &w->error))
            return false;
        bool fine = read_warp(w, &cursor, processor);
        rp_cursor_close(&cursor);
        if (!fine)
            return false;
        w->fixed.warps++;
        w->fixed.blocks += warp == 0;
        sample_warp(w, index, warp, processor);
    }
    return true;
}

static bool any_replayed(const struct processors *p, uint64_t block)
{
    for (uint64_t warp = 0; warp < p->warps; warp++)
        if (processor_of_warp(p, block, warp) < p->replayed)
            return true;
    return false;
}

static bool sum_block(struct worker *w, uint64_t index)
{
    const struct processors_launch *l = w->pass->launch;
    if (!any_replayed(&l->processors, index))
        return true;
    struct rp_block *block = rp_block_open(l->trace, l->number, index, &w->error);
    if (!block)
        return false;
    uint32_t warps = rp_block_warps(block);
    bool fine = warps == l->processors.warps ||
                rp_fail(&w->error, RP_BAD_INPUT, "%s: block %" PRIu64 " has %u warp%s where its launch has %u",
                        rp_trace_path(l->trace), index, warps, rp_plural(warps), (unsigned)l->processors.warps);
    fine = fine && sum_warps(w, block, index);
    rp_block_close(block);
    return fine;
}

static void report(struct worker *w, bool last)
{
    const struct engine_job *job = w->pass->launch->job;
    uint64_t done = w->fixed.warp_instructions - w->reported;
    if (!job || !job->progress || (!last && done < PROGRESS_EVERY))
        return;
    job->progress(job->progress_data, done);
    w->reported += done;
}

static void *sum_blocks(void *data)
{
    struct worker *w = data;
    struct pass *p = w->pass;
    for (uint64_t from; !p->failed && (from = atomic_fetch_add(&p->next, BLOCKS_AT_ONCE)) < p->launch->blocks;)
        for (uint64_t b = from; !w->failed && b < from + BLOCKS_AT_ONCE && b < p->launch->blocks; b++) {
            w->failed = !sum_block(w, b);
            if (w->failed)
                p->failed = true;
            report(w, false);
        }
    report(w, true);
    return NULL;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool worker_begin(struct worker *w, struct pass *p)
{
    *w = (struct worker){.pass = p};
    uint64_t batches = p->count ? p->count : 1;
    w->fixed_time = calloc(p->processors, sizeof *w->fixed_time);
    w->warps = calloc(p->processors, sizeof *w->warps);
    w->time = calloc(batches * p->processors, sizeof *w->time);
    w->batches = calloc(batches, sizeof *w->batches);
    w->static_of = calloc((size_t)p->launch->costs.kernel->instruction_count + 1, sizeof *w->static_of);
    return (w->fixed_time && w->warps && w->time && w->batches && w->static_of && grow_shapes(w)) || out_of_memory(w);
}

static void worker_end(struct worker *w)
{
    free(w->fixed_time);
    free(w->warps);
    free(w->time);
    free(w->batches);
    free(w->static_of);
    free(w->shapes);
    free(w->uses);
    free(w->list);
}

/* Adds the sums of one thread to those of another. */
static bool join(struct worker *to, const struct worker *from)
{
    const struct pass *p = to->pass;
    statistics_add(&to->fixed, &from->fixed);
    for (unsigned u = 0; u < MACHINE_UNITS; u++)
        to->issues[u] += from->issues[u];
    for (uint64_t i = 0; i < p->processors; i++) {
        to->fixed_time[i] += from->fixed_time[i];
        to->warps[i] += from->warps[i];
    }
    for (uint64_t i = 0; i < p->count * p->processors; i++)
        to->time[i] += from->time[i];
    for (uint32_t b = 0; b < p->count; b++) {
        for (unsigned u = 0; u < MACHINE_UNITS; u++)
            to->batches[b].busy[u] += from->batches[b].busy[u];
        for (unsigned l = 0; l < SAMPLE_LEVELS; l++)
            to->batches[b].levels[l] += from->batches[b].levels[l];
    }
    for (uint32_t i = 0; i < from->shape_count; i++) {
        uint32_t number = 0;
        while (number < to->shape_count && !same_cost(&to->shapes[number], &from->shapes[i].cost))
            number++;
        if (number == to->shape_count && !add_shape(to, &from->shapes[i].cost))
            return false;
        for (uint64_t at = 0; at < p->processors; at++)
            to->uses[number * p->processors + at] += from->uses[i * p->processors + at];
    }
    return true;
}

static void total_batch(struct worker *w, uint32_t b, struct statistics *out)
{
    const struct pass *p = w->pass;
    const struct stochastic *sampled = p->launch->costs.sampled;
    struct statistics s = w->fixed;
    uint64_t *time = &w->time[b * p->processors], busy = 0;
    for (uint64_t i = 0; i < p->processors; i++)
        time[i] += w->fixed_time[i];
    for (unsigned l = 0; l < SAMPLE_LEVELS; l++)
        count_sampled(&s, sampled, l, w->batches[b].levels[l]);
    for (unsigned u = 0; u < MACHINE_UNITS; u++) {
        s.unit_busy[u] += w->batches[b].busy[u];
        s.unit_stall[u] = s.unit_busy[u] - w->issues[u];
        busy += s.unit_busy[u];
    }
    s.stall[STALL_UNIT] = busy - s.issue_cycles;
    processors_close(p->launch->costs.machine, &p->launch->processors, time, &s);
    statistics_add(out, &s);
}

static int by_content(const void *a, const void *b)
{
    const struct shape *const *x = a, *const *y = b;
    return memcmp(&(*x)->cost, &(*y)->cost, sizeof(*x)->cost);
}

/* Mean and variance of the sampled costs of the processors that have a warp. The order of additions does not depend on
 * threads, because sums of doubles depend on it. */
static bool add_exact(const struct worker *w, struct engine_exact *e)
{
    const struct pass *p = w->pass;
    const struct stochastic *sampled = p->launch->costs.sampled;
    const struct shape **order = malloc((w->shape_count + 1) * sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < w->shape_count; i++)
        order[i] = &w->shapes[i];
    qsort(order, w->shape_count, sizeof *order, by_content);
    double mean = 0, variance = 0;
    uint64_t used = 0, most = 0, fixed = 0;
    for (uint64_t at = 0; at < p->processors; at++) {
        fixed += w->fixed_time[at];
        used += w->warps[at] > 0;
        most = w->warps[at] > most ? w->warps[at] : most;
    }
    for (uint32_t i = 0; i < w->shape_count; i++) {
        double one, spread;
        uint64_t uses = 0;
        for (uint64_t at = 0; at < p->processors; at++)
            uses += w->uses[(uint64_t)(order[i] - w->shapes) * p->processors + at];
        cost_moments(sampled, &order[i]->cost, &one, &spread);
        mean += one * (double)uses;
        variance += spread * (double)uses;
    }
    free(order);
    double n = used ? (double)used : 1;
    e->mean += (mean + (double)fixed) / n;
    e->variance += variance / (n * n);
    e->known &= used <= 1 || p->launch->costs.machine->measure != MEASURE_GRID;
    e->processors = used > e->processors ? used : e->processors;
    e->most_warps = most > e->most_warps ? most : e->most_warps;
    return true;
}

static bool run(struct pass *p, struct worker *workers, unsigned threads, struct rp_error *err)
{
    pthread_t helpers[MOST_THREADS];
    unsigned begun = 0, started = 1;
    bool fine = true;
    for (; fine && begun < threads; begun++)
        fine = worker_begin(&workers[begun], p);
    while (fine && started < threads && !pthread_create(&helpers[started], NULL, sum_blocks, &workers[started]))
        started++;
    if (fine)
        sum_blocks(&workers[0]);
    for (unsigned i = 1; fine && i < started; i++)
        pthread_join(helpers[i], NULL);
    for (unsigned i = 0; i < begun; i++)
        fine &= !workers[i].failed;
    for (unsigned i = 1; fine && i < begun; i++)
        fine = join(&workers[0], &workers[i]);
    for (unsigned i = 0; !fine && i < begun; i++)
        if (*workers[i].error.text) {
            *err = workers[i].error;
            break;
        }
    for (unsigned i = 1; i < begun; i++)
        worker_end(&workers[i]);
    return fine;
}

bool processors_sum(const struct processors_launch *l, uint32_t first, uint32_t count, struct statistics *totals,
                    struct engine_exact *exact, struct rp_error *err)
{
    struct pass p = {.launch = l, .first = first, .count = count, .processors = l->processors.replayed};
    uint64_t turns = (l->blocks + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE;
    unsigned threads = l->threads ? l->threads : 1;
    threads = threads > MOST_THREADS ? MOST_THREADS : threads;
    threads = threads > turns ? turns ? (unsigned)turns : 1 : threads;
    struct worker *workers = calloc(threads, sizeof *workers);
    struct rp_error why = {0};
    bool fine = workers && run(&p, workers, threads, &why);
    for (uint32_t b = 0; fine && b < count; b++)
        total_batch(&workers[0], b, &totals[b]);
    if (fine && exact)
        fine = add_exact(&workers[0], exact);
    if (workers)
        worker_end(&workers[0]);
    free(workers);
    if (!fine && *why.text && err)
        *err = why;
    if (!fine && !*why.text)
        rp_fail(err, RP_SYSTEM, "out of memory for the batches of a launch");
    return fine;
}
