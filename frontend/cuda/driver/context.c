/* Contexts: the primary one of each device, others, and each thread's stack of current contexts. */
#include <stdlib.h>

#include "frontend/cuda/driver/driver.h"
#include "frontend/cuda/driver/findings.h"

#define STACK_DEPTH 64

static _Thread_local CUcontext stack[STACK_DEPTH];
static _Thread_local unsigned depth;

CUcontext current_context(void) { return depth ? stack[depth - 1] : NULL; }

int current_device(void) { return depth ? stack[depth - 1]->device : 0; }

bool is_context(CUcontext context)
{
    for (CUcontext c = driver.contexts; c; c = c->next)
        if (c == context)
            return true;
    return false;
}

/* Handles are never reused, so a destroyed one is recognised. */
static CUcontext new_context(bool primary, CUdevice device, unsigned flags, unsigned api)
{
    CUcontext c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct CUctx_st){.primary = primary,
                           .alive = true,
                           .device = device,
                           .flags = flags,
                           .api = api,
                           .id = ++driver.next_id,
                           .limits = {[CU_LIMIT_STACK_SIZE] = 1024,
                                      [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
                                      [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
                                      [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
                                      [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
                                      [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64},
                           .next = driver.contexts};
    return driver.contexts = c;
}

static CUcontext primary(CUdevice device)
{
    for (CUcontext c = driver.contexts; c; c = c->next)
        if (c->primary && c->device == device)
            return c;
    return new_context(true, device, 0, 3020);
}

static bool open_device(void)
{
    static bool broken; /* stays set: what was opened before the failure would run launches without recording them */
    struct rp_error err = {0};
    if (!broken && (driver.device || driver_open(&err)))
        return true;
    if (!broken) {
        say("%s", err.text);
        findings_unloaded(err.text);
    }
    broken = true;
    return false;
}

/* ---- the primary context ----------------------------------------------------------------------------------------- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!context || !is_device(device))
        return leave(context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    CUcontext c = primary(device);
    if (!c || !open_device())
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    c->alive = true;
    c->retained++;
    *context = c;
    return leave(CUDA_SUCCESS);
}

void context_fails(const struct CUfunc_st *f, CUresult why)
{
    CUcontext c = f->module->context ? f->module->context : primary(f->module->device);
    if (c)
        c->failed = why;
    if (driver.devices == 1)
        driver.failed = why;
}

/* Frees the context's memory and modules and, with the last context, forgets errors. */
static void end_context(CUcontext c)
{
    c->alive = false;
    c->retained = 0;
    bool left = false;
    for (CUcontext other = driver.contexts; other; other = other->next)
        left |= other->alive;
    peers_release(c);
    driver_release(c, !left);
    c->failed = CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    CUcontext c = is_device(device) ? primary(device) : NULL;
    if (!c || !c->retained)
        return leave(!is_device(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_CONTEXT);
    if (!--c->retained)
        end_context(c);
    return leave(CUDA_SUCCESS);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return cuDevicePrimaryCtxRelease_v2(device); }

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    CUcontext c = is_device(device) ? primary(device) : NULL;
    if (!c)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    if (c->alive)
        end_context(c);
    return leave(CUDA_SUCCESS);
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    CUcontext c = is_device(device) ? primary(device) : NULL;
    if (!flags || !active || !c)
        return leave(!is_device(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    *flags = c->flags;
    *active = c->retained > 0;
    return leave(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    CUcontext c = is_device(device) ? primary(device) : NULL;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK || !c)
        return leave(!is_device(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    c->flags = flags;
    return leave(CUDA_SUCCESS);
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

/* ---- making and destroying --------------------------------------------------------------------------------------- */

static CUresult push(CUcontext c)
{
    if (depth == STACK_DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stack[depth++] = c;
    return CUDA_SUCCESS;
}

static CUresult create(CUcontext *context, unsigned flags, CUdevice device, unsigned api)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!context || flags & ~(unsigned)CU_CTX_FLAGS_MASK || !is_device(device))
        return leave(!is_device(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    CUcontext c = open_device() ? new_context(false, device, flags, api) : NULL;
    r = c ? push(c) : CUDA_ERROR_OUT_OF_MEMORY;
    if (!r)
        *context = c;
    return leave(r);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    return create(context, flags, device, 3020);
}
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned flags, CUdevice device)
{
    return affinity || count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : create(context, flags, device, 3030);
}
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags, CUdevice device)
{
    bool plain = !params || (!params->numExecAffinityParams && !params->cigParams);
    return plain ? create(context, flags, device, 4000) : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!is_context(context) || context->primary || !context->alive)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    end_context(context);
    if (current_context() == context)
        depth--;
    return leave(CUDA_SUCCESS);
}
CUresult cuCtxDestroy(CUcontext context) { return cuCtxDestroy_v2(context); }
CUresult cuCtxDetach(CUcontext context) { return cuCtxDestroy_v2(context); }

CUresult cuCtxAttach(CUcontext *context, unsigned flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!context || flags)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *context = current_context();
    return leave(CUDA_SUCCESS);
}

/* ---- the thread's stack ------------------------------------------------------------------------------------------ */

CUresult cuCtxGetCurrent(CUcontext *context)
{
    if (!driver.initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = current_context();
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (context && (!is_context(context) || !context->alive))
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    if (!context)
        depth -= depth > 0;
    else if (depth)
        stack[depth - 1] = context;
    else
        r = push(context);
    return leave(r);
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    return leave(is_context(context) && context->alive ? push(context) : CUDA_ERROR_INVALID_CONTEXT);
}
CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxPushCurrent_v2(context); }

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!depth)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    CUcontext c = stack[--depth];
    if (context)
        *context = c;
    return leave(CUDA_SUCCESS);
}
CUresult cuCtxPopCurrent(CUcontext *context) { return cuCtxPopCurrent_v2(context); }

/* ---- what a context knows ---------------------------------------------------------------------------------------- */

/* Enters the driver for a query of the current context; `result`, where the value goes, must not be NULL. */
static CUresult enter_query(const void *result)
{
    CUresult r = enter(NEED_CONTEXT);
    if (!r && !result)
        r = leave(CUDA_ERROR_INVALID_VALUE);
    return r;
}

/* One of the most frequent calls. */
CUresult cuCtxGetDevice(CUdevice *device)
{
    if (!driver.initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!current_context())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = current_device();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    CUcontext c = context ? context : current_context();
    if (!device || !c || !is_context(c))
        return leave(device ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE);
    *device = c->device;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    CUresult r = enter_query(flags);
    if (r)
        return r;
    *flags = current_context()->flags;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxSetFlags(unsigned flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return leave(CUDA_ERROR_INVALID_VALUE);
    current_context()->flags = flags;
    return leave(CUDA_SUCCESS);
}

/* Enters the driver for a query of a context; NULL: the current one. */
static CUresult enter_context_query(CUcontext *context, const void *result)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    *context = *context ? *context : current_context();
    if (!result)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return is_context(*context) && (*context)->alive ? CUDA_SUCCESS : leave(CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    CUresult r = enter_context_query(&context, id);
    if (r)
        return r;
    *id = context->id;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    CUresult r = enter_context_query(&context, version);
    if (r)
        return r;
    *version = context->api;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    CUresult r = enter_query(value);
    if (r)
        return r;
    if (limit > CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
        return leave(CUDA_ERROR_UNSUPPORTED_LIMIT);
    *value = current_context()->limits[limit];
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (limit > CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
        return leave(CUDA_ERROR_UNSUPPORTED_LIMIT);
    if (limit == CU_LIMIT_STACK_SIZE && value > 512 * 1024)
        return leave(CUDA_ERROR_INVALID_VALUE);
    current_context()->limits[limit] = value;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxGetCacheConfig(int *config)
{
    CUresult r = enter_query(config);
    if (r)
        return r;
    *config = current_context()->cache_config;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxSetCacheConfig(int config)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (config < 0 || config > 3)
        return leave(CUDA_ERROR_INVALID_VALUE);
    current_context()->cache_config = config;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxGetSharedMemConfig(int *config)
{
    CUresult r = enter_query(config);
    if (r)
        return r;
    *config = current_context()->shared_config ? current_context()->shared_config : 1; /* banks of 4 bytes */
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxSetSharedMemConfig(int config)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (config < 0 || config > 2)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(CUDA_SUCCESS); /* banks have 4 bytes on all devices from 5.0 on */
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    CUresult r = enter(NEED_CONTEXT);
    return r ? r : leave(CUDA_SUCCESS);
}
