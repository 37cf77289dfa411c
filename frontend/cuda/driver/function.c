/* Kernels: their attributes and occupancy. CUfunction and CUkernel are the same here. */
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"

#define DEFAULT_SHARED 49152

static bool is_function(CUfunction f) { return handle_is(HANDLE_FUNCTION, f); }

/* Enters the driver for an operation on a function; `result`, where the value goes, must not be NULL. */
static CUresult enter_function(CUfunction f, const void *result)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!result || !is_function(f))
        return leave(result ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static unsigned max_threads(const struct program *p)
{
    const uint32_t *need = p->required_threads;
    unsigned threads = need[0] ? need[0] * need[1] * need[2] : p->max_threads;
    return threads && threads < 1024 ? threads : 1024;
}

static unsigned local_bytes(const struct program *p)
{
    return p->max_depth_bytes > p->frame_bytes ? p->max_depth_bytes : p->frame_bytes;
}

static unsigned registers(const struct program *p) { return p->kernel.registers < 255 ? p->kernel.registers : 255; }

/* sm_61 is 61, and so is PTX for compute_61. */
static int version_of(const struct CUfunc_st *f) { return f->program->target ? (int)f->program->target->sm : 0; }

/* CUB asks for it, to choose what its headers have compiled for that architecture. */
static int ptx_version(const struct CUfunc_st *f)
{
    return f->module->module->ptx_sm ? (int)f->module->module->ptx_sm : version_of(f);
}

CUresult function_attribute(const struct CUfunc_st *f, CUfunction_attribute a, int *value)
{
    const struct program *p = f->program;
    switch (a) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)max_threads(p); break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)p->static_shared; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)f->module->module->const_size; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)local_bytes(p); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)registers(p); break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = ptx_version(f); break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = f->module->module->machine_code ? version_of(f) : (int)figures()->capability;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = f->max_dynamic ? f->max_dynamic : DEFAULT_SHARED - (int)p->static_shared;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = f->carveout; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = (int)p->required_cluster[a - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = f->large_clusters; break;
    default:
        *value = 0;
        return a <= CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute a, CUfunction function)
{
    CUresult r = enter_function(function, value);
    return r ? r : leave(function_attribute(function, a, value));
}
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute a, CUkernel kernel, CUdevice device)
{
    return !is_device(device) ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, a, (CUfunction)kernel);
}

static CUresult set_attribute(CUfunction f, CUfunction_attribute a, int value)
{
    if (a == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value < 0 || (uint64_t)value + f->program->static_shared > figures()->shared_optin)
            return CUDA_ERROR_INVALID_VALUE;
        f->max_dynamic = value;
        return CUDA_SUCCESS;
    }
    if (a == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
        f->large_clusters = value;
        return CUDA_SUCCESS;
    }
    if (a != CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT || value < -1 || value > 100)
        return CUDA_ERROR_INVALID_VALUE;
    f->carveout = value;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute a, int value)
{
    CUresult r = enter_function(function, &value);
    return r ? r : leave(set_attribute(function, a, value));
}
CUresult cuKernelSetAttribute(CUfunction_attribute a, int value, CUkernel kernel, CUdevice device)
{
    return !is_device(device) ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute((CUfunction)kernel, a, value);
}

/* No effect: caches are modelled in replay. */
static CUresult set_config(CUfunction function, int config, int most)
{
    CUresult r = enter_function(function, &config);
    return r ? r : leave(config >= 0 && config <= most ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
CUresult cuFuncSetCacheConfig(CUfunction function, int config) { return set_config(function, config, 3); }
CUresult cuFuncSetSharedMemConfig(CUfunction function, int config) { return set_config(function, config, 2); }
CUresult cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice device)
{
    return !is_device(device) ? CUDA_ERROR_INVALID_DEVICE : set_config((CUfunction)kernel, config, 3);
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    CUresult r = enter_function(function, module);
    if (r)
        return r;
    *module = function->module;
    return leave(CUDA_SUCCESS);
}
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    return cuFuncGetModule((CUmodule *)library, (CUfunction)kernel);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    CUresult r = enter_function((CUfunction)kernel, function);
    if (r)
        return r;
    *function = (CUfunction)kernel;
    return leave(function_on(current_device(), function));
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    CUresult r = enter_function(function, name);
    if (r)
        return r;
    *name = function->program->name;
    return leave(CUDA_SUCCESS);
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) { return cuFuncGetName(name, (CUfunction)kernel); }

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    CUresult r = enter_function(function, offset);
    if (r)
        return r;
    const struct program *p = function->program;
    if (index >= p->parameter_count)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *offset = p->parameters[index].offset;
    if (bytes)
        *bytes = p->parameters[index].size;
    return leave(CUDA_SUCCESS);
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, bytes);
}

CUresult cuFuncIsLoaded(int *state, CUfunction function)
{
    CUresult r = enter_function(function, state);
    if (r)
        return r;
    *state = 1;
    return leave(CUDA_SUCCESS);
}
CUresult cuFuncLoad(CUfunction function)
{
    CUresult r = enter_function(function, &driver);
    return r ? r : leave(CUDA_SUCCESS);
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

/* {BUFFER_POINTER, buffer, BUFFER_SIZE, &size, END}; bytes beyond the buffer's end are zero. */
static CUresult from_buffer(const struct program *p, void **extra, uint8_t *to)
{
    const void *buffer = NULL;
    size_t bytes = 0;
    for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2)
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *(size_t *)extra[i + 1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    if (!buffer && bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes)
        memcpy(to, buffer, bytes < p->parameter_bytes ? bytes : p->parameter_bytes);
    return CUDA_SUCCESS;
}

CUresult function_params(CUfunction f, void **params, void **extra, uint8_t *to)
{
    const struct program *p = f->program;
    memset(to, 0, p->parameter_bytes);
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (extra)
        return from_buffer(p, extra, to);
    if (!params && p->parameter_count)
        return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < p->parameter_count; i++) {
        if (!params[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(to + p->parameters[i].offset, params[i], p->parameters[i].size);
    }
    return CUDA_SUCCESS;
}

/* ---- occupancy: CUDA occupancy calculator ------------------------------------------------------------------------ */

static uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Registers are allocated to warps in units of 256. */
static uint64_t warps_by_registers(const struct program *p, const struct device_figures *f)
{
    uint64_t per_warp = round_up((registers(p) ? registers(p) : 1) * 32, 256);
    return f->registers_per_sm / per_warp / 4 * 4; /* per sub-core */
}

bool shared_fits(CUfunction function, size_t dynamic)
{
    const struct device_figures *f = figures();
    uint64_t shared = function->program->static_shared + (uint64_t)dynamic;
    return shared <= f->shared_per_block || (dynamic <= (size_t)function->max_dynamic && shared <= f->shared_optin);
}

unsigned occupancy(CUfunction function, unsigned threads, size_t dynamic)
{
    const struct device_figures *f = figures();
    const struct program *p = function->program;
    uint64_t warps = (threads + 31) / 32, reserved = f->capability >= 80 ? 1024 : 0;
    if (!threads || threads > max_threads(p) || !shared_fits(function, dynamic))
        return 0;
    uint64_t shared = round_up(p->static_shared + dynamic + reserved, f->capability >= 80 ? 128 : 256);
    uint64_t blocks = least(f->blocks_per_sm, f->threads_per_sm / 32 / warps);
    blocks = least(blocks, warps_by_registers(p, f) / warps);
    return (unsigned)(shared ? least(blocks, f->shared_per_sm / shared) : blocks);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                              size_t shared, unsigned flags)
{
    CUresult r = enter_function(function, blocks);
    if (r)
        return r;
    if (threads <= 0 || flags > 1)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *blocks = (int)occupancy(function, (unsigned)threads, shared);
    return leave(CUDA_SUCCESS);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

/* The block size with the most resident threads; of several, the largest. No lock is held while the program's callback
 * runs. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned flags)
{
    CUresult r = enter_function(function, grid && block ? grid : NULL);
    if (r)
        return r;
    unsigned most = max_threads(function->program), best = 0, blocks = 0;
    most = limit > 0 && (unsigned)limit < most ? (unsigned)limit : most;
    for (unsigned threads = most; threads; threads = (threads - 1) / 32 * 32) {
        leave(CUDA_SUCCESS);
        size_t dynamic = shared_of ? shared_of((int)threads) : shared;
        if ((r = enter(NEED_CONTEXT)))
            return r;
        unsigned n = occupancy(function, threads, dynamic);
        if (n * threads > blocks * best) {
            best = threads;
            blocks = n;
        }
    }
    *block = (int)best;
    *grid = (int)(blocks * figures()->sms);
    return leave(flags > 1 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads)
{
    CUresult r = enter_function(function, bytes);
    if (r)
        return r;
    const struct device_figures *f = figures();
    if (blocks <= 0 || threads <= 0 || (unsigned)blocks > f->blocks_per_sm)
        return leave(CUDA_ERROR_INVALID_VALUE);
    uint64_t each = f->shared_per_sm / (unsigned)blocks / 256 * 256, used = function->program->static_shared;
    each = least(each, f->shared_per_block);
    *bytes = each > used ? each - used : 0;
    return leave(CUDA_SUCCESS);
}
