/* Integer arithmetic. */
#include "frontend/isa/sass7x/lower.h"

const struct sass_meaning sass7x_integer[] = {{NULL, NULL}};
