/* reprise verify: reads whole traces and says whether they are valid, and whether the control bits of their machine
 * code hold instructions back long enough. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/loader/isa.h"
#include "tools/hazards/hazards.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/lib/json.h"
#include "tools/replaying/options.h"
#include "tools/ui/figure.h"
#include "tools/ui/progress.h"
#include "tracefmt/plural.h"
#include "tracefmt/reader.h"

struct arguments {
    char **files;
    size_t count;
    bool quiet, control;
    struct machine_args machine;
    json_t *json; /* the list of results; NULL: text */
};

enum { KEY_CONTROL = 600 };
static const struct option_row rows[] = {
    {"control", KEY_CONTROL, NULL,
     "Also check the control bits of machine code: say where an instruction reads or overwrites a register before an "
     "earlier one is done with it, by the latencies of a machine"},
    ROWS_MACHINE("With --control: the machine; without, the first one of the code's compute capability", ""),
    ROW_JSON(""),
    ROW_QUIET("Print nothing for a trace that is whole"),
    {0},
};

static void verify_option(struct command_line *line, int key, char *arg)
{
    struct arguments *a = line->input;
    if (key == 'j' && !a->json)
        a->json = json_array();
    a->control |= key == KEY_CONTROL;
    shared_option(line, key, arg, &(struct shared_values){.quiet = &a->quiet, .machine = &a->machine});
    if (key == KEY_END && !line->argument_count)
        command_usage(line, "which trace? Example: reprise verify mm.wtr");
    if (key == KEY_END && (a->machine.machine || a->machine.count) && !a->control)
        command_usage(line, "--machine and --set go with --control");
}

static void show(void *progress, uint64_t done, uint64_t total) { progress_update(progress, done, total, 0, NULL); }

static uint64_t all_blocks(const struct rp_trace *t)
{
    uint64_t blocks = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++)
        blocks += rp_trace_launch_totals(t, l).blocks;
    return blocks;
}

/* How many launches were not recorded to their end: a fault ended them, or the recording stopped. */
static uint32_t ended_early(const struct rp_trace *t)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++) {
        const struct rp_launch_end *end = rp_trace_launch_end(t, l);
        count += !end || end->outcome == RP_OUTCOME_FAULT;
    }
    return count;
}

static void say_whole(const struct arguments *a, const char *path, const struct rp_trace *t)
{
    if (a->quiet && !(a->json && a->control)) /* what --control finds is added to it */
        return;
    uint32_t kernels = rp_trace_kernel_count(t), launches = rp_trace_launch_count(t), early = ended_early(t);
    uint64_t blocks = all_blocks(t), bytes = rp_trace_file_bytes(t);
    char text[4][FIGURE];
    if (a->json)
        json_add(a->json,
                 json_pack("{s:{s:o}, s:b, s:o, s:o, s:o, s:o, s:o}", "trace", "file", json_text(path), "whole", 1,
                           "kernels", json_number(kernels), "launches", json_number(launches), "blocks",
                           json_number(blocks), "bytes", json_number(bytes), "ended_early", json_number(early)));
    else
        printf("%s: whole: %s kernel%s, %s launch%s, %s block%s, %s bytes", path, figure(kernels, text[0]),
               rp_plural(kernels), figure(launches, text[1]), launches == 1 ? "" : "es", figure(blocks, text[2]),
               rp_plural(blocks), figure(bytes, text[3]));
    if (!a->json && early)
        printf("; %s launch%s ended early: 'reprise info' says why", figure(early, text[0]), early == 1 ? "" : "es");
    if (!a->json)
        putchar('\n');
}

/* The compute capability of the trace's machine code; 0: it has none. */
static int64_t capability_of(const struct rp_trace *t)
{
    for (uint32_t k = 0; k < rp_trace_kernel_count(t); k++) {
        const struct rp_kernel *kernel = rp_trace_kernel(t, k);
        if (has_control_words(kernel) && !strncmp(kernel->isa, "sm_", 3))
            return strtol(kernel->isa + 3, NULL, 10);
    }
    return 0;
}

static bool has_capability(const char *machine, const char *capability)
{
    struct rp_error ignored;
    struct machine_args args = {.machine = machine};
    struct machine *m = machine_args_open(&args, NULL, 0, &ignored);
    bool has = m && !strcmp(machine_capabilities[m->device_capability], capability);
    machine_free(m);
    return has;
}

/* The first machine of this compute capability, with the settings. NULL: there is none, or it does not take them. */
static struct machine *machine_of(int64_t capability, const struct machine_args *settings, struct rp_error *err)
{
    char **names, text[8];
    struct machine_args args = *settings;
    size_t count = machine_list(&names);
    snprintf(text, sizeof text, "%" PRId64, capability);
    for (size_t i = 0; i < count && !args.machine; i++)
        if (has_capability(names[i], text))
            args.machine = names[i];
    struct machine *m = args.machine ? machine_args_open(&args, NULL, 0, err) : NULL;
    if (!args.machine)
        rp_fail(err, RP_BAD_INPUT, "there is no machine of compute capability %s: name one with --machine", text);
    free(names);
    return m;
}

/* Says where no GPU like the machine runs the code: there may be many hazards then, and that there are none says
 * little.
 */
static void say_generation(int64_t code, const struct machine *m)
{
    unsigned machine = (unsigned)strtoul(machine_capabilities[m->device_capability], NULL, 10); /* "unknown" is 0 */
    if (machine && code && !isa_sm_runs(machine, (unsigned)code))
        printf("  the code is for sm_%" PRId64
               ", and %s is of compute capability %u.%u, which does not run it: its stall "
               "counts are for another GPU's latencies\n",
               code, m->name, machine / 10, machine % 10);
}

/* Looks for hazards. *found: there are some. */
static bool check_control(const struct arguments *a, const char *path, struct rp_trace *t, bool *found,
                          struct rp_error *err)
{
    int64_t capability = capability_of(t);
    struct hazards h = {0};
    if (!capability && !a->machine.machine)
        return rp_fail(err, RP_BAD_INPUT,
                       "%s: its code has no control bits (PTX has none): --control is for machine code", path);
    struct machine *m =
        a->machine.machine ? machine_args_open(&a->machine, NULL, 0, err) : machine_of(capability, &a->machine, err);
    bool fine = m;
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(t); l++)
        fine = hazards_find(t, l, m, &h, err);
    *found = h.count;
    if (fine && a->json)
        json_join(json_array_get(a->json, json_array_size(a->json) - 1),
                  json_pack("{s:o, s:o}", "machine", json_text(m->name), "hazards", hazards_json(t, &h)));
    else if (fine && (!a->quiet || h.count)) {
        say_generation(capability, m);
        hazards_print(t, m, &h);
    }
    hazards_free(&h);
    machine_free(m);
    return fine;
}

/* *found: there are hazards. */
static bool verify(const struct arguments *a, const char *path, bool *found, struct rp_error *err)
{
    struct progress p;
    struct rp_trace *t = input_check(path, INPUT_TRACE, err) ? rp_trace_open(path, err) : NULL;
    if (!t)
        return false;
    progress_begin(&p, "verifying", "bytes", a->quiet);
    bool ok = rp_trace_verify(t, show, &p, err);
    progress_end(&p);
    if (ok)
        say_whole(a, path, t);
    ok = ok && (!a->control || check_control(a, path, t, found, err));
    rp_trace_close(t);
    return ok;
}

static int verify_all(const struct arguments *a)
{
    int status = RP_OK;
    for (size_t i = 0; i < a->count; i++) {
        struct rp_error err = {0};
        bool hazards = false;
        if (verify(a, a->files[i], &hazards, &err)) {
            status = hazards && status < RP_KERNEL ? RP_KERNEL : status;
            continue;
        }
        if (a->json)
            json_add(a->json, json_pack("{s:{s:o}, s:b, s:o}", "trace", "file", json_text(a->files[i]), "whole", 0,
                                        "error", json_text(err.text)));
        int failed = command_fail(&err);
        status = failed > status ? failed : status;
    }
    return status;
}

static int print_json(const struct arguments *a)
{
    json_t *json = json_document("verify");
    json_put(json, "traces", a->json);
    return json_finish(json);
}

static int verify_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct arguments a = {0};
    command_parse(&line, c, argc, argv, &a);
    a.files = line.arguments;
    a.count = line.argument_count;
    int status = verify_all(&a), printed = a.json ? print_json(&a) : RP_OK;
    return status ? status : printed;
}

static const struct command_example examples[] = {
    {"Is the trace whole?", "reprise verify mm.wtr"},
    {"Several traces, for programs", "reprise verify --json mm.wtr chain.wtr"},
    {"Do its stall counts and barriers hold on an RTX 3070?", "reprise verify --control mm.wtr --machine rtx3070"},
    {NULL, NULL},
};
const struct command command_verify = {
    .name = "verify",
    .summary = "check a trace: every checksum, every column, index against content",
    .usage = "TRACE...",
    .about =
        "Checks every checksum, every column against its neighbours, and the index against the content.\n"
        "In JSON each of traces has trace, its name, and whole: true with kernels, launches, blocks, bytes and "
        "ended_early, the number of launches that were not recorded to their end, or false with error.\n"
        "--control follows each warp of machine code as if its control bits alone held it back, and adds machine and "
        "hazards in JSON: kind, instruction and its pc, file and line, register, the earlier instruction, the cycles "
        "of "
        "stall counts that are missing (0: a barrier is), and how often. It sees the paths that the trace has.",
    .options = rows,
    .examples = examples,
    .status =
        "Exit status: 0 if all are whole, 2 if one is damaged: the message names frame and offset of the first "
        "damage; 3 if --control found something. With several traces each is read, and the highest status counts.",
    .option = verify_option,
    .run = verify_run,
};
