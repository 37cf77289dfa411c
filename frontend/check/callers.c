/* The functions that a thread is in: of code that is not optimised, what compilers replace otherwise. PTX has calls;
 * machine code has branches that keep no track of them. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

/* The join behind the call that the lane's function was entered by; 0: it is in the kernel. */
static uint32_t call_of(const struct warp_state *s, unsigned lane)
{
    if (s->w.active >> lane & 1)
        return s->call;
    for (uint32_t i = 0; i < s->split_count; i++)
        if (s->splits[i].lanes >> lane & 1)
            return s->splits[i].call;
    return 0;
}

void check_callers(const struct block *b, const struct rp_check_location *at, struct callers *to)
{
    const struct grid *g = b->grid;
    uint32_t thread = at->thread[0] + g->block[0] * (at->thread[1] + g->block[1] * at->thread[2]);
    const struct warp_state *s = &b->warps[thread / RP_WARP_LANES];
    to->count = 0;
    for (uint32_t i = call_of(s, thread % RP_WARP_LANES); i && to->count < MOST_CALLERS; i = s->joins[i].call)
        to->at[to->count++] = s->joins[i].pc[-1].index; /* lanes go on behind the call */
}

uint64_t check_callers_key(const struct callers *c)
{
    uint64_t key = UINT64_C(14695981039346656037); /* FNV-1a */
    for (uint32_t i = 0; i < c->count; i++)
        key = (key ^ c->at[i]) * UINT64_C(1099511628211);
    return c->count ? key : 0;
}

char *check_callee(const char *text)
{
    const char *at = text ? strstr(text, "call") : NULL;
    at = at ? at + strcspn(at, " \t") : "";
    at += strspn(at, " \t");
    if (*at == '(') /* what it returns */
        at += strcspn(at, ")") + strspn(at + strcspn(at, ")"), "), \t");
    size_t length = strspn(at, "_$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    return strndup(length ? at : "?", length ? length : 1);
}
