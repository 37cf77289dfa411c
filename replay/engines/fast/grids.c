/* Launches on the machine in the fast engine. */
#include <stdlib.h>

#include "replay/base/supported.h"
#include "replay/engines/fast/fast.h"

/* ---- coming ------------------------------------------------------------------------------------------------------ */

static bool begin_grid(const struct fast *f, struct fast_grid *g, struct rp_error *err)
{
    g->parts = calloc(f->sm_count, sizeof *g->parts);
    if (!g->parts)
        return rp_fail(err, RP_SYSTEM, "out of memory for a launch");
    return launch_is_supported(g->kernel, g->launch, !f->job->sampled, err) &&
           room_of_block(f->machine, g->kernel, g->launch, &g->block_room, err) &&
           cooperative_fits(f->machine, g->kernel, g->launch, room_count(f->machine, &g->block_room, UINT64_MAX),
                            err) &&
           cluster_fits(f->machine, g->kernel, g->launch, &g->block_room, err) && program_build(&g->program, f, g, err);
}

bool fast_take_launches(struct fast *f, uint64_t now, struct rp_error *err)
{
    struct engine_launch l;
    struct fast_grid **last = &f->grids;
    while (*last)
        last = &(*last)->next;
    while (f->grid_count < f->machine->grids && engine_take(&f->period, &l, now)) {
        struct fast_grid *g = calloc(1, sizeof *g);
        if (!g)
            return rp_fail(err, RP_SYSTEM, "out of memory for a launch");
        *g = (struct fast_grid){.of = l,
                                .kernel = l.kernel,
                                .launch = l.launch,
                                .control_words = l.control_words,
                                .async = kernel_is_async(l.kernel),
                                .clusters = cluster_matters(l.kernel, l.launch),
                                .meets = launch_meets(l.kernel, l.launch)};
        *last = g;
        last = &g->next;
        f->grid_count++;
        f->launches++;
        if (!begin_grid(f, g, err))
            return false;
    }
    return true;
}

uint64_t fast_wakes(const struct fast *f)
{
    return f->machine->grids > 1 && f->grid_count < f->machine->grids ? engine_wakes(&f->period) : NEVER;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

struct fast_grid *fast_first_waiting(const struct fast *f)
{
    struct fast_grid *g = f->grids;
    while (g && g->next_block == g->of.blocks)
        g = g->next;
    return g;
}

static struct fast_part *part_of(const struct fast *f, struct fast_grid *g, const struct fast_sm *sm)
{
    struct fast_part **part = &g->parts[sm - f->sms];
    if (!*part && (*part = calloc(1, sizeof **part))) {
        (*part)->grid = g;
        (*part)->report_at = f->job->progress ? PROGRESS_EVERY : NEVER;
    }
    return *part;
}

bool fast_assign(struct fast *f, struct fast_grid *g, struct fast_sm *sm, const struct fast_assigned *block,
                 struct rp_error *err)
{
    if (!sm->subcore_count && !fast_sm_open(sm))
        return rp_fail(err, RP_SYSTEM, "out of memory for machine %s", f->machine->name);
    sm->part = part_of(f, g, sm);
    if (!sm->part)
        return rp_fail(err, RP_SYSTEM, "out of memory for a launch");
    room_take(&sm->left, &g->block_room, 1);
    sm->assigned[sm->assigned_count] = *block;
    sm->assigned[sm->assigned_count++].part = sm->part;
    g->next_block++;
    if (g->of.begin == ENGINE_NEVER)
        engine_began(&f->period, &g->of, sm->now);
    engine_placed(&f->period, &g->of, g->next_block, sm->now);
    return true;
}

/* ---- going ------------------------------------------------------------------------------------------------------- */

static void free_grid(const struct fast *f, struct fast_grid *g)
{
    for (unsigned s = 0; g->parts && s < f->sm_count; s++)
        if (g->parts[s])
            fast_free_blocks(g->parts[s]);
    for (unsigned s = 0; g->parts && s < f->sm_count; s++) {
        if (f->sms[s].part == g->parts[s])
            f->sms[s].part = NULL;
        free(g->parts[s]);
    }
    free(g->parts);
    program_free(&g->program);
    free(g);
}

void fast_free_grids(struct fast *f)
{
    for (struct fast_grid *g = f->grids, *next; g; g = next) {
        next = g->next;
        free_grid(f, g);
    }
    f->grids = NULL;
}

/* Counts the accesses that were not passed to an immediate memory system. */
static void count_immediate(struct sm_memory *memory, const struct statistics *s)
{
    sm_memory_count(memory, CACHE_READ, s->global_load_transactions);
    sm_memory_count(memory, CACHE_WRITE, s->global_store_transactions);
    sm_memory_count(memory, CACHE_ATOMIC, s->global_atomic_transactions);
}

/* Adds up the statistics of the launch. Returns the cycle in which its last block left, `now` if it had none. */
static uint64_t sum_up(const struct fast *f, const struct fast_grid *g, uint64_t now)
{
    uint64_t end = g->of.blocks ? 0 : now;
    for (unsigned s = 0; s < f->sm_count; s++) {
        const struct fast_part *part = g->parts[s];
        if (!part)
            continue;
        statistics_add(&g->of.out->statistics, &part->statistics);
        end = part->last_leave > end ? part->last_leave : end;
        if (f->immediate && !f->job->sampled)
            count_immediate(f->sms[s].memory, &part->statistics);
        if (f->job->progress)
            f->job->progress(f->job->progress_data, part->statistics.warp_instructions - part->reported);
    }
    return end;
}

/* Whether all blocks of the launch have left at `now`. SMs may be ahead of `now`. */
static bool is_over(const struct fast *f, const struct fast_grid *g, uint64_t now)
{
    bool over = g->next_block == g->of.blocks;
    for (unsigned s = 0; over && s < f->sm_count; s++)
        over = !g->parts[s] || (!g->parts[s]->resident && g->parts[s]->last_leave <= now);
    return over;
}

void fast_end_launches(struct fast *f, uint64_t now)
{
    for (struct fast_grid **at = &f->grids; *at;) {
        struct fast_grid *g = *at;
        if (!is_over(f, g, now)) {
            at = &g->next;
            continue;
        }
        engine_ended(&f->period, &g->of, sum_up(f, g, now));
        *at = g->next;
        f->grid_count--;
        free_grid(f, g);
    }
}
