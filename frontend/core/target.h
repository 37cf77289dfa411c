/* The targets that a module can be made for: PTX ISA "PTX Module Directives: .target". The one table of them. */
#ifndef REPRISE_FRONTEND_CORE_TARGET_H
#define REPRISE_FRONTEND_CORE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* From sm_70 on the threads of a warp are scheduled independently (CUDA C Programming Guide, "Independent Thread
 * Scheduling"): lanes that wait give way to the other lanes of their warp. Before, a warp runs one path at a time. */
#define INDEPENDENT_THREADS 70

struct target {
    const char *name; /* sm_90a; a: features of this architecture alone, f: of its family */
    uint16_t sm;      /* 90 */
    bool independent_threads;
};

/* The target of this name, NULL: there is none. */
const struct target *target_find(const char *name, size_t length);
/* The one of this number without a suffix, which machine code names; NULL: there is none. */
const struct target *target_of_sm(unsigned sm);
/* The same for a name that somebody gave: RP_USAGE with the names that there are. */
const struct target *target_named(const char *name, struct rp_error *);
/* "sm_50, sm_52, ...", all of them, as far as they fit. */
void target_list(char *text, size_t size);

#endif
