#include "tools/results/packed.h"

#include <stdlib.h>
#include <string.h>

bool packed_reserve(struct packed *p, size_t more)
{
    if (p->room - p->size >= more)
        return true;
    size_t room = p->room + p->room / 4 + 4 * more;
    uint8_t *bytes = realloc(p->bytes, room);
    if (!bytes)
        return false;
    p->bytes = bytes;
    p->room = room;
    return true;
}

void packed_put(struct packed *p, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        p->bytes[p->size++] = (uint8_t)(value | 0x80);
    p->bytes[p->size++] = (uint8_t)value;
}

static size_t zeros(const uint64_t *words, size_t count)
{
    size_t n = 0;
    while (n < count && !words[n])
        n++;
    return n;
}

void packed_put_row(struct packed *p, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        packed_put(p, words[i]);
        if (words[i])
            continue;
        size_t more = zeros(words + i + 1, count - i - 1);
        packed_put(p, more);
        i += more;
    }
}

void packed_put_text(struct packed *p, const char *text)
{
    size_t length = strlen(text);
    packed_put(p, length);
    memcpy(p->bytes + p->size, text, length);
    p->size += length;
}

static uint64_t damage(struct packed_reader *r)
{
    r->damaged = true;
    r->at = r->size;
    return 0;
}

uint64_t packed_get(struct packed_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->size; shift += 7) {
        uint8_t byte = r->bytes[r->at++];
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return damage(r);
}

void packed_get_row(struct packed_reader *r, uint64_t *words, size_t count)
{
    if (count) /* else words may be NULL */
        memset(words, 0, count * sizeof *words);
    for (size_t i = 0; i < count && !r->damaged; i++) {
        if ((words[i] = packed_get(r)) || r->damaged)
            continue;
        uint64_t more = packed_get(r);
        if (more > count - i - 1)
            damage(r);
        else
            i += more;
    }
}

void packed_get_text(struct packed_reader *r, char *text, size_t room)
{
    uint64_t length = packed_get(r);
    *text = 0;
    if (length >= room || length > r->size - r->at || memchr(r->bytes + r->at, 0, length)) {
        damage(r);
        return;
    }
    memcpy(text, r->bytes + r->at, length);
    text[length] = 0;
    r->at += length;
}
