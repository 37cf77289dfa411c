/* Launches by kernels: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", in its second version. Nothing there
 * lets a kernel wait for its children, and they may begin at any time after they were asked for. So they begin when all
 * blocks of their parent have ended, and run one after another: that is the order of each stream, and what waits for an
 * event comes after it in the order of calls. A kernel that launches others runs in the fixed order (ORDER_OUTPUT), so
 * the order of its launches does not depend on the number of threads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/host/internal.h"
#include "frontend/host/run.h"
#include "frontend/module/module.h"

/* On a GPU, 2048 launches that are not complete, if the program does not ask for more
 * (cudaLimitDevRuntimePendingLaunchCount). Here more must fit, since on a GPU children run beside their parents. */
#define MOST_PENDING 65536
/* The first handle of a stream that means nothing of its own, and cudaStreamTailLaunch (cuda_device_runtime_api.h of
 * CUDA 13.0). */
enum { STREAM_TAIL_LAUNCH = 3, STREAM_FIRST = 16 };

struct child {
    struct child *next;
    uint64_t address; /* of its parameters */
    struct program *program;
    struct device_shape shape;
    uint32_t depth;
    uint32_t parent; /* as in struct origin */
    unsigned slot;   /* as in family_slot */
    bool tail;
};

static void append(struct child_list *to, struct child *c)
{
    c->next = NULL;
    *(to->end ? to->end : &to->first) = c;
    to->end = &c->next;
}

/* Puts the list before `rest`. */
static struct child *before(struct child_list *list, struct child *rest)
{
    struct child *first = list->first;
    if (!first)
        return rest;
    *list->end = rest;
    *list = (struct child_list){0};
    return first;
}

static void child_free(struct rp_running *host, struct child *c)
{
    struct allocation *a = memory_find(&host->device->memory, c->address);
    if (a && a->base == c->address)
        memory_free(&host->device->memory, a);
    host->children.count--;
    free(c);
}

static void free_all(struct rp_running *host, struct child **list)
{
    for (struct child *c; (c = *list);) {
        *list = c->next;
        child_free(host, c);
    }
}

/* ---- calls of kernels -------------------------------------------------------------------------------------------- */

/* The kernel at an address of the module, ready to run. NULL: there is none, or it cannot run; then the host's launch
 * fails. */
static struct program *kernel_at(struct rp_running *r, uint64_t address)
{
    struct module *m = r->loaded->module;
    struct program *p = NULL;
    for (uint32_t i = 0; address && i < m->program_count && !p; i++)
        p = m->programs[i].address == address ? &m->programs[i] : NULL;
    struct rp_error err;
    if (!p || p->operations || module_find(m, p->name, &err))
        return p;
    struct rp_running *host = r->host;
    if (!host->children.failed)
        rp_fail(&host->error, RP_KERNEL, "kernel '%s' launches '%s': %s", r->program->name, p->name, err.text);
    host->children.failed = true;
    return NULL;
}

static uint64_t parameters(void *data, const struct device_shape *shape, uint32_t *error)
{
    struct rp_running *r = data, *host = r->host;
    struct program *p = kernel_at(r, shape->kernel);
    *error = DEVICE_NO_FUNCTION;
    if (!p)
        return 0;
    *error = DEVICE_TOO_MANY;
    if (host->children.count >= MOST_PENDING)
        return 0;
    *error = DEVICE_NO_MEMORY;
    struct child *c = calloc(1, sizeof *c);
    uint64_t bytes = p->parameter_bytes ? p->parameter_bytes : 1;
    struct allocation *a =
        c ? memory_allocate(&r->device->memory, bytes, "parameters of a launch", ALLOCATION_BUFFER) : NULL;
    if (!a) {
        free(c);
        return 0;
    }
    *c = (struct child){.next = r->children.given, .address = a->base, .program = p, .shape = *shape};
    r->children.given = c;
    host->children.count++;
    return c->address;
}

/* Like the host's launch, but for its kernel and shape. */
static void configure(const struct rp_running *host, const struct child *c, struct rp_launch_config *config)
{
    *config = host->config;
    memcpy(config->grid, c->shape.grid, sizeof config->grid);
    memcpy(config->block, c->shape.block, sizeof config->block);
    memset(config->cluster, 0, sizeof config->cluster);
    config->dynamic_shared = c->shape.shared;
    config->params = NULL;
    config->workspace = 0;
    config->sample = NULL;
    config->progress = NULL;
    config->spare_repeats = false;
}

/* The host may let a kernel have more dynamic shared memory than most, for launches by kernels, too. */
static bool shared_fits(const struct rp_running *r, const struct child *c)
{
    const struct device_asked asked = {.what = ASK_FUNCTION, .of = FUNCTION_MOST_SHARED};
    uint64_t most;
    return !r->config.ask || r->config.ask(&asked, c->program, &most) || c->shape.shared <= most;
}

static uint32_t unfit(const struct rp_running *r, const struct child *c)
{
    struct rp_launch_config config;
    struct rp_error err;
    if (c->depth > MOST_LEVELS)
        return DEVICE_TOO_DEEP;
    configure(r->host, c, &config);
    config.params = c; /* it will have some */
    bool fits = launch_fits(c->program, &config, &err) && shared_fits(r, c);
    return fits ? DEVICE_SUCCESS : DEVICE_INVALID_CONFIGURATION;
}

static uint32_t launch(void *data, uint64_t address, uint64_t stream, uint64_t block)
{
    struct rp_running *r = data;
    struct child **at = &r->children.given, *c;
    while ((c = *at) && c->address != address)
        at = &c->next;
    if (!c)
        return DEVICE_INVALID_VALUE;
    *at = c->next;
    c->tail = stream == STREAM_TAIL_LAUNCH;
    c->depth = r->children.depth + !c->tail;
    c->parent = r->recorder.launch + 1;
    c->slot = family_slot(r, stream, block);
    uint32_t error = unfit(r, c);
    if (error)
        child_free(r->host, c);
    else
        append(c->tail ? &r->children.tail : &r->children.launched, c);
    return error;
}

static uint32_t ask(void *data, const struct device_asked *asked, uint64_t *value)
{
    struct rp_running *r = data;
    struct program *kernel = NULL;
    switch (asked->what) {
    case ASK_HANDLE: *value = STREAM_FIRST + r->host->children.handles++; return DEVICE_SUCCESS;
    case ASK_DEVICE: *value = r->config.device; return DEVICE_SUCCESS;
    case ASK_FUNCTION:
    case ASK_PARAMETERS:
    case ASK_OCCUPANCY:
        kernel = kernel_at(r, asked->what == ASK_FUNCTION ? asked->with : asked->of);
        if (!kernel)
            return DEVICE_NO_FUNCTION;
        break;
    default: break;
    }
    if (asked->what == ASK_PARAMETERS) {
        *value = kernel->parameter_bytes;
        return DEVICE_SUCCESS;
    }
    return r->config.ask ? r->config.ask(asked, kernel, value) : DEVICE_UNSUPPORTED;
}

void children_init(struct rp_running *r, const struct origin *origin)
{
    r->children.calls = (struct device_calls){parameters, launch, ask, r};
    r->grid.calls = &r->children.calls;
    r->host = origin ? origin->host : r;
    r->children.depth = origin ? origin->depth : 0;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* The launches of `r`, which has ended, come next. */
static void take_up(struct rp_running *r)
{
    struct children *of = &r->children, *all = &r->host->children;
    free_all(r->host, &of->given);
    all->pending = before(&of->tail, all->pending);
    all->pending = before(&of->launched, all->pending);
}

bool children_left(const struct rp_running *r)
{
    const struct children *c = &r->children;
    return c->failed || c->now || c->pending || c->launched.first || c->tail.first;
}

static enum rp_launch_state fail(struct rp_running *host)
{
    host->ok = host->children.failed = false;
    free_all(host, &host->children.pending);
    return RP_LAUNCH_DONE;
}

static bool begin(struct rp_running *host)
{
    struct child *c = host->children.pending;
    struct rp_launch_config config;
    struct origin origin = {host, c->depth, c->parent};
    struct rp_running *r = NULL;
    host->children.pending = c->next;
    configure(host, c, &config);
    config.params = memory_find(&host->device->memory, c->address)->host;
    if (!config.writer || family_begin(host, c->depth, c->tail, c->slot, &config.stream, &host->error))
        r = launch_begin(host->device, c->program, &config, &origin, &host->error);
    child_free(host, c);
    host->children.now = r;
    return r;
}

/* Adds what the child has done, and ends it. */
static bool end(struct rp_running *host)
{
    struct rp_running *r = host->children.now;
    struct rp_launch_result *to = &host->result, all = *to;
    bool ok = running_close(r, &host->error);
    if (!ok)
        *to = r->result;
    to->warp_instructions = all.warp_instructions + r->result.warp_instructions;
    to->thread_instructions = all.thread_instructions + r->result.thread_instructions;
    to->children = all.children + 1;
    take_up(r);
    running_abandon(r);
    return ok;
}

enum rp_launch_state children_drive(struct rp_running *host)
{
    struct children *c = &host->children;
    if (!host->closed) {
        if (!running_close(host, &host->error))
            return fail(host);
        take_up(host);
    }
    if (c->failed || (!c->now && c->pending && !begin(host)))
        return fail(host);
    if (!c->now)
        return RP_LAUNCH_DONE;
    enum rp_launch_state state = rp_launch_drive(c->now);
    if (state != RP_LAUNCH_DONE)
        return state;
    if (!end(host) || c->failed || (!c->pending && !family_end(host, &host->error)))
        return fail(host);
    return c->pending ? RP_LAUNCH_RUNS : RP_LAUNCH_DONE;
}

void children_free(struct rp_running *r)
{
    if (r->host != r) {
        if (r->host->children.now == r)
            r->host->children.now = NULL;
    } else if (r->children.now) {
        running_abandon(r->children.now);
    }
    free_all(r->host, &r->children.given);
    free_all(r->host, &r->children.launched.first);
    free_all(r->host, &r->children.tail.first);
    free_all(r->host, &r->children.pending);
    free(r->children.levels);
}
