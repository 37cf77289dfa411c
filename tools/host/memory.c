/* Ranges of the program's memory and their copies on the device; variables of the module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/host/session.h"

struct range {
    uintptr_t begin, end;
};

static bool is_memory(const struct reprise_arg *a) { return a->kind >= REPRISE_IN && a->kind <= REPRISE_INOUT; }
static const struct reprise_arg *memory(const struct reprise_launch *l, uint32_t i)
{
    return i < REPRISE_ARGS ? &l->args[i] : &l->pointers[i - REPRISE_ARGS].memory;
}

struct label {
    char text[24];
};
static struct label label(const char *argument, const char *pointer, uint32_t i)
{
    struct label name;
    snprintf(name.text, sizeof name.text, "%s%u", i < REPRISE_ARGS ? argument : pointer,
             i < REPRISE_ARGS ? i : i - REPRISE_ARGS);
    return name;
}
static bool overlap(struct range a, struct range b) { return a.begin < b.end && b.begin < a.end; }

static bool check(const struct reprise_arg *a, uint32_t i, struct rp_error *err)
{
    const struct label name = label("argument ", "pointer ", i);
    if (!a->pointer)
        return rp_fail(err, RP_USAGE, "%s: the pointer is NULL; a null pointer for the kernel is %s", name.text,
                       i < REPRISE_ARGS ? "u64 0" : "one that the launch does not list");
    if (!a->bytes)
        return rp_fail(err, RP_USAGE, "%s: 0 bytes of memory; the least is 1", name.text);
    if (a->bytes > UINTPTR_MAX - (uintptr_t)a->pointer)
        return rp_fail(err, RP_USAGE, "%s: %zu bytes do not fit into memory behind its pointer", name.text, a->bytes);
    return true;
}

/* Finds the range of each piece of memory. Pieces that overlap share one range, which contains them all. */
static bool find_ranges(const struct reprise_launch *l, struct range range[MEMORIES], struct rp_error *err)
{
    for (uint32_t i = 0; i < MEMORIES; i++) {
        const struct reprise_arg *a = memory(l, i);
        range[i] = (struct range){0};
        if (!is_memory(a))
            continue;
        if (!check(a, i, err))
            return false;
        range[i] = (struct range){(uintptr_t)a->pointer, (uintptr_t)a->pointer + a->bytes};
    }
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t i = 0; i < MEMORIES; i++)
            for (uint32_t j = 0; j < MEMORIES; j++)
                if (overlap(range[i], range[j]) && (range[i].begin > range[j].begin || range[i].end < range[j].end)) {
                    range[i].begin = range[i].begin < range[j].begin ? range[i].begin : range[j].begin;
                    range[i].end = range[i].end > range[j].end ? range[i].end : range[j].end;
                    grown = true;
                }
    }
    return true;
}

static struct mirror *find(struct reprise *r, struct range range)
{
    for (size_t i = 0; i < r->mirror_count; i++)
        if ((uintptr_t)r->mirrors[i].host == range.begin && r->mirrors[i].bytes == range.end - range.begin)
            return &r->mirrors[i];
    return NULL;
}

/* Frees mirrors of earlier launches that overlap a new range. */
static bool forget_overlapping(struct reprise *r, struct range range, struct rp_error *err)
{
    for (size_t i = r->mirror_count; i-- > 0;) {
        const struct mirror *m = &r->mirrors[i];
        struct range old = {(uintptr_t)m->host, (uintptr_t)m->host + m->bytes};
        if (!overlap(old, range))
            continue;
        if (!rp_free(r->device, m->address, err))
            return false;
        r->mirrors[i] = r->mirrors[--r->mirror_count];
    }
    return true;
}

static struct mirror *add(struct reprise *r, struct range range, uint32_t i, struct rp_error *err)
{
    if (!forget_overlapping(r, range, err))
        return NULL;
    if (r->mirror_count == r->mirror_capacity) {
        size_t capacity = 2 * r->mirror_capacity + 8;
        struct mirror *mirrors = realloc(r->mirrors, capacity * sizeof *mirrors);
        if (!mirrors)
            return rp_fail(err, RP_SYSTEM, "out of memory for %s", label("argument ", "pointer ", i).text), NULL;
        r->mirrors = mirrors;
        r->mirror_capacity = capacity;
    }
    struct mirror m = {(uint8_t *)range.begin, range.end - range.begin, 0};
    if (!(m.address = rp_alloc(r->device, m.bytes, label("arg", "pointer", i).text, err)))
        return NULL;
    r->mirrors[r->mirror_count] = m;
    return &r->mirrors[r->mirror_count++];
}

/* Whether the argument gives the content of the whole range. */
static bool is_filled(const struct reprise_arg *a, const struct mirror *m)
{
    return (a->kind == REPRISE_IN || a->kind == REPRISE_INOUT) && a->bytes == m->bytes;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static bool record_copy(struct reprise *r, enum rp_copy_direction direction, uint64_t address, size_t bytes,
                        uint32_t stream, struct rp_error *err)
{
    struct rp_host_operation o = {
        .kind = RP_HOST_COPY, .direction = (uint8_t)direction, .stream = stream, .size = bytes};
    *(direction == RP_COPY_TO_HOST ? &o.source : &o.address) = address;
    return rp_report_operation(r->device, &o, err);
}

/* Fills the range with zeros. New memory has zeros already; the fill is recorded in any case. */
static bool clear(struct reprise *r, const struct mirror *m, bool old, uint32_t stream, struct rp_error *err)
{
    struct rp_host_operation o = {.kind = RP_HOST_SET, .stream = stream, .address = m->address, .size = m->bytes};
    if (old)
        memset(rp_host(r->device, m->address, m->bytes), 0, m->bytes);
    return rp_report_operation(r->device, &o, err);
}

bool memory_send(struct reprise *r, const struct reprise_launch *l, uint64_t address[MEMORIES], struct rp_error *err)
{
    struct range range[MEMORIES];
    if (!find_ranges(l, range, err))
        return false;
    for (uint32_t i = 0; i < MEMORIES; i++) {
        if (!is_memory(memory(l, i)))
            continue;
        struct mirror *m = find(r, range[i]);
        bool first = true; /* the first piece of this launch in the range */
        for (uint32_t j = 0; j < i; j++)
            first = first && (!is_memory(memory(l, j)) || range[j].begin != range[i].begin);
        bool old = m;
        if (!m && !(m = add(r, range[i], i, err)))
            return false;
        if (first && !is_filled(memory(l, i), m) && !clear(r, m, old, l->stream, err))
            return false;
        address[i] = m->address + ((uintptr_t)memory(l, i)->pointer - range[i].begin);
    }
    for (uint32_t i = 0; i < MEMORIES; i++) {
        const struct reprise_arg *a = memory(l, i);
        if (a->kind != REPRISE_IN && a->kind != REPRISE_INOUT)
            continue;
        memcpy(rp_host(r->device, address[i], a->bytes), a->pointer, a->bytes);
        if (!record_copy(r, RP_COPY_TO_DEVICE, address[i], a->bytes, l->stream, err))
            return false;
    }
    return true;
}

bool memory_fetch(struct reprise *r, const struct reprise_launch *l, const uint64_t address[MEMORIES],
                  struct rp_error *err)
{
    for (uint32_t i = 0; i < MEMORIES; i++) {
        const struct reprise_arg *a = memory(l, i);
        if ((a->kind == REPRISE_OUT || a->kind == REPRISE_INOUT) &&
            !record_copy(r, RP_COPY_TO_HOST, address[i], a->bytes, l->stream, err))
            return false;
    }
    for (uint32_t i = 0; i < MEMORIES; i++) {
        const struct reprise_arg *a = memory(l, i);
        if (a->kind == REPRISE_OUT || a->kind == REPRISE_INOUT)
            memcpy(a->pointer, rp_host_read(r->device, address[i], a->bytes), a->bytes);
    }
    return true;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

/* `data`: the program's memory; it must not be NULL. */
static void *find_variable(struct reprise *r, const char *name, const void *data, size_t bytes, uint64_t *address,
                           struct rp_error *err)
{
    uint64_t size;
    if (!r || !name || !data)
        return rp_fail(err, RP_USAGE, "a variable needs a session, a name and its bytes: one is NULL"), NULL;
    void *at = rp_variable(r->device, r->module, name, &size);
    if (!at)
        return rp_fail(err, RP_USAGE, "%s has no variable '%.100s'", r->module->file_name, name), NULL;
    if (size != bytes)
        return rp_fail(err, RP_USAGE, "variable '%.100s' has %llu bytes, not %zu", name, (unsigned long long)size,
                       bytes),
               NULL;
    for (uint32_t i = 0; i < r->module->variable_count; i++)
        if (!strcmp(r->module->variables[i].name, name))
            *address = r->module->variables[i].address;
    return at;
}

bool reprise_write(struct reprise *r, const char *variable, const void *from, size_t bytes, struct rp_error *err)
{
    uint64_t address;
    void *at = find_variable(r, variable, from, bytes, &address, err);
    if (!at || !record_copy(r, RP_COPY_TO_DEVICE, address, bytes, 0, err))
        return false;
    memcpy(at, from, bytes);
    return true;
}

bool reprise_read(struct reprise *r, const char *variable, void *to, size_t bytes, struct rp_error *err)
{
    uint64_t address;
    const void *at = find_variable(r, variable, to, bytes, &address, err);
    if (!at || !record_copy(r, RP_COPY_TO_HOST, address, bytes, 0, err))
        return false;
    memcpy(to, at, bytes);
    return true;
}
