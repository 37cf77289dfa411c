/* reprise verify: reads whole traces and says whether they are valid. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
    bool quiet;
    json_t *json; /* the list of results; NULL: text */
};

static const struct option_row rows[] = {
    ROW_JSON(""),
    ROW_QUIET("Print nothing for a trace that is whole"),
    {0},
};

static void verify_option(struct command_line *line, int key, char *arg)
{
    struct arguments *a = line->input;
    if (key == 'j' && !a->json)
        a->json = json_array();
    shared_option(line, key, arg, &(struct shared_values){.quiet = &a->quiet});
    if (key == KEY_END && !line->argument_count)
        command_usage(line, "which trace? Example: reprise verify mm.wtr");
}

static void show(void *progress, uint64_t done, uint64_t total) { progress_update(progress, done, total, 0, NULL); }

static uint64_t all_blocks(const struct rp_trace *t)
{
    uint64_t blocks = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++)
        blocks += rp_trace_launch_totals(t, l).blocks;
    return blocks;
}

static void say_whole(const struct arguments *a, const char *path, const struct rp_trace *t)
{
    if (a->quiet)
        return;
    uint32_t kernels = rp_trace_kernel_count(t), launches = rp_trace_launch_count(t);
    uint64_t blocks = all_blocks(t), bytes = rp_trace_file_bytes(t);
    char text[4][FIGURE];
    if (a->json)
        json_add(a->json, json_pack("{s:s, s:b, s:o, s:o, s:o, s:o}", "trace", path, "whole", 1, "kernels",
                                    json_number(kernels), "launches", json_number(launches), "blocks",
                                    json_number(blocks), "bytes", json_number(bytes)));
    else
        printf("%s: whole: %s kernel%s, %s launch%s, %s block%s, %s bytes\n", path, figure(kernels, text[0]),
               rp_plural(kernels), figure(launches, text[1]), launches == 1 ? "" : "es", figure(blocks, text[2]),
               rp_plural(blocks), figure(bytes, text[3]));
}

static bool verify(const struct arguments *a, const char *path, struct rp_error *err)
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
    rp_trace_close(t);
    return ok;
}

static int verify_all(const struct arguments *a)
{
    int status = RP_OK;
    for (size_t i = 0; i < a->count; i++) {
        struct rp_error err = {0};
        if (verify(a, a->files[i], &err))
            continue;
        if (a->json)
            json_add(a->json, json_pack("{s:s, s:b, s:s}", "trace", a->files[i], "whole", 0, "error", err.text));
        int failed = command_fail(&err);
        status = failed > status ? failed : status;
    }
    return status;
}

static int verify_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct arguments a = {0};
    command_parse(&line, c, argc, argv, &a);
    a.files = line.arguments;
    a.count = line.argument_count;
    int status = verify_all(&a), printed = a.json ? json_finish(json_pack("{s:o}", "traces", a.json)) : RP_OK;
    return status ? status : printed;
}

static const struct command_example examples[] = {
    {"Is the trace whole?", "reprise verify mm.wtr"},
    {"Several traces, for programs", "reprise verify --json mm.wtr chain.wtr"},
    {NULL, NULL},
};
const struct command command_verify = {
    .name = "verify",
    .summary = "check a trace: every checksum, every column, index against content",
    .usage = "TRACE...",
    .about = "Checks every checksum, every column against its neighbours, and the index against the content.\n"
             "In JSON each of traces has trace, its name, and whole: true with kernels, launches, blocks and bytes, or "
             "false with error.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 if all are whole, 2 if one is damaged: the message names frame and offset of the first "
              "damage. With several traces each is read, and the highest status counts.",
    .option = verify_option,
    .run = verify_run,
};
