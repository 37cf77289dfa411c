/* Cells, and the memory of their pages: it comes in large pieces, for which the system may use large pages, since a
 * check accesses more memory than the kernel does. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "frontend/check/internal.h"

#define PIECE (UINT64_C(2) << 20) /* bytes, and the alignment: a large page of x86-64 and of arm64 */
#define PAGE_BYTES (CELLS * sizeof(check_past))

struct check_piece {
    struct check_piece *next;
    void *pages;
};

/* Zeroed memory. NULL: out of memory. */
static void *new_memory(void)
{
    uint8_t *all = mmap(NULL, 2 * PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    uint64_t before = -(uint64_t)(uintptr_t)all & (PIECE - 1);
    if (before)
        munmap(all, before);
    munmap(all + before + PIECE, PIECE - before);
    madvise(all + before, PIECE, MADV_HUGEPAGE); /* without large pages only time is lost */
    return all + before;
}

static bool grow_pages(struct rp_check *c)
{
    struct check_piece *piece = malloc(sizeof *piece);
    void *pages = piece ? new_memory() : NULL;
    if (!pages) {
        free(piece);
        return false;
    }
    *piece = (struct check_piece){c->pieces, pages};
    c->pieces = piece;
    c->pages_left = PIECE / PAGE_BYTES;
    return true;
}

check_past *cells_new_page(struct rp_check *c)
{
    check_past *page = c->free_pages;
    if (page) {
        c->free_pages = *(check_past **)page;
        return memset(page, 0, PAGE_BYTES);
    }
    if (!c->pages_left && !grow_pages(c))
        return NULL;
    return (check_past *)c->pieces->pages + (PIECE / PAGE_BYTES - c->pages_left--) * CELLS;
}

static void free_page(struct rp_check *c, check_past *page)
{
    *(check_past **)page = c->free_pages;
    c->free_pages = page;
}

void cells_free_memory(struct rp_check *c)
{
    for (struct check_piece *next; c->pieces; c->pieces = next) {
        next = c->pieces->next;
        munmap(c->pieces->pages, PIECE);
        free(c->pieces);
    }
    c->pages_left = 0;
    c->free_pages = NULL;
}

bool cells_make(struct cells *c, uint64_t count)
{
    c->count = count;
    c->pages[0] = calloc(PASTS * (count / CELLS + 1), sizeof **c->pages);
    for (int which = 1; c->pages[0] && which < PASTS; which++)
        c->pages[which] = c->pages[which - 1] + count / CELLS + 1;
    return c->pages[0] != NULL;
}

void cells_free(struct rp_check *check, struct cells *c)
{
    for (uint64_t i = 0; c->pages[0] && i < PASTS * (c->count / CELLS + 1); i++)
        if (c->pages[0][i])
            free_page(check, c->pages[0][i]);
    free(c->pages[0]);
    *c = (struct cells){0};
}
