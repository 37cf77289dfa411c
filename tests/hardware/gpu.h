/* A real GPU through CUDA's driver API: libcuda.so.1 is opened when it is needed, so that nothing here is linked to it.
 *
 * Device memory of the engine (struct rp_device) is repeated on the GPU: at the same addresses if the driver gives
 * them, else moved, and then every aligned 64-bit word that points into it is moved, too. */
#ifndef REPRISE_TESTS_HARDWARE_GPU_H
#define REPRISE_TESTS_HARDWARE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_status {
    GPU_FINE,
    GPU_REFUSED, /* the driver does not take the module or the launch */
    GPU_FAULT,   /* the kernel failed; the context is made anew */
    GPU_HANGS,   /* the kernel does not end: nothing runs on the GPU any more in this process */
};

struct gpu_launch {
    uint32_t grid[3], block[3], cluster[3]; /* cluster: 0, 0, 0: none asked for */
    uint32_t dynamic_shared;
    const void *params;
    size_t parameter_bytes;
};

/* Name, driver and clock of the GPU in one line; NULL: there is none, and `why` says so. */
const char *gpu_open(const char **why);
/* A kernel of a module (cubin or PTX, which ends with a 0), which is loaded once for each `identity`. NULL: `why` is the
 * driver's message. */
void *gpu_kernel(uint64_t identity, const char *name, const void *module, const char **why);

/* The range of the engine's addresses that the GPU repeats from now on. False: no memory. */
bool gpu_map(uint64_t base, uint64_t bytes);
int64_t gpu_moved(void); /* the GPU's address less the engine's */
bool gpu_write(uint64_t address, const void *from, size_t bytes);
bool gpu_read(uint64_t address, void *to, size_t bytes);
/* Any other function of the driver; the message of a failed one. */
void *gpu_call(const char *name);
const char *gpu_say(const char *what, int result);
enum gpu_status gpu_launch(void *kernel, const struct gpu_launch *, const char **why);

#endif
