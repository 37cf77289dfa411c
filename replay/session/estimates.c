/* Sampling within a launch: what the lead and the windows tell of the whole launch (see blocks.c, and docs/sampling.md
 * for the formulae). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "hw-models/cache/cache.h"
#include "replay/session/blocks.h"

#define SPLICE 0.125     /* waves by which cycles may be off where blocks are passed over: those under way are others */
#define TREND_WINDOWS 8u /* so many show what changes from window to window without chance */
#define APART 0.2        /* blocks of a wave that are so far apart are spread evenly, or as good as that */
#define COMES_APART 0.03 /* so much further apart than in the lead, they are on the way */
#define ON_THE_WAY 1.25  /* the same, so many times as far apart */
#define EVENLY 0.29      /* how far apart blocks are that are spread evenly: 1/sqrt(12) */
/* The largest change of a rate that was seen where blocks came apart behind all windows: of polynomial
 * (tests/validation/sampling.cu) on rtx3070 with 3 SMs, from 952 cycles of a wave to 887 (tests/cli/sample.sh). */
#define UNSEEN 0.07
#define LEAST_OF_FEW 0.99 /* half the width there is at least this part of the error; not 1, as it is rounded up */

/* The rates of the windows besides the lead, which may still be on the way to the rate of the rest. */
struct running sampling_rates(const struct sampling *s)
{
    struct running rates = {0};
    for (unsigned w = 1; w <= s->windows; w++)
        running_add(&rates, s->window[w].rate);
    return rates;
}

static double cycles_of_wave(const struct sampling *s, const struct running *rates)
{
    double waves = (double)s->blocks / (double)s->wave;
    return rates->mean * instructions_before(s, s->blocks) / waves;
}

/* Half the width of the interval of their mean. A few windows that are alike do not show that all of the launch is. */
double sampling_chance(const struct sampling *s, const struct running *rates)
{
    double t = interval_student(s->confidence, rates->count - 1);
    double deviation = fmax(running_deviation(rates), LEAST_DEVIATION * s->error * rates->mean);
    return t * deviation / sqrt((double)rates->count);
}

/* The deviation of the rates of windows from their neighbours' (J. von Neumann, "Distribution of the Ratio of the Mean
 * Square Successive Difference to the Variance", Annals of Mathematical Statistics 12, 1941): without what changes
 * once, or little by little, from the first to the last. */
static double successive_deviation(const struct sampling *s)
{
    double squares = 0;
    for (unsigned w = 1; w < s->windows; w++) {
        double difference = s->window[w + 1].rate - s->window[w].rate;
        squares += difference * difference / 2;
    }
    return sqrt(squares / (s->windows - 1));
}

/* What all windows have in common, as they begin where blocks were passed over, is no difference between them. The
 * lead, where none were, shows it, unless chance explains the difference: the rate of the lead is that of its second
 * half. Chance is no change that stays, as that may be what passing over does. */
double sampling_lead_apart(const struct sampling *s, const struct running *rates)
{
    double waves = (double)((s->window[0].to - s->window[0].from) / s->wave), measured = (double)s->measured;
    double deviation = running_deviation(rates);
    if (s->windows >= TREND_WINDOWS)
        deviation = fmin(deviation, successive_deviation(s));
    double of_wave = deviation * sqrt(measured);
    double chance = of_wave * sqrt(1 / waves + 1 / (measured * (double)rates->count));
    double difference = fabs(s->window[0].rate - rates->mean);
    difference = difference > 2 * chance ? difference : 0;
    return s->together > 0 ? fmax(difference, fabs(s->together - rates->mean)) : difference;
}

/* How far apart the blocks of a wave are in the first half of the windows, and in the second. */
static void spreads_of(const struct sampling *s, struct running *early, struct running *late)
{
    *early = *late = (struct running){0};
    for (unsigned w = 1; w <= s->windows; w++)
        running_add(w <= s->windows / 2 ? early : late, s->window[w].apart);
}

/* Whether the windows show blocks that began together on the way to where they are spread evenly, which takes them tens
 * of waves where each is as long as the others. Blocks that are passed over bring them no further, so that windows are
 * like the beginning of the launch, not like its end. Without barriers the warps of a block do not do the same at a
 * time, so that with many SMs it does not matter what another block does. */
bool sampling_comes_apart(const struct sampling *s)
{
    struct running early, late;
    spreads_of(s, &early, &late);
    return s->lead.statistics.stall[STALL_BARRIER] && early.mean < APART &&
           late.mean > s->window[0].apart + COMES_APART;
}

/* By how much the rate would change until blocks are spread evenly, if it goes on as it does from the lead to the last
 * window, while blocks come apart: by the slope of least squares, as a part of the rate. */
static double change_to_come(const struct sampling *s)
{
    struct running apart = {0}, rate = {0};
    double products = 0;
    for (unsigned w = 0; w <= s->windows; w++) {
        running_add(&apart, s->window[w].apart);
        running_add(&rate, s->window[w].rate);
    }
    for (unsigned w = 0; w <= s->windows; w++)
        products += (s->window[w].apart - apart.mean) * (s->window[w].rate - rate.mean);
    return apart.squares > 0 ? fabs(products / apart.squares * (EVENLY - apart.mean) / rate.mean) : 0;
}

/* The part of the windows' time in which L2 could have taken more requests; 1: it is not known. */
static double l2_left(const struct sampling *s, const struct running *rates)
{
    const struct machine *m = session_of(s)->machine;
    const struct cache_model *l2 = (const struct cache_model *)m->l2.model;
    const struct cache_counts *count = &s->all.statistics.memory.l2;
    struct cache_shape shape;
    l2->shape(m->l2.options, &shape);
    double most =
        shape.interval && !m->l2_clock ? (double)m->l2_slices * (double)shape.banks / (double)shape.interval : 0;
    double requests = (double)(count->hits + count->misses) / (double)s->placed.before[s->placed.count];
    return most > 0 ? fmax(0, 1 - requests / rates->mean / most) : 1;
}

/* By how much the rate may change behind all windows, as a part of it. Where the blocks of the last windows are not
 * spread evenly, they may come apart at any time later. Windows tell nothing of the rate after that, unless L2 takes as
 * many requests as it can: then blocks wait for it, whether they are together or not. On few SMs, where the windows
 * show blocks on the way, their rates may tell of a larger change: few blocks share what the launch waits for. */
double sampling_unseen_change(const struct sampling *s, const struct running *rates)
{
    struct running early, late;
    spreads_of(s, &early, &late);
    if (late.mean >= APART)
        return 0;
    double unseen = fmin(UNSEEN * (1 - late.mean / EVENLY), l2_left(s, rates));
    bool on_the_way = has_few_sms(s) && late.mean > ON_THE_WAY * s->window[0].apart;
    return on_the_way ? fmax(unseen, change_to_come(s)) : unseen;
}

/* Cycles of the launch, and half the width of their interval. Those between what two windows measure are estimated,
 * also the ones that were replayed before caches and queues had settled. */
double sampling_cycles(const struct sampling *s, double *half)
{
    const struct running rates = sampling_rates(s);
    double cycles = (double)s->all.statistics.cycles + s->window[0].ended.cycle - s->window[s->windows].ended.cycle;
    double passed = 0, behind = instructions_before(s, s->blocks) - s->window[0].ended.before;
    *half = 0;
    for (unsigned w = 0; w < s->windows; w++) {
        const struct window *a = &s->window[w], *b = a + 1;
        double between = b->began.before - a->ended.before;
        cycles += b->ended.cycle - b->began.cycle;
        if (a->end == b->first) { /* nothing is passed over */
            cycles += b->began.cycle - a->ended.cycle;
            continue;
        }
        cycles += (a->rate + b->rate) / 2 * between;
        passed += between;
        *half += w ? 0 : fabs(a->rate - b->rate) / 2 * between;
        *half += SPLICE * cycles_of_wave(s, &rates);
    }
    *half += fmax(sampling_chance(s, &rates) * passed, sampling_lead_apart(s, &rates) * behind);
    const double unseen = sampling_unseen_change(s, &rates) * rates.mean * passed;
    *half = sqrt(*half * *half + unseen * unseen); /* neither tells of the other; hypot() wants glibc 2.35 */
    if (has_few_sms(s))
        *half = fmax(*half, LEAST_OF_FEW * s->error * cycles);
    return cycles;
}

bool sampling_is_narrow(const struct sampling *s)
{
    double half, cycles = sampling_cycles(s, &half);
    return half <= s->error * cycles;
}

/* A statistic of the launch: what the lead counted, and what the windows counted for each warp instruction. */
static double count_of(const struct sampling *s, size_t word, double all)
{
    uint64_t lead[STATISTICS_WORDS], replayed[STATISTICS_WORDS];
    memcpy(lead, &s->lead.statistics, sizeof lead);
    memcpy(replayed, &s->all.statistics, sizeof replayed);
    double first = (double)lead[word], rest = (double)replayed[word] - first;
    double of = (double)s->placed.before[s->placed.count] - s->lead_instructions;
    return first + (rest > 0 ? rest * (all - s->lead_instructions) / of : 0);
}

/* Nothing is known of the windows one by one. Four times the error that is allowed for the cycles is allowed for a
 * count, too; for stalls of all sub-core cycles, and for counts of the memory system of all requests of SMs, as of such
 * counts one gains what others lose. */
static double allowed(const struct sampling *s, const struct statistics *sum, size_t word, double value)
{
    const struct machine *m = session_of(s)->machine;
    size_t stall = offsetof(struct statistics, stall) / sizeof(uint64_t), memory = offsetof(struct statistics, memory);
    bool of_memory = word >= memory / sizeof(uint64_t) && word < (memory + sizeof sum->memory) / sizeof(uint64_t);
    bool of_stalls = word == offsetof(struct statistics, idle_cycles) / sizeof(uint64_t) ||
                     (word >= stall && word < stall + STALL_COUNT + MACHINE_UNITS);
    double of = of_stalls   ? (double)sum->cycles * (double)(m->sms * m->subcores)
                : of_memory ? fmax(value, (double)sum->memory.port.requests)
                            : value;
    return value > 0 ? 4 * s->error * of + sqrt(value) : 0;
}

static uint64_t rounded(double x) { return x > 0 ? (uint64_t)llround(x) : 0; }

/* Divides the sub-core cycles without issue, so that each is a stall or idle. */
static void divide_cycles(const struct machine *m, struct statistics *s)
{
    double sum = (double)s->idle_cycles, all = (double)s->cycles * (double)(m->sms * m->subcores);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += (double)s->stall[i];
    double scale = sum > 0 && all > (double)s->issue_cycles ? (all - (double)s->issue_cycles) / sum : 0;
    s->idle_cycles = rounded(scale * (double)s->idle_cycles);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        s->stall[i] = rounded(scale * (double)s->stall[i]);
    for (unsigned i = 0; i < MACHINE_UNITS; i++)
        s->unit_stall[i] = rounded(scale * (double)s->unit_stall[i]);
}

static void set(struct statistics *s, struct unit_estimate *e, uint64_t *count, double value, double half)
{
    *count = rounded(value);
    e->half_width[(size_t)(count - (uint64_t *)(void *)s)] = half;
}

void sampling_estimate(const struct sampling *s, struct finished *out)
{
    const struct session *of = session_of(s);
    struct rp_launch_totals totals = rp_trace_launch_totals(of->trace, s->launch);
    struct unit_estimate *e = out->estimate;
    struct statistics *sum = &out->sum;
    uint64_t words[STATISTICS_WORDS] = {0};
    double half, cycles = sampling_cycles(s, &half);
    for (size_t w = 0; w < STATISTICS_WORDS; w++)
        words[w] = rounded(count_of(s, w, (double)totals.warp_instructions));
    memcpy(sum, words, sizeof words);
    sum->cycles = rounded(cycles);
    divide_cycles(of->machine, sum);
    memcpy(words, sum, sizeof words);
    for (size_t w = 0; w < STATISTICS_WORDS; w++)
        e->half_width[w] = allowed(s, sum, w, (double)words[w]);
    set(sum, e, &sum->cycles, cycles, half);
    set(sum, e, &sum->blocks, (double)totals.blocks, 0);
    set(sum, e, &sum->warps, (double)totals.blocks * rp_launch_warps(rp_trace_launch(of->trace, s->launch)), 0);
    set(sum, e, &sum->warp_instructions, (double)totals.warp_instructions, 0);
    set(sum, e, &sum->thread_instructions, (double)totals.thread_instructions, 0);
    out->launches[0] = (struct replay_launch){.launch = s->launch,
                                              .source = REPLAY_IN_PART,
                                              .half_width = (uint64_t)ceil(half),
                                              .end = sum->cycles,
                                              .statistics = *sum,
                                              .control_words = s->all.control_words};
}
