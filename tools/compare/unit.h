/* Units of Nsight Compute. */
#ifndef REPRISE_TOOLS_COMPARE_UNIT_H
#define REPRISE_TOOLS_COMPARE_UNIT_H

#include <stdbool.h>

/* What a unit is one of. COUNT: cycles, instructions, ..., what has no unit, and quotients of these. */
enum unit_kind { UNIT_COUNT, UNIT_TIME, UNIT_BYTES, UNIT_SHARE, UNIT_RATE };

/* The factor that brings a value in this unit to base units (bytes, seconds, cycles, %, numbers of things), so "Kbyte"
 * is 1000 and "cycle/usecond" 1e6. False: the unit is not known. */
bool unit_factor(const char *unit, double *factor, enum unit_kind *kind);

/* Reads a number as ncu writes it in English, "1,234.56". False: it is none, or its separators do not fit. */
bool unit_number(const char *text, double *value);

#endif
