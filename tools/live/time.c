/* Live registers over time, from the issues of a replay by the reference engine, which reports them in the order of
 * their cycles. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/trace_semantics.h"
#include "replay/session/replay.h"
#include "tools/live/live.h"

struct warp {
    uint64_t issued, left; /* instructions that the warp has issued, and those that it has not */
    uint64_t since;        /* the cycle of its last issue */
    uint32_t subcore;      /* of the chip */
    uint16_t registers;
};

/* A block. Its warps may be on several SMs (placement even). */
struct block {
    struct block *next;
    uint32_t launch, warps, alive; /* alive: warps of which it is not known when their last instruction is done */
    uint64_t index;
    struct warp warp[];
};

/* The end of a warp. */
struct end {
    uint64_t cycle;
    uint32_t subcore; /* of the chip */
    uint16_t registers;
};

struct timeline {
    struct rp_trace *trace;
    const struct machine *machine;
    struct live_time *out;
    struct block **blocks; /* hash table of lists, one for each SM */
    uint64_t *subcores, *sms, *printed;
    uint32_t subcore_count;
    struct end *ends; /* a heap */
    size_t end_count, end_room;
    uint32_t *touched, touched_count;
    bool *is_touched;
    uint64_t now; /* the present cycle */
    FILE *csv;
    struct rp_error *err;
    bool failed;
};

static void fail(struct timeline *t)
{
    if (!t->failed)
        rp_fail(t->err, RP_SYSTEM, "out of memory for live registers over time");
    t->failed = true;
}

/* ---- live registers at a time ------------------------------------------------------------------------------------ */

static void note_peak(struct live_extent *e, uint64_t registers, uint64_t cycle, uint32_t where)
{
    if (registers <= e->peak)
        return;
    e->peak = registers;
    e->peak_cycle = cycle;
    e->where = where;
}

/* Notes peaks and prints changes, once all changes of the cycle have been made. */
static void settle(struct timeline *t)
{
    uint32_t per_sm = (uint32_t)t->machine->subcores;
    for (uint32_t i = 0; i < t->touched_count; i++) {
        uint32_t c = t->touched[i];
        t->is_touched[c] = false;
        note_peak(&t->out->subcore, t->subcores[c], t->now, c);
        note_peak(&t->out->sm, t->sms[c / per_sm], t->now, c / per_sm);
        if (t->csv && t->subcores[c] != t->printed[c])
            fprintf(t->csv, "%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n", t->now, c / per_sm, c % per_sm,
                    t->subcores[c]);
        t->printed[c] = t->subcores[c];
    }
    t->touched_count = 0;
}

static void go_to(struct timeline *t, uint64_t cycle)
{
    if (cycle == t->now)
        return;
    settle(t);
    t->now = cycle;
}

static void change(struct timeline *t, uint32_t subcore, int32_t by)
{
    t->subcores[subcore] += (uint64_t)(int64_t)by;
    t->sms[subcore / (uint32_t)t->machine->subcores] += (uint64_t)(int64_t)by;
    if (!t->is_touched[subcore]) {
        t->is_touched[subcore] = true;
        t->touched[t->touched_count++] = subcore;
    }
}

/* ---- ends of warps: a heap, the first end on top ----------------------------------------------------------------- */

static bool add_end(struct timeline *t, struct end e)
{
    if (t->end_count == t->end_room) {
        size_t room = t->end_room ? 2 * t->end_room : 256;
        struct end *ends = realloc(t->ends, room * sizeof *ends);
        if (!ends)
            return false;
        t->ends = ends;
        t->end_room = room;
    }
    size_t i = t->end_count++;
    for (; i && t->ends[(i - 1) / 2].cycle > e.cycle; i = (i - 1) / 2)
        t->ends[i] = t->ends[(i - 1) / 2];
    t->ends[i] = e;
    return true;
}

static struct end take_end(struct timeline *t)
{
    struct end first = t->ends[0], last = t->ends[--t->end_count];
    size_t i = 0;
    for (size_t child = 1; child < t->end_count; child = 2 * i + 1) {
        child += child + 1 < t->end_count && t->ends[child + 1].cycle < t->ends[child].cycle;
        if (t->ends[child].cycle >= last.cycle)
            break;
        t->ends[i] = t->ends[child];
        i = child;
    }
    t->ends[i] = last;
    return first;
}

static void end_warps(struct timeline *t, uint64_t until)
{
    while (t->end_count && t->ends[0].cycle <= until) {
        struct end e = take_end(t);
        go_to(t, e.cycle);
        change(t, e.subcore, -(int32_t)e.registers);
    }
}

/* ---- issues ------------------------------------------------------------------------------------------------------ */

static bool count_issues(const struct timeline *t, struct rp_block *b, uint32_t warp, uint64_t *count)
{
    struct rp_cursor c;
    struct rp_step s;
    int more;
    if (!rp_cursor_open(&c, b, warp, t->err))
        return false;
    while ((more = rp_cursor_next(&c, &s, t->err)) == 1)
        *count += t->machine->issue_exit || !is_plain_exit(s.instruction);
    rp_cursor_close(&c);
    return more == 0;
}

static struct block **list_of(const struct timeline *t, uint64_t block)
{
    return &t->blocks[block % (uint64_t)t->machine->sms];
}

static struct block *open_block(struct timeline *t, const struct observed_issue *i)
{
    struct rp_block *b = rp_block_open(t->trace, i->launch, i->block, t->err);
    if (!b) {
        t->failed = true;
        return NULL;
    }
    uint32_t warps = rp_block_warps(b);
    struct block *block = calloc(1, sizeof *block + warps * sizeof *block->warp);
    bool fine = true;
    for (uint32_t w = 0; block && fine && w < warps; w++) {
        fine = count_issues(t, b, w, &block->warp[w].left);
        block->alive += block->warp[w].left > 0;
    }
    rp_block_close(b);
    if (!block)
        fail(t);
    t->failed |= !fine;
    if (!block)
        return NULL;
    block->launch = i->launch;
    block->index = i->block;
    block->warps = warps;
    block->next = *list_of(t, i->block);
    return *list_of(t, i->block) = block;
}

/* Finds the block. NULL: none of its warps has issued, or all are done. */
static struct block *find_block(const struct timeline *t, uint32_t launch, uint64_t index)
{
    struct block *b = *list_of(t, index);
    while (b && (b->index != index || b->launch != launch))
        b = b->next;
    return b;
}

static void close_block(struct timeline *t, struct block *block)
{
    struct block **at = list_of(t, block->index);
    while (*at != block)
        at = &(*at)->next;
    *at = block->next;
    free(block);
}

/* The warp's last instruction is done. */
static void end_warp(struct timeline *t, const struct warp *w, uint64_t done)
{
    t->out->warp.sum += (done - w->since) * w->registers;
    t->out->warp.cycles += done - w->since;
    if (!add_end(t, (struct end){done, w->subcore, w->registers}))
        fail(t);
}

static void issued(void *data, const struct observed_issue *i)
{
    struct timeline *t = data;
    if (t->failed)
        return;
    const struct rp_kernel *k = rp_trace_kernel(t->trace, rp_trace_launch(t->trace, i->launch)->kernel);
    struct block *b = find_block(t, i->launch, i->block);
    if (!b && !(b = open_block(t, i)))
        return;
    if (t->failed)
        return;
    struct warp *w = &b->warp[i->warp];
    uint16_t registers = k->live[i->index].registers;
    end_warps(t, i->cycle);
    go_to(t, i->cycle);
    w->subcore = i->sm * (uint32_t)t->machine->subcores + i->subcore;
    change(t, w->subcore, (int32_t)registers - w->registers);
    if (w->issued++) {
        t->out->warp.sum += (i->cycle - w->since) * w->registers;
        t->out->warp.cycles += i->cycle - w->since;
    }
    w->since = i->cycle;
    w->registers = registers;
    note_peak(&t->out->warp, registers, i->cycle, i->index);
    w->left--;
}

static void done(void *data, const struct observed_done *d)
{
    struct timeline *t = data;
    struct block *b = t->failed ? NULL : find_block(t, d->launch, d->block);
    struct warp *w = b ? &b->warp[d->warp] : NULL;
    if (!w || w->left || d->number + 1 != w->issued)
        return;
    end_warp(t, w, d->cycle > w->since ? d->cycle : w->since + 1);
    if (!--b->alive)
        close_block(t, b);
}

/* ---- the replay -------------------------------------------------------------------------------------------------- */

static bool begin(struct timeline *t)
{
    uint32_t sms = (uint32_t)t->machine->sms;
    t->subcore_count = sms * (uint32_t)t->machine->subcores;
    t->blocks = calloc(sms, sizeof *t->blocks);
    t->sms = calloc(sms, sizeof *t->sms);
    t->subcores = calloc(t->subcore_count, sizeof *t->subcores);
    t->printed = calloc(t->subcore_count, sizeof *t->printed);
    t->touched = calloc(t->subcore_count, sizeof *t->touched);
    t->is_touched = calloc(t->subcore_count, sizeof *t->is_touched);
    return t->blocks && t->sms && t->subcores && t->printed && t->touched && t->is_touched;
}

static void end(struct timeline *t)
{
    for (int64_t s = 0; t->blocks && s < t->machine->sms; s++)
        while (t->blocks[s])
            close_block(t, t->blocks[s]);
    void *all[] = {t->blocks, t->sms, t->subcores, t->printed, t->touched, t->is_touched, t->ends};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

bool live_time(struct rp_trace *trace, const struct machine *m, int64_t launch, FILE *csv, struct live_time *out,
               struct rp_error *err)
{
    *out = (struct live_time){0};
    struct timeline t = {.trace = trace, .machine = m, .out = out, .csv = csv, .err = err};
    const struct observer observer = {.data = &t, .issue = issued, .done = done};
    struct replay_options options = {
        .engine = REPLAY_REFERENCE, .threads = 1, .launch = launch, .serial = true, .observer = &observer};
    struct replay_result result;
    if (!begin(&t)) {
        end(&t);
        return rp_fail(err, RP_SYSTEM, "out of memory for live registers over time");
    }
    struct rp_error failed;
    bool fine = replay(trace, m, &options, &result, &failed);
    if (fine) {
        end_warps(&t, UINT64_MAX);
        settle(&t);
        out->cycles = result.total.cycles;
        out->subcore.sum = out->sm.sum = out->warp.sum;
        out->subcore.cycles = out->cycles * t.subcore_count;
        out->sm.cycles = out->cycles * (uint64_t)m->sms;
        replay_result_free(&result);
    } else if (!t.failed) {
        *err = failed;
    }
    end(&t);
    return fine && !t.failed;
}
