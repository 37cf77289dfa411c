/* Runs a kernel case: module, setup, launches, check. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/kernel_case.h"

static double cpu_seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool load(struct kernel_session *s, const struct kernel_case *c, const struct kernel_options *o)
{
    const char *build = getenv("BUILD");
    char path[512];
    build = build ? build : "build";
    if (o->cubin)
        snprintf(path, sizeof path, "%s/cubin/%s%s.%s.cubin", build, o->unoptimised ? "O0/" : "", c->module, o->cubin);
    else
        snprintf(path, sizeof path, "%s/kernels/%s%s.ptx", build, o->unoptimised ? "O0/" : "", c->module);
    s->device = rp_device_new(&s->error);
    if (!s->device)
        return false;
    s->module = rp_device_load(s->device, path, &s->error);
    return s->module && (!o->scheduled || module_schedule(s->module, &s->error));
}

static struct rp_writer *open_trace(struct kernel_session *s, const struct kernel_case *c, const char *path)
{
    char size[16];
    snprintf(size, sizeof size, "%u", s->size);
    const struct rp_option options[] = {{"case", c->name}, {"size", size}};
    const struct rp_provenance from = {.tool = "reprise " REPRISE_VERSION " tests",
                                       .module_name = s->module->file_name,
                                       .module_sha256 = s->module->sha256,
                                       .option_count = 2,
                                       .options = options};
    return rp_writer_open(path, &from, NULL, &s->error);
}

static bool launch(struct kernel_session *s, const struct kernel_launch *l, uint32_t stream,
                   const struct kernel_options *o, struct rp_writer *writer, FILE *output, struct kernel_totals *totals)
{
    struct program *p = module_find(s->module, l->kernel, &s->error);
    if (!p)
        return false;
    if (p->parameter_bytes != l->param_bytes)
        return rp_fail(&s->error, RP_USAGE, "%s takes %u bytes of parameters, the case gives %u", l->kernel,
                       p->parameter_bytes, l->param_bytes);
    struct rp_launch_config config = {.dynamic_shared = l->shared,
                                      .stream = stream,
                                      .params = l->params,
                                      .threads = o->threads,
                                      .check = o->check,
                                      .writer = writer,
                                      .output = output};
    memcpy(config.grid, l->grid, sizeof config.grid);
    memcpy(config.block, l->block, sizeof config.block);
    struct rp_launch_result result;
    double start = cpu_seconds_now();
    if (!rp_launch_kernel(s->device, p, &config, &result, &s->error))
        return false;
    totals->cpu_seconds += cpu_seconds_now() - start;
    totals->warp_instructions += result.warp_instructions;
    totals->thread_instructions += result.thread_instructions;
    totals->launches++;
    return true;
}

static bool launch_all(struct kernel_session *s, const struct kernel_case *c, const struct kernel_options *o,
                       struct kernel_totals *totals)
{
    struct rp_writer *writer = NULL;
    if (o->trace && !(writer = open_trace(s, c, o->trace)))
        return false;
    FILE *output = open_memstream(&s->printed, &s->printed_bytes);
    if (!output) {
        rp_writer_abandon(writer);
        return rp_fail(&s->error, RP_SYSTEM, "no memory for the kernel's output");
    }
    bool ok = true;
    uint32_t streams = o->streams ? o->streams : 1, rounds = streams * (o->times ? o->times : 1);
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t i = 0; ok && i < s->launch_count; i++)
            ok = launch(s, &s->launches[i], o->streams ? 1 + r % streams : 0, o, writer, output, totals);
    fclose(output);
    if (!ok) {
        rp_writer_abandon(writer);
    } else if (writer) {
        double start = cpu_seconds_now();
        ok = rp_writer_close(writer, &s->error);
        totals->cpu_seconds += cpu_seconds_now() - start;
    }
    return ok;
}

static bool run(struct kernel_session *s, const struct kernel_case *c, const struct kernel_options *o,
                struct kernel_totals *totals)
{
    if (!load(s, c, o))
        return false;
    c->setup(s);
    if (s->failed || !launch_all(s, c, o, totals))
        return false;
    if (!o->skip_check)
        c->check(s);
    if (!s->failed && o->inspect)
        o->inspect(s, o->data);
    return !s->failed;
}

bool kernel_run(const struct kernel_case *c, const struct kernel_options *o, struct kernel_totals *totals,
                struct rp_error *err)
{
    struct kernel_session s = {.size = o->size ? o->size : c->size};
    struct kernel_totals unused;
    totals = totals ? totals : &unused;
    *totals = (struct kernel_totals){0};
    bool ok = run(&s, c, o, totals);
    if (!ok)
        rp_fail(err, s.error.status, "%s, size %u%s%s%s: %s", c->name, s.size, o->unoptimised ? ", -O0" : "",
                o->cubin ? ", " : "", o->cubin ? o->cubin : "", s.error.text);
    rp_device_free(s.device);
    for (uint32_t i = 0; i < s.scratch_count; i++)
        free(s.scratch[i]);
    free(s.scratch);
    free(s.launches);
    free(s.printed);
    return ok;
}
