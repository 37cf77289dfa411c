/* Runs a plan. Errors in the input are found before any file is written. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tools/lib/cleanup.h"
#include "tools/lib/command.h"
#include "tools/lib/interrupt.h"
#include "tools/lib/json.h"
#include "tools/lib/names.h"
#include "tools/lib/output.h"
#include "tools/record/buffers.h"
#include "tools/record/checks.h"
#include "tools/record/faults.h"
#include "tools/record/images.h"
#include "tools/record/kernel.h"
#include "tools/record/load.h"
#include "tools/record/outputs.h"
#include "tools/record/tensors.h"
#include "tools/ui/figure.h"
#include "tools/ui/progress.h"
#include "tracefmt/plural.h"

struct session {
    struct plan *plan;
    struct rp_device *device;
    struct module *module;
    struct program **programs; /* per launch */
    struct rp_writer *writer;
    struct rp_check *check; /* NULL: no checks */
    struct findings found;
    struct finding_rules rules;
    struct rp_launch_result *results;
    size_t done; /* launches that ran; the last one may have ended in a fault */
    double seconds;
    struct progress progress;
    uint64_t file_bytes;
    FILE *prints; /* where kernels print to */
};

/* ---- provenance -------------------------------------------------------------------------------------------------- */

struct options {
    struct rp_option *list;
    uint32_t count, capacity;
    bool failed; /* out of memory */
};

__attribute__((format(printf, 3, 4))) static void add_option(struct options *o, char *key, const char *format, ...)
{
    char *value = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&value, format, args) < 0)
        value = NULL;
    va_end(args);
    o->failed |= !value;
    if (o->count < o->capacity)
        o->list[o->count++] = (struct rp_option){key, value};
}

static char *key_of(size_t launch, const char *what, int number)
{
    char text[64];
    if (number < 0)
        snprintf(text, sizeof text, "launch%zu.%s", launch, what);
    else
        snprintf(text, sizeof text, "launch%zu.%s%d", launch, what, number);
    return plan_copy(text);
}

static void describe_argument(FILE *to, const struct plan *p, const struct plan_argument *a)
{
    float f;
    double d;
    memcpy(&f, &a->bits, sizeof f);
    memcpy(&d, &a->bits, sizeof d);
    switch (a->kind) {
    case ARG_I32: fprintf(to, "i32=%" PRId32, (int32_t)(uint32_t)a->bits); break;
    case ARG_U32: fprintf(to, "u32=%" PRIu32, (uint32_t)a->bits); break;
    case ARG_I64: fprintf(to, "i64=%" PRId64, (int64_t)a->bits); break;
    case ARG_U64: fprintf(to, "u64=%" PRIu64, a->bits); break;
    case ARG_F32: fprintf(to, "f32=%.9g", (double)f); break;
    case ARG_F64: fprintf(to, "f64=%.17g", d); break;
    case ARG_BYTES: fprintf(to, "bytes=%s", a->hex); break;
    case ARG_BUFFER: fprintf(to, "buf=%s", p->buffers[a->buffer].name); break;
    case ARG_TEXTURE: fprintf(to, "tex=%s", p->images[a->buffer].name); break;
    case ARG_SURFACE: fprintf(to, "surf=%s", p->images[a->buffer].name); break;
    case ARG_TENSOR: fprintf(to, "tensor=%s", p->tensors[a->buffer].name); break;
    case ARG_STRUCT: /* with each offset, as at= may have changed it */
        fputs("struct=", to);
        for (uint32_t i = 0; i < a->field_count; i++) {
            fprintf(to, "at=%" PRIu32 ",", a->fields[i].offset);
            describe_argument(to, p, &a->fields[i].value);
            fputc(',', to);
        }
        fprintf(to, "at=%" PRIu32, a->bytes);
    }
}

static void add_argument(struct options *o, const struct plan *p, char *key, const struct plan_argument *a)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to) {
        describe_argument(to, p, a);
        o->failed |= fclose(to) != 0;
    }
    o->failed |= !to || !text;
    add_option(o, key, "%s", text ? text : "");
    free(text);
}

/* Describes the properties in which two images with the same content may differ, as numbers. */
static void describe_image(struct options *o, const struct plan *p, const struct plan_image *m)
{
    char key[300];
    const struct rp_array_config *a = &m->array;
    const struct rp_sampler *s = &m->sampler;
    snprintf(key, sizeof key, "image.%s", m->name);
    add_option(o, plan_copy(key), "buf=%s %c%ux%u %ux%ux%u flags=%u address=%u,%u,%u filter=%u read=%u%u%u%s",
               p->buffers[m->buffer].name, "uif"[a->element.kind], a -> element.bits, a->element.channels, a->width,
               a->height, a->depth, a->flags, s->address[0], s->address[1], s->address[2], s->filter,
               s->read_as_integer, s->normalized_coordinates, s->srgb, m->linear ? " linear" : "");
}

static void add_tensor(struct options *o, const struct plan *p, const struct plan_tensor *t)
{
    char key[300], *text = tensor_describe(p, t);
    snprintf(key, sizeof key, "tensor.%s", t->name);
    o->failed |= !text;
    add_option(o, plan_copy(key), "%s", text ? text : "");
    free(text);
}

static void describe_launch(struct options *o, const struct session *s, size_t i)
{
    const struct plan_launch *l = &s->plan->launches[i];
    add_option(o, key_of(i, "kernel", -1), "%s", s->programs[i]->name);
    add_option(o, key_of(i, "grid", -1), "%u,%u,%u", l->grid[0], l->grid[1], l->grid[2]);
    add_option(o, key_of(i, "block", -1), "%u,%u,%u", l->block[0], l->block[1], l->block[2]);
    if (l->cluster[0])
        add_option(o, key_of(i, "cluster", -1), "%u,%u,%u", l->cluster[0], l->cluster[1], l->cluster[2]);
    add_option(o, key_of(i, "shared", -1), "%u", l->shared);
    if (l->stream)
        add_option(o, key_of(i, "stream", -1), "%u", l->stream);
    for (uint32_t a = 0; a < l->arg_count; a++)
        add_argument(o, s->plan, key_of(i, "arg", (int)a), &l->args[a]);
}

static bool describe(const struct session *s, struct options *o, struct rp_error *err)
{
    const struct plan *p = s->plan;
    o->capacity =
        (uint32_t)(p->buffer_count + p->image_count + p->tensor_count + p->launch_count * (6 + PLAN_ARGUMENTS) + 6);
    o->list = calloc(o->capacity, sizeof *o->list);
    if (!o->list)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    for (size_t i = 0; i < p->buffer_count; i++) {
        char key[300];
        snprintf(key, sizeof key, "buffer.%s", p->buffers[i].name);
        add_option(o, plan_copy(key), "%s", p->buffers[i].described);
    }
    for (size_t i = 0; i < p->image_count; i++)
        describe_image(o, p, &p->images[i]);
    for (size_t i = 0; i < p->tensor_count; i++)
        add_tensor(o, p, &p->tensors[i]);
    for (size_t i = 0; i < p->launch_count; i++)
        describe_launch(o, s, i);
    if (p->clang_flags)
        add_option(o, plan_copy("clang-flags"), "%s", p->clang_flags);
    if (p->limit)
        add_option(o, plan_copy("limit"), "%" PRIu64, p->limit);
    if (p->stack)
        add_option(o, plan_copy("stack"), "%u", p->stack);
    if (p->target)
        add_option(o, plan_copy("target"), "%s", p->target);
    if (p->assemble)
        add_option(o, plan_copy("assemble"), "%s", p->assemble);
    if (p->schedule)
        add_option(o, plan_copy("schedule"), "yes");
    if (p->sums_name)
        add_option(o, plan_copy("tensor-sums"), "%s", p->sums_name);
    if (p->shared_limit)
        add_option(o, plan_copy("shared-limit"), "%u", p->shared_limit);
    return true;
}

static bool open_trace(struct session *s, struct rp_error *err)
{
    struct options o = {0};
    if (!describe(s, &o, err))
        return false;
    struct rp_provenance provenance = {
        .tool = "reprise " REPRISE_VERSION,
        .module_name = s->module->file_name,
        .module_sha256 = s->module->sha256,
        .option_count = o.count,
        .options = o.list,
    };
    if (o.failed)
        rp_fail(err, RP_SYSTEM, "out of memory for what the trace says about itself");
    cleanup_hold();
    if (!o.failed)
        s->writer = rp_writer_open(s->plan->output, &provenance, NULL, err);
    if (s->writer)
        cleanup_register(CLEANUP_TRACE, rp_writer_temporary(s->writer));
    cleanup_expect(s->plan->output);
    cleanup_release();
    for (uint32_t i = 0; i < o.count; i++) {
        free((char *)o.list[i].key);
        free((char *)o.list[i].value);
    }
    free(o.list);
    return s->writer != NULL;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* For a launch file the error is in one of its lines, not in the command line. */
static bool wrong(const struct plan *p, int line, struct rp_error *err)
{
    if (p->launch_file && (err->status == RP_USAGE || err->status == RP_BAD_INPUT))
        rp_fail(err, RP_BAD_INPUT, "%s:%d: %s", p->launch_file, line, err->text);
    return false;
}

/* Finds a kernel by its name in the module or in the source; NULL: the only kernel. */
static struct program *find_kernel(struct module *m, const char *name, struct rp_error *err)
{
    const char **names = calloc(m->program_count + 1, sizeof *names);
    if (!names) {
        rp_fail(err, RP_SYSTEM, "out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < m->program_count; i++)
        names[i] = m->programs[i].name;
    const char *chosen = choose_kernel(m->path, names, m->program_count, name, err);
    free(names);
    return chosen ? module_find(m, chosen, err) : NULL;
}

static bool prepare(struct session *s, struct rp_error *err)
{
    struct plan *p = s->plan;
    if (!(s->device = rp_device_new(err)))
        return false;
    if (p->output)
        rp_log_operations(s->device);
    rp_set_red_zone(s->device, p->checks & RP_CHECK_MEMORY ? RP_RED_ZONE : 0);
    int line = 0;
    if (!(s->module = record_load_module(p, s->device, &line, err)))
        return line && wrong(p, line, err);
    for (size_t i = 0; i < p->launch_count; i++) {
        const struct plan_launch *l = &p->launches[i];
        if (!(s->programs[i] = find_kernel(s->module, l->kernel, err)))
            return wrong(p, l->kernel_line, err);
        if (!kernel_check_arguments(s->programs[i], l, err))
            return wrong(p, l->args_line, err);
    }
    if (p->output && !output_check(p->output, INPUT_TRACE, err))
        return false;
    for (size_t i = 0; i < p->save_count; i++)
        if (!output_check(p->saves[i].path, INPUT_NPY, err))
            return false;
    for (size_t i = 0; i < p->buffer_count; i++)
        if (!buffer_fill(&p->buffers[i], s->device, err))
            return false;
    for (size_t i = 0; i < p->image_count; i++)
        if (!image_make(p, &p->images[i], s->device, s->module, err))
            return wrong(p, p->images[i].line, err);
    for (size_t i = 0; i < p->tensor_count; i++)
        if (!tensor_make(p, &p->tensors[i], err))
            return wrong(p, p->tensors[i].line, err);
    if (!finding_rules_open(&s->rules, &p->findings, p->checks, err))
        return false;
    if (p->checks && !(s->check = rp_check_new(p->checks, findings_kept(&p->findings))))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    return outputs_prepare(p, err) && (!p->output || open_trace(s, err));
}

/* With --json, standard output has the JSON alone. */
static bool open_prints(struct session *s, struct rp_error *err)
{
    const char *path = s->plan->kernel_output;
    s->prints = s->plan->json ? stderr : stdout;
    if (!path)
        return true;
    if (!output_check(path, INPUT_OTHER, err))
        return false;
    s->prints = fopen(path, "w");
    return s->prints || rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
}

/* Also after a fault: keeps what was printed before it. */
static bool close_prints(struct session *s, struct rp_error *err)
{
    FILE *to = s->plan->kernel_output ? s->prints : NULL;
    bool bad = to && ferror(to);
    s->prints = stderr;
    if (to)
        bad |= fclose(to) != 0;
    return !bad || rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", s->plan->kernel_output, strerror(errno));
}

static void show(void *data, uint64_t done, uint64_t total, uint64_t warp_instructions)
{
    progress_update(data, done, total, warp_instructions, "warp instructions");
}

/* In the trace a stream waits for a launch of another stream by an event that is recorded after the launch and has its
 * number. */
static bool record_event(struct session *s, enum rp_host_kind kind, uint32_t stream, size_t launch,
                         struct rp_error *err)
{
    struct rp_host_operation o = {.kind = (uint8_t)kind, .stream = stream, .event = (uint32_t)launch};
    return rp_report_operation(s->device, &o, err);
}

static bool wait_for_others(struct session *s, const struct plan_launch *l, struct rp_error *err)
{
    bool ok = true;
    for (size_t a = 0; a < l->after_count && ok; a++)
        ok = record_event(s, RP_HOST_WAIT_EVENT, l->stream, l->after[a], err);
    return ok;
}

static bool launch(struct session *s, size_t i, struct rp_error *err)
{
    const struct plan *p = s->plan;
    const struct plan_launch *l = &p->launches[i];
    struct rp_launch_config config = {
        .dynamic_shared = l->shared,
        .stream = l->stream,
        .threads = p->threads,
        .limit = p->limit,
        .sums = p->sums,
        .stack_bytes = p->stack,
        .shared_limit = p->shared_limit,
        .writer = s->writer,
        .check = s->check,
        .progress = show,
        .progress_data = &s->progress,
        .interrupted = interrupt_flag(),
        .output = s->prints,
    };
    memcpy(config.grid, l->grid, sizeof config.grid);
    memcpy(config.block, l->block, sizeof config.block);
    memcpy(config.cluster, l->cluster, sizeof config.cluster);
    void *params = kernel_parameters(s->programs[i], p, l, err);
    config.params = params;
    progress_begin(&s->progress, p->output ? "recording" : "running", "blocks", p->quiet);
    bool ok = params && wait_for_others(s, l, err) &&
              rp_launch_kernel(s->device, s->programs[i], &config, &s->results[i], err);
    progress_end(&s->progress);
    free(params);
    s->done = i + 1;
    if (!ok && s->results[i].fault == RP_FAULT_STACK) {
        struct rp_error fault = *err;
        rp_fail(err, fault.status, "%s; --stack BYTES gives more", fault.text);
    }
    return ok && (!l->awaited || record_event(s, RP_HOST_RECORD_EVENT, l->stream, i, err));
}

static bool launch_all(struct session *s, struct rp_error *err)
{
    struct timespec from, to;
    bool ok = true;
    interrupt_watch();
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (size_t i = 0; i < s->plan->launch_count && ok; i++)
        ok = interrupted() ? rp_fail(err, RP_KERNEL, "interrupted before launch %zu", i) : launch(s, i, err);
    clock_gettime(CLOCK_MONOTONIC, &to);
    s->seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    return ok;
}

static bool close_trace(struct session *s, struct rp_error *err)
{
    struct stat st;
    if (!s->writer)
        return true;
    bool ok = rp_writer_close(s->writer, err);
    s->writer = NULL;
    cleanup_register(CLEANUP_TRACE, NULL);
    cleanup_written(s->plan->output);
    if (ok && stat(s->plan->output, &st) == 0)
        s->file_bytes = (uint64_t)st.st_size;
    return ok;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static struct rp_launch_result total(const struct session *s)
{
    struct rp_launch_result sum = {0};
    for (size_t i = 0; i < s->done; i++) {
        sum.warp_instructions += s->results[i].warp_instructions;
        sum.thread_instructions += s->results[i].thread_instructions;
        sum.children += s->results[i].children;
    }
    return sum;
}

static uint64_t blocks(const struct plan_launch *l) { return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]; }

static double bits(const struct session *s, uint64_t warp_instructions)
{
    return warp_instructions ? 8.0 * (double)s->file_bytes / (double)warp_instructions : 0;
}

/* Prints on standard error: standard output belongs to the kernels and to --print. */
static void print_summary(const struct session *s)
{
    struct rp_launch_result sum = total(s);
    const struct plan *p = s->plan;
    uint64_t all = 0;
    char blocks_text[FIGURE], instructions[FIGURE], bytes[FIGURE], plain[PLAIN_NAME];
    bool one = true;
    for (size_t i = 0; i < s->done; i++) {
        all += blocks(&p->launches[i]);
        one = one && s->programs[i] == s->programs[0];
    }
    fflush(stdout); /* the kernels' output comes first, also where both streams go to one file */
    fprintf(stderr, "%s: %zu launch%s", p->output ? p->output : s->module->file_name, s->done,
            s->done == 1 ? "" : "es");
    if (one && s->done)
        fprintf(stderr, " of %s", plain_kernel_name(s->programs[0]->name, plain));
    if (sum.children)
        fprintf(stderr, " and %" PRIu64 " by kernels", sum.children);
    fprintf(stderr, ", %s block%s, %s warp instruction%s, ", figure(all, blocks_text), rp_plural(all),
            figure(sum.warp_instructions, instructions), rp_plural(sum.warp_instructions));
    if (p->output)
        fprintf(stderr, "%s bytes, ", figure(s->file_bytes, bytes));
    fprintf(stderr, "%.3f s\n", s->seconds);
}

/* The launch that had a fault of its own; NULL: none had. */
static const struct rp_launch_result *failed_launch(const struct session *s)
{
    const struct rp_launch_result *last = s->done ? &s->results[s->done - 1] : NULL;
    return last && last->fault != RP_FAULT_NONE && last->fault != RP_FAULT_INTERRUPTED ? last : NULL;
}

static int print_json(const struct session *s, const struct rp_error *fault, json_t *compared)
{
    struct rp_launch_result sum = total(s);
    json_t *launches = json_array();
    for (size_t i = 0; i < s->done; i++) {
        json_t *launch = json_object();
        json_put_kernel(launch, s->programs[i]->name);
        json_put(launch, "blocks", json_number(blocks(&s->plan->launches[i])));
        json_put(launch, "warp_instructions", json_number(s->results[i].warp_instructions));
        json_put(launch, "thread_instructions", json_number(s->results[i].thread_instructions));
        json_add(launches, launch);
    }
    json_t *out = json_document(s->plan->output ? "record" : "run");
    json_join(out, json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:f}", "module", json_text(s->module->file_name),
                             "module_sha256", s->module->sha256, "outcome",
                             !fault          ? "complete"
                             : interrupted() ? "interrupted"
                                             : "fault",
                             "launches", launches, "warp_instructions", json_number(sum.warp_instructions),
                             "thread_instructions", json_number(sum.thread_instructions), "seconds", s->seconds));
    if (fault)
        json_put(out, "fault", json_message(fault->text));
    if (fault && failed_launch(s))
        json_put(out, "fault_place", fault_place_json(s->programs[s->done - 1], failed_launch(s)));
    if (!fault && s->plan->print_count)
        json_put(out, "printed", outputs_print_json(s->plan, s->device));
    if (compared)
        json_put(out, "expected", compared);
    if (s->check) {
        json_put(out, "findings", findings_json(&s->found));
        json_put(out, "findings_not_shown", json_number(s->found.not_shown));
    }
    if (s->found.incomplete)
        json_put(out, "incomplete", json_text(s->found.incomplete));
    if (s->plan->output) {
        json_put(out, "trace", json_text(s->plan->output));
        json_put(out, "bytes", json_number(s->file_bytes));
        json_put(out, "bits_per_warp_instruction", json_real(bits(s, sum.warp_instructions)));
    }
    return json_finish(out);
}

/* Takes the findings out of the checks; fault NULL: no fault ended a launch. */
static void collect(struct session *s, const struct rp_error *fault)
{
    if (!s->check)
        return;
    checks_collect(&s->found, s->check);
    s->found.checks = s->plan->check_list;
    s->found.command = strdup(s->module->file_name);
    if (fault && failed_launch(s))
        checks_add_fault(&s->found, failed_launch(s), fault->text);
    findings_mark(&s->found, s->rules.suppressions, s->plan->findings.baseline ? &s->rules.baseline : NULL);
}

/* The exit status: `status`, unless there are findings. */
static int conclude(struct session *s, int status)
{
    s->found.signal = interrupted();
    s->found.status = interrupted() ? 128 + interrupted() : status;
    return s->check ? findings_conclude(&s->found, &s->plan->findings, &s->rules, status) : status;
}

/* After a complete run: writes the outputs. */
static int finish_complete(struct session *s)
{
    const struct plan *p = s->plan;
    struct rp_error err = {0};
    collect(s, NULL);
    for (size_t i = 0; i < p->image_count; i++)
        if (!image_read_back(p, &p->images[i], s->device, &err))
            return command_fail(&err);
    if (!outputs_record(p, s->device, &err) || (s->writer && !rp_write_operations(s->device, s->writer, &err)) ||
        !outputs_save(p, s->device, &err) || !close_trace(s, &err))
        return command_fail(&err);
    if (!p->json)
        outputs_print(p, s->device);
    if (!p->json && !p->quiet)
        print_summary(s);
    json_t *compared = p->json && p->expect_count ? json_array() : NULL;
    bool clean = outputs_compare(p, s->device, p->quiet, compared);
    if (s->check)
        checks_print(&s->found, findings_printed(&s->plan->findings));
    clean &= !s->found.incomplete;
    int printed = p->json ? print_json(s, NULL, compared) : RP_OK;
    return conclude(s, clean ? printed : RP_KERNEL);
}

/* After a fault or an interrupt: keeps the trace up to there, and saves no buffers. */
static int finish_fault(struct session *s, const struct rp_error *fault)
{
    struct rp_error err = {0};
    if ((s->writer && !failed_launch(s) && !rp_write_operations(s->device, s->writer, &err)) || !close_trace(s, &err))
        return command_fail(&err);
    collect(s, fault);
    if (s->check)
        checks_print(&s->found, findings_printed(&s->plan->findings));
    command_fail(fault);
    if (failed_launch(s))
        fault_print_source(s->programs[s->done - 1], failed_launch(s));
    if (s->plan->json)
        print_json(s, fault, NULL);
    return conclude(s, RP_KERNEL);
}

static int session_run(struct session *s)
{
    struct rp_error err = {0};
    if (!prepare(s, &err) || !open_prints(s, &err))
        return command_fail(&err);
    bool complete = launch_all(s, &err);
    struct rp_error unwritten;
    if (!close_prints(s, &unwritten))
        return command_fail(&unwritten);
    if (complete)
        return finish_complete(s);
    return err.status == RP_KERNEL ? finish_fault(s, &err) : command_fail(&err);
}

int plan_run(struct plan *p)
{
    struct session s = {.plan = p};
    s.programs = calloc(p->launch_count, sizeof *s.programs);
    s.results = calloc(p->launch_count, sizeof *s.results);
    int status = RP_SYSTEM;
    if (s.programs && s.results)
        status = session_run(&s);
    else
        command_fail(&(struct rp_error){RP_SYSTEM, "out of memory"});
    cleanup_register(CLEANUP_TRACE, NULL);
    rp_writer_abandon(s.writer);
    rp_device_free(s.device);
    rp_check_free(s.check);
    findings_free(&s.found);
    finding_rules_free(&s.rules);
    free(s.programs);
    free(s.results);
    if (interrupted()) {
        command_finish(status);
        interrupt_end();
    }
    return status;
}
