/* Linking: the loader links modules of PTX. Machine code, and fat binaries without PTX, pass through if they are the
 * only input. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/image.h"
#include "frontend/module/module.h"

struct CUlinkState_st {
    struct ptx_pieces ptx;
    void *code; /* machine code, or NULL */
    size_t code_bytes;
};

static bool is_link(CUlinkState s) { return handle_is(HANDLE_LINK, s); }

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    (void)options, (void)values;
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    CUlinkState s = state && (!count || (options && values)) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!handle_add(HANDLE_LINK, s)) {
        free(s);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *state = s;
    return leave(CUDA_SUCCESS);
}
CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    return cuLinkCreate_v2(count, options, values, state);
}

static CUresult add_code(CUlinkState s, const void *data, size_t bytes)
{
    static bool reported;
    if (s->code || s->ptx.size)
        return refuse("linking of machine code with other modules", &reported);
    s->code = malloc(bytes);
    if (!s->code)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(s->code, data, bytes);
    s->code_bytes = bytes;
    return CUDA_SUCCESS;
}

static CUresult add_ptx(CUlinkState s, const void *data, size_t bytes)
{
    static bool reported;
    if (s->code)
        return refuse("linking of machine code with other modules", &reported);
    return pieces_add(&s->ptx, data, bytes) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult add_fat(CUlinkState s, const char *name, const void *data, size_t bytes)
{
    struct image image;
    struct rp_error err = {0};
    CUresult r = image_choose(name, data, bytes, &image, &err);
    bool code = !r && image.size > SELFMAG && !memcmp(image.bytes, ELFMAG, SELFMAG);
    if (r)
        say("linking: %s", err.text);
    else
        r = code ? add_code(s, data, bytes) : add_ptx(s, image.bytes, image.size);
    image_free(&image);
    return r;
}

static CUresult add(CUlinkState s, CUjitInputType type, const void *data, size_t bytes, const char *name)
{
    static bool reported;
    switch (type) {
    case CU_JIT_INPUT_PTX: return add_ptx(s, data, bytes);
    case CU_JIT_INPUT_CUBIN: return add_code(s, data, bytes);
    case CU_JIT_INPUT_FATBINARY: return add_fat(s, name ? name : "a fat binary", data, bytes);
    default: return refuse("linking of objects, libraries and NVVM", &reported);
    }
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                          unsigned count, CUjit_option *options, void **values)
{
    (void)count, (void)options, (void)values;
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!is_link(state) || !data || !bytes)
        return leave(is_link(state) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    return leave(add(state, type, data, bytes, name));
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                       unsigned count, CUjit_option *options, void **values)
{
    return cuLinkAddData_v2(state, type, data, bytes, name, count, options, values);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values)
{
    struct rp_error err = {0};
    size_t size = 0;
    char *bytes = path ? module_read_file(path, &size, &err) : NULL;
    if (!bytes)
        return path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
    CUresult r = cuLinkAddData_v2(state, type, bytes, size, path, count, options, values);
    free(bytes);
    return r;
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned count, CUjit_option *options,
                       void **values)
{
    return cuLinkAddFile_v2(state, type, path, count, options, values);
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!is_link(state) || !image || (!state->code && !state->ptx.size))
        return leave(is_link(state) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    *image = state->code ? state->code : state->ptx.text;
    if (bytes)
        *bytes = state->code ? state->code_bytes : state->ptx.size + 1;
    return leave(CUDA_SUCCESS);
}

CUresult cuLinkDestroy(CUlinkState state)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!is_link(state))
        return leave(CUDA_ERROR_INVALID_HANDLE);
    handle_remove(state);
    free(state->code);
    pieces_free(&state->ptx);
    free(state);
    return leave(CUDA_SUCCESS);
}
