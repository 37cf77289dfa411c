/* The timing of an instruction, as its class or the space that it accesses gives it. Most instructions of a class or a
 * space take the same time. Some do not:
 *
 * - Matrix products take what tensor_rate.h says.
 * - Comparisons of single precision, minimum and maximum take the time of class `int` where the machine says so
 *   (`fp32_compare`).
 * - LDC, which loads a constant in machine code, goes to the unit of loads from shared memory, and has a latency of its
 *   own, where the machine gives one (`ldc_latency`). PTX has one instruction, ld.const, for what becomes an operand of
 *   another instruction and what becomes LDC; it takes what spaces.const says.
 */
#ifndef REPRISE_REPLAY_BASE_CLASS_TIMING_H
#define REPRISE_REPLAY_BASE_CLASS_TIMING_H

#include "replay/base/machine.h"

/* Is an instruction of class fp32 a comparison, a minimum or a maximum? By its text, in PTX (setp.lt.f32) or machine
 * code (FSETP.GEU.OR), with or without a guard. */
bool is_fp32_compare(const char *text);

/* Timing of an instruction that is timed by its class, which is not RP_CLASS_MEMORY. */
struct machine_timing class_timing(const struct machine *, const struct rp_instruction *);

/* Timing of an instruction that is timed by the space that it accesses. */
struct machine_timing space_timing(const struct machine *, const struct rp_instruction *, unsigned space);

#endif
