/* The table of all kernel cases: X(name), defined as case_name in tests/kernels. */
#include <string.h>

#include "tests/support/kernel_case.h"

#define CASES(X)                                                                                                       \
    X(vector_add)                                                                                                      \
    X(matmul)                                                                                                          \
    X(sgemm_naive)                                                                                                     \
    X(sgemm_double)                                                                                                    \
    X(matmul_int)                                                                                                      \
    X(gemm)                                                                                                            \
    X(reduce_tree) X(reduce_shuffle) X(scan) X(histogram_global) X(histogram_shared) X(transpose_conflicts)            \
        X(transpose_padded) X(stencil) X(needleman_wunsch) X(smith_waterman) X(bfs_level) X(bfs_queue) X(spmv_scalar)  \
            X(spmv_vector) X(bitonic) X(mandelbrot) X(nbody) X(nbody_fast) X(spin_lock) X(relay) X(last_block_reduces) \
                X(mlp_f32) X(mlp_f64) X(calls_recursive) X(calls_struct) X(calls_indirect) X(local_array) X(print)     \
                    X(dynamic_shared) X(constant_tables) X(module_variables) X(generic_pointers) X(votes) X(atomics)   \
                        X(double_math) X(flow) X(ptx_integer) X(ptx_f32) X(ptx_f64) X(ptx_memory) X(ops_u8) X(ops_s8)  \
                            X(ops_u16) X(ops_s16) X(ops_u32) X(ops_s32) X(ops_u64) X(ops_s64) X(ops_wide) X(ops_f32)   \
                                X(ops_f64)

#define DECLARE(name) extern const struct kernel_case case_##name;
CASES(DECLARE)

#define ENTRY(name) &case_##name,
const struct kernel_case *const kernel_cases[] = {CASES(ENTRY) NULL};

const struct kernel_case *kernel_case_find(const char *name)
{
    for (size_t i = 0; kernel_cases[i]; i++)
        if (!strcmp(kernel_cases[i]->name, name))
            return kernel_cases[i];
    return NULL;
}
