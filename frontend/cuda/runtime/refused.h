/* What the runtime calls and the driver's table does not declare, since libcuda.so.1 refuses it so far. */
#ifndef REPRISE_FRONTEND_CUDA_RUNTIME_REFUSED_H
#define REPRISE_FRONTEND_CUDA_RUNTIME_REFUSED_H

#include "frontend/cuda/abi/driver.h"

#define GROUP(title)
#define REFUSED(name, suffix, version, variant)
#define FUNCTION(name, suffix, version, variant, parameters, arguments) CUresult name##suffix parameters;
#include "frontend/cuda/abi/rows_graph.def"
#include "frontend/cuda/abi/rows_memory.def"
#include "frontend/cuda/abi/rows_module.def"
#include "frontend/cuda/abi/rows_stream.def"
#undef GROUP
#undef REFUSED
#undef FUNCTION

CUresult cuArray3DCreate_v2(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *, CUarray);
CUresult cuArrayDestroy(CUarray);
CUresult cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *,
                           const CUDA_RESOURCE_VIEW_DESC *);
CUresult cuTexObjectDestroy(CUtexObject);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUtexObject);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *, CUtexObject);
CUresult cuSurfObjectCreate(CUsurfObject *, const CUDA_RESOURCE_DESC *);
CUresult cuSurfObjectDestroy(CUsurfObject);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUsurfObject);

#endif
