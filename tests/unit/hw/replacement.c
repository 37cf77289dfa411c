/* Replacement policies, each that is in the table: against what tests/support states apart, on random uses; what holds
 * for any of them; and what their names promise. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hw-models/replacement/sets.h"
#include "tests/support/replacement_oracle.h"
#include "tests/support/synthetic_trace.h"

#define MOST_WAYS 150
#define SETS 3

/* One cache's sets, in the policy and in the oracle. */
struct rig {
    struct replacement r;
    struct oracle oracle;
    struct oracle_way way[SETS][MOST_WAYS], *set[SETS][MOST_WAYS];
    uint64_t seed, time;
};

static uint64_t random_below(struct rig *t, uint64_t below) { return synthetic_random(&t->seed) % below; }

static void fill(struct rig *t, uint64_t set, uint32_t way, enum cache_hint hint)
{
    replacement_fill(&t->r, set, way, ++t->time, hint);
    oracle_fill(&t->oracle, t->set[set][way], hint);
}

static void use(struct rig *t, uint64_t set, uint32_t way, enum cache_hint hint)
{
    replacement_use(&t->r, set, way, ++t->time, hint);
    oracle_use(&t->oracle, t->set[set][way], hint);
}

static struct rig *rig_new(int64_t policy, uint32_t ways, uint64_t seed)
{
    struct rig *t = calloc(1, sizeof *t);
    cr_assert(t);
    t->seed = seed;
    cr_assert(oracle_begin(&t->oracle, replacement_names[policy]), "tests/support/replacement_oracle.c has no %s",
              replacement_names[policy]);
    replacement_begin(&t->r, malloc(replacement_size(policy, SETS, ways)), policy, SETS, ways);
    for (unsigned s = 0; s < SETS; s++)
        for (unsigned w = 0; w < ways; w++) {
            t->set[s][w] = &t->way[s][w];
            fill(t, s, w, CACHE_HINT_NONE);
        }
    return t;
}

static void rig_free(struct rig *t)
{
    free(t->r.state);
    free(t);
}

/* Some ways of the set may not go. */
static void replace(struct rig *t, uint64_t set, enum cache_hint hint)
{
    bool kept[MOST_WAYS] = {false};
    uint64_t bits[MOST_WAYS / 64 + 1] = {0};
    uint32_t ways = t->r.ways, spared = (uint32_t)random_below(t, ways);
    for (uint32_t w = 0, rare = (uint32_t)random_below(t, 4); w < ways; w++)
        if (w != spared && random_below(t, 4) < rare) {
            kept[w] = true;
            bits[w / 64] |= 1ull << w % 64;
        }
    bool none = random_below(t, 2);
    uint32_t victim = t->r.policy->victim(&t->r, set, none ? NULL : bits);
    cr_assert_lt(victim, ways);
    cr_assert(none || !kept[victim], "%s: what is kept stays", t->r.policy->name);
    cr_assert_eq(victim, oracle_victim(&t->oracle, t->set[set], none ? (bool[MOST_WAYS]){false} : kept, ways),
                 "%s, %u ways", t->r.policy->name, ways);
    fill(t, set, victim, hint);
}

Test(replacement, victims_are_those_of_a_statement_apart)
{
    for (int64_t policy = 0; policy < REPLACEMENT_COUNT; policy++)
        for (uint64_t seed = 1; seed <= 60; seed++) {
            static const uint32_t shapes[] = {1, 2, 3, 4, 8, 12, 16, 63, 64, 65, 128, MOST_WAYS};
            struct rig *t = rig_new(policy, shapes[seed % 12], seed * 7919);
            bool hints = seed % 3 == 0;
            for (int i = 0; i < 2000; i++) {
                uint64_t set = random_below(t, SETS);
                enum cache_hint hint = hints ? (enum cache_hint)random_below(t, 4) : CACHE_HINT_NONE;
                if (random_below(t, 3))
                    use(t, set, (uint32_t)random_below(t, t->r.ways), hint);
                else
                    replace(t, set, hint);
            }
            rig_free(t);
        }
}

/* ---- tables of sets ---------------------------------------------------------------------------------------------- */

struct table {
    struct set_table t;
    void *memory;
    uint64_t hits;
};

static struct table table_new(int64_t policy, uint64_t sets, uint32_t ways)
{
    struct table t = {.memory = malloc(set_table_size(policy, sets, ways))};
    cr_assert(t.memory);
    set_table_begin(&t.t, t.memory, policy, sets, ways);
    return t;
}

static bool has(struct table *t, uint64_t set, uint64_t number)
{
    bool hit;
    set_table_look_up(&t->t, set, number, &hit);
    t->hits += hit;
    return hit;
}

Test(replacement, a_set_with_empty_ways_gives_nothing_up)
{
    for (int64_t policy = 0; policy < REPLACEMENT_COUNT; policy++)
        for (uint32_t ways = 1; ways < 20; ways++) {
            struct table t = table_new(policy, 2, ways);
            for (uint32_t n = 0; n < ways; n++) {
                cr_assert_not(has(&t, 1, n));
                for (uint32_t before = 0; before <= n; before++)
                    cr_assert(has(&t, 1, before), "%s: %u of %u", replacement_names[policy], before, ways);
            }
            free(t.memory);
        }
}

/* What a set holds, from the oracle. */
Test(replacement, tables_hold_what_the_policies_leave)
{
    for (int64_t policy = 0; policy < REPLACEMENT_COUNT; policy++) {
        enum { WAYS = 6 };
        struct table t = table_new(policy, 1, WAYS);
        struct oracle o;
        struct oracle_way way[WAYS] = {{0}}, *set[WAYS];
        uint64_t seed = 5, held[WAYS];
        unsigned filled = 0;
        bool none[WAYS] = {false};
        cr_assert(oracle_begin(&o, replacement_names[policy]));
        for (unsigned w = 0; w < WAYS; w++)
            set[w] = &way[w];
        for (int i = 0; i < 5000; i++) {
            uint64_t number = synthetic_random(&seed) % 10;
            unsigned at = 0;
            while (at < filled && held[at] != number)
                at++;
            bool hit = at < filled;
            if (!hit && filled == WAYS)
                at = oracle_victim(&o, set, none, WAYS);
            filled += !hit && filled < WAYS;
            cr_assert_eq(has(&t, 0, number), hit, "%s", replacement_names[policy]);
            held[at] = number;
            (hit ? oracle_use : oracle_fill)(&o, &way[at], CACHE_HINT_NONE);
        }
        cr_expect_gt(t.hits, 2000);
        free(t.memory);
    }
}

/* Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 1970: what a
 * set with more ways holds under LRU includes what one with fewer holds. */
Test(replacement, lru_is_a_stack_algorithm)
{
    struct table small = table_new(REPLACEMENT_lru, 1, 5), large = table_new(REPLACEMENT_lru, 1, 7);
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        uint64_t number = synthetic_random(&seed) % 12;
        bool in_small = has(&small, 0, number), in_large = has(&large, 0, number);
        cr_assert(in_large || !in_small);
    }
    cr_expect(small.hits > 1000 && large.hits > small.hits + 1000);
    free(small.memory);
    free(large.memory);
}

Test(replacement, fifo_takes_lines_in_the_order_in_which_they_came)
{
    struct rig *t = rig_new(REPLACEMENT_fifo, 5, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        for (uint64_t uses = random_below(t, 4); uses; uses--)
            use(t, 0, (uint32_t)random_below(t, 5), CACHE_HINT_NONE);
        uint32_t victim = t->r.policy->victim(&t->r, 0, NULL);
        cr_assert_eq(victim, i % 5);
        fill(t, 0, victim, CACHE_HINT_NONE);
    }
    rig_free(t);
}

/* A scan that is longer than the set takes everything from LRU and leaves lines that are used again to SRRIP (Jaleel et
 * al., ISCA 2010, section 1: mixed access patterns). */
Test(replacement, srrip_resists_scans)
{
    enum { WAYS = 8, LOOP = 4, SCAN = 6 };
    struct table lru = table_new(REPLACEMENT_lru, 1, WAYS), srrip = table_new(REPLACEMENT_srrip, 1, WAYS);
    for (uint64_t round = 0; round < 100; round++) {
        for (uint64_t twice = 0; twice < 2 * LOOP; twice++) {
            has(&lru, 0, twice % LOOP);
            has(&srrip, 0, twice % LOOP);
        }
        for (uint64_t n = 0; n < SCAN; n++) {
            has(&lru, 0, 1000 + round * SCAN + n);
            has(&srrip, 0, 1000 + round * SCAN + n);
        }
    }
    cr_expect_eq(lru.hits, 100 * LOOP, "each round begins anew: %d", (int)lru.hits);
    cr_expect_gt(srrip.hits, 100 * LOOP + 90 * LOOP, "lines of the loop stay: %d", (int)srrip.hits);
    free(lru.memory);
    free(srrip.memory);
}
