/* The set-associative instruction cache against a list of all fetches ever made. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hw-models/models.h"

static uint64_t random_state = 7;
static uint64_t rnd(uint64_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % limit;
}

#define FETCHES 400

struct past {
    uint64_t line[FETCHES], arrival[FETCHES];
    unsigned count;
};

/* The line is there if it was fetched before, and since then fewer other lines of its set than there are ways. */
static bool there(const struct past *p, uint64_t line, uint64_t sets, uint64_t ways, uint64_t *arrival)
{
    uint64_t others[FETCHES];
    unsigned count = 0;
    for (unsigned i = p->count; i-- > 0;) {
        if (p->line[i] == line) {
            *arrival = p->arrival[i];
            return count < ways;
        }
        bool known = p->line[i] % sets != line % sets;
        for (unsigned o = 0; o < count; o++)
            known |= others[o] == p->line[i];
        if (!known)
            others[count++] = p->line[i];
    }
    return false;
}

Test(instruction_cache, holds_the_lines_fetched_last_in_each_set)
{
    unsigned hits = 0, late = 0;
    for (int run = 0; run < 200; run++) {
        int64_t options[] = {8 << rnd(5), 1 + (int64_t)rnd(5), 1 + (int64_t)rnd(4), (int64_t)rnd(40)};
        void *state = calloc(1, instruction_cache_set_associative.model.state_size(options));
        instruction_cache_set_associative.reset(state, options);
        struct past past = {.count = 0};
        uint64_t cycle = 0;
        for (int i = 0; i < FETCHES; i++) {
            uint64_t address = rnd(1024) & ~7ull, line = address / (uint64_t)options[0], arrival = 0;
            cycle += rnd(4);
            struct instruction_cache_reply reply;
            instruction_cache_set_associative.fetch(state, address, cycle, &reply);
            bool hit = there(&past, line, (uint64_t)options[1], (uint64_t)options[2], &arrival);
            if (!hit)
                arrival = cycle + (uint64_t)options[3];
            cr_assert_eq(reply.hit, hit);
            cr_assert_eq(reply.cycle, arrival > cycle ? arrival : cycle);
            past.line[past.count] = line;
            past.arrival[past.count++] = arrival;
            hits += hit;
            late += hit && arrival > cycle;
        }
        free(state);
    }
    cr_expect(hits > 1000 && late > 100, "the runs reach both: %u hits, %u of them on the way", hits, late);
}

static void note(struct past *p, uint64_t line, uint64_t arrival)
{
    p->line[p->count] = line;
    p->arrival[p->count++] = arrival;
}

/* The second sees what the first misses, and nothing else. */
Test(instruction_cache, two_levels_are_two_caches_one_behind_the_other)
{
    unsigned first = 0, second = 0, neither = 0;
    for (int run = 0; run < 200; run++) {
        int64_t o[] = {8 << rnd(3),  1 + (int64_t)rnd(3), 1 + (int64_t)rnd(2), (int64_t)rnd(40),
                       32 << rnd(3), 1 + (int64_t)rnd(4), 1 + (int64_t)rnd(4), (int64_t)rnd(90)};
        void *state = calloc(1, instruction_cache_two_level.model.state_size(o));
        instruction_cache_two_level.reset(state, o);
        struct past near = {.count = 0}, far = {.count = 0};
        uint64_t cycle = 0;
        for (int i = 0; i < FETCHES; i++) {
            uint64_t address = rnd(2048) & ~7ull, arrival = 0, from = 0;
            cycle += rnd(4);
            struct instruction_cache_reply reply;
            instruction_cache_two_level.fetch(state, address, cycle, &reply);
            bool hit = there(&near, address / (uint64_t)o[0], (uint64_t)o[1], (uint64_t)o[2], &arrival);
            cr_assert_eq(reply.hit, hit);
            if (!hit) {
                bool next = there(&far, address / (uint64_t)o[4], (uint64_t)o[5], (uint64_t)o[6], &from);
                if (!next)
                    from = cycle + (uint64_t)(o[3] + o[7]);
                note(&far, address / (uint64_t)o[4], from);
                arrival = from > cycle + (uint64_t)o[3] ? from : cycle + (uint64_t)o[3];
                second += next;
                neither += !next;
            }
            first += hit;
            cr_assert_eq(reply.cycle, arrival > cycle ? arrival : cycle);
            note(&near, address / (uint64_t)o[0], arrival);
        }
        free(state);
    }
    cr_expect(first > 1000 && second > 1000 && neither > 1000, "%u, %u, %u", first, second, neither);
}

Test(instruction_cache, perfect_answers_at_once)
{
    struct instruction_cache_reply reply;
    instruction_cache_perfect.fetch(NULL, 4711, 17, &reply);
    cr_expect_eq(reply.cycle, 17);
    cr_expect_not(instruction_cache_perfect.keeps);
}
