/* Global device memory: a search tree of allocations, each a range of device addresses backed by host memory. Exact
 * bounds: an address belongs to an allocation or to nobody. Addresses are given out upwards and never reused, so that
 * the same calls give the same addresses and a stale pointer is always caught. Changed by one thread at a time; lookups
 * may run in parallel while nobody changes it. Every operation takes O(log n) steps of n allocations. */
#ifndef REPRISE_FRONTEND_CORE_MEMORY_H
#define REPRISE_FRONTEND_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/trace.h"

#define MEMORY_ALIGNMENT 512u

enum allocation_kind {
    ALLOCATION_BUFFER,   /* made by the host */
    ALLOCATION_HEAP,     /* made by the kernel's malloc */
    ALLOCATION_VARIABLE, /* of a module: part of the module's memory */
    ALLOCATION_HOST,     /* memory of the host at its own address */
};

struct allocation {
    uint64_t base, size; /* bytes */
    uint32_t slack;      /* bytes behind it that are there as well (overrun.h) */
    uint8_t *host;       /* size bytes; of a buffer and on the heap they go with the allocation */
    char *name;
    uint32_t id;      /* below memory.ids; of no other allocation that lives */
    uint8_t kind;     /* enum allocation_kind */
    bool initialised; /* the host has written some of it, or may have */
    bool viewed;      /* it may have written any of it, unseen */
    bool filled;      /* the host said that it filled some of it on the device, and not what */
    void *user;       /* whatever the device's user keeps with it */
    size_t logged;    /* its entry in the log, if that is still there */
    /* the tree's: a heap by priority, which follows from the address alone; freed ones are a list through left */
    uint64_t priority;
    struct allocation *left, *right;
};

struct storage;

/* What was freed last of the device heap, a ring, for reports. */
#define HEAP_FREED 64
struct heap_freed {
    uint64_t base, size;
};

struct memory {
    struct storage *storage; /* buffers and the heap lie there, at their own addresses; NULL: anywhere */
    struct allocation *root;
    uint32_t count;
    uint32_t ids;     /* all ids so far are smaller */
    uint64_t next;    /* where the next buffer goes */
    uint32_t granule; /* what is allocated reaches to the next multiple of it, as slack; 0: it has none */
    struct allocation *freed;
    uint32_t *free_ids;
    uint32_t free_id_count, free_id_capacity;
    struct heap_freed heap_freed[HEAP_FREED];
    uint64_t heap_freed_count;
    /* what happened to allocations, and what else the host did, since it was last forgotten */
    bool logging;
    bool log_whole; /* nothing was there when the log began, and nothing was forgotten since */
    bool log_lost;  /* there was no memory for an entry */
    struct rp_host_operation *log;
    size_t log_count, log_capacity;
};

void memory_init(struct memory *);
/* From now on what is allocated lies in the storage, which goes with the memory. Before the first allocation. */
void memory_store(struct memory *, struct storage *);
void memory_clear(struct memory *);
/* A zeroed buffer at the next free address, or NULL without memory. A gap of at least MEMORY_ALIGNMENT bytes follows.
 * 0 bytes are a valid size: an address that may not be read. */
struct allocation *memory_allocate(struct memory *, uint64_t size, const char *name, enum allocation_kind);
/* Puts `host` at a given address. NULL without memory or if the range is not free. */
struct allocation *memory_place(struct memory *, uint64_t base, uint64_t size, uint8_t *host, const char *name,
                                enum allocation_kind);
/* Takes it out of the tree and frees its memory. The struct itself stays, with size 0, until memory_reclaim, because
 * blocks that run keep pointers to allocations that they used before. */
void memory_free(struct memory *, struct allocation *);
/* The memory of the device heap that was there and is freed, as far as that is remembered; NULL: none. */
const struct heap_freed *memory_was_freed(const struct memory *, uint64_t address);
/* The host has had a view of it. */
void memory_initialise(struct memory *, struct allocation *);
/* Forgets what was logged, and logs what happens from now on. */
void memory_log(struct memory *);
/* Logs something else that the host did; without a name. */
void memory_log_operation(struct memory *, const struct rp_host_operation *);
/* No block keeps a pointer any more. */
void memory_reclaim(struct memory *);
/* The allocation that holds `address`, or NULL. */
struct allocation *memory_find(const struct memory *, uint64_t address);
/* The allocation with the highest address at or below `address`, or NULL. */
struct allocation *memory_below(const struct memory *, uint64_t address);
/* The allocation with the lowest address at or above `address`, or NULL: to go through all of them. */
struct allocation *memory_from(const struct memory *, uint64_t address);
/* "4 bytes past the end of arg2 (16384 bytes)": where `address` lies with respect to the allocation nearest to it. */
void memory_describe(const struct memory *, uint64_t address, char *text, size_t size);

#endif
