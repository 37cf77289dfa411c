/* The row of Maxwell's and Pascal's machine code for frontend/isa/isa.h. */
#include "frontend/isa/sass/listing.h"
#include "frontend/isa/sass5x/lower.h"

const struct isa isa_sass5x = {
    .name = "machine code of Maxwell and Pascal",
    .oldest_sm = 50,
    .newest_sm = 62,
    .family = &sass5x_family,
    .word_bytes = 8,
    .granule = 32,
    SASS_ISA_FUNCTIONS,
};
