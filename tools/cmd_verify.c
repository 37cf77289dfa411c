/* reprise verify: reads the whole of traces and says whether they are what they should be. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/command.h"
#include "tools/json.h"
#include "tools/ui/progress.h"
#include "tracefmt/plural.h"
#include "tracefmt/reader.h"

struct arguments {
    char **files;
    size_t count;
    bool quiet;
    json_t *json; /* the list of results; NULL: text */
};

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "Print JSON", 0},
    {"quiet", 'q', NULL, 0, "Print nothing for a trace that is whole", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case 'j':
        if (!a->json)
            a->json = json_array();
        return 0;
    case 'q': a->quiet = true; return 0;
    case ARGP_KEY_ARGS:
        a->files = state->argv + state->next;
        a->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which trace? Example: reprise verify mm.wtr");
    }
    (void)arg;
    return ARGP_ERR_UNKNOWN;
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
    if (a->json)
        json_array_append_new(a->json, json_pack("{s:s, s:b, s:o, s:o, s:o, s:o}", "trace", path, "whole", 1, "kernels",
                                                 json_number(kernels), "launches", json_number(launches), "blocks",
                                                 json_number(blocks), "bytes", json_number(bytes)));
    else
        printf("%s: whole: %" PRIu32 " kernel%s, %" PRIu32 " launch%s, %" PRIu64 " block%s, %" PRIu64 " bytes\n", path,
               kernels, rp_plural(kernels), launches, launches == 1 ? "" : "es", blocks, rp_plural(blocks), bytes);
}

static bool verify(const struct arguments *a, const char *path, struct rp_error *err)
{
    struct progress p;
    struct rp_trace *t = rp_trace_open(path, err);
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
            json_array_append_new(a->json,
                                  json_pack("{s:s, s:b, s:s}", "trace", a->files[i], "whole", 0, "error", err.text));
        int failed = command_fail(&err);
        status = failed > status ? failed : status;
    }
    return status;
}

int cmd_verify(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "TRACE...",
        "Checks every checksum, every column against its neighbours, and the index against the content.\v"
        "Examples:\n  reprise verify mm.wtr\n  reprise verify --json a.wtr b.wtr\n\n"
        "Exit status: 0 if all are whole, 2 if one is damaged: the message names frame and offset of the first damage. "
        "With several traces each is read, and "
        "the highest status counts. In JSON each of traces has trace, its name, and whole: true with kernels, "
        "launches, "
        "blocks and bytes, or false with error.",
        NULL,
        NULL,
        NULL};
    struct arguments a = {0};
    argp_err_exit_status = RP_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    int status = verify_all(&a), printed = a.json ? json_finish(json_pack("{s:o}", "traces", a.json)) : RP_OK;
    return status ? status : printed;
}
