/* A real GPU through CUDA's driver API: libcuda.so.1 is opened when it is needed, so that nothing is linked to it. */
#ifndef REPRISE_TESTS_HARDWARE_GPU_H
#define REPRISE_TESTS_HARDWARE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/cuda/abi/driver.h"

/* A call of a function of the driver, declared as our own libcuda.so.1 has it: a CUresult. */
#define GPU(name, ...) ((__typeof__(name) *)gpu_function(#name))(__VA_ARGS__)
/* Ends the process where the driver has no such function. */
void *gpu_function(const char *name);
/* "WHAT: the driver's text (its number)", until the next one. */
const char *gpu_message(const char *what, int result);

/* Name, driver and clock of the GPU in one line; NULL: there is none, and `why` says so. */
const char *gpu_open(const char **why);

/* A kernel of a module (cubin or PTX, which ends with a 0), which is loaded once for each `identity`. NULL: `why` is
 * the driver's message. */
CUfunction gpu_kernel(uint64_t identity, const char *name, const void *module, const char **why);

/* ---- memory (gpu_memory.c) --------------------------------------------------------------------------------------- */

/* Memory for [base, base + bytes) of the engine's addresses: at these if the driver gives them, else moved. One range
 * at a time. False: there is none. */
bool gpu_map(uint64_t base, uint64_t bytes);
/* The GPU's address less the engine's. */
int64_t gpu_moved(void);
/* Copies by the engine's addresses. */
bool gpu_write(uint64_t address, const void *from, size_t bytes);
bool gpu_read(uint64_t address, void *to, size_t bytes);
/* To be called when the context is gone, and the memory with it. */
void gpu_memory_lost(void);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

enum gpu_status {
    GPU_FINE,
    GPU_REFUSED, /* the driver does not take the launch */
    GPU_FAULT,   /* the kernel failed; the context is made anew */
    GPU_HANGS,   /* the kernel does not end: nothing runs on the GPU any more in this process */
};
struct gpu_launch {
    uint32_t grid[3], block[3], cluster[3]; /* cluster: 0, 0, 0: none asked for */
    uint32_t dynamic_shared;
    const void *params;
    size_t parameter_bytes;
};
enum gpu_status gpu_launch(CUfunction, const struct gpu_launch *, const char **why);

#endif
