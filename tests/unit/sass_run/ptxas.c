#include "tests/unit/sass_run/ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/unit/sass_run/toolchain.h"

struct module *ptxas_module(struct rp_device **device, const char *body)
{
    need_toolchain();
    char ptx[] = "/tmp/reprise-ptxas-XXXXXX", cubin[64], command[600];
    const char *build = getenv("BUILD");
    int fd = mkstemp(ptx);
    cr_assert_geq(fd, 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, ".version 6.5\n.target sm_62\n.address_size 64\n%s", body);
    fclose(f);
    snprintf(cubin, sizeof cubin, "%s.cubin", ptx);
    snprintf(command, sizeof command, "%s/toolchain/12.3/ptxas -w -O3 -arch=sm_62 -o %s %s", build ? build : "build",
             cubin, ptx);
    int status = system(command);
    unlink(ptx);
    cr_assert_eq(status, 0, "ptxas: %d", status);
    struct rp_error err;
    *device = rp_device_new(&err);
    cr_assert_not_null(*device);
    struct module *m = rp_device_load(*device, cubin, &err);
    unlink(cubin);
    cr_assert_not_null(m, "%s", m ? "" : err.text);
    return m;
}

bool ptxas_run(struct rp_device *device, struct module *module, const char *kernel, uint32_t grid, uint32_t block,
               struct rp_launch_config *config, struct rp_launch_result *result, struct rp_error *err)
{
    struct program *p = module_find(module, kernel, err);
    cr_assert_not_null(p, "%s", p ? "" : err->text);
    config->threads = 1;
    config->grid[0] = grid;
    config->block[0] = block;
    config->grid[1] = config->grid[2] = config->block[1] = config->block[2] = 1;
    return rp_launch_kernel(device, p, config, result, err);
}
