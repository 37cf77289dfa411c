/* Sampling within a launch: the lead and the windows, as they are planned, replayed and measured (see blocks.c). */
#include <math.h>
#include <stdlib.h>

#include "replay/session/blocks.h"
#include "replay/session/engines.h"

#define LEAD_STEP 4u      /* waves after which it is decided whether they are stable */
#define SETTLING 2u       /* waves of a window before those that are measured */
#define ENDING 1u         /* the wave at whose placements measuring ends */
#define MOST_MISMATCH 0.1 /* between the cycles of a window and whole periods */

/* ---- placements -------------------------------------------------------------------------------------------------- */

void sampling_forget_placements(struct placements *p)
{
    free(p->cycle);
    free(p->before);
    *p = (struct placements){0};
}

static bool placements_new(struct sampling *s, uint64_t room)
{
    struct placements *p = &s->placed;
    sampling_forget_placements(p);
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
void sampling_set_measured(struct sampling *s, double waves)
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
bool sampling_set_windows(struct sampling *s, unsigned windows, double replayed, double part)
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
    sampling_set_measured(s, 1);
    s->stable = is_long(s, waves) && same_rates(s, waves / 2 - 1, waves * 3 / 4 - 1, waves - 1) &&
                sampling_set_windows(s, s->least_windows, s->placed.before[s->placed.count], MOST_PART);
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

bool sampling_run_lead(struct sampling *s)
{
    if (!placements_new(s, (s->waves / 4 + LEAD_STEP) * s->wave + 1) || !run(s, lead_placed, &s->lead))
        return false;
    s->lead_instructions = (double)s->placed.before[s->placed.count];
    return true;
}

/* All blocks, where what some of them tell does not count. */
bool sampling_run_whole(struct sampling *s)
{
    s->whole = true;
    return run(s, lead_placed, &s->lead);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

void sampling_forget_touches(struct sampling *s)
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
bool sampling_run_windows(struct sampling *s)
{
    uint64_t room = 0;
    sampling_forget_touches(s);
    for (unsigned w = 0; w <= s->windows; w++)
        room += s->window[w].end - s->window[w].first;
    s->now = 0;
    return placements_new(s, room) && run(s, window_placed, &s->all);
}
