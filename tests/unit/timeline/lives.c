/* The lives of instructions in order (tools/timeline/lives.h), beside a plain sort of all of them. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/timeline/lives.h"

#define SUBCORES 6u

static uint64_t state;
static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

/* What happens in a cycle: a dispatch, an end, or an issue. */
enum kind { ENDS, ISSUES, DISPATCHES };
struct moment {
    uint64_t cycle, number; /* number: of the life */
    enum kind kind;
    uint32_t index; /* of an issue: the life's */
};

struct log {
    struct moment *list;
    size_t count, room;
    uint64_t next; /* the cycle from which on parts may come */
};

static void note(struct log *log, struct moment m)
{
    if (log->count == log->room) {
        log->room = 2 * log->room + 1024;
        log->list = realloc(log->list, log->room * sizeof *log->list);
        cr_assert(log->list);
    }
    log->list[log->count++] = m;
}

static void note_part(void *data, const struct lives_part *p)
{
    struct log *log = data;
    uint64_t number = p->first;
    cr_assert_geq(p->begin, log->next, "parts come in order");
    log->next = p->begin + LIVES_CYCLES;
    for (uint32_t c = 0; c < LIVES_CYCLES; c++) {
        for (uint32_t i = p->ends_from[c]; i < p->ends_from[c + 1]; i++)
            note(log, (struct moment){p->begin + c, p->ends[i], ENDS, 0});
        for (uint32_t i = p->issues_from[c]; i < p->issues_from[c + 1]; i++)
            note(log, (struct moment){p->begin + c, number++, ISSUES, p->issues[i]->index});
        for (uint32_t i = p->dispatches_from[c]; i < p->dispatches_from[c + 1]; i++)
            note(log, (struct moment){p->begin + c, p->dispatches[i], DISPATCHES, 0});
    }
}

static int by_time(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* An instruction of the test, whose end is told later. */
struct pending {
    struct life life;
    uint64_t cycle, tell; /* issue; from which draw on it is told */
    bool drops;
};

static int by_issue(const void *left, const void *right)
{
    const struct life *a = left, *b = right;
    return (a->issue > b->issue) - (a->issue < b->issue);
}

/* The moments of all lives, by a plain sort. */
static struct log plain(struct life *lives, size_t count)
{
    struct log log = {0};
    qsort(lives, count, sizeof *lives, by_issue);
    for (size_t n = 0; n < count; n++) {
        uint64_t cycle = life_cycle(&lives[n], SUBCORES);
        note(&log, (struct moment){cycle, n, ISSUES, lives[n].index});
        note(&log, (struct moment){cycle + lives[n].done, n, ENDS, 0});
        if (lives[n].dispatch)
            note(&log, (struct moment){cycle + lives[n].dispatch, n, DISPATCHES, 0});
    }
    qsort(log.list, log.count, sizeof *log.list, by_time);
    return log;
}

static void same(struct log *got, struct log *expected)
{
    for (size_t i = 1; i < got->count; i++)
        cr_assert(got->list[i - 1].cycle < got->list[i].cycle ||
                      (got->list[i - 1].cycle == got->list[i].cycle && got->list[i - 1].kind <= got->list[i].kind),
                  "moment %zu", i);
    qsort(got->list, got->count, sizeof *got->list, by_time); /* ends of one cycle are in no order */
    cr_assert_eq(got->count, expected->count);
    for (size_t i = 0; i < got->count; i++)
        cr_assert(!memcmp(&got->list[i], &expected->list[i], sizeof got->list[i]),
                  "moment %zu: cycle %" PRIu64 ", number %" PRIu64 ", kind %d; expected %" PRIu64 ", %" PRIu64 ", %d",
                  i, got->list[i].cycle, got->list[i].number, (int)got->list[i].kind, expected->list[i].cycle,
                  expected->list[i].number, (int)expected->list[i].kind);
    free(got->list);
    free(expected->list);
}

#define INSTRUCTIONS 20000u

/* Each sub-core is at a cycle of its own, no more than LIVES_AHEAD behind the one that is furthest. most_gap: between
 * two of its issues. */
static void at_random(uint64_t seed, uint64_t most_gap, uint64_t most_time)
{
    static struct life kept[INSTRUCTIONS];
    static struct pending open[64];
    struct log log = {0};
    struct lives lives;
    uint64_t at[SUBCORES] = {0}, furthest = 0;
    size_t count = 0;
    state = seed;
    memset(open, 0, sizeof open);
    cr_assert(lives_open(&lives, SUBCORES, note_part, &log));
    for (uint32_t n = 0; n < INSTRUCTIONS; n++) {
        struct pending *p = &open[n % 64];
        uint64_t s = draw(SUBCORES), gap = 1 + draw(most_gap);
        if (p->tell && p->drops)
            lives_drop(&lives, p->cycle);
        else if (p->tell)
            *lives_add(&lives, p->cycle) = p->life;
        if (p->tell && !p->drops)
            kept[count++] = p->life;
        at[s] = (furthest > LIVES_AHEAD && at[s] + gap < furthest - LIVES_AHEAD) ? furthest - LIVES_AHEAD : at[s] + gap;
        furthest = at[s] > furthest ? at[s] : furthest;
        uint32_t dispatch = (uint32_t)draw(3), done = dispatch + 1 + (uint32_t)draw(draw(20) ? 30 : most_time);
        *p = (struct pending){{life_issue(&lives, at[s], s, false), n, dispatch, done, 0, n}, at[s], 1, !draw(10)};
        lives_begin(&lives, at[s]);
    }
    lives_finish(&lives); /* the last ones never end */
    cr_assert(!lives.starved && !lives.out_of_turn);
    cr_assert_eq(lives.count, count);
    lives_close(&lives);
    struct log expected = plain(kept, count);
    same(&log, &expected);
}

Test(lives, as_a_plain_sort_has_them)
{
    at_random(31, 3, 500);
    at_random(32, 40, 5000);
}

Test(lives, ends_far_ahead) { at_random(33, 20, 2000000); }

Test(lives, long_times_without_any) { at_random(34, 200000, 2000000); }

/* The second instruction of a pair issues with the first, and comes after it, whichever ends first. */
Test(lives, pairs)
{
    struct log log = {0};
    struct lives lives;
    cr_assert(lives_open(&lives, SUBCORES, note_part, &log));
    for (uint32_t n = 0; n < 2; n++)
        lives_begin(&lives, 7);
    *lives_add(&lives, 7) = (struct life){.issue = life_issue(&lives, 7, 2, true), .done = 9, .index = 4};
    *lives_add(&lives, 7) =
        (struct life){.issue = life_issue(&lives, 7, 2, false), .dispatch = 1, .done = 90, .index = 5};
    lives_finish(&lives);
    cr_assert_eq(log.count, 5);
    cr_assert_eq(log.list[0].index, 5);
    cr_assert_eq(log.list[1].index, 4);
    cr_assert(log.list[2].kind == DISPATCHES && log.list[2].number == 0 && log.list[2].cycle == 8);
    lives_close(&lives);
    free(log.list);
}

/* A million instructions one after the other take no more pieces of lists than the first of them. */
Test(lives, memory_is_used_again)
{
    struct log log = {0};
    struct lives lives;
    uint64_t few = 0;
    cr_assert(lives_open(&lives, SUBCORES, note_part, &log));
    for (uint32_t n = 0; n < 1000000; n++) {
        lives_begin(&lives, n);
        *lives_add(&lives, n) = (struct life){.issue = life_issue(&lives, n, n % SUBCORES, false), .done = 4 + n % 300};
        log.count = 0;
        few = n == 10 * LIVES_AHEAD ? lives.pieces : few;
    }
    cr_expect_gt(few, 0);
    cr_expect_leq(lives.pieces, few + 2);
    lives_close(&lives);
    free(log.list);
}

Test(lives, an_issue_that_comes_too_late)
{
    struct log log = {0};
    struct lives lives;
    cr_assert(lives_open(&lives, SUBCORES, note_part, &log));
    lives_begin(&lives, 100000);
    lives_begin(&lives, 100000 - LIVES_AHEAD);
    cr_expect(!lives.out_of_turn);
    lives_begin(&lives, 100);
    cr_expect(lives.out_of_turn);
    lives_close(&lives);
    free(log.list);
}
