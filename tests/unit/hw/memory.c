/* Coalescer, direct-mapped cache and DRAM against naive statements of the same. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/set/models.h"
#include "replay/session/engines.h"

static uint64_t random_state = 42;
static uint64_t rnd(uint64_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % limit;
}

/* Every byte of every lane is in exactly one transaction's segment; segments are aligned, distinct, in lane order. */
Test(memory, segments_cover_every_byte_once)
{
    for (int run = 0; run < 3000; run++) {
        int64_t size = 32 << rnd(4);
        uint64_t address[32], out[COALESCER_MOST];
        uint32_t mask = (uint32_t)(rnd(1u << 16) << 16 | rnd(1u << 16)), width = 1u << rnd(5);
        mask |= !mask;
        uint64_t base = rnd(1 << 20), stride = rnd(300);
        bool scattered = rnd(3) == 0;
        for (unsigned l = 0; l < 32; l++)
            address[l] = (scattered ? rnd(1 << 14) : base + l * stride) / width * width;
        uint32_t n = coalescer_segments.coalesce(&size, &(struct coalescer_access){mask, width, address}, out);
        bool used[COALESCER_MOST] = {0};
        uint32_t seen = 0;
        for (unsigned l = 0; l < 32; l++)
            for (uint32_t b = 0; (mask >> l & 1) && b < width; b++) {
                uint64_t segment = (address[l] + b) / (uint64_t)size * (uint64_t)size;
                uint32_t i = 0;
                while (i < n && out[i] != segment)
                    i++;
                cr_assert_lt(i, n, "a byte is in no transaction");
                cr_assert(i <= seen, "transactions are in the order of first touch");
                seen += !used[i];
                used[i] = true;
            }
        cr_assert_eq(seen, n, "each transaction is touched and stands once");
    }
}

Test(memory, ideal_coalescer_makes_one)
{
    uint64_t address[32] = {[3] = 777}, out[COALESCER_MOST];
    cr_assert_eq(coalescer_ideal.coalesce(NULL, &(struct coalescer_access){0xfffffff8, 4, address}, out), 1);
    cr_assert_eq(out[0], 777);
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

#define SIZE 1024
#define LINE 128
#define SECTOR 32
#define SPACE 8192 /* bytes of the address space of the test */
#define LATENCY 9
#define INTERVAL 2

struct request {
    uint64_t address, cycle;
    enum cache_kind kind;
};
struct answer {
    bool hit, served, fill;
    uint64_t cycle, victim, written;
    void *place;
};

/* The model behind a port, with the request's number as the name of what it fetches. */
static struct answer ask(void *state, uint64_t *port, uint32_t name, const struct request *q)
{
    uint64_t start = q->cycle > *port ? q->cycle : *port;
    struct cache_look_up look_up = {.address = q->address, .cycle = start + LATENCY, .kind = q->kind, .fetch = name};
    struct cache_finding f;
    struct cache_look_up without = look_up;
    without.may_not_fetch = true;
    *port = start + INTERVAL;
    cache_direct_mapped.look_up(state, &without, &f);
    bool refused = f.refused;
    if (refused)
        cache_direct_mapped.look_up(state, &look_up, &f);
    cr_assert_eq(f.fetches, refused);
    cr_assert_eq(f.from, CACHE_NO_FETCH, "all has been filled");
    return (struct answer){f.hit, f.served, f.fetches, f.cycle, f.victim, f.written, f.place};
}

/* A cache as a set of sectors: for each sector of memory whether it is in, and since when its data is there. */
struct naive {
    bool in[SPACE / SECTOR], dirty[SPACE / SECTOR];
    uint64_t there[SPACE / SECTOR], port;
    bool back;
};

/* Drops all other lines that share the place of this one; *written: the dirty sectors of that which was there. */
static void evict(struct naive *n, uint64_t address, uint64_t *victim, uint64_t *written)
{
    for (uint64_t line = address / LINE % (SIZE / LINE); line < SPACE / LINE; line += SIZE / LINE) {
        if (line == address / LINE)
            continue;
        for (uint64_t s = 0; s < LINE / SECTOR; s++) {
            uint64_t sector = line * (LINE / SECTOR) + s;
            if (n->dirty[sector]) {
                *victim = line * LINE;
                *written |= 1u << s;
            }
            n->in[sector] = n->dirty[sector] = false;
        }
    }
}

static struct answer naive_answer(struct naive *n, const struct request *q)
{
    uint64_t start = q->cycle > n->port ? q->cycle : n->port, sector = q->address / SECTOR;
    struct answer r = {.hit = n->in[sector], .cycle = start + LATENCY};
    n->port = start + INTERVAL;
    bool keeps = q->kind == CACHE_READ || n->back;
    if (keeps)
        evict(n, q->address, &r.victim, &r.written);
    if (q->kind == CACHE_READ || (q->kind == CACHE_ATOMIC && n->back)) {
        r.served = r.hit;
        r.fill = !r.hit;
        if (r.hit && n->there[sector] > r.cycle)
            r.cycle = n->there[sector];
    } else if (n->back) {
        r.served = true;
        if (!r.hit)
            n->there[sector] = r.cycle;
        n->in[sector] = true;
    }
    if (q->kind != CACHE_READ && n->back)
        n->dirty[q->address / SECTOR] = true;
    return r;
}

static void run_cache(int64_t write)
{
    const int64_t options[] = {SIZE, LINE, SECTOR, LATENCY, INTERVAL, write, 0};
    const struct cache_model *c = &cache_direct_mapped;
    cr_assert_null(c->model.check(options));
    void *state = calloc(1, c->model.state_size(options));
    struct naive naive = {.back = write};
    unsigned hits = 0, write_backs = 0, several = 0;
    uint64_t port = 0;
    c->reset(state, options);
    for (uint64_t i = 0, now = 0; i < 20000; i++, now += rnd(4)) {
        struct request q = {rnd(4) ? rnd(2048) : rnd(SPACE), now, (enum cache_kind)rnd(3)};
        struct answer expected = naive_answer(&naive, &q), got = ask(state, &port, (uint32_t)i, &q);
        cr_assert_eq(got.hit, expected.hit, "access %d", (int)i);
        cr_assert_eq(got.served, expected.served);
        cr_assert_eq(got.fill, expected.fill);
        cr_assert_eq(got.cycle, expected.cycle);
        cr_assert_eq(got.written, expected.written, "access %d", (int)i);
        if (got.written)
            cr_assert_eq(got.victim, expected.victim);
        hits += got.hit;
        write_backs += got.written != 0;
        several += (got.written & (got.written - 1)) != 0;
        if (!got.fill)
            continue;
        uint64_t done = got.cycle + rnd(50);
        c->filled(state, got.place, (uint32_t)i, done);
        naive.in[q.address / SECTOR] = true;
        naive.there[q.address / SECTOR] = done;
    }
    cr_assert(hits > 1000 && hits < 19000);
    cr_assert(write ? write_backs > 100 && several > 20 : !write_backs);
    free(state);
}

Test(memory, direct_mapped_write_through_equals_a_naive_cache) { run_cache(0); }
Test(memory, direct_mapped_write_back_equals_a_naive_cache) { run_cache(1); }

Test(memory, a_hit_under_a_miss_names_the_fetch_or_its_end)
{
    const int64_t options[] = {SIZE, LINE, SECTOR, 10, 0, 0, 0};
    const struct cache_model *c = &cache_direct_mapped;
    void *state = calloc(1, c->model.state_size(options));
    c->reset(state, options);
    struct cache_finding f;
    c->look_up(state, &(struct cache_look_up){.address = 64, .cycle = 110, .fetch = 5}, &f);
    cr_assert(!f.hit && f.fetches && !f.served);
    void *place = f.place;
    c->look_up(state, &(struct cache_look_up){.address = 68, .cycle = 111, .fetch = 6}, &f);
    cr_assert(f.hit && f.served && f.from == 5);
    c->filled(state, place, 6, 200);
    c->look_up(state, &(struct cache_look_up){.address = 68, .cycle = 111, .fetch = 7}, &f);
    cr_assert(f.from == 5, "another fetch changes nothing");
    c->filled(state, place, 5, 300);
    c->look_up(state, &(struct cache_look_up){.address = 68, .cycle = 112, .fetch = 8}, &f);
    cr_assert(f.hit && f.from == CACHE_NO_FETCH && f.cycle == 300);
    c->look_up(state, &(struct cache_look_up){.address = 96, .cycle = 113, .fetch = 9}, &f);
    cr_assert(!f.hit, "another sector of the line was not fetched");
    place = f.place;
    c->look_up(state, &(struct cache_look_up){.address = 96 + SIZE, .cycle = 114, .fetch = 10}, &f);
    c->filled(state, place, 9, 400);
    c->look_up(state, &(struct cache_look_up){.address = 96, .fetch = 11, .may_not_fetch = true}, &f);
    cr_assert(f.refused, "what comes for a line that was replaced is not kept");
    free(state);
}

Test(memory, options_that_contradict_one_another_are_refused)
{
    static const int64_t bad[][6] = {{1024, 96, 32, 0, 0, 0},
                                     {1024, 128, 48, 0, 0, 0},
                                     {1024, 64, 128, 0, 0, 0},
                                     {1024, 1024, 32, 0, 0, 0},
                                     {1000, 128, 32, 0, 0, 0}};
    for (size_t i = 0; i < MODEL_COUNT_OF(bad); i++)
        cr_expect_not_null(cache_direct_mapped.model.check(bad[i]), "row %zu", i);
    int64_t size = 48;
    cr_expect_not_null(coalescer_segments.model.check(&size));
}

Test(memory, fixed_dram)
{
    const int64_t options[] = {100, 3, -1};
    _Alignas(64) unsigned char state[4096];
    cr_assert_leq(dram_fixed.model.state_size(options), sizeof state);
    dram_fixed.reset(state, options);
    static const struct {
        uint64_t now, done;
        uint32_t sectors;
    } rows[] = {{10, 110, 1}, {10, 113, 1}, {12, 116, 4}, {12, 128, 1}, {500, 600, 1}};
    for (size_t i = 0; i < MODEL_COUNT_OF(rows); i++) {
        uint64_t done;
        struct dram_request r = {32 * i, rows[i].sectors, 0, i % 2};
        cr_expect_eq(dram_fixed.offer(state, &r, rows[i].now, &done), DRAM_DONE);
        cr_expect_eq(done, rows[i].done, "row %zu: %d", i, (int)done);
        cr_expect_eq(dram_ideal.offer(NULL, &r, rows[i].now, &done), DRAM_DONE);
        cr_expect_eq(done, rows[i].now);
    }
}

/* A place that a start leaves can be taken a cycle later. */
Test(memory, fixed_dram_is_full)
{
    const int64_t options[] = {100, 3, 1};
    _Alignas(64) unsigned char state[4096];
    uint64_t cycle;
    struct dram_request r = {0, 1, 0, false};
    dram_fixed.reset(state, options);
    cr_expect(dram_fixed.offer(state, &r, 10, &cycle) == DRAM_DONE && cycle == 110);
    cr_expect(dram_fixed.offer(state, &r, 10, &cycle) == DRAM_FULL && cycle == 11);
    cr_expect(dram_fixed.offer(state, &r, 11, &cycle) == DRAM_DONE && cycle == 113);
    cr_expect(dram_fixed.offer(state, &r, 13, &cycle) == DRAM_FULL && cycle == 14);
    cr_expect(dram_fixed.offer(state, &r, 14, &cycle) == DRAM_DONE && cycle == 116);
}

/* Every row of every table has sane limits, and its initial value lies within them. */
Test(memory, option_rows_are_consistent)
{
    for (unsigned kind = 0; kind < KIND_COUNT; kind++)
        for (const struct model *const *m = kind == KIND_PIPELINE ? engine_pipelines() : built_in_models.of[kind]; *m;
             m++) {
            cr_expect((*m)->help && *(*m)->help && (*m)->state_size);
            int64_t initial[64];
            bool plain = true; /* lists and texts lie behind the values; tests/unit/replay opens machines with them */
            cr_assert_leq((*m)->option_count, 64);
            for (unsigned o = 0; o < (*m)->option_count; o++) {
                const struct model_option *row = &(*m)->options[o];
                bool list = row->type == OPTION_INTEGERS || row->type == OPTION_FRACTIONS || row->type == OPTION_TEXT;
                plain &= !list;
                cr_expect(list || (row->least <= row->initial && row->initial <= row->most), "%s.%s", (*m)->name,
                          row->key);
                cr_expect(row->type != OPTION_CHOICE || !row->names[row->most + 1], "%s.%s", (*m)->name, row->key);
                initial[o] = row->initial;
            }
            cr_expect(!plain || !(*m)->check || !(*m)->check(initial), "%s: its own defaults do not go together",
                      (*m)->name);
        }
}

/* What is there from the beginning: the last bytes that there is room for, each in its place. */
Test(memory, preloaded_bytes_hit_at_once)
{
    int64_t options[] = {SIZE, LINE, SECTOR, LATENCY, INTERVAL, 1, 0};
    void *state = calloc(1, cache_direct_mapped.model.state_size(options));
    unsigned hits = 0, dropped = 0;
    for (int run = 0; run < 5000; run++) {
        uint64_t address = rnd(SPACE), size = rnd(8) ? rnd(2 * SIZE) : 0, end = address + size;
        uint64_t sector = (address + rnd(2 * SIZE + 200)) / SECTOR * SECTOR;
        bool covered = size && sector + SECTOR > address && sector < end;
        bool kept = covered && (end - 1) / LINE - sector / LINE < SIZE / LINE;
        uint64_t port = 0;
        cache_direct_mapped.reset(state, options);
        cache_direct_mapped.preload(state, address, size);
        struct answer reply = ask(state, &port, 0, &(struct request){sector, 5, CACHE_READ});
        cr_assert_eq(reply.hit, kept, "sector %d of %d to %d", (int)sector, (int)address, (int)end);
        cr_assert_eq(reply.cycle, 5 + LATENCY);
        hits += kept;
        dropped += covered && !kept;
    }
    cr_expect(hits > 1000 && dropped > 100);
    free(state);
}
