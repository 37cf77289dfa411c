/* The row of the machine code of Volta to Hopper: frontend/isa/isa.h. */
#include "frontend/isa/sass/listing.h"
#include "frontend/isa/sass/lower.h"
#include "frontend/isa/sass7x/table.h"

static const struct sass_family family = {.table = &sass7x_table};

const struct isa isa_sass7x = {
    .name = "machine code of Volta to Hopper",
    .oldest_sm = 70,
    .newest_sm = 90,
    .family = &family,
    .word_bytes = 16,
    .granule = 16,
    .only_text = true,
    SASS_ISA_FUNCTIONS,
};
