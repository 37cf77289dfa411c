/* Bank conflicts: 32 banks of 4-byte words. */
#ifndef REPRISE_HW_MODELS_SHARED_MEMORY_CONFLICTS_H
#define REPRISE_HW_MODELS_SHARED_MEMORY_CONFLICTS_H

#include "hw-models/shared-memory/shared-memory.h"

#define SHARED_MEMORY_BANKS 32u
#define SHARED_MEMORY_WORD 4u /* bytes */

/* The largest number of different words that the lanes first .. first + lanes - 1 of the mask access in one bank. Lanes
 * that access the same word share it. At most 16 bytes of a lane count. */
uint32_t shared_memory_words(const struct shared_memory_access *, uint32_t first, uint32_t lanes);

/* The largest number of lanes of the mask that have the same address. */
uint32_t shared_memory_same(const struct shared_memory_access *);

#endif
