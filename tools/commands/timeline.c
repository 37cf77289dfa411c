/* reprise timeline: a replay over its cycles, for Perfetto or Konata. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/cleanup.h"
#include "tools/lib/command.h"
#include "tools/lib/number.h"
#include "tools/lib/output.h"
#include "tools/replaying/options.h"
#include "tools/replaying/shares.h"
#include "tools/timeline/timeline.h"
#include "tools/ui/figure.h"
#include "tools/ui/nearest.h"
#include "tools/ui/progress.h"
#include "tracefmt/plural.h"

struct timeline_args {
    const char *trace, *output;
    struct machine_args machine;
    struct timeline_request request;
    bool konata, quiet;
};

enum { KEY_CYCLES = 256, KEY_BLOCKS, KEY_TRACKS, KEY_KONATA };

static const struct option_row rows[] = {
    ROWS_MACHINE("Machine to replay on", ""),
    ROW_LAUNCH("Replay"),
    {"cycles", KEY_CYCLES, "A..B",
     "Show what happens in cycles A to B of the replay; things that reach beyond are whole"},
    {"blocks", KEY_BLOCKS, "A..B", "Show blocks A to B of each launch (linear index, x fastest), or block A alone"},
    {"tracks", KEY_TRACKS, "LIST",
     "Show these, separated by commas: launches, blocks, warps, subcores, units, caches, dram, copies (all)"},
    {"konata", KEY_KONATA, NULL, "Write the lives of instructions in Konata's format instead"},
    ROW_OUTPUT("FILE", "File to write"),
    ROW_QUIET(NO_SUMMARY),
    {0},
};

/* "A..B" or "A". */
static void window(const struct command_line *line, const char *option, const char *text, uint64_t *from, uint64_t *to)
{
    long long first, last;
    uint64_t one;
    struct rp_error err;
    if (read_range(text, &first, &last) && first >= 0 && last >= first) {
        *from = (uint64_t)first;
        *to = (uint64_t)last;
    } else if (!strstr(text, "..") && read_number(text, INT64_MAX, option, &one, &err)) {
        *from = *to = one;
    } else {
        command_usage(line, "%s %s: give A..B, with 0 <= A <= B, or one number", option, text);
    }
}

static void tracks(const struct command_line *line, const char *text, unsigned *to)
{
    static const char *const names[] = {
#define X(id, name, events) name,
        TIMELINE_TRACKS(X)
#undef X
    };
    for (size_t length; *text; text += length + (text[length] == ',')) {
        char word[40];
        unsigned i = 0;
        length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        while (i < TIMELINE_TRACK_COUNT && strcmp(names[i], word))
            i++;
        const char *near = nearest_name(word, names, TIMELINE_TRACK_COUNT);
        if (i == TIMELINE_TRACK_COUNT)
            command_usage(line, "--tracks: there is no '%s'; %s%s%s", word, near ? "did you mean '" : "there are ",
                          near ? near : "launches, blocks, warps, subcores, units, caches, dram, copies",
                          near ? "'?" : "");
        *to |= 1u << i;
    }
    if (!*to)
        command_usage(line, "--tracks: name some, for example --tracks launches,warps");
}

/* Tracks on which blocks cannot be told apart. */
#define OF_ALL_BLOCKS ((unsigned)(TIMELINE_CACHES | TIMELINE_DRAM | TIMELINE_COPIES))

static bool chooses_blocks(const struct timeline_window *w) { return w->from_block || w->to_block != UINT64_MAX; }

static void timeline_option(struct command_line *line, int key, char *arg)
{
    struct timeline_args *a = line->input;
    struct rp_error err;
    const struct shared_values shared = {.trace = &a->trace,
                                         .machine = &a->machine,
                                         .launch = &a->request.launch,
                                         .output = &a->output,
                                         .quiet = &a->quiet};
    struct timeline_window *w = &a->request.window;
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_CYCLES: window(line, "--cycles", arg, &w->from_cycle, &w->to_cycle); break;
    case KEY_BLOCKS: window(line, "--blocks", arg, &w->from_block, &w->to_block); break;
    case KEY_TRACKS: tracks(line, arg, &a->request.tracks); break;
    case KEY_KONATA: a->konata = true; break;
    case KEY_END:
        command_needs(line, a->trace, a->machine.machine, "reprise timeline mm.wtr --machine rtx2060 -o mm.pftrace");
        if (!a->output)
            command_usage(line, "into which file? Example: reprise timeline %s --machine %s -o mm.%s", a->trace,
                          a->machine.machine, a->konata ? "kanata" : "pftrace");
        command_check(line, output_spares("-o", a->output, a->trace, "the trace", &err), &err);
        command_check(line, output_check(a->output, INPUT_OTHER, &err), &err);
        cleanup_expect(a->output);
        if (a->konata && a->request.tracks)
            command_usage(line, "--tracks chooses among Perfetto's tracks; --konata shows instructions alone");
        if (chooses_blocks(w) && a->request.tracks & OF_ALL_BLOCKS)
            command_usage(line, "--blocks: caches, dram and copies serve all blocks; leave them out of --tracks");
    }
}

/* A launch has the first of the blocks. */
static bool check_blocks(const struct timeline_request *r, struct rp_error *err)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < rp_trace_launch_count(r->trace); i++) {
        uint64_t blocks = rp_launch_blocks(rp_trace_launch(r->trace, i));
        if ((r->launch < 0 || r->launch == i) && blocks > most)
            most = blocks;
    }
    return !r->window.from_block || r->window.from_block < most || !most ||
           rp_fail(err, RP_USAGE, "--blocks: there is no block %" PRIu64 "; %s has blocks 0 to %" PRIu64,
                   r->window.from_block, r->launch < 0 ? "the largest launch" : "the launch", most - 1);
}

/* Whether the machine has the tracks that were asked for. */
static bool check_tracks(const struct timeline_request *r, struct rp_error *err)
{
    static const char *const names[] = {
#define X(id, name, events) name,
        TIMELINE_TRACKS(X)
#undef X
    };
    const unsigned has = timeline_tracks_of(r->machine), lacks = r->tracks & ~has;
    char list[128] = "";
    for (unsigned i = 0, length = 0; lacks && i < TIMELINE_TRACK_COUNT; i++)
        if (has >> i & 1)
            length += (unsigned)snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", names[i]);
    return !lacks || rp_fail(err, RP_USAGE, "--tracks: machine %s has no '%s' (pipeline '%s', dram '%s'); it has %s",
                             r->machine->name, names[__builtin_ctz(lacks)], r->machine->pipeline.model->name,
                             r->machine->dram.model->name, *list ? list : "none");
}

/* Those asked for; else all that the machine has. */
static void choose_tracks(struct timeline_request *r)
{
    if (!r->tracks)
        r->tracks = timeline_tracks_of(r->machine);
    if (chooses_blocks(&r->window))
        r->tracks &= ~OF_ALL_BLOCKS;
}

static void show(void *data, uint64_t done, uint64_t total)
{
    progress_update(data, done, total, done, "warp instructions");
}

static void print_summary(const struct timeline_args *a, const struct timeline_result *r, uint64_t bytes)
{
    char cycles[FIGURE], events[FIGURE], size[FIGURE];
    printf("%s: %s %s%s of %s cycle%s, %s bytes\n", a->output, figure(r->events, events),
           a->konata ? "instruction" : "event", rp_plural(r->events), figure(r->cycles, cycles), rp_plural(r->cycles),
           figure(bytes, size));
}

static bool write_file(struct timeline_args *a, struct timeline_result *result, struct rp_error *err)
{
    struct progress bar;
    struct output *o = output_open(a->output, err);
    if (!o)
        return false;
    a->request.progress = show;
    a->request.progress_data = &bar;
    progress_begin(&bar, "replaying", "warp instructions", a->quiet);
    bool fine = (a->konata ? timeline_konata : timeline_perfetto)(&a->request, o->to, result, err);
    progress_end(&bar);
    off_t bytes = ftello(o->to);
    fine = output_close(o, fine, err) && fine;
    if (fine && !a->quiet)
        print_summary(a, result, (uint64_t)bytes);
    return fine;
}

static int run_on(struct timeline_args *a)
{
    struct timeline_request *r = &a->request;
    struct timeline_result result = {0};
    struct shares shares;
    struct rp_error err;
    if (rp_trace_damage(r->trace) && !a->quiet)
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(r->trace));
    struct machine *m = shares_machine_open(&a->machine, NULL, 0, r->trace, r->launch, 1, &shares, &err);
    r->machine = m;
    bool fine = m && check_blocks(r, &err) && check_tracks(r, &err);
    if (fine)
        choose_tracks(r);
    fine = fine && write_file(a, &result, &err);
    machine_free(m);
    if (!fine)
        return command_fail(&err);
    return rp_trace_damage(r->trace) || result.partial ? RP_PARTIAL : RP_OK;
}

static int timeline_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct rp_error err;
    struct timeline_args a = {.request = {.launch = -1, .window = TIMELINE_ALL}};
    command_parse(&line, c, argc, argv, &a);
    if (!(a.request.trace = trace_of_launches(a.trace, &err)))
        return command_fail(&err);
    int status = run_on(&a);
    rp_trace_close(a.request.trace);
    return status;
}

static const struct command_example examples[] = {
    {"The first launch on an RTX 2060, for ui.perfetto.dev",
     "reprise timeline mm.wtr --machine rtx2060 --launch 0 -o mm.pftrace"},
    {"Some cycles of it", "reprise timeline mm.wtr --machine rtx2060 --launch 0 --cycles 1000..2000 -o mm.pftrace"},
    {"A long replay, without what happens once per instruction",
     "reprise timeline mm.wtr --machine rtx2060 --tracks launches,blocks,subcores,dram -o mm.pftrace"},
    {"The instructions of two blocks, for Konata",
     "reprise timeline mm.wtr --machine rtx2060 --launch 0 --blocks 0..1 --konata -o mm.kanata"},
    {NULL, NULL},
};
const struct command command_timeline = {
    .name = "timeline",
    .summary = "write what happens in a replay over its cycles, for Perfetto or Konata",
    .usage = "TRACE --machine NAME -o FILE",
    .about =
        "Replays a trace on a machine, and writes launches, blocks, warps, sub-cores, units, caches and DRAM over the "
        "cycles of the replay to a file. Open it at ui.perfetto.dev, which shows a cycle as a microsecond, or with "
        "Konata.\n"
        "An instruction that never ends, because the recording ended early, is not shown. "
        "An instruction takes some 80 bytes in the file. --cycles, --blocks and --tracks make it smaller.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: it was "
              "replayed as far as it goes.",
    .option = timeline_option,
    .run = timeline_run,
};
