/* The row of the machine code of Volta to Hopper: frontend/isa/isa.h. */
#include "frontend/isa/sass/listing.h"
#include "frontend/isa/sass7x/lower.h"

const struct isa isa_sass7x = {
    .name = "machine code of Volta to Hopper",
    .oldest_sm = 70,
    .newest_sm = 90,
    .family = &sass7x_family,
    .word_bytes = 16,
    .granule = 16,
    SASS_ISA_FUNCTIONS,
};
