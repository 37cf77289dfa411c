/* Which buffers get large pages of the host. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frontend/core/large_pages.h"
#include "frontend/core/memory.h"
#include "frontend/core/storage.h"

/* Whether large pages are wanted for the memory at an address, as the system says. */
static bool are_wanted(const void *at)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[4096];
    bool here = false, wanted = false;
    cr_assert(f);
    while (!(here && !strncmp(line, "VmFlags:", 8)) && fgets(line, sizeof line, f)) {
        uint64_t begin, end;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &begin, &end) == 2)
            here = (uintptr_t)at - begin < end - begin;
        wanted = here && strstr(line, " hg");
    }
    fclose(f);
    return wanted;
}

static void expect_large_pages(struct memory *m, uint64_t bytes, bool wanted)
{
    struct allocation *a = memory_allocate(m, bytes, "buffer", ALLOCATION_BUFFER);
    cr_assert(a);
    cr_expect_eq(are_wanted(a->host + bytes / 2), wanted, "%" PRIu64 " bytes", bytes);
    memory_free(m, a);
    memory_reclaim(m);
}

static void expect_of(struct memory *m)
{
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK)) {
        memory_clear(m);
        cr_skip_test("this system has no large pages");
    }
    expect_large_pages(m, LARGE_PAGE / 2, false);
    expect_large_pages(m, LARGE_MOST + 1, false);
    expect_large_pages(m, 4 * LARGE_PAGE, true);
    memory_clear(m);
}

Test(large_pages, at_their_own_addresses)
{
    struct rp_error err;
    struct memory m;
    memory_init(&m);
    struct storage *s = storage_new(&err);
    cr_assert(s, "%s", err.text);
    memory_store(&m, s);
    expect_of(&m);
}

Test(large_pages, anywhere)
{
    struct memory m;
    memory_init(&m);
    expect_of(&m);
}
