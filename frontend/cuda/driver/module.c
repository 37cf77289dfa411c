/* Modules and libraries, which are the same here, and their contents. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/findings.h"
#include "frontend/cuda/driver/image.h"
#include "frontend/cuda/driver/pending.h"
#include "frontend/cuda/driver/stats.h"
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

/* A library, which belongs to no context: its image, and what it is on other devices than the one that was current,
 * loaded when that is first needed. */
struct library {
    struct image image;
    CUmodule on[DEVICES_MOST];
};

/* The runtime loads a program's modules one by one: machine code is spoken of once. */
static void schedule(const char *name, const struct image *image, struct module *m)
{
    static bool said;
    struct rp_error err;
    if (module_schedule(m, &err) || said)
        return;
    said = true;
    if (image_has_ptx(name, image))
        say("%s runs as machine code, whose order is its assembler's already; --prefer ptx runs its PTX in the order "
            "of --schedule",
            name);
    else
        say("%s has machine code alone, whose order is its assembler's already: --schedule changes nothing of it; with "
            "PTX in it (nvcc -gencode arch=compute_75,code=compute_75) --prefer ptx runs that",
            name);
}

static struct module *load_bytes(int device, const char *name, const struct image *image, struct rp_error *err)
{
    memory_is_of(device, access_to(device, NULL));
    struct module *m = rp_device_load_bytes(driver.device, name, image->bytes, image->size, err);
    if (m && session_value(SESSION_SCHEDULE))
        schedule(name, image, m);
    return m;
}

/* What a program wants to load. */
struct wanted {
    const char *path; /* of the file that it comes from; NULL: it is in memory */
    const void *bytes;
    size_t size;  /* with the NUL behind a file's content; 0: unknown */
    bool library; /* keeps the image */
};

static CUresult load_image(struct CUmod_st *m, const struct wanted *wanted, struct rp_error *err)
{
    struct image image;
    uint64_t begun = stats_begin();
    CUresult r = image_choose(m->name, wanted->bytes, wanted->size, &image, err);
    r = r ? r : image_assemble(m->name, &image, err);
    if (!r && !(m->module = load_bytes(m->device, m->name, &image, err)))
        r = err->status == RP_SYSTEM ? CUDA_ERROR_OUT_OF_MEMORY : why_not(&image);
    m->library = !r && wanted->library && driver.devices > 1 ? calloc(1, sizeof *m->library) : NULL;
    if (m->library)
        m->library->image = image;
    else
        image_free(&image);
    stats_end(STATS_COMPILATION, begun);
    return r;
}

/* Names the module after its file, or the program or library that contains it; a module made at run time gets a number.
 */
static void name_module(struct CUmod_st *m, const struct wanted *wanted)
{
    Dl_info from;
    const char *path = wanted->path;
    if (!path)
        path = dladdr(wanted->bytes, &from) && from.dli_fname ? from.dli_fname : "";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (*name)
        snprintf(m->name, sizeof m->name, "%s", name);
    else
        snprintf(m->name, sizeof m->name, "module-%u", ++driver.module_count);
}

/* A program may try again, as NVIDIA's runtime does: the same is said once. */
static void say_unloaded(const struct rp_error *err)
{
    static char said[sizeof err->text];
    if (strcmp(said, err->text) != 0)
        say("a module cannot be loaded: %s", err->text);
    memcpy(said, err->text, sizeof said);
    findings_unloaded(err->text);
    if (err->status == RP_SYSTEM)
        record_lacks(err->text);
}

static CUresult load(CUmodule *to, const struct wanted *wanted, unsigned count, const CUjit_option *options,
                     void **values)
{
    struct logs logs = read_options(count, options, values);
    struct rp_error err = {0};
    if (!to || !wanted->bytes)
        return CUDA_ERROR_INVALID_VALUE;
    CUmodule m = calloc(1, sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    name_module(m, wanted);
    m->device = current_device();
    CUresult r = load_image(m, wanted, &err);
    if (!r && !handle_add(HANDLE_MODULE, m)) {
        rp_device_unload(driver.device, m->module, &err);
        r = CUDA_ERROR_OUT_OF_MEMORY;
    }
    write_logs(&logs, r ? err.text : "");
    if (r) {
        say_unloaded(&err);
        free(m);
        return r;
    }
    m->context = current_context();
    m->next = driver.modules;
    driver.modules = *to = m;
    return CUDA_SUCCESS;
}

static CUresult load_data(CUmodule *to, const void *image, bool library, unsigned count, CUjit_option *options,
                          void **values)
{
    CUresult r = enter(NEED_CONTEXT);
    const struct wanted wanted = {.bytes = image, .library = library};
    return r ? r : leave(load(to, &wanted, count, options, values));
}

static CUresult load_file(CUmodule *to, const char *path, bool library, unsigned count, CUjit_option *options,
                          void **values)
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
        const struct wanted wanted = {path, text, size + 1, library};
        r = load(to, &wanted, count, options, values);
        bytes = text;
    }
    free(bytes);
    return leave(r);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return load_data(module, image, false, 0, NULL, NULL);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return load_data(module, image, false, 0, NULL, NULL);
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)
{
    return load_data(module, image, false, count, options, values);
}
CUresult cuModuleLoad(CUmodule *module, const char *path) { return load_file(module, path, false, 0, NULL, NULL); }
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values, unsigned count,
                           CUlibraryOption *library_options, void **library_values, unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return load_data((CUmodule *)library, image, true, count, options, values);
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **values,
                               unsigned count, CUlibraryOption *library_options, void **library_values,
                               unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return load_file((CUmodule *)library, path, true, count, options, values);
}

/* ---- unloading --------------------------------------------------------------------------------------------------- */

static void take_out(CUmodule m)
{
    CUmodule *at = &driver.modules;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
}

static void unload(CUmodule m)
{
    struct rp_error err;
    for (int d = 0; m->library && d < driver.devices; d++)
        if (m->library->on[d])
            unload(m->library->on[d]);
    if (m->library)
        image_free(&m->library->image);
    free(m->library);
    take_out(m);
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

static CUmodule module_of(const struct CUctx_st *context)
{
    for (CUmodule m = driver.modules; m; m = m->next)
        if (m->context == context)
            return m;
    return NULL;
}

void modules_free(CUcontext context)
{
    for (CUmodule m; (m = module_of(context));)
        unload(m);
}

void modules_access(int device, uint32_t devices)
{
    for (CUmodule m = driver.modules; m; m = m->next)
        if (m->device == device)
            rp_set_module_access(driver.device, m->module, devices);
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
    uint64_t begun = stats_begin();
    struct program *p = module_find(m->module, name, &err);
    stats_end(STATS_COMPILATION, begun);
    CUfunction f = p ? calloc(1, sizeof *f) : NULL;
    if (!f || !handle_add(HANDLE_FUNCTION, f)) {
        say("kernel %s: %s", name, p ? "out of memory" : err.text);
        findings_unloaded(p ? "out of memory" : err.text);
        if (p || err.status == RP_SYSTEM)
            record_lacks(p ? "out of memory" : err.text);
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

/* What a library is on a device. */
static CUresult module_on(int device, CUmodule *m)
{
    struct rp_error err = {0};
    struct library *l = (*m)->library;
    if ((*m)->device == device)
        return CUDA_SUCCESS;
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    CUmodule other = l->on[device] ? l->on[device] : calloc(1, sizeof *other);
    if (other && !l->on[device]) {
        *other = (struct CUmod_st){.device = device, .next = driver.modules};
        memcpy(other->name, (*m)->name, sizeof other->name);
        if (!(other->module = load_bytes(device, other->name, &l->image, &err))) {
            say_unloaded(&err);
            free(other);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        driver.modules = l->on[device] = other;
    }
    *m = other;
    return other ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* What the program has set of the function holds on all devices. */
struct CUfunc_st function_with(struct program *p)
{
    CUmodule m = driver.modules;
    while (m && (p < m->module->programs || p >= m->module->programs + m->module->program_count))
        m = m->next;
    for (CUfunction f = m ? m->functions : NULL; f; f = f->next)
        if (f->program == p)
            return *f;
    return (struct CUfunc_st){.program = p, .module = m, .carveout = -1};
}

CUresult function_on(int device, CUfunction *f)
{
    const struct CUfunc_st *given = *f;
    CUmodule m = given->module;
    CUresult r = module_on(device, &m);
    if (r || m == given->module || (r = find_function(m, given->program->name, f)))
        return r;
    (*f)->max_dynamic = given->max_dynamic;
    (*f)->carveout = given->carveout;
    (*f)->large_clusters = given->large_clusters;
    return CUDA_SUCCESS;
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
    return leave(module_on(current_device(), module));
}

static CUresult find_variable(CUdeviceptr *address, size_t *bytes, CUmodule module, bool library, const char *name)
{
    CUresult r = enter_module(module, name);
    if (r)
        return r;
    if (library && (r = module_on(current_device(), &module)))
        return leave(r);
    uint64_t size = 0;
    void *at = rp_variable(driver.device, module->module, name, &size);
    if (address)
        *address = (uintptr_t)at;
    if (bytes)
        *bytes = size;
    return leave(at ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    return find_variable(address, bytes, module, false, name);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return find_variable(address, bytes, (CUmodule)library, true, name);
}
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return find_variable(address, bytes, (CUmodule)library, true, name);
}
