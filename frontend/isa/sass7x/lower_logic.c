/* Logic, shifts, bits, predicates. */
#include "frontend/isa/sass7x/lower.h"

const struct sass_meaning sass7x_logic[] = {{NULL, NULL}};
