/* module_schedule changes the order of kernels and nothing of what they leave in memory, and costs no occupancy. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/target.h"
#include "tests/support/kernel_case.h"

/* What a run left: all buffers one behind another. */
struct left {
    uint8_t *bytes;
    size_t size;
};

static void keep(struct kernel_session *s, void *data)
{
    struct left *left = data;
    for (uint32_t b = 0; b < s->buffer_count; b++) {
        const struct kernel_buffer *buffer = &s->buffers[b];
        left->bytes = realloc(left->bytes, left->size + buffer->bytes + 1);
        cr_assert(left->bytes);
        memcpy(left->bytes + left->size, rp_host(s->device, buffer->address, buffer->bytes), buffer->bytes);
        left->size += buffer->bytes;
    }
}

/* Threads of the queue's order, and of floats that are added up, run as they like. */
static bool is_ordered(const struct kernel_case *c) { return strcmp(c->name, "bfs_queue") != 0; }

static void expect_same(const struct kernel_case *c, bool unoptimised)
{
    struct left left[2] = {{0}};
    for (int k = 0; k < 2; k++) {
        struct rp_error err;
        struct kernel_options o = {
            .threads = 1, .unoptimised = unoptimised, .scheduled = k, .inspect = keep, .data = &left[k]};
        bool ok = kernel_run(c, &o, NULL, &err);
        cr_expect(ok, "%s", ok ? "" : err.text);
    }
    if (is_ordered(c))
        cr_expect(left[0].size == left[1].size && !memcmp(left[0].bytes, left[1].bytes, left[0].size), "%s", c->name);
    free(left[0].bytes);
    free(left[1].bytes);
}

Test(scheduled, optimised)
{
    for (size_t i = 0; kernel_cases[i]; i++)
        expect_same(kernel_cases[i], false);
}

Test(scheduled, unoptimised)
{
    for (size_t i = 0; kernel_cases[i]; i++)
        expect_same(kernel_cases[i], true);
}

static struct module *load(const char *name, bool scheduled)
{
    const char *build = getenv("BUILD");
    char path[512];
    struct rp_error err;
    snprintf(path, sizeof path, "%s/kernels/%s.ptx", build ? build : "build", name);
    struct module *m = ptx_load(path, &err);
    cr_assert(m && (!scheduled || module_schedule(m, &err)), "%s", err.text);
    return m;
}

static uint32_t moved(const struct rp_kernel *before, const struct rp_kernel *after)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < before->instruction_count && i < after->instruction_count; i++)
        count += strcmp(before->instructions[i].text, after->instructions[i].text) != 0;
    return count;
}

/* The registers that a kernel may need: as many as before, or with which all threads of an SM fit. Accesses that are
 * joined need registers for all their values at once, in machine code, too. */
static uint32_t allowed(const struct program *before, const struct program *after)
{
    uint32_t all = 65536 / (32 * target_warps(before->target)) / 8 * 8, had = before->kernel.registers;
    bool joined = after->kernel.instruction_count < before->kernel.instruction_count;
    had = had > all ? had : all;
    return joined ? had + had / 2 : had;
}

/* Most kernels get another order. */
Test(scheduled, registers)
{
    uint32_t kernels = 0, changed = 0;
    for (size_t i = 0; kernel_cases[i]; i++) {
        struct module *m[2] = {load(kernel_cases[i]->module, false), load(kernel_cases[i]->module, true)};
        for (uint32_t k = 0; k < m[0]->program_count; k++) {
            struct rp_error err;
            const struct program *before = module_find(m[0], m[0]->programs[k].name, &err);
            const struct program *after = module_find(m[1], m[0]->programs[k].name, &err);
            cr_assert(before && after);
            cr_expect(after->kernel.registers <= allowed(before, after), "%s: %u, before %u", before->name,
                      after->kernel.registers, before->kernel.registers);
            kernels++;
            changed += moved(&before->kernel, &after->kernel) > 0;
        }
        module_free(m[0]);
        module_free(m[1]);
    }
    cr_expect(4 * changed > 3 * kernels, "%u of %u kernels changed", changed, kernels);
}
