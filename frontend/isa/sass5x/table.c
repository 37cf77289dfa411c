#include "frontend/isa/sass5x/table.h"

#include <stddef.h>

#include "frontend/isa/sass5x/items.h"
#include "frontend/isa/sass5x/names.h"

static const struct sass_row rows[] = {
#include "frontend/isa/sass5x/rows_control.def"
#include "frontend/isa/sass5x/rows_float.def"
#include "frontend/isa/sass5x/rows_integer.def"
#include "frontend/isa/sass5x/rows_memory.def"
#include "frontend/isa/sass5x/rows_texture.def"
#include "frontend/isa/sass5x/rows_video.def"
};

static unsigned arch_of(unsigned sm)
{
    switch (sm) {
    case 50: return SASS_50;
    case 52: return SASS_52;
    case 53: return SASS_53;
    case 60: return SASS_60;
    case 61: return SASS_61;
    case 62: return SASS_62;
    default: return 0;
    }
}

/* Sizes of conversions: log2 of their bytes. */
#define SIZE_TO SASS_BITS(8, 2)
#define SIZE_FROM SASS_BITS(10, 2)
enum { SIZE_16 = 1, SIZE_32, SIZE_64 };

static bool vmad_is_wide(struct isa_word word)
{
    return sass_field(word, SASS_BITS(36, 3)) == 6 || (sass_bit(word, 50) && sass_field(word, SASS_BITS(28, 3)) == 6);
}

static bool has_reuse(const struct sass_row *row, struct isa_word word, unsigned arch)
{
    uint64_t to = sass_field(word, SIZE_TO), from = sass_field(word, SIZE_FROM);
    bool wide = to == SIZE_64 || from == SIZE_64;
    switch (row->latency) {
    case LATENCY_VARIABLE: return false;
    case LATENCY_VARIABLE_R60: return arch & SASS_FROM_60;
    case LATENCY_CONVERT: return arch & SASS_FROM_60 && wide && from != SIZE_16;
    case LATENCY_CONVERT_F: return arch & SASS_FROM_60 && wide;
    case LATENCY_VMAD: return !vmad_is_wide(word);
    default: return true;
    }
}

/* The immediate of F2F and F2I is an f16, f32 or f64. */
static void resolve_immediate(uint64_t from, struct sass_item *i)
{
    i->style = from == SIZE_32 ? IMM_F20 : IMM_D20;
    if (from == SIZE_16)
        *i = (struct sass_item){.kind = SI_IMMEDIATE,
                                .style = IMM_F16,
                                .f = {i->f.at, 16},
                                .neg = i->neg,
                                .abs = i->abs,
                                .sf = i->sf,
                                .count = i->count,
                                .names = i->names};
}

static void resolve(struct isa_word word, struct sass_item *i)
{
    uint64_t from = sass_field(word, SIZE_FROM);
    if (i->sf_rule == PART_BY_SIZE) {
        i->names = from == SIZE_16 ? sass_part_half : sass_part_byte;
        i->count = 4;
    } else if (i->sf_rule == PART_OF_F16 && from != SIZE_16) {
        i->count = 0;
    }
    if (i->kind == SI_IMMEDIATE && i->style == IMM_DEPENDS)
        resolve_immediate(from, i);
}

static struct sass_index found = {.lock = PTHREAD_MUTEX_INITIALIZER};
const struct sass_table sass5x_table = {
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .index = &found,
    .opcode = {48, 16},
    .opcode_spare = 3,
    .guard = {16, 3},
    .sizes = {10, 2},
    .word_bytes = 8,
    .bundle_words = 4,
    .nop = {0x50b0000000070f00, 0},
    .arch = arch_of,
    .own = sass5x_kinds,
    .has_reuse = has_reuse,
    .resolve = resolve,
};
