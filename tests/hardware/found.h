/* What comparisons with the GPU find: files in the folder that GPU_RESULTS names (README.md). */
#ifndef REPRISE_TESTS_HARDWARE_FOUND_H
#define REPRISE_TESTS_HARDWARE_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/hardware/gpu.h"
#include "tests/hardware/memory_image.h"
#include "tests/hardware/subject.h"

/* Counted for the last line. */
extern struct found_totals {
    uint64_t launches, words, differ, engine_fails, refused, faults, left_out;
} found_totals;

/* Begins the file and opens the GPU, once. False: nobody wants it. Ends the process where there is no GPU. */
bool found_begin(void);
/* A launch that the GPU does not take or survive. */
void found_trouble(const struct subject *, enum gpu_status, const char *why);
/* Compares what both left. */
void found_memory(const struct subject *, const struct memory_image *);
void found_texels(const struct subject *, uint64_t differ, uint64_t of);

#endif
