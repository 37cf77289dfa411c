/* Cache-conscious wavefront scheduling (Rogers, O'Connor, Aamodt, MICRO 2012). Warps that lose L1 lines which they use
 * again keep other warps from loading for a while. Among the warps that may issue, the policy is greedy then oldest.
 *
 * Each warp has victim tags: the lines that it brought into L1 and that were replaced. When a load of the warp misses
 * on one of them, the warp has lost locality, and its score becomes
 *
 *     lost / issued × throttle × cutoff          with cutoff = warps × base
 *
 * Both counts are those of the sub-core since its reset. A score is at least `base` and at most the cutoff. It falls by
 * one in each cycle, down to `base`. Scores are added up from the highest on. The warps with which the sum exceeds the
 * cutoff may not issue loads. So no warp is held back while all scores are at `base`, the warp with the highest score
 * never is, and a score at the cutoff holds back all others. Warps at a barrier do not count.
 *
 * The defaults are the paper's: throttle 8, base 100, 16 tags for each warp. The paper keeps tags in sets of eight;
 * here a tag may take any entry of its warp, and replaces the oldest. One of the paper's schedulers has all warps of an
 * SM; here each has those of a sub-core.
 */
#include <string.h>

#include "hw-models/scheduler/scheduler.h"

enum { TAGS, THROTTLE, BASE };
static const struct model_option options_of[] = {
    [TAGS] = {"tags", OPTION_INTEGER, "lines", 1, 1024, 16, NULL, "of a warp that L1 lost last, which are known"},
    [THROTTLE] = {"throttle", OPTION_INTEGER, "", 0, 1000, 8, NULL, "factor of the score: how long others are held"},
    [BASE] = {"base", OPTION_INTEGER, "", 1, 10000, 100, NULL, "score of a warp that has lost nothing"},
};

#define NO_LINE UINT64_MAX
struct ccws {
    uint64_t tag_count, throttle, base;
    struct scheduler_ages ages;
    uint64_t waiting; /* slots that went to a barrier and have not issued since */
    uint64_t greedy;  /* the slot that issued last, as a mask; 0: none */
    uint64_t lost, issued;
    uint64_t calm;                      /* the cycle from which all scores are at their base */
    uint64_t score[SCHEDULER_SLOTS];    /* plus the cycle in which it was set; 0: at its base */
    uint32_t next_tag[SCHEDULER_SLOTS]; /* the entry of the oldest tag */
    uint64_t tags[];                    /* tag_count for each slot */
};

static size_t state_size(const int64_t *options)
{
    return sizeof(struct ccws) + SCHEDULER_SLOTS * (size_t)options[TAGS] * sizeof(uint64_t);
}

static void reset(void *state, const int64_t *options)
{
    struct ccws *c = state;
    memset(c, 0, state_size(options));
    c->tag_count = (uint64_t)options[TAGS];
    c->throttle = (uint64_t)options[THROTTLE];
    c->base = (uint64_t)options[BASE];
}

static uint64_t *tags_of(struct ccws *c, unsigned slot) { return c->tags + slot * c->tag_count; }

static void start(void *state, unsigned slot)
{
    struct ccws *c = state;
    scheduler_ages_start(&c->ages, slot);
    c->score[slot] = 0;
    c->next_tag[slot] = 0;
    for (uint64_t i = 0; i < c->tag_count; i++)
        tags_of(c, slot)[i] = NO_LINE;
}

static void wait(void *state, unsigned slot) { ((struct ccws *)state)->waiting |= 1ull << slot; }

static void end(void *state, unsigned slot)
{
    struct ccws *c = state;
    scheduler_ages_end(&c->ages, slot);
    c->waiting &= ~(1ull << slot);
    c->greedy &= ~(1ull << slot);
}

static int pick(void *state, uint64_t ready)
{
    struct ccws *c = state;
    int slot = ready & c->greedy ? __builtin_ctzll(c->greedy) : scheduler_ages_oldest(&c->ages, ready);
    c->greedy = 1ull << slot;
    c->waiting &= ~c->greedy;
    c->issued++;
    return slot;
}

static void replaced(void *state, unsigned slot, uint64_t line)
{
    struct ccws *c = state;
    tags_of(c, slot)[c->next_tag[slot]] = line;
    c->next_tag[slot] = (uint32_t)((c->next_tag[slot] + 1) % c->tag_count);
}

static void missed(void *state, unsigned slot, uint64_t line, uint64_t now)
{
    struct ccws *c = state;
    uint64_t *tags = tags_of(c, slot), at = 0;
    while (at < c->tag_count && tags[at] != line)
        at++;
    if (at == c->tag_count)
        return;
    tags[at] = NO_LINE;
    c->lost++;
    uint64_t cutoff = (uint64_t)__builtin_popcountll(c->ages.present) * c->base;
    uint64_t score = c->issued ? c->lost * c->throttle * cutoff / c->issued : 0;
    score = score > cutoff ? cutoff : score < c->base ? c->base : score;
    c->score[slot] = now + score;
    c->calm = now + score - c->base > c->calm ? now + score - c->base : c->calm;
}

static uint64_t score_of(const struct ccws *c, unsigned slot, uint64_t now)
{
    return c->score[slot] > now + c->base ? c->score[slot] - now : c->base;
}

/* The highest score of those in `left`, of equals the oldest. */
static unsigned highest(const struct ccws *c, uint64_t left, uint64_t now)
{
    uint64_t best = 0, score = 0;
    for (uint64_t s = left; s; s &= s - 1) {
        uint64_t here = score_of(c, (unsigned)__builtin_ctzll(s), now);
        best = here > score ? 0 : best;
        score = here > score ? here : score;
        best |= here == score ? s & -s : 0;
    }
    return (unsigned)scheduler_ages_oldest(&c->ages, best);
}

static uint64_t held(const void *state, uint64_t ready, uint64_t now)
{
    const struct ccws *c = state;
    if (now >= c->calm)
        return 0;
    uint64_t left = c->ages.present & ~(c->waiting & ~ready), sum = 0;
    uint64_t cutoff = (uint64_t)__builtin_popcountll(c->ages.present) * c->base;
    for (bool first = true; left; first = false) {
        unsigned slot = highest(c, left, now);
        sum += score_of(c, slot, now);
        if (!first && sum > cutoff)
            return left;
        left &= ~(1ull << slot);
    }
    return 0;
}

static const struct scheduler_feedback feedback = {.replaced = replaced, .missed = missed, .held = held};

const struct scheduler_model scheduler_ccws = {
    .model = {.name = "ccws",
              .help = "greedy then oldest; warps whose lines L1 lost keep others from loading (cache-conscious)",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .reset = reset,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick,
    .feedback = &feedback,
};
