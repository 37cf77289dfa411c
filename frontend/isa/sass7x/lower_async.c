/* Asynchronous copies, barrier objects, clusters. */
#include "frontend/isa/sass7x/lower.h"

const struct sass_meaning sass7x_async[] = {{NULL, NULL}};
