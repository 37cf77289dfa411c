/* The cache model `sectored` as machines with it see it: what goes, where lines belong, what a write leaves. Timing and
 * queues are compared with a simulation in tests/unit/memory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/cache/set-hash.h"
#include "hw-models/set/models.h"
#include "replay/base/machine.h"
#include "replay/session/machine_open.h"

/* A cache of 8 lines of 128 bytes in one set, unless settings say otherwise, at L1. */
struct rig {
    struct machine *machine;
    void *state;
    uint32_t name;
};

static struct rig rig_with(const struct machine_setting *more, size_t count)
{
    struct machine_setting settings[16] = {{"l1", "sectored"}, {"l1.size", "1K"}, {"l1.ways", "8"}};
    struct rp_error err;
    for (size_t i = 0; i < count; i++)
        settings[3 + i] = more[i];
    struct rig r = {
        .machine = machine_open(
            &(struct machine_request){.name = "tx2-pastis", .settings = settings, .setting_count = 3 + count}, &err)};
    cr_assert(r.machine, "%s", err.text);
    size_t size = (cache_sectored.model.state_size(r.machine->l1.options) + 63) / 64 * 64;
    r.state = aligned_alloc(64, size);
    memset(r.state, 0, size);
    cache_sectored.reset(r.state, r.machine->l1.options);
    return r;
}

static void rig_end(struct rig *r)
{
    free(r->state);
    machine_free(r->machine);
}

static struct cache_finding ask(struct rig *r, uint64_t address, enum cache_kind kind, uint32_t bytes, unsigned hint)
{
    struct cache_finding f, ignored;
    struct cache_look_up q = {
        .address = address, .cycle = 10, .kind = kind, .fetch = r->name++, .hint = (uint8_t)hint, .bytes = bytes};
    cache_sectored.look_up(r->state, &q, &f);
    if (f.fetches) {
        cache_sectored.filled(r->state, f.place, q.fetch, 10);
        cache_sectored.released(r->state, f.place, &ignored);
    }
    return f;
}

static bool reads(struct rig *r, uint64_t line)
{
    return ask(r, line * 128, CACHE_READ, CACHE_ALL_BYTES, CACHE_HINT_NONE).hit;
}

/* Which of lines 0 to 7 is gone once line 8 has been read; and no other is. */
static unsigned gone(struct rig *r)
{
    unsigned missing = 99;
    reads(r, 8);
    for (unsigned line = 0; line < 8; line++) {
        struct cache_finding f;
        struct cache_look_up q = {.address = line * 128, .cycle = 10, .may_not_fetch = true};
        cache_sectored.look_up(r->state, &q, &f);
        cr_assert(!f.refused || missing == 99, "one line goes");
        missing = f.refused ? line : missing;
    }
    return missing;
}

static unsigned gone_with(const char *replacement)
{
    const struct machine_setting settings[] = {{"l1.replacement", replacement}};
    struct rig r = rig_with(settings, 1);
    for (unsigned line = 0; line < 8; line++)
        cr_assert_not(reads(&r, line));
    cr_assert(reads(&r, 0) && reads(&r, 2));
    unsigned line = gone(&r);
    rig_end(&r);
    return line;
}

/* 0 and 2 were used last. The tree's bits point away from 2, 0 and 7, in this order: from the upper to the lower half
 * of lines that was used less lately. */
Test(sectored, the_line_that_goes_is_the_policys)
{
    cr_expect_eq(gone_with("lru"), 1);
    cr_expect_eq(gone_with("fifo"), 0);
    cr_expect_eq(gone_with("plru"), 4, "the half without 2, its quarter without 7, its line without 5");
    cr_expect_lt(gone_with("random"), 8);
}

Test(sectored, random_replacement_takes_all_lines_about_as_often)
{
    const struct machine_setting settings[] = {{"l1.replacement", "random"}};
    struct rig r = rig_with(settings, 1);
    unsigned hits = 0, runs = 80000;
    uint64_t state = 1;
    for (unsigned line = 0; line < 16; line++)
        reads(&r, line);
    for (unsigned i = 0; i < runs; i++) {
        state = state * 2862933555777941757u + 3037000493u;
        hits += reads(&r, state >> 60);
    }
    cr_expect(hits > runs * 45 / 100 && hits < runs * 55 / 100, "8 of 16 lines are there: %u", hits);
    rig_end(&r);
}

/* The line that goes once all lines were awaited, a read was refused so often, and all have come. */
static unsigned gone_after(unsigned refusals)
{
    const struct machine_setting settings[] = {{"l1.replacement", "random"}};
    struct rig r = rig_with(settings, 1);
    struct cache_finding f[8], refused;
    struct cache_look_up q = {.cycle = 10, .kind = CACHE_READ, .bytes = CACHE_ALL_BYTES};
    for (unsigned line = 0; line < 8; line++) {
        q.address = line * 128, q.fetch = r.name++;
        cache_sectored.look_up(r.state, &q, &f[line]);
        cr_assert(f[line].fetches);
    }
    q.address = UINT64_C(20) * 128;
    for (unsigned i = 0; i < refusals; i++) {
        cache_sectored.look_up(r.state, &q, &refused);
        cr_assert(refused.refused);
    }
    for (unsigned line = 0; line < 8; line++) {
        cache_sectored.filled(r.state, f[line].place, line, 10);
        cache_sectored.released(r.state, f[line].place, &refused);
    }
    unsigned line = gone(&r);
    rig_end(&r);
    return line;
}

/* Engines differ in how often they try again. */
Test(sectored, who_is_refused_draws_nothing)
{
    for (unsigned refusals = 1; refusals < 6; refusals++)
        cr_expect_eq(gone_after(refusals), gone_after(0), "%u refusals", refusals);
}

Test(sectored, lines_that_are_to_go_first_do)
{
    struct rig r = rig_with(NULL, 0);
    for (unsigned line = 0; line < 8; line++)
        ask(&r, line * 128, CACHE_READ, CACHE_ALL_BYTES, line == 6 ? CACHE_HINT_FIRST : CACHE_HINT_NONE);
    cr_expect_eq(gone(&r), 6);
    rig_end(&r);
}

/* A line that is to go last outlives a newer one; one that is read with its priority unchanged stays the oldest. */
Test(sectored, lines_that_are_to_go_last_do)
{
    struct rig r = rig_with(NULL, 0);
    for (unsigned line = 0; line < 8; line++)
        ask(&r, line * 128, CACHE_READ, CACHE_ALL_BYTES, line == 0 ? CACHE_HINT_LAST : CACHE_HINT_NONE);
    ask(&r, 128, CACHE_READ, CACHE_ALL_BYTES, CACHE_HINT_SAME);
    cr_expect_eq(gone(&r), 1);
    rig_end(&r);
}

/* Strides that are powers of two meet as many sets as there are, with a hash. */
Test(sectored, hashed_sets_are_met_alike_by_power_of_two_strides)
{
    for (unsigned kind = SET_HASH_XOR; kind <= SET_HASH_IPOLY; kind++)
        for (unsigned bits = 1; bits <= SET_HASH_MOST_BITS; bits++) {
            struct set_hash h;
            set_hash_begin(&h, kind, bits);
            for (unsigned shift = 0; shift <= 20; shift++) {
                static uint32_t met[1 << SET_HASH_MOST_BITS];
                uint32_t sets = 1u << bits;
                memset(met, 0, sets * sizeof *met);
                for (uint64_t i = 0; i < sets; i++)
                    met[set_hash(&h, i << shift)]++;
                uint32_t most = 0;
                for (uint32_t s = 0; s < sets; s++)
                    most = met[s] > most ? met[s] : most;
                bool aligned = shift % bits == 0 || kind == SET_HASH_IPOLY;
                cr_assert(!aligned || most == 1, "%s of %u bits, stride 2^%u: %u lines in one set",
                          kind == SET_HASH_XOR ? "xor" : "ipoly", bits, shift, most);
            }
        }
}

/* Bytes of a sector that was never fetched. */
Test(sectored, written_bytes_are_kept_and_whole_sectors_need_no_fetch)
{
    const struct machine_setting settings[] = {{"l1.write", "back"}, {"l1.write_miss", "validate"}};
    struct rig r = rig_with(settings, 2);
    struct cache_finding f = ask(&r, 0, CACHE_WRITE, 0xffff, CACHE_HINT_NONE);
    cr_expect(!f.hit && f.served && !f.fetches);
    f = ask(&r, 0, CACHE_WRITE, 0xffff0000, CACHE_HINT_NONE);
    cr_expect(f.hit && f.served, "the other half");
    f = ask(&r, 0, CACHE_READ, CACHE_ALL_BYTES, CACHE_HINT_NONE);
    cr_expect(f.hit && f.served, "all bytes were written: it is there");
    ask(&r, 32, CACHE_WRITE, 0xff, CACHE_HINT_NONE);
    f = ask(&r, 32, CACHE_READ, CACHE_ALL_BYTES, CACHE_HINT_NONE);
    cr_expect(!f.hit && f.fetches && f.reads, "of a part the rest is fetched");
    f = ask(&r, 32, CACHE_READ, CACHE_ALL_BYTES, CACHE_HINT_NONE);
    cr_expect(f.hit);
    uint32_t written = 0;
    for (unsigned line = 1; line <= 8; line++)
        written |= ask(&r, line * 128, CACHE_READ, CACHE_ALL_BYTES, CACHE_HINT_NONE).written;
    cr_expect_eq(written, 3, "both sectors are written back with their line");
    rig_end(&r);
}

/* Writes a whole line of four sectors. Returns the sectors that are written back, of line *victim. */
static uint32_t written_by(struct rig *r, uint64_t line, uint64_t *victim)
{
    uint32_t written = 0;
    for (unsigned sector = 0; sector < 4; sector++) {
        struct cache_finding f = ask(r, line * 128 + sector * 32, CACHE_WRITE, CACHE_ALL_BYTES, CACHE_HINT_NONE);
        if (f.written)
            *victim = f.victim / 128;
        written |= f.written;
    }
    return written;
}

/* Of eight lines two may be dirty. The one whose last use is longest ago is written back, and stays. */
Test(sectored, a_dirty_line_too_many_is_written_back_early)
{
    const struct machine_setting settings[] = {
        {"l1.write", "back"}, {"l1.write_miss", "validate"}, {"l1.dirty_ways", "2"}};
    struct rig r = rig_with(settings, 3);
    uint64_t victim;
    cr_expect_eq(written_by(&r, 0, &victim), 0);
    cr_expect_eq(written_by(&r, 1, &victim), 0);
    cr_expect_eq(written_by(&r, 0, &victim), 0, "line 0 is dirty already");
    cr_expect_eq(written_by(&r, 2, &victim), 15);
    cr_expect_eq(victim, 1, "line 0 was used later");
    cr_expect(reads(&r, 1), "it is still there");
    for (uint64_t line = 3; line < 8; line++) {
        cr_expect_eq(written_by(&r, line, &victim), 15);
        cr_expect_eq(victim, line == 3 ? 0 : line - 2);
    }
    uint32_t written = 0;
    for (uint64_t line = 8; line < 16; line++)
        written +=
            (uint32_t)__builtin_popcount(ask(&r, line * 128, CACHE_READ, CACHE_ALL_BYTES, CACHE_HINT_NONE).written);
    cr_expect_eq(written, 2 * 4, "the last two are written back when they are replaced");
    rig_end(&r);
}

/* A line that is still being written is not: it would be written back again. */
Test(sectored, lines_that_are_written_in_part_stay_dirty)
{
    const struct machine_setting settings[] = {
        {"l1.write", "back"}, {"l1.write_miss", "validate"}, {"l1.dirty_ways", "1"}};
    struct rig r = rig_with(settings, 3);
    uint64_t victim = 99;
    for (uint64_t line = 0; line < 4; line++)
        cr_expect(!ask(&r, line * 128, CACHE_WRITE, 1, CACHE_HINT_NONE).written);
    cr_expect_eq(written_by(&r, 4, &victim), 0, "the others are not whole");
    cr_expect_eq(written_by(&r, 0, &victim), 0, "line 0 has been dirty");
    cr_expect_eq(written_by(&r, 5, &victim), 15);
    cr_expect_eq(victim, 4, "line 0 was used later");
    rig_end(&r);
}

Test(sectored, writes_around_and_writes_that_fetch)
{
    const struct machine_setting around[] = {{"l1.write", "back"}, {"l1.write_miss", "around"}};
    const struct machine_setting fetch[] = {{"l1.write", "back"}, {"l1.write_miss", "fetch"}};
    struct rig r = rig_with(around, 2);
    struct cache_finding f = ask(&r, 0, CACHE_WRITE, CACHE_ALL_BYTES, CACHE_HINT_NONE);
    cr_expect(!f.hit && !f.served && !f.reads, "it goes on");
    cr_expect_not(reads(&r, 0), "and left nothing");
    f = ask(&r, 0, CACHE_WRITE, 1, CACHE_HINT_NONE);
    cr_expect(f.hit && f.served, "where the sector is, it stays");
    rig_end(&r);
    r = rig_with(fetch, 2);
    f = ask(&r, 0, CACHE_WRITE, 1, CACHE_HINT_NONE);
    cr_expect(!f.hit && !f.served && f.fetches && f.reads);
    f = ask(&r, 64, CACHE_WRITE, CACHE_ALL_BYTES, CACHE_HINT_NONE);
    cr_expect(!f.hit && f.served && !f.fetches, "all of it is written: nothing to fetch");
    cr_expect(reads(&r, 0));
    rig_end(&r);
}
