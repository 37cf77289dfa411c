/* Memory at chosen addresses: a range of this process's addresses is reserved, and device allocations lie in it at
 * their device addresses, so that host and kernels can use the same pointers (CUDA's unified addressing). The range
 * begins at the same address in every process where that is free, so that traces are the same. */
#ifndef REPRISE_FRONTEND_CORE_STORAGE_H
#define REPRISE_FRONTEND_CORE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

struct storage;

/* Reserves STORAGE_MODULES bytes of addresses for variables of modules, followed by a range for buffers, which grows.
 */
#define STORAGE_MODULES (UINT64_C(8) << 30)
struct storage *storage_new(struct rp_error *);
void storage_free(struct storage *);
uint64_t storage_base(const struct storage *);
/* Whether the address lies in the reserved range. */
bool storage_holds(const struct storage *, uint64_t address);

/* Zeroed memory at [address, address + bytes), which must not be in use. NULL: not available. */
uint8_t *storage_take(struct storage *, uint64_t address, uint64_t bytes);
/* Returns memory. Its pages go back to the system when no allocation overlaps them. */
void storage_give(struct storage *, uint64_t address, uint64_t bytes);

#endif
