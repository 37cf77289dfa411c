/* The width of the terminal. */
#ifndef REPRISE_TOOLS_UI_SCREEN_H
#define REPRISE_TOOLS_UI_SCREEN_H

#include <stdio.h>

/* The present number of columns of the stream's terminal; 0: it is no terminal, or its width is unknown. */
unsigned screen_width(FILE *);

#endif
