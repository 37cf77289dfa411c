/* Pages of memory that two threads save at once, before the first store into each. */
#include <criterion/criterion.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>

#include "frontend/core/undo.h"

enum { ROUNDS = 60, BUFFERS = 256, SMALL_PAGES = 512, LARGE_PAGES = 1024 };

struct saver {
    struct undo *undo;
    struct allocation **buffers;
    uint64_t page;
    bool saved;
};

static void *save_page(void *data)
{
    struct saver *s = data;
    for (int i = 0; i < BUFFERS; i++)
        s->saved &= undo_save(s->undo, s->buffers[i], s->page);
    return NULL;
}

static void allocate(struct memory *m, struct allocation **buffers, uint64_t pages)
{
    for (int i = 0; i < BUFFERS; i++)
        cr_assert(buffers[i] = memory_allocate(m, pages * PAGE_BYTES, "buffer", ALLOCATION_BUFFER));
}

static void give_back(struct memory *m, struct allocation **buffers)
{
    for (int i = 0; i < BUFFERS; i++)
        memory_free(m, buffers[i]);
    memory_reclaim(m);
}

static void save_pages(struct saver *s)
{
    pthread_t thread;
    struct saver second = *s;
    second.page = 1;
    cr_assert_eq(pthread_create(&thread, NULL, save_page, &second), 0);
    save_page(s);
    pthread_join(thread, NULL);
    cr_expect(s->saved && second.saved);
}

static void expect_saved(struct undo *u, struct allocation **buffers, int round)
{
    for (int i = 0; i < BUFFERS; i++)
        memset(buffers[i]->host, 1, 2 * PAGE_BYTES);
    undo_restore(u);
    for (int i = 0; i < BUFFERS; i++)
        for (size_t page = 0; page < 2; page++)
            cr_assert_eq(buffers[i]->host[page * PAGE_BYTES], 0, "round %d, buffer %d, page %zu", round, i, page);
}

/* Buffers have more pages than earlier ones with the same ids. */
Test(undo, threads_meet_at_larger_buffers)
{
    mallopt(M_MMAP_THRESHOLD, SMALL_PAGES * sizeof(void *)); /* what is freed cannot be read any more */
    struct memory m;
    struct allocation *buffers[BUFFERS];
    memory_init(&m);
    for (int round = 0; round < ROUNDS; round++) {
        struct saver s = {undo_new(), buffers, 0, true};
        cr_assert(s.undo);
        allocate(&m, buffers, SMALL_PAGES);
        cr_assert(undo_begin(s.undo, &m));
        save_page(&s);
        undo_forget(s.undo);
        give_back(&m, buffers);
        allocate(&m, buffers, LARGE_PAGES);
        cr_assert(undo_begin(s.undo, &m));
        save_pages(&s);
        expect_saved(s.undo, buffers, round);
        undo_forget(s.undo);
        undo_free(s.undo);
        give_back(&m, buffers);
    }
    memory_clear(&m);
}
