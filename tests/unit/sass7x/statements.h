/* PTX statements, one a kernel, through ptxas 12.9 for each target at -O0 and -O3: what the PTX frontend makes of a
 * statement equals what the machine code leaves, bit for bit but for the payload of a NaN, or within a bound. */
#ifndef REPRISE_TESTS_SASS7X_STATEMENTS_H
#define REPRISE_TESTS_SASS7X_STATEMENTS_H

#include "tests/support/sass_corpus.h"

/* What a statement leaves in %d (32 bits), %hd (16), %fd, %dd, %ld; a pair of f16 or bf16 is in %d. */
enum result { BITS, HALF, BRAIN, HALF_PAIR, BRAIN_PAIR, SINGLE, DOUBLE, LONG, NEAR_SINGLE, NEAR_DOUBLE };
/* Adds a statement that targets have from `from` on. It finds a, b, c (64 bits) in %la, %lb, %lc, their lower words in
 * %a and %fa, the halves of these in %ha, %hA and so on, the lowest bit of c in %p, and the address of a in %r3. Behind
 * c is a word of 64 bits, which is 0. */
void add(unsigned from, enum values, enum result, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The bounds of the last statement's result: either does. */
void set_bounds(double relative, double absolute);
/* Compares all statements that were added. */
void compare_all(void);

#endif
