/* Runs the kernels of random PTX and of machine code made of it, and compares what they leave, bit for bit.
 *
 *   ptx_compare FIRST MODULE...      FIRST: the PTX
 *
 * Compares with FIRST in the order of module_schedule, too; `scheduled` is the name of that module. Prints a line for
 * every kernel and module whose results differ from those of the first: NAME MODULE: what Exit status: 0 all agree, 1
 * some differ, 2 it could not be found out. */
#include <stdio.h>
#include <string.h>

#include "frontend/host/launch.h"
#include "tests/random/values.h"

/* As in ptx_generate.py. */
enum { IN_WORDS = 256, OUT_WORDS = 64, MINE_WORDS = 16, SUMS = 16, THREADS = 64, BLOCKS = 2, COUNT = THREADS * BLOCKS };
enum { MODULES = 17, EXTRA_BYTES = 32 };

/* What a kernel works on. */
struct data {
    uint32_t in[IN_WORDS], out[COUNT * OUT_WORDS], mine[COUNT * MINE_WORDS], sums[SUMS];
};
#define EACH_BUFFER(X) X(in) X(out) X(mine) X(sums)

struct parameters {
    uint64_t in, out, mine, sums;
    uint8_t extra[EXTRA_BYTES];
};

struct device {
    const char *path;
    struct rp_device *device;
    struct module *module;
    struct parameters at;
};

static bool device_open(struct device *d, const char *path, const struct data *data, struct rp_error *err)
{
    *d = (struct device){.path = path, .device = rp_device_new(err)};
    if (!d->device || !(d->module = rp_device_load(d->device, path, err)))
        return false;
#define ALLOCATE(b) d->at.b = rp_alloc(d->device, sizeof data->b, #b, err);
    EACH_BUFFER(ALLOCATE)
    memcpy(d->at.extra, data->in + 100, sizeof d->at.extra);
    return d->at.in && d->at.out && d->at.mine && d->at.sums;
}

/* What the device leaves of `before`. */
static bool device_run(struct device *d, const char *kernel, const struct data *before, struct data *after,
                       struct rp_error *err)
{
    struct program *p = module_find(d->module, kernel, err);
    if (!p)
        return false;
#define UPLOAD(b) memcpy(rp_host(d->device, d->at.b, sizeof before->b), before->b, sizeof before->b);
    EACH_BUFFER(UPLOAD)
    const struct rp_launch_config config = {
        .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .params = &d->at, .threads = 1, .limit = 10000000};
    struct rp_launch_result result;
    if (!rp_launch_kernel(d->device, p, &config, &result, err))
        return false;
#define DOWNLOAD(b) memcpy(after->b, rp_host(d->device, d->at.b, sizeof before->b), sizeof before->b);
    EACH_BUFFER(DOWNLOAD)
    return true;
}

static bool same(const char *name, const char *module, const char *what, uint32_t words_per_thread,
                 const uint32_t *first, const uint32_t *other, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (first[i] != other[i]) {
            uint32_t thread = i / words_per_thread;
            printf("%s %s: %s[%u] of block %u thread %u is 0x%08x by PTX, 0x%08x here\n", name, module, what,
                   i % words_per_thread, thread / THREADS, thread % THREADS, first[i], other[i]);
            return false;
        }
    return true;
}

static bool compare(struct device *d, const char *name, const struct data *before, const struct data *expected)
{
    static struct data after;
    struct rp_error err;
    if (!device_run(d, name, before, &after, &err)) {
        printf("%s %s: %s\n", name, d->path, err.text);
        return false;
    }
#define SAME(b, words) same(name, d->path, #b, words, expected->b, after.b, sizeof after.b / sizeof *after.b)
    return SAME(out, OUT_WORDS) && SAME(mine, MINE_WORDS) && SAME(sums, SUMS) && SAME(in, IN_WORDS);
}

/* Whether the machine code of every module leaves what the PTX leaves. */
static bool compare_kernel(struct device *devices, int modules, const char *name, const struct data *before)
{
    static struct data expected;
    struct rp_error err;
    bool all = true;
    if (!device_run(&devices[0], name, before, &expected, &err)) {
        printf("%s %s: %s\n", name, devices[0].path, err.text);
        return false;
    }
    for (int m = 1; m < modules; m++)
        all &= compare(&devices[m], name, before, &expected);
    return all;
}

int main(int argc, char **argv)
{
    static struct data before;
    struct device devices[MODULES];
    int modules = argc; /* the last one is the first in another order */
    bool all = true;
    if (modules < 2 || modules > MODULES) {
        fprintf(stderr, "usage: ptx_compare PTX MODULE...\n");
        return 2;
    }
    random_values(before.in, IN_WORDS);
    random_values(before.mine, COUNT * MINE_WORDS);
    for (int m = 0; m < modules; m++) {
        struct rp_error err;
        bool again = m == modules - 1;
        if (!device_open(&devices[m], argv[again ? 1 : m + 1], &before, &err) ||
            (again && !module_schedule(devices[m].module, &err))) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
        if (again)
            devices[m].path = "scheduled";
    }
    const struct module *first = devices[0].module;
    for (uint32_t i = 0; i < first->program_count; i++)
        all &= compare_kernel(devices, modules, first->programs[i].name, &before);
    for (int m = 0; m < modules; m++)
        rp_device_free(devices[m].device);
    return all ? 0 : 1;
}
