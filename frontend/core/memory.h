/* Global device memory: a table of allocations, each a range of device addresses backed by host memory. Exact bounds:
 * an address belongs to an allocation or to nobody. Addresses are given out upwards and never reused, so that the same
 * calls give the same addresses and a stale pointer is always caught. Changed by one thread at a time; lookups may run
 * in parallel while nobody changes it. */
#ifndef REPRISE_FRONTEND_CORE_MEMORY_H
#define REPRISE_FRONTEND_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_ALIGNMENT 512u

struct allocation {
    uint64_t base, size; /* bytes */
    uint8_t *host;       /* size bytes */
    char *name;
    uint32_t slot;    /* position in the table */
    bool owned;       /* host was allocated for it; else it is part of somebody else's memory */
    bool initialised; /* the host has had a view of it */
    bool device;      /* made by the kernel's malloc */
    struct allocation *next_freed;
};

struct memory {
    struct allocation **table; /* ascending addresses */
    uint32_t count, capacity;
    uint64_t next; /* where the next buffer goes */
    struct allocation *freed;
};

void memory_init(struct memory *);
void memory_clear(struct memory *);
/* A zeroed buffer at the next free address, or NULL without memory. A gap of at least MEMORY_ALIGNMENT bytes follows.
 * 0 bytes are a valid size: an address that may not be read. */
struct allocation *memory_allocate(struct memory *, uint64_t size, const char *name);
/* Puts `host` at a given address (module variables). NULL without memory or if the range is not free. */
struct allocation *memory_place(struct memory *, uint64_t base, uint64_t size, uint8_t *host, const char *name);
/* Takes it out of the table and frees its memory. The struct itself stays, with size 0, because blocks that run keep
 * pointers to allocations that they used before. */
void memory_free(struct memory *, struct allocation *);
/* The allocation that holds `address`, or NULL. */
struct allocation *memory_find(const struct memory *, uint64_t address);
/* "4 bytes past the end of arg2 (16384 bytes)": where `address` lies with respect to the allocation nearest to it. */
void memory_describe(const struct memory *, uint64_t address, char *text, size_t size);

#endif
