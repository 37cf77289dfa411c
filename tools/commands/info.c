/* reprise info: what is in a trace. */
#include <inttypes.h>
#include <stdio.h>

#include "tools/info/info.h"
#include "tools/info/san.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/live/live.h"
#include "tools/replaying/options.h"
#include "tools/replaying/shares.h"
#include "tracefmt/reader.h"

struct info {
    const char *file; /* the one that is printed */
    struct trace_output out;
    bool json, csv, no_mix, registers, san;
    int64_t launch; /* -1: all */
    struct machine_args machine;
    struct rp_trace *trace;
};

enum { KEY_NO_MIX = 256, KEY_REGISTERS, KEY_SAN };

static const struct option_row rows[] = {
    ROW_JSON(""),
    ROW_CSV("a row per launch", "; mix.CLASS are the warp instructions of a class"),
    {"no-mix", KEY_NO_MIX, NULL, "Leave out the mix by class, for which the whole trace must be decoded"},
    {"registers", KEY_REGISTERS, NULL,
     "Print live registers instead: at each instruction, and along the paths of the warps. With --machine also over "
     "time"},
    {"san", KEY_SAN, NULL,
     "Print what each warp did instead, as ids of Table 1 of the SAN model, and the registers that change"},
    ROWS_MACHINE("With --registers: the machine to replay on; --csv then has a row for each change", ""),
    ROW_LAUNCH("With --registers or --san: print"),
    {0},
};

static void info_option(struct command_line *line, int key, char *arg)
{
    struct info *a = line->input;
    const struct shared_values shared = {
        .machine = &a->machine, .launch = &a->launch, .json = &a->json, .csv = &a->csv};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_NO_MIX: a->no_mix = true; break;
    case KEY_REGISTERS: a->registers = true; break;
    case KEY_SAN: a->san = true; break;
    case KEY_END:
        if (!line->argument_count)
            command_usage(line, "which trace? Example: reprise info mm.wtr");
        if (line->argument_count > 1 && (a->registers || a->san))
            command_usage(line, "%s goes with one trace: '%s' is one too many", a->registers ? "--registers" : "--san",
                          line->arguments[1]);
        if (a->registers && a->san)
            command_usage(line, "--registers and --san do not go together: ask for one at a time");
        if (a->machine.machine && !a->registers)
            command_usage(line, "--machine goes with --registers");
        if (a->machine.count && !a->machine.machine)
            command_usage(line, "--set changes a machine: name it with --machine");
        if (a->launch >= 0 && !a->registers && !a->san)
            command_usage(line, "--launch goes with --registers or --san");
        if (a->san && a->csv)
            command_usage(line, "--san prints text or, with --json, JSON");
    }
}

static bool check_launch(const struct info *a, struct rp_error *err)
{
    uint32_t count = rp_trace_launch_count(a->trace);
    return a->launch < (int64_t)count ||
           rp_fail(err, RP_USAGE, "--launch %" PRId64 ": the trace has %" PRIu32 " launch%s", a->launch, count,
                   count == 1 ? "" : "es");
}

static int print_registers(const struct info *a)
{
    struct rp_error err;
    struct live_request r = {.file = a->file, .trace = a->trace, .launch = a->launch};
    if (!check_launch(a, &err))
        return command_fail(&err);
    struct shares shares;
    struct machine *m =
        a->machine.machine ? shares_machine_open(&a->machine, NULL, 0, a->trace, a->launch, 1, &shares, &err) : NULL;
    if (a->machine.machine && !m)
        return command_fail(&err);
    r.machine = m;
    int status = a->json ? live_print_json(&r) : a->csv ? live_print_csv(&r) : live_print(&r);
    machine_free(m);
    return status;
}

static int print_san(const struct info *a)
{
    struct rp_error err;
    struct san_request r = {.file = a->file, .trace = a->trace, .launch = a->launch};
    if (!check_launch(a, &err))
        return command_fail(&err);
    return a->json ? san_print_json(&r) : san_print(&r);
}

static int print_contents(struct info *a)
{
    const struct info_request r = {a->file, a->trace, !a->no_mix};
    return a->json ? info_print_json(&r, &a->out.json) : a->csv ? info_print_csv(&r, !a->out.follows) : info_print(&r);
}

static int one_trace(void *data, const char *path)
{
    struct info *a = data;
    struct rp_error err = {0};
    a->file = path;
    if (!input_check(path, INPUT_TRACE, &err) || !(a->trace = rp_trace_open(path, &err)))
        return command_fail(&err);
    if (rp_trace_damage(a->trace))
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(a->trace));
    int status = a->registers ? print_registers(a) : a->san ? print_san(a) : print_contents(a);
    if (status == RP_OK && rp_trace_damage(a->trace))
        status = RP_PARTIAL;
    rp_trace_close(a->trace);
    return status;
}

static int info_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct info a = {.launch = -1};
    command_parse(&line, c, argc, argv, &a);
    a.out = (struct trace_output){.json.name = a.json && !a.registers && !a.san ? "info" : NULL, .csv = a.csv};
    return each_trace(line.arguments, line.argument_count, &a.out, one_trace, &a);
}

static const struct command_example examples[] = {
    {"Kernels, launches, sizes and mix", "reprise info mm.wtr"},
    {"The same for programs", "reprise info --json mm.wtr"},
    {"A row for each launch of several traces", "reprise info *.wtr --csv"},
    {"Live registers of each instruction, their peak, and their mean over what the warps did",
     "reprise info mm.wtr --registers"},
    {"How many are alive on each SM over time", "reprise info mm.wtr --registers --machine rtx2080 --csv"},
    {"What to initialise a SAN tool's models with", "reprise info mm.wtr --san --json"},
    {NULL, NULL},
};
const struct command command_info = {
    .name = "info",
    .summary = "say what is in a trace: kernels, launches, counts, mix, provenance",
    .usage = "TRACE...",
    .about = "Prints what is in a trace, or in several: modules, kernels, launches and their streams, what the host "
             "did, counts, "
             "size, the mix of instructions by class, and what made "
             "it.\nA trace that was cut short is described as far as it is whole, with a warning and status 5. Of one "
             "that is damaged "
             "within, what is read before is printed, and the message names the frame: status 2.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: it was "
              "described as far as it goes.",
    .option = info_option,
    .run = info_run,
};
