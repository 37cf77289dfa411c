/* Readable names of kernels. */
#ifndef REPRISE_FRONTEND_CHECK_NAMES_H
#define REPRISE_FRONTEND_CHECK_NAMES_H

#include <stdio.h>

/* Demangles a C++ name, without the leading void; the caller frees the result. NULL: it is no mangled name, or cannot
 * be demangled. */
char *name_demangled(const char *name);
/* Prints a message with all mangled names (_Z...) demangled. */
void print_readable(FILE *, const char *text);

#endif
