/* Linking: PTX and machine code pass through, as long as it is one piece: the emulator translates PTX itself, and there
 * is nobody to join several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"
#include "frontend/loader/module.h"

struct CUlinkState_st {
    void *bytes; /* the piece, and a NUL */
    size_t size;
    unsigned pieces;
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

static CUresult add(CUlinkState s, CUjitInputType type, const void *data, size_t bytes)
{
    static bool said, said_kind;
    if (type > CU_JIT_INPUT_FATBINARY)
        return refuse("linking of objects, libraries and NVVM", &said_kind);
    if (s->pieces++)
        return refuse("linking of several pieces", &said);
    s->bytes = calloc(1, bytes + 1);
    if (!s->bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(s->bytes, data, bytes);
    s->size = bytes;
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                          unsigned count, CUjit_option *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!is_link(state) || !data || !bytes)
        return leave(is_link(state) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    return leave(add(state, type, data, bytes));
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
    if (!is_link(state) || !image || !state->pieces)
        return leave(is_link(state) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    *image = state->bytes;
    if (bytes)
        *bytes = state->size;
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
    free(state->bytes);
    free(state);
    return leave(CUDA_SUCCESS);
}
