/* Generates accesses from predictors and exceptions. */
#include <stdlib.h>

#include "tracefmt/decode.h"

bool stream_begin(struct stream *s, const struct chunk_warp *w)
{
    uint32_t ranks = w->path->path.rank_count;
    size_t bytes = ranks * (w->follows ? sizeof *s->follower : sizeof *s->leader);
    if (bytes > s->capacity) {
        free(s->ranks);
        s->capacity = 0;
        if (!(s->ranks = malloc(bytes)))
            return false;
        s->capacity = bytes;
    }
    s->warp = w;
    s->at = 0;
    s->next = w->exceptions;
    for (uint32_t r = 0; r < ranks; r++) {
        if (w->follows)
            s->follower[r] = (struct follower_rank){.difference = w->first[r]};
        else
            s->leader[r] = (struct leader_rank){{.last = w->first[r]}, w->first_pattern[r]};
    }
    return true;
}

void stream_free(struct stream *s)
{
    free(s->ranks);
    *s = (struct stream){0};
}

static void fill_leader(struct stream *s, struct rp_dynamic_access *out, uint32_t end)
{
    const uint32_t *rank = s->warp->path->path.rank;
    const struct exception *last = s->warp->exceptions + s->warp->exception_count;
    for (uint32_t i = s->at; i < end; i++, out++) {
        struct leader_rank *r = &s->leader[rank[i]];
        uint64_t base = leader_predict(&r->state);
        if (s->next != last && s->next->at == i) {
            base += s->next->base;
            if (s->next->pattern)
                r->pattern = s->next->pattern;
            s->next++;
        }
        leader_update(&r->state, base);
        *out = (struct rp_dynamic_access){base, r->pattern};
    }
}

static void fill_follower(struct stream *s, struct rp_dynamic_access *out, uint32_t end)
{
    const uint32_t *rank = s->warp->path->path.rank;
    const struct rp_dynamic_access *leading = s->warp->path->leading;
    const struct exception *last = s->warp->exceptions + s->warp->exception_count;
    for (uint32_t i = s->at; i < end;) {
        uint32_t stop = s->next != last && s->next->at < end ? s->next->at : end;
        for (; i < stop; i++, out++) {
            const struct follower_rank *r = &s->follower[rank[i]];
            out->base = leading[i].base + r->difference;
            out->pattern = leading[i].pattern == r->from ? r->to : leading[i].pattern;
        }
        if (i == end)
            break;
        struct follower_rank *r = &s->follower[rank[i]];
        r->difference += s->next->base;
        if (s->next->pattern) {
            r->from = leading[i].pattern;
            r->to = s->next->pattern;
        }
        s->next++;
        out->base = leading[i].base + r->difference;
        out->pattern = leading[i].pattern == r->from ? r->to : leading[i].pattern;
        i++, out++;
    }
}

void stream_fill(struct stream *s, struct rp_dynamic_access *out, uint32_t end)
{
    if (s->warp->follows)
        fill_follower(s, out, end);
    else
        fill_leader(s, out, end);
    s->at = end;
}
