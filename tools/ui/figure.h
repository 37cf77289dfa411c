/* Numbers with separators between thousands. */
#ifndef REPRISE_TOOLS_UI_FIGURE_H
#define REPRISE_TOOLS_UI_FIGURE_H

#include <stdint.h>

#define FIGURE 32
/* "1,234,567"; returns out. */
const char *figure(uint64_t value, char out[FIGURE]);

#endif
