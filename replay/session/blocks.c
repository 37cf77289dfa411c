/* Sampling within a launch of many waves. A wave is as many blocks as the machine holds at once.
 *
 *     |- lead: until waves are stable -|  passed over  |- window -|  passed over  |- last window, to the end -|
 *
 * The lead is replayed alone first, to find its end. Where waves are not stable this replay goes on to the last block:
 * then it is that of the whole launch. Otherwise another replay goes from the first block to the last. Where a
 * window ends, the next block that is placed is the first of the next window: SMs, caches, queues and device memory go
 * on as they are, and L2 sees the footprint of the blocks that were passed over (replay/memory/footprint.h). In a
 * window, nothing is measured before its first two waves have been placed. Then the rate, in cycles per warp
 * instruction, is measured from the placements of a wave's blocks to those of another wave's, some waves later: in the
 * mean over the wave, as from a single block to another the rate depends on which of its neighbours leave with it.
 *
 * Device memory that is refreshed stands still at equal distances of time, whatever blocks are placed. Of windows that
 * are shorter, most lie between two refreshes, and their rates tell nothing of them. There a window measures about a
 * whole number of periods of the refresh, and windows begin at phases of it that are spread evenly, as replays of
 * windows often take a multiple of half a period. It is always a whole number of waves, as blocks often leave together.
 *
 * So it is with pages: where a machine walks page tables, all blocks wait when they come to a new one, in one wave out
 * of many. Where these walks matter, a window measures as many waves as lie between two of them in the mean.
 *
 * On one SM no other evens out how its blocks are arranged. That may change little by little over hundreds of waves:
 * there nothing is sampled. On a few SMs arrangements may last, too, and change behind the first waves: there the
 * interval is about as wide as is allowed.
 *
 * Where warps take turns and wait at barriers, such an arrangement may recur wave by wave to the end, and waves then
 * take less long. When an SM falls into one is a matter of chance. On few SMs nothing is sampled there.
 *
 * The first blocks of all SMs begin together, and come apart while they run: until they are spread evenly over the time
 * of a wave, which may take tens of waves. Where blocks have barriers, a wave takes longer, or less long, before that
 * than after it. So the lead goes on until then, as far as windows show that it has to. Without barriers, too, the rate
 * may change when they come apart, and that may be hundreds of waves behind the lead, where no window shows it. So the
 * interval is wider, by the largest change that was seen, where blocks of the last windows are still together.
 *
 * Where no attempt that is affordable gives an interval as narrow as was asked for, all blocks are replayed.
 *
 * Cycles of the launch: those that were measured, and for the warp instructions between them the rates, linear
 * between the windows before and behind. The interval comes from how much the rates differ between windows.
 * docs/sampling.md has the formulae.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/cache/cache.h"
#include "hw-models/scheduler/scheduler.h"
#include "replay/base/cluster.h"
#include "replay/base/occupancy.h"
#include "replay/session/engines.h"
#include "replay/session/interval.h"
#include "replay/session/pages.h"
#include "replay/session/session.h"

#define LEAST_WAVES 16u /* of a launch of which only some blocks are replayed */
#define LEAD_STEP 4u    /* waves after which it is decided whether they are stable */
#define SETTLING 2u     /* waves of a window before those that are measured */
#define ENDING 1u       /* the wave at whose placements measuring ends */
#define ATTEMPTS 3u
#define FIRST_WINDOWS 4u /* of the first attempt, each of one wave, or one period */
/* The same where waves differ in their instructions: with a confidence of 95 % one of them shows what 22 % of waves or
 * more have in common, as 1 - 0.05^(1/12) is 0.22. */
#define FIRST_OF_UNLIKE 12u
#define UNLIKE 0.0005   /* so much do instructions of waves deviate then, as a part of their mean */
#define MOST_LOOKS 1024 /* parts of a launch whose instructions are compared */
#define MOST_PART 0.6   /* of the launch, in the lead and all attempts */
#define SPLICE 0.125    /* waves by which cycles may be off where blocks are passed over: those under way are others */
#define LEAST_DEVIATION 0.25 /* of the rates of windows, as a part of the error that is allowed */
#define MOST_WINDOWS 60u     /* the same; less than MEMORY_MOST_TOUCHES */
#define TREND_WINDOWS 8u     /* so many show what changes from window to window without chance */
#define MOST_MISMATCH 0.1    /* between the cycles of a window and whole periods */
#define MARGIN 0.8           /* more windows aim at this part of the error */
#define APART 0.2            /* blocks of a wave that are so far apart are spread evenly, or as good as that */
#define COMES_APART 0.03     /* so much further apart than in the lead, they are on the way */
#define ON_THE_WAY 1.25      /* the same, so many times as far apart */
#define EVENLY 0.29          /* how far apart blocks are that are spread evenly: 1/sqrt(12) */
/* The largest change of a rate that was seen where blocks came apart behind all windows: of polynomial
 * (tests/validation/sampling.cu) on rtx3070 with 3 SMs, from 952 cycles of a wave to 887 (tests/cli/sample.sh). */
#define UNSEEN 0.07
#define FEW_SMS 8u
#define LEAST_OF_FEW 0.99 /* half the width there is at least this part of the error; not 1, as it is rounded up */

/* A point of a launch: the mean of the placements of a wave's blocks. */
struct point {
    double cycle, before; /* before: warp instructions of the launch's blocks before the block that is placed */
};

/* Blocks that are replayed: first .. end - 1. What is measured is from one wave's placement to another's, which begin
 * with blocks `from` and `to`. */
struct window {
    uint64_t first, end, from, to; /* all are a multiple of a wave apart, as blocks may be placed a wave at a time */
    struct point began, ended;     /* the two waves */
    double rate;                   /* cycles per warp instruction between them */
    double apart;                  /* how far blocks of a wave are apart there; spread_of */
    struct memory_touches touches; /* of the blocks that are passed over behind it */
};

/* The blocks that a replay has placed, in their order. */
struct placements {
    uint64_t count, room;
    uint64_t *cycle;
    uint64_t *before; /* [room + 1]: warp instructions of the blocks before */
};

struct sampling {
    struct worker *worker;
    const struct launch_unit *unit;
    uint32_t launch;
    uint64_t blocks, wave, waves; /* waves: whole ones before the last, which may be smaller */
    uint64_t measured;            /* waves of a window */
    unsigned least_windows;       /* of an attempt, besides the lead */
    double period;                /* of the refresh, in cycles; 0: there is none */
    uint64_t phases;              /* of the period, in which waves begin; 0: there is none */
    uint64_t walk, new_pages;     /* cycles of a walk of page tables; waves that come to a new page */
    double wave_cycles;           /* in the lead */
    double together;              /* the rate of the lead in which blocks had not come apart; 0: they had */
    double error, confidence;
    struct window window[MOST_WINDOWS + 1]; /* the first is the lead */
    unsigned windows, now;                  /* besides the lead; the one whose blocks are placed now */
    uint64_t first;                         /* its first block, as a placement */
    struct placements placed;
    struct replay_launch lead, all; /* what the replay of the lead alone, and that of all windows, counted */
    double lead_instructions;
    uint64_t replayed;          /* warp instructions, in all replays of some of the blocks */
    bool stable, whole, failed; /* whole: the replay of the lead is that of the launch */
    struct rp_error *err;
};

static const struct session *session_of(const struct sampling *s) { return s->worker->session; }
static bool has_few_sms(const struct sampling *s) { return session_of(s)->machine->sms <= FEW_SMS; }
static double instructions_before(const struct sampling *s, uint64_t block)
{
    return rp_trace_instructions_before(session_of(s)->trace, s->launch, block);
}

/* ---- placements -------------------------------------------------------------------------------------------------- */

static void placements_free(struct placements *p)
{
    free(p->cycle);
    free(p->before);
    *p = (struct placements){0};
}

static bool placements_new(struct sampling *s, uint64_t room)
{
    struct placements *p = &s->placed;
    placements_free(p);
    p->room = room;
    p->cycle = malloc(room * sizeof *p->cycle);
    p->before = calloc(room + 1, sizeof *p->before);
    return (p->cycle && p->before) || rp_fail(s->err, RP_SYSTEM, "out of memory for the blocks of a launch");
}

/* Notes the placement of a block. */
static bool note_block(struct sampling *s, uint64_t block, uint64_t cycle)
{
    struct placements *p = &s->placed;
    uint64_t instructions;
    struct rp_block *b = rp_block_open(session_of(s)->trace, s->launch, block, s->err);
    bool fine = b && rp_block_instructions(b, &instructions, s->err);
    rp_block_close(b);
    s->failed |= !fine;
    if (!fine)
        return false;
    p->cycle[p->count++] = cycle;
    p->before[p->count] = p->before[p->count - 1] + instructions;
    return true;
}

/* The wave that begins with this placement, all of whose blocks were placed. before: of those that are replayed. */
static struct point point_at(const struct sampling *s, uint64_t placement)
{
    const struct placements *p = &s->placed;
    double cycle = 0, before = 0;
    for (uint64_t i = placement; i < placement + s->wave; i++) {
        cycle += (double)(p->cycle[i] - p->cycle[placement]);
        before += (double)(p->before[i] - p->before[placement]);
    }
    double wave = (double)s->wave;
    return (struct point){(double)p->cycle[placement] + cycle / wave, (double)p->before[placement] + before / wave};
}

/* How far apart the blocks of the wave are that begins with this placement: the deviation of their placements, as a
 * part of the cycles until those of the next wave. 0: they begin together; 1/sqrt(12), about 0.29: evenly over a wave.
 */
static double spread_of(const struct sampling *s, uint64_t placement)
{
    double mean = point_at(s, placement).cycle, next = point_at(s, placement + s->wave).cycle, squares = 0;
    for (uint64_t i = placement; i < placement + s->wave; i++) {
        double difference = (double)s->placed.cycle[i] - mean;
        squares += difference * difference;
    }
    return sqrt(squares / (double)s->wave) / (next - mean);
}

/* The mean of the waves from one placement to another. */
static double mean_spread(const struct sampling *s, uint64_t from, uint64_t to)
{
    struct running spread = {0};
    for (uint64_t i = from; i < to; i += s->wave)
        running_add(&spread, spread_of(s, i));
    return spread.mean;
}

/* Cycles per warp instruction. */
static double rate_of(struct point from, struct point to)
{
    return (to.cycle - from.cycle) / (to.before - from.before);
}

/* ---- windows, as they are planned -----------------------------------------------------------------------------------
 */

/* Waves of a window, at most. */
static uint64_t longest(const struct sampling *s) { return SETTLING + s->phases + s->measured + ENDING; }

/* How far apart two phases of the period are, as a part of it. */
static double apart(double a, double b)
{
    double d = fabs(a - b);
    return fmin(d - floor(d), 1 - (d - floor(d)));
}

/* How many waves a window waits after it has settled, so that it begins to be measured near its phase of the period if
 * waves take as long as in the lead. What waves of the window take must not decide, or long ones would be measured less
 * often. */
static uint64_t waiting(const struct sampling *s, unsigned number, double settled)
{
    double phase = (number - 0.5) / s->windows;
    uint64_t best = 0;
    for (uint64_t w = 1; w < s->phases; w++)
        if (apart((settled + (double)w * s->wave_cycles) / s->period, phase) <
            apart((settled + (double)best * s->wave_cycles) / s->period, phase))
            best = w;
    return best;
}

/* Window `number`, from 1 on, begins with this wave, at about this cycle of the replay. Returns the cycle of its end.
 */
static double set_window(struct sampling *s, unsigned number, uint64_t wave, double cycle)
{
    struct window *w = &s->window[number];
    uint64_t before = SETTLING + waiting(s, number, cycle + SETTLING * s->wave_cycles);
    w->first = wave * s->wave;
    w->first = w->first < w[-1].end ? w[-1].end : w->first;
    w->from = w->first + before * s->wave;
    w->to = w->from + s->measured * s->wave;
    w->end = number == s->windows ? s->blocks : w->to + ENDING * s->wave;
    return cycle + (double)(before + s->measured + ENDING) * s->wave_cycles;
}

/* Windows are spread evenly, and shifted at random within their parts, so that no period of the grid meets all of them
 * alike. The last one ends with the launch. */
static void set_windows(struct sampling *s, unsigned windows)
{
    uint64_t first = s->window[0].end / s->wave;
    double lead = (double)first, end = (double)(s->waves - longest(s));
    double part = (end - lead) / (windows - 1), free = part - (double)longest(s);
    double cycle = (double)first * s->wave_cycles;
    s->windows = windows;
    for (unsigned w = 1; w < windows; w++) {
        double shift = (double)(random_stream(0, windows, s->launch, w, 0) >> 11) * 0x1p-53;
        uint64_t wave = (uint64_t)(lead + part * (w - 1) + (free > 0 ? free * shift : 0));
        cycle = set_window(s, w, wave, cycle);
    }
    set_window(s, windows, (uint64_t)end, cycle);
}

/* How far so many cycles are from a whole number of periods, as a part of them. */
static double mismatch(const struct sampling *s, double cycles)
{
    double periods = cycles / s->period, whole = fmax(1, round(periods));
    return fabs(periods - whole) / whole;
}

/* Waves between two that come to a new page; 0 where these take too little of the launch to matter. */
static double waves_of_page(const struct sampling *s)
{
    double waves = (double)s->waves, pages = (double)s->new_pages;
    return pages * (double)s->walk > LEAST_DEVIATION * s->error * waves * s->wave_cycles ? waves / pages : 0;
}

/* How long windows are: at least so many waves, and with a period about a whole number of them. */
static void set_measured(struct sampling *s, double waves)
{
    double wave = s->window[0].rate * instructions_before(s, s->blocks) / ((double)s->blocks / (double)s->wave);
    s->wave_cycles = wave;
    waves = fmax(waves, waves_of_page(s));
    uint64_t least = (uint64_t)ceil(s->period > 0 ? fmax(waves, (1 - MOST_MISMATCH) * s->period / wave) : waves);
    s->measured = least;
    s->phases = s->period > 0 ? (uint64_t)ceil(s->period / wave) : 0;
    while (s->period > 0 && mismatch(s, (double)s->measured * wave) > MOST_MISMATCH && s->measured < 2 * least)
        s->measured++;
}

/* Whether so many windows, besides what was replayed, are at most this part of the launch. Sets them. */
static bool set_if_affordable(struct sampling *s, unsigned windows, double replayed, double part)
{
    double all = instructions_before(s, s->blocks);
    if (windows > MOST_WINDOWS || longest(s) * windows * s->wave + s->window[0].end > s->blocks)
        return false;
    set_windows(s, windows);
    for (unsigned w = 0; w <= windows; w++)
        replayed += instructions_before(s, s->window[w].end) - instructions_before(s, s->window[w].first);
    return replayed <= part * all;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

/* The wave at which measuring ends was placed. The lead measures its second half. */
static void end_measuring(struct sampling *s, struct window *w)
{
    if (w == s->window) {
        w->from = w->end / s->wave / 2 * s->wave;
        w->to = w->end - ENDING * s->wave;
    }
    double before = instructions_before(s, w->first) - (double)s->placed.before[s->first];
    uint64_t from = s->first + (w->from - w->first), to = s->first + (w->to - w->first);
    w->began = point_at(s, from);
    w->ended = point_at(s, to);
    w->rate = rate_of(w->began, w->ended);
    w->apart = mean_spread(s, from, to);
    w->began.before += before;
    w->ended.before += before;
}

/* ---- the lead ---------------------------------------------------------------------------------------------------- */

/* Whether the rates from wave to wave are the same from `from` to `to` and from there to `end`: they differ by no more
 * than twice the error that is allowed, which is for the whole launch, or by what chance explains. */
static bool same_rates(const struct sampling *s, uint64_t from, uint64_t to, uint64_t end)
{
    struct running part[2] = {{0}, {0}};
    for (uint64_t w = from; w < end; w++)
        running_add(&part[w >= to], rate_of(point_at(s, w * s->wave), point_at(s, (w + 1) * s->wave)));
    double difference = fabs(part[0].mean - part[1].mean), chance = 0;
    if (part[0].count > 1)
        chance = sqrt((part[0].squares + part[1].squares) / (double)(part[0].count + part[1].count - 2) *
                      (1 / (double)part[0].count + 1 / (double)part[1].count));
    return difference <= 2 * s->error * part[1].mean || difference <= 2 * chance;
}

/* Whether each of the last two quarters is long enough to be compared. */
static bool is_long(const struct sampling *s, uint64_t waves)
{
    if ((double)waves < 4 * waves_of_page(s))
        return false;
    const uint64_t *cycle = s->placed.cycle;
    uint64_t middle = cycle[waves * 3 / 4 * s->wave];
    return (double)(middle - cycle[waves / 2 * s->wave]) >= s->period &&
           (double)(cycle[waves * s->wave] - middle) >= s->period;
}

/* Goes on until the second half of the waves so far has one rate, and to the end of the launch if a quarter of it has
 * not. */
static uint64_t lead_placed(void *data, uint64_t block, uint64_t cycle)
{
    struct sampling *s = data;
    if (s->whole)
        return block + 1;
    if (!note_block(s, block, cycle))
        return s->blocks;
    uint64_t waves = block / s->wave;
    if (!waves || waves % LEAD_STEP || block % s->wave)
        return block + 1;
    s->window[0] = (struct window){.end = block};
    end_measuring(s, &s->window[0]);
    set_measured(s, 1);
    s->stable = is_long(s, waves) && same_rates(s, waves / 2 - 1, waves * 3 / 4 - 1, waves - 1) &&
                set_if_affordable(s, s->least_windows, s->placed.before[s->placed.count], MOST_PART);
    s->whole = !s->stable && waves >= s->waves / 4;
    return s->stable ? s->blocks : block + 1;
}

static bool run(struct sampling *s, uint64_t (*placed)(void *, uint64_t, uint64_t), struct replay_launch *launch)
{
    const struct engine_blocks blocks = {s->blocks, placed, s};
    bool fine = session_run_blocks(s->worker, s->unit, &blocks, launch, s->err) && !s->failed;
    s->replayed += fine && !s->whole ? s->placed.before[s->placed.count] : 0;
    return fine;
}

static bool run_lead(struct sampling *s)
{
    if (!placements_new(s, (s->waves / 4 + LEAD_STEP) * s->wave + 1) || !run(s, lead_placed, &s->lead))
        return false;
    s->lead_instructions = (double)s->placed.before[s->placed.count];
    return true;
}

/* All blocks, where what some of them tell does not count. */
static bool run_whole(struct sampling *s)
{
    s->whole = true;
    return run(s, lead_placed, &s->lead);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static void forget_touches(struct sampling *s)
{
    for (unsigned w = 0; w <= MOST_WINDOWS; w++) {
        free(s->window[w].touches.list);
        s->window[w].touches = (struct memory_touches){0};
    }
}

/* L2 sees the blocks between this window and the next. */
static bool pass_over(struct sampling *s, struct window *w, uint64_t cycle)
{
    struct memory_system *memory = s->worker->memory;
    const struct footprint between = {
        .launch = s->launch, .until_launch = s->launch, .block = w->end, .until_block = w[1].first, .step = s->wave};
    uint64_t latency = memory_system_request_latency(memory);
    if (!footprint_touches(session_of(s)->trace, memory, &between, &w->touches, s->err))
        return false;
    memory_system_touch_at(memory, &w->touches, cycle + (latency ? latency : 1));
    return true;
}

static uint64_t window_placed(void *data, uint64_t block, uint64_t cycle)
{
    struct sampling *s = data;
    struct window *w = &s->window[s->now];
    if (!note_block(s, block, cycle))
        return s->blocks;
    if (block == w->first)
        s->first = s->placed.count - 1;
    if (s->now ? block + 1 == w->to + ENDING * s->wave : block + 1 == w->end)
        end_measuring(s, w);
    if (block + 1 < w->end)
        return block + 1;
    if (s->now == s->windows)
        return s->blocks;
    s->now++;
    if (w[1].first == w->end || pass_over(s, w, cycle))
        return w[1].first;
    s->failed = true;
    return s->blocks;
}

/* Replays the windows that are set. */
static bool run_windows(struct sampling *s)
{
    uint64_t room = 0;
    forget_touches(s);
    for (unsigned w = 0; w <= s->windows; w++)
        room += s->window[w].end - s->window[w].first;
    s->now = 0;
    return placements_new(s, room) && run(s, window_placed, &s->all);
}

/* ---- estimates --------------------------------------------------------------------------------------------------- */

/* The rates of the windows besides the lead, which may still be on the way to the rate of the rest. */
static struct running rates_of(const struct sampling *s)
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
static double chance_of(const struct sampling *s, const struct running *rates)
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
static double lead_apart(const struct sampling *s, const struct running *rates)
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
static bool comes_apart(const struct sampling *s)
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
static double unseen_change(const struct sampling *s, const struct running *rates)
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
static double cycles_of(const struct sampling *s, double *half)
{
    const struct running rates = rates_of(s);
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
    *half += fmax(chance_of(s, &rates) * passed, lead_apart(s, &rates) * behind);
    const double unseen = unseen_change(s, &rates) * rates.mean * passed;
    *half = sqrt(*half * *half + unseen * unseen); /* neither tells of the other; hypot() wants glibc 2.35 */
    if (has_few_sms(s))
        *half = fmax(*half, LEAST_OF_FEW * s->error * cycles);
    return cycles;
}

static bool narrow(const struct sampling *s)
{
    double half, cycles = cycles_of(s, &half);
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

static void estimate(const struct sampling *s, struct finished *out)
{
    const struct session *of = session_of(s);
    struct rp_launch_totals totals = rp_trace_launch_totals(of->trace, s->launch);
    struct unit_estimate *e = out->estimate;
    struct statistics *sum = &out->sum;
    uint64_t words[STATISTICS_WORDS] = {0};
    double half, cycles = cycles_of(s, &half);
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

/* ---- whether it pays --------------------------------------------------------------------------------------------- */

static bool is_complete(const struct rp_trace *t, uint32_t launch, uint64_t blocks)
{
    const struct rp_launch_end *end = rp_trace_launch_end(t, launch);
    return end && end->outcome == RP_OUTCOME_COMPLETE && blocks == rp_launch_blocks(rp_trace_launch(t, launch));
}

static bool has_barriers(const struct rp_kernel *k)
{
    bool found = false;
    for (uint32_t i = 0; i < k->instruction_count && !found; i++)
        found = k->instructions[i].barrier.kind != RP_BARRIER_NONE &&
                k->instructions[i].barrier.kind != RP_BARRIER_WARP_SYNC;
    return found;
}

/* Whether an SM may fall into an arrangement of its blocks that recurs from then on, tens of waves behind the first. */
static bool may_recur(const struct sampling *s, const struct rp_kernel *k)
{
    const struct scheduler_model *scheduler = (const struct scheduler_model *)session_of(s)->machine->scheduler.model;
    return has_few_sms(s) && scheduler->takes_turns && has_barriers(k);
}

/* Whether waves differ in their instructions. Then blocks differ in what they do, and a few windows may miss those that
 * take longest. */
static bool has_unlike_waves(const struct sampling *s)
{
    struct running instructions = {0};
    uint64_t step = s->wave * ((s->waves + MOST_LOOKS) / MOST_LOOKS);
    for (uint64_t b = 0; b + step <= s->blocks; b += step)
        running_add(&instructions, instructions_before(s, b + step) - instructions_before(s, b));
    return running_deviation(&instructions) > UNLIKE * instructions.mean;
}

/* Whether the launch has many waves, and the engine can leave blocks out. */
static bool begin(struct sampling *s)
{
    const struct session *of = session_of(s);
    const struct rp_launch *l = rp_trace_launch(of->trace, s->launch);
    const struct rp_kernel *k = rp_trace_kernel(of->trace, l->kernel);
    const struct dram_model *dram = (const struct dram_model *)of->machine->dram.model;
    struct room room;
    struct rp_error unused;
    if (of->machine->sms == 1 || !(of->engine->capabilities & ENGINE_BLOCKS) || of->keeps ||
        s->unit->end - s->unit->launch != 1 || unit_has_copies(of->trace, of->machine, s->unit) || l->cooperative ||
        cluster_matters(k, l) || may_recur(s, k) || !room_of_block(of->machine, k, l, &room, &unused))
        return false;
    s->blocks = rp_trace_launch_totals(of->trace, s->launch).blocks;
    s->wave = room_count(of->machine, &room, UINT64_MAX) * (uint64_t)of->machine->sms;
    s->waves = s->blocks ? (s->blocks - 1) / s->wave : 0;
    s->least_windows = s->waves && has_unlike_waves(s) ? FIRST_OF_UNLIKE : FIRST_WINDOWS;
    s->period = dram->period ? dram->period(of->machine->dram.options) : 0;
    uint64_t page;
    s->walk = pages_walk(of->machine, &page);
    return s->waves >= LEAST_WAVES && is_complete(of->trace, s->launch, s->blocks) &&
           (!s->walk || pages_count_waves(of->trace, s->launch, s->blocks, s->wave, page, &s->new_pages, &unused));
}

/* How much wider the interval is than is aimed at. */
static double excess(const struct sampling *s)
{
    double half, cycles = cycles_of(s, &half);
    return half / (MARGIN * s->error * cycles);
}

/* Most of the difference between rates is of the blocks under way at both ends of a window, and falls with its length.
 * One window more makes the interval of four about half as wide, as Student's t is. A lead that is unlike the
 * windows may have been too short, too. Where blocks still come apart, the lead gets as many waves as were replayed in
 * a row, or as near to that as is affordable, and at least twice as many as it had. */
static bool set_longer(struct sampling *s, double more)
{
    const struct running rates = rates_of(s);
    bool apart = comes_apart(s), last = s->windows > s->least_windows && narrow(s);
    uint64_t lead = s->window[0].end, end = lead_apart(s, &rates) > 0 ? 2 * lead : lead;
    if (apart)
        end = s->placed.count / s->wave * s->wave;
    set_measured(s, fmin((last ? 1 : fmax(2, more)) * (double)s->measured, (double)s->waves));
    do {
        s->window[0].end = end;
        if (set_if_affordable(s, s->least_windows + 1, (double)s->replayed, MOST_PART))
            return true;
        end = end / s->wave / 2 * s->wave;
    } while (apart && end >= 2 * lead);
    return false;
}

/* As many windows as are needed. More of them do not bring them closer to the lead. */
static bool set_more(struct sampling *s, double more)
{
    const struct running rates = rates_of(s);
    double windows = ceil(s->windows * more * more);
    return windows <= MOST_WINDOWS && lead_apart(s, &rates) <= chance_of(s, &rates) &&
           set_if_affordable(s, (unsigned)windows, (double)s->replayed, MOST_PART);
}

/* Whether what the windows tell is enough: they show blocks as these are in the rest of the launch, and the interval is
 * as narrow as was asked for. */
static bool is_enough(const struct sampling *s) { return narrow(s) && !comes_apart(s); }

/* Plans the next attempt; attempt 0 is planned by the lead. False: it would take too much, or it would not help. */
static bool plan(struct sampling *s, unsigned attempt)
{
    if (!attempt)
        return true;
    bool apart = comes_apart(s);
    double more = excess(s);
    const struct running rates = rates_of(s);
    if (!apart && unseen_change(s, &rates) * (1 - MOST_PART) > s->error) /* whatever is replayed */
        return false;
    if (apart && !(s->together > 0))
        s->together = s->window[0].rate;
    const struct sampling before = *s;
    if ((attempt == 1 || apart) && set_longer(s, more))
        return true;
    *s = before;
    return !apart && set_more(s, more);
}

/* Once the lead is stable, the launch is sampled. Where no attempt that is affordable tells enough, all blocks are
 * replayed after them. */
static bool sample(struct sampling *s)
{
    if (!run_lead(s))
        return false;
    for (unsigned attempt = 0; s->stable && attempt < ATTEMPTS && plan(s, attempt); attempt++) {
        if (!run_windows(s))
            return false;
        if (is_enough(s))
            return true;
    }
    return !s->stable || run_whole(s);
}

bool session_sample_blocks(struct worker *w, const struct launch_unit *unit, struct finished *out, bool *done,
                           struct rp_error *err)
{
    const struct sample_request *request = &w->session->options->sample;
    struct sampling s = {.worker = w,
                         .unit = unit,
                         .launch = unit->launch,
                         .error = request->error,
                         .confidence = request->confidence,
                         .err = err};
    *done = begin(&s);
    bool fine = !*done || sample(&s);
    *done &= s.stable || s.whole;
    if (fine && s.whole) {
        out->launches[0] = s.lead;
        out->sum = s.lead.statistics;
        out->instructions = s.replayed;
    } else if (fine && *done) {
        out->instructions = s.replayed;
        out->estimate = calloc(1, sizeof *out->estimate);
        fine = out->estimate || rp_fail(err, RP_SYSTEM, "out of memory for the blocks of a launch");
        if (fine)
            estimate(&s, out);
    }
    forget_touches(&s);
    placements_free(&s.placed);
    return fine;
}
