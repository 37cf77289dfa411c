/* Loads and stores of every pair of widths, in every pattern of addresses and lanes, at every vector width, against one
 * lane at a time. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "frontend/core/access.h"
#include "rig.h"
#include "tests/support/kernel_case.h"

#define AREA 16384

static const struct {
    unsigned bytes, reg_bytes;
    bool sign;
} widths[] = {{1, 2, 0}, {1, 4, 0}, {1, 8, 0}, {1, 2, 1}, {1, 4, 1}, {1, 8, 1}, {2, 2, 0}, {2, 4, 0},
              {2, 8, 0}, {2, 4, 1}, {2, 8, 1}, {4, 4, 0}, {4, 8, 0}, {4, 8, 1}, {8, 8, 0}};

static uint64_t get(const void *p, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

static uint64_t extended(uint64_t v, unsigned bytes, bool sign)
{
    unsigned shift = 64 - 8 * bytes;
    return sign ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

/* Offsets of 32 lanes: strides of all kinds, scattered ones that may meet, at any byte too, and a stride that one lane
 * does not keep. */
enum { PATTERNS = 11, ANY_BYTE = 9, ONE_APART = 10 };
static void pattern(uint64_t *seed, unsigned kind, unsigned bytes, uint64_t at[32])
{
    static const int strides[] = {0, 1, 2, 3, -1, -2, 16};
    uint64_t base = AREA / 2 + (uint64_t)random_below(seed, 64) * bytes;
    for (unsigned l = 0; l < 32; l++)
        at[l] = kind < 7 ? base + (uint64_t)(strides[kind] * (int)(l * bytes))
                : kind == ONE_APART
                    ? base + l * bytes
                    : 24 + (uint64_t)random_below(seed, kind == 7 ? 20 : 400) * (kind == ANY_BYTE ? 1 : bytes);
    at[random_below(seed, 32)] += kind == ONE_APART ? bytes : 0;
}

static lanemask some_lanes(uint64_t *seed, unsigned round)
{
    lanemask m = round % 3 == 0   ? ~(lanemask)0
                 : round % 3 == 1 ? (lanemask)random_next(seed)
                                  : (lanemask)1 << random_below(seed, 32);
    return m ? m : 1;
}

typedef void (*addresses_fn)(struct lane_addresses *, const void *, int64_t, lanemask);
typedef element_fn (*load_fn)(unsigned, unsigned, bool);
typedef element_fn (*store_fn)(unsigned, unsigned);

struct level {
    addresses_fn wide, narrow;
    load_fn load;
    store_fn store;
};

static void check_addresses(const struct lane_addresses *la, const uint64_t *at, lanemask m)
{
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    FOR_LANES(l, m)
    {
        cr_assert_eq(lane_address(la, l), at[l]);
        low = at[l] < low ? at[l] : low;
        high = at[l] > high ? at[l] : high;
        bits |= at[l];
    }
    cr_assert_eq(la->low, low);
    cr_assert_eq(la->high, high);
    for (unsigned a = 2; a <= 16; a *= 2)
        cr_assert_eq(!(la->bits & (a - 1)), !(bits & (a - 1)), "alignment to %u", a);
}

static void try(const struct level *v, uint64_t *seed, unsigned w, unsigned kind, unsigned round)
{
    static uint8_t area[AREA], wanted_area[AREA];
    _Alignas(64) uint8_t reg[256], wanted[256];
    _Alignas(64) uint64_t at[32], wide[32];
    _Alignas(64) uint32_t narrow[32];
    struct lane_addresses la, la32;
    unsigned bytes = widths[w].bytes, size = widths[w].reg_bytes;
    lanemask m = some_lanes(seed, round);
    pattern(seed, kind, bytes, at);
    for (unsigned l = 0; l < 32; l++) {
        wide[l] = m >> l & 1 ? at[l] - 24 : random_next(seed); /* what other lanes hold must not matter */
        narrow[l] = (uint32_t)wide[l];
    }
    v->wide(&la, wide, 24, m);
    v->narrow(&la32, narrow, 24, m);
    check_addresses(&la, at, m);
    check_addresses(&la32, at, m);
    for (unsigned i = 0; i < AREA; i++)
        area[i] = (uint8_t)random_next(seed);
    for (unsigned i = 0; i < sizeof reg; i++)
        reg[i] = wanted[i] = (uint8_t)random_next(seed);
    memcpy(wanted_area, area, AREA);
    FOR_LANES(l, m)
    {
        uint64_t value = extended(get(area + at[l], bytes), bytes, widths[w].sign);
        memcpy(wanted + l * size, &value, size);
    }
    v->load(bytes, size, widths[w].sign)(reg, area, &la, m);
    cr_assert_arr_eq(reg, wanted, sizeof reg, "load of %u to %u bytes, pattern %u, lanes %x", bytes, size, kind, m);
    FOR_LANES(l, m)
    memcpy(wanted_area + at[l], reg + l * size, bytes);
    v->store(bytes, size)(reg, area, &la32, m);
    cr_assert_arr_eq(area, wanted_area, AREA, "store of %u from %u bytes, pattern %u, lanes %x", bytes, size, kind, m);
}

static void try_level(const struct level *v)
{
    uint64_t seed = 7;
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++)
        for (unsigned kind = 0; kind < PATTERNS; kind++)
            for (unsigned round = 0; round < 12; round++)
                try(v, &seed, w, kind, round);
}

Test(memory, elements_move_as_one_lane_at_a_time_v2)
{
    try_level(&(struct level){addresses_wide_v2, addresses_narrow_v2, element_load_v2, element_store_v2});
}
#ifdef __x86_64__
Test(memory, elements_move_as_one_lane_at_a_time_v3)
{
    if (simd_level() < 3)
        cr_skip_test("this CPU has no x86-64-v3");
    try_level(&(struct level){addresses_wide_v3, addresses_narrow_v3, element_load_v3, element_store_v3});
}
Test(memory, elements_move_as_one_lane_at_a_time_v4)
{
    if (simd_level() < 4)
        cr_skip_test("this CPU has no x86-64-v4");
    try_level(&(struct level){addresses_wide_v4, addresses_narrow_v4, element_load_v4, element_store_v4});
}
#endif

/* ---- allocations ------------------------------------------------------------------------------------------------- */

Test(memory, allocations_have_exact_bounds)
{
    struct memory m;
    memory_init(&m);
    struct allocation *a[40];
    for (unsigned i = 0; i < 40; i++) {
        a[i] = memory_allocate(&m, 1 + 37 * i, "some", ALLOCATION_BUFFER);
        cr_assert_eq(a[i]->base % MEMORY_ALIGNMENT, 0);
    }
    for (unsigned i = 0; i < 40; i++) {
        cr_assert_eq(memory_find(&m, a[i]->base), a[i]);
        cr_assert_eq(memory_find(&m, a[i]->base + a[i]->size - 1), a[i]);
        cr_assert_null(memory_find(&m, a[i]->base + a[i]->size));
        cr_assert_null(memory_find(&m, a[i]->base - 1));
    }
    uint64_t last = a[39]->base;
    memory_free(&m, a[7]);
    cr_assert_null(memory_find(&m, HEAP_BASE + 7 * 1024));
    cr_assert_gt(memory_allocate(&m, 16, "new", ALLOCATION_BUFFER)->base, last, "addresses are not given out again");
    uint8_t variable[8];
    cr_assert_not_null(memory_place(&m, MODULE_BASE, 8, variable, "v", ALLOCATION_VARIABLE));
    cr_assert_null(memory_place(&m, MODULE_BASE + 7, 8, variable, "overlapping", ALLOCATION_VARIABLE));
    cr_assert_null(memory_place(&m, MODULE_BASE - 7, 8, variable, "overlapping", ALLOCATION_VARIABLE));
    cr_assert_not_null(memory_place(&m, MODULE_BASE + 8, 8, variable, "neighbour", ALLOCATION_VARIABLE));
    cr_assert_not_null(memory_find(&m, MODULE_BASE + 8));
    memory_clear(&m);
}

/* The tree against a plain list: places, allocates and frees at random, and asks for addresses in and around them. */
enum { PLACES = 300 };
struct place {
    uint64_t base, size;
    struct allocation *at; /* NULL: free */
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void check_address(const struct memory *m, const struct place *places, uint64_t address)
{
    const struct allocation *holder = NULL, *above = NULL;
    for (unsigned i = 0; i < PLACES; i++) {
        const struct place *p = &places[i];
        if (!p->at)
            continue;
        if (address - p->base < p->size)
            holder = p->at;
        if (p->base >= address && (!above || p->base < above->base))
            above = p->at;
    }
    cr_assert_eq(memory_find(m, address), holder);
    cr_assert_eq(memory_from(m, address), above);
}

Test(memory, the_tree_finds_what_a_list_finds)
{
    static struct place places[PLACES];
    uint64_t state = 1;
    struct memory m;
    memory_init(&m);
    for (unsigned i = 0; i < PLACES; i++)
        places[i] = (struct place){MODULE_BASE + 64 * i, 1 + next_random(&state) % 64, NULL};
    for (unsigned step = 0; step < 20000; step++) {
        struct place *p = &places[next_random(&state) % PLACES];
        static uint8_t host[64];
        if (p->at) {
            memory_free(&m, p->at);
            p->at = NULL;
        } else {
            p->at = memory_place(&m, p->base, p->size, host, "place", ALLOCATION_VARIABLE);
            cr_assert_not_null(p->at);
            cr_assert_null(memory_place(&m, p->base + p->size - 1, 8, host, "overlap", ALLOCATION_VARIABLE));
        }
        if (step % 100 == 0)
            memory_reclaim(&m);
        check_address(&m, places, MODULE_BASE - 64 + next_random(&state) % (64 * (PLACES + 2)));
    }
    for (unsigned i = 0; i < PLACES; i++)
        for (unsigned j = 0; j < i; j++)
            cr_assert(!places[i].at || !places[j].at || places[i].at->id != places[j].at->id);
    cr_assert_leq(m.ids, PLACES);
    memory_clear(&m);
}

Test(memory, addresses_are_described_by_what_is_near)
{
    struct memory m;
    char text[200];
    memory_init(&m);
    struct allocation *a = memory_allocate(&m, 16384, "arg2", ALLOCATION_BUFFER);
    memory_describe(&m, 0, a->base + 16388, text, sizeof text);
    cr_assert_str_eq(text, "4 bytes past the end of arg2 (16384 bytes)");
    memory_describe(&m, 0, a->base - 12, text, sizeof text);
    cr_assert_str_eq(text, "12 bytes before arg2 (16384 bytes)");
    memory_describe(&m, 0, a->base + 12, text, sizeof text);
    cr_assert_str_eq(text, "at byte 12 of arg2 (16384 bytes)");
    memory_describe(&m, 0, 8, text, sizeof text);
    cr_assert_str_eq(text, "a null pointer");
    memory_describe(&m, 0, UINT64_C(1) << 60, text, sizeof text);
    cr_assert_str_eq(text, "nothing is allocated near it");
    memory_clear(&m);
}

/* A whole warp whose 64-bit addresses run from below 0 to above it: the first lanes are far outside. */
static void expect_wrapped(const char *space)
{
    static const uint64_t bytes[] = {4096};
    struct rig r;
    char *body;
    cr_assert_gt(asprintf(&body,
                          ".visible .entry k(.param .u64 a)\n{ .reg .b32 %%r<4>; .reg .b64 %%rd<4>;\n"
                          ".shared .align 16 .b8 s[4096]; .local .align 16 .b8 l[4096];\n"
                          "mov.u64 %%rd1, s; st.shared.u32 [%%rd1], 1; mov.u64 %%rd1, l; st.local.u32 [%%rd1], 1;\n"
                          "mov.u32 %%r1, %%tid.x; mul.wide.s32 %%rd2, %%r1, 4; add.s64 %%rd2, %%rd2, -64;\n"
                          "st.%s.u32 [%%rd2], %%r1; ret; }\n",
                          space),
                 0);
    rig_open(&r, body, 1, bytes);
    rig_expect_fault(&r, 1, 32, RP_FAULT_BOUNDS, "store of 4 bytes at 0xffffffffffffffc0");
    rig_close(&r);
    free(body);
}

static const char store_at[] = ".visible .entry k(.param .u64 a)\n{ .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                               "ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], 7; ret; }\n";

Test(memory, a_freed_buffer_is_out_of_bounds)
{
    static const uint64_t bytes[] = {64};
    struct rig r;
    rig_open(&r, store_at, 1, bytes);
    uint64_t other = rp_alloc(r.device, 64, "other", &r.err);
    cr_assert(other);
    cr_expect(rig_run(&r, 1, 32));
    cr_expect_not(rp_free(r.device, r.address[0] + 4, &r.err), "only the beginning of a buffer names it");
    cr_expect_eq(r.err.status, RP_USAGE);
    cr_expect_not_null(rp_host(r.device, r.address[0], 64));
    cr_expect(rp_free(r.device, r.address[0], &r.err));
    cr_expect_null(rp_host(r.device, r.address[0], 64));
    cr_expect_not(rp_free(r.device, r.address[0], &r.err), "freed twice");
    rig_expect_fault(&r, 1, 32, RP_FAULT_BOUNDS, "store of 4 bytes at 0x");
    r.params[0] = other;
    cr_expect(rig_run(&r, 1, 32), "the other buffer is still there");
    rig_close(&r);
}

Test(memory, addresses_that_wrap_around_are_out_of_bounds)
{
    static const char *const spaces[] = {"shared", "local", "global"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        expect_wrapped(spaces[i]);
}

Test(memory, addresses_that_wrap_around_downwards_are_out_of_bounds)
{
    static const uint64_t bytes[] = {64};
    struct rig r;
    rig_open(&r,
             ".visible .entry k(.param .u64 a)\n{ .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
             ".shared .align 16 .b8 s[4096]; mov.u64 %rd1, s; st.shared.u32 [%rd1], 1;\n"
             "mov.u32 %r1, %tid.x; mul.wide.s32 %rd2, %r1, -4; add.s64 %rd2, %rd2, 64;\n"
             "st.shared.u32 [%rd2], %r1; ret; }\n",
             1, bytes);
    rig_expect_fault(&r, 1, 32, RP_FAULT_BOUNDS, "store of 4 bytes at 0xfffffffffffffffc");
    rig_close(&r);
}
