/* Sampled replay between launches: which launches are replayed, and what they say of the others.
 *
 *  - Launches that overlap others, whose copies take time, or whose recording ended early are replayed whole, and so is
 *    what they overlap.
 *  - Of equal launches (classes.h) the first is replayed. It is an item, which stands for all of them.
 *  - Items are divided into strata by kernel, geometry and warp instructions. The first item of each stratum in the
 * trace is replayed and stands for itself alone, as launches are often different when they come first.
 *  - Of the others some are drawn at random: a few of each stratum, and then as many as strata_sizes() says, until the
 *    interval of all cycles is narrow enough.
 *  - Within a launch of many waves blocks.c replays some blocks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/memory/random_stream.h"
#include "replay/session/classes.h"
#include "replay/session/engines.h"
#include "replay/session/session.h"
#include "replay/session/strata.h"

#define FEW 5u               /* items drawn of each stratum at first */
#define LEAST_RANGE 1.25     /* of warp instructions in a stratum: the largest by the least */
#define ITEMS_OF_STRATUM 32u /* at least so many, on average, if strata have more than that range */
#define LEAST_DEVIATION 0.5  /* of launches of a stratum, as a part of the error that is allowed */
#define LAUNCH_COST 1000.0   /* of a replay besides its instructions, in warp instructions */
#define MARGIN 0.9           /* aims at this part of the error, so that one more round is seldom needed */
#define NONE UINT32_MAX
#define CYCLES (offsetof(struct statistics, cycles) / sizeof(uint64_t))

/* Launches that are replayed or not. */
struct item {
    uint32_t unit;    /* that is replayed */
    uint32_t weight;  /* launches that it stands for: it, and those that equal it */
    uint32_t stratum; /* NONE: replayed whole, or the first of its stratum */
    uint64_t instructions;
    uint64_t order; /* in which items of a stratum are drawn */
    bool wanted, replayed;
    struct replay_launch *launches; /* of its unit, from cycle 0 on; NULL: it was not replayed */
    struct statistics sum;
    struct unit_estimate *estimate;
};

struct sampling {
    struct rp_trace *trace;
    const struct machine *machine;
    const struct replay_options *options;
    struct replay_result *result;
    struct launch_units units;
    uint32_t *item_of; /* of each unit */
    struct item *items;
    uint32_t item_count;
    uint32_t *sorted; /* items by stratum, those without at the end; within a stratum as they are drawn */
    uint32_t *begin;  /* [strata + 1], in `sorted` */
    struct stratum *strata;
    uint32_t stratum_count;
    uint32_t *wanted; /* [strata] items */
    uint32_t *chosen; /* items of the present round, ascending by unit; NONE: the result is dropped */
    uint64_t instructions, done;
    bool exact; /* equal launches have equal results */
};

static bool fail_memory(const struct sampling *s, struct rp_error *err)
{
    return rp_fail(err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(s->trace));
}

static const struct launch_unit *unit_of(const struct sampling *s, const struct item *i)
{
    return &s->units.list[i->unit];
}
static uint32_t launch_of(const struct sampling *s, const struct item *i) { return unit_of(s, i)->launch; }

/* ---- units ------------------------------------------------------------------------------------------------------- */

static bool one_by_one(struct sampling *s, uint32_t first, uint32_t count, struct rp_error *err)
{
    s->units.list = calloc(count + 1, sizeof *s->units.list);
    for (uint32_t i = 0; s->units.list && i < count; i++)
        s->units.list[i] = (struct launch_unit){.launch = first + i, .end = first + i + 1};
    s->units.count = count;
    return s->units.list || fail_memory(s, err);
}

static bool find_units(struct sampling *s, struct rp_error *err)
{
    uint32_t all = rp_trace_launch_count(s->trace);
    int64_t only = s->options->launch;
    bool overlaps = engine_of(s->machine, s->options->engine)->capabilities & ENGINE_OVERLAPS;
    if (only >= (int64_t)all)
        return rp_fail(err, RP_USAGE, "%s: there is no launch %" PRId64 "; the trace has %" PRIu32,
                       rp_trace_path(s->trace), only, all);
    if (only >= 0)
        return one_by_one(s, (uint32_t)only, 1, err);
    return s->options->serial || !overlaps ? one_by_one(s, 0, all, err)
                                           : launch_units(&s->units, s->trace, s->machine, err);
}

bool unit_has_copies(struct rp_trace *t, const struct machine *m, const struct launch_unit *u)
{
    for (size_t o = u->operation; copies_take_time(m) && o < u->until; o++)
        if (copy_path_of(m, rp_trace_host_operation(t, o)) != COPY_PATHS)
            return true;
    return false;
}

/* Whether the unit is a launch of which others may be samples. */
static bool may_stand_for_others(const struct sampling *s, const struct launch_unit *u)
{
    const struct rp_launch_end *end = rp_trace_launch_end(s->trace, u->launch);
    return u->end - u->launch == 1 && !unit_has_copies(s->trace, s->machine, u) && end &&
           end->outcome == RP_OUTCOME_COMPLETE &&
           rp_trace_launch_totals(s->trace, u->launch).blocks == rp_launch_blocks(rp_trace_launch(s->trace, u->launch));
}

static uint64_t instructions_of(const struct sampling *s, const struct launch_unit *u)
{
    uint64_t sum = 0;
    for (uint32_t l = u->launch; l < u->end; l++)
        sum += rp_trace_launch_totals(s->trace, l).warp_instructions;
    return sum;
}

static void new_item(struct sampling *s, uint32_t unit)
{
    const struct launch_unit *u = &s->units.list[unit];
    struct item *i = &s->items[s->item_count];
    s->item_of[unit] = s->item_count++;
    *i = (struct item){.unit = unit, .weight = 1, .stratum = NONE, .order = random_stream(0, 0, u->launch, 0, 0)};
    i->instructions = instructions_of(s, u);
}

/* An item for each unit, but for launches that equal an earlier one. *sampled: those of which some are drawn. */
static bool make_items(struct sampling *s, uint32_t **sampled, uint32_t *count, struct rp_error *err)
{
    uint32_t units = s->units.count, *unit = malloc((units + 1) * sizeof *unit),
             *launch = malloc((units + 1) * sizeof *launch), *first = malloc((units + 1) * sizeof *first), n = 0;
    s->items = calloc(units + 1, sizeof *s->items);
    s->item_of = calloc(units + 1, sizeof *s->item_of);
    *sampled = malloc((units + 1) * sizeof **sampled);
    bool fine = (unit && launch && first && s->items && s->item_of && *sampled) || fail_memory(s, err);
    for (uint32_t u = 0; fine && u < units; u++) {
        if (may_stand_for_others(s, &s->units.list[u])) {
            unit[n] = u;
            first[n] = n;
            launch[n++] = s->units.list[u].launch;
        } else {
            new_item(s, u);
        }
    }
    fine = fine && (!s->exact || classes_find(s->trace, s->machine, launch, n, first, err));
    *count = 0;
    for (uint32_t i = 0; fine && i < n; i++) {
        if (first[i] == i) {
            (*sampled)[(*count)++] = s->item_count;
            new_item(s, unit[i]);
        } else {
            s->item_of[unit[i]] = s->item_of[unit[first[i]]];
            s->items[s->item_of[unit[i]]].weight++;
        }
    }
    free(unit);
    free(launch);
    free(first);
    return fine;
}

/* ---- strata ------------------------------------------------------------------------------------------------------ */

/* What items are sorted by. */
struct place {
    uint64_t shape, instructions, key;
    uint32_t item, stratum;
};

static int by_shape(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->shape != y->shape)
        return x->shape < y->shape ? -1 : 1;
    if (x->instructions != y->instructions)
        return x->instructions < y->instructions ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static int by_draw(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->stratum != y->stratum)
        return x->stratum < y->stratum ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* The largest number of warp instructions in a stratum by the least: small, but with few items not so small that most
 * strata are replayed whole. */
static double range_of(const struct place *list, size_t count)
{
    double least = (double)list[0].instructions + 1, most = (double)list[count - 1].instructions + 1;
    double strata = (double)(count / ITEMS_OF_STRATUM), range = pow(most / least, 1 / (strata > 1 ? strata : 1));
    return range > LEAST_RANGE ? range : LEAST_RANGE;
}

/* Divides items of one shape, which are sorted. */
static void divide(struct sampling *s, struct place *list, size_t count)
{
    double range = range_of(list, count), least = (double)list[0].instructions + 1;
    for (size_t i = 0; i < count; i++) {
        if ((double)list[i].instructions + 1 > least * range) {
            least = (double)list[i].instructions + 1;
            s->stratum_count++;
        }
        list[i].stratum = s->stratum_count;
    }
    s->stratum_count++;
}

/* The item of each stratum that comes first in the trace leaves it. */
static void take_firsts_out(struct sampling *s, struct place *list, size_t count)
{
    for (size_t i = 0, end, first; i < count; i = end) {
        for (end = first = i; end < count && list[end].stratum == list[i].stratum; end++)
            first = s->items[list[end].item].unit < s->items[list[first].item].unit ? end : first;
        s->items[list[first].item].stratum = NONE;
        list[first].stratum = NONE;
    }
}

static bool list_strata(struct sampling *s, const struct place *list, size_t count, struct rp_error *err)
{
    s->sorted = malloc((count + 1) * sizeof *s->sorted);
    s->begin = calloc(s->stratum_count + 1, sizeof *s->begin);
    s->strata = calloc(s->stratum_count + 1, sizeof *s->strata);
    s->wanted = calloc(s->stratum_count + 1, sizeof *s->wanted);
    if (!s->sorted || !s->begin || !s->strata || !s->wanted)
        return fail_memory(s, err);
    for (size_t i = 0; i < count; i++) {
        s->sorted[i] = list[i].item;
        if (list[i].stratum == NONE)
            continue;
        const struct item *item = &s->items[list[i].item];
        struct stratum *stratum = &s->strata[list[i].stratum];
        s->begin[list[i].stratum + 1] = (uint32_t)i + 1;
        stratum->items++;
        stratum->least = LEAST_DEVIATION * s->options->sample.error;
        stratum->size += item->weight * (double)item->instructions;
        stratum->cost += (double)item->instructions + LAUNCH_COST;
    }
    for (uint32_t h = 0; h < s->stratum_count; h++)
        if (!s->strata[h].items)
            s->begin[h + 1] = s->begin[h];
    return true;
}

static bool make_strata(struct sampling *s, const uint32_t *sampled, uint32_t count, struct rp_error *err)
{
    struct place *list = calloc(count + 1, sizeof *list);
    if (!list)
        return fail_memory(s, err);
    for (uint32_t i = 0; i < count; i++) {
        const struct item *item = &s->items[sampled[i]];
        list[i] = (struct place){.shape = launch_shape(rp_trace_launch(s->trace, launch_of(s, item))),
                                 .instructions = item->instructions,
                                 .key = item->order,
                                 .item = sampled[i]};
    }
    qsort(list, count, sizeof *list, by_shape);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && list[end].shape == list[i].shape;)
            end++;
        divide(s, list + i, end - i);
    }
    for (uint32_t i = 0; i < count; i++)
        s->items[list[i].item].stratum = list[i].stratum;
    take_firsts_out(s, list, count);
    qsort(list, count, sizeof *list, by_draw);
    bool fine = list_strata(s, list, count, err);
    free(list);
    return fine;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static bool keep_result(struct sampling *s, struct item *i, const struct finished *f, struct rp_error *err)
{
    size_t bytes = f->count * sizeof *f->launches;
    i->launches = malloc(bytes);
    i->estimate = f->estimate ? malloc(sizeof *i->estimate) : NULL;
    if (!i->launches || (f->estimate && !i->estimate))
        return fail_memory(s, err);
    memcpy(i->launches, f->launches, bytes);
    if (f->estimate)
        *i->estimate = *f->estimate;
    i->sum = f->sum;
    i->replayed = true;
    return true;
}

/* A unit of the round is done. */
static bool done(void *data, uint32_t number, const struct finished *f, uint64_t instructions, struct rp_error *err)
{
    struct sampling *s = data;
    s->instructions += instructions;
    if (s->chosen[number] == NONE)
        return true;
    struct item *i = &s->items[s->chosen[number]];
    for (unsigned p = 0; p < COPY_PATHS; p++)
        copy_counts_add(&s->result->copies[p], &f->copies[p]);
    if (!keep_result(s, i, f, err))
        return false;
    if (i->stratum != NONE)
        stratum_add(&s->strata[i->stratum], i->weight * (double)i->instructions, i->weight, &i->sum,
                    i->estimate ? i->estimate->half_width : NULL);
    return true;
}

/* Whether the unit is an item's that is wanted and was not replayed in an earlier round. */
static bool is_due(const struct sampling *s, uint32_t unit)
{
    const struct item *i = &s->items[s->item_of[unit]];
    return i->unit == unit && i->wanted && !i->replayed;
}

/* Replays all items that are wanted. Where caches are kept, the unit before each is replayed, too, and its result is
 * dropped: it leaves the caches as they would be. *affordable: false, and nothing is replayed, if more would be
 * replayed in all rounds than there is. */
static bool replay_wanted(struct sampling *s, bool *affordable, struct rp_error *err)
{
    struct launch_unit *list = malloc((s->units.count + 1) * sizeof *list);
    s->chosen = malloc((s->units.count + 1) * sizeof *s->chosen);
    struct unit_choice choice = {.list = list, .done = done, .data = s};
    uint64_t instructions = s->instructions, all = 0;
    bool fine = (list && s->chosen) || fail_memory(s, err);
    for (uint32_t u = 0; fine && u < s->units.count; u++) {
        all += instructions_of(s, &s->units.list[u]);
        bool due = is_due(s, u), before = !s->machine->flush_caches && u + 1 < s->units.count && is_due(s, u + 1);
        if (!due && !before)
            continue;
        instructions += instructions_of(s, &s->units.list[u]);
        list[choice.count] = s->units.list[u];
        s->chosen[choice.count++] = due ? s->item_of[u] : NONE;
    }
    struct replay_result none;
    *affordable = instructions <= all;
    bool replayed = fine && *affordable && replay_units(s->trace, s->machine, s->options, &choice, &none, err);
    if (replayed)
        replay_result_free(&none);
    free(list);
    free(s->chosen);
    return fine && (replayed || !*affordable);
}

/* Wants the first items of each stratum, in the order of their draw. */
static void draw(struct sampling *s)
{
    for (uint32_t h = 0; h < s->stratum_count; h++)
        for (uint32_t i = 0; i < s->wanted[h]; i++)
            s->items[s->sorted[s->begin[h] + i]].wanted = true;
}

/* Items outside of strata: their part of the total of a statistic, and of the square of half its width. */
static void add_whole(const struct sampling *s, size_t first, size_t end, double *sum, double *squares)
{
    for (uint32_t i = 0; i < s->item_count; i++) {
        const struct item *item = &s->items[i];
        uint64_t words[STATISTICS_WORDS] = {0};
        if (item->stratum != NONE)
            continue;
        memcpy(words, &item->sum, sizeof words);
        for (size_t w = first; w < end; w++) {
            double width = item->estimate ? item->weight * item->estimate->half_width[w] : 0;
            sum[w] += item->weight * (double)words[w];
            squares[w] += width * width;
        }
    }
}

/* The totals of statistics first .. end - 1, and half the widths of their intervals. */
static void total_of(const struct sampling *s, size_t first, size_t end, double *sum, double *half)
{
    for (size_t w = first; w < end; w++)
        sum[w] = half[w] = 0;
    add_whole(s, first, end, sum, half);
    for (uint32_t h = 0; h < s->stratum_count; h++) {
        const struct stratum *stratum = &s->strata[h];
        for (size_t w = first; stratum->items && w < end; w++) {
            double width = stratum_half_width(stratum, w, s->options->sample.confidence);
            sum[w] += stratum_total(stratum, w);
            half[w] += width * width;
        }
    }
    for (size_t w = first; w < end; w++)
        half[w] = sqrt(half[w]);
}

/* What the items outside the strata leave of the width that is allowed. */
static double width_left(const struct sampling *s, double half)
{
    double squares = half * half;
    for (uint32_t i = 0; i < s->item_count; i++) {
        const struct item *item = &s->items[i];
        double width = item->stratum == NONE && item->estimate ? item->weight * item->estimate->half_width[CYCLES] : 0;
        squares -= width * width;
    }
    return squares > 0 ? sqrt(squares) : 0;
}

static bool all_drawn(const struct sampling *s)
{
    for (uint32_t h = 0; h < s->stratum_count; h++)
        if (s->strata[h].drawn < s->strata[h].items)
            return false;
    return true;
}

static bool run_rounds(struct sampling *s, struct rp_error *err)
{
    const struct sample_request *q = &s->options->sample;
    struct sample_result *r = &s->result->sample;
    for (uint32_t i = 0; i < s->item_count; i++)
        s->items[i].wanted = s->items[i].stratum == NONE;
    for (uint32_t h = 0; h < s->stratum_count; h++)
        s->wanted[h] = s->strata[h].items < FEW ? s->strata[h].items : FEW;
    for (bool affordable;;) {
        draw(s);
        if (!replay_wanted(s, &affordable, err))
            return false;
        if (!affordable)
            return true;
        double sum[STATISTICS_WORDS], half[STATISTICS_WORDS];
        total_of(s, CYCLES, CYCLES + 1, sum, half);
        r->reached = half[CYCLES] <= q->error * sum[CYCLES];
        if (r->reached || all_drawn(s))
            return true;
        strata_sizes(s->strata, s->stratum_count, CYCLES, width_left(s, MARGIN * q->error * sum[CYCLES]), q->confidence,
                     s->wanted);
        bool more = false;
        for (uint32_t h = 0; h < s->stratum_count; h++)
            more |= s->wanted[h] > s->strata[h].drawn;
        for (uint32_t h = 0; !more && h < s->stratum_count; h++)
            s->wanted[h] = s->wanted[h] * 2 < s->strata[h].items ? s->wanted[h] * 2 : s->strata[h].items;
    }
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static uint64_t rounded(double x) { return x > 0 ? (uint64_t)llround(x) : 0; }

/* What the tables of the trace say of the launch. */
static void set_exact(const struct sampling *s, uint32_t launch, struct statistics *to)
{
    struct rp_launch_totals totals = rp_trace_launch_totals(s->trace, launch);
    to->blocks = totals.blocks;
    to->warps = totals.blocks * rp_launch_warps(rp_trace_launch(s->trace, launch));
    to->warp_instructions = totals.warp_instructions;
    to->thread_instructions = totals.thread_instructions;
}

/* Half the width of the interval of the cycles of one launch that was not replayed. */
static double single_half_width(const struct sampling *s, const struct stratum *stratum)
{
    double deviation = stratum_deviation(stratum, CYCLES);
    return deviation * sqrt(1 + 1.0 / stratum->drawn) * stratum_quantile(stratum, s->options->sample.confidence);
}

/* A launch that was not replayed, from its stratum. */
static void estimate(const struct sampling *s, const struct item *i, struct replay_launch *l)
{
    const struct stratum *stratum = &s->strata[i->stratum];
    uint64_t words[STATISTICS_WORDS] = {0};
    for (size_t w = 0; w < STATISTICS_WORDS; w++)
        words[w] = rounded(stratum_ratio(stratum, w) * (double)i->instructions);
    const struct replay_launch *like = s->items[s->sorted[s->begin[i->stratum]]].launches;
    *l = (struct replay_launch){.launch = launch_of(s, i),
                                .source = REPLAY_ESTIMATED,
                                .half_width = (uint64_t)ceil(single_half_width(s, stratum) / i->weight),
                                .end = words[CYCLES],
                                .control_words = like->control_words};
    memcpy(&l->statistics, words, sizeof words);
    set_exact(s, l->launch, &l->statistics);
}

static bool hand_on(struct sampling *s, struct replay_launch *l, uint64_t begin, struct rp_error *err)
{
    l->begin += begin;
    l->end += begin;
    s->result->sample.count[l->source]++;
    if (s->options->launch_done)
        return s->options->launch_done(s->options->launch_done_data, l, err);
    s->result->launches[s->done++] = *l;
    return true;
}

/* The launch, of a unit that it has for itself, in the place of its item's. */
static bool hand_on_alone(struct sampling *s, uint32_t unit, uint64_t *clock, struct rp_error *err)
{
    const struct item *i = &s->items[s->item_of[unit]];
    struct replay_launch l;
    if (i->replayed)
        l = i->launches[0];
    else
        estimate(s, i, &l);
    l.launch = s->units.list[unit].launch;
    if (i->unit != unit && l.source == REPLAY_REPLAYED) {
        l.source = REPLAY_EQUAL;
        l.equal = launch_of(s, i);
    }
    uint64_t cycles = i->replayed ? i->sum.cycles : l.statistics.cycles;
    bool fine = hand_on(s, &l, *clock, err);
    *clock += cycles;
    return fine;
}

static bool hand_on_all(struct sampling *s, struct rp_error *err)
{
    uint64_t clock = 0;
    bool fine = true;
    for (uint32_t u = 0; fine && u < s->units.count; u++) {
        const struct launch_unit *unit = &s->units.list[u];
        struct item *i = &s->items[s->item_of[u]];
        if (unit->end - unit->launch == 1) {
            fine = hand_on_alone(s, u, &clock, err);
            continue;
        }
        for (uint32_t l = 0; fine && l < unit->end - unit->launch; l++)
            fine = hand_on(s, &i->launches[l], clock, err);
        clock += i->sum.cycles;
    }
    return fine;
}

/* Counts of the trace, of all launches: those that were replayed count them themselves, as far as they went. */
static void count_exact(const struct sampling *s, struct statistics *to)
{
    *to = (struct statistics){0};
    for (uint32_t u = 0; u < s->units.count; u++) {
        const struct item *i = &s->items[s->item_of[u]];
        struct statistics one = i->sum;
        if (!i->replayed)
            set_exact(s, s->units.list[u].launch, &one);
        statistics_add(to, &one);
    }
}

/* The total, and how well its statistics are known. */
static void sum_up(struct sampling *s)
{
    uint64_t words[STATISTICS_WORDS] = {0}, widths[STATISTICS_WORDS] = {0};
    double sum[STATISTICS_WORDS], half[STATISTICS_WORDS];
    struct statistics *total = &s->result->total, *half_width = &s->result->sample.half_width, exact;
    total_of(s, 0, STATISTICS_WORDS, sum, half);
    for (size_t w = 0; w < STATISTICS_WORDS; w++) {
        words[w] = rounded(sum[w]);
        widths[w] = (uint64_t)ceil(half[w]);
    }
    memcpy(total, words, sizeof words);
    memcpy(half_width, widths, sizeof widths);
    count_exact(s, &exact);
    total->blocks = exact.blocks;
    total->warps = exact.warps;
    total->warp_instructions = exact.warp_instructions;
    total->thread_instructions = exact.thread_instructions;
    half_width->blocks = half_width->warps = half_width->warp_instructions = half_width->thread_instructions = 0;
}

static bool finish(struct sampling *s, struct rp_error *err)
{
    struct replay_result *r = s->result;
    r->count = s->units.count ? s->units.list[s->units.count - 1].end - s->units.list[0].launch : 0;
    size_t channels = replay_channel_counters(s->machine);
    r->launches = s->options->launch_done ? NULL : calloc(r->count + 1, sizeof *r->launches);
    r->channels = channels ? calloc(channels, sizeof *r->channels) : NULL;
    if ((!r->launches && !s->options->launch_done) || (channels && !r->channels))
        return fail_memory(s, err);
    r->sample.sampled = true;
    r->sample.strata = s->stratum_count;
    r->sample.instructions = s->instructions;
    sum_up(s);
    r->sample.all = r->total.warp_instructions;
    return hand_on_all(s, err);
}

static void free_all(struct sampling *s)
{
    for (uint32_t i = 0; i < s->item_count; i++) {
        free(s->items[i].launches);
        free(s->items[i].estimate);
    }
    free(s->items);
    free(s->item_of);
    free(s->sorted);
    free(s->begin);
    free(s->strata);
    free(s->wanted);
    launch_units_free(&s->units);
}

bool sample_replay(struct rp_trace *trace, const struct machine *machine, const struct replay_options *options,
                   struct replay_result *result, struct rp_error *err)
{
    *result = (struct replay_result){0};
    const struct engine *engine = engine_of(machine, options->engine);
    if (options->observer || options->caches)
        return rp_fail(err, RP_USAGE, "a sampled replay has no observer and keeps no caches");
    if (engine->capabilities & ENGINE_KEEPS_STATE)
        return rp_fail(err, RP_USAGE,
                       "machine %s cannot be sampled: pipeline '%s' keeps its state from launch to launch",
                       machine->name, engine->pipeline->name);
    struct sampling s = {
        .trace = trace, .machine = machine, .options = options, .result = result, .exact = classes_are_exact(machine)};
    uint32_t *sampled = NULL, count;
    bool fine = find_units(&s, err) && make_items(&s, &sampled, &count, err) && make_strata(&s, sampled, count, err) &&
                run_rounds(&s, err) && finish(&s, err);
    free(sampled);
    free_all(&s);
    if (!fine)
        replay_result_free(result);
    return fine;
}
