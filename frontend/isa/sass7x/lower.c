#include "frontend/isa/sass7x/lower.h"

static const struct sass_meaning *const meanings[] = {
    sass7x_integer, sass7x_logic,  sass7x_float,  sass7x_half,    sass7x_double, sass7x_convert,
    sass7x_move,    sass7x_memory, sass7x_atomic, sass7x_async,   sass7x_object, sass7x_bulk,
    sass7x_cluster, sass7x_flow,   sass7x_tensor, sass7x_texture, NULL};

static uint32_t parameters(unsigned sm) { return sm < 90 ? 0x160 : 0x210; }

const struct sass_family sass7x_family = {
    .table = &sass7x_table,
    .meanings = meanings,
    .parameters = parameters,
    .launch_word = sass7x_launch_word,
    .end_runtime = sass7x_end_runtime,
    .describe = sass7x_describe,
};
