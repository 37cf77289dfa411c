/* Caches, by hand: what is classified how, and what that makes of the bound. Every load is dispatched when it issues
 * and at the first cache a cycle later. */
#include <criterion/criterion.h>

#include "tests/unit/wcet/common.h"

#define LOAD(dst, src, where)                                                                                          \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .destination = dst, .source = {src, NO, NO},          \
        .address = (where)                                                                                             \
    }
#define LOAD_CG(dst, src, where)                                                                                       \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .destination = dst, .source = {src, NO, NO},          \
        .address = (where), .bypass_l1 = true                                                                          \
    }
#define STORE(src, where)                                                                                              \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .store = true, .destination = NO,                     \
        .source = {src, NO, NO}, .address = (where)                                                                    \
    }
#define BAR                                                                                                            \
    {                                                                                                                  \
        .unit_class = RP_CLASS_BARRIER, .destination = NO, .source = { NO, NO, NO }                                    \
    }

struct expected {
    uint64_t bound, cycles;  /* unit-aware, and of replay */
    uint64_t l1[3], l2[3];   /* always-hit, first-miss, always-miss */
    uint64_t dram, accesses; /* of device memory: at most, and in replay */
};

static struct replay_result replay_of(struct rp_trace *t, const struct machine *m)
{
    struct rp_error err;
    struct replay_result result;
    cr_assert(replay(t, m, &(struct replay_options){.engine = REPLAY_REFERENCE, .launch = -1}, &result, &err), "%s",
              err.text);
    return result;
}

static void expect_class(const struct wcet_cache_counts *c, enum wcet_level level, const uint64_t counts[3])
{
    cr_expect_eq(c->at[level].hits, counts[0], "L%u: %d always-hit", 1 + level, (int)c->at[level].hits);
    cr_expect_eq(c->at[level].first, counts[1], "L%u: %d first-miss", 1 + level, (int)c->at[level].first);
    cr_expect_eq(c->at[level].misses, counts[2], "L%u: %d always-miss", 1 + level, (int)c->at[level].misses);
}

static void expect(const struct warp_program *p, uint32_t warps, const struct machine_setting *settings, size_t count,
                   const struct expected *e)
{
    struct machine_setting all[24] = {{"dram", "fixed"}, {"dram.latency", "50"}, {"spaces.global.latency", "0"}};
    size_t n = 3;
    for (size_t i = 0; i < count; i++)
        all[n++] = settings[i];
    struct rp_trace *t = trace_of(p, warps);
    struct machine *m = orin(all, n);
    struct wcet_bounds b = bounds_of(t, m, ALL_EXTENSIONS);
    struct replay_result r = replay_of(t, m);
    cr_expect_eq(b.unit_bound, e->bound, "bound %llu", (unsigned long long)b.unit_bound);
    cr_expect_eq(r.total.cycles, e->cycles, "replay %llu", (unsigned long long)r.total.cycles);
    expect_class(&b.caches, WCET_L1, e->l1);
    expect_class(&b.caches, WCET_L2, e->l2);
    cr_expect_eq(b.caches.requests[WCET_MEMORY], e->dram, "at most %d", (int)b.caches.requests[WCET_MEMORY]);
    cr_expect_eq(r.total.memory.dram.accesses, e->accesses, "%d accesses", (int)r.total.memory.dram.accesses);
    replay_result_free(&r);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}

#define L1(bytes)                                                                                                      \
    {"l1", "direct-mapped"}, {"l1.size", bytes}, {"l1.interval", "0"}, { "l1.latency", "5" }
#define L2(bytes)                                                                                                      \
    {"l2", "direct-mapped"}, {"l2.size", bytes}, {"l2.interval", "0"}, { "l2.latency", "10" }

/* The first is there at 1 + 5 + 50, the second is looked up at 57 and there at 62. */
static const struct warp_op again[] = {LOAD(0, NO, 0x1000), LOAD(1, 0, 0x1004)};
static const struct warp_program twice[] = {{again, 2}, {again, 2}};

Test(caches, what_was_loaded_and_stays_is_a_hit)
{
    const struct machine_setting settings[] = {L1("128")};
    expect(twice, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 62, .cycles = 62, .l1 = {1, 1, 0}, .dram = 1, .accesses = 1});
}

/* Not waited for: the second load hits, but waits for the line, which is there at 56. */
static const struct warp_op at_once[] = {LOAD(0, NO, 0x1000), LOAD(1, NO, 0x1004)};
static const struct warp_program two_at_once[] = {{at_once, 2}};

Test(caches, a_hit_waits_for_a_line_that_is_on_its_way)
{
    const struct machine_setting settings[] = {L1("128")};
    expect(two_at_once, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 56, .cycles = 56, .l1 = {1, 1, 0}, .dram = 1, .accesses = 1});
}

/* Another sector of the line is another miss. */
static const struct warp_op sectors[] = {LOAD(0, NO, 0x1000), LOAD(1, 0, 0x1020)};
static const struct warp_program two_sectors[] = {{sectors, 2}};

Test(caches, sectors_come_one_by_one)
{
    const struct machine_setting settings[] = {L1("128")};
    expect(two_sectors, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 112, .cycles = 112, .l1 = {0, 2, 0}, .dram = 2, .accesses = 2});
}

/* Two lines and back to the first: with one place less than lines, it has been replaced; with two places it stays. */
static const struct warp_op back[] = {LOAD(0, NO, 0x1000), LOAD(1, 0, 0x1080), LOAD(2, 1, 0x1000)};
static const struct warp_program and_back[] = {{back, 3}};

Test(caches, one_place_less_than_lines_keeps_none)
{
    const struct machine_setting settings[] = {L1("128")};
    expect(and_back, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 168, .cycles = 168, .l1 = {0, 0, 3}, .dram = 3, .accesses = 3});
}

Test(caches, as_many_places_as_lines_keep_all)
{
    const struct machine_setting settings[] = {L1("256")};
    expect(and_back, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 118, .cycles = 118, .l1 = {1, 2, 0}, .dram = 2, .accesses = 2});
}

/* L1 with one place in front of an L2 with two, of latency 10: what L1 has lost is in L2. 1 + 65 + 1 + 65 + 1 + 15. */
Test(caches, what_l1_loses_is_in_l2)
{
    const struct machine_setting settings[] = {
        L1("128"),
        L2("256"),
    };
    expect(and_back, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 148, .cycles = 148, .l1 = {0, 0, 3}, .l2 = {1, 2, 0}, .dram = 2, .accesses = 2});
}

/* Two warps, the same line, 30 cycles between two requests at device memory. Each is charged 1 + 30 + 5 + 50 for its
 * first load and 1 + 5 for its second; and while one waits, the port is kept by the other for 30 cycles at most, as
 * only one of them fetches the line, and its unit for 2. In replay the first is there at 56, the other's second
 * issues at 57. */
Test(caches, a_line_that_stays_is_fetched_once)
{
    const struct machine_setting settings[] = {L1("128"), {"dram.interval", "30"}};
    expect(twice, 2, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 86 + 6 + 30 + 2, .cycles = 63, .l1 = {2, 2, 0}, .dram = 1, .accesses = 1});
}

/* What the first warp has loaded before the barrier the second one finds after it. The load takes until 56, the
 * operation that waits for it goes first and the barrier at 57; the second warp's load issues at 58. Bound: 5 issue
 * slots and 55 + 5 of latency. */
static const struct warp_op loads_first[] = {LOAD(0, NO, 0x1000), OP(INT, 1, 0, NO, NO), BAR};
static const struct warp_op loads_second[] = {BAR, LOAD(0, NO, 0x1004)};
static const struct warp_program one_after_the_other[] = {{loads_first, 3}, {loads_second, 2}};

Test(caches, what_others_loaded_before_a_barrier_is_a_hit)
{
    const struct machine_setting settings[] = {L1("128")};
    expect(one_after_the_other, 2, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 65, .cycles = 64, .l1 = {1, 1, 0}, .dram = 1, .accesses = 1});
}

/* The same, but the barrier does not wait for the load, so the second warp's load, at 3, hits a line that is there at
 * 56; what waits for it is there 301 later. The bound: 5 issue slots, 55 for the line and 300. */
static const struct warp_op asks[] = {LOAD(0, NO, 0x1000), BAR};
static const struct warp_op finds[] = {BAR, LOAD(0, NO, 0x1004), OP(FP64, 1, 0, NO, NO)};
static const struct warp_program on_its_way[] = {{asks, 2}, {finds, 3}};

Test(caches, a_barrier_does_not_wait_for_lines)
{
    const struct machine_setting settings[] = {
        L1("128"), {"classes.fp64.initiation", "1"}, {"classes.fp64.latency", "300"}};
    expect(on_its_way, 2, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 5 + 55 + 300, .cycles = 56 + 301, .l1 = {1, 1, 0}, .dram = 1, .accesses = 1});
}

/* Two warps that ask for the same line, and a third that asks for another and goes on for long: it may have to wait for
 * one fetch of the first two, 100, and the 2 cycles for which they keep the unit; its own load takes 1 + 155 and the
 * operation 301. In replay the first line's fetch starts at 6, and the other's 100 later. */
static const struct warp_op one_line[] = {LOAD(0, NO, 0x1000)};
static const struct warp_op other_line[] = {LOAD(0, NO, 0x1080), OP(FP64, 1, 0, NO, NO)};
static const struct warp_program lines[] = {{one_line, 1}, {one_line, 1}, {other_line, 2}};

Test(caches, what_two_others_ask_for_is_fetched_once)
{
    const struct machine_setting settings[] = {
        L1("256"), {"dram.interval", "100"}, {"classes.fp64.initiation", "1"}, {"classes.fp64.latency", "300"}};
    expect(lines, 3, settings, MODEL_COUNT_OF(settings),
           &(struct expected){
               .bound = 156 + 301 + 100 + 2, .cycles = 106 + 50 + 301, .l1 = {0, 3, 0}, .dram = 2, .accesses = 2});
}

/* Writes that go through leave nothing behind. */
static const struct warp_op written[] = {STORE(NO, 0x1000), LOAD(0, NO, 0x1000)};
static const struct warp_program write_and_read[] = {{written, 2}};

Test(caches, a_write_through_brings_no_line)
{
    const struct machine_setting settings[] = {L1("128"), {"l1.write", "through"}};
    expect(write_and_read, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 57, .cycles = 57, .l1 = {0, 1, 0}, .dram = 2, .accesses = 2});
}

/* A write that stays does: the load at 2 hits. Nothing is known of who asked for the sector first, so the bound allows
 * for a fetch that another warp has made; the store's own bound is 1 + 5. */
Test(caches, a_write_back_brings_the_sector)
{
    const struct machine_setting settings[] = {L1("128"), {"l1.write", "back"}};
    expect(write_and_read, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 56, .cycles = 7, .l1 = {1, 0, 0}, .dram = 0, .accesses = 0});
}

/* A store to one line of L1, whose place the second load takes: its sector is written back to L2, under its address
 * 0x10c0, and there its line takes the place of 0x30c0, which nothing else touches. So 0x30c0 does not stay, though no
 * transaction names another line of its place. Requests to device memory: of the loads of 0x30c0 three each, for both
 * sectors of what they replace could be dirty, and one is, the second time; one of the load of 0x2040; and 8 × 2 each
 * of what the store and the load of 0x2040 replace in L1: each of the 8 sectors could go to a line of L2 for which one
 * with 2 dirty sectors has to make room. Loads beside L1 take 61 cycles, for which 66 are charged. */
static const struct warp_op under_its_address[] = {LOAD_CG(0, NO, 0x30c0), STORE(0, 0x10c0), LOAD(1, 0, 0x2040),
                                                   LOAD_CG(2, 1, 0x30c0)};
static const struct warp_program one_sector[] = {{under_its_address, 4}};

Test(caches, a_sector_of_l1_is_written_back_under_its_address)
{
    const struct machine_setting settings[] = {
        L1("256"), {"l1.line", "256"}, {"l1.write", "back"}, L2("256"), {"l2.line", "64"}, {"l2.write", "back"},
    };
    expect(one_sector, 1, settings, MODEL_COUNT_OF(settings),
           &(struct expected){.bound = 66 + 1 + 66 + 66,
                              .cycles = 61 + 1 + 66 + 61,
                              .l1 = {0, 0, 1},
                              .l2 = {0, 1, 2},
                              .dram = 3 + 3 + 1 + 16 + 16,
                              .accesses = 4});
}

/* Stores to a sector that is on its way do not wait for it, nor for device memory, but loads do that hit it. By the
 * time of the first warp's store, at 6, the other has issued its four loads; the last of them starts at device memory
 * at 12 + 300 and arrives 50 later, and what waits for the load of the first warp is there 301 after. The bound: the
 * store starts at 7, what it finds is there 60 later if nobody keeps device memory busy, the operation takes 301; and
 * the other warp keeps the unit for 4 cycles and device memory for 400. */
static const struct warp_op stores[] = {OP(INT, 0, NO, NO, NO), STORE(0, 0x1180), LOAD(1, NO, 0x1180),
                                        OP(FP64, 2, 1, NO, NO)};
static const struct warp_op many[] = {LOAD(0, NO, 0x1000), LOAD(1, NO, 0x1080), LOAD(2, NO, 0x1100),
                                      LOAD(3, NO, 0x1180)};
static const struct warp_program store_to_what_is_coming[] = {{stores, 4}, {many, 4}};

Test(caches, a_store_may_find_its_sector_on_its_way)
{
    const struct machine_setting settings[] = {
        L2("1024"),
        {"l2.write", "back"},
        {"dram.interval", "100"},
        {"classes.fp64.initiation", "1"},
        {"classes.fp64.latency", "300"},
    };
    expect(store_to_what_is_coming, 2, settings, MODEL_COUNT_OF(settings),
           &(struct expected){
               .bound = 7 + 60 + 301 + 4 + 400, .cycles = 362 + 301, .l2 = {1, 4, 0}, .dram = 4, .accesses = 4});
}

/* L1's sectors are larger than L2's. The first warp has its sector in L2 from a load beside L1; when it loads it
 * through L1, that has just asked for another sector of L2 that lies in the same one of L1, for the other warp: which
 * makes the first wait for device memory again, and what needs its result, too. In replay the other's load issues at 60
 * and brings the sector at 126, and the first one's issues at 61. The bound: two loads that may miss, the operation,
 * and two cycles that the other warp keeps its units. */
static const struct warp_op sector_of_another[] = {LOAD_CG(0, NO, 0x1000), LOAD(1, 0, 0x1000), OP(FP64, 2, 1, NO, NO)};
static const struct warp_op just_before[] = {OP(FP64, 0, NO, NO, NO), LOAD(1, 0, 0x1040)};
static const struct warp_program through_large_sectors[] = {{sector_of_another, 3}, {just_before, 2}};

Test(caches, a_large_sector_of_l1_may_have_come_from_elsewhere)
{
    const struct machine_setting settings[] = {
        L1("128"),
        {"l1.sector", "128"},
        L2("1024"),
        {"l2.sector", "32"},
        {"classes.fp64.initiation", "1"},
        {"classes.fp64.latency", "58"},
    };
    expect(
        through_large_sectors, 2, settings, MODEL_COUNT_OF(settings),
        &(struct expected){
            .bound = 66 + 66 + 59 + 2, .cycles = 126 + 59, .l1 = {0, 2, 0}, .l2 = {0, 1, 2}, .dram = 2, .accesses = 2});
}
