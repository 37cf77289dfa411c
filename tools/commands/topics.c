/* Topics of reprise help: what several commands share. */
#include <stddef.h>

#include "tools/commands/commands.h"
#include "tools/lib/help.h"
#include "tools/replaying/explanations.h"

/* ---- checks ------------------------------------------------------------------------------------------------------ */

const struct help_row check_rows[] = {
    {"memory", "accesses out of bounds or misaligned; the run goes on to find more"},
    {"init", "an access reads bytes that nobody has written"},
    {"race", "two accesses to the same bytes, at least one a store, that nothing orders"},
    {"race=strict",
     "the same, but volatile accesses order nothing, and locks and flags only with fences of enough scope"},
    {"sync", "barriers, shuffles and barrier objects that are used in a way that CUDA leaves undefined"},
    {"api", "of programs: calls of the CUDA runtime or driver that fail"},
    {"leak", "of programs: device memory that is not freed at the end"},
    {"all", "all of them"},
    {NULL, NULL},
};
static const struct topic_part check_parts[] = {
    {.text = "'reprise run' and 'reprise record' check every access for bounds and alignment, and end the launch at "
             "the first "
             "bad one. --check looks for more, and the run goes on:"},
    {.heading = "Kinds", .rows = check_rows},
    {.heading = "How to use them",
     .text =
         "  reprise run --check all -- ./app\n"
         "  reprise run --check all --findings f.sarif --suppressions known.txt -- ./app\n"
         "  reprise run --check race,init --module k.ptx -g 4 -b 64 --arg buf=zeros:1K\n"
         "A finding is a place in the code, or a pair of places, with the first block and thread that were seen "
         "there. With any, "
         "the exit status is 3 (--error-exitcode). If nothing was checked, because the program does not use CUDA or "
         "--kernels and --launches choose no launch, or not all, because code could not be loaded, that is said, and "
         "the exit status is 2 in the place of 0. "
         "--findings writes them as JSON, SARIF or JUnit; --suppressions "
         "and --baseline "
         "say what is known. docs/checks.md says what orders two accesses, and what is not looked at; "
         "docs/findings.md describes "
         "the reports."},
    {0},
};
static const struct topic checks = {"checks", "what --check looks for", 7, check_parts};

/* ---- statistics -------------------------------------------------------------------------------------------------- */

struct visit {
    void (*row)(void *, const char *, const char *);
    void *data;
};

static void statistic_row(void *data, const char *name, const char *unit, const char *definition)
{
    const struct visit *v = data;
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s", definition, *unit ? " (" : "", unit, *unit ? ")" : "");
    v->row(v->data, name, text);
}

static void each_statistic(void (*row)(void *, const char *, const char *), void *data)
{
    explanations_each(statistic_row, &(struct visit){row, data});
}

static const struct topic_part statistic_parts[] = {
    {.text = "What a replay counts. All are sums over a launch, so those of launches add up. 'reprise replay --json' "
             "has them all; "
             "'reprise replay --explain' prints this list as a table.\n"
             "Every sub-core cycle is one of: issue, a stall, or idle. A stall is charged to the condition that was "
             "met last."},
    {.heading = "Statistics", .each = each_statistic},
    {0},
};
static const struct topic statistics = {"statistics", "what replays count, and in which unit", 7, statistic_parts};

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static const struct topic_part machine_parts[] = {
    {.text = "A machine is a file in libconfig's syntax: a GPU's options, a model for each part, and latencies. "
             "'reprise machine list' "
             "lists those that have a name, 'reprise machine show NAME' prints one with every option, 'reprise machine "
             "options' "
             "explains all options, and 'reprise machine diff A B' shows where two differ."},
    {.heading = "Where they are found",
     .text = "A name with a slash, or that ends in .cfg, is a file. Other names are looked for in the folder "
             "REPRISE_MACHINES, then "
             "among those that came with the program."},
    {.heading = "Copies",
     .text =
         "What the host copies takes time where a machine says so: copy.bandwidth and copy.latency between host and "
         "device, link.bandwidth and link.latency between devices, for traces of 'reprise record --devices N'. "
         "docs/timing-model.md has figures of PCIe and NVLink."},
    {.heading = "A machine of your own",
     .text = "Give what differs from another one; base is its name, or a path that counts from the file's folder:\n"
             "  base = \"jetson-tx2\";\n"
             "  sms = 4;\n"
             "  l1 = \"none\";\n"
             "Or start from all options: reprise machine show jetson-tx2 > mine.cfg\n"
             "For one replay --set changes options: --set scheduler=lrr --set l1.size=32K. docs/machines.md describes "
             "the models."},
    {0},
};
static const struct topic machines = {"machines", "models of GPUs, and how to write one", 5, machine_parts};

/* ---- traces ------------------------------------------------------------------------------------------------------ */

static const struct topic_part trace_parts[] = {
    {.text = "A trace says what the warps of kernels did and where, never when: instructions, active masks, addresses. "
             "It is one "
             "file of protobuf messages in zstd frames, with checksums and an index. It does not depend on the number "
             "of threads "
             "that recorded it."},
    {.heading = "Making and reading them",
     .text = "  reprise record -o mm.wtr --module mm.ptx ...       a kernel alone\n"
             "  reprise record -o app.wtr -- ./app                 what a program launches\n"
             "  reprise info mm.wtr                                what is in it\n"
             "  reprise dump mm.wtr --block 0 --warp 0             what a warp did\n"
             "  reprise verify mm.wtr                              whether it is whole\n"
             "  reprise import accelsim, reprise export accelsim   traces of Accel-Sim"},
    {.heading = "Traces that are not whole",
     .text = "A recording that is interrupted, or whose program is killed, leaves a trace up to there. "
             "Commands use what is there, warn, and end with status 5. Where a frame within is damaged, commands that "
             "need it stop and name it, with status 2."},
    {.heading = "Versions",
     .text = "Every version reads the traces of older ones. A trace that needs what an older version does not know is "
             "refused by it, "
             "with the name of the feature. docs/trace-format.md describes the bytes."},
    {0},
};
static const struct topic traces = {"traces", "what a trace holds, and what reads it", 5, trace_parts};

/* ---- exit statuses ----------------------------------------------------------------------------------------------- */

static const struct topic_part status_parts[] = {
    {.text = "Of all commands:"},
    {.heading = "Exit statuses", .rows = help_statuses},
    {.text = "With 1, and with 2 for bad input, no output file is left behind, and one line on standard error says "
             "what is wrong and what "
             "to do. "
             "'reprise run -- PROGRAM' and 'reprise record -- PROGRAM' end with the status of the program, or "
             "with that of --error-exitcode (3) if --check has found something, and with 2 in the place of 0 if "
             "nothing was "
             "checked. A signal that ends the program, or a kernel of --module, ends reprise, too.",
     .heading = "More"},
    {0},
};
static const struct topic statuses = {"statuses", "exit statuses", 7, status_parts};

const struct topic *const topics[] = {&checks, &statistics, &machines, &traces, &statuses, NULL};
