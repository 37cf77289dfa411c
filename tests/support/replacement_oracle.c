#include "tests/support/replacement_oracle.h"

#include <string.h>

struct oracle_policy {
    const char *name;
    unsigned (*victim)(struct oracle *, struct oracle_way *const *, const bool *kept, unsigned ways);
};

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* By rank, then by time; of the same time the lower way. */
static unsigned first(struct oracle_way *const *set, const bool *kept, unsigned ways, bool by_use)
{
    unsigned best = ways;
    for (unsigned w = 0; w < ways; w++) {
        if (kept[w])
            continue;
        const struct oracle_way *a = set[w], *b = best < ways ? set[best] : NULL;
        if (!b || a->rank < b->rank ||
            (a->rank == b->rank && order(by_use ? a->used : a->came, by_use ? b->used : b->came) < 0))
            best = w;
    }
    return best;
}

static unsigned lru(struct oracle *o, struct oracle_way *const *set, const bool *kept, unsigned ways)
{
    (void)o;
    return first(set, kept, ways, true);
}

static unsigned fifo(struct oracle *o, struct oracle_way *const *set, const bool *kept, unsigned ways)
{
    (void)o;
    return first(set, kept, ways, false);
}

static unsigned going_round(const bool *kept, unsigned ways, unsigned from)
{
    while (kept[from % ways])
        from++;
    return from % ways;
}

static unsigned any(struct oracle *o, struct oracle_way *const *set, const bool *kept, unsigned ways)
{
    (void)set;
    o->random = o->random * 6364136223846793005u + 1442695040888963407u;
    return going_round(kept, ways, (unsigned)((o->random >> 33) % ways));
}

static uint64_t latest(struct oracle_way *const *set, unsigned from, unsigned end)
{
    uint64_t time = 0;
    for (unsigned w = from; w < end; w++)
        time = set[w]->used > time ? set[w]->used : time;
    return time;
}

/* Each half of each half of a power of two, as far as it has ways: the one without the latest use. */
static unsigned plru(struct oracle *o, struct oracle_way *const *set, const bool *kept, unsigned ways)
{
    unsigned from = 0, size = 1;
    (void)o;
    while (size < ways)
        size *= 2;
    for (size /= 2; size; size /= 2) {
        unsigned middle = from + size, end = middle + size < ways ? middle + size : ways;
        if (middle < ways && latest(set, from, middle) > latest(set, middle, end))
            from = middle;
    }
    return going_round(kept, ways, from);
}

/* The paper's steps: look for a 3 from the left; if there is none add 1 to all and look again. */
static unsigned srrip(struct oracle *o, struct oracle_way *const *set, const bool *kept, unsigned ways)
{
    (void)o;
    for (;;) {
        for (unsigned w = 0; w < ways; w++)
            if (!kept[w] && set[w]->prediction == 3)
                return w;
        for (unsigned w = 0; w < ways; w++)
            set[w]->prediction += set[w]->prediction < 3;
    }
}

static const struct oracle_policy policies[] = {
    {"lru", lru}, {"fifo", fifo}, {"random", any}, {"plru", plru}, {"srrip", srrip}};

bool oracle_begin(struct oracle *o, const char *policy)
{
    *o = (struct oracle){.random = 0x9e3779b97f4a7c15};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (!strcmp(policies[i].name, policy))
            o->policy = &policies[i];
    return o->policy;
}

/* Of `fifo` only what a line came with counts. */
void oracle_use(struct oracle *o, struct oracle_way *w, enum cache_hint hint)
{
    if (hint == CACHE_HINT_SAME)
        return;
    w->used = ++o->clock;
    if (o->policy->victim != fifo)
        w->rank = hint == CACHE_HINT_FIRST ? -1 : hint == CACHE_HINT_LAST;
    w->prediction = hint == CACHE_HINT_FIRST ? 3 : 0;
}

void oracle_fill(struct oracle *o, struct oracle_way *w, enum cache_hint hint)
{
    w->came = w->used = ++o->clock;
    w->rank = hint == CACHE_HINT_FIRST ? -1 : hint == CACHE_HINT_LAST;
    w->prediction = hint == CACHE_HINT_FIRST ? 3 : hint == CACHE_HINT_LAST ? 0 : 2;
}

unsigned oracle_victim(struct oracle *o, struct oracle_way *const *set, const bool *kept, unsigned ways)
{
    return o->policy->victim(o, set, kept, ways);
}
