/* Code generated from the table of functions: exports of unsupported functions, variants for per-thread default
 * streams, and cuGetProcAddress. */
#include <string.h>

#include "frontend/cuda/driver/driver.h"

#pragma GCC visibility push(default)

#define REFUSAL(symbol)                                                                                                \
    CUresult symbol(void);                                                                                             \
    CUresult symbol(void)                                                                                              \
    {                                                                                                                  \
        static bool reported;                                                                                          \
        return refuse(#symbol, &reported);                                                                             \
    }
#define REFUSAL_PLAIN(symbol) REFUSAL(symbol)
#define REFUSAL_PTSZ(symbol) REFUSAL(symbol) REFUSAL(symbol##_ptsz)
#define REFUSAL_PTDS(symbol) REFUSAL(symbol) REFUSAL(symbol##_ptds)
#define REFUSED(name, suffix, version, variant) REFUSAL_##variant(name##suffix)

#define PER_THREAD(symbol, base, parameters, arguments)                                                                \
    CUresult symbol parameters;                                                                                        \
    CUresult symbol parameters                                                                                         \
    {                                                                                                                  \
        per_thread_streams = true;                                                                                     \
        CUresult r = base arguments;                                                                                   \
        per_thread_streams = false;                                                                                    \
        return r;                                                                                                      \
    }
#define VARIANT_PLAIN(symbol, parameters, arguments)
#define VARIANT_PTSZ(symbol, parameters, arguments) PER_THREAD(symbol##_ptsz, symbol, parameters, arguments)
#define VARIANT_PTDS(symbol, parameters, arguments) PER_THREAD(symbol##_ptds, symbol, parameters, arguments)
#define FUNCTION(name, suffix, version, variant, parameters, arguments)                                                \
    VARIANT_##variant(name##suffix, parameters, arguments)
#define GROUP(title)
#include "frontend/cuda/abi/functions.def"
#undef FUNCTION
#undef REFUSED

#pragma GCC visibility pop

/* ---- cuGetProcAddress -------------------------------------------------------------------------------------------- */

struct entry {
    const char *name;
    int version;
    void *legacy, *per_thread;
};
#define ENTRY(name, version, symbol, own) {name, version, (void *)(symbol), (void *)(own)},
#define ENTRY_PLAIN(name, version, symbol) ENTRY(name, version, symbol, symbol)
#define ENTRY_PTSZ(name, version, symbol) ENTRY(name, version, symbol, symbol##_ptsz)
#define ENTRY_PTDS(name, version, symbol) ENTRY(name, version, symbol, symbol##_ptds)
#define FUNCTION(name, suffix, version, variant, parameters, arguments) ENTRY_##variant(#name, version, name##suffix)
#define REFUSED(name, suffix, version, variant) ENTRY_##variant(#name, version, name##suffix)
static const struct entry entries[] = {
#include "frontend/cuda/abi/functions.def"
};
#undef FUNCTION
#undef REFUSED

static CUresult find(const char *name, void **function, int version, cuuint64_t flags,
                     CUdriverProcAddressQueryResult *status)
{
    const struct entry *best = NULL;
    bool known = false;
    if (!name || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct entry *e = &entries[i];
        if (*e->name != *name || strcmp(e->name, name))
            continue;
        known = true;
        if (e->version <= version && (!best || e->version > best->version))
            best = e;
    }
    bool own = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    *function = !best ? NULL : own ? best->per_thread : best->legacy;
    *status = best    ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    pthread_mutex_lock(&driver.lock);
    driver.newest = version > driver.newest ? version : driver.newest;
    pthread_mutex_unlock(&driver.lock);
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    CUdriverProcAddressQueryResult own;
    return find(name, function, version, flags, status ? status : &own);
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags)
{
    CUdriverProcAddressQueryResult status;
    CUresult r = find(name, function, version, flags, &status);
    return r || *function ? r : CUDA_ERROR_NOT_FOUND;
}
