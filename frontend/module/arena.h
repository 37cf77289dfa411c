/* Memory of one module: everything that loading and lowering make lives until the module is freed.
 *
 * Allocation cannot fail as far as the caller sees: when memory runs out, the arena jumps to `*out_of_memory` with the
 * value ARENA_FULL. Whoever runs a loader sets that before the first allocation.
 */
#ifndef REPRISE_FRONTEND_MODULE_ARENA_H
#define REPRISE_FRONTEND_MODULE_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

enum { ARENA_FULL = 2 };
struct arena_chunk;
struct arena {
    struct arena_chunk *chunks;
    uint8_t *next, *end;
    jmp_buf *out_of_memory;
};

/* Zeroed, aligned to 64 bytes when at least 64 are asked for, else to 16. */
void *arena_alloc(struct arena *, size_t bytes);
#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_array((a), (n), sizeof(type)))
void *arena_array(struct arena *, size_t count, size_t size);
char *arena_string(struct arena *, const char *text, size_t length);
char *arena_printf(struct arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *);

/* A growing array in an arena: VECTOR_PUSH(arena, &v, value). Outgrown copies stay until the arena goes. */
#define VECTOR(type)                                                                                                   \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        uint32_t count, room;                                                                                          \
    }
#define VECTOR_PUSH(arena, v, ...)                                                                                     \
    do {                                                                                                               \
        if ((v)->count == (v)->room)                                                                                   \
            (v)->at = arena_grow((arena), (v)->at, (v)->count, &(v)->room, sizeof *(v)->at);                           \
        (v)->at[(v)->count++] = (__VA_ARGS__);                                                                         \
    } while (0)
void *arena_grow(struct arena *, const void *old, uint32_t count, uint32_t *room, size_t size);

#endif
