/* Launches within NVTX ranges, through NVIDIA's headers. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/abi/driver.h"

#define WORKS(call)                                                                                                    \
    do {                                                                                                               \
        CUresult result_ = (call);                                                                                     \
        if (result_) {                                                                                                 \
            printf("%s: %d\n", #call, (int)result_);                                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const char text[] = ".version 6.0\n.target sm_61\n.address_size 64\n.visible .entry k() { ret; }\n";
static CUfunction k;

static void launch(int times)
{
    for (int i = 0; i < times; i++)
        WORKS(cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
}

int main(void)
{
    CUcontext context;
    CUmodule module;
    WORKS(cuInit(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuCtxSetCurrent(context));
    WORKS(cuModuleLoadData(&module, text));
    WORKS(cuModuleGetFunction(&k, module, "k"));
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
    nvtxEventAttributes_t named = {0}, wide = {0};
    named.version = wide.version = NVTX_VERSION;
    named.size = wide.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    named.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    named.message.registered = nvtxDomainRegisterStringA(domain, "step 3");
    wide.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    wide.message.unicode = L"epoch";
    launch(1);
    nvtxRangePushA("step 1");
    launch(2);
    nvtxRangePushA("inner");
    launch(4);
    nvtxRangePop();
    nvtxRangePop();
    launch(8);
    nvtxRangeId_t id = nvtxRangeStartEx(&wide);
    launch(16);
    nvtxDomainRangePushEx(domain, &named);
    nvtxRangeEnd(id);
    launch(32);
    nvtxDomainRangePop(domain);
    launch(64);
    return 0;
}
