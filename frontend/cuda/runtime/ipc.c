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
