/* Units of Nsight Compute. */
#ifndef REPRISE_TOOLS_COMPARE_UNIT_H
#define REPRISE_TOOLS_COMPARE_UNIT_H

#include <stdbool.h>

/* The factor that brings a value in this unit to base units (bytes, seconds, cycles, %, numbers of things), so "Kbyte"
 * is 1000 and "cycle/usecond" 1e6. False: the unit is not known. */
bool unit_factor(const char *unit, double *factor);

/* Reads a number as ncu writes it in English, "1,234.56". False: it is none, or its separators do not fit. */
bool unit_number(const char *text, double *value);

#endif
