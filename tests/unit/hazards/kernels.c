/* ptxas's code of every kernel in tests/kernels has no hazard under the latencies of a machine of its architecture. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/kernel_case.h"
#include "tests/support/toolchain.h"
#include "tools/hazards/hazards.h"
#include "tools/replaying/replaying.h"

static const struct {
    const char *variant, *machine;
} variants[] = {{"sm_70.O3", "v100"},    {"sm_75.O3", "rtx2080"}, {"sm_80.O3", "a100"}, {"sm_86.O3", "rtx3070"},
                {"sm_89.O1", "rtx4090"}, {"sm_90.O3", "h100"},    {"sm_90.O0", "h100"}};

/* ptxas refuses the PTX of these: shfl and vote without .sync. */
static bool exists(const struct kernel_case *c)
{
    return strcmp(c->module, "scan") && strcmp(c->module, "votes") && strcmp(c->name, "ptx_integer");
}

static void check(const struct kernel_case *c, const char *variant, const struct machine *m, uint64_t *instructions)
{
    char path[] = "/tmp/reprise-hazards-XXXXXX";
    struct rp_error err;
    struct hazards h = {0};
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    bool fine = kernel_run(c, &(struct kernel_options){.threads = 2, .cubin = variant, .trace = path}, NULL, &err);
    struct rp_trace *t = fine ? rp_trace_open(path, &err) : NULL;
    unlink(path);
    cr_assert(t, "%s", err.text);
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(t); l++)
        fine = hazards_find(t, l, m, &h, &err);
    cr_assert(fine, "%s", err.text);
    cr_assert(h.any, "%s: no control bits", c->name);
    *instructions += h.instructions;
    if (h.count) {
        const struct rp_instruction *in = rp_trace_kernel(t, h.items->kernel)->instructions;
        cr_expect_fail("%s, %s: %zu hazards, the first: %s before %s", c->name, variant, h.count,
                       in[h.items->second].text, in[h.items->first].text);
    }
    hazards_free(&h);
    rp_trace_close(t);
}

Test(hazards, none_in_the_code_of_ptxas)
{
    need_toolchain();
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        struct rp_error err;
        uint64_t instructions = 0;
        struct machine *m = machine_args_open(&(struct machine_args){.machine = variants[v].machine}, NULL, 0, &err);
        cr_assert(m, "%s", err.text);
        for (size_t i = 0; kernel_cases[i]; i++)
            if (exists(kernel_cases[i]))
                check(kernel_cases[i], variants[v].variant, m, &instructions);
        cr_expect_gt(instructions, 100000, "%s", variants[v].variant);
        machine_free(m);
    }
}
