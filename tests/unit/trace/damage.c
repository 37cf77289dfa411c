/* Cut and damaged files: never a crash, always a message or the whole content, and whatever is read is true. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/synthetic_trace.h"
#include "tracefmt/reader.h"

/* What each warp really did, a number per step. */
struct truth {
    uint64_t *steps;
    size_t count, capacity, checked;
    const struct rp_kernel *kernel;
};

static struct truth truths[4][64][32]; /* launch, block, warp */
static struct synthetic_trace *original;
static char path[] = "/tmp/reprise-damage-XXXXXX";
static uint64_t bytes, all_steps;

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15u ^ (h >> 31); }

static uint64_t step_number(const struct rp_kernel *k, const struct synthetic_step *s)
{
    const struct rp_instruction *in = &k->instructions[s->index];
    uint64_t h = mix(mix(mix(1, s->index), s->active), s->executed);
    for (unsigned i = 0; s->executed && i < rp_aux_count(in); i++)
        h = mix(h, s->aux[i]);
    for (uint32_t m = 0; s->executed && m < in->memory_count; m++)
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            if (s->executed >> l & 1)
                h = mix(h, s->address[m][l]);
    return h;
}

static void remember(void *data, const struct synthetic_step *s)
{
    struct truth *t = data;
    if (t->count == t->capacity) {
        t->capacity = t->capacity * 2 + 64;
        t->steps = realloc(t->steps, t->capacity * sizeof *t->steps);
    }
    t->steps[t->count++] = step_number(t->kernel, s);
    all_steps++;
}

static void make(void)
{
    struct rp_error err = {0};
    struct synthetic_options o = {.seed = 99, .launches = 2, .blocks = 10, .threads = 96, .memory_percent = 40};
    o.guard_percent = 20;
    o.diverge_percent = 30;
    o.random_percent = 10;
    o.barriers = o.several_operands = o.aux = o.objects = o.inlined = true;
    o.chunk_bytes = 30000;
    original = synthetic_new(&o);
    close(mkstemp(path));
    cr_assert(synthetic_write(original, path, &err), "%s", err.text);
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t b = 0; b < 10; b++)
            for (uint32_t w = 0; w < 3; w++) {
                truths[l][b][w].kernel = synthetic_kernel(original);
                synthetic_warp(original, l, b, w, remember, &truths[l][b][w]);
            }
    struct stat st;
    cr_assert(!stat(path, &st));
    bytes = (uint64_t)st.st_size;
}

static void drop(void)
{
    unlink(path);
    synthetic_free(original);
}

/* Reads a warp; returns the steps read, all of which must be true. */
static uint64_t read_warp(struct rp_block *b, uint32_t l, uint64_t block, uint32_t w, bool *complained)
{
    struct truth *t = &truths[l][block][w];
    struct rp_cursor c;
    struct rp_step s;
    struct rp_error err = {0};
    uint64_t count = 0;
    int more = -1;
    if (rp_cursor_open(&c, b, w, &err))
        while ((more = rp_cursor_next(&c, &s, &err)) == 1) {
            struct synthetic_step got = {.index = s.index, .active = s.active, .executed = s.executed};
            for (unsigned i = 0; s.executed && i < rp_aux_count(s.instruction); i++)
                got.aux[i] = s.aux_values[i];
            for (uint32_t m = 0; s.executed && m < s.instruction->memory_count; m++)
                rp_access_addresses(&s.accesses[m], got.address[m]);
            cr_assert(count < t->count && t->steps[count] == step_number(t->kernel, &got),
                      "launch %u block %" PRIu64 " warp %u step %" PRIu64 " was read wrongly", l, block, w, count);
            count++;
        }
    rp_cursor_close(&c);
    if (more < 0) {
        cr_assert(*err.text, "an error without a text");
        *complained = true;
    }
    return count;
}

static uint64_t read_all(struct rp_trace *t, bool *complained)
{
    uint64_t count = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++) {
        cr_assert(l < 2);
        for (uint64_t block = 0; block < 10; block++) {
            struct rp_error err = {0};
            struct rp_block *b = rp_block_open(t, l, block, &err);
            if (!b) {
                cr_assert(*err.text && !strchr(err.text, '\n'));
                *complained = true;
                continue;
            }
            for (uint32_t w = 0; w < rp_block_warps(b); w++)
                count += read_warp(b, l, block, w, complained);
            rp_block_close(b);
        }
    }
    return count;
}

/* Opens, verifies, reads; the content must be whole, or there must have been a message. Returns the steps read. */
static uint64_t examine(const char *what, uint64_t where)
{
    struct rp_error err = {0};
    struct rp_trace *t = rp_trace_open(path, &err);
    if (!t) {
        cr_assert(*err.text && !strchr(err.text, '\n'), "%s at %" PRIu64 ": no message", what, where);
        cr_assert(strstr(err.text, path), "the message does not name the file: %s", err.text);
        return 0;
    }
    bool complained = rp_trace_damage(t) != NULL;
    bool verified = rp_trace_verify(t, NULL, NULL, &err);
    cr_assert(verified || (*err.text && strstr(err.text, path)), "%s at %" PRIu64 ": no message", what, where);
    cr_assert(!(verified && complained), "%s at %" PRIu64 ": verified although damaged", what, where);
    uint64_t steps = read_all(t, &complained);
    cr_assert(!verified || (steps == all_steps && !complained), "%s at %" PRIu64 ": verified, but not whole", what,
              where);
    rp_trace_close(t);
    return steps;
}

TestSuite(damage, .init = make, .fini = drop);

Test(damage, the_original_is_whole) { cr_assert_eq(examine("nothing", 0), all_steps); }

Test(damage, cut_at_two_hundred_places_what_is_whole_is_read)
{
    uint64_t before = all_steps;
    for (uint64_t i = 200; i-- > 0;) {
        uint64_t length = bytes * i / 200;
        cr_assert(!truncate(path, (off_t)length));
        uint64_t steps = examine("cut", length);
        cr_assert(steps <= before, "a shorter file has more");
        before = steps;
        if (i == 150)
            cr_assert_gt(steps, all_steps / 3, "only %" PRIu64 " of %" PRIu64 " steps", steps, all_steps);
    }
    cr_assert_eq(before, 0);
}

Test(damage, two_thousand_flipped_bits)
{
    uint64_t random = 4711, salvaged = 0;
    int fd = open(path, O_RDWR);
    cr_assert(fd >= 0);
    for (int i = 0; i < 2000; i++) {
        uint64_t where = synthetic_random(&random) % bytes;
        uint8_t byte, flipped;
        cr_assert(pread(fd, &byte, 1, (off_t)where) == 1);
        flipped = byte ^ (uint8_t)(1u << (synthetic_random(&random) % 8));
        cr_assert(pwrite(fd, &flipped, 1, (off_t)where) == 1);
        salvaged += examine("bit", where) > 0;
        cr_assert(pwrite(fd, &byte, 1, (off_t)where) == 1);
    }
    close(fd);
    /* nearly every flip leaves most of the file readable */
    cr_assert_gt(salvaged, 1500);
}

Test(damage, a_lost_index_loses_nothing_else)
{
    struct rp_error err = {0};
    cr_assert(!truncate(path, (off_t)bytes - 1));
    cr_assert_eq(examine("index", bytes - 1), all_steps);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && strstr(rp_trace_damage(t), "index"), "%s", rp_trace_damage(t));
    rp_trace_close(t);
}

Test(damage, a_damaged_chunk_is_named_with_frame_and_offset)
{
    struct rp_error err = {0};
    int fd = open(path, O_RDWR);
    uint8_t byte = 0;
    cr_assert(pread(fd, &byte, 1, (off_t)bytes / 2) == 1);
    byte ^= 0x10;
    cr_assert(pwrite(fd, &byte, 1, (off_t)bytes / 2) == 1);
    close(fd);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && !rp_trace_verify(t, NULL, NULL, &err));
    cr_assert(strstr(err.text, "frame ") && strstr(err.text, "offset "), "%s", err.text);
    cr_assert_eq(err.status, RP_BAD_INPUT);
    rp_trace_close(t);
}

Test(damage, other_files_are_no_traces)
{
    static const char *const contents[] = {"", "x", "hello, world\n", "\x28\xb5\x2f\xfd",
                                           "\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        struct rp_error err = {0};
        FILE *f = fopen(path, "w");
        fputs(contents[i], f);
        fclose(f);
        cr_assert(!rp_trace_open(path, &err) && strstr(err.text, path), "%s", err.text);
        cr_assert_eq(err.status, RP_BAD_INPUT);
    }
    struct rp_error err = {0};
    cr_assert(!rp_trace_open("/nonexistent/x.wtr", &err) && strstr(err.text, "/nonexistent/x.wtr"));
    cr_assert(!rp_trace_open("/tmp", &err) && strstr(err.text, "/tmp"));
}
