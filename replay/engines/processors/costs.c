#include "replay/engines/processors/costs.h"

#include <math.h>
#include <string.h>

#include "replay/base/class_timing.h"
#include "replay/base/cluster.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The cycles of an access to shared memory that has a model of its own. On one processor no other access is in flight.
 */
static uint64_t shared_cycles(const struct costs *c, const struct rp_step *step, uint32_t i, const uint64_t *address,
                              struct statistics *count)
{
    const struct rp_memory_operand *o = &step->instruction->memory[i];
    const struct shared_memory_model *model = (const struct shared_memory_model *)c->machine->shared.model;
    struct shared_memory_access access = {step->accesses[i].pattern->mask, o->width, address, is_atomic(o)};
    struct shared_memory_cost cost;
    model->cost(c->machine->shared.options, &access, &cost);
    *shared_counter(count, o) += cost.transactions;
    count->shared_conflicts += cost.conflicts;
    return cost.duration;
}

/* The barrier of Table 1 of the paper is that of a block. That of a warp synchronises lanes that always execute
 * together here. */
static struct machine_timing timing_of(const struct machine *m, const struct rp_instruction *in)
{
    bool fence = in->unit_class == RP_CLASS_BARRIER && !is_block_barrier(in);
    return fence ? m->classes[RP_CLASS_FENCE] : class_timing(m, in);
}

bool cost_of_step(const struct costs *c, const struct rp_step *step, struct sampled_cost *cost,
                  struct statistics *count, struct rp_error *err, bool *failed)
{
    const struct rp_instruction *in = step->instruction;
    struct machine_timing t = in->unit_class == RP_CLASS_MEMORY
                                  ? space_timing(c->machine, in, timing_space(c->launch, 0, in, step))
                                  : timing_of(c->machine, in);
    memset(cost, 0, sizeof *cost); /* padding, too: costs are compared byte by byte */
    cost->least = t.initiation;
    cost->unit = t.unit;
    if (!step->executed)
        return false;
    cost->latency = t.latency;
    for (uint32_t i = 0; i < in->memory_count; i++) {
        uint64_t address[RP_WARP_LANES];
        struct sampled_access request;
        if (names_texel_again(step, i))
            continue;
        sampled_access_of(c->sampled, c->machine, c->launch, c->kernel, step, i, &request, address);
        if (request.path == TIMED_BY_SHARED)
            cost->least = later(cost->least, shared_cycles(c, step, i, address, count));
        if (request.path != TIMED_BY_SAMPLE)
            continue;
        if (cost->accesses == COST_ACCESSES) {
            *failed = true;
            return rp_fail(err, RP_BAD_INPUT, "kernel %s: an instruction has more than %d accesses", c->kernel->name,
                           COST_ACCESSES);
        }
        *sampled_counter(count, &request, &in->memory[i]) += request.transactions;
        cost->access[cost->accesses++] = request;
    }
    cost->least += cost->accesses ? 0 : cost->latency;
    return cost->accesses;
}

/* ---- known distributions ----------------------------------------------------------------------------------------- */

#define MOST_VALUES (COST_ACCESSES * 9 + 1)

/* The values of a random number and their probabilities. */
struct distribution {
    unsigned count;
    double value[MOST_VALUES], probability[MOST_VALUES];
};

static void add_value(struct distribution *d, double value, double probability)
{
    unsigned i = 0;
    while (i < d->count && d->value[i] != value)
        i++;
    if (i == d->count) {
        d->value[d->count] = value;
        d->probability[d->count++] = 0;
    }
    d->probability[i] += probability;
}

/* The distribution of the slowest of n samples: it is at most a value if all samples are. */
static void slowest_distribution(const struct stochastic *s, unsigned kind, uint32_t n, struct distribution *d)
{
    d->count = 0;
    for (unsigned l = 0; l < SAMPLE_LEVELS; l++) {
        double at_most = 0, below = 0;
        bool before = false;
        for (unsigned o = 0; o < SAMPLE_LEVELS; o++) {
            at_most += s->cost[o] <= s->cost[l] ? s->probability[kind][o] : 0;
            below += s->cost[o] < s->cost[l] ? s->probability[kind][o] : 0;
            before |= o < l && s->cost[o] == s->cost[l];
        }
        if (!before)
            add_value(d, s->cost[l], pow(at_most, n) - pow(below, n));
    }
}

static void access_distribution(const struct stochastic *s, const struct sampled_access *r, struct distribution *d)
{
    struct distribution second, sum = {0};
    slowest_distribution(s, r->kind[0], r->transactions, d);
    if (r->samples == 1)
        return;
    slowest_distribution(s, r->kind[1], r->transactions, &second);
    for (unsigned i = 0; i < d->count; i++)
        for (unsigned j = 0; j < second.count; j++)
            add_value(&sum, d->value[i] + second.value[j], d->probability[i] * second.probability[j]);
    *d = sum;
}

void cost_moments(const struct stochastic *s, const struct sampled_cost *c, double *mean, double *variance)
{
    struct distribution all = {.count = 1, .value = {(double)c->least}, .probability = {1}}, one, both;
    for (unsigned a = 0; a < c->accesses; a++) {
        access_distribution(s, &c->access[a], &one);
        both = (struct distribution){0};
        for (unsigned i = 0; i < all.count; i++)
            for (unsigned j = 0; j < one.count; j++)
                add_value(&both, all.value[i] > one.value[j] ? all.value[i] : one.value[j],
                          all.probability[i] * one.probability[j]);
        all = both;
    }
    *mean = *variance = 0;
    for (unsigned i = 0; i < all.count; i++)
        *mean += all.value[i] * all.probability[i];
    for (unsigned i = 0; i < all.count; i++)
        *variance += (all.value[i] - *mean) * (all.value[i] - *mean) * all.probability[i];
    *mean += c->latency;
}
