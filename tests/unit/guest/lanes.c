/* What the lock-step engine does to 32 cores at once is what it does to each: stacks, and IA-32's divisions and
 * rotates. */
#include <criterion/criterion.h>
#include <string.h>

#include "frontend/core/access.h"
#include "frontend/guest/lanes.h"
#include "frontend/isa/ia32/lanes.h"
#include "frontend/isa/ia32/operations.h"

enum { LANES = RP_WARP_LANES, CORES = 64, FIRST = 32, STACK = 4096, TRIALS = 5000 };

static uint32_t random_word(void)
{
    static uint64_t state = 34;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

struct trial {
    lanemask executed;
    uint32_t width, bytes;
    uint32_t address[LANES] __attribute__((aligned(64)));
};

/* Mostly within the stack, or all at one place of it; now and then beyond its ends. */
static void choose(struct trial *t, const struct guest_memory *m)
{
    const uint32_t kind = random_word() % 4, place = random_word() % (STACK + 8) - 4;
    t->executed = kind == 0 || kind == 3 ? UINT32_MAX : random_word() | 1u << random_word() % LANES;
    t->width = 1u << random_word() % 3;
    t->bytes = t->width == 4 ? 4 * (1 + random_word() % 3) : t->width;
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t low = guest_stack_top(m, FIRST + l) - STACK;
        const uint32_t own = random_word() % 500 ? random_word() % (STACK - 16) : random_word() % 64 - 32 + STACK;
        t->address[l] = low + (kind == 0 ? place : own);
    }
}

static bool in_own_stack(const struct trial *t, const struct guest_memory *m, uint32_t lane)
{
    return t->address[lane] - (guest_stack_top(m, FIRST + lane) - STACK) <= STACK - t->bytes;
}

/* What is loaded is what the memory has, and what is stored it has then; other lanes' registers and all other bytes
 * stay as they are. */
static void expect_moves(struct guest_memory *m, const struct trial *t, const struct guest_offsets *at,
                         const struct guest_stacks *s, uint32_t beyond)
{
    uint32_t loaded[LANES] __attribute__((aligned(64))), extended[LANES] __attribute__((aligned(64)));
    uint32_t stored[LANES] __attribute__((aligned(64)));
    const uint32_t above = 32 - 8 * t->width;
    static uint8_t before[LANES * STACK];
    for (uint32_t l = 0; l < LANES; l++)
        loaded[l] = extended[l] = stored[l] = random_word();
    memcpy(before, s->host, sizeof before);
    SIMD_SELECT(guest_load_stacks)(loaded, at, s, beyond, t->width, false, t->executed);
    SIMD_SELECT(guest_load_stacks)(extended, at, s, beyond, t->width, true, t->executed);
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t value = 0;
        if (t->executed >> l & 1)
            cr_assert(guest_memory_read(m, t->address[l] + beyond, t->width, GUEST_READ, &value));
        cr_assert(loaded[l] == (t->executed >> l & 1 ? value : stored[l]));
        cr_assert(extended[l] == (t->executed >> l & 1 ? (uint32_t)((int32_t)(value << above) >> above) : stored[l]));
    }
    SIMD_SELECT(guest_store_stacks)(stored, at, s, beyond, t->width, t->executed);
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t value = 0, was = loaded[l];
        if (!(t->executed >> l & 1))
            continue;
        cr_assert(guest_memory_read(m, t->address[l] + beyond, t->width, GUEST_READ, &value));
        cr_assert(value == stored[l] << above >> above, "lane %u, address %#x", l, t->address[l]);
        cr_assert(guest_memory_write(m, t->address[l] + beyond, t->width, &was));
    }
    cr_assert(!memcmp(before, s->host, sizeof before));
    SIMD_SELECT(guest_store_stacks)(stored, at, s, beyond, t->width, t->executed);
}

Test(guest_lanes, stacks_hold_what_the_memory_has)
{
    const struct guest none = {.path = "none", .end = 0x20000};
    struct guest_memory m;
    struct rp_error err;
    unsigned found = 0, same = 0, split = 0;
    cr_assert(guest_memory_open(&m, &none, CORES, STACK, &err));
    struct guest_stacks stacks;
    guest_set_stacks(&stacks, &m, FIRST);
    for (unsigned n = 0; n < TRIALS; n++) {
        struct trial t;
        struct lane_addresses la;
        struct guest_offsets at;
        bool own = true;
        choose(&t, &m);
        SIMD_SELECT(addresses_narrow)(&la, t.address, 0, t.executed);
        for (uint32_t l = 0; l < LANES; l++)
            own &= !(t.executed >> l & 1) || in_own_stack(&t, &m, l);
        cr_assert(SIMD_SELECT(guest_find_in_stacks)(&at, &la, &stacks, t.bytes, t.width, t.executed) == own);
        found += own;
        if (!own)
            continue;
        expect_moves(&m, &t, &at, &stacks, t.bytes - t.width);
        same += at.same;
        split += at.split;
    }
    cr_expect(found > TRIALS / 4 && found < TRIALS && same > TRIALS / 8 && same < found && split > TRIALS / 8);
    guest_memory_close(&m);
}

/* ---- places that are known --------------------------------------------------------------------------------------- */

static uint8_t window[GUEST_WINDOW_BYTES] __attribute__((aligned(64)));

static uint32_t *lanes_of(unsigned n) { return (uint32_t *)(window + (size_t)n * 4 * LANES); }

enum { ADDRESS, VALUE }; /* registers */

/* Lanes at one place of their stacks, each at its own, all but one at one place, or in the stacks of other cores. */
static void choose_places(const struct guest_memory *m)
{
    const uint32_t kind = random_word() % 4, place = 64 + random_word() % (STACK - 256), other = random_word() % LANES;
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t core = kind == 3 ? FIRST + l - 1 - random_word() % 8 : FIRST + l;
        const bool own = kind == 1 || (kind == 2 && l == other);
        lanes_of(ADDRESS)[l] = guest_stack_top(m, core) - STACK + (own ? 64 + random_word() % (STACK - 256) : place);
    }
}

static void expect_load(struct guest_group *g, const struct uop *u, lanemask executed)
{
    const uint32_t old = lanes_of(VALUE)[0] = random_word();
    u->fn(&g->w, u, executed);
    cr_assert(!g->failed);
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t value = 0;
        cr_assert(guest_memory_read(&g->machine->memory, lanes_of(ADDRESS)[l], 4, GUEST_READ, &value));
        cr_assert(!(executed >> l & 1) || lanes_of(VALUE)[l] == value);
    }
    cr_assert(executed & 1 || lanes_of(VALUE)[0] == old);
}

/* An access that relies on the one before by its register, after a constant was added to that. */
Test(guest_lanes, places_are_known_of_the_access_before_alone)
{
    const struct guest none = {.path = "none", .end = 0x20000};
    struct guest_machine machine = {0};
    struct guest_group g = {.machine = &machine, .first = FIRST};
    struct memory_descriptor d = {.operand = {.kind = RP_ACCESS_LOAD, .elements = 1, .width = 4}};
    struct uop first = {
        .memory = &d, .kind = UOP_MEMORY, .type = T_B32, .d = GUEST_REGISTER(VALUE), .a = GUEST_REGISTER(ADDRESS)};
    struct rp_error err;
    unsigned known = 0;
    cr_assert(guest_memory_open(&machine.memory, &none, CORES, STACK, &err));
    guest_set_stacks(&g.stacks, &machine.memory, FIRST);
    warp_set_window(&g.w, window);
    for (uint32_t i = 0; i < CORES * STACK / 4; i++)
        ((uint32_t *)machine.memory.stacks)[i] = random_word();
    guest_prepare_access(&first, &d);
    struct uop next = first;
    guest_prepare_known_access(&next);
    cr_assert(next.fn != first.fn);
    for (unsigned n = 0; n < TRIALS; n++) {
        const lanemask executed = random_word() % 4 ? UINT32_MAX : random_word() | 1u << random_word() % LANES;
        const uint32_t more = random_word() % 128 - 64;
        choose_places(&machine.memory);
        expect_load(&g, &first, executed);
        for (uint32_t l = 0; l < LANES; l++)
            lanes_of(ADDRESS)[l] += more;
        known += g.in_place != 0;
        expect_load(&g, &next, executed);
    }
    cr_expect(known > TRIALS / 8 && known < TRIALS / 3);
    guest_memory_close(&machine.memory);
}

/* ---- divisions ----------------------------------------------------------------------------------------------------
 */

/* Zeros and ones around the ends of 8, 16 and 32 bits, or anything. */
static uint32_t edge(void)
{
    static const uint32_t edges[] = {0,      1,      2,      0x7f,       0x80,       0xff,
                                     0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, UINT32_MAX};
    const uint32_t word = random_word();
    return word % 3 ? edges[word / 3 % (sizeof edges / sizeof *edges)] : random_word() >> word / 3 % 32;
}

static void expect_divisions(const struct warp *w, lanemask executed, bool is_signed, unsigned bits,
                             const uint32_t eax[LANES], const uint32_t edx[LANES])
{
    const lanemask failed = *(const lanemask *)register_at(w, GUEST_PREDICATE(IA32_P_CONDITION));
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t high = bits == 8 ? eax[l] >> 8 : edx[l], a = lanes_of(IA32_EAX)[l], d = lanes_of(IA32_EDX)[l];
        uint32_t q = 0, r = 0;
        const bool good = ia32_divide(is_signed, bits, high, eax[l], lanes_of(IA32_EBX)[l], &q, &r);
        cr_assert((failed >> l & 1) == (!good && executed >> l & 1));
        if (!(executed >> l & 1) || !good)
            cr_assert(a == eax[l] && d == edx[l]);
        else if (bits == 8)
            cr_assert(a == ((eax[l] & ~0xffffu) | r << 8 | q));
        else
            cr_assert(ia32_low_bits(a, bits) == q && ia32_low_bits(d, bits) == r);
    }
}

Test(guest_lanes, ia32_divides_as_the_plain_engine_does)
{
    static const unsigned sizes[] = {8, 16, 32};
    struct warp w = {0};
    warp_set_window(&w, window);
    for (unsigned n = 0; n < TRIALS; n++) {
        const bool is_signed = n & 1, extended = n & 2;
        const unsigned bits = sizes[n / 4 % 3];
        const lanemask executed = n & 32 ? UINT32_MAX : random_word() | 1;
        uint32_t eax[LANES], edx[LANES];
        for (unsigned l = 0; l < LANES; l++) {
            lanes_of(IA32_EAX)[l] = eax[l] = edge();
            lanes_of(IA32_EBX)[l] = edge();
            lanes_of(IA32_EDX)[l] = edx[l] = !extended ? edge() : is_signed ? -(eax[l] >> 31) : 0;
        }
        const struct uop u = {.b = GUEST_REGISTER(IA32_EBX), .imm = bits | (is_signed ? IA32_SIGNED : 0)};
        SIMD_SELECT(ia32_lane_handler)(IA32_LANE_DIVIDE, u.imm)(&w, &u, executed);
        expect_divisions(&w, executed, is_signed, bits, eax, edx);
    }
}

/* ---- rotates through CF -------------------------------------------------------------------------------------------
 */

/* Bit by bit. */
static uint32_t rotate_slowly(bool left, unsigned bits, uint32_t a, unsigned n, uint32_t *carry)
{
    for (; n; n--) {
        const uint32_t out = left ? a >> (bits - 1) : a & 1;
        a = left ? a << 1 | *carry : a >> 1 | *carry << (bits - 1);
        a = ia32_low_bits(a, bits);
        *carry = out;
    }
    return a;
}

Test(guest_lanes, ia32_rotates_through_the_carry)
{
    static const unsigned sizes[] = {8, 16, 32};
    for (unsigned n = 0; n < TRIALS; n++) {
        const bool left = n & 1;
        const unsigned bits = sizes[n / 2 % 3], operation = left ? IA32_RCL : IA32_RCR;
        const uint32_t amount = random_word(), by = ia32_amount(operation, bits, amount), carry = random_word() & 1;
        const uint32_t a = ia32_low_bits(edge(), bits);
        struct ia32_carry f;
        uint32_t out = carry;
        cr_assert(by == (amount & 31) % (bits == 32 ? 33 : bits + 1));
        if (!by)
            continue;
        cr_assert(ia32_shift(operation, bits, a, 0, by, carry, &f) == rotate_slowly(left, bits, a, by, &out));
        cr_assert(f.c >> 31 == out);
    }
}
