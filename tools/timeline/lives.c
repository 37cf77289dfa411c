#include "tools/timeline/lives.h"

#include <stdlib.h>

#define FIRST_ROOM 4096u /* parts: most instructions end within */

/* ---- pieces of lists --------------------------------------------------------------------------------------------- */

#define PIECE_BYTES 4096u
#define PIECE_LIVES ((PIECE_BYTES - 2 * sizeof(void *)) / sizeof(struct life))
#define PIECE_WORDS ((PIECE_BYTES - 2 * sizeof(void *)) / sizeof(uint64_t))

struct lives_piece {
    struct lives_piece *next;   /* of its list, or of the free ones */
    struct lives_piece *before; /* allocated before it */
    union {
        struct life life[PIECE_LIVES];
        uint64_t word[PIECE_WORDS];
    };
};
_Static_assert(sizeof(struct lives_piece) <= PIECE_BYTES, "a page");

/* One more entry of the list: its piece. NULL: memory ran out. */
static struct lives_piece *lengthen(struct lives *l, struct lives_list *list, uint32_t of_piece)
{
    if (list->count % of_piece)
        return list->last;
    struct lives_piece *p = l->free;
    if (p) {
        l->free = p->next;
    } else if ((p = malloc(sizeof *p))) {
        p->before = l->all;
        l->all = p;
        l->pieces++;
    } else {
        l->starved = true;
        return NULL;
    }
    p->next = NULL;
    *(list->first ? &list->last->next : &list->first) = p;
    return list->last = p;
}

static struct life *add_life(struct lives *l, struct lives_list *to)
{
    struct lives_piece *p = lengthen(l, to, PIECE_LIVES);
    if (!p)
        return NULL;
    l->entries++;
    return &p->life[to->count++ % PIECE_LIVES];
}

static void add_word(struct lives *l, struct lives_list *to, uint64_t word)
{
    struct lives_piece *p = lengthen(l, to, PIECE_WORDS);
    if (!p)
        return;
    p->word[to->count++ % PIECE_WORDS] = word;
    l->entries++;
}

static void empty(struct lives *l, struct lives_list *list)
{
    if (list->first) {
        list->last->next = l->free;
        l->free = list->first;
    }
    l->entries -= list->count;
    *list = (struct lives_list){0};
}

/* ---- parts that wait --------------------------------------------------------------------------------------------- */

static uint64_t part_of(uint64_t cycle) { return cycle >> LIVES_CYCLES_BITS; }

static struct lives_waiting *waiting_at(const struct lives *l, uint64_t part)
{
    return &l->waiting[part & (l->room - 1)];
}

/* Room for this part and those before it. False: memory ran out. */
static bool make_room(struct lives *l, uint64_t part)
{
    uint64_t room = l->room;
    while (part - l->next >= room)
        room *= 2;
    struct lives_waiting *more = calloc(room, sizeof *more);
    if (!more) {
        l->starved = true;
        return false;
    }
    for (uint64_t p = l->next; p < l->next + l->room; p++)
        more[p & (room - 1)] = *waiting_at(l, p);
    free(l->waiting);
    l->waiting = more;
    l->room = room;
    return true;
}

/* A dispatch or an end, of a part that was not handed on. */
static void add_moment(struct lives *l, uint64_t cycle, uint64_t number, bool ends)
{
    uint64_t part = part_of(cycle);
    if (part - l->next < l->room) {
        struct lives_waiting *w = waiting_at(l, part);
        add_word(l, ends ? &w->ends : &w->dispatches, number << LIVES_CYCLES_BITS | cycle % LIVES_CYCLES);
        return;
    }
    if (l->far_count == l->far_room) {
        struct lives_far *more = realloc(l->far, (2 * l->far_room + 64) * sizeof *more);
        l->starved |= !more;
        if (!more)
            return;
        l->far = more;
        l->far_room = 2 * l->far_room + 64;
    }
    l->far[l->far_count++] = (struct lives_far){cycle, number, ends};
    l->far_first = part < l->far_first ? part : l->far_first;
}

/* Moves what is near by now. It waits until that is half of the room, so that it looks at each seldom. */
static void bring(struct lives *l)
{
    uint64_t count = l->far_count;
    if (l->far_first - l->next >= l->room / 2)
        return;
    l->far_count = 0;
    l->far_first = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++)
        add_moment(l, l->far[i].cycle, l->far[i].number, l->far[i].ends);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

_Static_assert(LIVES_CYCLES * 1024 * 16 * 2 <= 1 << KEYED_BITS, "the largest machine issues no more in a part");

static bool room_for_words(struct lives *l, uint64_t **list, uint32_t *room, uint32_t count)
{
    if (count <= *room)
        return true;
    uint64_t *more = realloc(*list, 2 * (size_t)count * sizeof *more);
    l->starved |= !more;
    if (!more)
        return false;
    *list = more;
    *room = 2 * count;
    return true;
}

static bool room_for_issues(struct lives *l, uint32_t count)
{
    if (count <= l->issue_room)
        return true;
    size_t room = 2 * (size_t)count;
    free(l->unsorted);
    free(l->issues);
    free(l->keys);
    free(l->spare);
    l->unsorted = malloc(room * sizeof *l->unsorted);
    l->issues = malloc(room * sizeof *l->issues);
    l->keys = malloc(room * sizeof *l->keys);
    l->spare = malloc(room * sizeof *l->spare);
    bool fine = l->unsorted && l->issues && l->keys && l->spare;
    l->issue_room = fine ? (uint32_t)room : 0;
    l->starved |= !fine;
    return fine;
}

/* The part's issues in order. */
static void order_issues(struct lives *l, const struct lives_waiting *w, struct lives_part *part)
{
    uint64_t first = life_issue(l, part->begin, 0, false);
    uint32_t count = 0;
    for (const struct lives_piece *p = w->issues.first; p; p = p->next)
        for (uint32_t i = 0; i < PIECE_LIVES && count < w->issues.count; i++, count++) {
            l->unsorted[count] = &p->life[i];
            l->keys[count] = keyed(p->life[i].issue - first, count);
        }
    const uint64_t *sorted = sort_keyed(l->keys, l->spare, count);
    for (uint32_t i = 0; i < count; i++)
        l->issues[i] = l->unsorted[keyed_number(sorted[i])];
    part->issues = l->issues;
}

/* Notes the dispatches and ends of the part's lives, which get numbers. */
static void number_lives(struct lives *l, struct lives_part *part, uint32_t count)
{
    uint32_t cycle = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct life *of = l->issues[i];
        uint64_t issue = life_cycle(of, l->subcores);
        while (part->begin + cycle < issue)
            part->issues_from[++cycle] = i;
        if (of->dispatch)
            add_moment(l, issue + of->dispatch, l->count, false);
        add_moment(l, issue + of->done, l->count, true);
        l->count++;
    }
    while (cycle < LIVES_CYCLES)
        part->issues_from[++cycle] = count;
}

/* The numbers of a list by their cycles; those of one cycle stay in their order. */
static void order_moments(const struct lives_list *list, uint64_t *to, uint32_t from[LIVES_CYCLES + 1])
{
    uint32_t next[LIVES_CYCLES] = {0}, left = list->count;
    for (const struct lives_piece *p = list->first; p; p = p->next)
        for (uint32_t i = 0; i < PIECE_WORDS && left; i++, left--)
            next[p->word[i] % LIVES_CYCLES]++;
    for (uint32_t c = 0, sum = 0; c < LIVES_CYCLES; c++) {
        from[c] = sum;
        sum += next[c];
        next[c] = from[c];
    }
    from[LIVES_CYCLES] = left = list->count;
    for (const struct lives_piece *p = list->first; p; p = p->next)
        for (uint32_t i = 0; i < PIECE_WORDS && left; i++, left--)
            to[next[p->word[i] % LIVES_CYCLES]++] = p->word[i] >> LIVES_CYCLES_BITS;
}

/* ---- handing parts on -------------------------------------------------------------------------------------------- */

/* What of the part's own lives happens in it is in its lists only once they have numbers. */
static void order_part(struct lives *l, struct lives_waiting *w)
{
    struct lives_part part = {.begin = l->next * LIVES_CYCLES, .first = l->count};
    if (!room_for_issues(l, w->issues.count))
        return;
    order_issues(l, w, &part);
    number_lives(l, &part, w->issues.count);
    if (!room_for_words(l, &l->dispatches, &l->dispatch_room, w->dispatches.count) ||
        !room_for_words(l, &l->ends, &l->end_room, w->ends.count))
        return;
    order_moments(&w->dispatches, l->dispatches, part.dispatches_from);
    order_moments(&w->ends, l->ends, part.ends_from);
    part.dispatches = l->dispatches;
    part.ends = l->ends;
    l->part(l->data, &part);
}

static void hand_on(struct lives *l)
{
    struct lives_waiting *w = waiting_at(l, l->next);
    if (w->issues.count || w->dispatches.count || w->ends.count)
        order_part(l, w);
    l->open -= w->open;
    empty(l, &w->issues);
    empty(l, &w->dispatches);
    empty(l, &w->ends);
    *w = (struct lives_waiting){0};
    l->next++;
    bring(l);
}

/* Nothing waits: goes on with this part, or the first in which something happens. */
static void jump(struct lives *l, uint64_t part)
{
    l->next = l->far_first < part ? l->far_first : part;
    bring(l);
}

/* Hands on the parts before this one, up to one with instructions that have not ended. */
static void hand_on_until(struct lives *l, uint64_t part)
{
    while (l->next < part && !waiting_at(l, l->next)->open)
        if (l->entries || l->open)
            hand_on(l);
        else
            jump(l, part);
}

void lives_finish(struct lives *l)
{
    while (l->entries || l->far_count)
        if (l->entries)
            hand_on(l);
        else
            jump(l, UINT64_MAX);
}

/* ---- what is added ----------------------------------------------------------------------------------------------- */

/* The part that has the cycle and waits; NULL: it was handed on, or memory ran out. */
static struct lives_waiting *find(struct lives *l, uint64_t cycle)
{
    uint64_t part = part_of(cycle);
    l->out_of_turn |= part < l->next;
    if (part < l->next || (part - l->next >= l->room && !make_room(l, part)))
        return NULL;
    return waiting_at(l, part);
}

void lives_begin(struct lives *l, uint64_t cycle)
{
    if (part_of(cycle) > l->newest) {
        l->newest = part_of(cycle);
        hand_on_until(l, part_of(cycle > LIVES_AHEAD ? cycle - LIVES_AHEAD : 0));
    }
    struct lives_waiting *w = find(l, cycle);
    if (!w)
        return;
    w->open++;
    l->open++;
}

void lives_drop(struct lives *l, uint64_t cycle)
{
    struct lives_waiting *w = find(l, cycle);
    if (!w)
        return;
    w->open--;
    l->open--;
}

struct life *lives_add(struct lives *l, uint64_t cycle)
{
    struct lives_waiting *w = find(l, cycle);
    if (!w)
        return NULL;
    w->open--;
    l->open--;
    return add_life(l, &w->issues);
}

/* ---- life span --------------------------------------------------------------------------------------------------- */

bool lives_open(struct lives *l, uint64_t subcores, void (*part)(void *, const struct lives_part *), void *data)
{
    *l = (struct lives){.subcores = subcores, .part = part, .data = data, .room = FIRST_ROOM, .far_first = UINT64_MAX};
    l->waiting = calloc(l->room, sizeof *l->waiting);
    return l->waiting;
}

void lives_close(struct lives *l)
{
    for (struct lives_piece *p = l->all, *before; p; p = before) {
        before = p->before;
        free(p);
    }
    free(l->waiting);
    free(l->far);
    free(l->unsorted);
    free(l->issues);
    free(l->keys);
    free(l->spare);
    free(l->dispatches);
    free(l->ends);
    *l = (struct lives){0};
}
