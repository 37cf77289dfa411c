/* The machine code of a guest as text. */
#ifndef REPRISE_TOOLS_GUESTS_LISTING_H
#define REPRISE_TOOLS_GUESTS_LISTING_H

#include "frontend/guest/guest.h"

/* Prints the code in the layout of objdump -d: all of it, or one function. False: err says why. */
bool guest_print_code(const char *path, const uint8_t *bytes, size_t size, const char *function, struct rp_error *);

#endif
