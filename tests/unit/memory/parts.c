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
