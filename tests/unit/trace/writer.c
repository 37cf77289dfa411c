/* What the writer promises: the same logs give the same bytes, taking back, abandoning, refusing what is wrong. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/synthetic_trace.h"
#include "tracefmt/reader.h"
#include "tracefmt/sha256.h"

static const struct rp_memory_operand load = {.space = RP_SPACE_GLOBAL, .elements = 1, .width = 4};
static const struct rp_instruction instructions[] = {
    {.text = "mov", .unit_class = RP_CLASS_MOVE},
    {.text = "ld", .unit_class = RP_CLASS_MEMORY, .memory_count = 1, .memory = &load},
    {.text = "@p add", .unit_class = RP_CLASS_INT, .flags = RP_GUARDED},
    {.text = "bar", .unit_class = RP_CLASS_BARRIER, .flags = RP_HAS_AUX, .barrier = {RP_BARRIER_SYNC, -1, -1}},
    {.text = "exit", .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT},
};
static const struct rp_kernel kernel = {
    .name = "k", .isa = "test", .instruction_count = 5, .instructions = instructions};
static const struct rp_launch launch = {.grid = {4, 2, 1}, .block = {64, 1, 1}};
static const struct rp_provenance nobody = {0};
static const struct rp_launch_end complete = {RP_OUTCOME_COMPLETE, NULL};

static char directory[] = "/tmp/reprise-writer-XXXXXX";
static char path[64], other[64];

static void make_directory(void)
{
    cr_assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.wtr", directory);
    snprintf(other, sizeof other, "%s/b.wtr", directory);
}

static int files_in_directory(void)
{
    int count = 0;
    DIR *d = opendir(directory);
    for (struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void remove_directory(void)
{
    unlink(path);
    unlink(other);
    cr_expect(rmdir(directory) == 0, "something was left behind");
}

TestSuite(writer, .init = make_directory, .fini = remove_directory);

static struct rp_writer *begin(const char *name)
{
    struct rp_error err = {0};
    uint32_t id;
    struct rp_writer *w = rp_writer_open(name, &nobody, NULL, &err);
    cr_assert(w && rp_writer_add_kernel(w, &kernel, &id, &err), "%s", err.text);
    cr_assert(rp_writer_begin_launch(w, &launch, &id, &err), "%s", err.text);
    return w;
}

static void log_access(struct rp_warp_log *log, uint64_t base, uint64_t stride)
{
    uint64_t address[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = base + l * stride;
    rp_log_access(log, 1, 0, UINT32_MAX, address);
}

static void log_warp(struct rp_warp_log *log, uint64_t block, uint32_t warp)
{
    rp_log_run(log, 0, 5, UINT32_MAX);
    log_access(log, 4096 * block + 128 * warp, block % 3);
    rp_log_guard(log, (rp_lanemask)(block * 77 + warp));
    rp_log_aux(log, RP_BARRIER_AUX(1, 64));
}

static void log_blocks(struct rp_chunk *c, uint64_t first, uint64_t count, bool backwards)
{
    struct rp_warp_log *logs[8];
    for (uint64_t i = 0; i < count; i++)
        logs[i] = rp_chunk_begin_block(c, first + i, 2);
    for (uint64_t i = 0; i < count * 2; i++) {
        uint64_t at = backwards ? count * 2 - 1 - i : i;
        log_warp(&logs[at / 2][at % 2], first + at / 2, at % 2);
    }
    for (uint64_t i = 0; i < count; i++)
        rp_chunk_end_block(c, first + i);
}

static struct rp_frame *blocks(struct rp_chunk *c, uint64_t first, uint64_t count, bool backwards)
{
    struct rp_error err = {0};
    log_blocks(c, first, count, backwards);
    struct rp_frame *f = rp_chunk_finish(c, &err);
    cr_assert(f, "%s", err.text);
    return f;
}

static void end(struct rp_writer *w)
{
    struct rp_error err = {0};
    cr_assert(rp_writer_end_launch(w, 0, &complete, &err) && rp_writer_close(w, &err), "%s", err.text);
}

static void write_plain(const char *name, bool backwards)
{
    struct rp_error err = {0};
    struct rp_writer *w = begin(name);
    struct rp_chunk *c = rp_chunk_new(&kernel, 0, NULL);
    cr_assert(rp_writer_commit(w, blocks(c, 0, 4, backwards), &err) &&
                  rp_writer_commit(w, blocks(c, 4, 4, backwards), &err),
              "%s", err.text);
    rp_chunk_free(c);
    end(w);
}

static void expect_same_files(void)
{
    struct rp_error err = {0};
    struct rp_trace *a = rp_trace_open(path, &err), *b = rp_trace_open(other, &err);
    cr_assert(a && b, "%s", err.text);
    cr_expect_str_eq(rp_trace_sha256(a, &err), rp_trace_sha256(b, &err));
    cr_expect(rp_trace_verify(a, NULL, NULL, &err), "%s", err.text);
    rp_trace_close(a);
    rp_trace_close(b);
}

Test(writer, the_order_in_which_warps_ran_leaves_no_mark)
{
    write_plain(path, false);
    write_plain(other, true);
    expect_same_files();
}

/* Two frames of four blocks, as write_plain, each of two chunks that a third one takes over. */
Test(writer, chunks_that_were_joined_leave_no_mark)
{
    struct rp_error err = {0};
    write_plain(path, false);
    struct rp_writer *w = begin(other);
    struct rp_chunk *joined = rp_chunk_new(&kernel, 0, NULL), *small = rp_chunk_new(&kernel, 0, NULL);
    for (uint64_t first = 0; first < 8; first += 4) {
        log_blocks(joined, first, 1, false);
        log_blocks(small, first + 1, 2, false);
        rp_chunk_absorb(joined, small);
        cr_expect_eq(rp_chunk_bytes(small), 0);
        log_blocks(small, first + 3, 1, false);
        rp_chunk_absorb(joined, small);
        struct rp_frame *f = rp_chunk_finish(joined, &err);
        cr_assert(f && rp_writer_commit(w, f, &err), "%s", err.text);
    }
    rp_chunk_free(joined);
    rp_chunk_free(small);
    end(w);
    expect_same_files();
}

Test(writer, taking_back_leaves_no_mark)
{
    struct rp_error err = {0};
    write_plain(path, false);
    struct rp_writer *w = begin(other);
    struct rp_chunk *c = rp_chunk_new(&kernel, 0, NULL);
    cr_assert(rp_writer_commit(w, blocks(c, 0, 4, false), &err));
    struct rp_writer_mark mark = rp_writer_mark(w);
    uint64_t bytes = rp_writer_bytes(w);
    cr_assert(rp_writer_commit(w, blocks(c, 4, 2, true), &err));
    cr_assert(rp_writer_commit(w, blocks(c, 6, 1, true), &err));
    cr_assert(rp_writer_rollback(w, mark, &err), "%s", err.text);
    cr_assert_eq(rp_writer_bytes(w), bytes);
    cr_assert(rp_writer_commit(w, blocks(c, 4, 4, false), &err), "%s", err.text);
    rp_chunk_free(c);
    end(w);
    expect_same_files();
}

Test(writer, abandoning_and_failing_leave_no_file)
{
    struct rp_error err = {0};
    rp_writer_abandon(NULL);
    struct rp_writer *w = begin(path);
    cr_assert_eq(files_in_directory(), 1);
    struct stat st;
    cr_assert(!stat(rp_writer_temporary(w), &st) && stat(path, &st));
    rp_writer_abandon(w);
    cr_assert_eq(files_in_directory(), 0);
    w = begin(path);
    cr_assert(!rp_writer_close(w, &err) && strstr(err.text, "not ended"), "%s", err.text);
    cr_assert_eq(files_in_directory(), 0);
    cr_assert(!rp_writer_open("/nonexistent/a.wtr", &nobody, NULL, &err) && strstr(err.text, "/nonexistent/a.wtr"));
    cr_assert(!rp_writer_open("/dev/null", &nobody, NULL, &err) && strstr(err.text, "/dev/null"));
}

/* A link stays, and the file that it leads to is written, which need not exist; a temporary file lies beside that. */
Test(writer, links_are_followed)
{
    struct stat st;
    char folder[80], file[96];
    snprintf(folder, sizeof folder, "%s.d", path);
    snprintf(file, sizeof file, "%s/a.wtr", folder);
    cr_assert(!mkdir(folder, 0777) && !symlink("a.wtr.d/a.wtr", path));
    for (int again = 0; again < 2; again++) { /* the second one replaces the file */
        struct rp_error err = {0};
        struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
        cr_assert(w, "%s", err.text);
        cr_expect_eq(strncmp(rp_writer_temporary(w), file, strlen(file)), 0);
        cr_assert(rp_writer_close(w, &err), "%s", err.text);
        cr_expect(!lstat(path, &st) && S_ISLNK(st.st_mode));
        cr_expect(!lstat(file, &st) && S_ISREG(st.st_mode));
    }
    unlink(file);
    rmdir(folder);
}

/* One block whose first warp is logged by `log`; the error that finishing or committing gives. */
static void expect_refusal(void (*log)(struct rp_warp_log *), uint64_t block, const char *text)
{
    struct rp_error err = {0};
    struct rp_writer *w = begin(path);
    struct rp_chunk *c = rp_chunk_new(&kernel, 0, NULL);
    log(rp_chunk_begin_block(c, block, 2));
    rp_chunk_end_block(c, block);
    struct rp_frame *f = rp_chunk_finish(c, &err);
    cr_expect(!f || !rp_writer_commit(w, f, &err), "%s: not refused", text);
    cr_expect(strstr(err.text, text), "%s", err.text);
    rp_chunk_free(c);
    rp_writer_abandon(w);
}

static void beyond_the_end(struct rp_warp_log *log) { rp_log_run(log, 3, 3, 1); }
static void no_lanes(struct rp_warp_log *log) { rp_log_run(log, 0, 1, 0); }
static void no_guard(struct rp_warp_log *log) { rp_log_run(log, 2, 1, 1); }
static void no_access(struct rp_warp_log *log) { rp_log_run(log, 1, 1, UINT32_MAX); }
static void nothing(struct rp_warp_log *log) { (void)log; }
static void odd_guard(struct rp_warp_log *log)
{
    rp_log_run(log, 2, 1, 1);
    rp_log_guard(log, 3);
}

Test(writer, logs_that_contradict_themselves_are_refused)
{
    expect_refusal(beyond_the_end, 0, "does not fit a kernel of 5 instructions");
    expect_refusal(no_lanes, 0, "does not fit");
    expect_refusal(no_guard, 0, "guard");
    expect_refusal(no_access, 0, "logged 0 accesses");
    expect_refusal(odd_guard, 0, "not active");
    expect_refusal(nothing, 8, "does not fit the launch");
}

Test(writer, what_a_reader_would_refuse_is_refused)
{
    struct rp_error err = {0};
    struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
    struct rp_kernel empty = {.name = "empty", .isa = "test"};
    struct rp_launch big = {.grid = {1, 1, 1}, .block = {1024, 2, 1}}, none = {.grid = {1, 0, 1}, .block = {1, 1, 1}};
    uint32_t id;
    cr_expect(!rp_writer_begin_launch(w, &launch, &id, &err) && strstr(err.text, "not in the trace"), "%s", err.text);
    cr_expect(!rp_writer_add_kernel(w, &empty, &id, &err) && strstr(err.text, "empty"), "%s", err.text);
    cr_assert(rp_writer_add_kernel(w, &kernel, &id, &err), "%s", err.text);
    cr_expect(!rp_writer_begin_launch(w, &big, &id, &err) && strstr(err.text, "2048"), "%s", err.text);
    cr_expect(!rp_writer_begin_launch(w, &none, &id, &err), "a grid without blocks");
    cr_assert(rp_writer_begin_launch(w, &launch, &id, &err), "%s", err.text);
    rp_writer_abandon(w);
}

Test(writer, a_launch_that_faulted_keeps_what_there_is)
{
    static const struct rp_launch_end fault = {RP_OUTCOME_FAULT, "out of bounds"};
    struct rp_error err = {0};
    struct rp_writer *w = begin(path);
    struct rp_chunk *c = rp_chunk_new(&kernel, 0, NULL);
    struct rp_warp_log *logs = rp_chunk_begin_block(c, 0, 2);
    log_warp(&logs[0], 0, 0); /* the other warp did nothing yet, and the block does not end */
    cr_assert(rp_writer_commit(w, rp_chunk_finish(c, &err), &err), "%s", err.text);
    cr_assert(rp_writer_commit(w, rp_chunk_finish(c, &err), &err), "nothing new: %s", err.text);
    rp_chunk_free(c);
    cr_assert(rp_writer_end_launch(w, 0, &fault, &err) && rp_writer_close(w, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    cr_expect_str_eq(rp_trace_launch_end(t, 0)->fault, "out of bounds");
    struct rp_launch_totals totals = rp_trace_launch_totals(t, 0);
    cr_expect_eq(totals.blocks, 1);
    cr_expect_eq(totals.chunks, 1);
    cr_expect_eq(totals.warp_instructions, 5);
    struct rp_block *b = rp_block_open(t, 0, 0, &err);
    struct rp_cursor cursor;
    struct rp_step step;
    cr_assert(b && rp_cursor_open(&cursor, b, 1, &err), "%s", err.text);
    cr_expect_eq(rp_cursor_next(&cursor, &step, &err), 0);
    rp_cursor_close(&cursor);
    rp_block_close(b);
    cr_expect(!rp_block_open(t, 0, 1, &err) && strstr(err.text, "not in the trace"), "%s", err.text);
    rp_trace_close(t);
}

Test(writer, tables_come_back_as_they_were)
{
    static const struct rp_option options[] = {{"arg", "gr\xc3\xbc\xc3\x9f"},
                                               {"odd", "a\xff"
                                                       "b"}};
    static const struct rp_provenance p = {"tool", "m.ptx", "00ff", 2, options};
    static const struct rp_register_table {
        rp_register dst[2], src[1];
    } regs = {{RP_REGISTER(RP_FILE_GENERAL, 0xffffff, 16), RP_REGISTER(RP_FILE_CARRY, 0, 1)},
              {RP_REGISTER(RP_FILE_PREDICATE, 6, 1)}};
    static const uint8_t raw[] = {0, 1, 0xff};
    static const struct rp_memory_operand operands[] = {{RP_SPACE_SHARED_CLUSTER, RP_ACCESS_PREFETCH, RP_SCOPE_SYSTEM,
                                                         RP_ORDER_MMIO, RP_CACHE_NC, RP_ATOMIC_CAS, RP_VALUE_FLOAT, 8,
                                                         32, 0, RP_EVICT_NO_ALLOCATE, RP_EVICT_UNCHANGED},
                                                        {.space = RP_SPACE_LOCAL, .width = 1}};
    static const struct rp_instruction list[] = {{.pc = UINT64_MAX,
                                                  .raw = raw,
                                                  .raw_size = 3,
                                                  .control = 0x1fffff,
                                                  .text = "t",
                                                  .unit_class = RP_CLASS_UNIFORM,
                                                  .flags = 0xff,
                                                  .guard = RP_REGISTER(RP_FILE_PREDICATE, 6, 1),
                                                  .dst_count = 2,
                                                  .src_count = 1,
                                                  .memory_count = 2,
                                                  .dst = regs.dst,
                                                  .src = regs.src,
                                                  .memory = operands,
                                                  .barrier = {RP_BARRIER_REDUCE, -1, 64},
                                                  .fence_scope = RP_SCOPE_CLUSTER,
                                                  .file = 1,
                                                  .line = 9}};
    static const char *const files[] = {"a.cu", "b.cu"};
    static const struct rp_live live = {UINT16_MAX, 7, 254};
    static const struct rp_kernel k = {"n", "sm_62", 1, list, 2, files, 0, NULL, &live, 255, 49152, 64, 1024, 0, 0};
    struct rp_error err = {0};
    uint32_t id;
    struct rp_writer *w = rp_writer_open(path, &p, NULL, &err);
    cr_assert(rp_writer_add_kernel(w, &k, &id, &err) && rp_writer_close(w, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    cr_expect_str_eq(rp_trace_provenance(t)->options[0].value, options[0].value);
    cr_expect_str_eq(rp_trace_provenance(t)->options[1].value, "a\\xffb");
    const struct rp_kernel *g = rp_trace_kernel(t, 0);
    const struct rp_instruction *i = g->instructions;
    cr_expect(!strcmp(g->name, "n") && !strcmp(g->isa, "sm_62") && !strcmp(g->files[1], "b.cu"));
    cr_expect(g->live && g->live->registers == UINT16_MAX && g->live->predicates == 7 && g->live->after == 254);
    cr_expect(g->registers == 255 && g->static_shared == 49152 && g->local_bytes == 64 && g->max_threads == 1024);
    cr_expect(i->pc == UINT64_MAX && i->raw_size == 3 && !memcmp(i->raw, raw, 3) && i->control == 0x1fffff);
    cr_expect(!strcmp(i->text, "t") && i->unit_class == RP_CLASS_UNIFORM && i->flags == 0xff &&
              i->guard == list->guard);
    cr_expect(i->dst_count == 2 && i->src_count == 1 && !memcmp(i->dst, regs.dst, 8) && i->src[0] == regs.src[0]);
    cr_assert(i->memory_count == 2);
    for (int o = 0; o < 2; o++)
        cr_expect_not(memcmp(&i->memory[o], &operands[o], offsetof(struct rp_memory_operand, evict_l2) + 1));
    cr_expect(i->barrier.kind == RP_BARRIER_REDUCE && i->barrier.id == -1 && i->barrier.count == 64);
    cr_expect(i->fence_scope == RP_SCOPE_CLUSTER && i->file == 1 && i->line == 9);
    rp_trace_close(t);
}

/* ---- several readers ----------------------------------------------------------------------------------------------
 */

static void *count_steps(void *trace)
{
    struct rp_error err = {0};
    uint64_t *count = calloc(1, sizeof *count);
    for (uint64_t block = 0; block < rp_launch_blocks(rp_trace_launch(trace, 0)); block++) {
        struct rp_block *b = rp_block_open(trace, 0, block, &err);
        for (uint32_t w = 0; b && w < rp_block_warps(b); w++) {
            struct rp_cursor c;
            struct rp_step s;
            if (rp_cursor_open(&c, b, w, &err))
                while (rp_cursor_next(&c, &s, &err) == 1)
                    ++*count;
            rp_cursor_close(&c);
        }
        rp_block_close(b);
    }
    return count;
}

Test(writer, several_threads_read_one_trace)
{
    struct synthetic_options o = {.seed = 5, .blocks = 40, .threads = 96, .memory_percent = 30, .chunk_bytes = 3000};
    struct rp_error err = {0};
    cr_assert(synthetic_trace_write(path, &o, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        cr_assert(!pthread_create(&thread[i], NULL, count_steps, t));
    for (int i = 0; i < 4; i++) {
        void *count;
        pthread_join(thread[i], &count);
        cr_expect_eq(*(uint64_t *)count, rp_trace_launch_totals(t, 0).warp_instructions);
        free(count);
    }
    rp_trace_close(t);
}

static uint64_t instructions_of(struct rp_trace *t, uint32_t launch)
{
    return rp_trace_launch_totals(t, launch).warp_instructions;
}

/* Read before, between and after launches, and the file is none the worse for it. */
Test(writer, what_is_written_so_far_can_be_read)
{
    static const struct rp_launch one_block = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    struct rp_error err = {0};
    struct rp_trace *seen[3];
    for (int scratch = 0; scratch < 2; scratch++) {
        uint32_t id;
        struct rp_writer *w = rp_writer_open(path, &nobody, &(struct rp_writer_options){.scratch = scratch}, &err);
        cr_assert(w, "%s", err.text);
        cr_expect_eq(files_in_directory(), scratch ? 0 : 1);
        cr_assert(rp_writer_add_kernel(w, &kernel, &id, &err));
        for (uint32_t i = 0; i < 3; i++) {
            cr_assert(rp_writer_begin_launch(w, &one_block, &id, &err));
            cr_expect_null(rp_writer_read(w, &err), "while a launch is open");
            struct rp_chunk *c = rp_chunk_new(&kernel, id, NULL);
            struct rp_warp_log *logs = rp_chunk_begin_block(c, 0, 2);
            rp_log_run(&logs[0], 0, 1, ~0u);
            for (uint32_t n = 0; n < i; n++)
                rp_log_run(&logs[1], 0, 1, ~0u);
            rp_chunk_end_block(c, 0);
            cr_assert(rp_writer_commit(w, rp_chunk_finish(c, &err), &err), "%s", err.text);
            rp_chunk_free(c);
            cr_assert(rp_writer_end_launch(w, id, &complete, &err));
            seen[i] = rp_writer_read(w, &err);
            cr_assert(seen[i], "%s", err.text);
            cr_expect_null(rp_trace_damage(seen[i]));
        }
        cr_assert(rp_writer_close(w, &err), "%s", err.text);
        for (uint32_t i = 0; i < 3; i++) {
            cr_expect_eq(rp_trace_launch_count(seen[i]), i + 1);
            for (uint32_t l = 0; l <= i; l++)
                cr_expect_eq(instructions_of(seen[i], l), l + 1);
            struct rp_block *b = rp_block_open(seen[i], i, 0, &err); /* its chunk is still there */
            cr_expect(b, "%s", err.text);
            rp_block_close(b);
            rp_trace_close(seen[i]);
        }
        cr_expect_eq(files_in_directory(), scratch ? 0 : 1);
        if (!scratch) {
            struct rp_trace *whole = rp_trace_open(path, &err);
            cr_expect(whole && rp_trace_verify(whole, NULL, NULL, &err), "%s", err.text);
            rp_trace_close(whole);
            unlink(path);
        }
    }
}
