/* The set-associative instruction cache against a list of all fetches ever made. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hw-models/set/models.h"

static uint64_t random_state = 7;
static uint64_t rnd(uint64_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % limit;
}

#define FETCHES 400
#define MOST (3 * FETCHES) /* with two lines fetched ahead of each */

struct past {
    uint64_t line[MOST], arrival[MOST];
    unsigned count;
};

/* The line is there if it was fetched before, and since then fewer other lines of its set than there are ways. */
static bool past_has(const struct past *p, uint64_t line, uint64_t sets, uint64_t ways, uint64_t *arrival)
{
    uint64_t others[MOST];
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
        int64_t options[] = {8 << rnd(5), 1 + (int64_t)rnd(5), 1 + (int64_t)rnd(4), (int64_t)rnd(40), REPLACEMENT_lru};
        void *state = calloc(1, instruction_cache_set_associative.model.state_size(options));
        instruction_cache_set_associative.reset(state, options);
        struct past past = {.count = 0};
        uint64_t cycle = 0;
        for (int i = 0; i < FETCHES; i++) {
            uint64_t address = rnd(1024) & ~7ull, line = address / (uint64_t)options[0], arrival = 0;
            cycle += rnd(4);
            struct instruction_cache_reply reply;
            instruction_cache_set_associative.fetch(state, 3, address, cycle, &reply);
            bool hit = past_has(&past, line, (uint64_t)options[1], (uint64_t)options[2], &arrival);
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

#define CACHES 3
#define ROWS 5 /* of a level */

struct past_levels {
    struct past level[3][CACHES]; /* of the second and third, the first of each */
};

/* What one fetch finds, by the lists alone: its end; *missed: how many levels. */
static uint64_t through_levels(struct past_levels *all, const int64_t *o, unsigned levels, unsigned which,
                               uint64_t address, uint64_t cycle, unsigned *missed)
{
    uint64_t arrival = 0, there = cycle;
    bool hit = false;
    unsigned n = 0;
    for (; n < levels && !hit; n++) {
        const int64_t *rows = o + 2 + ROWS * n;
        hit = past_has(&all->level[n][n ? 0 : which], address / (uint64_t)rows[0], (uint64_t)rows[1], (uint64_t)rows[2],
                       &arrival);
        there += hit ? 0 : (uint64_t)rows[3];
    }
    *missed = n - hit;
    there = hit && arrival > there ? arrival : there;
    for (unsigned i = 0; i < n; i++)
        note(&all->level[i][i ? 0 : which], address / (uint64_t)o[2 + ROWS * i], hit && i == n - 1 ? arrival : there);
    return there;
}

/* The second sees what the first ones miss, and nothing else; the third what the second misses. Behind a line that is
 * turned to, others are fetched ahead. */
static void check_levels(const struct instruction_cache_model *model, unsigned levels)
{
    unsigned at[4] = {0};
    struct past_levels *all = malloc(sizeof *all);
    for (int run = 0; run < 200; run++) {
        int64_t o[] = {
            1 + (int64_t)rnd(CACHES), (int64_t)rnd(3), 8 << rnd(3),  1 + (int64_t)rnd(3), 1 + (int64_t)rnd(2),
            (int64_t)rnd(40),         REPLACEMENT_lru, 32 << rnd(2), 1 + (int64_t)rnd(3), 1 + (int64_t)rnd(3),
            (int64_t)rnd(90),         REPLACEMENT_lru, 64 << rnd(2), 1 + (int64_t)rnd(4), 1 + (int64_t)rnd(4),
            (int64_t)rnd(200),        REPLACEMENT_lru,
        };
        void *state = calloc(1, model->model.state_size(o));
        model->reset(state, o);
        for (unsigned i = 0; i < 3 * CACHES; i++)
            all->level[i / CACHES][i % CACHES].count = 0;
        uint64_t cycle = 0, last[CACHES] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
        for (int i = 0; i < FETCHES; i++) {
            uint64_t address = rnd(2048) & ~7ull, line = address / (uint64_t)o[2];
            unsigned subcore = (unsigned)rnd(4), which = subcore % (unsigned)o[0], missed, ignored;
            cycle += rnd(4);
            struct instruction_cache_reply reply;
            model->fetch(state, subcore, address, cycle, &reply);
            cr_assert_eq(reply.cycle, through_levels(all, o, levels, which, address, cycle, &missed));
            cr_assert_eq(reply.hit, !missed);
            for (uint64_t k = 1; line != last[which] && k <= (uint64_t)o[1]; k++)
                through_levels(all, o, levels, which, (line + k) * (uint64_t)o[2], cycle, &ignored);
            last[which] = line;
            at[missed]++;
        }
        free(state);
    }
    free(all);
    for (unsigned i = 0; i <= levels; i++)
        cr_expect_gt(at[i], 1000, "in level %u: %u", i, at[i]);
}

Test(instruction_cache, levels_are_caches_one_behind_the_other)
{
    check_levels(&instruction_cache_two_level, 2);
    check_levels(&instruction_cache_three_level, 3);
}

Test(instruction_cache, perfect_answers_at_once)
{
    struct instruction_cache_reply reply;
    instruction_cache_perfect.fetch(NULL, 0, 4711, 17, &reply);
    cr_expect_eq(reply.cycle, 17);
    cr_expect_not(instruction_cache_perfect.keeps);
}
