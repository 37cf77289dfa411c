/* How tensor cores add up products of floating-point numbers. The ISA leaves it open ("at least single precision"). */
#ifndef REPRISE_FRONTEND_OPERATION_TENSOR_SUMS_H
#define REPRISE_FRONTEND_OPERATION_TENSOR_SUMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Exact: in double precision, rounded once. The others: in groups, as GPUs of this capability do
 * (frontend/core/lanes/matrix_sums.h); sm_80 is that of 8.6 and 8.7, too. X(identifier, name) */
#define TENSOR_SUMS(X) X(EXACT, "exact") X(SM_70, "sm_70") X(SM_80, "sm_80") X(SM_89, "sm_89") X(SM_90, "sm_90")
enum tensor_sums {
#define X(id, name) TENSOR_SUMS_##id,
    TENSOR_SUMS(X)
#undef X
        TENSOR_SUMS_COUNT
};
#define TENSOR_SUMS_NAMES "exact, sm_70, sm_80 (for 8.6 and 8.7, too), sm_89 and sm_90"

/* False: there is none of this name. */
static inline bool tensor_sums_read(const char *name, enum tensor_sums *sums)
{
    static const char *const names[] = {
#define X(id, name) name,
        TENSOR_SUMS(X)
#undef X
    };
    for (unsigned i = 0; i < TENSOR_SUMS_COUNT; i++)
        if (!strcmp(names[i], name)) {
            *sums = (enum tensor_sums)i;
            return true;
        }
    return false;
}

#endif
