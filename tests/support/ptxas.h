/* Small PTX modules through NVIDIA's ptxas: machine code whose meaning is known from its PTX. */
#ifndef REPRISE_TESTS_SUPPORT_PTXAS_H
#define REPRISE_TESTS_SUPPORT_PTXAS_H

#include "frontend/host/launch.h"

/* What a module is compiled for, and by which release of the toolchain. */
struct ptxas_target {
    unsigned sm;
    const char *isa, *release; /* of .version; of ptxas */
    int level;                 /* of optimisation, 0 to 3 */
};

/* A device with the module loaded; `body` follows .version, .target and .address_size. Ends the test on failure; skips
 * it, and says so, where there is no ptxas. */
struct module *ptxas_module_for(struct rp_device **device, const struct ptxas_target *, const char *body);
/* The same for sm_62 at -O3. */
struct module *ptxas_module(struct rp_device **device, const char *body);
/* The same module through the PTX frontend. */
struct module *ptx_module_for(struct rp_device **device, const struct ptxas_target *, const char *body);
/* Runs one kernel of it on one thread of the host. */
bool ptxas_run(struct rp_device *device, struct module *module, const char *kernel, uint32_t grid, uint32_t block,
               struct rp_launch_config *config, struct rp_launch_result *result, struct rp_error *err);

#endif
