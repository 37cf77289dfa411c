#include "tests/unit/cores/model.h"

#include <string.h>

static void touch_line(struct model_cache *c, uint32_t line)
{
    uint32_t *lines = c->lines[line % c->sets], *count = &c->count[line % c->sets], at = 0;
    while (at < *count && lines[at] != line)
        at++;
    if (at == *count) {
        c->misses++;
        if (*count < c->ways)
            ++*count;
        else
            at--;
    }
    memmove(lines + 1, lines, at * sizeof *lines);
    lines[0] = line;
}

void model_touch(struct model_cache *c, uint32_t address, uint32_t bytes)
{
    for (uint32_t line = address / c->line; line <= (address + bytes - 1) / c->line; line++)
        touch_line(c, line);
}
