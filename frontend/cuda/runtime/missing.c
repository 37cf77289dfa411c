/* Other functions of functions.def: the unsupported ones, and the variants for per-thread default streams. */
#include "frontend/cuda/runtime/runtime.h"

#define GROUP(title)
#define OTHER(range, type, name, params)

/* Arguments are irrelevant, so the functions are declared without. */
#define REFUSE(name)                                                                                                   \
    cudaError_t name(void);                                                                                            \
    cudaError_t name(void) { return not_supported(#name); }
#define REFUSE_NONE(name) REFUSE(name)
#define REFUSE_PTSZ(name) REFUSE(name) REFUSE(name##_ptsz)
#define REFUSE_PTDS(name) REFUSE(name) REFUSE(name##_ptds)
#define MISSING(range, variant, name) IN_##range(REFUSE_##variant(name))

#define VARIANT(name, base, params, args)                                                                              \
    cudaError_t name params;                                                                                           \
    cudaError_t name params                                                                                            \
    {                                                                                                                  \
        bool was = enter_per_thread();                                                                                 \
        return leave_per_thread(was, base args);                                                                       \
    }
#define VARIANT_NONE(name, params, args)
#define VARIANT_PTSZ(name, params, args) VARIANT(name##_ptsz, name, params, args)
#define VARIANT_PTDS(name, params, args) VARIANT(name##_ptds, name, params, args)
#define FN(range, variant, name, params, args) IN_##range(VARIANT_##variant(name, params, args))

#include "frontend/cuda/runtime/functions.def"
