/* Results as bytes: what replay gave is what is read, and other bytes are refused with one error. */
#include "tools/results/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/session/machine_open.h"
#include "tests/support/synthetic_trace.h"
#include "tracefmt/sha256.h"

static struct machine *machine_named(const char *name)
{
    struct rp_error err;
    struct machine *m = machine_open(&(struct machine_request){.name = name}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static struct rp_trace *trace_of_launches(uint32_t launches, uint32_t streams)
{
    char path[] = "/tmp/reprise-results-XXXXXX";
    struct synthetic_options o = {
        .seed = 7, .launches = launches, .blocks = 3, .streams = streams, .memory_percent = 40, .barriers = true};
    struct rp_error err;
    close(mkstemp(path));
    cr_assert(synthetic_trace_write(path, &o, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && rp_trace_sha256(t, &err), "%s", err.text);
    unlink(path);
    return t;
}

/* A result, and of what it is. */
struct fixture {
    struct machine *machine;
    struct rp_trace *trace;
    struct replay_options options;
    struct result result;
    char identity[RESULT_IDENTITY];
    struct record_origin origin;
    uint8_t *bytes;
    size_t size;
};

static void begin(struct fixture *f, const char *machine, uint32_t launches, uint32_t streams)
{
    struct rp_error err;
    *f = (struct fixture){.options = {.launch = -1}};
    f->machine = machine_named(machine);
    f->trace = trace_of_launches(launches, streams);
    cr_assert(result_replay(f->trace, f->machine, &f->options, &f->result, &err), "%s", err.text);
    cr_assert(record_origin_of(f->trace, f->machine, &f->options, f->identity, &f->origin, &err), "%s", err.text);
    cr_assert((f->bytes = record_write(&f->result, &f->origin, &f->size, &err)), "%s", err.text);
}

static void end(struct fixture *f)
{
    free(f->bytes);
    result_free(&f->result);
    rp_trace_close(f->trace);
    machine_free(f->machine);
}

static void same_launch(const struct machine *m, const struct replay_launch *a, const struct replay_launch *b)
{
    cr_assert_eq(a->launch, b->launch);
    cr_assert_eq(a->begin, b->begin);
    cr_assert_eq(a->end, b->end);
    cr_assert_eq(a->overlaps, b->overlaps);
    cr_assert_eq(a->control_words, b->control_words);
    cr_assert_str_eq(a->warning, b->warning);
    cr_assert_eq(memcmp(&a->statistics, &b->statistics, sizeof a->statistics), 0, "launch %u: %s", a->launch,
                 statistics_difference(m, &a->statistics, &b->statistics));
}

/* Against a replay that keeps its launches as they are. */
static void same_as_replay(const struct fixture *f, const struct result *r)
{
    struct replay_result replayed;
    struct replay_launch launch;
    struct rp_error err;
    cr_assert(replay(f->trace, f->machine, &f->options, &replayed, &err), "%s", err.text);
    struct launch_reader reader = launch_log_read(&r->launches);
    uint32_t overlaps = 0;
    for (uint32_t l = 0; l < replayed.count; l++) {
        cr_assert(launch_log_next(&reader, &launch));
        same_launch(f->machine, &launch, &replayed.launches[l]);
        overlaps += launch.overlaps;
    }
    cr_assert_not(launch_log_next(&reader, &launch));
    cr_assert_eq(r->launches.count, replayed.count);
    cr_assert_eq(r->launches.overlaps, overlaps);
    cr_assert_eq(r->launches.warnings, 0);
    cr_assert_eq(memcmp(&r->total, &replayed.total, sizeof r->total), 0);
    cr_assert_eq(memcmp(r->copies, replayed.copies, sizeof r->copies), 0);
    size_t channels = replay_channel_counters(f->machine);
    cr_assert_eq(channels > 0, r->channels != NULL);
    cr_assert(!channels || !memcmp(r->channels, replayed.channels, channels * sizeof *r->channels));
    replay_result_free(&replayed);
}

static void comes_back(const char *machine, uint32_t launches, uint32_t streams)
{
    struct fixture f;
    struct result back;
    struct rp_error err;
    begin(&f, machine, launches, streams);
    cr_assert(record_read("x", f.bytes, f.size, &f.origin, &back, &err), "%s", err.text);
    same_as_replay(&f, &f.result);
    same_as_replay(&f, &back);
    result_free(&back);
    end(&f);
}

Test(record, a_result_comes_back) { comes_back("jetson-tx2", 3, 1); }
Test(record, launches_that_overlap_come_back) { comes_back("rtx2080", 12, 3); }
Test(record, of_every_pipeline)
{
    comes_back("rtx2060-accelsim", 2, 1);
    comes_back("san-rtx2080", 2, 1);
}

Test(record, warnings_and_large_numbers_come_back)
{
    struct fixture f;
    struct result made = {0}, back;
    struct rp_error err;
    struct replay_launch launch = {.launch = 5, .begin = UINT64_MAX - 1, .end = UINT64_MAX, .control_words = true};
    begin(&f, "jetson-tx2", 1, 1);
    memset(&launch.statistics, 0xff, sizeof launch.statistics);
    memset(launch.warning, 'w', sizeof launch.warning - 1);
    made.total = launch.statistics;
    memset(made.copies, 0xff, sizeof made.copies);
    cr_assert(launch_log_add(&made.launches, &launch, &err));
    struct record_origin of = {.identity = f.identity, .machine = f.machine, .first = 5, .count = 1};
    size_t size;
    uint8_t *bytes = record_write(&made, &of, &size, &err);
    cr_assert(bytes && record_read("x", bytes, size, &of, &back, &err), "%s", err.text);
    struct launch_reader reader = launch_log_read(&back.launches);
    struct replay_launch read;
    cr_assert(launch_log_next(&reader, &read));
    same_launch(f.machine, &launch, &read);
    cr_assert_eq(back.launches.warnings, 1);
    cr_assert_eq(memcmp(&back.total, &made.total, sizeof made.total), 0);
    cr_assert_eq(memcmp(back.copies, made.copies, sizeof made.copies), 0);
    free(bytes);
    result_free(&made);
    result_free(&back);
    end(&f);
}

Test(record, many_alike_launches_take_few_bytes)
{
    struct fixture f;
    struct rp_error err;
    begin(&f, "jetson-tx2", 1, 1);
    struct launch_reader reader = launch_log_read(&f.result.launches);
    struct replay_launch launch;
    cr_assert(launch_log_next(&reader, &launch));
    struct result many = {0};
    for (launch.launch = 0; launch.launch < 10000; launch.launch++) {
        launch.begin = launch.end;
        launch.end += launch.statistics.cycles;
        cr_assert(launch_log_add(&many.launches, &launch, &err));
    }
    size_t size;
    struct record_origin of = {.identity = f.identity, .machine = f.machine, .count = 10000};
    uint8_t *bytes = record_write(&many, &of, &size, &err);
    cr_assert(bytes);
    cr_assert_lt(size, 10000 * 20, "%zu bytes", size);
    free(bytes);
    result_free(&many);
    end(&f);
}

/* ---- other bytes ------------------------------------------------------------------------------------------------- */

/* A copy of exactly these bytes, so that a sanitizer sees a read beyond them. */
static bool reads(const struct fixture *f, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    struct result back;
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    *err = (struct rp_error){0};
    bool fine = record_read("some name", copy, size, &f->origin, &back, err);
    if (fine)
        cr_assert_eq(back.launches.count, f->origin.count);
    else
        cr_assert(!strncmp(err->text, "some name: ", 11) && !strchr(err->text, '\n') && err->status == RP_BAD_INPUT,
                  "%s", err->text);
    if (fine)
        result_free(&back);
    free(copy);
    return fine;
}

Test(record, every_truncation_is_refused)
{
    struct fixture f;
    struct rp_error err;
    begin(&f, "jetson-tx2", 2, 1);
    for (size_t size = 0; size < f.size; size++)
        cr_assert_not(reads(&f, f.bytes, size, &err), "%zu bytes", size);
    cr_assert(reads(&f, f.bytes, f.size, &err));
    end(&f);
}

Test(record, every_changed_bit_is_refused)
{
    struct fixture f;
    struct rp_error err;
    begin(&f, "jetson-tx2", 2, 1);
    for (size_t bit = 0; bit < 8 * f.size; bit++) {
        f.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert_not(reads(&f, f.bytes, f.size, &err), "bit %zu", bit);
        f.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    end(&f);
}

static void seal(uint8_t *bytes, size_t size)
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, bytes, size - 32);
    sha256_end(&sha, bytes + size - 32);
}

/* With a checksum that is right: what is no number of a statistic is refused all the same. */
Test(record, changed_bits_that_somebody_meant)
{
    struct fixture f;
    struct rp_error err;
    size_t refused = 0, read = 0;
    begin(&f, "jetson-tx2", 2, 1);
    for (size_t bit = 0; bit < 8 * (f.size - 32); bit++) {
        f.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        seal(f.bytes, f.size);
        if (reads(&f, f.bytes, f.size, &err))
            read++;
        else
            refused++;
        f.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    cr_assert_gt(refused, 8 * strlen(f.identity), "%zu refused, %zu read", refused, read);
    cr_assert_gt(read, 0, "another number is a number, too");
    end(&f);
}

static void refuses(struct fixture *f, const char *text)
{
    struct rp_error err;
    cr_assert_not(reads(f, f->bytes, f->size, &err));
    cr_assert(strstr(err.text, text), "%s", err.text);
}

Test(record, says_what_is_wrong)
{
    struct fixture f;
    begin(&f, "jetson-tx2", 2, 1);
    struct record_origin right = f.origin;
    f.origin.identity = "another";
    refuses(&f, "a result of another replay");
    f.origin = right;
    f.origin.machine = machine_named("rtx2080");
    refuses(&f, "a result of another replay");
    machine_free((struct machine *)f.origin.machine);
    f.origin = right;
    f.origin.first = 1;
    refuses(&f, "do not read as statistics");
    f.origin = right;
    f.origin.count = 3;
    refuses(&f, "do not read as statistics");
    f.origin = right;
    f.bytes[8] = 5;
    refuses(&f, "format 5; this reprise reads format 4");
    f.bytes[8] = 4;
    f.bytes[16]++;
    seal(f.bytes, f.size);
    refuses(&f, "do not read as statistics");
    f.bytes[22] = 0xff; /* 2^55 bytes of launches: no memory is asked for */
    seal(f.bytes, f.size);
    refuses(&f, "do not read as statistics");
    f.bytes[0] = 'X';
    refuses(&f, "no result of a replay");
    end(&f);
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */

static void key_of(const struct fixture *f, const struct machine *m, const struct replay_options *o, char key[65])
{
    char text[RESULT_IDENTITY];
    struct rp_error err;
    cr_assert(result_identity(f->trace, m, o, text, &err), "%s", err.text);
    result_key(text, key);
}

Test(identity, has_all_that_changes_a_result)
{
    struct fixture f;
    char plain[65], other[65];
    begin(&f, "jetson-tx2", 2, 1);
    struct machine *chance = machine_named("san-rtx2080");
    const struct replay_options all = {.launch = -1};
    const struct replay_options changed[] = {
        {.launch = 0}, {.launch = -1, .engine = REPLAY_REFERENCE}, {.launch = -1, .processors = 2}};
    key_of(&f, f.machine, &all, plain);
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        key_of(&f, f.machine, &changed[i], other);
        cr_assert_str_neq(plain, other, "%zu", i);
    }
    key_of(&f, f.machine, &(struct replay_options){.launch = -1, .threads = 7, .seed = 3}, other);
    cr_assert_str_eq(plain, other, "threads change nothing, nor does a seed without chance");
    key_of(&f, chance, &all, plain);
    key_of(&f, chance, &(struct replay_options){.launch = -1, .seed = 3}, other);
    cr_assert_str_neq(plain, other, "a seed does, with chance");
    machine_free(chance);
    end(&f);
}
