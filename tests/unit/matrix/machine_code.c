#include "machine_code.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/full.h"

enum { MOST = 256, BUFFERS = 4, TARGETS = 8 };

/* One launch. */
struct launch {
    char *body;
    unsigned grid, block, buffers;
    uint64_t bytes; /* of each buffer */
    void *inputs[BUFFERS], *outputs[BUFFERS];
};

static const char *all_targets; /* NULL: launches are not noted */
static const char *level;       /* of ptxas's optimisation */
static struct launch launches[MOST];
static unsigned count, executed[TARGETS];
static bool begun; /* the last one has its inputs */

static void *copy_of(const void *from, uint64_t bytes)
{
    void *to = malloc(bytes);
    cr_assert_not_null(to);
    return memcpy(to, from, bytes);
}

/* ---- modules ---- */

/* Whether the PTX frontend takes the kernel on the target; ptxas has to agree. */
static bool has_target(const struct launch *l, const char *target)
{
    char *text;
    struct rp_error err;
    cr_assert_gt(asprintf(&text, ".version 8.7\n.target %s\n.address_size 64\n%s", target, l->body), 0);
    struct module *m = ptx_load_text("target.ptx", text, strlen(text), 0, &err);
    bool taken = m && module_find(m, NULL, &err);
    if (m)
        module_free(m);
    free(text);
    return taken;
}

/* Kernels with the same text are one. */
static unsigned kernel_of(unsigned launch)
{
    for (unsigned i = 0; i < launch; i++)
        if (!strcmp(launches[i].body, launches[launch].body))
            return i;
    return launch;
}

static void write_ptx(FILE *f, const char *target, const bool *taken)
{
    static const char entry[] = ".visible .entry k(";
    fprintf(f, ".version 8.7\n.target %s\n.address_size 64\n", target);
    for (unsigned i = 0; i < count; i++) {
        if (!taken[i] || kernel_of(i) != i)
            continue;
        const char *body = launches[i].body;
        cr_assert_eq(strncmp(body, entry, strlen(entry)), 0, "%.80s", body);
        fprintf(f, ".visible .entry k%u(%s\n", i, body + strlen(entry));
    }
}

static struct module *compile(struct rp_device *device, const char *target, const bool *taken)
{
    char ptx[] = "/tmp/reprise-matrix-XXXXXX", cubin[64], command[700];
    const char *build = getenv("BUILD");
    struct rp_error err;
    FILE *f = fdopen(mkstemp(ptx), "w");
    cr_assert_not_null(f);
    write_ptx(f, target, taken);
    fclose(f);
    snprintf(cubin, sizeof cubin, "%s.cubin", ptx);
    snprintf(command, sizeof command,
             "%s/toolchain/12.9/ptxas -w %s -arch=%s -o %s %s >%s.log 2>&1 || { cat %s.log; false; }",
             build ? build : "build", level, target, cubin, ptx, ptx, ptx);
    int status = system(command);
    unlink(ptx);
    snprintf(command, sizeof command, "%s.log", ptx);
    unlink(command);
    cr_assert_eq(status, 0, "ptxas for %s: %d", target, status);
    struct module *m = rp_device_load(device, cubin, &err);
    unlink(cubin);
    cr_assert_not_null(m, "%s", m ? "" : err.text);
    return m;
}

/* ---- launches ---- */

static void compare(struct rp_device *device, struct module *m, const char *target, unsigned which)
{
    const struct launch *l = &launches[which];
    uint64_t params[BUFFERS];
    char name[16];
    struct rp_error err = {0};
    struct rp_launch_result result;
    const struct rp_launch_config config = {.grid = {l->grid, 1, 1},
                                            .block = {l->block, 1, 1},
                                            .params = params,
                                            .shared_limit = 49 * 1024, /* from sm_90 on 1 KiB is the system's */
                                            .threads = 1};
    snprintf(name, sizeof name, "k%u", kernel_of(which));
    struct program *p = module_find(m, name, &err);
    cr_assert_not_null(p, "%s: %s\n%s", target, p ? "" : err.text, l->body);
    for (unsigned i = 0; i < l->buffers; i++) {
        params[i] = rp_alloc(device, l->bytes, "buffer", &err);
        memcpy(rp_host(device, params[i], l->bytes), l->inputs[i], l->bytes);
    }
    cr_assert(rp_launch_kernel(device, p, &config, &result, &err), "%s: %s\n%s", target, err.text, l->body);
    for (unsigned i = 0; i < l->buffers; i++) {
        const uint8_t *got = rp_host(device, params[i], l->bytes), *want = l->outputs[i];
        for (uint64_t at = 0; at < l->bytes; at++)
            cr_assert_eq(got[at], want[at], "%s: byte %lu of buffer %u: %#x, not %#x\n%s", target, at, i, got[at],
                         want[at], l->body);
        rp_free(device, params[i], &err);
    }
}

static bool compare_on(const char *target)
{
    bool taken[MOST] = {false}, any = false;
    struct rp_error err;
    for (unsigned i = 0; i < count; i++)
        any |= taken[i] = has_target(&launches[i], target);
    if (!any)
        return false;
    struct rp_device *device = rp_device_new(&err);
    struct module *m = compile(device, target, taken);
    for (unsigned i = 0; i < count; i++)
        if (taken[i])
            compare(device, m, target, i);
    rp_device_free(device);
    return true;
}

static void compare_all(void)
{
    char *targets = strdup(all_targets), *rest = targets, *target;
    for (unsigned i = 0; (target = strsep(&rest, " ")); i++)
        executed[i] += compare_on(target);
    free(targets);
    for (unsigned i = 0; i < count; i++) {
        free(launches[i].body);
        for (unsigned j = 0; j < launches[i].buffers; j++) {
            free(launches[i].inputs[j]);
            free(launches[i].outputs[j]);
        }
    }
    count = 0;
}

void note_inputs(const struct kernel_run *k, unsigned grid, unsigned block)
{
    if (!all_targets)
        return;
    struct launch *l = &launches[count];
    *l = (struct launch){strdup(k->body), grid, block, k->buffers, k->bytes, {NULL}, {NULL}};
    for (unsigned i = 0; i < k->buffers; i++)
        l->inputs[i] = copy_of(k->host[i], k->bytes);
    begun = true;
}

void note_outputs(const struct kernel_run *k)
{
    if (!begun)
        return;
    for (unsigned i = 0; i < k->buffers; i++)
        launches[count].outputs[i] = copy_of(k->host[i], k->bytes);
    begun = false;
    if (++count == MOST)
        compare_all();
}

/* Kernels of wmma have the same matrix instructions with -O1, which takes a fifth of the time: it unrolls no loops. */
static const char *level_for(const char *opcode) { return strcmp(opcode, "wmma") || full_sweep() ? "-O3" : "-O1"; }

void compare_machine_code(const char *targets, const char *opcode, void (*visit)(const struct spelling *))
{
    const char *build = getenv("BUILD");
    char path[512];
    snprintf(path, sizeof path, "%s/toolchain/complete", build ? build : "build");
    if (access(path, R_OK))
        cr_skip_test("no %s: make toolchain fetches NVIDIA's ptxas", path);
    all_targets = targets;
    level = level_for(opcode);
    each_spelling(opcode, visit);
    if (count)
        compare_all();
    for (unsigned i = 0; targets; i++, targets = strchr(targets, ' '), targets += targets ? 1 : 0)
        cr_assert_gt(executed[i], 0, "nothing was compared on %s", targets);
    all_targets = NULL;
}
