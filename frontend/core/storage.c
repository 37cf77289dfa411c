#include "frontend/core/storage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "frontend/core/large_pages.h"

#define STEP (UINT64_C(64) << 30)    /* bytes of addresses to reserve at once */
#define OPEN (UINT64_C(32) << 20)    /* bytes to make accessible at once */
#define SEGMENT (UINT64_C(64) << 10) /* unit in which memory is returned to the system */

struct storage {
    uint64_t base, end;          /* the reserved range */
    uint64_t modules_open, open; /* end of the accessible memory of the modules' part and of the buffers' part */
    uint32_t *users;             /* per segment: number of allocations that overlap it */
    uint64_t segments;           /* segments that have a count */
};

/* The second range is free under sanitizers, which occupy the first one. */
static const uint64_t places[] = {UINT64_C(0x200000000), UINT64_C(0x200000000000)};

static bool reserve(uint64_t at, uint64_t bytes)
{
    void *want = (void *)(uintptr_t)at;
    void *got = mmap(want, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == want)
        return true;
    if (got != MAP_FAILED)
        munmap(got, bytes);
    return false;
}

struct storage *storage_new(struct rp_error *err)
{
    struct storage *s = calloc(1, sizeof *s);
    for (size_t i = 0; s && i < sizeof places / sizeof *places; i++) {
        uint64_t bytes = STORAGE_MODULES + STEP;
        if (!reserve(places[i], bytes))
            continue;
        s->base = s->modules_open = places[i];
        s->open = places[i] + STORAGE_MODULES;
        s->end = places[i] + bytes;
        return s;
    }
    free(s);
    return rp_fail(err, RP_SYSTEM,
                   "no room for the device's addresses from 0x200000000 on: a limit of address space (ulimit -v)?"),
           NULL;
}

void storage_free(struct storage *s)
{
    if (!s)
        return;
    munmap((void *)(uintptr_t)s->base, s->end - s->base);
    free(s->users);
    free(s);
}

uint64_t storage_base(const struct storage *s) { return s->base; }

bool storage_holds(const struct storage *s, uint64_t address) { return address >= s->base && address < s->end; }

/* Makes [*open, end) readable and writable, and some more. */
static bool open_up(uint64_t *open, uint64_t end, uint64_t limit)
{
    if (end <= *open)
        return true;
    uint64_t to = (end + OPEN - 1) / OPEN * OPEN;
    to = to < limit ? to : limit;
    if (mprotect((void *)(uintptr_t)*open, to - *open, PROT_READ | PROT_WRITE))
        return false;
    *open = to;
    return true;
}

static bool count_segments(struct storage *s, uint64_t end)
{
    uint64_t need = (end - s->base) / SEGMENT + 1;
    if (need <= s->segments)
        return true;
    need += need / 2;
    uint32_t *users = realloc(s->users, need * sizeof *users);
    if (!users)
        return false;
    memset(users + s->segments, 0, (need - s->segments) * sizeof *users);
    s->users = users;
    s->segments = need;
    return true;
}

uint8_t *storage_take(struct storage *s, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + (bytes ? bytes : 1), modules = s->base + STORAGE_MODULES;
    if (address < s->base || end < address || !count_segments(s, end))
        return NULL;
    while (end > s->end) {
        if (!reserve(s->end, STEP))
            return NULL;
        s->end += STEP;
    }
    bool ok =
        address < modules ? end <= modules && open_up(&s->modules_open, end, modules) : open_up(&s->open, end, s->end);
    if (!ok)
        return NULL;
    if (large_pages_fit(bytes)) /* with its neighbours: what is open begins and ends between large pages */
        large_pages_ask(address / LARGE_PAGE * LARGE_PAGE, end + LARGE_PAGE - 1);
    uint64_t first = (address - s->base) / SEGMENT, last = (end - 1 - s->base) / SEGMENT;
    s->users[first]++;
    s->users[last] += last != first;
    return (uint8_t *)(uintptr_t)address;
}

static void give_segments(struct storage *s, uint64_t from, uint64_t to)
{
    if (to > from)
        madvise((void *)(uintptr_t)(s->base + from * SEGMENT), (to - from) * SEGMENT, MADV_DONTNEED);
}

/* Only the first and the last segment may be shared with other allocations. */
void storage_give(struct storage *s, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + (bytes ? bytes : 1);
    uint64_t first = (address - s->base) / SEGMENT, last = (end - 1 - s->base) / SEGMENT;
    bool all_of_first = !--s->users[first], all_of_last = last == first ? all_of_first : !--s->users[last];
    give_segments(s, all_of_first ? first : first + 1, all_of_last ? last + 1 : last);
}
