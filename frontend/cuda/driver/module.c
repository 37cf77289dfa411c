/* Modules and libraries, which are the same here, and their contents. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/image.h"
#include "frontend/cuda/driver/pending.h"
#include "frontend/module/module.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* The buffers in which a client wants to read the log. */
struct logs {
    char *buffer[2]; /* information, errors */
    void **size[2];  /* the options' values: on entry the size, on return the bytes used */
};

static struct logs read_options(unsigned count, const CUjit_option *options, void **values)
{
    struct logs l = {0};
    for (unsigned i = 0; options && values && i < count; i++)
        switch ((int)options[i]) {
        case CU_JIT_INFO_LOG_BUFFER: l.buffer[0] = values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: l.size[0] = &values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER: l.buffer[1] = values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: l.size[1] = &values[i]; break;
        case 2: values[i] = NULL; break; /* CU_JIT_WALL_TIME: 0 ms */
        default: break;
        }
    return l;
}

static void write_logs(const struct logs *l, const char *error)
{
    for (int i = 0; i < 2; i++) {
        const char *text = i ? error : "";
        unsigned room = l->size[i] ? (unsigned)(uintptr_t)*l->size[i] : 0;
        if (l->buffer[i] && room)
            snprintf(l->buffer[i], room, "%s", text);
        if (l->size[i])
            *l->size[i] = (void *)(uintptr_t)(strlen(text) < room ? strlen(text) : room);
    }
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static CUresult why_not(const struct image *image)
{
    const char *text = image->bytes;
    bool looks_like_ptx = image->size && memcmp(text, "\177ELF", 4) && memmem(text, image->size, ".version", 8);
    return looks_like_ptx ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult load_image(struct CUmod_st *m, const void *given, struct rp_error *err)
{
    struct image image;
    CUresult r = image_choose(m->name, given, &image, err);
    r = r ? r : image_assemble(m->name, &image, err);
    if (!r && !(m->module = rp_device_load_bytes(driver.device, m->name, image.bytes, image.size, err)))
        r = err->status == RP_SYSTEM ? CUDA_ERROR_OUT_OF_MEMORY : why_not(&image);
    image_free(&image);
    return r;
}

/* Names the module after the program or library that contains it; a module made at run time gets a number. */
static void name_module(struct CUmod_st *m, const void *given)
{
    Dl_info from;
    const char *path = dladdr(given, &from) && from.dli_fname ? from.dli_fname : "", *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (*name)
        snprintf(m->name, sizeof m->name, "%s", name);
    else
        snprintf(m->name, sizeof m->name, "module-%u", ++driver.module_count);
}

static CUresult load(CUmodule *to, const void *given, unsigned count, const CUjit_option *options, void **values)
{
    struct logs logs = read_options(count, options, values);
    struct rp_error err = {0};
    if (!to || !given)
        return CUDA_ERROR_INVALID_VALUE;
    CUmodule m = calloc(1, sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    name_module(m, given);
    CUresult r = load_image(m, given, &err);
    if (!r && !handle_add(HANDLE_MODULE, m)) {
        rp_device_unload(driver.device, m->module, &err);
        r = CUDA_ERROR_OUT_OF_MEMORY;
    }
    write_logs(&logs, r ? err.text : "");
    if (r) {
        say("a module cannot be loaded: %s", err.text);
        free(m);
        return r;
    }
    m->context = current_context();
    m->next = driver.modules;
    driver.modules = *to = m;
    return CUDA_SUCCESS;
}

static CUresult load_data(CUmodule *to, const void *image, unsigned count, CUjit_option *options, void **values)
{
    CUresult r = enter(NEED_CONTEXT);
    return r ? r : leave(load(to, image, count, options, values));
}

static CUresult load_file(CUmodule *to, const char *path, unsigned count, CUjit_option *options, void **values)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct rp_error err = {0};
    size_t size;
    char *bytes = path ? module_read_file(path, &size, &err) : NULL;
    char *text = bytes ? realloc(bytes, size + 1) : NULL;
    r = path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
    if (text) {
        text[size] = 0;
        r = load(to, text, count, options, values);
        bytes = text;
    }
    free(bytes);
    return leave(r);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) { return load_data(module, image, 0, NULL, NULL); }
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) { return load_data(module, image, 0, NULL, NULL); }
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)
{
    return load_data(module, image, count, options, values);
}
CUresult cuModuleLoad(CUmodule *module, const char *path) { return load_file(module, path, 0, NULL, NULL); }
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values, unsigned count,
                           CUlibraryOption *library_options, void **library_values, unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return load_data((CUmodule *)library, image, count, options, values);
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **values,
                               unsigned count, CUlibraryOption *library_options, void **library_values,
                               unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return load_file((CUmodule *)library, path, count, options, values);
}

/* ---- unloading --------------------------------------------------------------------------------------------------- */

static void unload(CUmodule m)
{
    struct rp_error err;
    CUmodule *at = &driver.modules;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    for (CUfunction f = m->functions, next; f; f = next) {
        next = f->next;
        handle_remove(f);
        free(f->params);
        free(f);
    }
    rp_device_unload(driver.device, m->module, &err);
    handle_remove(m);
    free(m);
}

void modules_free(CUcontext context)
{
    for (CUmodule m = driver.modules, next; m; m = next) {
        next = m->next;
        if (m->context == context)
            unload(m);
    }
}

CUresult cuModuleUnload(CUmodule module)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!handle_is(HANDLE_MODULE, module))
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    unload(module);
    return leave(CUDA_SUCCESS);
}
CUresult cuLibraryUnload(CUlibrary library) { return cuModuleUnload((CUmodule)library); }

CUresult cuModuleGetLoadingMode(int *mode)
{
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = 2; /* lazy: a kernel is lowered when it is first used */
    return CUDA_SUCCESS;
}

/* ---- what is in a module ----------------------------------------------------------------------------------------- */

/* Enters the driver for a query of a module. */
static CUresult enter_module(CUmodule module, const void *result)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!result || !handle_is(HANDLE_MODULE, module))
        return leave(result ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static CUresult new_function(CUmodule m, const char *name, CUfunction *to)
{
    struct rp_error err = {0};
    struct program *p = module_find(m->module, name, &err);
    CUfunction f = p ? calloc(1, sizeof *f) : NULL;
    if (!f || !handle_add(HANDLE_FUNCTION, f)) {
        say("kernel %s: %s", name, p ? "out of memory" : err.text);
        free(f);
        return p ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_NOT_SUPPORTED;
    }
    *f = (struct CUfunc_st){.program = p, .module = m, .carveout = -1, .next = m->functions};
    m->functions = *to = f;
    return CUDA_SUCCESS;
}

static CUresult find_function(CUmodule m, const char *name, CUfunction *to)
{
    for (CUfunction f = m->functions; f; f = f->next)
        if (!strcmp(f->program->name, name)) {
            *to = f;
            return CUDA_SUCCESS;
        }
    for (uint32_t i = 0; i < m->module->program_count; i++)
        if (!strcmp(m->module->programs[i].name, name))
            return new_function(m, name, to);
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    CUresult r = enter_module(module, function);
    return r ? r : leave(name ? find_function(module, name, function) : CUDA_ERROR_INVALID_VALUE);
}
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
    CUresult r = enter_module(module, count);
    if (r)
        return r;
    *count = module->module->program_count;
    return leave(CUDA_SUCCESS);
}
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    return cuModuleGetFunctionCount(count, (CUmodule)library);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module)
{
    CUresult r = enter_module(module, functions);
    if (r)
        return r;
    for (uint32_t i = 0; i < module->module->program_count && i < count && !r; i++)
        r = find_function(module, module->module->programs[i].name, &functions[i]);
    return leave(r);
}
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    return cuModuleEnumerateFunctions((CUfunction *)kernels, count, (CUmodule)library);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    CUresult r = enter_module((CUmodule)library, module);
    if (r)
        return r;
    *module = (CUmodule)library;
    return leave(CUDA_SUCCESS);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    CUresult r = enter_module(module, name);
    if (r)
        return r;
    uint64_t size = 0;
    void *at = rp_variable(driver.device, module->module, name, &size);
    if (address)
        *address = (uintptr_t)at;
    if (bytes)
        *bytes = size;
    return leave(at ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, (CUmodule)library, name);
}
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, (CUmodule)library, name);
}
