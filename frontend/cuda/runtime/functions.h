/* The prototypes of functions.def, for the major version of the runtime that is being compiled. */
#ifndef REPRISE_FRONTEND_CUDA_RUNTIME_FUNCTIONS_H
#define REPRISE_FRONTEND_CUDA_RUNTIME_FUNCTIONS_H

#include "frontend/cuda/abi/runtime.h"
#include "frontend/cuda/runtime/versions.h"

#define GROUP(title)
#define FN(range, variant, name, params, args) IN_##range(cudaError_t name params;)
#define OTHER(range, type, name, params) IN_##range(type name params;)
#define MISSING(range, variant, name)
#include "frontend/cuda/runtime/functions.def"
#undef GROUP
#undef FN
#undef OTHER
#undef MISSING

#endif
