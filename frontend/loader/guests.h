/* All instruction sets of guests. */
#ifndef REPRISE_FRONTEND_LOADER_GUESTS_H
#define REPRISE_FRONTEND_LOADER_GUESTS_H

#include "frontend/guest/guest.h"

/* Whether the bytes begin as an ELF file of 32 bits of one of them. */
bool guest_recognises(const void *bytes, size_t size);
/* Loads a guest of any of them: guest_load. */
struct guest *guest_open(const char *path, const void *bytes, size_t size, struct rp_error *);

#endif
