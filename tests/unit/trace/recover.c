/* What is left of a trace whose process was killed, and what is done beforehand so that something is. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/synthetic_trace.h"
#include "tracefmt/reader.h"
#include "tracefmt/writer.h"

static const struct rp_instruction exit_instruction = {
    .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT, .text = "exit"};
static const struct rp_kernel kernel = {
    .name = "k", .isa = "test", .instruction_count = 1, .instructions = &exit_instruction, .identity = 1};
static const struct rp_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}};
static const struct rp_launch_end complete = {.outcome = RP_OUTCOME_COMPLETE};
static const struct rp_provenance nobody = {0};

static char directory[] = "/tmp/reprise-recover-XXXXXX";
static char path[64], other[64];

static void make_directory(void)
{
    cr_assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.wtr", directory);
    snprintf(other, sizeof other, "%s/b.wtr", directory);
}

static void remove_directory(void)
{
    unlink(path);
    unlink(other);
    cr_expect(rmdir(directory) == 0, "something was left behind");
}

TestSuite(recover, .init = make_directory, .fini = remove_directory);

/* A launch of `done` blocks of 4. */
static bool add_launch(struct rp_writer *w, unsigned done, struct rp_error *err)
{
    uint32_t k, l;
    if (!rp_writer_add_kernel(w, &kernel, &k, err) || !rp_writer_begin_launch(w, &launch, &l, err))
        return false;
    struct rp_chunk *c = rp_chunk_new(&kernel, l, NULL);
    for (unsigned b = 0; b < done; b++) {
        rp_log_run(rp_chunk_begin_block(c, b, 1), 0, 1, UINT32_MAX);
        rp_chunk_end_block(c, b);
    }
    bool ok = rp_writer_commit(w, rp_chunk_finish(c, err), err);
    rp_chunk_free(c);
    return ok && (done < 4 || rp_writer_end_launch(w, l, &complete, err));
}

static void write_three(const char *name, bool checkpoints)
{
    struct rp_error err = {0};
    struct rp_writer *w = rp_writer_open(name, &nobody, NULL, &err);
    for (int i = 0; i < 3; i++) {
        cr_assert(w && add_launch(w, 4, &err), "%s", err.text);
        cr_assert(!checkpoints || (rp_writer_checkpoint(w, &err) && rp_writer_flush(w, &err)), "%s", err.text);
    }
    cr_assert(rp_writer_close(w, &err), "%s", err.text);
}

Test(recover, checkpoints_change_nothing)
{
    struct rp_error err = {0};
    write_three(path, false);
    write_three(other, true);
    struct rp_trace *a = rp_trace_open(path, &err), *b = rp_trace_open(other, &err);
    cr_assert(a && b, "%s", err.text);
    cr_expect_str_eq(rp_trace_sha256(a, &err), rp_trace_sha256(b, &err));
    rp_trace_close(a);
    rp_trace_close(b);
}

/* A process that writes `launches`, the last one in part, then saves, or does not, and lives until it is killed. */
static pid_t start_writer(unsigned launches, unsigned blocks_of_last, bool save, char part[static 80])
{
    int channel[2];
    cr_assert(!pipe(channel));
    pid_t child = fork();
    if (!child) {
        struct rp_error err = {0};
        struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
        for (unsigned i = 0; w && i < launches; i++)
            if (!add_launch(w, i + 1 < launches ? 4 : blocks_of_last, &err))
                _exit(1);
        if (!w || (save && !rp_writer_checkpoint(w, &err)))
            _exit(1);
        snprintf(part, 80, "%s", rp_writer_temporary(w));
        if (write(channel[1], part, 80) != 80)
            _exit(1);
        for (;;)
            pause();
    }
    cr_assert(read(channel[0], part, 80) > 0);
    close(channel[0]);
    close(channel[1]);
    return child;
}

static void kill_writer(pid_t writer)
{
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
}

Test(recover, what_was_saved_becomes_a_whole_trace)
{
    struct rp_error err = {0};
    char part[80];
    uint32_t launches;
    pid_t writer = start_writer(3, 4, true, part);
    cr_expect(!rp_trace_recover(part, path, &launches, &err) && err.status == RP_USAGE, "the writer lives");
    kill_writer(writer);
    FILE *more = fopen(part, "a"); /* what a checkpoint wrote ahead may end in the middle of a frame */
    cr_assert(more && fputs("the rest of a frame", more) >= 0 && !fclose(more));
    cr_assert(rp_trace_recover(part, path, &launches, &err), "%s", err.text);
    cr_expect_eq(launches, 3);
    write_three(other, false);
    struct rp_trace *a = rp_trace_open(path, &err), *b = rp_trace_open(other, &err);
    cr_assert(a && b && !rp_trace_damage(a), "%s", err.text);
    cr_expect(rp_trace_verify(a, NULL, NULL, &err), "%s", err.text);
    cr_expect_str_eq(rp_trace_sha256(a, &err), rp_trace_sha256(b, &err));
    rp_trace_close(a);
    rp_trace_close(b);
}

/* Neither another file of its name nor its removal touches what is open; a byte in its middle does. */
Test(recover, a_trace_knows_whether_somebody_wrote_into_it)
{
    struct rp_error err = {0};
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    write_three(path, false);
    write_three(other, false);
    cr_assert(!utimensat(AT_FDCWD, path, long_ago, 0));
    struct rp_trace *a = rp_trace_open(path, &err), *b = rp_trace_open(other, &err);
    cr_assert(a && b, "%s", err.text);
    cr_expect(rp_trace_unchanged(a, &err) && rp_trace_unchanged(b, &err), "%s", err.text);
    FILE *into = fopen(path, "r+b");
    cr_assert(into && !fseek(into, 100, SEEK_SET) && fputc(1, into) >= 0 && !fclose(into));
    cr_expect(!rp_trace_unchanged(a, &err) && err.status == RP_SYSTEM && strstr(err.text, path), "%s", err.text);
    cr_assert(!rename(path, other));
    cr_expect(rp_trace_unchanged(b, &err), "%s", err.text);
    rp_trace_close(a);
    rp_trace_close(b);
}

Test(recover, a_launch_that_was_running_is_cut_short)
{
    struct rp_error err = {0};
    char part[80];
    uint32_t launches;
    kill_writer(start_writer(2, 3, true, part));
    cr_assert(rp_trace_recover(part, path, &launches, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && !rp_trace_damage(t) && rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    cr_expect(rp_trace_launch_count(t) == 2 && rp_trace_launch_end(t, 0) && !rp_trace_launch_end(t, 1));
    cr_expect_eq(rp_trace_launch_totals(t, 1).blocks, 3);
    rp_trace_close(t);
}

Test(recover, nothing_is_left_of_a_file_that_is_empty)
{
    struct rp_error err = {0};
    char part[80];
    uint32_t launches = 9;
    kill_writer(start_writer(1, 4, false, part));
    cr_assert(rp_trace_recover(part, path, &launches, &err), "%s", err.text);
    cr_expect(launches == 0 && access(part, F_OK) && access(path, F_OK));
}
