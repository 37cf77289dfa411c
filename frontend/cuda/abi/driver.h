/* Declarations of the functions of the driver API that libcuda.so.1 has (functions.def), for their callers. */
#ifndef REPRISE_FRONTEND_CUDA_ABI_DRIVER_H
#define REPRISE_FRONTEND_CUDA_ABI_DRIVER_H

#include "frontend/cuda/abi/types.h"

#pragma GCC visibility push(default)
#define GROUP(title)
#define REFUSED(name, suffix, version, variant)
#define FUNCTION(name, suffix, version, variant, parameters, arguments) CUresult name##suffix parameters;
#include "frontend/cuda/abi/functions.def"
#undef GROUP
#undef REFUSED
#undef FUNCTION
#pragma GCC visibility pop

#endif
