#include "frontend/guest/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tracefmt/plural.h"

/* Addresses that take memory once they are written. */
static uint8_t *guest_reserve(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static size_t guest_stacks_bytes(const struct guest_memory *m)
{
    size_t groups = (m->cores + GUEST_GROUP - 1) / GUEST_GROUP;
    return groups * GUEST_GROUP * (size_t)m->stack_bytes;
}

static bool guest_memory_fill(struct guest_memory *m, const struct guest *g, struct rp_error *err)
{
    m->ranges = calloc(g->segment_count + 1, sizeof *m->ranges);
    m->linear = guest_reserve(GUEST_HEAP_LIMIT);
    m->stacks = guest_reserve(guest_stacks_bytes(m));
    if (!m->ranges || !m->linear || !m->stacks)
        return rp_fail(err, RP_SYSTEM,
                       "%s: no room for 2 GiB of addresses and %u stack%s of %u bytes; memory is taken as it is used, "
                       "but the limit of addresses ('ulimit -v') counts all",
                       g->path, (unsigned)m->cores, rp_plural(m->cores), (unsigned)m->stack_bytes);
    for (uint32_t i = 0; i < g->segment_count; i++) {
        const struct guest_segment *s = &g->segments[i];
        memcpy(m->linear + s->address, s->bytes, s->file_size);
        m->ranges[i] = (struct guest_range){s->address, s->address + s->size, s->rights, m->linear + s->address};
    }
    m->heap = &m->ranges[g->segment_count];
    *m->heap = (struct guest_range){g->end, g->end, GUEST_READ | GUEST_WRITE, m->linear + g->end};
    m->range_count = g->segment_count + 1;
    return true;
}

bool guest_memory_open(struct guest_memory *m, const struct guest *g, uint32_t cores, uint32_t stack_bytes,
                       struct rp_error *err)
{
    *m = (struct guest_memory){.cores = cores, .stack_bytes = stack_bytes, .stack_pitch = stack_bytes + GUEST_PAGE};
    const uint64_t all = cores * ((uint64_t)stack_bytes + GUEST_PAGE); /* the pitch may not fit its own 32 bits */
    const uint32_t room = GUEST_STACK_TOP - GUEST_HEAP_LIMIT;
    if (all > room) {
        const uint32_t most = room / cores / GUEST_PAGE * GUEST_PAGE - GUEST_PAGE;
        return rp_fail(err, RP_USAGE,
                       "%u stack%s of %u bytes, each with a page behind it, do%s not fit between 0x80000000 and "
                       "0xc0000000; --stack %u is the most for so many cores",
                       (unsigned)cores, rp_plural(cores), (unsigned)stack_bytes, cores == 1 ? "es" : "",
                       (unsigned)most);
    }
    m->stacks_low = GUEST_STACK_TOP - (uint32_t)all;
    if (guest_memory_fill(m, g, err))
        return true;
    guest_memory_close(m);
    return false;
}

void guest_memory_close(struct guest_memory *m)
{
    free(m->ranges);
    if (m->linear)
        munmap(m->linear, GUEST_HEAP_LIMIT);
    if (m->stacks)
        munmap(m->stacks, guest_stacks_bytes(m));
    *m = (struct guest_memory){0};
}

/* ---- where the host has a byte ------------------------------------------------------------------------------------
 */

/* The core whose stack holds the address, or `cores`. */
static uint32_t guest_stack_core(const struct guest_memory *m, uint32_t address)
{
    if (address < m->stacks_low || address >= GUEST_STACK_TOP)
        return m->cores;
    uint32_t core = (GUEST_STACK_TOP - 1 - address) / m->stack_pitch;
    return guest_stack_top(m, core) - address <= m->stack_bytes ? core : m->cores;
}

static uint8_t *guest_stack_byte(const struct guest_memory *m, uint32_t core, uint32_t address)
{
    const size_t offset = address - (guest_stack_top(m, core) - m->stack_bytes);
    uint8_t *group = m->stacks + (size_t)(core / GUEST_GROUP) * GUEST_GROUP * m->stack_bytes;
    return group + (offset & ~(size_t)3) * GUEST_GROUP + core % GUEST_GROUP * 4 + (offset & 3);
}

static const struct guest_range *guest_range_of(const struct guest_memory *m, uint32_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < m->range_count; i++) {
        const struct guest_range *r = &m->ranges[i];
        if (address >= r->low && address < r->high && bytes <= r->high - address)
            return r;
    }
    return NULL;
}

/* The bytes lie in one stack. */
static bool guest_in_stack(const struct guest_memory *m, uint32_t address, uint32_t bytes, uint32_t *core)
{
    *core = guest_stack_core(m, address);
    return *core < m->cores && bytes <= guest_stack_top(m, *core) - address;
}

bool guest_memory_read(const struct guest_memory *m, uint32_t address, uint32_t bytes, unsigned rights, void *to)
{
    const struct guest_range *r = guest_range_of(m, address, bytes);
    uint32_t core;
    uint8_t *out = to;
    if (r) {
        if ((r->rights & rights) == rights)
            guest_copy(to, r->host + (address - r->low), bytes);
        return (r->rights & rights) == rights;
    }
    if (rights & GUEST_EXECUTE || !guest_in_stack(m, address, bytes, &core))
        return false;
    if ((address & 3) + bytes <= 4)
        guest_copy(to, guest_stack_byte(m, core, address), bytes);
    else
        for (uint32_t i = 0; i < bytes; i++)
            out[i] = *guest_stack_byte(m, core, address + i);
    return true;
}

bool guest_memory_write(struct guest_memory *m, uint32_t address, uint32_t bytes, const void *from)
{
    const struct guest_range *r = guest_range_of(m, address, bytes);
    uint32_t core;
    const uint8_t *in = from;
    if (r) {
        if (r->rights & GUEST_WRITE)
            guest_copy(r->host + (address - r->low), from, bytes);
        return r->rights & GUEST_WRITE;
    }
    if (!guest_in_stack(m, address, bytes, &core))
        return false;
    if ((address & 3) + bytes <= 4)
        guest_copy(guest_stack_byte(m, core, address), from, bytes);
    else
        for (uint32_t i = 0; i < bytes; i++)
            *guest_stack_byte(m, core, address + i) = in[i];
    return true;
}

uint32_t guest_memory_brk(struct guest_memory *m, uint32_t end)
{
    struct guest_range *h = m->heap;
    if (end >= h->low && end <= GUEST_HEAP_LIMIT) {
        if (end < h->high)
            memset(h->host + (end - h->low), 0, h->high - end); /* as Linux gives it anew: zeroed */
        h->high = end;
    }
    return h->high;
}

/* An address `down` bytes below the highest one of all stacks. */
static void guest_describe_stack(const struct guest_memory *m, uint32_t down, char *text, size_t size)
{
    const unsigned core = down / m->stack_pitch, bytes = m->stack_bytes;
    if (down % m->stack_pitch < bytes)
        snprintf(text, size, "beyond the upper end of the stack of core %u", core);
    else
        snprintf(text, size, "below the stack of core %u, which has %u bytes (--stack gives more)", core, bytes);
}

void guest_memory_describe(const struct guest_memory *m, uint32_t address, unsigned rights, char *text, size_t size)
{
    const struct guest_range *r = guest_range_of(m, address, 1);
    if (r && rights & GUEST_WRITE && r->rights & GUEST_EXECUTE)
        snprintf(text, size, "code, which no program may change");
    else if (r && rights & GUEST_WRITE && !(r->rights & GUEST_WRITE))
        snprintf(text, size, "memory that may only be read");
    else if (r && rights & GUEST_EXECUTE && !(r->rights & GUEST_EXECUTE))
        snprintf(text, size, "data");
    else if (r)
        snprintf(text, size, "%s", r->rights & GUEST_READ ? "the end of a segment" : "memory that may not be read");
    else if (address >= m->stacks_low - GUEST_PAGE && address < GUEST_STACK_TOP)
        guest_describe_stack(m, GUEST_STACK_TOP - 1 - address, text, size);
    else if (address >= GUEST_HEAP_LIMIT && address < GUEST_STACK_TOP)
        snprintf(text, size, "below all stacks, of %u bytes each (--stack gives more)", (unsigned)m->stack_bytes);
    else
        snprintf(text, size, "not the program's memory");
}
