#include "frontend/isa/sass7x/table.h"

#include <stddef.h>

#include "frontend/isa/sass7x/items.h"
#include "frontend/isa/sass7x/names.h"

static const struct sass_row rows[] = {
#include "frontend/isa/sass7x/rows_asynchronous.def"
#include "frontend/isa/sass7x/rows_atomic.def"
#include "frontend/isa/sass7x/rows_control.def"
#include "frontend/isa/sass7x/rows_conversion.def"
#include "frontend/isa/sass7x/rows_double.def"
#include "frontend/isa/sass7x/rows_float.def"
#include "frontend/isa/sass7x/rows_graphics.def"
#include "frontend/isa/sass7x/rows_half.def"
#include "frontend/isa/sass7x/rows_integer.def"
#include "frontend/isa/sass7x/rows_memory.def"
#include "frontend/isa/sass7x/rows_move.def"
#include "frontend/isa/sass7x/rows_tensor.def"
#include "frontend/isa/sass7x/rows_texture.def"
#include "frontend/isa/sass7x/rows_uniform.def"
};

static unsigned arch_of(unsigned sm)
{
    switch (sm) {
    case 70: return SASS_70_ALONE;
    case 72: return SASS_72;
    case 75: return SASS_75;
    case 80: return SASS_80;
    case 86:
    case 87: return SASS_86;
    case 89: return SASS_89;
    case 90: return SASS_90;
    default: return 0;
    }
}

static struct sass_index found = {.lock = PTHREAD_MUTEX_INITIALIZER};
const struct sass_table sass7x_table = {
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .index = &found,
    .opcode = {0, 12},
    .guard = {12, 3},
    .destination = 16,
    .word_bytes = 16,
    .bundle_words = 1,
    .control = {105, 21},
    .nop = {0x7918, 0xfc00000000000},
    .part_is_last = true,
    .arch = arch_of,
    .own = sass7x_kinds,
};
