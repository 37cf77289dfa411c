#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/check.h"
#include "frontend/core/cluster.h"
#include "frontend/core/overrun.h"
#include "frontend/core/target.h"
#include "frontend/host/internal.h"
#include "frontend/host/repeats.h"
#include "frontend/host/run.h"

#define DEFAULT_LIMIT (UINT64_C(1) << 32)
#define DEFAULT_SHARED_LIMIT (48u << 10)
#define RECURSION_STACK (16u << 10)
#define MAX_STACK (512u << 10) /* as on the device */
#define MAX_THREADS 1024u      /* per block */

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
    uint32_t threads = c->block[0] * c->block[1] * c->block[2]; /* at most 2^26, so no overflow */
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

static bool cluster_specified(const struct rp_launch_config *c)
{
    return c->cluster[0] || c->cluster[1] || c->cluster[2];
}

/* Sets c->cluster to what the launch or else the kernel specifies, and converts the grid to blocks. */
static bool settle_cluster(const struct program *p, struct rp_launch_config *c, struct rp_error *err)
{
    const uint32_t *need = p->required_cluster;
    uint32_t most = p->max_cluster && p->max_cluster < CLUSTER_BLOCKS ? p->max_cluster : CLUSTER_BLOCKS;
    uint64_t blocks = 1;
    bool specified = cluster_specified(c);
    if (p->explicit_cluster && !specified && !need[0])
        return rp_fail(err, RP_USAGE,
                       "kernel '%s' is .explicitcluster: the launch must say how many blocks a cluster has", p->name);
    for (int i = 0; i < 3; i++) {
        uint32_t n = specified ? c->cluster[i] : need[0] ? need[i] : 1;
        c->cluster[i] = n ? n : 1;
        blocks = blocks * c->cluster[i] > most ? most + UINT64_C(1) : blocks * c->cluster[i];
        if (p->blocks_are_clusters && need[0])
            c->grid[i] = c->grid[i] <= max_grid[i] / need[i] ? c->grid[i] * need[i] : UINT32_MAX / need[i] * need[i];
        if (c->grid[i] % c->cluster[i])
            return rp_fail(err, RP_USAGE, "kernel '%s': grid dimension %c is %u, no multiple of the cluster's %u",
                           p->name, 'x' + i, c->grid[i], c->cluster[i]);
    }
    if (need[0] && memcmp(need, c->cluster, sizeof p->required_cluster))
        return rp_fail(err, RP_USAGE, "kernel '%s' requires clusters of %u x %u x %u blocks", p->name, need[0], need[1],
                       need[2]);
    if (blocks > most)
        return rp_fail(err, RP_USAGE, "kernel '%s': a cluster of %u x %u x %u blocks; at most %u are allowed", p->name,
                       c->cluster[0], c->cluster[1], c->cluster[2], most);
    if (blocks == 1)
        return true;
    if (!p->target || !p->target->independent_threads)
        return rp_fail(err, RP_USAGE, "kernel '%s' is not made for clusters: they need sm_90", p->name);
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
    bool alone = c->cluster[0] * c->cluster[1] * c->cluster[2] == 1;
    if (!alone && shared + p->shared_gaps > CLUSTER_STEP)
        return rp_fail(err, RP_USAGE,
                       "kernel '%s' needs %" PRIu64 " bytes of shared memory per block; in a cluster at "
                       "most %u are allowed",
                       p->name, shared, CLUSTER_STEP);
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

bool rp_registers_fit(const struct program *p, const uint32_t block[3], uint64_t most, struct rp_error *err)
{
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    uint64_t need = registers_of_block(threads, p->kernel.registers);
    return !p->machine_code || need <= most ||
           rp_fail(err, RP_USAGE,
                   "kernel '%s' has %u registers a thread, so that a block of %" PRIu64 " threads takes %" PRIu64
                   "; a GPU has %" PRIu64
                   " for a block and refuses the launch: launch smaller blocks, or compile the kernel with "
                   "__launch_bounds__(%" PRIu64 ") (.maxntid in PTX)",
                   p->name, p->kernel.registers, threads, need, most, threads);
}

bool launch_fits(const struct program *p, struct rp_launch_config *c, struct rp_error *err)
{
    return settle_cluster(p, c, err) && check_geometry(p, c, err) && check_sizes(p, c, err) &&
           rp_registers_fit(p, c->block, SM_REGISTERS, err);
}

static uint32_t local_bytes(const struct program *p, const struct rp_launch_config *c)
{
    uint32_t need = p->frame_bytes > p->max_depth_bytes ? p->frame_bytes : p->max_depth_bytes;
    uint32_t asked = c->stack_bytes ? c->stack_bytes : p->recursive ? RECURSION_STACK : 0;
    return need > asked ? need : asked;
}

/* Static variables, followed by dynamic shared memory; one extent if the variables are unknown. */
static struct extents shared_extents(const struct program *p, uint32_t dynamic, bool slack)
{
    struct extents e = p->shared;
    if (slack)
        e.slack = granule_rest((uint64_t)p->static_shared + dynamic, SHARED_GRANULE);
    if (e.count)
        e.last = (struct extent){.base = p->static_shared + p->shared_gaps,
                                 .size = dynamic,
                                 .name = dynamic || p->names_dynamic ? "dynamic shared memory" : NULL};
    else
        e.last.size = (uint64_t)p->static_shared + dynamic + p->shared_behind;
    return e;
}

static struct extents constant_extents(const struct module *m)
{
    struct extents e = m->constants;
    *(e.count ? &e.last.base : &e.last.size) = m->const_size;
    return e;
}

static void grid_init(struct rp_running *r, bool cluster_is_specified)
{
    const struct program *p = r->program;
    const struct rp_launch_config *l = &r->config;
    struct grid *g = &r->grid;
    *g = (struct grid){
        .program = p,
        .blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
        .threads = l->block[0] * l->block[1] * l->block[2],
        .dynamic_shared = l->dynamic_shared,
        .total_shared = p->static_shared + l->dynamic_shared,
        .shared = shared_extents(p, l->dynamic_shared, l->overruns),
        .params = r->params,
        .consts = r->loaded->consts,
        .constants = constant_extents(r->loaded->module),
        .memory = &r->device->memory,
        .device = l->device,
        .textures = &r->device->textures,
        .local_bytes = local_bytes(p, l),
        .limit = l->limit ? l->limit : DEFAULT_LIMIT,
        .sums = (uint8_t)l->sums,
        .heap_left = &r->device->heap_left,
        .workspace = l->workspace,
        .overruns = l->overruns,
        .interrupted = l->interrupted,
    };
    bool polls = p->order & ORDER_POLLING;
    g->quantum = polls ? POLLING_QUANTUM : WARP_QUANTUM;
    g->rounds = polls ? POLLING_ROUNDS : BLOCK_ROUNDS;
    memcpy(g->dim, l->grid, sizeof g->dim);
    memcpy(g->block, l->block, sizeof g->block);
    memcpy(g->cluster, l->cluster, sizeof g->cluster);
    g->cluster_said = cluster_is_specified || p->required_cluster[0];
    g->warps = (g->threads + RP_WARP_LANES - 1) / RP_WARP_LANES;
    /* an odd multiple of the cache line, so that the lanes' stacks do not meet in one cache set */
    g->local_stride = g->local_bytes ? ((size_t)(g->local_bytes + 63) / 64 | 1) * 64 : 0;
}

/* Chooses the size of batches: enough batches to keep any host busy and, in a large grid, at least 256 warps in each,
 * because chunks compress well only with many warps. In a small grid, several batches share a chunk. */
static void choose_batches(struct rp_running *r)
{
    const struct grid *g = &r->grid;
    uint64_t most = (256 + g->warps - 1) / g->warps, blocks = g->blocks / 64;
    r->batch_blocks = blocks < 1 ? 1 : blocks > most ? most : blocks;
    r->join_small = r->batch_blocks < most;
    r->batches = (g->blocks + r->batch_blocks - 1) / r->batch_blocks;
    uint64_t threads = r->config.threads ? r->config.threads : r->device->cpus;
    threads = threads < MAX_HOST_THREADS ? threads : MAX_HOST_THREADS;
    r->threads = (unsigned)(threads < r->batches ? threads : r->batches);
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* Copies the parameter block, because the caller's need not be aligned. */
static bool copy_params(struct rp_running *r, struct rp_error *err)
{
    const struct program *p = r->program;
    size_t room = (p->parameter_bytes + 127) / 64 * 64;
    if (!(r->params = aligned_alloc(64, room)))
        return rp_fail(err, RP_SYSTEM, "out of memory for the parameters of kernel '%s'", p->name);
    memset(r->params, 0, room);
    if (p->parameter_bytes)
        memcpy(r->params, r->config.params, p->parameter_bytes);
    r->config.params = r->params;
    return true;
}

static void running_free(struct rp_running *r)
{
    ordered_free(r->ordered);
    free(r->params);
    free(r);
}

/* Enters the launch into its trace. Launches in other traces do not count as its predecessors. */
static bool begin_recorded(struct rp_running *r, uint32_t parent, struct rp_error *err)
{
    struct rp_device *d = r->device;
    struct rp_writer *w = r->config.writer;
    struct rp_launch like = {.parent = parent};
    if (!recorder_add_kernel(&r->recorder, w, r->program, r->loaded->module, r->grid.block, err) || !w)
        return !w;
    if (d->logged_to && d->logged_to != rp_writer_identity(w))
        streams_free(&d->streams);
    return recorder_write_operations(w, &d->memory, &d->logged_to, err) &&
           streams_before(&d->streams, r->config.device, r->config.stream, &like, err) &&
           recorder_begin(&r->recorder, &r->grid, &like, err) &&
           streams_launched(&d->streams, r->config.device, r->config.stream, r->recorder.launch, err);
}

struct rp_running *launch_begin(struct rp_device *d, struct program *p, const struct rp_launch_config *config,
                                const struct origin *origin, struct rp_error *err)
{
    struct rp_launch_config settled = *config;
    if (!launch_fits(p, &settled, err) || !program_prepare(p, err))
        return NULL;
    struct loaded *loaded = device_module_of(d, p);
    if (!loaded)
        return rp_fail(err, RP_USAGE, "kernel '%s' is of a module that the device does not have", p->name), NULL;
    struct rp_running *r = calloc(1, sizeof *r);
    if (!r)
        return rp_fail(err, RP_SYSTEM, "out of memory for a launch of kernel '%s'", p->name), NULL;
    r->device = d;
    r->loaded = loaded;
    r->program = p;
    r->config = settled;
    bool ok = copy_params(r, err) && (!p->asks_of_images || device_describe_images(d, err));
    if (config->overruns && !p->overran) /* without memory for it, every overrun is reported */
        p->overran = calloc(p->kernel.instruction_count + 1, 1);
    running_clear_result(r);
    if (ok) {
        grid_init(r, cluster_specified(config));
        children_init(r, origin);
        choose_batches(r);
        ok = begin_recorded(r, origin ? origin->parent : 0, err);
    }
    if (!ok) {
        running_free(r);
        return NULL;
    }
    if (settled.spare_repeats && !settled.workspace) /* a cooperative launch is another one */
        r->done = r->ok = r->result.spared = repeats_known(r, &r->result.nanoseconds);
    loaded->launches++;
    r->next = d->open;
    d->open = r;
    return r;
}

struct rp_running *rp_launch_begin(struct rp_device *d, struct program *p, const struct rp_launch_config *config,
                                   struct rp_error *err)
{
    return launch_begin(d, p, config, NULL, err);
}

void running_abandon(struct rp_running *r)
{
    struct rp_device *d = r->device;
    struct rp_running **at = &d->open;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    children_free(r);
    r->loaded->launches--;
    running_free(r);
    if (!d->open)
        memory_reclaim(&d->memory);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* A single block runs in order, unless its kernel has run for so many warp instructions and there is something to learn
 * from its accesses (repeats.h): noting these takes about a microsecond. */
#define LONG_ALONE 8192

static void done(struct rp_running *r, bool ok)
{
    r->done = true;
    r->ok = ok;
    if (r->batches == 1 && r->result.warp_instructions >= LONG_ALONE)
        r->program->long_alone = true;
    ordered_free(r->ordered);
    r->ordered = NULL;
    if (ok && r->conflicted)
        r->program->racy = true; /* a fault is no reason to avoid parallel runs later */
}

static bool may_change_memory(const struct operation *o)
{
    if (o->kind == UOP_HOST_CALL || o->op == OP_COPY_TO_GLOBAL || o->op == OP_TENSOR_TO_GLOBAL)
        return true;
    bool loads = o->memory.kind == RP_ACCESS_LOAD || o->memory.kind == RP_ACCESS_PREFETCH;
    bool own = o->memory.space == RP_SPACE_SHARED || o->memory.space == RP_SPACE_LOCAL;
    return o->kind == UOP_MEMORY && (o->op == OP_SURFACE || (!loads && !own));
}

static bool only_reads(const struct program *p)
{
    bool reads = true;
    for (uint32_t i = 0; i < p->uop_count && reads; i++)
        reads = !may_change_memory(&p->operations[i]);
    return reads;
}

/* Runs the blocks in batches. If that fails without a result, nothing has happened, and the launch goes on in order. */
static void start(struct rp_running *r)
{
    const uint32_t *c = r->grid.cluster;
    bool alone = r->batches == 1 && !(r->config.spare_repeats && r->program->long_alone);
    bool again = r->program->order || r->program->racy || alone || r->config.check || r->config.workspace ||
                 c[0] * c[1] * c[2] > 1;
    if (!again) {
        bool ok = batches_run(r, &again, &r->error);
        r->conflicted = again;
        if (!again) {
            done(r, ok);
            return;
        }
    }
    r->only_reads = only_reads(r->program);
    if (!(r->ordered = ordered_new(r, &r->error)))
        done(r, false);
}

static void drive_ordered(struct rp_running *r, enum rp_launch_state *state)
{
    bool ok = false;
    if (!r->only_reads)
        memory_all_changed(&r->device->memory);
    *state = ordered_drive(r->ordered, &ok, &r->error);
    if (*state == RP_LAUNCH_DONE)
        done(r, ok);
}

static enum rp_launch_state drive_blocks(struct rp_running *r)
{
    enum rp_launch_state state = RP_LAUNCH_RUNS;
    r->device->drives += !r->done;
    if (!r->done && !r->ordered)
        start(r);
    else if (!r->done)
        drive_ordered(r, &state);
    return r->done ? RP_LAUNCH_DONE : state;
}

enum rp_launch_state rp_launch_drive(struct rp_running *r)
{
    bool by_host = r->host == r;
    if (by_host && r->done && r->ok && children_left(r))
        return children_drive(r);
    enum rp_launch_state state = drive_blocks(r);
    return by_host && r->done && r->ok && children_left(r) ? RP_LAUNCH_RUNS : state;
}

/* What runs now: the launch, or one of its children. */
static struct rp_running *running_now(const struct rp_running *r)
{
    return r->children.now ? r->children.now : r->host;
}

bool rp_launch_listens(const struct rp_running *r, uint64_t *memory)
{
    const struct ordered *now = running_now(r)->ordered;
    return now && ordered_listens(now, memory);
}

/* ---- ending ------------------------------------------------------------------------------------------------------ */

bool running_close(struct rp_running *r, struct rp_error *err)
{
    bool open = !r->closed;
    r->closed = true;
    if (r->ok)
        return !open || recorder_end(&r->recorder, NULL, err);
    if (open && r->result.fault && !recorder_end(&r->recorder, r->error.text, err))
        return false;
    if (err && err != &r->error)
        *err = r->error;
    return false;
}

bool rp_launch_end(struct rp_running *r, struct rp_launch_result *result, struct rp_error *err)
{
    for (enum rp_launch_state state; (state = rp_launch_drive(r)) != RP_LAUNCH_DONE;) {
        struct rp_running *now = running_now(r);
        if (state == RP_LAUNCH_WAITS)
            done(now, ordered_livelock(now->ordered, &now->error));
    }
    bool ok = running_close(r, err);
    *result = r->result;
    running_abandon(r);
    return ok;
}

bool rp_launch_kernel(struct rp_device *d, struct program *p, const struct rp_launch_config *config,
                      struct rp_launch_result *result, struct rp_error *err)
{
    *result = (struct rp_launch_result){0};
    struct rp_running *r = rp_launch_begin(d, p, config, err);
    return r && rp_launch_end(r, result, err);
}

void rp_finding_fault(struct rp_finding *f, const struct rp_launch_result *r)
{
    const struct program *p = r->program;
    if (r->fault_instruction < p->kernel.instruction_count)
        rp_finding_locate(f, p, r->fault_instruction, r->fault_block, r->fault_thread, &r->fault_callers);
    if (r->fault == RP_FAULT_SYNC || r->fault == RP_FAULT_BARRIER)
        f->kind = RP_CHECK_SYNC;
    if (!r->fault_size)
        return;
    f->space = r->fault_space;
    f->address = r->fault_address;
    f->size = r->fault_size;
    f->here.access = r->fault_access;
}
