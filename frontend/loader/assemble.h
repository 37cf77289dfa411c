/* Machine code for one architecture, whatever form a module has. */
#ifndef REPRISE_FRONTEND_LOADER_ASSEMBLE_H
#define REPRISE_FRONTEND_LOADER_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* Whether there is such an architecture; the error (RP_USAGE) lists those that there are. */
bool module_can_assemble(const char *sm, struct rp_error *);
/* Makes a cubin for the architecture, such as "sm_86": of PTX, by ptxas (frontend/loader/ptxas.h); of a fat binary, or
 * a file that holds one, the newest machine code that such a GPU runs, else of its newest PTX. A cubin is copied, if
 * such a GPU runs it. `path` names the module in errors. The caller frees the cubin; NULL: RP_USAGE (no such
 * architecture) or RP_BAD_INPUT. */
uint8_t *module_assemble(const char *path, const void *bytes, size_t size, const char *sm, size_t *code_size,
                         struct rp_error *);

#endif
