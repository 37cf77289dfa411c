/* Global device memory: a search tree of allocations, each a range of device addresses backed by host memory. Bounds
 * are exact: an address belongs to one allocation or to none. Addresses ascend and are never reused, so that the same
 * calls return the same addresses and a stale pointer is always detected. Changed by one thread at a time; lookups may
 * run in parallel while nobody changes it. Every operation takes O(log n) steps of n allocations. */
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
    ALLOCATION_VARIABLE, /* variable of a module, within the module's memory */
    ALLOCATION_HOST,     /* host memory at its own address */
};

struct allocation {
    uint64_t base, size; /* bytes */
    uint32_t slack;      /* accessible bytes behind it (overrun.h) */
    uint8_t *host;       /* size bytes; for buffers and the heap, freed with the allocation */
    char *name;
    uint32_t id;      /* less than memory.ids; unique among live allocations */
    uint32_t devices; /* whose kernels may access it: a bit for each device */
    uint8_t kind;     /* enum allocation_kind */
    uint8_t owner;    /* the device that has it */
    bool initialised; /* the host has written some of it, or may have */
    bool viewed;      /* the host may have written any of it without telling */
    bool filled;      /* the host has filled an unknown part of it on the device */
    bool unannounced; /* the host has its address: it may write to it without a call */
    uint64_t version; /* of its content; see memory_version */
    void *user;       /* for the device's user */
    size_t logged;    /* its entry in the log, if that is still there */
    /* of the tree: a heap by priority, a function of the address; freed ones are a list through left */
    uint64_t priority;
    struct allocation *left, *right;
};

struct storage;

/* The most recently freed memory of the device heap, as a ring, for reports. */
#define HEAP_FREED 64
struct heap_freed {
    uint64_t base, size;
};

struct memory {
    struct storage *storage; /* holds buffers and the heap at their own addresses; NULL: host memory can be anywhere */
    struct allocation *root;
    uint32_t count;
    uint32_t ids;      /* greater than any id so far */
    uint64_t next;     /* address of the next buffer */
    uint32_t red_zone; /* bytes of addresses behind each allocation that nothing else gets, a multiple of
                          MEMORY_ALIGNMENT */
    uint32_t granule;  /* the slack of an allocation reaches to the next multiple of this; 0: no slack */
    uint32_t devices;  /* of allocations from now on; all at first */
    uint8_t owner;     /* likewise; 0 at first */
    struct allocation *freed;
    uint32_t *free_ids;
    uint32_t free_id_count, free_id_capacity;
    struct heap_freed heap_freed[HEAP_FREED];
    uint64_t heap_freed_count;
    uint64_t versions, all_changed; /* the newest version; the one at which all content changed last */
    /* events of allocations, and other operations of the host, since the log was last cleared */
    bool logging;
    bool log_whole; /* the log began without allocations and was not cleared since */
    bool log_lost;  /* there was no memory for an entry */
    struct rp_host_operation *log;
    size_t log_count, log_capacity;
};

void memory_init(struct memory *);
/* From now on, allocations lie in the storage, which the memory owns and frees. To be called before the first
 * allocation. */
void memory_store(struct memory *, struct storage *);
void memory_clear(struct memory *);
/* A zeroed buffer at the next free address, or NULL without memory. A gap of at least MEMORY_ALIGNMENT bytes follows.
 * 0 bytes are a valid size: an address that may not be read. */
struct allocation *memory_allocate(struct memory *, uint64_t size, const char *name, enum allocation_kind);
/* Adds `host` at a given address. NULL: out of memory, or the range is not free. */
struct allocation *memory_place(struct memory *, uint64_t base, uint64_t size, uint8_t *host, const char *name,
                                enum allocation_kind);
/* Takes it out of the tree and frees its memory. The struct itself stays, with size 0, until memory_reclaim, because
 * blocks that run keep pointers to allocations that they used before. */
void memory_free(struct memory *, struct allocation *);
/* The freed memory of the device heap that held the address, if it is still in the ring; NULL: none. */
const struct heap_freed *memory_was_freed(const struct memory *, uint64_t address);
/* To be called when the host has got a view of the allocation. */
void memory_initialise(struct memory *, struct allocation *);
/* To be called when the content of the allocation has changed, or may have; of all allocations. */
void memory_changed(struct memory *, struct allocation *);
void memory_all_changed(struct memory *);
/* A number of the allocation's content: while it stays the same, so does the content, but for what the host writes to
 * unannounced memory. Numbers ascend, and a new allocation has a greater one than all before. */
static inline uint64_t memory_version(const struct memory *m, const struct allocation *a)
{
    return a->version > m->all_changed ? a->version : m->all_changed;
}
/* Clears the log, and logs from now on. */
void memory_log(struct memory *);
/* Logs an operation of the host that has no name. */
void memory_log_operation(struct memory *, const struct rp_host_operation *);
/* To be called when no block holds a pointer to an allocation any more. */
void memory_reclaim(struct memory *);
/* The allocation that holds `address`, or NULL. */
struct allocation *memory_find(const struct memory *, uint64_t address);
/* The same, of an allocation that kernels of the device may access. */
static inline struct allocation *memory_seen(const struct memory *m, unsigned device, uint64_t address)
{
    struct allocation *a = memory_find(m, address);
    return a && a->devices >> device & 1 ? a : NULL;
}
/* The allocation with the highest address at or below `address`, or NULL. */
struct allocation *memory_below(const struct memory *, uint64_t address);
/* The allocation with the lowest address at or above `address`, or NULL: to go through all of them. */
struct allocation *memory_from(const struct memory *, uint64_t address);
/* "4 bytes past the end of arg2 (16384 bytes)": describes `address` relative to the nearest allocation, or says that it
 * is memory of a device to which this one has no access. */
void memory_describe(const struct memory *, unsigned device, uint64_t address, char *text, size_t size);

#endif
