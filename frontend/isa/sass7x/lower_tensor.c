/* Matrix multiplications, and moves of matrices. */
#include "frontend/isa/sass7x/lower.h"

const struct sass_meaning sass7x_tensor[] = {{NULL, NULL}};
