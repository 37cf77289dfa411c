/* Measures the speeds and sizes that docs/performance.md states and prints them beside their floors and aims.
 *
 *     bench             a table
 *     bench TEXT        the rows whose figure has this text in its name
 *     bench --markdown  the whole of docs/performance.md
 *
 * Every measurement runs in a process of its own, so that its peak memory is its own. Rates are per second of processor
 * time, so that other work on the machine counts little, and the best of a few runs. The exit status says whether the
 * measurements worked, not whether they are fast.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/figures/figures.h"

static bool fail(struct measurement *m, const char *what)
{
    m->ok = false;
    snprintf(m->error, sizeof m->error, "%s", what);
    return false;
}

static bool in_own_process(const struct figure *f, struct measurement *m)
{
    int ends[2];
    if (pipe(ends))
        return fail(m, "no pipe");
    pid_t child = fork();
    if (child < 0)
        return fail(m, "no process");
    if (child == 0) {
        struct measurement mine = {0};
        f->measure(&mine);
        _exit(write(ends[1], &mine, sizeof mine) == (ssize_t)sizeof mine ? 0 : 1);
    }
    close(ends[1]);
    bool whole = read(ends[0], m, sizeof *m) == (ssize_t)sizeof *m;
    close(ends[0]);
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child || !whole)
        return fail(m, "the measurement died");
    if (f->memory)
        m->value = (double)usage.ru_maxrss * 1024; /* Linux counts KiB */
    m->value /= f->scale;
    return m->ok;
}

static bool reached(const struct figure *f, double limit, double value)
{
    return f->smaller_is_better ? value <= limit : value >= limit;
}

static void processor(char *text, size_t size)
{
    char line[256];
    snprintf(text, size, "unknown processor");
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon)
            continue;
        snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (f)
        fclose(f);
}

static void print_row(const struct figure *f, const struct measurement *m, bool markdown)
{
    const char *sign = f->smaller_is_better ? "<=" : ">=";
    const char *verdict = reached(f, f->aim, m->value)     ? "aim reached"
                          : reached(f, f->floor, m->value) ? "floor reached"
                                                           : "BELOW FLOOR";
    printf(markdown ? "| %s | %s | %s %g | %s %g | %.3g | %s |\n" : "%-42s %-24s %s %-6g %s %-6g %8.3g  %s\n", f->name,
           f->unit, sign, f->floor, sign, f->aim, m->value, verdict);
    fflush(stdout);
}

static void print_head(bool markdown)
{
    char cpu[256];
    processor(cpu, sizeof cpu);
    if (!markdown) {
        printf("%s, one thread\n%-42s %-24s %-9s %-9s %8s\n", cpu, "figure", "unit", "floor", "aim", "measured");
        return;
    }
    printf(
        "# Performance\n\n"
        "`make bench` measures these figures. `make bench-docs` writes this page. Where a row names no "
        "threads, it uses one. Speeds\n"
        "are per second of processor time. Each figure is the best of %d runs on:\n"
        "%s.\n"
        "\n"
        "* SGEMM is `sgemm_naive` of tests/kernels/sgemm.cu, with tiles of 32 x 32 in shared memory. "
        "*Functional* runs it. *Machine\n"
        "  code* runs what ptxas -O3 makes of it for sm_62 (`make toolchain`). *Recording* also writes "
        "its trace. A thread instruction\n"
        "  is one instruction of one thread.\n"
        "* The mma.sync product is `tiled` of tests/golden/nvcc/matrices.cu. It multiplies f16, adds in "
        "f32, and loads tiles from\n"
        "  shared memory with ldmatrix.\n"
        "* Texture fetches are of one channel, in a loop that adds them up; beside it is the loop with loads of "
        "clamped "
        "columns. A linear filter reads four texels.\n"
        "* Cubins are that of all kernels of tests/kernels for sm_90, without optimisation, several times.\n"
        "* Straight-line code is the speed of a loop of 20,000 arithmetic instructions beside that of one "
        "of 200, in one warp.\n"
        "  These are of one kind, of eight kinds in turn, or of eight at random, which no branch predictor "
        "learns. All immediates\n"
        "  are different.\n"
        "* Overlapping launches are 16 of SGEMM in four streams. They, and one launch on two threads, are "
        "replayed on tx2-pastis\n  with 16 SMs, unless another machine is named. Gains of two threads are "
        "by the clock on the wall; one thread and two take turns.\n"
        "  They fall where the host moves the two processors apart: on a machine of two AMD EPYC processors, copy "
        "gains 1.7 to\n"
        "  1.9 times where a line of the cache goes there and back in 100 ns, and 1.25 times where that takes 430 ns.\n"
        "* SpMV is `spmv_scalar` of tests/kernels/spmv.cu. A thread has a row of a sparse matrix, so "
        "warps diverge, and their\n"
        "  accesses are scattered. Transactions are those of its loads and stores after coalescing.\n"
        "* Copy and random gather are `stream_copy` of 2 M words and `stream_gather` of 512 K words of "
        "tests/kernels/stream.cu. Both are bound by device memory.\n"
        "* jetson-tx2 is tx2-pastis with instruction caches and TLBs: each instruction and each request that leaves an "
        "SM is looked up.\n"
        "* 144 SMs against 4 compares replays on tx2-pastis with that many SMs.\n"
        "* The batches are those of `reprise replay --batches` on san-rtx2080, of 8,192 warps of `gemm` of "
        "tests/kernels/gemm.cu:\n  45 of them on one processor.\n"
        "* The sweep is of ten traces on a hundred variants of jetson-tx2, with its database.\n"
        "* Timelines are those of `reprise timeline` with all tracks; 10,000 cycles are a window of it. The time is "
        "that of\n"
        "  two processors: the processor time of the thread that replays or, if that is more, half of that of all "
        "threads.\n"
        "* Checks are those of docs/checks.md: the time of launches with `--check init` or `race` in parts of that "
        "without, in turns.\n"
        "* The size of the trace is that of the whole file.\n"
        "* Memory is the peak resident memory of the process that replays.\n"
        "* Bounds are those of `reprise wcet` on orin-wcet, with phases, for 32 warps of SGEMM in one "
        "block. All schedules are gone\n"
        "  through with `--exhaust`.\n"
        "\n"
        "| figure | unit | floor | aim | measured | |\n|---|---|---|---|---|---|\n",
        BENCH_RUNS, cpu);
}

static const struct figure *figure_named(const struct figure *f, const char *name)
{
    while (f->name && strcmp(f->name, name))
        f++;
    return f;
}

/* Where TEXT leaves out the rows that record traces, rows behind them want these nevertheless. */
static bool record_missing(void)
{
    static const struct {
        const char *trace;
        const struct figure *figures;
        const char *records;
    } rows[] = {{"sgemm-512", replay_figures, "SGEMM 512, size of the trace"},
                {"stream_copy", replay_figures, "Copy, replay on rtx2060"},
                {"stream_gather", replay_figures, "Random gather, replay on rtx2060"},
                {"gemm", batches_figures, "GEMM 512, 100 batches of one processor"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct measurement m = {0};
        const struct figure *f = figure_named(rows[i].figures, rows[i].records);
        if (access(bench_path(rows[i].trace), R_OK) && !in_own_process(f, &m)) {
            fprintf(stderr, "bench: trace of %s: %s\n", rows[i].trace, m.error);
            return false;
        }
    }
    return true;
}

/* Those whose names have `only` in them. */
static bool measure_all(const struct figure *f, const char *only, bool markdown)
{
    bool ok = true;
    for (; f->name; f++) {
        struct measurement m = {0};
        if (!strstr(f->name, only))
            continue;
        if (in_own_process(f, &m)) {
            print_row(f, &m, markdown);
        } else {
            fprintf(stderr, "bench: %s: %s%s\n", f->name, m.missing ? "skipped: " : "", m.error);
            ok &= m.missing;
        }
    }
    return ok;
}

int main(int argc, char **argv)
{
    static const struct figure *const lists[] = {functional_figures, replay_figures, batches_figures, launches_figures,
                                                 checks_figures,     wcet_figures,   sweep_figures};
    bool markdown = argc == 2 && !strcmp(argv[1], "--markdown"), ok = true;
    if (argc > 2) {
        fprintf(stderr, "usage: bench [--markdown | TEXT]\n");
        return RP_USAGE;
    }
    const char *only = argc > 1 && !markdown ? argv[1] : "";
    if (*only && !record_missing())
        return RP_SYSTEM;
    print_head(markdown);
    fflush(stdout);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        ok &= measure_all(lists[i], only, markdown);
    return ok ? RP_OK : RP_SYSTEM;
}
