/* Coalescer, direct-mapped cache and DRAM against naive statements of the same. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/models.h"

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

/* A cache as a set of sectors: for each sector of memory whether it is in, and since when its data is there. */
struct naive {
    bool in[SPACE / SECTOR], dirty[SPACE / LINE];
    uint64_t there[SPACE / SECTOR], port;
    bool back;
};

/* Drops all other lines that share the place of this one; true: one was dirty, its address in *victim. */
static bool evict(struct naive *n, uint64_t address, uint64_t *victim)
{
    bool dirty = false;
    for (uint64_t line = address / LINE % (SIZE / LINE); line < SPACE / LINE; line += SIZE / LINE) {
        if (line == address / LINE)
            continue;
        if (n->dirty[line]) {
            dirty = true;
            *victim = line * LINE;
        }
        n->dirty[line] = false;
        for (uint64_t s = 0; s < LINE / SECTOR; s++)
            n->in[line * (LINE / SECTOR) + s] = false;
    }
    return dirty;
}

static struct cache_reply naive_access(struct naive *n, const struct cache_request *q)
{
    uint64_t start = q->cycle > n->port ? q->cycle : n->port, sector = q->address / SECTOR;
    struct cache_reply r = {.hit = n->in[sector], .cycle = start + LATENCY};
    n->port = start + INTERVAL;
    bool keeps = q->kind == CACHE_READ || n->back;
    if (keeps)
        r.write_back = evict(n, q->address, &r.victim);
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
        n->dirty[q->address / LINE] = true;
    return r;
}

static void run_cache(int64_t write)
{
    const int64_t options[] = {SIZE, LINE, SECTOR, LATENCY, INTERVAL, write};
    const struct cache_model *c = &cache_direct_mapped;
    cr_assert_null(c->model.check(options));
    void *state = calloc(1, c->model.state_size(options));
    struct naive naive = {.back = write};
    unsigned hits = 0, write_backs = 0;
    c->reset(state, options);
    for (uint64_t i = 0, now = 0; i < 20000; i++, now += rnd(4)) {
        struct cache_request q = {rnd(4) ? rnd(2048) : rnd(SPACE), now, (enum cache_kind)rnd(3)};
        struct cache_reply got, expected = naive_access(&naive, &q);
        c->access(state, &q, &got);
        cr_assert_eq(got.hit, expected.hit, "access %d", (int)i);
        cr_assert_eq(got.served, expected.served);
        cr_assert_eq(got.fill, expected.fill);
        cr_assert_eq(got.cycle, expected.cycle);
        cr_assert_eq(got.write_back, expected.write_back, "access %d", (int)i);
        if (got.write_back)
            cr_assert_eq(got.victim, expected.victim);
        hits += got.hit;
        write_backs += got.write_back;
        if (!got.fill)
            continue;
        uint64_t done = got.cycle + rnd(50);
        c->fill(state, q.address, done);
        naive.in[q.address / SECTOR] = true;
        naive.there[q.address / SECTOR] = done;
    }
    cr_assert(hits > 1000 && hits < 19000);
    cr_assert(write ? write_backs > 100 : !write_backs);
    free(state);
}

Test(memory, direct_mapped_write_through_equals_a_naive_cache) { run_cache(0); }
Test(memory, direct_mapped_write_back_equals_a_naive_cache) { run_cache(1); }

Test(memory, a_hit_under_a_miss_waits_for_the_fill)
{
    const int64_t options[] = {SIZE, LINE, SECTOR, 10, 0, 0};
    const struct cache_model *c = &cache_direct_mapped;
    void *state = calloc(1, c->model.state_size(options));
    c->reset(state, options);
    struct cache_reply r;
    c->access(state, &(struct cache_request){64, 100, CACHE_READ}, &r);
    cr_assert(!r.hit && r.fill && r.cycle == 110);
    c->fill(state, 64, 300);
    c->access(state, &(struct cache_request){68, 101, CACHE_READ}, &r);
    cr_assert(r.hit && r.served && r.cycle == 300);
    c->access(state, &(struct cache_request){96, 101, CACHE_READ}, &r);
    cr_assert(!r.hit, "another sector of the line was not fetched");
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
    cr_expect_eq(dram_fixed.access(state, 0, false, 10), 110);
    cr_expect_eq(dram_fixed.access(state, 32, true, 10), 113);
    cr_expect_eq(dram_fixed.access(state, 64, false, 12), 116);
    cr_expect_eq(dram_fixed.access(state, 64, false, 500), 600);
    cr_expect_eq(dram_ideal.access(NULL, 0, false, 7), 7);
}

/* Every row of every table has sane limits, and its initial value lies within them. */
Test(memory, option_rows_are_consistent)
{
    for (unsigned kind = 0; kind < KIND_COUNT; kind++)
        for (const struct model *const *m = built_in_models.of[kind]; *m; m++) {
            cr_expect((*m)->help && *(*m)->help && (*m)->state_size);
            int64_t initial[16];
            for (unsigned o = 0; o < (*m)->option_count; o++) {
                const struct model_option *row = &(*m)->options[o];
                cr_expect(row->least <= row->initial && row->initial <= row->most, "%s.%s", (*m)->name, row->key);
                cr_expect(row->type != OPTION_CHOICE || !row->names[row->most + 1], "%s.%s", (*m)->name, row->key);
                initial[o] = row->initial;
            }
            cr_expect(!(*m)->check || !(*m)->check(initial), "%s: its own defaults do not go together", (*m)->name);
        }
}

/* What is there from the beginning: the last bytes that there is room for, each in its place. */
Test(memory, preloaded_bytes_hit_at_once)
{
    int64_t options[] = {SIZE, LINE, SECTOR, LATENCY, INTERVAL, 1};
    void *state = calloc(1, cache_direct_mapped.model.state_size(options));
    unsigned hits = 0, dropped = 0;
    for (int run = 0; run < 5000; run++) {
        uint64_t address = rnd(SPACE), size = rnd(8) ? rnd(2 * SIZE) : 0, end = address + size;
        uint64_t sector = (address + rnd(2 * SIZE + 200)) / SECTOR * SECTOR;
        bool covered = size && sector + SECTOR > address && sector < end;
        bool kept = covered && (end - 1) / LINE - sector / LINE < SIZE / LINE;
        struct cache_reply reply;
        cache_direct_mapped.reset(state, options);
        cache_direct_mapped.preload(state, address, size);
        cache_direct_mapped.access(state, &(struct cache_request){sector, 5, CACHE_READ}, &reply);
        cr_assert_eq(reply.hit, kept, "sector %d of %d to %d", (int)sector, (int)address, (int)end);
        cr_assert_eq(reply.cycle, 5 + LATENCY);
        hits += kept;
        dropped += covered && !kept;
    }
    cr_expect(hits > 1000 && dropped > 100);
    free(state);
}
