/* reprise verify: reads the whole of traces and says whether they are what they should be. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/command.h"
#include "tools/ui/progress.h"
#include "tracefmt/reader.h"

struct arguments {
    char **files;
    size_t count;
    bool quiet;
};

static const struct argp_option options[] = {
    {"quiet", 'q', NULL, 0, "Print nothing for a trace that is whole", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
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

static bool verify(const char *path, bool quiet, struct rp_error *err)
{
    struct progress p;
    struct rp_trace *t = rp_trace_open(path, err);
    if (!t)
        return false;
    progress_begin(&p, "verifying", "bytes", quiet);
    bool ok = rp_trace_verify(t, show, &p, err);
    progress_end(&p);
    if (ok && !quiet)
        printf("%s: whole: %" PRIu32 " kernels, %" PRIu32 " launches, %" PRIu64 " blocks, %" PRIu64 " bytes\n", path,
               rp_trace_kernel_count(t), rp_trace_launch_count(t), all_blocks(t), rp_trace_file_bytes(t));
    rp_trace_close(t);
    return ok;
}

int cmd_verify(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "TRACE...",
        "Checks every checksum, every column against its neighbours, and the index against the content.\v"
        "Example:\n  reprise verify mm.wtr\n\n"
        "Exit status: 0 if all are whole, 2 if one is damaged: the message names frame and offset of the first damage. "
        "With several traces each is read, and "
        "the highest status counts.",
        NULL,
        NULL,
        NULL};
    struct arguments a = {0};
    argp_err_exit_status = RP_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    int status = RP_OK;
    for (size_t i = 0; i < a.count; i++) {
        struct rp_error err = {0};
        if (verify(a.files[i], a.quiet, &err))
            continue;
        int failed = command_fail(&err);
        status = failed > status ? failed : status;
    }
    return status;
}
