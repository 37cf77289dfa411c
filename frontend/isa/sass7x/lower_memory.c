/* Loads, stores, constants, caches, fences. */
#include "frontend/isa/sass7x/lower.h"

const struct sass_meaning sass7x_memory[] = {{NULL, NULL}};
