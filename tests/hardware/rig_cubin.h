/* Code of the tests' own cubins (tests/support/cubin_image.h), which have neither control bits nor all that a driver
 * wants to know, in a cubin that it takes. */
#ifndef REPRISE_TESTS_HARDWARE_RIG_CUBIN_H
#define REPRISE_TESTS_HARDWARE_RIG_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/core/program.h"

bool is_rig_cubin(const char *bytes, size_t size);
/* The program's code in a copy of the cubin that GPU_FRAME names (what ptxas makes of frame.py's PTX), to be freed.
 * Each instruction gets control bits with which it waits for all before it. NULL: there is no frame, or it is too
 * short. */
char *rig_cubin(const struct program *);

#endif
