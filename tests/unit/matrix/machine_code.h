/* Each kernel that a test launches, once more as machine code: ptxas 12.9 compiles its PTX for each target that has its
 * instructions, and both leave the same bytes in all buffers. */
#ifndef REPRISE_TESTS_MATRIX_MACHINE_CODE_H
#define REPRISE_TESTS_MATRIX_MACHINE_CODE_H

#include "spelling.h"

/* Calls visit for all forms of the opcode, then compares all launches that have succeeded. targets: a list like
 * "sm_75 sm_80". Skips the test, and says so, where there is no ptxas. */
void compare_machine_code(const char *targets, const char *opcode, void (*visit)(const struct spelling *));

/* ---- called by launch_kernel ---- */
void note_inputs(const struct kernel_run *, unsigned grid, unsigned block);
void note_outputs(const struct kernel_run *);

#endif
