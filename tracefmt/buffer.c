#include "tracefmt/buffer.h"

#include <stdlib.h>
#include <string.h>

bool buffer_reserve(struct buffer *b, size_t more)
{
    if (b->failed)
        return false;
    if (b->capacity - b->size >= more)
        return true;
    size_t capacity = b->capacity ? b->capacity : 256;
    while (capacity - b->size < more && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    uint8_t *data = capacity - b->size < more ? NULL : realloc(b->data, capacity);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

void buffer_append(struct buffer *b, const void *data, size_t size)
{
    if (!size || !buffer_reserve(b, size))
        return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void buffer_free(struct buffer *b)
{
    free(b->data);
    *b = (struct buffer){0};
}
