/* Memory at addresses of its own choice: a range of this process's addresses is reserved, and an allocation of the
 * device lies in it where the device has it, so that host and kernels may use the same pointers (CUDA's unified
 * addressing). The range begins at the same address in every process where that is free, so that traces are the same.
 */
#ifndef REPRISE_FRONTEND_CORE_STORAGE_H
#define REPRISE_FRONTEND_CORE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

struct storage;

/* Reserves STORAGE_MODULES bytes of addresses for variables of modules, and more behind them for buffers, which grow.
 */
#define STORAGE_MODULES (UINT64_C(8) << 30)
struct storage *storage_new(struct rp_error *);
void storage_free(struct storage *);
uint64_t storage_base(const struct storage *);
/* Whether an address is the device's, if anybody's. */
bool storage_holds(const struct storage *, uint64_t address);

/* Zeroed memory at [address, address + bytes), which nobody has had since it was last given back. NULL: there is none.
 */
uint8_t *storage_take(struct storage *, uint64_t address, uint64_t bytes);
/* Its pages go back to the system once nobody has any of them. */
void storage_give(struct storage *, uint64_t address, uint64_t bytes);

#endif
