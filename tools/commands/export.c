/* reprise export: traces for other tools. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/accelsim/import.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/replaying/options.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"

struct arguments {
    const char *folder;
    bool quiet;
};

static const struct option_row rows[] = {
    ROW_OUTPUT("FOLDER", "The folder to write to; it is made if it is not there"),
    ROW_QUIET(NO_SUMMARY),
    {0},
};

static void export_option(struct command_line *line, int key, char *arg)
{
    struct arguments *a = line->input;
    shared_option(line, key, arg, &(struct shared_values){.output = &a->folder, .quiet = &a->quiet});
    if (key != KEY_END)
        return;
    if (!line->argument_count)
        command_usage(line, "which form, and which trace? Example: reprise export accelsim mm.wtr -o traces");
    if (strcmp(line->arguments[0], "accelsim"))
        command_usage(line, "'%.60s' is no form that can be exported; known is accelsim", line->arguments[0]);
    if (line->argument_count < 2)
        command_usage(line, "which trace? Example: reprise export accelsim mm.wtr -o traces");
    if (line->argument_count > 2)
        command_usage(line, "one trace at a time; '%.60s' is too much", line->arguments[2]);
    if (!a->folder || !*a->folder)
        command_usage(line, "a folder is needed: -o FOLDER");
}

static void say(const struct accelsim_export *job)
{
    char blocks[FIGURE], instructions[FIGURE];
    if (job->left_out)
        fprintf(stderr,
                "reprise export: warning: %" PRIu64
                " executions access several places; Accel-Sim has room for the first only\n",
                job->left_out);
    if (job->barriers)
        fprintf(stderr,
                "reprise export: warning: %" PRIu64
                " executions of barriers that are not the whole block's barrier 0, which is all that Accel-Sim knows\n",
                job->barriers);
    if (job->clusters)
        fprintf(stderr,
                "reprise export: warning: %" PRIu64
                " launch%s in clusters, which Accel-Sim does not know: their blocks "
                "are written as blocks alone, which wait for no others\n",
                job->clusters, job->clusters == 1 ? " is" : "es are");
    if (job->partial)
        fprintf(stderr, "reprise export: warning: %s: %" PRIu64 " launch%s not whole; what is there was written\n",
                job->trace, job->partial, job->partial == 1 ? " is" : "es are");
    if (!job->quiet)
        fprintf(stderr, "%s: kernelslist.g with %" PRIu64 " launch%s, %s block%s, %s warp instruction%s\n", job->folder,
                job->launches, job->launches == 1 ? "" : "es", figure(job->blocks, blocks), rp_plural(job->blocks),
                figure(job->warp_instructions, instructions), rp_plural(job->warp_instructions));
}

static int export_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct arguments a = {0};
    struct rp_error err = {0};
    command_parse(&line, c, argc, argv, &a);
    struct accelsim_export job = {.trace = line.arguments[1], .folder = a.folder, .quiet = a.quiet};
    if (!input_check(job.trace, INPUT_TRACE, &err) || !accelsim_export(&job, &err))
        return command_fail(&err);
    say(&job);
    return job.partial ? RP_PARTIAL : RP_OK;
}

static const struct command_example examples[] = {
    {"For Accel-Sim: traces/kernelslist.g and a file for each launch", "reprise export accelsim mm.wtr -o traces"},
    {NULL, NULL},
};
const struct command command_export = {
    .name = "export",
    .summary = "write a trace as another tool reads it",
    .usage = "accelsim TRACE -o FOLDER",
    .about =
        "accelsim: kernelslist.g and kernel-N.traceg, text of tracer version 3 (5 with line numbers). Copies to and "
        "from "
        "the device stand between the kernels. A trace that came from Accel-Sim is written as it was.\n"
        "For others, Accel-Sim has no room for some of what a trace tells: an instruction gets the name of its opcode, "
        "or that of another of its class where Accel-Sim does not know it (all of PTX; binary version 75 then); at "
        "most one "
        "register that it writes and four that it reads, of the general ones; the addresses of its first memory "
        "operand. Control words, the numbers of barriers, and clusters are left out; the barrier of a cluster is a "
        "NOP.",
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: what is "
              "there was written.",
    .options = rows,
    .examples = examples,
    .option = export_option,
    .run = export_run,
};
