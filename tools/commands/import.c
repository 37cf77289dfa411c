/* reprise import: traces and machines that other tools made. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/accelsim/import.h"
#include "tools/gpgpusim/machine.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/lib/output.h"
#include "tools/replaying/options.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"

struct arguments {
    const char *output;
    bool quiet, configuration;
};

static const struct option_row rows[] = {
    ROW_OUTPUT("FILE", "The trace or the machine file to be written"),
    ROW_QUIET(NO_SUMMARY),
    {0},
};

static void import_option(struct command_line *line, int key, char *arg)
{
    struct arguments *a = line->input;
    shared_option(line, key, arg, &(struct shared_values){.output = &a->output, .quiet = &a->quiet});
    if (key != KEY_END)
        return;
    if (!line->argument_count)
        command_usage(line, "which form, and which file? Example: reprise import accelsim kernelslist.g -o t.wtr");
    const char *first = line->arguments[0];
    size_t count = line->argument_count, length = strlen(first);
    a->configuration = length > 7 && !strcmp(first + length - 7, ".config");
    if (!a->configuration && strcmp(first, "accelsim"))
        command_usage(line,
                      "'%.60s' is no form that can be imported; known are accelsim, for traces, and configurations of "
                      "GPGPU-Sim, which end in .config",
                      first);
    if (!a->configuration && count < 2)
        command_usage(line, "which file? Example: reprise import accelsim kernelslist.g -o t.wtr");
    if (count > 2)
        command_usage(line,
                      a->configuration ? "at most gpgpusim.config and trace.config; '%.60s' is too much"
                                       : "one list of kernels at a time; '%.60s' is too much",
                      line->arguments[2]);
    if (!a->output)
        command_usage(line, a->configuration ? "an output is needed: -o MACHINE.cfg" : "an output is needed: -o TRACE");
}

static void warn(const struct accelsim_import *job)
{
    char unknown[40];
    snprintf(unknown, sizeof unknown, job->unknown_opcodes == 1 ? " of an instruction is" : "s of %u instructions are",
             job->unknown_opcodes);
    if (job->unknown_opcodes)
        fprintf(stderr,
                "reprise import: warning: the opcode%s not known, '%s' first, in %" PRIu64
                " warp instruction%s; they count as integer instructions, or as loads if they have addresses\n",
                unknown, job->unknown_opcode, job->unknown, rp_plural(job->unknown));
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

static int import_configuration(const struct command_line *line, const struct arguments *a)
{
    struct rp_error err;
    struct gpgpusim_import job = {.files = (const char *const *)line->arguments,
                                  .file_count = line->argument_count,
                                  .output = a->output,
                                  .warnings = stderr};
    for (size_t i = 0; i < job.file_count; i++)
        command_check(line, output_spares("-o", job.output, job.files[i], "a configuration", &err), &err);
    if (!output_check(a->output, INPUT_MACHINE, &err))
        return command_fail(&err);
    char *text = gpgpusim_machine(&job, &err);
    bool fine = text && output_write(a->output, text, strlen(text), &err);
    free(text);
    if (!fine)
        return command_fail(&err);
    if (!a->quiet)
        fprintf(stderr, "%s: a machine with a staged pipeline; %u option%s not known, %u not modelled\n", a->output,
                job.unknown, rp_plural(job.unknown), job.unsupported);
    return RP_OK;
}

static int import_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct arguments a = {0};
    struct rp_error err = {0};
    command_parse(&line, c, argc, argv, &a);
    if (a.configuration)
        return import_configuration(&line, &a);
    struct accelsim_import job = {.list = line.arguments[1], .output = a.output, .quiet = a.quiet};
    command_check(&line, output_spares("-o", job.output, job.list, "the list of kernels", &err), &err);
    if (!output_check(a.output, INPUT_TRACE, &err) || !input_check(job.list, INPUT_KERNELS_LIST, &err) ||
        !accelsim_import(&job, &err))
        return command_fail(&err);
    warn(&job);
    if (!a.quiet)
        say(&job);
    return RP_OK;
}

static const struct command_example examples[] = {
    {"A trace that Accel-Sim's tracer made on a GPU", "reprise import accelsim traces/kernelslist.g -o app.wtr"},
    {"A machine as GPGPU-Sim and Accel-Sim describe it",
     "reprise import gpgpusim.config trace.config -o mine.cfg\nreprise replay app.wtr --machine ./mine.cfg"},
    {"What is in it, and how long it takes", "reprise info app.wtr\nreprise replay app.wtr --machine jetson-tx2"},
    {NULL, NULL},
};
const struct command command_import = {
    .name = "import",
    .summary = "make a trace of one that another tool recorded, or a machine of a configuration of GPGPU-Sim",
    .usage = "accelsim KERNELSLIST -o TRACE\nGPGPUSIM.config [TRACE.config] -o MACHINE.cfg",
    .about =
        "accelsim: reads the kernelslist.g of Accel-Sim's tracer and the files beside it that it names: text "
        "(.traceg), "
        "text compressed by xz, and the packed files of Accel-Sim 2.0 (.tracez); tracer versions 2 to 5, all ways of "
        "writing addresses.\n"
        "Opcodes of sm_60 to sm_90 are known; another one is said once, and counts as an integer instruction, or as a "
        "load if it has addresses. Each kernel's file is read twice.\n"
        "What such a trace does not tell: predicates, the numbers of barriers (all are the whole block's barrier 0), "
        "constants, and the second register of a pair. An instruction that no lane executed is a guarded one.\n"
        "Files that end in .config are configurations of GPGPU-Sim: its options become a machine file with a staged "
        "pipeline (docs/accelsim.md), each value with its option beside it. Latencies are those of trace mode, "
        "where trace.config gives them, else those for PTX. Options that are not known, and values that the staged "
        "pipeline does not model, are named, each once, with file and line.",
    .options = rows,
    .examples = examples,
    .option = import_option,
    .run = import_run,
};
