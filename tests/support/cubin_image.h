/* A small cubin around machine code: one kernel, k, with 24 bytes of parameters (8, then 16), 255 registers. */
#ifndef REPRISE_TESTS_SUPPORT_CUBIN_IMAGE_H
#define REPRISE_TESTS_SUPPORT_CUBIN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where parameters begin in constant bank 0. */
unsigned cubin_parameters(unsigned sm);
/* `words` are instructions: of 64 bits without control words, which are 0 here, up to sm_62 (a last bundle that is not
 * full is filled with NOP), of two words each from sm_70 on. The bytes are to be freed. */
uint8_t *cubin_image(unsigned sm, const uint64_t *words, unsigned count, bool relocatable, size_t *size);

#endif
