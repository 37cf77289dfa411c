/* Moves, special registers, exchange between lanes. */
#include "frontend/isa/sass7x/lower.h"

const struct sass_meaning sass7x_move[] = {{NULL, NULL}};
