/* Runs the programs of one generated file on the host and on the emulator and compares what they leave, bit for bit.
 *
 *   compare HOST.so MODULE...      MODULE: PTX or a cubin of the same file
 *
 * Prints a line for every program and module that differ:
 *   NAME MODULE: what
 * Exit status: 0 all agree, 1 some differ, 2 it could not be found out. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/host/launch.h"
#include "tests/random/values.h"

/* As in program.h. */
enum { IN_WORDS = 256, OUT_WORDS = 8, MINE_WORDS = 16, SUMS = 16, THREADS = 96, BLOCKS = 2 };
struct random_program {
    const char *name;
    uint32_t blocks, threads;
    void (*run)(const uint32_t *in, uint32_t *out, uint32_t *global, uint32_t *sums, uint32_t block);
};

/* What a program works on. */
struct data {
    uint32_t in[IN_WORDS], out[BLOCKS * THREADS * OUT_WORDS], global[BLOCKS * THREADS * MINE_WORDS], sums[SUMS];
};

struct device {
    const char *path;
    struct rp_device *device;
    struct module *module;
    uint64_t in, out, global, sums;
};

static bool device_open(struct device *d, const char *path, struct rp_error *err)
{
    *d = (struct device){.path = path, .device = rp_device_new(err)};
    if (!d->device || !(d->module = rp_device_load(d->device, path, err)))
        return false;
    struct data *data = NULL;
    d->in = rp_alloc(d->device, sizeof data->in, "in", err);
    d->out = rp_alloc(d->device, sizeof data->out, "out", err);
    d->global = rp_alloc(d->device, sizeof data->global, "global", err);
    d->sums = rp_alloc(d->device, sizeof data->sums, "sums", err);
    return d->in && d->out && d->global && d->sums;
}

/* What the device leaves of `before`. */
static bool device_run(struct device *d, const struct random_program *p, const struct data *before, struct data *after,
                       struct rp_error *err)
{
    struct program *kernel = module_find(d->module, p->name, err);
    if (!kernel)
        return false;
#define EACH_BUFFER(X) X(in) X(out) X(global) X(sums)
#define UPLOAD(b) memcpy(rp_host(d->device, d->b, sizeof before->b), before->b, sizeof before->b);
    EACH_BUFFER(UPLOAD)
    const uint64_t params[] = {d->in, d->out, d->global, d->sums};
    const struct rp_launch_config config = {
        .grid = {p->blocks, 1, 1}, .block = {p->threads, 1, 1}, .params = params, .threads = 1, .limit = 50000000};
    struct rp_launch_result result;
    if (!rp_launch_kernel(d->device, kernel, &config, &result, err))
        return false;
#define DOWNLOAD(b) memcpy(after->b, rp_host(d->device, d->b, sizeof before->b), sizeof before->b);
    EACH_BUFFER(DOWNLOAD)
    return true;
}

static bool same(const char *name, const char *module, const char *what, uint32_t words_per_thread, uint32_t threads,
                 const uint32_t *host, const uint32_t *device, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (host[i] != device[i]) {
            uint32_t thread = i / words_per_thread;
            printf("%s %s: %s[%u] of block %u thread %u is 0x%08x on the host, 0x%08x on the device\n", name, module,
                   what, i % words_per_thread, thread / threads, thread % threads, host[i], device[i]);
            return false;
        }
    return true;
}

static bool compare(struct device *d, const struct random_program *p, const struct data *before,
                    const struct data *host)
{
    static struct data after;
    struct rp_error err;
    if (!device_run(d, p, before, &after, &err)) {
        printf("%s %s: %s\n", p->name, d->path, err.text);
        return false;
    }
#define SAME(b, words) same(p->name, d->path, #b, words, p->threads, host->b, after.b, sizeof host->b / sizeof *host->b)
    return SAME(in, IN_WORDS) && SAME(out, OUT_WORDS) && SAME(global, MINE_WORDS) && SAME(sums, SUMS);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: compare HOST.so MODULE...\n");
        return 2;
    }
    void *host = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    const struct random_program *programs = host ? dlsym(host, "random_programs") : NULL;
    if (!programs) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    static struct data before, expected;
    struct device devices[16];
    int modules = argc - 2;
    random_values(before.in, IN_WORDS);
    for (int m = 0; m < modules; m++) {
        struct rp_error err;
        if (modules > 16 || !device_open(&devices[m], argv[m + 2], &err)) {
            fprintf(stderr, "%s\n", modules > 16 ? "at most 16 modules" : err.text);
            return 2;
        }
    }
    bool all = true;
    for (const struct random_program *p = programs; p->name; p++) {
        if (p->blocks > BLOCKS || p->threads > THREADS) {
            fprintf(stderr, "%s: more threads than there is room for\n", p->name);
            return 2;
        }
        expected = before;
        for (uint32_t b = 0; b < p->blocks; b++)
            p->run(expected.in, expected.out, expected.global, expected.sums, b);
        for (int m = 0; m < modules; m++)
            all &= compare(&devices[m], p, &before, &expected);
    }
    for (int m = 0; m < modules; m++)
        rp_device_free(devices[m].device);
    dlclose(host);
    return all ? 0 : 1;
}
