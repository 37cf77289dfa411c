/* Which rows of the instruction table of Volta to Hopper occur in files of machine code. */
#ifndef REPRISE_TESTS_SUPPORT_SASS_ROWS_H
#define REPRISE_TESTS_SUPPORT_SASS_ROWS_H

#include <stdbool.h>

/* Sets seen[i] for each row i of the table that the file's kernels have a word of. */
void sass_rows_in(const char *cubin, bool *seen);

#endif
