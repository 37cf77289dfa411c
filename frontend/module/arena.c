#include "frontend/module/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 18, ALIGN_SMALL = 16, ALIGN_LARGE = 64 };

struct arena_chunk {
    struct arena_chunk *next;
};

static void *new_chunk(struct arena *a, size_t bytes)
{
    size_t total = bytes + ALIGN_LARGE;
    struct arena_chunk *chunk = total > bytes ? calloc(1, total) : NULL;
    if (!chunk)
        longjmp(*a->out_of_memory, ARENA_FULL);
    chunk->next = a->chunks;
    a->chunks = chunk;
    uintptr_t first = (uintptr_t)chunk + sizeof *chunk;
    return (uint8_t *)chunk + sizeof *chunk + (-first & (ALIGN_LARGE - 1));
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    size_t align = bytes >= ALIGN_LARGE ? ALIGN_LARGE : ALIGN_SMALL;
    if (bytes > CHUNK_BYTES / 4)
        return new_chunk(a, bytes);
    size_t pad = -(uintptr_t)a->next & (align - 1);
    if (!a->next || (size_t)(a->end - a->next) < bytes + pad) {
        a->next = new_chunk(a, CHUNK_BYTES);
        a->end = a->next + CHUNK_BYTES;
        pad = 0;
    }
    void *at = a->next + pad;
    a->next += bytes + pad;
    return at;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        longjmp(*a->out_of_memory, ARENA_FULL);
    return arena_alloc(a, count * size);
}

char *arena_string(struct arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    size_t room = length < 0 ? 1 : (size_t)length + 1;
    char *text = arena_alloc(a, room);
    va_start(args, format);
    vsnprintf(text, room, format, args);
    va_end(args);
    return text;
}

void *arena_grow(struct arena *a, const void *old, uint32_t count, uint32_t *room, size_t size)
{
    if (*room > UINT32_MAX / 2)
        longjmp(*a->out_of_memory, ARENA_FULL);
    *room = *room ? *room * 2 : 8;
    void *grown = arena_array(a, *room, size);
    if (count)
        memcpy(grown, old, count * size);
    return grown;
}

void arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *a = (struct arena){0};
}
