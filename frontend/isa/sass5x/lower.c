#include "frontend/isa/sass5x/lower.h"

static const struct sass_meaning *const meanings[] = {sass_integer, sass_float, sass_move, sass_convert, sass_memory,
                                                      sass_flow,    sass_video, sass_half, sass_texture, NULL};

static uint32_t parameters(unsigned sm)
{
    (void)sm;
    return 0x140;
}

static void end_runtime(struct sass_build *b)
{
    sass_emit(b, (struct operation){.kind = UOP_POP, .imm = TOKEN_RETURN});
}

const struct sass_family sass5x_family = {
    .table = &sass5x_table,
    .meanings = meanings,
    .parameters = parameters,
    .launch_word = sass5x_launch_word,
    .end_runtime = end_runtime,
    .describe = sass5x_describe,
};
