/* Immediates as numbers: printing and parsing floating-point values as NVIDIA's disassembler writes them. */
#ifndef REPRISE_FRONTEND_ISA_SASS_NUMBER_H
#define REPRISE_FRONTEND_ISA_SASS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sass_float { FLOAT_16, FLOAT_BF16, FLOAT_32, FLOAT_64 };

/* Prints the value: 20 significant digits, "+INF", "-0.0". A NaN is "+QNAN". If its payload is not the usual one, its
 * bits follow after a colon, so that the text determines them: "+QNAN:0x7fffffff". */
void sass_float_print(char *out, size_t size, enum sass_float, uint64_t bits);
/* Parses such a number at *text and moves *text after it. False: there is none, or no value of that width equals it. */
bool sass_float_parse(const char **text, enum sass_float, uint64_t *bits);

#endif
