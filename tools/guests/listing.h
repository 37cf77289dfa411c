/* The machine code of a guest as text. */
#ifndef REPRISE_TOOLS_GUESTS_LISTING_H
#define REPRISE_TOOLS_GUESTS_LISTING_H

#include "frontend/guest/guest.h"

/* What is no instruction though it lies where code is. */
struct guest_unknown {
    uint32_t count;
    char first[160]; /* "0x100a8: 0x2c000033 is no instruction of RV32IMAC" */
};

/* Prints the code in the layout of objdump -d: all of it, or one function. What is no instruction, and data between
 * instructions, is printed as .byte, .short, .word. False: err says why. */
bool guest_print_code(const char *path, const uint8_t *bytes, size_t size, const char *function, struct guest_unknown *,
                      struct rp_error *);

#endif
