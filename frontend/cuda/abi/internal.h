/* What libcuda.so.1 has for our other libraries alone. */
#ifndef REPRISE_FRONTEND_CUDA_ABI_INTERNAL_H
#define REPRISE_FRONTEND_CUDA_ABI_INTERNAL_H

/* The program's current call of the runtime fails with this code, for --check api. */
__attribute__((visibility("default"))) void reprise_call_failed(int code);

/* The most devices that a program can see. */
#define DEVICES_MOST 16

#endif
