/* Memory and events of other processes. The pages of memory that is given to others are moved into a file of this
 * process without a name, at the same distances, which the others open by way of /proc. Work is done within its call,
 * so that an event of another process has always taken place: its own synchronisation orders the calls. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/cuda/driver/event.h"
#include "frontend/cuda/driver/pending.h"
#include "tracefmt/file_write.h"

#define PAGE UINT64_C(4096)
#define SPAN (UINT64_C(1) << 46) /* of addresses */

struct packed {
    uint32_t magic;
    int32_t process, file;
    uint64_t address, bytes;
    uint64_t pool; /* number of the pool; 0: it is not about pools */
};
enum { MEMORY_MAGIC = 0x52504d31, EVENT_MAGIC = 0x52504531, POOL_MAGIC = 0x52505031 };
_Static_assert(sizeof(struct packed) <= sizeof(CUipcMemHandle), "a handle has 64 bytes");
_Static_assert(sizeof(struct packed) <= sizeof(CUmemPoolPtrExportData), "and what stands for memory of a pool, too");

/* Pages of memory that is given to others, or is theirs. */
struct shared {
    struct buffer *buffer;
    uint64_t begin, end;
    CUdeviceptr address; /* what cuIpcOpenMemHandle returned; 0: it is ours */
    bool of_pool;
    struct shared *next;
};
static struct shared *all;
static int file = -1;

bool ipc_used(void) { return all; }

static uint64_t page_of(uint64_t address) { return address / PAGE * PAGE; }

static bool map(uint64_t begin, uint64_t end, int from, uint64_t at)
{
    int flags = MAP_FIXED | (from < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED);
    void *to = mmap((void *)(uintptr_t)begin, end - begin, PROT_READ | PROT_WRITE, flags, from, (off_t)at);
    return to != MAP_FAILED;
}

static struct shared *add(struct buffer *b, uint64_t begin, uint64_t end)
{
    struct shared *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct shared){.buffer = b, .begin = begin, .end = end, .next = all};
    rp_set_unannounced(driver.device, b->base);
    return all = s;
}

static bool is_shared(uint64_t page)
{
    for (const struct shared *s = all; s; s = s->next)
        if (page >= s->begin && page < s->end)
            return true;
    return false;
}

/* ---- giving -------------------------------------------------------------------------------------------------------
 */

static bool open_file(void)
{
    struct file_limit limit;
    file_limit_hold(&limit);
    if (file < 0 && (file = memfd_create("reprise", MFD_CLOEXEC)) >= 0 && ftruncate(file, (off_t)SPAN)) {
        close(file);
        file = -1;
    }
    file_limit_release(&limit);
    return file >= 0;
}

/* Moves a page into the file. */
static bool give_page(uint64_t page)
{
    if (is_shared(page))
        return true;
    return file_write_at(file, (void *)(uintptr_t)page, PAGE, (off_t)page) && map(page, page + PAGE, file, page);
}

static bool give(struct buffer *b)
{
    uint64_t begin = page_of(b->base), end = page_of(b->base + b->bytes + PAGE - 1);
    for (const struct shared *s = all; s; s = s->next)
        if (s->buffer == b)
            return true;
    if (end > SPAN || !open_file())
        return false;
    for (uint64_t page = begin; page < end; page += PAGE)
        if (!give_page(page))
            return false;
    return add(b, begin, end);
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *to, CUdeviceptr address)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct buffer *b = buffer_at(address);
    if (!to || !b || b->kind != BUFFER_DEVICE || b->of_graph)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    if (!give(b)) {
        say("cuIpcGetMemHandle: %s", strerror(errno));
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    struct packed h = {MEMORY_MAGIC, getpid(), file, b->base, b->bytes, 0};
    memset(to, 0, sizeof *to);
    memcpy(to, &h, sizeof h);
    return leave(CUDA_SUCCESS);
}

/* ---- taking -------------------------------------------------------------------------------------------------------
 */

/* Opens the file of another process. */
static int open_theirs(const struct packed *h)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", h->process, h->file);
    return open(path, O_RDWR | O_CLOEXEC);
}

/* Maps the other process's pages, from its file, into a buffer of this one, which has room for whole pages. */
static struct shared *take(const struct packed *h, int theirs, struct buffer *b)
{
    uint64_t from = page_of(h->address), bytes = page_of(h->address + h->bytes + PAGE - 1) - from;
    uint64_t begin = page_of(b->base + PAGE - 1);
    struct shared *s = theirs >= 0 && map(begin, begin + bytes, theirs, from) ? add(b, begin, begin + bytes) : NULL;
    if (s)
        s->address = begin + (h->address - from);
    return s;
}

/* Makes memory of another process, which `call` is about. */
static CUresult import(const struct packed *h, int theirs, const char *call, struct shared **made)
{
    struct buffer *b;
    CUresult r = buffer_new(BUFFER_IMPORTED, h->bytes + 3 * PAGE, 0, NULL, &b);
    if (r || (*made = take(h, theirs, b)))
        return r;
    say("%s: process %d: %s", call, h->process, strerror(errno));
    buffer_release(b);
    return CUDA_ERROR_MAP_FAILED;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle given, unsigned flags)
{
    struct packed h;
    memcpy(&h, &given, sizeof h);
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!address || flags > 1 || h.magic != MEMORY_MAGIC || !h.bytes)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (h.process == getpid())
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    struct shared *s;
    int theirs = open_theirs(&h);
    r = import(&h, theirs, "cuIpcOpenMemHandle", &s);
    if (theirs >= 0)
        close(theirs);
    if (!r)
        *address = s->address;
    return leave(r);
}
CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)
{
    return cuIpcOpenMemHandle_v2(address, handle, flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct shared *s = all;
    while (s && (!s->address || s->address != address || s->of_pool))
        s = s->next;
    if (!s)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    return leave(buffer_release(s->buffer));
}

/* A page that no other buffer shares becomes memory of this process alone; neighbours keep their content. */
static void keep_page(uint64_t page, bool ours)
{
    uint8_t content[PAGE];
    memcpy(content, (void *)(uintptr_t)page, PAGE);
    if (!map(page, page + PAGE, -1, 0) || !ours)
        return;
    memcpy((void *)(uintptr_t)page, content, PAGE);
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)page, PAGE);
}

void ipc_forget(const struct buffer *b)
{
    struct shared **at = &all;
    while (*at && (*at)->buffer != b)
        at = &(*at)->next;
    struct shared *s = *at;
    if (!s)
        return;
    *at = s->next;
    for (uint64_t page = s->begin; page < s->end; page += PAGE)
        if (!is_shared(page))
            keep_page(page, !s->address);
    free(s);
}

/* ---- pools --------------------------------------------------------------------------------------------------------
 * What stands for a pool is a descriptor of a file that says which process has it, and where the pool's memory will be:
 * in the file of that process, like memory that is given by itself. */

enum { DESCRIPTOR = 1 }; /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */

bool ipc_of_pool(const struct buffer *b, CUdeviceptr address)
{
    for (const struct shared *s = all; s; s = s->next)
        if (s->buffer == b)
            return s->of_pool && s->address == address;
    return false;
}

CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, int type, unsigned long long flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    const struct pool_origin *p = pool_origin(pool);
    if (!handle || !p || p->file >= 0 || type != DESCRIPTOR || !pool_is_for(pool, type) || flags)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct packed h = {POOL_MAGIC, getpid(), -1, 0, 0, p->number};
    int made = open_file() ? memfd_create("reprise-pool", MFD_CLOEXEC) : -1;
    h.file = file;
    if (made >= 0 && file_write_at(made, &h, sizeof h, 0)) {
        *(int *)handle = made; /* the caller closes it */
        return leave(CUDA_SUCCESS);
    }
    say("cuMemPoolExportToShareableHandle: %s", strerror(errno));
    if (made >= 0)
        close(made);
    return leave(CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, int type, unsigned long long flags)
{
    struct packed h;
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!pool || type != DESCRIPTOR || flags || pread((int)(intptr_t)handle, &h, sizeof h, 0) != (ssize_t)sizeof h ||
        h.magic != POOL_MAGIC)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct pool_origin from = {.number = h.pool, .process = h.process, .file = open_theirs(&h)};
    if (from.file < 0) {
        say("cuMemPoolImportFromShareableHandle: process %d: %s", h.process, strerror(errno));
        return leave(CUDA_ERROR_MAP_FAILED);
    }
    if ((*pool = pool_import(&from)))
        return leave(CUDA_SUCCESS);
    close(from.file);
    return leave(CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct buffer *b = buffer_at(address);
    if (!data || !b || !b->pool || b->of_graph || !pool_is_for(b->pool, DESCRIPTOR))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    if (!give(b)) {
        say("cuMemPoolExportPointer: %s", strerror(errno));
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    struct packed h = {MEMORY_MAGIC, getpid(), file, b->base, b->bytes, pool_origin(b->pool)->number};
    memset(data, 0, sizeof *data);
    memcpy(data, &h, sizeof h);
    return leave(CUDA_SUCCESS);
}

CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool, CUmemPoolPtrExportData *data)
{
    struct packed h;
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    const struct pool_origin *p = pool_origin(pool);
    if (!address || !data || !p || p->file < 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(&h, data, sizeof h);
    if (h.magic != MEMORY_MAGIC || h.pool != p->number || h.process != p->process || !h.bytes)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct shared *s;
    if ((r = import(&h, p->file, "cuMemPoolImportPointer", &s)))
        return leave(r);
    s->of_pool = true;
    *address = s->address;
    return leave(CUDA_SUCCESS);
}

/* ---- events -------------------------------------------------------------------------------------------------------
 */

CUresult cuIpcGetEventHandle(CUipcEventHandle *to, CUevent event)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!to || !handle_is(HANDLE_EVENT, event) || !(event->flags & CU_EVENT_INTERPROCESS))
        return leave(to ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    struct packed h = {.magic = EVENT_MAGIC, .process = getpid()};
    memset(to, 0, sizeof *to);
    memcpy(to, &h, sizeof h);
    return leave(CUDA_SUCCESS);
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle given)
{
    struct packed h;
    memcpy(&h, &given, sizeof h);
    if (h.magic != EVENT_MAGIC)
        return CUDA_ERROR_INVALID_VALUE;
    return cuEventCreate(event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
}
