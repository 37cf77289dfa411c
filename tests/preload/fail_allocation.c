/* A library to load before a program (LD_PRELOAD), which fails one of its allocations: the one whose number
 * FAIL_ALLOCATION says, counted from 1. LIST_ALLOCATIONS names a file for a line on each allocation that there was: a
 * number that stands for its call stack.
 *
 * What libconfig allocates is left out: it does not look whether it gets the memory. Its callers do that before. */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own, under the names that stay when malloc is replaced. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { MOST = 1 << 20, DEPTH = 64 };
static atomic_long made;
static long failing;
static int counting;
static const char *list;                   /* NULL: none is written */
static uint32_t stacks[MOST];              /* by the allocation's number */
static uintptr_t exempt_begin, exempt_end; /* libconfig's code */

static int find_exempt(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(library->dlpi_name, "/libconfig."))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t begin = library->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
        if (part->p_type != PT_LOAD)
            continue;
        exempt_begin = !exempt_begin || begin < exempt_begin ? begin : exempt_begin;
        exempt_end = end > exempt_end ? end : exempt_end;
    }
    return 1;
}

/* FNV-1a of the return addresses. */
static uint32_t call_stack(void)
{
    void *frames[DEPTH];
    uint32_t hash = 2166136261u;
    int depth = backtrace(frames, DEPTH);
    for (int i = 0; i < depth; i++)
        for (unsigned shift = 0; shift < 64; shift += 8)
            hash = (hash ^ ((uintptr_t)frames[i] >> shift & 0xff)) * 16777619u;
    return hash;
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAIL_ALLOCATION");
    failing = number ? atol(number) : 0;
    list = getenv("LIST_ALLOCATIONS");
    dl_iterate_phdr(find_exempt, NULL);
    if (list)
        (void)call_stack(); /* the first one allocates */
    counting = 1;
}

__attribute__((destructor)) static void end(void)
{
    counting = 0;
    FILE *file = list ? fopen(list, "w") : NULL;
    if (!file)
        return;
    for (long i = 1; i <= made && i < MOST; i++)
        fprintf(file, "%u\n", stacks[i]);
    if (fclose(file))
        _exit(99);
}

/* Whether this allocation is to fail. */
static int fails(void *caller)
{
    uintptr_t from = (uintptr_t)caller;
    if (!counting || (from >= exempt_begin && from < exempt_end))
        return 0;
    long number = ++made;
    if (list && number < MOST)
        stacks[number] = call_stack();
    if (number != failing)
        return 0;
    errno = ENOMEM;
    return 1;
}
#define FAILS fails(__builtin_return_address(0))

void *malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return FAILS ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **to, size_t alignment, size_t size)
{
    void *memory = FAILS ? NULL : __libc_memalign(alignment, size);
    if (!memory)
        return ENOMEM;
    *to = memory;
    return 0;
}
static char *copy(const char *text, int failed)
{
    size_t size = strlen(text) + 1;
    char *to = failed ? NULL : __libc_malloc(size);
    return to ? memcpy(to, text, size) : NULL;
}
char *strdup(const char *text) { return copy(text, FAILS); }
char *__strdup(const char *text) { return copy(text, FAILS); }
