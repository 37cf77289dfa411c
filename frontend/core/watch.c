#include "frontend/core/watch.h"

#include <string.h>

void watch_clear(struct watch *w)
{
    if (w->count)
        memset(w->key, 0, sizeof w->key);
    w->count = 0;
    w->met = w->lost = false;
}

static void note_word(struct watch *w, uint64_t word, unsigned how)
{
    uint32_t at = (uint32_t)((word * 0x9e3779b97f4a7c15u) >> 52) % WATCH_ENTRIES;
    while (w->key[at] && w->key[at] != word + 1)
        at = (at + 1) % WATCH_ENTRIES;
    if (!w->key[at]) {
        if (w->count >= WATCH_ENTRIES / 2) {
            w->lost = true;
            return;
        }
        w->count++;
        w->key[at] = word + 1;
        w->how[at] = 0;
    }
    w->how[at] |= (uint8_t)how;
    w->met |= w->how[at] == (WATCH_READ | WATCH_CHANGED);
}

void watch_note(struct watch *w, uint64_t address, uint32_t bytes, unsigned how)
{
    for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4 && !w->lost && !w->met; word++)
        note_word(w, word, how);
}

bool turns_watch(const struct turns *t, const struct watch *w)
{
    return t->count >= TURNS_QUIET && !w->lost && !w->met;
}

bool turns_end(struct turns *t, struct watch *w, uint64_t (*state)(void *), void *data)
{
    if (w->met) { /* progress: read memory was changed */
        *t = (struct turns){0};
        watch_clear(w);
    }
    if (++t->count < TURNS_QUIET)
        return false;
    if (t->count != TURNS_QUIET && !w->lost && state(data) == t->fingerprint)
        return true;
    if (t->count == TURNS_QUIET || t->count >= t->replace_at) {
        t->replace_at = 2 * t->count;
        t->fingerprint = state(data);
        watch_clear(w);
    }
    return false;
}
