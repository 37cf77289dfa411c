/* Small PTX modules through NVIDIA's ptxas: machine code whose meaning is known from its PTX. */
#ifndef REPRISE_TESTS_SASS_RUN_PTXAS_H
#define REPRISE_TESTS_SASS_RUN_PTXAS_H

#include "frontend/host/launch.h"

/* A device with the module loaded, for sm_62 at -O3; `body` follows .version, .target and .address_size. Ends the test
 * on failure; skips it, and says so, where there is no ptxas. */
struct module *ptxas_module(struct rp_device **device, const char *body);
/* Runs one kernel of it on one thread of the host. */
bool ptxas_run(struct rp_device *device, struct module *module, const char *kernel, uint32_t grid, uint32_t block,
               struct rp_launch_config *config, struct rp_launch_result *result, struct rp_error *err);

#endif
