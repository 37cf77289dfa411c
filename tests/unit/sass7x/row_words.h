/* Words of a row of the instruction table, with registers that a test knows and modifiers as they come. */
#ifndef REPRISE_TESTS_SASS7X_ROW_WORDS_H
#define REPRISE_TESTS_SASS7X_ROW_WORDS_H

#include "frontend/isa/sass7x/table.h"

/* Sources are R4, R6, R8, or UR8, UR10, UR12, in the row's order; results R20, UR20, P2, P3. Of memory operands R16 and
 * R17 are an address of global memory, R18 of shared and R19 of local memory; R25, R26 and R27 are a 4th, 8th and 16th
 * of R18; R24, and UR16 with UR17, are ROW_STEP; UR18 and UR19 are R16 and R17, UR22 is R18. */
enum { ROW_STEP = 16, ROW_TRIES = 200 };

/* A word of the row for architecture `arch`; *seed decides which. False: in ROW_TRIES there was none that is the
 * row's own. `constants`: the offset of four words in bank 0. */
bool row_word_of(const struct sass_row *, unsigned arch, unsigned constants, uint64_t *seed, struct isa_word *);
/* Whether it has a source in constant memory behind a descriptor, and whether it has uniform registers. */
bool row_is_described(const struct sass_row *);
bool row_is_uniform(const struct sass_row *);
/* Whether a modifier of the row prints the name in each word. */
bool row_prints(const struct sass_row *, const char *name);

#endif
