#include <stdlib.h>
#include <string.h>

#include "frontend/check/check.h"
#include "frontend/core/cluster.h"
#include "frontend/core/watch.h"
#include "frontend/host/internal.h"
#include "frontend/host/run.h"

/* Text that a block printed, waiting for the blocks before it. */
struct printed {
    uint64_t block;
    char *text;
    size_t bytes;
};

/* Detection of a livelock: consecutive cycles in which no block began, ended, or called the host. */
struct quiet {
    struct turns cycles;
    uint64_t begun, done, calls; /* the counts since then; calls: of the blocks that wait */
    uint64_t drives;             /* of all launches on the device: another launch may have changed memory */
};

struct ordered {
    struct rp_running *run;
    struct rp_chunk *chunk;
    struct frame_list frames;
    uint64_t chunk_blocks;   /* blocks that began since the last frame */
    uint64_t next;           /* the first block that has not begun */
    uint64_t blocks_at_once; /* consecutive blocks that begin together: whole clusters */
    struct block **queue;    /* blocks that were set aside, a ring */
    size_t head, waiting, capacity;
    size_t old_turns, new_turns; /* turns left in this cycle: for blocks set aside; for blocks that have not begun */
    struct block *current, *spare;
    uint64_t blocks_done, warp_instructions; /* warp_instructions includes unfinished blocks: for progress */
    struct printed *printed;
    size_t printed_count, printed_capacity;
    struct quiet quiet;
    struct watch watch;
    bool listening; /* since the last drive: the launch waits for a change of what the watch says is read */
};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool enqueue(struct ordered *o, struct block *b)
{
    if (o->waiting == o->capacity) {
        size_t capacity = o->capacity ? 2 * o->capacity : 16;
        struct block **queue = malloc(capacity * sizeof *queue);
        if (!queue)
            return false;
        for (size_t i = 0; i < o->waiting; i++)
            queue[i] = o->queue[(o->head + i) % o->capacity];
        free(o->queue);
        o->queue = queue;
        o->capacity = capacity;
        o->head = 0;
    }
    o->queue[(o->head + o->waiting++) % o->capacity] = b;
    return true;
}

static struct block *dequeue(struct ordered *o)
{
    struct block *b = o->queue[o->head];
    o->head = (o->head + 1) % o->capacity;
    o->waiting--;
    return b;
}

static struct block *begin_block(struct ordered *o)
{
    struct rp_running *r = o->run;
    struct block *b = o->spare ? o->spare : device_take_block(r->device, &r->grid);
    o->spare = NULL;
    if (!b)
        return NULL;
    struct rp_warp_log *logs = o->chunk ? rp_chunk_begin_block(o->chunk, o->next, r->grid.warps) : NULL;
    if (o->chunk && !logs) {
        block_free(b);
        return NULL;
    }
    block_start(b, o->next++, logs);
    o->chunk_blocks++;
    if (r->config.sample && !r->config.check)
        check_sample_begin(r->config.sample, &r->grid, b);
    if (!r->config.check || check_block_begin(r->config.check, b))
        return b;
    block_free(b);
    return NULL;
}

/* Adds the block to its cluster, which is created with its first block. False: out of memory. */
static bool join_cluster(struct block *b, struct block *const *begun, size_t count)
{
    const struct grid *g = b->grid;
    uint32_t blocks = g->cluster[0] * g->cluster[1] * g->cluster[2];
    for (size_t i = 0; i < count && !b->cluster; i++) {
        bool same = true;
        for (int d = 0; d < 3; d++)
            same &= begun[i]->ctaid[d] / g->cluster[d] == b->ctaid[d] / g->cluster[d];
        b->cluster = same ? begun[i]->cluster : NULL;
    }
    if (!b->cluster && !(b->cluster = calloc(1, sizeof *b->cluster)))
        return false;
    b->cluster->blocks = blocks;
    b->cluster->open++;
    b->cluster->block[cluster_rank(g, b->ctaid)] = b;
    return true;
}

/* Begins whole clusters. Returns their first block and sets all others aside. NULL: out of memory. */
static struct block *begin_clusters(struct ordered *o)
{
    struct block **begun = malloc(o->blocks_at_once * sizeof *begun), *first = NULL;
    bool ok = begun;
    for (size_t i = 0; ok && i < o->blocks_at_once; i++) {
        begun[i] = begin_block(o);
        ok = begun[i] && join_cluster(begun[i], begun, i) && (!i || enqueue(o, begun[i]));
        if (!ok)
            block_free(begun[i]);
        o->old_turns += ok && i;
        first = ok || i ? begun[0] : NULL;
    }
    free(begun);
    if (ok)
        return first;
    block_free(first);
    return NULL;
}

/* Reverses the queue. Blocks may wait for each other in a chain, in either direction: with the direction reversed in
 * every cycle, one of two cycles resolves the chain. */
static void reverse(struct ordered *o)
{
    for (size_t i = 0; i < o->waiting / 2; i++) {
        struct block **a = &o->queue[(o->head + i) % o->capacity];
        struct block **b = &o->queue[(o->head + o->waiting - 1 - i) % o->capacity], *swapped = *a;
        *a = *b;
        *b = swapped;
    }
}

static uint64_t state_of(void *data)
{
    const struct ordered *o = data;
    uint64_t fingerprint = 0;
    for (size_t i = 0; i < o->waiting; i++)
        fingerprint += block_fingerprint(o->queue[(o->head + i) % o->capacity]);
    return fingerprint;
}

/* To be called at the end of a cycle. True: the waiting blocks loop for ever. */
static bool goes_round(struct ordered *o)
{
    struct quiet *q = &o->quiet;
    uint64_t calls = 0;
    bool clock = false;
    for (size_t i = 0; i < o->waiting; i++) {
        const struct block *b = o->queue[(o->head + i) % o->capacity];
        calls += b->calls;
        clock |= block_reads_clock(b);
    }
    bool quiet =
        o->next == q->begun && o->blocks_done == q->done && calls == q->calls && o->run->device->drives == q->drives;
    if (!quiet || clock) {
        *q = (struct quiet){{0}, o->next, o->blocks_done, calls, o->run->device->drives};
        watch_clear(&o->watch);
        return false;
    }
    return turns_end(&q->cycles, &o->watch, state_of, o);
}

/* ---- waiting for a change of memory ------------------------------------------------------------------------------ */

/* A word that an allocation ends within is read by bytes. */
static uint32_t word_at(const struct rp_device *d, uint64_t address)
{
    uint32_t word = 0;
    const uint8_t *at = rp_host_read(d, address, sizeof word);
    if (at)
        memcpy(&word, at, sizeof word);
    for (unsigned i = 0; !at && i < sizeof word; i++) {
        const uint8_t *byte = rp_host_read(d, address + i, 1);
        word |= byte ? (uint32_t)*byte << 8 * i : 0;
    }
    return word;
}

bool ordered_listens(const struct ordered *o, uint64_t *memory)
{
    const struct watch *w = &o->watch;
    uint64_t words = 0;
    *memory = 0;
    for (size_t i = 0; o->listening && i < WATCH_ENTRIES; i++)
        if (w->key[i] && w->how[i] & WATCH_READ) {
            uint64_t word = w->key[i] - 1, value = word_at(o->run->device, word * 4);
            *memory += (word << 32 ^ word >> 32 ^ value) * 0x9e3779b97f4a7c15u >> 7;
            words++;
        }
    return words;
}

static void stop_listening(struct ordered *o)
{
    o->listening = false;
    watch_clear(&o->watch);
}

/* Where threads are independent, lanes that wait at a join for looping lanes go ahead. */
static bool go_ahead(struct ordered *o)
{
    bool some = false;
    for (size_t i = 0; i < o->waiting; i++)
        some |= block_go_ahead(o->queue[(o->head + i) % o->capacity]);
    return some;
}

static void begin_cycle(struct ordered *o)
{
    const struct grid *g = &o->run->grid;
    bool room = (o->waiting + 1) * block_bytes(g) <= ORDERED_OPEN_BYTES;
    reverse(o);
    o->old_turns = o->waiting;
    o->new_turns = g->workspace ? g->blocks : o->waiting && !room ? 0 : 1 + o->waiting / 8;
}

/* The next block to get a turn. In each cycle every block that was set aside gets a turn, and a few new ones begin, one
 * for every eight that wait: enough to reach soon a block for which all others wait, and few enough that blocks that
 * merely run long do not fill the memory. */
static struct block *next_block(struct ordered *o)
{
    if (o->new_turns && o->next == o->run->grid.blocks)
        o->new_turns = 0;
    if (o->new_turns) {
        o->new_turns--;
        return o->blocks_at_once > 1 ? begin_clusters(o) : begin_block(o);
    }
    o->old_turns -= o->old_turns > 0;
    return dequeue(o);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void print(struct ordered *o, const char *text, size_t bytes)
{
    FILE *to = o->run->config.output ? o->run->config.output : stdout;
    fwrite(text, 1, bytes, to);
}

static bool keep_text(struct ordered *o, struct block *b)
{
    if (o->printed_count == o->printed_capacity) {
        size_t capacity = o->printed_capacity ? 2 * o->printed_capacity : 16;
        struct printed *printed = realloc(o->printed, capacity * sizeof *printed);
        if (!printed)
            return false;
        o->printed = printed;
        o->printed_capacity = capacity;
    }
    size_t at = o->printed_count++;
    for (; at && o->printed[at - 1].block > b->index; at--)
        o->printed[at] = o->printed[at - 1];
    o->printed[at] = (struct printed){b->index, b->text, b->text_bytes};
    b->text = NULL;
    b->text_bytes = b->text_capacity = 0;
    return true;
}

/* Prints the text that blocks below `end` left. */
static void print_until(struct ordered *o, uint64_t end)
{
    size_t done = 0;
    while (done < o->printed_count && o->printed[done].block < end) {
        print(o, o->printed[done].text, o->printed[done].bytes);
        free(o->printed[done++].text);
    }
    o->printed_count -= done;
    for (size_t i = 0; done && i < o->printed_count; i++)
        o->printed[i] = o->printed[done + i];
}

/* To be called after a block's turn: prints everything of blocks below the lowest unfinished one, and that block's own
 * text. */
static bool take_text(struct ordered *o, struct block *b, bool done)
{
    if (!b->text_bytes && !o->printed_count)
        return true;
    uint64_t lowest = o->next;
    for (size_t i = 0; i < o->waiting; i++) {
        uint64_t index = o->queue[(o->head + i) % o->capacity]->index;
        lowest = index < lowest ? index : lowest;
    }
    if (!done && b->index < lowest)
        lowest = b->index;
    if (b->text_bytes && b->index > lowest) {
        if (done)
            return keep_text(o, b);
        return true;
    }
    print_until(o, b->index < lowest ? b->index : lowest);
    if (b->text_bytes)
        print(o, b->text, b->text_bytes);
    b->text_bytes = 0;
    print_until(o, lowest);
    return true;
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */

static bool flush_chunk(struct ordered *o, struct rp_error *err)
{
    o->chunk_blocks = 0;
    return frames_finish(&o->frames, o->chunk, err) && frames_commit(&o->frames, &o->run->recorder, err);
}

/* To be called between turns: makes a frame of a full chunk, or of enough blocks if none is open. Enough means the same
 * as for batches. */
static bool record_turn(struct ordered *o, struct rp_error *err)
{
    if (!o->chunk)
        return true;
    size_t bytes = rp_chunk_bytes(o->chunk);
    bool enough =
        !o->waiting && o->chunk_blocks >= o->run->batch_blocks && (!o->run->join_small || bytes >= RECORD_SMALL_BYTES);
    bool nothing = !enough && bytes <= RECORD_CHUNK_BYTES && !rp_chunk_failed(o->chunk);
    return nothing || flush_chunk(o, err);
}

static bool end_block(struct ordered *o, struct block *b)
{
    if (o->chunk)
        rp_chunk_end_block(o->chunk, b->index);
    if (o->run->config.check)
        check_block_end(o->run->config.check, b);
    if (o->run->config.sample)
        check_sample_end(o->run->config.sample, b);
    cluster_leave(b);
    block_count(b, &o->run->result.warp_instructions, &o->run->result.thread_instructions);
    if (b->text_bytes && !keep_text(o, b))
        return false;
    o->current = NULL;
    if (o->spare)
        block_free(b);
    else
        o->spare = b;
    return true;
}

static void fault_result(const struct block *b, struct rp_launch_result *r)
{
    const struct fault *f = &b->fault;
    r->fault = f->kind;
    r->fault_address = f->address;
    r->fault_size = f->size;
    r->fault_space = f->space;
    r->fault_access = f->access;
    r->fault_instruction = f->instruction;
    r->assertion = f->assertion;
    block_callers(b, f->warp, f->lane, &r->fault_callers);
    for (int i = 0; i < 3; i++) {
        r->fault_block[i] = b->ctaid[i];
        r->fault_thread[i] = b->warps[f->warp].w.tid[i][f->lane];
    }
}

/* Ends the launch with a fault: writes what every block that has begun has executed. The recorder's frames stay. */
static bool end_faulted(struct ordered *o, struct block *b, struct rp_error *err)
{
    struct rp_error report = {0};
    fault_report(b, &report);
    fault_result(b, &o->run->result);
    bool ok = end_block(o, b);
    while (o->waiting && ok) {
        o->current = dequeue(o);
        ok = end_block(o, o->current);
    }
    print_until(o, UINT64_MAX);
    if (ok && o->chunk && !flush_chunk(o, err))
        return false;
    if (err)
        *err = report;
    return false;
}

static bool no_memory(const struct ordered *o, struct rp_error *err)
{
    return rp_fail(err, RP_SYSTEM, "out of memory for the blocks of kernel '%s'", o->run->grid.program->name);
}

/* A warp that can run. NULL: all warps of the block wait, for another block of its cluster. */
static struct warp_state *ready_warp(struct block *b)
{
    for (uint32_t i = 0; i < b->grid->warps; i++)
        if (b->warps[i].status == WARP_READY)
            return &b->warps[i];
    return NULL;
}

bool ordered_livelock(struct ordered *o, struct rp_error *err)
{
    size_t blocks = o->waiting;
    struct block *b = o->current = dequeue(o);
    struct warp_state *s = ready_warp(b);
    for (size_t i = 1; !s && i < blocks && enqueue(o, b); i++) {
        b = o->current = dequeue(o);
        s = ready_warp(b);
    }
    if (!s) {
        block_deadlock(b);
        return end_faulted(o, b, err);
    }
    block_fault(s, s->pc, RP_FAULT_LIVELOCK, (unsigned)__builtin_ctz(s->w.active),
                "the threads of %zu block%s repeat the same steps for ever and nothing changes what they wait for%s",
                blocks, blocks == 1 ? "" : "s",
                s->independent
                    ? ""
                    : ". Do lanes of one warp wait for each other? While some of them spin, the others stand "
                      "still, as on GPUs before Volta; from sm_70 on they give way (--target)");
    return end_faulted(o, b, err);
}

/* Gives one block a turn. */
static bool turn(struct ordered *o, struct rp_error *err)
{
    struct block *b = next_block(o);
    if (!b)
        return no_memory(o, err);
    o->current = b;
    uint64_t before = block_executed(b);
    b->watch = turns_watch(&o->quiet.cycles, &o->watch) ? &o->watch : NULL;
    enum block_status status = block_run(b, o->run->grid.rounds);
    o->warp_instructions += block_executed(b) - before;
    if (b->no_memory)
        return no_memory(o, err);
    if (status == BLOCK_FAULT)
        return end_faulted(o, b, err);
    if (!take_text(o, b, status == BLOCK_DONE))
        return no_memory(o, err);
    if (status == BLOCK_SET_ASIDE) {
        if (!enqueue(o, b))
            return no_memory(o, err);
        o->current = NULL;
        run_progress(o->run, o->blocks_done, o->warp_instructions);
        return record_turn(o, err);
    }
    if (!end_block(o, b))
        return no_memory(o, err);
    run_progress(o->run, ++o->blocks_done, o->warp_instructions);
    return record_turn(o, err);
}

/* Ends the checks of all blocks, including unfinished ones. */
static void end_checks(struct ordered *o)
{
    struct rp_check *c = o->run->config.check;
    for (size_t i = 0; i < o->waiting; i++)
        check_block_end(c, o->queue[(o->head + i) % o->capacity]);
    if (o->current)
        check_block_end(c, o->current);
    check_launch_end(c);
}

static void end_sample(struct ordered *o)
{
    struct rp_check *c = o->run->config.sample;
    for (size_t i = 0; i < o->waiting; i++)
        check_sample_end(c, o->queue[(o->head + i) % o->capacity]);
    check_sample_end(c, o->current);
}

void ordered_free(struct ordered *o)
{
    if (!o)
        return;
    const struct rp_running *r = o->run;
    if (r->config.check)
        end_checks(o);
    if (r->config.sample)
        end_sample(o);
    while (o->waiting)
        block_free(dequeue(o));
    free(o->queue);
    block_free(o->current);
    device_give_block(r->device, o->spare);
    for (size_t i = 0; i < o->printed_count; i++)
        free(o->printed[i].text);
    free(o->printed);
    frames_free(&o->frames);
    device_give_chunk(r->device, o->chunk);
    if (o->warp_instructions > SPARE_LAUNCH_INSTRUCTIONS)
        device_drop_chunks(r->device);
    free(o);
}

/* The number of consecutive blocks that form whole clusters; 1: no clusters. */
static uint64_t blocks_of_whole_clusters(const struct grid *g)
{
    const uint32_t *c = g->cluster;
    return c[2] > 1 ? (uint64_t)g->dim[0] * g->dim[1] * c[2] : c[1] > 1 ? (uint64_t)g->dim[0] * c[1] : c[0];
}

struct ordered *ordered_new(struct rp_running *r, struct rp_error *err)
{
    struct ordered *o = calloc(1, sizeof *o);
    if (!o)
        return rp_fail(err, RP_SYSTEM, "out of memory for the blocks of kernel '%s'", r->program->name), NULL;
    o->run = r;
    o->blocks_at_once = blocks_of_whole_clusters(&r->grid);
    r->grid.parallel = false;
    if (r->config.check && !check_launch_begin(r->config.check, &r->grid)) {
        no_memory(o, err);
        ordered_free(o);
        return NULL;
    }
    if (!r->recorder.writer || (o->chunk = device_take_chunk(r->device, r->recorder.kernel, r->recorder.launch)))
        return o;
    no_memory(o, err);
    free(o);
    return NULL;
}

/* Writes the rest, even if no block has begun since the last frame: blocks that were open then have gone on. */
static bool finish(struct ordered *o, struct rp_error *err)
{
    if (o->chunk && !flush_chunk(o, err))
        return false;
    print_until(o, UINT64_MAX);
    return true;
}

#define DRIVE_TURNS 64

enum rp_launch_state ordered_drive(struct ordered *o, bool *ok, struct rp_error *err)
{
    *ok = true;
    if (o->listening)
        stop_listening(o);
    o->quiet.drives += o->run->device->drives == o->quiet.drives + 1; /* this launch is driven, no other one */
    for (int i = 0; (i < DRIVE_TURNS || o->quiet.cycles.count) && *ok; i++) {
        if (!o->waiting && o->next == o->run->grid.blocks) {
            *ok = finish(o, err);
            return RP_LAUNCH_DONE;
        }
        if (!o->old_turns && !o->new_turns) {
            if (o->waiting && goes_round(o)) {
                o->quiet = (struct quiet){0};
                o->listening = !go_ahead(o);
                if (o->listening)
                    return RP_LAUNCH_WAITS;
                watch_clear(&o->watch);
            }
            begin_cycle(o);
        }
        *ok = turn(o, err);
    }
    return *ok ? RP_LAUNCH_RUNS : RP_LAUNCH_DONE;
}
