/* The memory of a guest: the segments of its file, the heap behind them, and a stack for each core.
 *
 * Stacks lie below GUEST_STACK_TOP, that of core 0 highest, with a page between two that nobody may access. Addresses
 * are linear for the program. Where the host has the bytes is another matter: the words of 32 neighbouring cores lie
 * side by side, as cores mostly access the same place of their stacks at the same time. */
#ifndef REPRISE_FRONTEND_GUEST_MEMORY_H
#define REPRISE_FRONTEND_GUEST_MEMORY_H

#include <string.h>

#include "frontend/guest/guest.h"

#define GUEST_PAGE 4096u
#define GUEST_STACK_TOP 0xc0000000u
#define GUEST_HEAP_LIMIT 0x80000000u /* the heap ends below this address */
#define GUEST_CORES_MAX 4096u
#define GUEST_GROUP 32u /* cores whose stacks are interleaved */
#define GUEST_STACK_DEFAULT (64u << 10)

/* A range of addresses with the same rights, which `host` holds from `low` on. */
struct guest_range {
    uint32_t low, high; /* high: the first address behind it */
    uint8_t rights;     /* enum guest_rights */
    uint8_t *host;
};

struct guest_memory {
    uint32_t range_count;
    struct guest_range *ranges; /* segments by address, then the heap */
    struct guest_range *heap;   /* high moves as brk says */
    uint8_t *linear;            /* a mapping of 2 GiB, whose pages are allocated on first use */
    uint8_t *stacks;            /* of all groups; a group's bytes: GUEST_GROUP × stack_bytes */
    uint32_t cores, stack_bytes, stack_pitch;
    uint32_t stacks_low; /* the lowest address of any stack */
};

/* stack_bytes: of each core, a multiple of GUEST_PAGE. False: out of memory, or there is no room for the stacks. */
bool guest_memory_open(struct guest_memory *, const struct guest *, uint32_t cores, uint32_t stack_bytes,
                       struct rp_error *);
void guest_memory_close(struct guest_memory *);

/* The highest address of a core's stack, without; the lowest is stack_bytes below. */
static inline uint32_t guest_stack_top(const struct guest_memory *m, uint32_t core)
{
    return GUEST_STACK_TOP - core * m->stack_pitch;
}

/* Copies the bytes of an access: mostly without a call. */
static inline void guest_copy(void *to, const void *from, uint32_t bytes)
{
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, bytes); break;
    }
}

/* Copies bytes. False: some of them may not be accessed like that; nothing was copied. */
bool guest_memory_read(const struct guest_memory *, uint32_t address, uint32_t bytes, unsigned rights, void *to);
bool guest_memory_write(struct guest_memory *, uint32_t address, uint32_t bytes, const void *from);

/* Linux's brk: the new end of the heap, or the old one if there cannot be such a one. */
uint32_t guest_memory_brk(struct guest_memory *, uint32_t end);

/* What lies at an address that may not be accessed: "not the program's memory". */
void guest_memory_describe(const struct guest_memory *, uint32_t address, unsigned rights, char *text, size_t size);

#endif
