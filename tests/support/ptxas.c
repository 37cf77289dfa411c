#include "tests/support/ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/support/toolchain.h"

static const char header[] = ".version %s\n.target sm_%u\n.address_size 64\n%s";

struct module *ptxas_module_for(struct rp_device **device, const struct ptxas_target *t, const char *body)
{
    need_toolchain();
    char ptx[] = "/tmp/reprise-ptxas-XXXXXX", cubin[64], command[600];
    const char *build = getenv("BUILD");
    int fd = mkstemp(ptx);
    cr_assert_geq(fd, 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, header, t->isa, t->sm, body);
    fclose(f);
    snprintf(cubin, sizeof cubin, "%s.cubin", ptx);
    snprintf(command, sizeof command, "%s/toolchain/%s/ptxas -w -O%d -arch=sm_%u -o %s %s", build ? build : "build",
             t->release, t->level, t->sm, cubin, ptx);
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

struct module *ptxas_module(struct rp_device **device, const char *body)
{
    const struct ptxas_target target = {62, "6.5", "12.3", 3};
    return ptxas_module_for(device, &target, body);
}

struct module *ptx_module_for(struct rp_device **device, const struct ptxas_target *t, const char *body)
{
    size_t size = strlen(body) + sizeof header + 32;
    char *text = malloc(size);
    struct rp_error err;
    int length = snprintf(text, size, header, t->isa, t->sm, body);
    struct module *m = module_load_bytes("statements.ptx", text, (size_t)length, 0, &err);
    free(text);
    cr_assert_not_null(m, "%s", m ? "" : err.text);
    *device = rp_device_new(&err);
    cr_assert_not_null(*device);
    cr_assert(rp_device_adopt(*device, m, &err), "%s", err.text);
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
