/* How addresses are spread over slices and channels: what divisions say. */
#include <criterion/criterion.h>

#include "replay/base/layout.h"

/* Numbers around powers of two, and around multiples of `near`. */
static uint64_t number_at(unsigned i, uint64_t near)
{
    uint64_t power = i / 8 < 64 ? 1ull << i / 8 : UINT64_MAX / near * near;
    return power / (i % 2 ? 1 : near) * (i % 2 ? 1 : near) + i / 2 % 4 - 2;
}
#define NUMBERS (65u * 8)

Test(parts, quotients_are_those_of_divisions)
{
    for (uint64_t by = 1; by < 5000; by += by < 300 ? 1 : 97)
        for (unsigned i = 0; i < NUMBERS; i++) {
            struct divisor d = divisor_of(by);
            uint64_t n = number_at(i, by);
            cr_assert_eq(divide(n, &d), n / by, "%lu / %lu", n, by);
        }
}

Test(parts, the_greatest_divisors)
{
    for (unsigned i = 0; i < 64; i++)
        for (unsigned k = 0; k < NUMBERS; k++) {
            uint64_t by = UINT64_MAX >> i, n = number_at(k, by);
            struct divisor d = divisor_of(by);
            cr_assert_eq(divide(n, &d), n / by, "%lu / %lu", n, by);
        }
}

/* Into how many of the parts the first `count` chunks at a distance of `stride` go. */
static uint32_t parts_of_stride(const struct memory_parts *p, uint64_t stride)
{
    bool had[256] = {false};
    uint32_t parts = 0;
    for (uint64_t n = 0; n < p->count; n++) {
        const uint32_t part = memory_part_of(p, n * stride << p->shift);
        cr_assert_lt(part, p->count);
        parts += !had[part];
        had[part] = true;
    }
    return parts;
}

/* A polynomial spreads strides of powers of two over all parts, and those near the number of parts over most. */
Test(parts, a_hash_spreads_strides)
{
    for (uint32_t count = 16; count <= 256; count *= 2) {
        struct memory_parts p = {.count = count, .shift = 7, .interleave = 128, .per_round = divisor_of(count)};
        set_hash_begin(&p.hash, SET_HASH_IPOLY, (unsigned)__builtin_ctz(count));
        for (uint64_t stride = 1; stride <= 1u << 20; stride *= 2)
            cr_expect_eq(parts_of_stride(&p, stride), count, "%u parts, stride %lu", count, stride);
        for (int near = -1; near <= 1; near++)
            cr_expect_gt(parts_of_stride(&p, count + (uint64_t)near), count / 2, "%u parts, %+d", count, near);
    }
}

/* The address of a chunk's part is the inverse, with any hash and any number of parts. */
Test(parts, hashed_addresses_are_found_again)
{
    for (uint32_t count = 2; count <= 200; count++)
        for (unsigned kind = SET_HASH_XOR; kind <= SET_HASH_IPOLY; kind++) {
            struct memory_parts p = {.count = count, .shift = 7, .interleave = 128, .per_round = divisor_of(count)};
            set_hash_begin(&p.hash, kind, 32 - (unsigned)__builtin_clz(count - 1));
            for (uint64_t address = 64; address < 1u << 20; address += 1664) {
                const uint32_t part = memory_part_of(&p, address);
                cr_assert_lt(part, count);
                cr_assert_eq(memory_global(&p, part, memory_local(&p, address)), address);
            }
        }
}

Test(parts, addresses_go_to_parts_in_turns)
{
    for (uint32_t count = 1; count <= 256; count++)
        for (unsigned shift = 5; shift <= 20; shift += 3) {
            struct memory_parts p = {
                .count = count, .shift = shift, .interleave = 1ull << shift, .per_round = divisor_of(count)};
            for (unsigned i = 0; i < NUMBERS; i++) {
                uint64_t address = number_at(i, count), chunk = address / p.interleave;
                uint64_t local = count == 1 ? address : chunk / count * p.interleave + address % p.interleave;
                cr_assert_eq(memory_part_of(&p, address), chunk % count);
                cr_assert_eq(memory_local(&p, address), local);
                cr_assert_eq(memory_global(&p, (uint32_t)(chunk % count), local), address);
            }
        }
}
