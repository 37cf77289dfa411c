/* Lines for people that may become long: they go on in the next line, so that none has more than TABLE_WIDEST columns.
 */
#ifndef REPRISE_TOOLS_UI_WRAPPED_H
#define REPRISE_TOOLS_UI_WRAPPED_H

#include <stdbool.h>
#include <stdio.h>

/* Prints a text without line ends, and a line end. It is broken at blanks and commas, where there are none at the last
 * column; what follows begins in column `indent`. */
void print_wrapped(const char *text, unsigned indent, FILE *to);

/* A line that is printed piece by piece. */
struct wrapped {
    FILE *pieces; /* where to print it to */
    char *text;
    size_t size;
};
/* False: no memory. The struct stays where it is until it is freed. */
bool wrapped_open(struct wrapped *);
/* Prints what has come since the last line. */
void wrapped_line(struct wrapped *, unsigned indent, FILE *to);
void wrapped_free(struct wrapped *);

#endif
