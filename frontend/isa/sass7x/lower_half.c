/* Half precision and bfloat16, in pairs. */
#include "frontend/isa/sass7x/lower.h"

const struct sass_meaning sass7x_half[] = {{NULL, NULL}};
