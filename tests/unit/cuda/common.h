/* Tests of libcuda.so.1 through its own interface, each in a process of its own. */
#ifndef TESTS_UNIT_CUDA_COMMON_H
#define TESTS_UNIT_CUDA_COMMON_H

#include <criterion/criterion.h>

#include "frontend/cuda/abi/driver.h"

#define WORKS(call) cr_assert_eq(call, CUDA_SUCCESS, #call)
#define FAILS(call, error) cr_assert_eq(call, error, #call)

/* Initialises the driver with a primary context, current. */
void start(void);
/* A module of kernels: `empty`; `add(p, n)`: p[i] += i for i < n; `store(p, v)`: *p = v by one thread; `trap`;
 * `dynamic(p)`: *p = %dynamic_smem_size; `bounded`: at most 64 threads. Variables: `counter` = 7, `limits` in constant
 * memory = 3, 5. */
CUmodule load_kernels(void);
CUfunction kernel(CUmodule, const char *name);
CUresult run(CUfunction, unsigned grid, unsigned block, CUstream, void **params);
/* A node of a graph that runs the kernel with one thread, after *before. No node is before it if either is NULL. */
CUgraphNode add_thread(CUgraph, const CUgraphNode *before, CUfunction, void **params);

#endif
