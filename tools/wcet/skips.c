#include "tools/wcet/skips.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANGES = 8 }; /* that a line names */

struct wcet_skip {
    char *reason;
    struct {
        uint32_t first, last;
    } ranges[MOST_RANGES];
    size_t range_count; /* may be more than are kept */
    size_t launches;
};

const char *wcet_skip_reason(const struct rp_trace *t, uint32_t launch, const char *text)
{
    const char *path = rp_trace_path(t);
    char place[40];
    size_t length = strlen(path);
    if (!strncmp(text, path, length) && !strncmp(text + length, ": ", 2))
        text += length + 2;
    length = (size_t)snprintf(place, sizeof place, "launch %" PRIu32 ": ", launch);
    return strncmp(text, place, length) ? text : text + length;
}

/* The entry of the reason, which is made if there is none; NULL: out of memory. */
static struct wcet_skip *entry(struct wcet_skips *s, const char *reason)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->list[i].reason, reason))
            return &s->list[i];
    struct wcet_skip *more = realloc(s->list, (s->count + 1) * sizeof *more);
    char *copy = more ? strdup(reason) : NULL;
    s->list = more ? more : s->list;
    if (!copy)
        return NULL;
    s->list[s->count] = (struct wcet_skip){.reason = copy};
    return &s->list[s->count++];
}

void wcet_skip(struct wcet_skips *s, uint32_t launch, const char *reason)
{
    struct wcet_skip *e = entry(s, reason);
    s->launches++;
    if (!e)
        return;
    e->launches++;
    if (e->range_count && e->range_count <= MOST_RANGES && e->ranges[e->range_count - 1].last + 1 == launch) {
        e->ranges[e->range_count - 1].last = launch;
        return;
    }
    if (e->range_count < MOST_RANGES)
        e->ranges[e->range_count].first = e->ranges[e->range_count].last = launch;
    e->range_count++;
}

static void print_ranges(const struct wcet_skip *e, FILE *to)
{
    for (size_t i = 0; i < e->range_count && i < MOST_RANGES; i++) {
        fprintf(to, "%s%" PRIu32, i ? ", " : "", e->ranges[i].first);
        if (e->ranges[i].last != e->ranges[i].first)
            fprintf(to, "..%" PRIu32, e->ranges[i].last);
    }
    if (e->range_count > MOST_RANGES)
        fprintf(to, " and others, %zu in all,", e->launches);
}

static bool has(const struct wcet_skips *s, const char *reason)
{
    bool is = false;
    for (size_t i = 0; i < s->count; i++)
        is |= !strcmp(s->list[i].reason, reason);
    return is;
}

void wcet_skips_join(struct wcet_skips *s, const struct wcet_skips *other)
{
    for (size_t i = 0; i < other->count; i++)
        if (!has(s, other->list[i].reason))
            wcet_skip(s, other->list[i].ranges[0].first, other->list[i].reason);
}

void wcet_skips_print(const struct wcet_skips *s, const struct wcet_skips *told, const struct rp_trace *t, FILE *to)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct wcet_skip *e = &s->list[i];
        if (told && has(told, e->reason))
            continue;
        fprintf(to, "reprise: %s: launch%s ", rp_trace_path(t), e->launches == 1 ? "" : "es");
        print_ranges(e, to);
        fprintf(to, " %s left out: %s\n", e->launches == 1 ? "is" : "are", e->reason);
    }
}

void wcet_skips_free(struct wcet_skips *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->list[i].reason);
    free(s->list);
}
