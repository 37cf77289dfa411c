/* reprise import: traces that other tools made. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/accelsim/import.h"
#include "tools/command.h"
#include "tools/input.h"
#include "tools/output.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"

struct arguments {
    const char *output;
    bool quiet;
};

static const struct option_row rows[] = {
    {"output", 'o', "TRACE", "The trace to be written"},
    {"quiet", 'q', NULL, "Print no summary and no progress"},
    {0},
};

static void import_option(struct command_line *line, int key, char *arg)
{
    struct arguments *a = line->input;
    if (key == 'o')
        a->output = arg;
    else if (key == 'q')
        a->quiet = true;
    if (key != KEY_END)
        return;
    if (!line->argument_count)
        command_usage(line, "which form, and which file? Example: reprise import accelsim kernelslist.g -o t.wtr");
    if (strcmp(line->arguments[0], "accelsim"))
        command_usage(line, "'%.60s' is no form that can be imported; known is accelsim", line->arguments[0]);
    if (line->argument_count < 2)
        command_usage(line, "which file? Example: reprise import accelsim kernelslist.g -o t.wtr");
    if (line->argument_count > 2)
        command_usage(line, "one list of kernels at a time; '%.60s' is too much", line->arguments[2]);
    if (!a->output)
        command_usage(line, "an output is needed: -o TRACE");
}

static void warn(const struct accelsim_import *job)
{
    if (job->unknown_opcodes)
        fprintf(stderr,
                "reprise import: warning: %u opcode%s not known, '%s' first, in %" PRIu64
                " warp instruction%s; they count as integer instructions, or as loads if they have addresses\n",
                job->unknown_opcodes, job->unknown_opcodes == 1 ? " is" : "s are", job->unknown_opcode, job->unknown,
                rp_plural(job->unknown));
    if (job->bulk_copies)
        fprintf(stderr, "reprise import: warning: the addresses of %" PRIu64 " bulk cop%s left out\n", job->bulk_copies,
                job->bulk_copies == 1 ? "y are" : "ies are");
    if (job->missing_blocks)
        fprintf(stderr, "reprise import: warning: %" PRIu64 " block%s of the grids not in the files; they do nothing\n",
                job->missing_blocks, job->missing_blocks == 1 ? " is" : "s are");
}

static void say(const struct accelsim_import *job)
{
    char blocks[FIGURE], instructions[FIGURE], bytes[FIGURE];
    fprintf(stderr, "%s: %" PRIu64 " launch%s of %" PRIu64 " kernel%s, %s block%s, %s warp instruction%s, %s bytes\n",
            job->output, job->launches, job->launches == 1 ? "" : "es", job->kernels, rp_plural(job->kernels),
            figure(job->blocks, blocks), rp_plural(job->blocks), figure(job->warp_instructions, instructions),
            rp_plural(job->warp_instructions), figure(job->bytes, bytes));
}

static int import_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct arguments a = {0};
    struct rp_error err = {0};
    command_parse(&line, c, argc, argv, &a);
    struct accelsim_import job = {.list = line.arguments[1], .output = a.output, .quiet = a.quiet};
    if (output_same_file(job.list, job.output))
        command_usage(&line, "%s would be written over itself", job.list);
    if (!output_check(a.output, &err) || !input_check(job.list, INPUT_KERNELS_LIST, &err) ||
        !accelsim_import(&job, &err))
        return command_fail(&err);
    warn(&job);
    if (!a.quiet)
        say(&job);
    return RP_OK;
}

static const struct command_example examples[] = {
    {"A trace that Accel-Sim's tracer made on a GPU", "reprise import accelsim traces/kernelslist.g -o app.wtr"},
    {"What is in it, and how long it takes", "reprise info app.wtr\nreprise replay app.wtr --machine jetson-tx2"},
    {NULL, NULL},
};
const struct command command_import = {
    .name = "import",
    .summary = "make a trace of one that another tool recorded",
    .usage = "accelsim KERNELSLIST -o TRACE",
    .about =
        "accelsim: reads the kernelslist.g of Accel-Sim's tracer and the files beside it that it names: text "
        "(.traceg), "
        "text compressed by xz, and the packed files of Accel-Sim 2.0 (.tracez); tracer versions 2 to 5, all ways of "
        "writing addresses.\n"
        "Opcodes of sm_60 to sm_90 are known; another one is said once, and counts as an integer instruction, or as a "
        "load if it has addresses. Each kernel's file is read twice.\n"
        "What such a trace does not tell: predicates, the numbers of barriers (all are the whole block's barrier 0), "
        "constants, and the second register of a pair. An instruction that no lane executed is a guarded one.",
    .options = rows,
    .examples = examples,
    .option = import_option,
    .run = import_run,
};
