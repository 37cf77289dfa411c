/* Messages that count things. */
#ifndef REPRISE_TRACEFMT_PLURAL_H
#define REPRISE_TRACEFMT_PLURAL_H

#include <stdint.h>

/* The noun's ending: "1 block", but "0 blocks". */
static inline const char *rp_plural(uint64_t n) { return n == 1 ? "" : "s"; }

#endif
