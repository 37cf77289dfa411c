/* The width of the terminal. */
#ifndef REPRISE_TOOLS_UI_SCREEN_H
#define REPRISE_TOOLS_UI_SCREEN_H

#include <stdio.h>

/* Columns of the terminal that the stream is, asked for anew each time; 0: it is none, or does not say. */
unsigned screen_width(FILE *);

#endif
