/* State of each thread of the program: its last error, its device, and which default stream it means. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "frontend/cuda/abi/internal.h"
#include "frontend/cuda/runtime/runtime.h"

static __thread struct {
    cudaError_t last;
    int device;
    bool per_thread;
} self;

cudaError_t fail(cudaError_t error)
{
    if (error) {
        self.last = error;
        reprise_call_failed((int)error);
    }
    return error;
}

/* Runtime errors have the driver's numbers. */
cudaError_t done(CUresult result) { return fail((cudaError_t)result); }

cudaError_t last_error(void) { return self.last; }

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = self.last;
    self.last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) { return self.last; }

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static CUresult started;

/* Initialises the driver. Asks for a function by its own version first, as clients of the driver do, so the driver
 * knows for which version they were built. */
static void start(void)
{
    CUdriverProcAddressQueryResult found;
    void *function;
    cuGetProcAddress_v2("cuInit", &function, RUNTIME_VERSION, 0, &found);
    started = cuInit(0);
}

static bool driver_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return !done(started);
}

bool device_handle(int device, CUdevice *handle)
{
    int count = 0;
    if (!driver_ready() || done(cuDeviceGetCount(&count)))
        return false;
    if (device < 0 || device >= count)
        return fail(cudaErrorInvalidDevice), false;
    return !done(cuDeviceGet(handle, device));
}

bool ready(void)
{
    CUcontext context = NULL;
    if (!driver_ready() || done(cuCtxGetCurrent(&context)))
        return false;
    if (context)
        return true;
    return device_context(self.device, &context) && !done(cuCtxSetCurrent(context));
}

bool device_context(int device, CUcontext *context)
{
    CUdevice handle;
    return device_handle(device, &handle) && !done(cuDevicePrimaryCtxRetain(context, handle));
}

int context_device(void)
{
    CUdevice device = 0;
    cuCtxGetDevice(&device);
    return device;
}

CUcontext current_context(void)
{
    CUcontext context = NULL;
    cuCtxGetCurrent(&context);
    return context;
}

/* A context of the driver API that is current says which device is. */
int current_device(void)
{
    CUdevice device;
    return cuCtxGetDevice(&device) ? self.device : device;
}

cudaError_t cudaSetDevice(int device)
{
    CUcontext context;
    if (!device_context(device, &context))
        return last_error();
    self.device = device;
    return done(cuCtxSetCurrent(context));
}

cudaError_t cudaGetDevice(int *device)
{
    CUdevice handle;
    if (!device)
        return fail(cudaErrorInvalidValue);
    *device = current_device();
    return device_handle(*device, &handle) ? cudaSuccess : last_error();
}

/* ---- default streams --------------------------------------------------------------------------------------------- */

bool per_thread(void) { return self.per_thread; }

CUstream stream_of(cudaStream_t stream) { return !stream && self.per_thread ? CU_STREAM_PER_THREAD : stream; }

bool enter_per_thread(void)
{
    bool was = self.per_thread;
    self.per_thread = true;
    return was;
}

cudaError_t leave_per_thread(bool was, cudaError_t error)
{
    self.per_thread = was;
    return error;
}

/* ---- what there is not ------------------------------------------------------------------------------------------- */

cudaError_t not_supported(const char *name)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static const char *reported[64];
    static size_t count;
    bool again = false;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < count; i++)
        again |= reported[i] == name;
    if (!again && count < sizeof reported / sizeof *reported)
        reported[count++] = name;
    pthread_mutex_unlock(&mutex);
    if (!again)
        fprintf(stderr, "reprise: %s is not supported; it answered cudaErrorNotSupported\n", name);
    return fail(cudaErrorNotSupported);
}
