/* Issue in the reference engine: whether a warp may issue, and the effects of its instruction. */
#include <stdlib.h>
#include <string.h>

#include "replay/base/class_timing.h"
#include "replay/engines/reference/reference.h"

static struct machine_timing timing(const struct reference *r, const struct ref_warp *w)
{
    const struct rp_instruction *in = w->next.instruction;
    if (timed_by_space(in))
        return space_timing(r->machine, in, timing_space(w->block->grid->of.launch, w->block->rank, in, &w->next));
    return class_timing(r->machine, in);
}

static bool overlap(rp_register a, rp_register b)
{
    unsigned a_first = rp_register_index(a), b_first = rp_register_index(b);
    return rp_register_file(a) == rp_register_file(b) && a_first < b_first + rp_register_count(b) &&
           b_first < a_first + rp_register_count(a);
}

/* The reason of the pending writes that the instruction waits for: those of its sources (read after write) and
 * destinations (write after write). Memory comes before shared memory, and that before all else. */
enum stall ref_pending(const struct ref_warp *w, uint64_t cycle, enum response_level *level)
{
    const struct rp_instruction *in = w->next.instruction;
    enum stall kind = STALL_COUNT;
    for (size_t i = 0; i < w->write_count; i++) {
        const struct ref_write *write = &w->writes[i];
        if (write->ready <= cycle) /* UNKNOWN is later than any cycle */
            continue;
        bool needed = false;
        for (uint32_t s = 0; s < in->src_count; s++)
            needed |= overlap(write->reg, in->src[s]);
        for (uint32_t d = 0; d < in->dst_count; d++)
            needed |= overlap(write->reg, in->dst[d]);
        if (!needed || write->kind > kind)
            continue;
        if (write->kind < kind || write->level > *level)
            *level = write->level;
        kind = write->kind;
    }
    return kind;
}

static const struct unit_model *unit_model(const struct reference *r, unsigned unit)
{
    return (const struct unit_model *)r->machine->units[unit].model;
}

/* Whether some of its memory operations are incomplete. */
static bool accesses_memory(const struct reference *r, const struct ref_warp *w)
{
    return w->in_flight || r->now < w->memory_done;
}

/* Whether a fence must still wait. */
static bool fenced(const struct reference *r, const struct ref_warp *w)
{
    if (is_block_fence(r->machine, w->next.instruction) && memory_system_orders_blocks(r->job->memory))
        return w->unordered || r->now < w->ordered;
    return accesses_memory(r, w);
}

static bool unit_accepts(const struct reference *r, const struct ref_warp *w)
{
    unsigned unit = timing(r, w).unit;
    const void *state = r->sms[w->sm].subcores[w->subcore].units[unit];
    if (unit_model(r, unit)->accepts(state, r->now) > r->now)
        return false;
    return !memory_system_may_refuse(r->job->memory) || !reaches_caches(w->block->grid->of.launch, &w->next) ||
           sm_memory_accepts(memory_system_sm(r->job->memory, w->sm));
}

enum stall ref_blocked(const struct reference *r, const struct ref_warp *w)
{
    if (r->now < w->first_issue)
        return STALL_DISPATCH;
    if (w->waiting || r->now < w->barrier_until)
        return w->barrier == AT_OBJECT ? STALL_ASYNC : STALL_BARRIER;
    if (r->now < w->fetched)
        return STALL_FETCH;
    if (w->next.instruction->unit_class == RP_CLASS_FENCE && fenced(r, w))
        return STALL_FENCE;
    if (w->next.executed && async_awaits_groups(w->next.instruction) &&
        r->now < async_groups_done(w->block->async, w->number, &w->next))
        return STALL_ASYNC;
    if (r->now < w->control_until)
        return w->block->grid->of.control_words ? STALL_CONTROL_WORD : STALL_CONTROL;
    enum response_level level;
    enum stall kind =
        w->block->grid->of.control_words ? ref_awaited(w, r->now, &level) : ref_pending(w, r->now, &level);
    if (kind != STALL_COUNT)
        return kind;
    return unit_accepts(r, w) ? STALL_COUNT : STALL_UNIT;
}

unsigned ref_unit(const struct reference *r, const struct ref_warp *w) { return timing(r, w).unit; }

static bool add_write(struct ref_warp *w, rp_register reg, const struct ref_issued *i)
{
    if (w->write_count == w->write_capacity) {
        size_t capacity = w->write_capacity ? 2 * w->write_capacity : 16;
        struct ref_write *writes = realloc(w->writes, capacity * sizeof *writes);
        if (!writes)
            return false;
        w->writes = writes;
        w->write_capacity = capacity;
    }
    w->writes[w->write_count++] = (struct ref_write){reg, i->done, i->token, i->kind, i->level};
    return true;
}

static void forget_written(struct ref_warp *w, uint64_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->write_count; i++)
        if (w->writes[i].ready > now)
            w->writes[kept++] = w->writes[i];
    w->write_count = kept;
}

/* The stall reason of instructions that wait for the result of this one. */
static enum stall producer(const struct ref_warp *w)
{
    const struct rp_instruction *in = w->next.instruction;
    if (timed_by_space(in))
        return path_of_space(timing_space(w->block->grid->of.launch, w->block->rank, in, &w->next)) == PATH_SHARED
                   ? STALL_SHARED
                   : STALL_MEMORY;
    return in->memory_count ? STALL_MEMORY : STALL_SCOREBOARD;
}

/* Notes what later instructions of the warp must wait for. */
static bool hold_back(struct reference *r, struct ref_warp *w, const struct ref_issued *i, struct rp_error *err)
{
    const struct rp_instruction *in = w->next.instruction;
    if (w->block->grid->of.control_words)
        return ref_apply_control_word(r, w, i, err);
    forget_written(w, r->now);
    for (uint32_t d = 0; d < in->dst_count && !async_starts(in); d++)
        if (rp_register_waits(in->dst[d]) && !add_write(w, in->dst[d], i))
            return rp_fail(err, RP_SYSTEM, "out of memory for pending registers");
    if (in->unit_class == RP_CLASS_CONTROL)
        w->control_until = r->now + (uint64_t)r->machine->control_interval;
    return true;
}

/* Notes the cycle in which its accesses are performed for the block, or that this is not known yet. */
static void note_order(struct reference *r, struct ref_warp *w, const struct ref_issued *i, uint64_t cycle)
{
    if (cycle != UNKNOWN) {
        w->ordered = cycle > w->ordered ? cycle : w->ordered;
        return;
    }
    w->unordered++;
    r->in_flight[i->token].unordered = true;
}

/* The instruction stays in flight: the end of its accesses is not known yet. */
static void stay_in_flight(struct reference *r, struct ref_issued *i, uint64_t known)
{
    r->in_flight[i->token].known = known;
    i->done = UNKNOWN;
}

/* Makes the instruction's accesses. */
static bool access(struct reference *r, struct ref_warp *w, struct ref_issued *i, struct rp_error *err)
{
    const struct rp_instruction *in = w->next.instruction;
    uint64_t known, taken, accepted = i->done;
    bool starts = async_starts(in), posted = !starts && is_posted(w->block->grid->of.launch, &w->next);
    i->token = ref_put_in_flight(r, &(struct ref_in_flight){.warp = w,
                                                            .number = w->issued,
                                                            .dispatched = i->dispatched,
                                                            .latency = i->timing->latency,
                                                            .unit = i->timing->unit,
                                                            .kind = i->kind,
                                                            .result = in->dst_count > 0,
                                                            .starts = starts});
    if (i->token == NO_TOKEN)
        return rp_fail(err, RP_SYSTEM, "out of memory for instructions in flight");
    if (!ref_memory(r, w, i->dispatched, accepted, i->token, &known, &i->level, posted ? &taken : NULL)) {
        if (!starts)
            note_order(r, w, i, posted ? taken : UNKNOWN);
        stay_in_flight(r, i, known);
        return true;
    }
    r->in_flight[i->token].warp = NULL;
    w->in_flight -= !starts;
    w->copies -= starts;
    i->token = NO_TOKEN;
    i->done = known + i->timing->latency;
    if (!starts)
        note_order(r, w, i, posted ? taken : i->done);
    return true;
}

static bool carry_out(struct reference *r, struct ref_warp *w, struct ref_issued *i, struct rp_error *err)
{
    const struct rp_instruction *in = w->next.instruction;
    if (w->next.executed && in->memory_count && !access(r, w, i, err))
        return false;
    if (w->next.executed && !in->memory_count)
        i->done += i->timing->latency;
    if (i->token != NO_TOKEN)
        return true;
    if (i->done > w->completion)
        w->completion = i->done;
    if (in->memory_count && w->next.executed && !async_starts(in) && i->done > w->memory_done)
        w->memory_done = i->done;
    struct engine_location at = ref_location(w);
    engine_report_done(r->job, &at, w->issued, i->dispatched, i->done);
    return true;
}

/* Carries out its operations on barrier objects and groups. */
static bool act(struct reference *r, struct ref_warp *w, const struct ref_issued *i, struct rp_error *err)
{
    struct ref_block *block = w->block;
    struct async_queue *updates = &r->sms[w->sm].updates;
    uint64_t read = i->done, number;
    if (!block->async || !async_acts(w->next.instruction))
        return true;
    if (w->next.instruction->async.kind == RP_ASYNC_BULK && w->next.instruction->memory_count)
        read = r->shared_end + i->timing->latency;
    bool over = async_issue(block->async, updates, block, w->number, block->grid->of.launch, &w->next, r->now, i->done,
                            read, &number);
    if (i->token != NO_TOKEN)
        r->in_flight[i->token].name = number;
    if (over)
        ref_release_objects(r, block);
    return !updates->out_of_memory || rp_fail(err, RP_SYSTEM, "out of memory for asynchronous copies");
}

struct engine_location ref_location(const struct ref_warp *w)
{
    return (struct engine_location){w->block->grid->of.number, w->number, w->block->index, w->sm, w->subcore};
}

bool ref_issue(struct reference *r, struct ref_warp *w, bool second, struct rp_error *err)
{
    const struct engine_location at = ref_location(w);
    struct machine_timing t = timing(r, w);
    void *unit = r->sms[w->sm].subcores[w->subcore].units[t.unit];
    uint64_t dispatched = unit_model(r, t.unit)->dispatch(unit, r->now, t.initiation);
    /* if no lane executes it, it is done at the end of its initiation */
    struct ref_issued issued = {&t, dispatched, dispatched + t.initiation, NO_TOKEN, producer(w), RESPONSE_NONE};
    w->block->grid->statistics->unit_busy[t.unit] += t.initiation;
    r->shared_end = issued.done;
    engine_report_issue(
        r->job, &at, &w->next,
        &(struct engine_issue){.number = w->issued, .initiation = t.initiation, .unit = t.unit, .second = second},
        r->now);
    if (!carry_out(r, w, &issued, err) || !hold_back(r, w, &issued, err))
        return false;
    w->issued++;
    if (!act(r, w, &issued, err))
        return false;
    if (is_block_barrier(w->next.instruction) && w->next.executed)
        ref_arrive(r, w);
    if (is_cluster_barrier(w->next.instruction) && w->next.executed)
        ref_cluster_barrier(r, w);
    if (w->next.instruction->flags & RP_EXIT)
        ref_exit(r, w, w->next.executed);
    return ref_advance(r, w, err);
}

bool ref_pair(struct reference *r, struct ref_warp *w, unsigned unit, struct rp_error *err)
{
    if (w->ended || ref_unit(r, w) == unit || ref_blocked(r, w) != STALL_COUNT)
        return true;
    w->block->grid->statistics->dual_issues++;
    return ref_issue(r, w, true, err);
}
