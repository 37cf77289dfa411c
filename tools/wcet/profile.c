#include "tools/wcet/profile.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void **list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    size_t more = *capacity ? 2 * *capacity : 256;
    void *grown = realloc(*list, more * size);
    if (!grown)
        return false;
    *list = grown;
    *capacity = more;
    return true;
}

static void on_phase(void *data, const struct wcet_place *place, const struct wcet_phase *phase)
{
    struct wcet_profile *p = data;
    if (!grow((void **)&p->phases, p->phase_count, &p->phase_capacity, sizeof *p->phases)) {
        p->failed = true;
        return;
    }
    p->phases[p->phase_count++] = (struct wcet_profile_phase){*place, *phase};
}

static void on_instant(void *data, const struct wcet_place *place, const struct wcet_instant *instant)
{
    struct wcet_profile *p = data;
    if (!grow((void **)&p->instants, p->instant_count, &p->instant_capacity, sizeof *p->instants)) {
        p->failed = true;
        return;
    }
    p->instants[p->instant_count++] = (struct wcet_profile_instant){*place, *instant};
}

struct wcet_watch wcet_profile_watch(struct wcet_profile *p)
{
    return (struct wcet_watch){.phase = on_phase, .instant = p->instants_too ? on_instant : NULL, .data = p};
}

void wcet_profile_clear(struct wcet_profile *p, uint32_t launch)
{
    p->launch = launch;
    p->phase_count = p->instant_count = 0;
}

void wcet_profile_free(struct wcet_profile *p)
{
    free(p->phases);
    free(p->instants);
    *p = (struct wcet_profile){0};
}

/* ---- order ---------------------------------------------------------------------------------------------------------
 */

/* What one warp did in one section, which stands together and in the order of time. */
struct stretch {
    struct wcet_place place;
    size_t first, count; /* elements */
};

static int order(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_warp(const void *a, const void *b)
{
    const struct wcet_place *x = &((const struct stretch *)a)->place, *y = &((const struct stretch *)b)->place;
    int c = order(x->block, y->block);
    c = c ? c : order(x->warp, y->warp);
    return c ? c : order(x->section, y->section);
}

static bool same(const struct wcet_place *a, const struct wcet_place *b)
{
    return a->block == b->block && a->warp == b->warp && a->section == b->section;
}

/* The stretches of `count` elements, each of which begins with its place; NULL when out of memory. */
static struct stretch *stretches_of(const char *elements, size_t count, size_t size, size_t *found)
{
    struct stretch *list = NULL;
    size_t capacity = 0;
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct wcet_place *place = (const void *)(elements + i * size);
        if (*found && same(place, &list[*found - 1].place)) {
            list[*found - 1].count++;
            continue;
        }
        if (!grow((void **)&list, *found, &capacity, sizeof *list)) {
            free(list);
            return NULL;
        }
        list[(*found)++] = (struct stretch){*place, i, 1};
    }
    return list;
}

/* Few stretches are sorted, and many elements copied once. */
static bool sort(void **elements, size_t count, size_t *capacity, size_t size)
{
    size_t n = 0, at = 0;
    if (!count)
        return true;
    struct stretch *list = stretches_of(*elements, count, size, &n);
    char *sorted = list ? malloc(count * size) : NULL;
    if (!sorted) {
        free(list);
        return false;
    }
    qsort(list, n, sizeof *list, by_warp);
    for (size_t i = 0; i < n; at += list[i++].count)
        memcpy(sorted + at * size, (char *)*elements + list[i].first * size, list[i].count * size);
    free(list);
    free(*elements);
    *elements = sorted;
    *capacity = count;
    return true;
}

void wcet_profile_sort(struct wcet_profile *p)
{
    p->failed |= !sort((void **)&p->phases, p->phase_count, &p->phase_capacity, sizeof *p->phases) ||
                 !sort((void **)&p->instants, p->instant_count, &p->instant_capacity, sizeof *p->instants);
}
