/* What the CUDA programs of tests/cuda share: each prints "ok NAME" for every part whose result is the CPU's, or says
 * what differs and ends with status 1. */
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                     \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                        \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

static inline void ok(const char *name)
{
    std::printf("ok %s\n", name);
    std::fflush(stdout);
}
