/* Translates GPGPU-Sim's options into the text of a machine file. */
#include "tools/gpgpusim/machine.h"
#include "replay/engines/staged/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/set/models.h"
#include "replay/base/machine.h"
#include "replay/session/machine_open.h"
#include "tools/gpgpusim/making.h"

/* ---- the SM ------------------------------------------------------------------------------------------------------ */

/* The widths of the stages: one entry for each sub-core; the last width is the number of result buses. */
static void widths(struct making *m)
{
    enum { WRITE_BACK = 10, MOST_WIDTHS = 16 };
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_pipeline_widths");
    int64_t list[MOST_WIDTHS] = {0};
    size_t count = o ? making_numbers(m, o, ",", list, MOST_WIDTHS) : 0;
    if (o && count <= WRITE_BACK)
        making_fail(m, o, "these are not the widths of 11 stages or more");
    bool same = true;
    for (size_t i = 0; i < count; i++)
        same &= i == WRITE_BACK || list[i] == m->subcores;
    if (!same)
        making_unsupported(m, o, "not modelled: stages are as wide as there are sub-cores here");
    making_option(m, o, PART_PIPELINE, STAGED_RESULT_BUSES, o ? list[WRITE_BACK] : 1);
}

/* Enables all defects: the machine reproduces the cycles of Accel-Sim. */
static void defects(struct making *m)
{
#define X(id, name, help) making_line(m, NULL, "        %s = true;", strchr(name, '.') + 1);
    making_line(m, NULL, "%s", "    defects: {");
    STAGED_DEFECTS(X)
    making_line(m, NULL, "%s", "    };");
#undef X
}

static void pipeline(struct making *m)
{
    making_begin_part(m, "pipeline");
    making_plain_options(m, PART_PIPELINE);
    widths(m);
    making_option(m, NULL, PART_PIPELINE, STAGED_COPY_BITS, 32); /* GPGPU-Sim truncates addresses to 32 bits */
    defects(m);
    making_line(m, NULL, "};");
}

/* ---- the chip ------------------------------------------------------------------------------------------------------
 */

/* "two_level_active:6:0:1": the first number is that of active warps. "warp_limiting:2:8" (SWL): the second number is
 * that of warps that may issue, greedy then oldest. */
static void scheduler(struct making *m)
{
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_scheduler");
    int64_t active = 6, limit;
    int length = 0;
    const char *end;
    if (!strcmp(o->value, "lrr"))
        making_line(m, o, "scheduler = \"lrr\";");
    else if (!strcmp(o->value, "gto"))
        making_line(m, o, "scheduler: { model = \"gto\"; stays_with = \"slot\"; };");
    else if (!strcmp(o->value, "old"))
        making_line(m, o, "scheduler = \"oldest\";");
    else if (!strncmp(o->value, "two_level_active:", 17) && making_whole(o->value + 17, &end, &active) && *end == ':')
        making_line(m, o, "scheduler: { model = \"two-level-active\"; active = %" PRId64 "; };", active);
    else if (sscanf(o->value, "warp_limiting:%*d:%" SCNd64 "%n", &limit, &length) == 1 && !o->value[length] &&
             limit > 0 && limit <= 64)
        making_line(m, o, "scheduler: { model = \"limited\"; warps = %" PRId64 "; };", limit);
    else {
        making_unsupported(m, o, "not modelled: lrr is taken");
        making_line(m, o, "scheduler = \"lrr\";");
    }
}

static void chip(struct making *m)
{
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_n_clusters"),
                                 *cores = making_find(m, "-gpgpu_n_cores_per_cluster");
    int64_t per_cluster = making_number(m, "-gpgpu_n_cores_per_cluster", 3), clock[4] = {1, 1, 1, 1};
    making_line(m, o, "sms = %" PRId64 ";", making_number(m, "-gpgpu_n_clusters", 10) * per_cluster);
    if (per_cluster != 1 && cores)
        making_unsupported(m, cores, "not modelled: each SM has a port of its own here");
    making_line(m, making_find(m, "-gpgpu_num_sched_per_core"), "subcores = %" PRId64 ";", m->subcores);
    making_clocks(m, clock);
    making_clock(m, "", clock[0], "");
    if (clock[1] != clock[0])
        making_clock(m, "interconnect: { model = \"crossbar\"; ", clock[1], " };");
    else
        making_line(m, NULL, "interconnect = \"crossbar\";");
    making_line(m, making_find(m, "-gpgpu_flush_l2_cache"), "flush_caches = %s;",
                making_number(m, "-gpgpu_flush_l2_cache", 0) ? "true" : "false");
    making_line(m, making_find(m, "-gpgpu_perf_sim_memcpy"), "warm_l2 = %s;",
                making_number(m, "-gpgpu_perf_sim_memcpy", 1) ? "true" : "false");
}

static void limits(struct making *m)
{
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_shader_core_pipeline");
    int64_t list[2] = {0, 32};
    if (making_numbers(m, o, ":", list, 2) != 2 || list[1] != 32)
        making_fail(m, o, "this is not THREADS:32");
    making_line(m, NULL, "limits: {");
    if (making_find(m, "-gpgpu_max_concurrent_kernel"))
        making_line(m, making_find(m, "-gpgpu_max_concurrent_kernel"), "    grids = %" PRId64 ";",
                    making_number(m, "-gpgpu_max_concurrent_kernel", 128));
    making_line(m, o, "    threads = %" PRId64 ";", list[0]);
    making_line(m, o, "    warps = %" PRId64 ";", list[0] / 32);
    making_line(m, making_find(m, "-gpgpu_shader_cta"), "    blocks = %" PRId64 ";",
                making_number(m, "-gpgpu_shader_cta", 8));
    making_line(m, making_find(m, "-gpgpu_shader_registers"), "    registers = %" PRId64 ";",
                making_number(m, "-gpgpu_shader_registers", 8192));
    making_line(m, NULL, "    register_granularity = 128;         # registers of a thread in fours");
    making_line(m, making_find(m, "-gpgpu_shmem_size"), "    shared = %" PRId64 ";",
                making_number(m, "-gpgpu_shmem_size", 16384));
    making_line(m, NULL, "    shared_granularity = 1;             # no rounding");
    making_line(m, NULL, "};");
}

/* ---- other options --------------------------------------------------------------------------------------------------
 */

/* Whether the value is one that the staged pipeline always has. "N": the number of sub-cores; "A|B": either. */
static bool is_expected(const struct making *m, const char *value, const char *wanted)
{
    char own[24];
    snprintf(own, sizeof own, "%" PRId64, m->subcores);
    if (!strcmp(wanted, "N"))
        return !strcmp(value, own);
    for (size_t n = strlen(value); *wanted; wanted += strcspn(wanted, "|"), wanted += *wanted == '|')
        if (strcspn(wanted, "|") == n && !strncmp(wanted, value, n))
            return true;
    return false;
}

static void check_expected(struct making *m)
{
    for (size_t i = 0; i < gpgpusim_expected_count; i++) {
        const struct gpgpusim_expected *e = &gpgpusim_expected[i];
        const struct gpgpusim_option *o = making_find(m, e->name);
        if (o && !is_expected(m, o->value, e->value))
            making_unsupported(m, o, "not modelled: %s", e->here);
    }
}

/* Whether the table has the option; "NAME*" matches all names that begin with NAME. */
static bool has_no_effect(const char *name)
{
    for (size_t i = 0; i < gpgpusim_without_effect_count; i++) {
        const char *known = gpgpusim_without_effect[i];
        size_t n = strcspn(known, "*");
        if (!strncmp(name, known, n) && (known[n] || !name[n]))
            return true;
    }
    return false;
}

static void say_unknown(struct making *m)
{
    for (size_t i = 0; i < m->options.count; i++) {
        const struct gpgpusim_option *o = &m->options.list[i];
        if (o->used || has_no_effect(o->name))
            continue;
        gpgpusim_option_find(&m->options, o->name); /* marks it as used, so that it is reported once */
        m->job->unknown++;
        if (m->job->warnings)
            fprintf(m->job->warnings, "reprise import: warning: %s:%u: option %.60s is not known, and left out\n",
                    o->file, o->line, o->name);
    }
}

static bool has_required(struct making *m)
{
    for (size_t i = 0; i < gpgpusim_required_count && !m->failed; i++)
        if (!making_find(m, gpgpusim_required[i])) {
            m->failed = true;
            rp_fail(m->err, RP_BAD_INPUT, "%s: option %s is not there; is this a whole gpgpusim.config?",
                    m->job->files[0], gpgpusim_required[i]);
        }
    return !m->failed;
}

/* ---- the machine file
 * -----------------------------------------------------------------------------------------------------
 */

static void heading(struct making *m, bool traces)
{
    making_line(m, NULL, "# A configuration of GPGPU-Sim as a machine with a staged pipeline (docs/accelsim.md).");
    making_line(m, NULL, "# Each value has its file, line and option behind it. Latencies are those %s.",
                traces ? "of trace mode" : "for PTX: there were none of trace mode");
    making_line(m, NULL, "%s", "");
}

static void make(struct making *m)
{
    bool traces = making_find(m, "-trace_opcode_latency_initiation_int");
    m->subcores = making_number(m, "-gpgpu_num_sched_per_core", 1);
    heading(m, traces);
    chip(m);
    limits(m);
    pipeline(m);
    making_instruction_cache(m);
    making_first_level(m);
    making_second_level(m);
    making_device_memory(m);
    scheduler(m);
    for (size_t i = 0; i < gpgpusim_parts_count; i++)
        making_line(m, NULL, "%s", gpgpusim_parts[i]);
    making_units(m);
    making_timings(m, "classes", gpgpusim_classes, gpgpusim_class_count, traces);
    making_timings(m, "spaces", gpgpusim_spaces, gpgpusim_space_count, traces);
}

/* Checks that the machine file can be read. An error names the option that its line comes from. */
static bool check(struct making *m, const char *text, size_t size)
{
    struct rp_error err;
    struct machine *machine = machine_parse(&(struct machine_request){.name = m->job->output}, text, size, &err);
    if (machine) {
        machine_free(machine);
        return true;
    }
    size_t n = strlen(m->job->output);
    unsigned at = 0;
    int skipped = 0;
    bool placed = !strncmp(err.text, m->job->output, n) && sscanf(err.text + n, ":%u: %n", &at, &skipped) == 1 &&
                  skipped && at < MAKING_MOST_LINES && m->sources[at];
    if (placed)
        gpgpusim_option_fail(m->sources[at], m->err, "%s", err.text + n + skipped);
    else
        rp_fail(m->err, err.status, "%s: the machine that it describes is none: %s", m->job->files[0],
                err.text + (strncmp(err.text, m->job->output, n) ? 0 : n + strspn(err.text + n, ": ")));
    return false;
}

char *gpgpusim_machine(struct gpgpusim_import *job, struct rp_error *err)
{
    struct making m = {.job = job, .line = 1, .err = err};
    char *text = NULL;
    size_t size = 0;
    for (size_t i = 0; i < job->file_count && !m.failed; i++)
        m.failed = !gpgpusim_options_read(&m.options, job->files[i], err);
    bool fine = !m.failed && has_required(&m);
    if (fine && !(m.to = open_memstream(&text, &size)))
        fine = rp_fail(err, RP_SYSTEM, "out of memory for %s", job->output);
    if (fine) {
        make(&m);
        check_expected(&m);
        bool written = !ferror(m.to);
        fine = !fclose(m.to) && written ? !m.failed : rp_fail(err, RP_SYSTEM, "out of memory for %s", job->output);
        if (fine)
            say_unknown(&m);
        fine = fine && check(&m, text, size);
    }
    gpgpusim_options_free(&m.options);
    if (fine)
        return text;
    free(text);
    return NULL;
}
