/* Launches. A kernel has ended when the call returns; as on a GPU, later calls report its errors. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/target.h"
#include "frontend/cuda/driver/calls.h"
#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/hint.h"
#include "frontend/cuda/driver/pending.h"
#include "frontend/cuda/driver/progress.h"
#include "frontend/cuda/driver/stats.h"

#define PARAM_BYTES 32768

/* ---- checking ---------------------------------------------------------------------------------------------------- */

static bool dimensions_fit(const struct launch *l)
{
    static const unsigned grid[3] = {0x7fffffff, 65535, 65535}, block[3] = {1024, 1024, 64};
    for (int i = 0; i < 3; i++)
        if (!l->grid[i] || l->grid[i] > grid[i] || !l->block[i] || l->block[i] > block[i])
            return false;
    return true;
}

static CUresult refuse_size(const struct launch *l)
{
    return (CUresult)call_refused(
        CUDA_ERROR_INVALID_VALUE,
        "kernel '%s', grid %ux%ux%u, block %ux%ux%u; a grid has 1x1x1 to 2147483647x65535x65535 "
        "blocks, a block 1x1x1 to 1024x1024x64 threads, at most 1024 in all",
        l->function->program->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
}

static CUresult check_threads(const struct launch *l, unsigned threads)
{
    const struct program *p = l->function->program;
    const uint32_t *need = p->required_threads;
    if (threads > 1024)
        return refuse_size(l);
    if (p->max_threads && threads > p->max_threads)
        return (CUresult)call_refused(CUDA_ERROR_INVALID_VALUE,
                                      "kernel '%s' was compiled for at most %u threads in a block, not %u", p->name,
                                      p->max_threads, threads);
    if (need[0] && memcmp(need, l->block, sizeof l->block))
        return (CUresult)call_refused(CUDA_ERROR_INVALID_VALUE,
                                      "kernel '%s' was compiled for blocks of %ux%ux%u threads, not %ux%ux%u", p->name,
                                      need[0], need[1], need[2], l->block[0], l->block[1], l->block[2]);
    return CUDA_SUCCESS;
}

static CUresult check_shared(const struct launch *l)
{
    const struct device_figures *f = figures();
    const struct program *p = l->function->program;
    if (shared_fits(l->function, l->shared))
        return CUDA_SUCCESS;
    return (CUresult)call_refused(CUDA_ERROR_INVALID_VALUE,
                                  "kernel '%s' needs %" PRIu64 " bytes of shared memory in a block; there are %" PRIu64
                                  ", or up to %" PRIu64
                                  " with its attribute of the most dynamic shared memory (%d is set)",
                                  p->name, p->static_shared + (uint64_t)l->shared, f->shared_per_block, f->shared_optin,
                                  (int)l->function->max_dynamic);
}

/* A program that runs as PTX, too, may not expect it: without checks of calls it is said once of a kernel. */
static CUresult check_registers(const struct launch *l)
{
    const struct device_figures *f = figures();
    struct rp_error err;
    uint64_t most = f->registers_per_sm < SM_REGISTERS ? f->registers_per_sm : SM_REGISTERS;
    if (rp_registers_fit(l->function->program, l->block, most, &err))
        return CUDA_SUCCESS;
    if (!calls_checked && !l->function->too_large)
        say("%s", err.text);
    l->function->too_large = true;
    return (CUresult)call_refused(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "%s", err.text);
}

CUresult launch_check(const struct launch *l)
{
    if (!dimensions_fit(l))
        return refuse_size(l);
    unsigned threads = l->block[0] * l->block[1] * l->block[2];
    CUresult r = check_threads(l, threads);
    if (!r)
        r = check_shared(l);
    if (!r)
        r = check_registers(l);
    if (!r)
        r = cluster_check(l);
    if (r)
        return r;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t most = l->cooperative ? occupancy(l->function, threads, l->shared) * figures()->sms : UINT64_MAX;
    if (blocks > most)
        return (CUresult)call_refused(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                                      "kernel '%s' has %" PRIu64 " blocks, of which %" PRIu64 " run at a time",
                                      l->function->program->name, blocks, most);
    return CUDA_SUCCESS;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static CUresult code_of(enum rp_fault_kind fault)
{
    switch (fault) {
    case RP_FAULT_BOUNDS:
    case RP_FAULT_READ_ONLY: return CUDA_ERROR_ILLEGAL_ADDRESS;
    case RP_FAULT_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case RP_FAULT_ASSERT: return CUDA_ERROR_ASSERT;
    case RP_FAULT_BARRIER:
    case RP_FAULT_DEADLOCK:
    case RP_FAULT_LIVELOCK:
    case RP_FAULT_LIMIT: return CUDA_ERROR_LAUNCH_TIMEOUT;
    case RP_FAULT_BAD_CALL: return CUDA_ERROR_INVALID_PC;
    default: return CUDA_ERROR_LAUNCH_FAILED;
    }
}

struct open_launch {
    struct rp_running *running;
    struct launch_progress progress;
    uint64_t nanoseconds; /* so far */
    bool recorded;
    bool waits;         /* until what it waits for has changed */
    uint64_t memory;    /* the checksum of that */
    uint64_t workspace; /* of a cooperative launch that waits */
};

/* Launches that end within their calls share one workspace. */
static bool give_workspace(struct rp_launch_config *c, struct rp_error *err)
{
    memory_is_of((int)c->device, UINT32_MAX);
    if (!driver.workspace)
        driver.workspace = rp_alloc(driver.device, RP_WORKSPACE_BYTES, "workspace of grid barriers", err);
    void *at = driver.workspace ? rp_host(driver.device, driver.workspace, RP_WORKSPACE_BYTES) : NULL;
    if (at)
        memset(at, 0, RP_WORKSPACE_BYTES);
    c->workspace = driver.workspace;
    return at;
}

static void keep_workspace(struct open_launch *o)
{
    o->workspace = driver.workspace;
    driver.workspace = 0;
}

static void return_workspace(uint64_t workspace)
{
    struct rp_error err;
    if (!driver.workspace)
        driver.workspace = workspace;
    else if (workspace)
        rp_free(driver.device, workspace, &err);
}

/* The line that CUDA writes for a thread whose assertion fails (CUDA C++ Programming Guide, "Assertion"), of each
 * thread of the first such warp. */
static void say_assertion(const struct rp_launch_result *r)
{
    const struct failed_assertion *a = &r->assertion;
    const uint32_t *size = r->shape, *first = r->fault_thread;
    uint32_t begin = (first[0] + size[0] * (first[1] + size[1] * first[2])) / RP_WARP_LANES * RP_WARP_LANES;
    for (uint32_t lane = 0; lane < RP_WARP_LANES; lane++) {
        uint32_t t = begin + lane;
        if (a->lanes >> lane & 1)
            fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", a->file,
                    a->line, a->function, r->fault_block[0], r->fault_block[1], r->fault_block[2], t % size[0],
                    t / size[0] % size[1], t / size[0] / size[1], a->condition);
    }
}

static void configure(struct rp_launch_config *c, CUstream stream, const struct launch *l)
{
    *c = driver.defaults;
    memcpy(c->grid, l->grid, sizeof c->grid);
    memcpy(c->block, l->block, sizeof c->block);
    memcpy(c->cluster, l->cluster, sizeof c->cluster);
    c->dynamic_shared = l->shared;
    int device = l->function->module->device;
    c->device = (uint32_t)device;
    c->stream = stream->number;
    c->params = l->params;
    /* the program's setting is a limit, not a need: only recursion takes more than the kernel declares */
    c->stack_bytes = l->function->program->recursive && l->function->module->context
                         ? (uint32_t)l->function->module->context->limits[CU_LIMIT_STACK_SIZE]
                         : 0;
    c->ask = device_ask;
    c->writer = record_launch(l->function);
    c->check = check_launch(l->function);
    memory_is_of(device, access_to(device, NULL)); /* what the kernel allocates */
    c->sample = pending_on(NULL, NULL) ? NULL : hint_sample(l->function);
}

/* A program that recurses has the stack that it asks for; others have what they need. */
static void say_fault(const struct rp_launch_result *r, const char *text)
{
    struct rp_error with;
    bool stack = r->fault == RP_FAULT_STACK && r->program->recursive;
    if (stack)
        rp_fail(&with, RP_KERNEL, "%s; cudaDeviceSetLimit(cudaLimitStackSize, BYTES) gives more", text);
    check_fault(r, stack ? with.text : text);
}

/* What is left to do after a launch, whether or not it began. */
static CUresult settle(const struct launch *l, bool ok, bool recorded, const struct rp_launch_result *result,
                       const struct rp_error *err)
{
    if (recorded)
        record_launched();
    record_children(result->children, recorded);
    fflush(stdout); /* keeps the order of the kernel's output and what others write to stdout */
    check_launched();
    if (ok)
        return CUDA_SUCCESS;
    if (result->fault == RP_FAULT_ASSERT)
        say_assertion(result);
    if (err->status == RP_KERNEL && result->fault != RP_FAULT_INTERRUPTED)
        say_fault(result, err->text);
    else
        say("%s", err->text);
    if (result->fault == RP_FAULT_INTERRUPTED)
        record_interrupted();
    if (err->status == RP_SYSTEM && recorded) /* the trace cannot go on, and the kernel's effects are unknown */
        return driver.failed = CUDA_ERROR_OPERATING_SYSTEM;
    if (err->status != RP_KERNEL)
        return err->status == RP_USAGE ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    context_fails(l->function, code_of(result->fault));
    return CUDA_SUCCESS;
}

static void add_time(struct open_launch *o, uint64_t begun)
{
    stats_end(STATS_KERNELS, begun);
    o->nanoseconds += stats_begin() - begun;
}

CUresult launch_end(struct open_launch *o, const struct launch *l)
{
    struct rp_launch_result result;
    struct rp_error err = {0};
    uint64_t begun = stats_begin();
    bool ok = rp_launch_end(o->running, &result, &err), recorded = o->recorded;
    add_time(o, begun);
    if (result.spared)
        stats_spared(l->function->program, result.nanoseconds);
    else
        stats_launched(l->function->program, o->nanoseconds, result.warp_instructions);
    driver.spared += result.nanoseconds;
    return_workspace(o->workspace);
    free(o);
    return settle(l, ok, recorded, &result, &err);
}

/* While other threads run, a store of theirs may fall between the threads' last look and the checksum: then it takes
 * two equal checksums, with the threads' looks between them. */
bool launch_waits(struct open_launch *o)
{
    uint64_t memory, begun = stats_begin();
    if (o->waits && rp_launch_listens(o->running, &memory) && memory == o->memory)
        return true;
    if (o->waits)
        pending_progress();
    for (bool again = false;; again = true) {
        enum rp_launch_state state;
        while ((state = rp_launch_drive(o->running)) == RP_LAUNCH_RUNS)
            ;
        o->waits = state == RP_LAUNCH_WAITS && rp_launch_listens(o->running, &memory);
        if (!o->waits || (again && memory == o->memory) || !others_run())
            break;
        o->memory = memory;
    }
    o->memory = memory;
    add_time(o, begun);
    return o->waits;
}

CUresult launch_start(CUstream stream, const struct launch *l, struct open_launch **open)
{
    struct rp_launch_config c;
    struct rp_error err = {0};
    struct open_launch *o = calloc(1, sizeof *o);
    *open = NULL;
    if (!o)
        return CUDA_ERROR_OUT_OF_MEMORY;
    configure(&c, stream, l);
    uint64_t begun = stats_begin();
    progress_of(&o->progress, l->function->program, &c);
    o->recorded = c.writer;
    if ((l->cooperative && !give_workspace(&c, &err)) ||
        !(o->running = rp_launch_begin(driver.device, l->function->program, &c, &err))) {
        free(o);
        return settle(l, false, c.writer, &(struct rp_launch_result){.program = l->function->program}, &err);
    }
    stats_end(STATS_COMPILATION, begun); /* of a kernel's first launch */
    if (!launch_waits(o))
        return launch_end(o, l);
    if (l->cooperative)
        keep_workspace(o);
    *open = o;
    return CUDA_SUCCESS;
}

CUresult launch_run(CUstream stream, const struct launch *l)
{
    struct open_launch *open;
    CUresult r = launch_start(stream, l, &open);
    return open ? pending_open(stream, l, open) : r;
}

static CUresult launch(struct launch *l, CUstream handle, void **params, void **extra)
{
    _Alignas(64) uint8_t small[512];
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    CUstream stream = stream_of(handle);
    if (!stream || stream->device != current_device() || !handle_is(HANDLE_FUNCTION, l->function))
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if ((r = function_on(current_device(), &l->function)))
        return leave(r);
    uint32_t bytes = l->function->program->parameter_bytes;
    l->params = bytes <= sizeof small ? small : malloc(bytes);
    r = l->params ? launch_check(l) : CUDA_ERROR_OUT_OF_MEMORY;
    if (!r)
        r = function_params(l->function, params, extra, l->params);
    if (!r)
        r = submit(stream, &(struct work){.kind = WORK_LAUNCH, .launch = *l});
    if (l->params != small)
        free(l->params);
    return leave(r);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params,
                        void **extra)
{
    struct launch l = {
        .function = function, .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .shared = shared};
    return launch(&l, stream, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void **params)
{
    struct launch l = {.function = function,
                       .grid = {grid_x, grid_y, grid_z},
                       .block = {block_x, block_y, block_z},
                       .shared = shared,
                       .cooperative = true};
    return launch(&l, stream, params, NULL);
}

/* Hints among the attributes are accepted. */
void launch_attributes(const CUlaunchConfig *c, struct launch *l)
{
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const CUlaunchAttribute *a = &c->attrs[i];
        if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            l->cooperative = a->value.cooperative;
        else if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            memcpy(l->cluster, &a->value.clusterDim, sizeof l->cluster);
    }
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
    if (!c || (c->numAttrs && !c->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    struct launch l = {.function = function,
                       .grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                       .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                       .shared = c->sharedMemBytes};
    launch_attributes(c, &l);
    return launch(&l, c->hStream, params, extra);
}

/* ---- before CUDA 4: the function keeps shape and parameters ------------------------------------------------------ */

static CUresult enter_function(CUfunction function)
{
    CUresult r = enter(NEED_CONTEXT);
    return r || handle_is(HANDLE_FUNCTION, function) ? r : leave(CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    CUresult r = enter_function(function);
    if (r)
        return r;
    if (x <= 0 || y <= 0 || z <= 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(function->block, (unsigned[]){(unsigned)x, (unsigned)y, (unsigned)z}, sizeof function->block);
    return leave(CUDA_SUCCESS);
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
    CUresult r = enter_function(function);
    if (r)
        return r;
    function->shared = bytes;
    return leave(CUDA_SUCCESS);
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
    CUresult r = enter_function(function);
    if (r)
        return r;
    function->params_used = bytes;
    return leave(bytes <= PARAM_BYTES ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuParamSetv(CUfunction function, int offset, void *from, unsigned bytes)
{
    CUresult r = enter_function(function);
    if (r)
        return r;
    if (offset < 0 || !from || bytes > PARAM_BYTES || (unsigned)offset > PARAM_BYTES - bytes)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!function->params && !(function->params = calloc(1, PARAM_BYTES)))
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(function->params + offset, from, bytes);
    return leave(CUDA_SUCCESS);
}
CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    CUresult r = enter_function(function);
    if (r)
        return r;
    struct launch l = {
        .function = function, .grid = {(unsigned)width, (unsigned)height, 1}, .shared = function->shared};
    memcpy(l.block, function->block, sizeof l.block);
    uint8_t *params = function->params;
    size_t bytes = params ? function->params_used : 0;
    leave(CUDA_SUCCESS);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    return width <= 0 || height <= 0 ? CUDA_ERROR_INVALID_VALUE : launch(&l, stream, NULL, extra);
}
CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}
CUresult cuLaunch(CUfunction function) { return cuLaunchGridAsync(function, 1, 1, NULL); }
