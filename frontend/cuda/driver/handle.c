/* The handles that programs hold, in a hash table with linear probing. */
#include <stdlib.h>

#include "frontend/cuda/driver/driver.h"

struct slot {
    void *object; /* NULL: free */
    enum handle kind;
};
static struct slot *table;
static size_t room, used; /* room: a power of two, or 0 */

static size_t place(const void *object, size_t size)
{
    return (size_t)(((uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (size - 1);
}

static void insert(struct slot *to, size_t size, struct slot what)
{
    size_t i = place(what.object, size);
    while (to[i].object)
        i = (i + 1) & (size - 1);
    to[i] = what;
}

static bool grow(void)
{
    size_t size = room ? 2 * room : 256;
    struct slot *bigger = calloc(size, sizeof *bigger);
    if (!bigger)
        return false;
    for (size_t i = 0; i < room; i++)
        if (table[i].object)
            insert(bigger, size, table[i]);
    free(table);
    table = bigger;
    room = size;
    return true;
}

bool handle_add(enum handle kind, void *object)
{
    if (2 * used >= room && !grow())
        return false;
    insert(table, room, (struct slot){object, kind});
    used++;
    return true;
}

static struct slot *find(const void *object)
{
    if (!room || !object)
        return NULL;
    size_t i = place(object, room);
    while (table[i].object && table[i].object != object)
        i = (i + 1) & (room - 1);
    return table[i].object ? &table[i] : NULL;
}

bool handle_is(enum handle kind, const void *object)
{
    const struct slot *s = find(object);
    return s && s->kind == kind;
}

/* Moves later entries up, so that no search ends at the gap. */
void handle_remove(void *object)
{
    struct slot *s = find(object);
    if (!s)
        return;
    used--;
    s->object = NULL;
    for (size_t i = (size_t)(s - table + 1) & (room - 1); table[i].object; i = (i + 1) & (room - 1)) {
        struct slot again = table[i];
        table[i].object = NULL;
        insert(table, room, again);
    }
}
