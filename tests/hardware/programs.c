/* Runs the kernels of modules whose parameters are four addresses, in, out, mine and sums, as random programs have
 * them: on the engine, and through judge.c on the GPU.
 *
 *   programs LAUNCHES MODULE...      LAUNCHES: a file with a line for each kernel, its name, blocks and threads
 *
 * A kernel that the module does not have is left out. With REPRISE_VALUES set what is left in `out` is printed, a line
 * for each thread that left something.
 *
 * Exit status: 0 the engine runs all, 1 it does not. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/host/launch.h"
#include "tests/random/values.h"

/* As in program.h and ptx_generate.py, what both need. */
enum { IN_WORDS = 256, OUT_WORDS = 64, MINE_WORDS = 16, SUMS = 16, THREADS = 128, BLOCKS = 2, EXTRA_BYTES = 32 };
struct parameters {
    uint64_t in, out, mine, sums;
    uint8_t extra[EXTRA_BYTES];
};

static void print_values(const char *name, const uint32_t *out)
{
    for (unsigned t = 0; t < BLOCKS * THREADS; t++, out += OUT_WORDS) {
        unsigned last = OUT_WORDS;
        while (last && !out[last - 1])
            last--;
        if (last)
            printf("%s %u:", name, t);
        for (unsigned i = 0; i < last; i++)
            printf(" %x%s", out[i], i + 1 == last ? "\n" : "");
    }
}

static bool run(struct rp_device *d, struct program *p, uint32_t blocks, uint32_t threads, const struct parameters *at,
                struct rp_error *err)
{
    uint32_t *in = rp_host(d, at->in, IN_WORDS * 4), *mine = rp_host(d, at->mine, BLOCKS * THREADS * MINE_WORDS * 4);
    uint32_t *out = rp_host(d, at->out, BLOCKS * THREADS * OUT_WORDS * 4);
    bool ptx =
        p->parameter_bytes > offsetof(struct parameters, extra); /* of ptx_generate.py: `mine` begins with values */
    random_values(in, IN_WORDS);
    memset(out, 0, BLOCKS * THREADS * OUT_WORDS * 4);
    memset(mine, 0, BLOCKS * THREADS * MINE_WORDS * 4);
    memset(rp_host(d, at->sums, SUMS * 4), 0, SUMS * 4);
    if (ptx)
        random_values(mine, BLOCKS * THREADS * MINE_WORDS);
    const struct rp_launch_config c = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = at, .threads = 1, .limit = 50000000};
    struct rp_launch_result r;
    if (!rp_launch_kernel(d, p, &c, &r, err))
        return false;
    if (getenv("REPRISE_VALUES"))
        print_values(p->name, out);
    return true;
}

static bool has_kernel(const struct module *m, const char *name)
{
    for (uint32_t i = 0; i < m->program_count; i++)
        if (!strcmp(m->programs[i].name, name))
            return true;
    return false;
}

static bool run_all(struct rp_device *d, struct module *m, FILE *launches, struct rp_error *err)
{
    struct parameters at = {rp_alloc(d, IN_WORDS * 4, "in", err),
                            rp_alloc(d, BLOCKS * THREADS * OUT_WORDS * 4, "out", err),
                            rp_alloc(d, BLOCKS * THREADS * MINE_WORDS * 4, "mine", err),
                            rp_alloc(d, SUMS * 4, "sums", err),
                            {0}};
    uint32_t values[IN_WORDS];
    char name[128];
    unsigned blocks, threads;
    bool ok = at.in && at.out && at.mine && at.sums;
    random_values(values, IN_WORDS);
    memcpy(at.extra, values + 100, EXTRA_BYTES);
    rewind(launches);
    while (ok && fscanf(launches, "%127s %u %u", name, &blocks, &threads) == 3) {
        struct program *p = has_kernel(m, name) ? module_find(m, name, err) : NULL;
        if (p && blocks <= BLOCKS && threads <= THREADS)
            ok = run(d, p, blocks, threads, &at, err);
    }
    return ok;
}

static bool run_module(const char *path, FILE *launches)
{
    struct rp_error err;
    struct rp_device *d = rp_device_new(&err);
    struct module *m = d ? rp_device_load(d, path, &err) : NULL;
    bool ok = m && run_all(d, m, launches, &err);
    if (!ok)
        printf("%s: %s\n", path, err.text);
    rp_device_free(d);
    return ok;
}

int main(int argc, char **argv)
{
    FILE *launches = argc > 1 ? fopen(argv[1], "r") : NULL;
    bool ok = launches;
    if (!ok)
        fprintf(stderr, "usage: programs LAUNCHES MODULE...\n");
    for (int i = 2; ok && i < argc; i++)
        ok &= run_module(argv[i], launches);
    return !ok;
}
