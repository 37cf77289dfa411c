/* Memory and events of other processes. */
#include "frontend/cuda/runtime/runtime.h"

cudaError_t cudaIpcGetMemHandle(CUipcMemHandle *handle, void *memory)
{
    return ready() ? done(cuIpcGetMemHandle(handle, (CUdeviceptr)memory)) : last_error();
}
cudaError_t cudaIpcOpenMemHandle(void **memory, CUipcMemHandle handle, unsigned flags)
{
    return ready() ? done(cuIpcOpenMemHandle_v2((CUdeviceptr *)memory, handle, flags)) : last_error();
}
cudaError_t cudaIpcCloseMemHandle(void *memory)
{
    return ready() ? done(cuIpcCloseMemHandle((CUdeviceptr)memory)) : last_error();
}
cudaError_t cudaIpcGetEventHandle(CUipcEventHandle *handle, cudaEvent_t event)
{
    return ready() ? done(cuIpcGetEventHandle(handle, event)) : last_error();
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, CUipcEventHandle handle)
{
    return ready() ? done(cuIpcOpenEventHandle(event, handle)) : last_error();
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool, int type, unsigned flags)
{
    return ready() ? done(cuMemPoolExportToShareableHandle(handle, pool, type, flags)) : last_error();
}
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle, int type, unsigned flags)
{
    return ready() ? done(cuMemPoolImportFromShareableHandle(pool, handle, type, flags)) : last_error();
}
cudaError_t cudaMemPoolExportPointer(CUmemPoolPtrExportData *data, void *pointer)
{
    return ready() ? done(cuMemPoolExportPointer(data, (CUdeviceptr)pointer)) : last_error();
}
cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool, CUmemPoolPtrExportData *data)
{
    return ready() ? done(cuMemPoolImportPointer((CUdeviceptr *)pointer, pool, data)) : last_error();
}
