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
#include <stdlib.h>

#include "hw-models/scheduler/scheduler.h"
#include "replay/base/cluster.h"
#include "replay/base/occupancy.h"
#include "replay/session/blocks.h"
#include "replay/session/engines.h"
#include "replay/session/pages.h"

#define LEAST_WAVES 16u /* of a launch of which only some blocks are replayed */
#define ATTEMPTS 3u
#define FIRST_WINDOWS 4u /* of the first attempt, each of one wave, or one period */
/* The same where waves differ in their instructions: with a confidence of 95 % one of them shows what 22 % of waves or
 * more have in common, as 1 - 0.05^(1/12) is 0.22. */
#define FIRST_OF_UNLIKE 12u
#define UNLIKE 0.0005   /* so much do instructions of waves deviate then, as a part of their mean */
#define MOST_LOOKS 1024 /* parts of a launch whose instructions are compared */
#define MARGIN 0.8      /* more windows aim at this part of the error */

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
    double half, cycles = sampling_cycles(s, &half);
    return half / (MARGIN * s->error * cycles);
}

/* Most of the difference between rates is of the blocks under way at both ends of a window, and falls with its length.
 * One window more makes the interval of four about half as wide, as Student's t is. A lead that is unlike the
 * windows may have been too short, too. Where blocks still come apart, the lead gets as many waves as were replayed in
 * a row, or as near to that as is affordable, and at least twice as many as it had. */
static bool set_longer(struct sampling *s, double more)
{
    const struct running rates = sampling_rates(s);
    bool apart = sampling_comes_apart(s), last = s->windows > s->least_windows && sampling_is_narrow(s);
    uint64_t lead = s->window[0].end, end = sampling_lead_apart(s, &rates) > 0 ? 2 * lead : lead;
    if (apart)
        end = s->placed.count / s->wave * s->wave;
    sampling_set_measured(s, fmin((last ? 1 : fmax(2, more)) * (double)s->measured, (double)s->waves));
    do {
        s->window[0].end = end;
        if (sampling_set_windows(s, s->least_windows + 1, (double)s->replayed, MOST_PART))
            return true;
        end = end / s->wave / 2 * s->wave;
    } while (apart && end >= 2 * lead);
    return false;
}

/* As many windows as are needed. More of them do not bring them closer to the lead. */
static bool set_more(struct sampling *s, double more)
{
    const struct running rates = sampling_rates(s);
    double windows = ceil(s->windows * more * more);
    return windows <= MOST_WINDOWS && sampling_lead_apart(s, &rates) <= sampling_chance(s, &rates) &&
           sampling_set_windows(s, (unsigned)windows, (double)s->replayed, MOST_PART);
}

/* Whether what the windows tell is enough: they show blocks as these are in the rest of the launch, and the interval is
 * as narrow as was asked for. */
static bool is_enough(const struct sampling *s) { return sampling_is_narrow(s) && !sampling_comes_apart(s); }

/* Plans the next attempt; attempt 0 is planned by the lead. False: it would take too much, or it would not help. */
static bool plan(struct sampling *s, unsigned attempt)
{
    if (!attempt)
        return true;
    bool apart = sampling_comes_apart(s);
    double more = excess(s);
    const struct running rates = sampling_rates(s);
    if (!apart && sampling_unseen_change(s, &rates) * (1 - MOST_PART) > s->error) /* whatever is replayed */
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
    if (!sampling_run_lead(s))
        return false;
    for (unsigned attempt = 0; s->stable && attempt < ATTEMPTS && plan(s, attempt); attempt++) {
        if (!sampling_run_windows(s))
            return false;
        if (is_enough(s))
            return true;
    }
    return !s->stable || sampling_run_whole(s);
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
            sampling_estimate(&s, out);
    }
    sampling_forget_touches(&s);
    sampling_forget_placements(&s.placed);
    return fine;
}
