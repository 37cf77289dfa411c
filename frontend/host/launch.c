#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/host/context.h"
#include "frontend/host/run.h"

#define DEFAULT_LIMIT (UINT64_C(1) << 32)
#define DEFAULT_SHARED_LIMIT (48u << 10)
#define RECURSION_STACK (16u << 10)
#define MAX_STACK (512u << 10) /* as on the device */
#define DEVICE_HEAP (8u << 20) /* cudaLimitMallocHeapSize's default */
#define MAX_THREADS 1024u      /* per block */
#define MAX_HOST_THREADS 256u

/* PTX ISA and CUDA C Programming Guide, "Compute Capabilities": limits of all devices from 3.0 on. */
static const uint32_t max_grid[3] = {0x7fffffff, 65535, 65535};
static const uint32_t max_block[3] = {1024, 1024, 64};

static bool check_geometry(const struct program *p, const struct rp_launch_config *c, struct rp_error *err)
{
    for (int i = 0; i < 3; i++) {
        if (!c->grid[i] || c->grid[i] > max_grid[i])
            return rp_fail(err, RP_USAGE, "kernel '%s': grid dimension %c is %u; it must be 1 to %u", p->name, 'x' + i,
                           c->grid[i], max_grid[i]);
        if (!c->block[i] || c->block[i] > max_block[i])
            return rp_fail(err, RP_USAGE, "kernel '%s': block dimension %c is %u; it must be 1 to %u", p->name, 'x' + i,
                           c->block[i], max_block[i]);
    }
    uint32_t threads = c->block[0] * c->block[1] * c->block[2]; /* at most 2^26 */
    uint32_t most = p->max_threads && p->max_threads < MAX_THREADS ? p->max_threads : MAX_THREADS;
    if (threads > most)
        return rp_fail(err, RP_USAGE, "kernel '%s': a block of %u x %u x %u has %u threads; at most %u are allowed",
                       p->name, c->block[0], c->block[1], c->block[2], threads, most);
    const uint32_t *need = p->required_threads;
    if (need[0] && memcmp(need, c->block, sizeof p->required_threads))
        return rp_fail(err, RP_USAGE, "kernel '%s' requires blocks of %u x %u x %u threads", p->name, need[0], need[1],
                       need[2]);
    return true;
}

static bool check_sizes(const struct program *p, const struct rp_launch_config *c, struct rp_error *err)
{
    uint32_t limit = c->shared_limit ? c->shared_limit : DEFAULT_SHARED_LIMIT;
    uint64_t shared = (uint64_t)p->static_shared + c->dynamic_shared;
    if (shared > limit || shared > SHARED_WINDOW_SIZE)
        return rp_fail(err, RP_USAGE,
                       "kernel '%s' needs %" PRIu64 " bytes of shared memory per block; at most %u are allowed "
                       "(--shared-limit raises that)",
                       p->name, shared, limit);
    if (c->stack_bytes > MAX_STACK)
        return rp_fail(err, RP_USAGE, "a stack of %u bytes per thread is too large; at most %u are allowed",
                       c->stack_bytes, MAX_STACK);
    uint32_t need = p->frame_bytes > p->max_depth_bytes ? p->frame_bytes : p->max_depth_bytes;
    if (need > LOCAL_WINDOW_SIZE)
        return rp_fail(err, RP_USAGE, "kernel '%s' needs %u bytes of local memory per thread, too much", p->name, need);
    if (p->parameter_bytes && !c->params)
        return rp_fail(err, RP_USAGE, "kernel '%s' needs %u bytes of parameters", p->name, p->parameter_bytes);
    return true;
}

static uint32_t local_bytes(const struct program *p, const struct rp_launch_config *c)
{
    uint32_t need = p->frame_bytes > p->max_depth_bytes ? p->frame_bytes : p->max_depth_bytes;
    uint32_t asked = c->stack_bytes ? c->stack_bytes : p->recursive ? RECURSION_STACK : 0;
    return need > asked ? need : asked;
}

/* Static variables, then dynamic shared memory; all in one where nothing is known of variables. */
static struct extents shared_extents(const struct program *p, uint32_t dynamic)
{
    struct extents e = p->shared;
    if (e.count)
        e.last = (struct extent){p->static_shared + p->shared_gaps, dynamic, "dynamic shared memory"};
    else
        e.last.size = (uint64_t)p->static_shared + dynamic;
    return e;
}

static struct extents constant_extents(const struct module *m)
{
    struct extents e = m ? m->constants : (struct extents){0};
    *(e.count ? &e.last.base : &e.last.size) = m ? m->const_size : 0;
    return e;
}

static void grid_init(struct grid *g, struct rp_context *c, const struct program *p, const struct rp_launch_config *l)
{
    *g = (struct grid){
        .program = p,
        .blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
        .threads = l->block[0] * l->block[1] * l->block[2],
        .dynamic_shared = l->dynamic_shared,
        .total_shared = p->static_shared + l->dynamic_shared,
        .shared = shared_extents(p, l->dynamic_shared),
        .consts = c->consts,
        .constants = constant_extents(c->module),
        .memory = &c->memory,
        .local_bytes = local_bytes(p, l),
        .limit = l->limit ? l->limit : DEFAULT_LIMIT,
        .device_heap_left = DEVICE_HEAP,
    };
    bool polls = p->order & ORDER_POLLING;
    g->quantum = polls ? POLLING_QUANTUM : WARP_QUANTUM;
    g->rounds = polls ? POLLING_ROUNDS : BLOCK_ROUNDS;
    memcpy(g->dim, l->grid, sizeof g->dim);
    memcpy(g->block, l->block, sizeof g->block);
    g->warps = (g->threads + RP_WARP_LANES - 1) / RP_WARP_LANES;
    /* an odd multiple of the cache line, so that the lanes' stacks do not meet in one cache set */
    g->local_stride = g->local_bytes ? ((size_t)(g->local_bytes + 63) / 64 | 1) * 64 : 0;
}

/* Enough batches to keep any machine busy, and at least 256 warps in each where the grid is large: chunks of the trace
 * compress well only when they hold many warps. In a small grid, several batches share a chunk. */
static void choose_batches(struct run *r)
{
    const struct grid *g = &r->grid;
    uint64_t most = (256 + g->warps - 1) / g->warps, blocks = g->blocks / 64;
    r->batch_blocks = blocks < 1 ? 1 : blocks > most ? most : blocks;
    r->join_small = r->batch_blocks < most;
    r->batches = (g->blocks + r->batch_blocks - 1) / r->batch_blocks;
    uint64_t threads = r->config->threads;
    if (!threads) {
        long cpus = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cpus > 0 ? (uint64_t)cpus : 1;
    }
    threads = threads < MAX_HOST_THREADS ? threads : MAX_HOST_THREADS;
    r->threads = (unsigned)(threads < r->batches ? threads : r->batches);
}

static bool run_blocks(struct run *r, struct program *p, struct rp_error *err)
{
    bool again = false;
    if (p->order || p->racy || r->batches == 1)
        return ordered_run(r, err);
    if (!batches_run(r, &again, err))
        return false;
    if (!again)
        return true;
    bool ok = ordered_run(r, err);
    p->racy = ok; /* a fault is no reason to give up on parallel runs later */
    return ok;
}

/* Runs the launch that `run` describes, and ends its entry in the trace. */
static bool run_recorded(struct run *run, struct program *p, struct rp_error *err)
{
    if (!recorder_begin(&run->recorder, run->config->writer, &run->grid, err))
        return false;
    struct rp_error ran = {0};
    if (run_blocks(run, p, &ran))
        return recorder_end(&run->recorder, NULL, err);
    if (run->result.fault && !recorder_end(&run->recorder, ran.text, err))
        return false;
    if (err)
        *err = ran;
    return false;
}

bool rp_launch_kernel(struct rp_context *c, struct program *p, const struct rp_launch_config *config,
                      struct rp_launch_result *result, struct rp_error *err)
{
    struct run run = {.config = config};
    *result = (struct rp_launch_result){0};
    if (!check_geometry(p, config, err) || !check_sizes(p, config, err) || !program_prepare(p, err))
        return false;
    size_t room = (p->parameter_bytes + 127) / 64 * 64; /* the caller's block need not be aligned */
    uint8_t *params = aligned_alloc(64, room);
    if (!params)
        return rp_fail(err, RP_SYSTEM, "out of memory for the parameters of kernel '%s'", p->name);
    memset(params, 0, room);
    if (p->parameter_bytes)
        memcpy(params, config->params, p->parameter_bytes);
    grid_init(&run.grid, c, p, config);
    run.grid.params = params;
    choose_batches(&run);
    bool ok = run_recorded(&run, p, err);
    *result = run.result;
    free(params);
    return ok;
}
