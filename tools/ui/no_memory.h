/* For code that prints: memory ran out, so that the program ends with one line and status 4, RP_SYSTEM
 * (tracefmt/error.h). */
#ifndef REPRISE_TOOLS_UI_NO_MEMORY_H
#define REPRISE_TOOLS_UI_NO_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

static inline _Noreturn void no_memory(void)
{
    fputs("reprise: out of memory\n", stderr);
    exit(4);
}

#endif
