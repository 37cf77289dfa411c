/* Shared memory as PasTiS measured it: Table I, Table II and Figure 8 of Adalbert et al., ERTS 2022, from golden files,
 * and the duration formula. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "hw-models/set/models.h"

static const int64_t options[] = {1};

static struct shared_memory_cost cost_of(uint32_t mask, uint32_t width, const uint64_t address[32])
{
    struct shared_memory_cost cost;
    shared_memory_pastis.cost(options, &(struct shared_memory_access){mask, width, address, false}, &cost);
    return cost;
}

/* Lane l at l × stride. */
static struct shared_memory_cost strided(uint32_t mask, uint32_t width, uint64_t stride)
{
    uint64_t address[32];
    for (uint32_t l = 0; l < 32; l++)
        address[l] = l * stride;
    return cost_of(mask, width, address);
}

/* Runs a golden file of "mask 32-bit 64-bit 128-bit" rows; returns the number of cells compared. `stride` 0:
 * consecutive accesses. */
static int compare_table(const char *path, uint64_t stride)
{
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s is missing", path);
    char line[256];
    int cells = 0;
    while (fgets(line, sizeof line, file)) {
        unsigned mask, expected[3];
        if (*line == '#' || sscanf(line, "%x %u %u %u", &mask, &expected[0], &expected[1], &expected[2]) != 4)
            continue;
        for (uint32_t i = 0; i < 3; i++, cells++) {
            uint32_t width = 4u << i;
            struct shared_memory_cost cost = strided(mask, width, stride ? stride : width);
            cr_expect_eq(cost.transactions, expected[i], "%s: mask %08x, %u bits: %u transactions, measured %u", path,
                         mask, 8 * width, cost.transactions, expected[i]);
        }
    }
    fclose(file);
    return cells;
}

Test(shared_memory, table_1_consecutive_accesses)
{
    cr_assert_eq(compare_table("tests/golden/pastis-table-1.txt", 0), 12);
}

/* "all active threads access different words in the same bank": a stride of all 32 banks. */
Test(shared_memory, table_2_all_in_conflict)
{
    cr_assert_eq(compare_table("tests/golden/pastis-table-2.txt", 128), 96);
}

/* Figure 8: 128-bit accesses; lanes 0-4 conflict on banks 0-3 and 5-7 on banks 4-7; lanes 8-11 and 12-15 likewise. */
Test(shared_memory, figure_8_has_9_transactions)
{
    uint64_t address[32] = {0};
    for (uint32_t l = 0; l < 16; l++) {
        uint32_t first = l < 5 ? 0 : l < 8 ? 5 : l < 12 ? 8 : 12, banks = l < 5 ? 0 : l < 8 ? 4 : l < 12 ? 8 : 12;
        address[l] = (l - first) * 128 + banks * 4;
    }
    struct shared_memory_cost cost = cost_of(0x0000ffff, 16, address);
    /* (4+1) + (3+1) for the two pools with lanes that the figure shows; the two pools that it leaves out for want of
     * space issue one each, as Table I and II say of inactive pools. */
    cr_assert_eq(cost.transactions - 2, 9);
    cr_assert_eq(cost.conflicts, 4 + 3);
}

/* dur = 22 + base + 2 × conflicts, base 1, 8, 16 */
Test(shared_memory, duration)
{
    static const uint32_t base[] = {1, 8, 16};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t width = 4u << i, pools = 1u << i;
        cr_expect_eq(strided(~0u, width, width).duration, 22 + base[i]);
        for (uint32_t lanes = 1; lanes <= 32; lanes++) {
            uint32_t mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
            uint32_t conflicts = 0; /* pool by pool: lanes in it, less one */
            for (uint32_t p = 0; p < pools; p++) {
                uint32_t in = __builtin_popcountll((uint64_t)mask >> (p * 32 / pools) & ((1ull << 32 / pools) - 1));
                conflicts += in ? in - 1 : 0;
            }
            struct shared_memory_cost cost = strided(mask, width, 128);
            cr_expect_eq(cost.duration, 22 + base[i] + 2 * conflicts, "%u bits, %u lanes", 8 * width, lanes);
            cr_expect_eq(cost.conflicts, conflicts);
        }
    }
}

Test(shared_memory, lanes_that_read_one_word_share_it)
{
    cr_expect_eq(strided(~0u, 4, 0).transactions, 1);
    cr_expect_eq(strided(~0u, 8, 0).transactions, 2);
    cr_expect_eq(strided(~0u, 16, 0).transactions, 4);
    cr_expect_eq(strided(~0u, 1, 1).transactions, 1, "four lanes in each word");
    cr_expect_eq(strided(~0u, 2, 256).transactions, 32, "16 bits count as 32");
}

Test(shared_memory, ideal_has_no_conflicts)
{
    uint64_t address[32] = {0};
    struct shared_memory_cost cost;
    shared_memory_ideal.cost(NULL, &(struct shared_memory_access){~0u, 16, address, false}, &cost);
    cr_expect_eq(cost.transactions, 1);
    cr_expect_eq(cost.conflicts + cost.duration + cost.occupancy, 0);
}

/* ---- banks ------------------------------------------------------------------------------------------------------- */

static struct shared_memory_cost of_banks(const int64_t *o, uint32_t mask, uint32_t width, const uint64_t *address)
{
    struct shared_memory_cost cost;
    shared_memory_banks.cost(o, &(struct shared_memory_access){mask, width, address, false}, &cost);
    return cost;
}

/* A stride of s words meets 32 / gcd(s, 32) banks: gcd(s, 32) lanes in each. */
Test(shared_memory, passes_of_a_stride_are_its_greatest_common_divisor_with_32)
{
    static const int64_t o[] = {20, 2, 3, 7, 0};
    uint64_t address[32];
    for (uint32_t stride = 1; stride <= 64; stride++) {
        uint32_t a = stride, b = 32;
        while (b) {
            uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        for (uint32_t l = 0; l < 32; l++)
            address[l] = 4096 + (uint64_t)l * stride * 4;
        struct shared_memory_cost cost = of_banks(o, ~0u, 4, address);
        cr_expect_eq(cost.transactions, a, "stride %u", stride);
        cr_expect_eq(cost.conflicts, a - 1);
        cr_expect_eq(cost.duration, 20 + 2 * (a - 1));
        cr_expect_eq(cost.occupancy, 3 * a < 7 ? 7 : 3 * a, "at least 7");
    }
}

/* Lanes of an atomic at one address take turns, those of a load share it. An atomic takes four cycles besides. */
Test(shared_memory, lanes_of_an_atomic_take_turns)
{
    static const int64_t o[] = {20, 2, 1, 0, 0, 3, 4};
    static const uint32_t most[] = {32, 16, 8, 4, 2, 1};
    uint64_t address[32];
    for (uint32_t i = 0; i < 6; i++) {
        struct shared_memory_cost cost;
        for (uint32_t l = 0; l < 32; l++)
            address[l] = l % (32 / most[i]) * 4;
        shared_memory_banks.cost(o, &(struct shared_memory_access){~0u, 4, address, true}, &cost);
        cr_expect_eq(cost.transactions, 1);
        cr_expect_eq(cost.duration, 20 + 3 * (most[i] - 1));
        cr_expect_eq(cost.occupancy, 1 + 3 * (most[i] - 1) + 4);
        cr_expect_eq(of_banks(o, ~0u, 4, address).duration, 20, "a load");
        cr_expect_eq(of_banks(o, ~0u, 4, address).occupancy, 1, "a load");
    }
    for (uint32_t l = 0; l < 32; l++)
        address[l] = l < 3 ? 0 : l * 4;
    struct shared_memory_cost cost;
    shared_memory_banks.cost(o, &(struct shared_memory_access){0xfffffffeu, 4, address, true}, &cost);
    cr_expect_eq(cost.duration, 20 + 3, "of three lanes there two are active");
}

/* G. Smith's example: a 128-bit load of one address takes two requests, and four where lanes share addresses in other
 * ways than n with n ^ 1 or n with n ^ 2. */
Test(shared_memory, lanes_that_share_addresses_in_pairs_take_half_as_many_parts)
{
    static const int64_t o[] = {20, 2, 1, 0, 1}, off[] = {20, 2, 1, 0, 0};
    uint64_t address[32];
    /* lanes share addresses where their numbers differ in this bit alone; 5: none */
    for (uint32_t bit = 0; bit <= 5; bit++) {
        for (uint64_t l = 0; l < 32; l++)
            address[l] = 16 * ((l >> (bit + 1) << bit) | (l & ((1ull << bit) - 1)));
        cr_expect_eq(of_banks(o, ~0u, 16, address).transactions, bit < 2 ? 2 : 4, "bit %u", bit);
        cr_expect_eq(of_banks(off, ~0u, 16, address).transactions, 4, "bit %u", bit);
        cr_expect_eq(of_banks(o, ~0u, 4, address).transactions, of_banks(off, ~0u, 4, address).transactions);
    }
    for (uint64_t l = 0; l < 32; l++)
        address[l] = 64;
    cr_expect_eq(of_banks(o, ~0u, 16, address).transactions, 2);
    cr_expect_eq(of_banks(o, ~0u, 8, address).transactions, 1);
    cr_expect_eq(of_banks(off, ~0u, 8, address).transactions, 2);
    address[31] = 4096;
    cr_expect_eq(of_banks(o, ~0u, 16, address).transactions, 4, "one lane alone");
    cr_expect_eq(of_banks(o, ~0u >> 1, 16, address).transactions, 2, "which is not active");
}

/* Random accesses against passes that are carried out: each takes one word of each bank, for all lanes of the part that
 * want it. */
Test(shared_memory, passes_are_those_that_serve_all_lanes)
{
    static const int64_t o[] = {0, 1, 1, 0, 0};
    uint64_t seed = 5, address[32];
    for (unsigned n = 0; n < 3000; n++) {
        uint32_t width = 1u << n % 5, parts = width <= 4 ? 1 : width / 4, words = width <= 4 ? 1 : width / 4,
                 passes = 0;
        uint32_t range = 1u << (5 + n / 5 % 8), mask = 0;
        for (uint32_t l = 0; l < 32; l++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            address[l] = (seed >> 33) % range * width;
            mask |= (uint32_t)(seed >> 60 & 1) << l;
        }
        mask = n % 3 ? mask | 1u << n % 32 : ~0u;
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t lanes = 32 / parts, left = 0;
            uint64_t wanted[128];
            for (uint32_t l = part * lanes; l < (part + 1) * lanes; l++)
                for (uint32_t w = 0; (mask >> l & 1) && w < words; w++)
                    wanted[left++] = address[l] / 4 + w;
            for (; left; passes++) {
                uint64_t row[32];
                bool open[32] = {false};
                uint32_t kept = 0;
                for (uint32_t i = 0; i < left; i++) {
                    uint32_t bank = (uint32_t)(wanted[i] % 32);
                    if (!open[bank])
                        row[bank] = wanted[i];
                    open[bank] = true;
                    if (row[bank] != wanted[i])
                        wanted[kept++] = wanted[i];
                }
                left = kept;
            }
        }
        cr_assert_eq(of_banks(o, mask, width, address).transactions, passes,
                     "access %u of %u bytes: %u passes, %u wanted", n, width,
                     of_banks(o, mask, width, address).transactions, passes);
    }
}
