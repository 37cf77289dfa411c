/* A small cubin around machine code: one kernel, k, with 24 bytes of parameters (8, then 16), 255 registers. */
#ifndef REPRISE_TESTS_SUPPORT_CUBIN_IMAGE_H
#define REPRISE_TESTS_SUPPORT_CUBIN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `words` are instructions, without control words, which are 0 here; a last bundle that is not full is filled with NOP.
 * The bytes are to be freed. */
uint8_t *cubin_image(unsigned sm, const uint64_t *words, unsigned count, bool relocatable, size_t *size);

#endif
