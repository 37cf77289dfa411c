#include "frontend/host/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/check/check.h"
#include "frontend/core/storage.h"
#include "frontend/host/internal.h"
#include "frontend/host/repeats.h"
#include "frontend/host/run.h"
#include "frontend/module/module.h"
#include "frontend/record/recorder.h"

#define DEVICE_HEAP (8u << 20)       /* the default of cudaLimitMallocHeapSize */
#define LOWEST_SHARED 0x100000000ull /* a kernel's windows are below */
#define MODULE_GAP (1u << 16)        /* modules begin at multiples of this */

struct rp_device *rp_device_new(struct rp_error *err)
{
    struct rp_device *d = calloc(1, sizeof *d);
    if (d)
        d->trackers = calloc(MAX_HOST_THREADS, sizeof *d->trackers);
    if (!d || !d->trackers) {
        free(d);
        rp_fail(err, RP_SYSTEM, "out of memory for a device");
        return NULL;
    }
    memory_init(&d->memory);
    pthread_mutex_init(&d->lock, NULL);
    d->heap_left = DEVICE_HEAP;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    d->cpus = cpus > 0 ? (unsigned)cpus : 1;
    return d;
}

struct rp_device *rp_device_new_unified(struct rp_error *err)
{
    struct rp_device *d = rp_device_new(err);
    struct storage *s = d ? storage_new(err) : NULL;
    if (!s) {
        rp_device_free(d);
        return NULL;
    }
    memory_store(&d->memory, s);
    d->next_base = storage_base(s);
    return d;
}

static void loaded_free(struct rp_device *d, struct loaded *l)
{
    struct storage *s = d->memory.storage;
    if (s && l->globals)
        storage_give(s, module_base(l->module), l->module->global_size);
    else
        free(l->globals);
    module_free(l->module);
    free(l->consts);
    free(l);
}

void rp_device_free(struct rp_device *d)
{
    if (!d)
        return;
    while (d->open)
        running_abandon(d->open);
    thread_pool_free(d->thread_pool);
    streams_free(&d->streams);
    for (unsigned i = 0; i < MAX_HOST_THREADS; i++)
        tracker_free(d->trackers[i]);
    track_grid_free(d->track);
    for (uint32_t i = 0; i < d->block_count; i++)
        block_free(d->blocks[i]);
    device_drop_chunks(d);
    device_free_textures(d);
    repeats_free(d->repeats);
    for (uint32_t i = 0; i < d->module_count; i++)
        loaded_free(d, d->modules[i]);
    memory_clear(&d->memory);
    free(d->modules);
    free(d->trackers);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static uint8_t *copy_image(const uint8_t *image, uint64_t size)
{
    uint8_t *copy = aligned_alloc(64, (size + 127) / 64 * 64);
    if (!copy)
        return NULL;
    memset(copy, 0, (size + 127) / 64 * 64);
    if (size)
        memcpy(copy, image, size);
    return copy;
}

/* The memory of global variables: on a unified device at their device addresses. */
static uint8_t *copy_globals(struct rp_device *d, const struct module *m)
{
    if (!d->memory.storage)
        return copy_image(m->global_image, m->global_size);
    uint8_t *copy = storage_take(d->memory.storage, module_base(m), m->global_size);
    if (copy && m->global_size)
        memcpy(copy, m->global_image, m->global_size);
    return copy;
}

static void remove_variables(struct rp_device *d, const struct module *m)
{
    for (uint32_t i = 0; i < m->variable_count; i++) {
        const struct module_variable *v = &m->variables[i];
        struct allocation *a = v->is_const || !v->size ? NULL : memory_find(&d->memory, v->address);
        if (a)
            memory_free(&d->memory, a);
    }
}

/* Makes each .global variable an allocation of its own, so that an access past its end is detected. */
static bool place_variables(struct rp_device *d, const struct loaded *l, struct rp_error *err)
{
    const struct module *m = l->module;
    for (uint32_t i = 0; i < m->variable_count; i++) {
        const struct module_variable *v = &m->variables[i];
        if (v->is_const || !v->size)
            continue;
        uint64_t offset = v->address - module_base(m);
        if (offset > m->global_size || v->size > m->global_size - offset ||
            !memory_place(&d->memory, v->address, v->size, l->globals + offset, v->name, ALLOCATION_VARIABLE)) {
            remove_variables(d, m);
            return rp_fail(err, RP_SYSTEM, "no memory for variable '%s' of %s", v->name, m->file_name);
        }
    }
    return true;
}

static uint64_t end_of(const struct module *m) { return module_base(m) + m->global_size; }

/* The module that overlaps [base, base + size); of several, the one with the lowest address. */
static const struct module *module_within(const struct rp_device *d, uint64_t base, uint64_t size)
{
    const struct module *found = NULL;
    for (uint32_t i = 0; i < d->module_count; i++) {
        const struct module *m = d->modules[i]->module;
        if (module_base(m) < base + size && base < end_of(m) && (!found || module_base(m) < module_base(found)))
            found = m;
    }
    return found;
}

static bool list_module(struct rp_device *d, struct module *m, struct rp_error *err)
{
    struct loaded *l = calloc(1, sizeof *l);
    struct loaded **modules = realloc(d->modules, (d->module_count + 1) * sizeof *modules);
    d->modules = modules ? modules : d->modules;
    if (!l || !modules) {
        rp_fail(err, RP_SYSTEM, "out of memory for %s", m->file_name);
        free(l);
        module_free(m);
        return false;
    }
    l->module = m;
    l->owner = d->memory.owner;
    l->globals = copy_globals(d, m);
    l->consts = copy_image(m->const_image, m->const_size);
    bool ok = l->globals && l->consts;
    if (!ok)
        rp_fail(err, RP_SYSTEM, "no memory for the variables of %s", m->file_name);
    if (ok && place_variables(d, l, err)) {
        uint32_t at = d->module_count++;
        for (; at && d->modules[at - 1]->module->programs > m->programs; at--)
            d->modules[at] = d->modules[at - 1];
        d->modules[at] = l;
        return true;
    }
    loaded_free(d, l);
    return false;
}

bool rp_device_adopt(struct rp_device *d, struct module *m, struct rp_error *err)
{
    const struct module *other = module_within(d, module_base(m), m->global_size);
    if (other)
        rp_fail(err, RP_USAGE, "%s is loaded for addresses that %s has", m->file_name, other->file_name);
    if (m->narrow && !d->memory.count)
        d->memory.next = HEAP_BASE_32;
    if (!other)
        return list_module(d, m, err);
    module_free(m);
    return false;
}

/* The lowest address from `base` on where the module fits. */
static uint64_t free_base(const struct rp_device *d, uint64_t base, uint64_t size)
{
    const struct module *m;
    while ((m = module_within(d, base, size + 1)))
        base = (end_of(m) / MODULE_GAP + 1) * MODULE_GAP;
    return base;
}

/* The size of a module and the width of its addresses are known only after loading it. If it does not fit at the chosen
 * address, it is loaded again for one where it does. */
struct module *rp_device_load_bytes(struct rp_device *d, const char *path, const void *bytes, size_t size,
                                    struct rp_error *err)
{
    struct storage *s = d->memory.storage;
    struct module *m = module_load_bytes(path, bytes, size, d->next_base, err);
    if (!m)
        return NULL;
    if (s && m->narrow) {
        rp_fail(err, RP_BAD_INPUT, "%s: its addresses have 32 bits; host and kernels share those of 64", path);
        module_free(m);
        return NULL;
    }
    uint64_t limit = s ? storage_base(s) + STORAGE_MODULES : m->narrow ? HEAP_BASE_32 : HEAP_BASE;
    uint64_t base = free_base(d, module_base(m), m->global_size);
    if (s && base + m->global_size > limit) /* searches from the beginning: modules may have been unloaded */
        base = free_base(d, storage_base(s), m->global_size);
    if (base + m->global_size > limit) {
        rp_fail(err, RP_SYSTEM, "no addresses for %" PRIu64 " bytes of variables of %s", m->global_size, m->file_name);
        module_free(m);
        return NULL;
    }
    if (base != module_base(m)) {
        module_free(m);
        m = module_load_bytes(path, bytes, size, base, err);
    }
    if (!m || !rp_device_adopt(d, m, err))
        return NULL;
    if (s && m->global_size)
        d->next_base = (end_of(m) / MODULE_GAP + 1) * MODULE_GAP;
    return m;
}

struct module *rp_device_load(struct rp_device *d, const char *path, struct rp_error *err)
{
    size_t size;
    char *bytes = module_read_file(path, &size, err);
    struct module *m = bytes ? rp_device_load_bytes(d, path, bytes, size, err) : NULL;
    free(bytes);
    return m;
}

bool rp_device_unload(struct rp_device *d, struct module *m, struct rp_error *err)
{
    for (uint32_t i = 0; i < d->module_count; i++) {
        struct loaded *l = d->modules[i];
        if (l->module != m)
            continue;
        if (l->launches)
            return rp_fail(err, RP_USAGE, "%s cannot be unloaded: %u of its launches %s open", m->file_name,
                           l->launches, l->launches == 1 ? "is" : "are");
        memmove(d->modules + i, d->modules + i + 1, (--d->module_count - i) * sizeof *d->modules);
        remove_variables(d, m);
        if (!d->open)
            memory_reclaim(&d->memory);
        loaded_free(d, l);
        return true;
    }
    return rp_fail(err, RP_USAGE, "the device does not have the module that is to be unloaded");
}

struct loaded *device_module_of(struct rp_device *d, const struct program *p)
{
    uint32_t from = 0, to = d->module_count; /* sorted by the addresses of their programs */
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        const struct module *m = d->modules[middle]->module;
        if ((uintptr_t)p < (uintptr_t)m->programs)
            to = middle;
        else if ((uintptr_t)p >= (uintptr_t)(m->programs + m->program_count))
            from = middle + 1;
        else
            return d->modules[middle];
    }
    return NULL;
}

static struct loaded *find_loaded(struct rp_device *d, const struct module *m)
{
    uint32_t i = 0;
    while (i < d->module_count && d->modules[i]->module != m)
        i++;
    return i < d->module_count ? d->modules[i] : NULL;
}

/* A managed variable is the host's, too. */
static void *lend(struct rp_device *d, uint64_t address, uint64_t bytes)
{
    rp_set_unannounced(d, address);
    return rp_host(d, address, bytes);
}

void *rp_variable(struct rp_device *d, const struct module *m, const char *name, uint64_t *bytes)
{
    struct loaded *l = find_loaded(d, m);
    for (uint32_t i = 0; l && i < m->variable_count; i++) {
        const struct module_variable *v = &m->variables[i];
        if (strcmp(v->name, name))
            continue;
        *bytes = v->size;
        if (!v->is_const)
            return lend(d, v->address, v->size);
        uint64_t offset = v->address - CONST_WINDOW, all = m->const_size;
        return offset <= all && v->size <= all - offset ? l->consts + offset : NULL;
    }
    return NULL;
}

bool rp_find_constants(const struct rp_device *d, uint64_t address, struct rp_range *range)
{
    for (uint32_t i = 0; i < d->module_count; i++) {
        const struct loaded *l = d->modules[i];
        *range = (struct rp_range){.base = (uintptr_t)l->consts, .bytes = l->module->const_size, .owner = l->owner};
        if (l->consts && address - range->base < range->bytes)
            return true;
    }
    return false;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

uint64_t rp_alloc(struct rp_device *d, uint64_t bytes, const char *name, struct rp_error *err)
{
    struct allocation *a = memory_allocate(&d->memory, bytes, name, ALLOCATION_BUFFER);
    if (a)
        return a->base;
    rp_fail(err, RP_SYSTEM, "no memory for %s, a buffer of %" PRIu64 " bytes", name ? name : "a buffer", bytes);
    return 0;
}

void rp_set_granule(struct rp_device *d, uint32_t granule) { d->memory.granule = granule; }
void rp_set_red_zone(struct rp_device *d, uint32_t bytes) { d->memory.red_zone = bytes; }

void rp_set_owner(struct rp_device *d, uint32_t device, uint32_t devices)
{
    d->memory.owner = (uint8_t)device;
    d->memory.devices = devices;
}

void rp_set_access(struct rp_device *d, uint64_t address, uint32_t devices)
{
    struct allocation *a = memory_find(&d->memory, address);
    if (!a || a->devices == devices)
        return;
    a->devices = devices;
    memory_changed(&d->memory, a); /* a launch that was right may fail now */
}

void rp_set_module_access(struct rp_device *d, const struct module *m, uint32_t devices)
{
    for (uint32_t i = 0; i < m->variable_count; i++)
        if (!m->variables[i].is_const && m->variables[i].size)
            rp_set_access(d, m->variables[i].address, devices);
}

bool rp_share(struct rp_device *d, void *host, uint64_t bytes, const char *name, struct rp_error *err)
{
    uint64_t base = (uintptr_t)host;
    if (!bytes || bytes > UINT64_MAX - base)
        return rp_fail(err, RP_USAGE, "no memory of the host to share: %" PRIu64 " bytes at %p", bytes, host);
    if (base < LOWEST_SHARED)
        return rp_fail(err, RP_USAGE, "the host's memory at %p lies below 4 GiB, where the device has its windows",
                       host);
    const struct allocation *above = memory_from(&d->memory, base);
    if (memory_find(&d->memory, base) || (above && above->base - base < bytes))
        return rp_fail(err, RP_USAGE, "the host's memory at %p lies where the device has something else", host);
    return memory_place(&d->memory, base, bytes, host, name, ALLOCATION_HOST) ||
           rp_fail(err, RP_SYSTEM, "out of memory for the host's memory at %p", host);
}

bool rp_free(struct rp_device *d, uint64_t address, struct rp_error *err)
{
    struct allocation *a = memory_from(&d->memory, address);
    if (!a || a->base != address || (a->kind != ALLOCATION_BUFFER && a->kind != ALLOCATION_HOST))
        return rp_fail(err, RP_USAGE, "0x%" PRIx64 " is not the beginning of a buffer", address);
    memory_free(&d->memory, a);
    if (!d->open)
        memory_reclaim(&d->memory);
    return true;
}

/* The allocation that the host is about to write. NULL: the range is not inside one allocation. */
static struct allocation *to_be_written(struct rp_device *d, uint64_t address, uint64_t bytes)
{
    struct allocation *a = memory_find(&d->memory, address);
    if (!a || bytes > a->size - (address - a->base))
        return NULL;
    memory_initialise(&d->memory, a);
    memory_changed(&d->memory, a);
    return a;
}

void *rp_host(struct rp_device *d, uint64_t address, uint64_t bytes)
{
    struct allocation *a = to_be_written(d, address, bytes);
    if (!a)
        return NULL;
    a->viewed = true;
    return a->host + (address - a->base);
}

void rp_set_unannounced(struct rp_device *d, uint64_t address)
{
    struct allocation *a = memory_find(&d->memory, address);
    if (a)
        a->unannounced = true;
}

void rp_all_changed(struct rp_device *d) { memory_all_changed(&d->memory); }

void *rp_host_range(struct rp_device *d, uint64_t address, uint64_t bytes)
{
    const struct allocation *a = to_be_written(d, address, bytes);
    return a ? a->host + (address - a->base) : NULL;
}

void rp_wrote(struct rp_device *d, struct rp_check *check, uint64_t address, uint64_t bytes)
{
    const struct allocation *a = check ? memory_find(&d->memory, address) : NULL;
    if (a)
        check_host_wrote(check, a, address - a->base, bytes);
}

void rp_copied(struct rp_device *d, struct rp_check *check, uint64_t address, uint64_t from, uint64_t bytes)
{
    const struct allocation *a = check ? memory_find(&d->memory, address) : NULL;
    const struct allocation *b = a ? memory_find(&d->memory, from) : NULL;
    if (b)
        check_host_copied(check, a, address - a->base, b, from - b->base, bytes);
    else
        rp_wrote(d, check, address, bytes);
}

uint64_t rp_unwritten(struct rp_device *d, struct rp_check *check, uint64_t address, uint64_t bytes, uint64_t *first)
{
    const struct allocation *a = check ? memory_find(&d->memory, address) : NULL;
    return a ? check_host_unwritten(check, a, address - a->base, bytes, first) : 0;
}

const void *rp_host_read(const struct rp_device *d, uint64_t address, uint64_t bytes)
{
    const struct allocation *a = memory_find(&d->memory, address);
    return a && bytes <= a->size - (address - a->base) ? a->host + (address - a->base) : NULL;
}

bool rp_find(const struct rp_device *d, uint64_t address, struct rp_range *range)
{
    const struct allocation *a = memory_find(&d->memory, address);
    if (a)
        *range = (struct rp_range){a->base, a->size, a->user, a->owner};
    return a != NULL;
}

bool rp_set_user(struct rp_device *d, uint64_t address, void *user)
{
    struct allocation *a = memory_find(&d->memory, address);
    if (a)
        a->user = user;
    return a != NULL;
}

bool rp_reserved(const struct rp_device *d, uint64_t address)
{
    return d->memory.storage && storage_holds(d->memory.storage, address);
}

void rp_set_heap(struct rp_device *d, uint64_t bytes) { d->heap_left = bytes; }

/* ---- what the host does, for the trace --------------------------------------------------------------------------- */

void rp_log_operations(struct rp_device *d) { memory_log(&d->memory); }

bool rp_report_operation(struct rp_device *d, const struct rp_host_operation *o, struct rp_error *err)
{
    bool nothing;
    if (o->kind == RP_HOST_ALLOCATE || o->kind == RP_HOST_FREE || o->name)
        return rp_fail(err, RP_USAGE, "the device itself tells of allocations");
    if (o->kind == RP_HOST_CREATE_STREAM && !o->stream)
        return rp_fail(err, RP_USAGE, "stream 0 is the default stream, which is there from the start");
    if (!streams_note(&d->streams, o, &nothing, err))
        return false;
    if (!nothing)
        memory_log_operation(&d->memory, o);
    struct allocation *a = o->kind == RP_HOST_SET ? memory_find(&d->memory, o->address) : NULL;
    if (a)
        a->filled |= !a->initialised;
    return true;
}

bool rp_write_operations(struct rp_device *d, struct rp_writer *w, struct rp_error *err)
{
    return recorder_write_operations(w, &d->memory, &d->logged_to, err);
}

/* ---- what launches leave for the next one ------------------------------------------------------------------------ */

struct block *device_take_block(struct rp_device *d, struct grid *g)
{
    pthread_mutex_lock(&d->lock);
    struct block *b = d->block_count ? d->blocks[--d->block_count] : NULL;
    pthread_mutex_unlock(&d->lock);
    if (!b)
        return block_new(g);
    if (block_fit(b, g))
        return b;
    block_free(b);
    return NULL;
}

void device_give_block(struct rp_device *d, struct block *b)
{
    if (!b)
        return;
    block_observe(b, NULL);
    bool kept = false;
    if (block_bytes(b->grid) <= SPARE_BLOCK_BYTES) {
        pthread_mutex_lock(&d->lock);
        kept = d->block_count < SPARES;
        if (kept)
            d->blocks[d->block_count++] = b;
        pthread_mutex_unlock(&d->lock);
    }
    if (!kept)
        block_free(b);
}

struct rp_chunk *device_take_chunk(struct rp_device *d, const struct rp_kernel *kernel, uint32_t launch)
{
    pthread_mutex_lock(&d->lock);
    struct rp_chunk *c = d->chunk_count ? d->chunks[--d->chunk_count] : NULL;
    pthread_mutex_unlock(&d->lock);
    if (!c)
        return rp_chunk_new(kernel, launch, NULL);
    if (rp_chunk_renew(c, kernel, launch))
        return c;
    rp_chunk_free(c);
    return NULL;
}

void device_give_chunk(struct rp_device *d, struct rp_chunk *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&d->lock);
    bool kept = d->chunk_count < SPARES;
    if (kept)
        d->chunks[d->chunk_count++] = c;
    pthread_mutex_unlock(&d->lock);
    if (!kept)
        rp_chunk_free(c);
}

void device_drop_chunks(struct rp_device *d)
{
    while (d->chunk_count)
        rp_chunk_free(d->chunks[--d->chunk_count]);
}
