/* Immediates as numbers: floating-point values in the spelling of NVIDIA's disassembler, and back. */
#ifndef REPRISE_FRONTEND_ISA_SASS_NUMBER_H
#define REPRISE_FRONTEND_ISA_SASS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sass_float { FLOAT_16, FLOAT_BF16, FLOAT_32, FLOAT_64 };

/* Prints the value of the bits: 20 significant digits, "+INF", "-0.0". A NaN is "+QNAN"; if its payload is not the
 * usual one, its bits follow after a colon, so that the text still says them all: "+QNAN:0x7fffffff". */
void sass_float_print(char *out, size_t size, enum sass_float, uint64_t bits);
/* Reads such a number at *text and moves behind it; false if there is none or it is not a value of that width. */
bool sass_float_parse(const char **text, enum sass_float, uint64_t *bits);

#endif
