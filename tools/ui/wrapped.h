/* Long lines of text, wrapped so that none has more than TABLE_WIDEST columns. */
#ifndef REPRISE_TOOLS_UI_WRAPPED_H
#define REPRISE_TOOLS_UI_WRAPPED_H

#include <stdbool.h>
#include <stdio.h>

/* Prints a text without line ends, and a line end. Lines are broken at blanks and commas, or at the last column if
 * there are none; the following lines begin in column `indent`. */
void print_wrapped(const char *text, unsigned indent, FILE *to);

/* A line that is printed piece by piece. */
struct wrapped {
    FILE *pieces; /* print the pieces to it */
    char *text;
    size_t size;
};
/* False: out of memory. The struct must not be moved until it is freed. */
bool wrapped_open(struct wrapped *);
/* Prints the pieces since the last call as a line. */
void wrapped_line(struct wrapped *, unsigned indent, FILE *to);
void wrapped_free(struct wrapped *);

#endif
