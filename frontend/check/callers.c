/* The functions that a thread is in: of code that is not optimised, what compilers replace otherwise. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

void check_callers(const struct block *b, const struct rp_check_location *at, struct callers *to)
{
    const struct grid *g = b->grid;
    uint32_t thread = at->thread[0] + g->block[0] * (at->thread[1] + g->block[1] * at->thread[2]);
    block_callers(b, thread / RP_WARP_LANES, thread % RP_WARP_LANES, to);
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
