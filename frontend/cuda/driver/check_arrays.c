/* Arrays that are not freed, freed twice, or used when they are freed. A program knows them by handles alone, so that
 * they are kept apart from buffers. */
#include <inttypes.h>
#include <stdlib.h>

#include "frontend/cuda/driver/calls.h"
#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/findings.h"
#include "frontend/cuda/driver/host_stack.h"
#include "tracefmt/plural.h"

#define KEPT_FREED 1024

struct checked_array {
    const void *handle;
    bool mipmapped, given_back; /* given_back: the program has tried to free it when all calls failed */
    CUcontext context;
    uint64_t bytes;
    struct host_stack made, freed;
    struct checked_array *next;
};
static struct checked_array *arrays;            /* that are not freed */
static struct checked_array *freed[KEPT_FREED]; /* the most recently freed ones, a ring */
static size_t freed_count;

static const char *name_of(bool mipmapped) { return mipmapped ? "a mipmapped array" : "an array"; }

static struct checked_array **find(const void *handle)
{
    struct checked_array **at = &arrays;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

/* The array that had this handle last, and was freed; NULL: none had. */
static const struct checked_array *freed_at(const void *handle)
{
    for (size_t i = freed_count; i > 0 && freed_count - i < KEPT_FREED; i--)
        if (freed[(i - 1) % KEPT_FREED]->handle == handle)
            return freed[(i - 1) % KEPT_FREED];
    return NULL;
}

void check_array_made(const void *handle, bool mipmapped, CUcontext context, uint64_t bytes)
{
    struct checked_array *a = check_any() ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return;
    *a = (struct checked_array){
        .handle = handle, .mipmapped = mipmapped, .context = context, .bytes = bytes, .next = arrays};
    host_stack_take(&a->made);
    arrays = a;
}

void check_array_freed(const void *handle)
{
    struct checked_array **at = find(handle), *a = *at;
    if (!a)
        return;
    *at = a->next;
    host_stack_take(&a->freed);
    struct checked_array **kept = &freed[freed_count++ % KEPT_FREED];
    free(*kept);
    *kept = a;
}

void check_array_given_back(const void *handle)
{
    pthread_mutex_lock(&driver.lock);
    struct checked_array *a = *find(handle);
    if (a)
        a->given_back = true;
    pthread_mutex_unlock(&driver.lock);
}

void check_array_misused(const void *handle, const char *how)
{
    const struct checked_array *a = freed_at(handle);
    struct rp_finding f = {.kind = RP_CHECK_HOST};
    struct host_stack here;
    if (!a)
        return;
    f.text = finding_text("%s is %s, but it was freed: %p, of %" PRIu64 " byte%s", name_of(a->mipmapped), how, handle,
                          a->bytes, rp_plural(a->bytes));
    host_stack_take(&here);
    host_stack_add(&f, "called", &here);
    host_stack_add(&f, "freed", &a->freed);
    host_stack_add(&f, "allocated", &a->made);
    findings_add(f, host_stack_key(&here));
    call_misused();
}

unsigned check_array_leaks(CUcontext context, uint64_t *bytes)
{
    unsigned count = 0;
    for (struct checked_array **at = &arrays; *at;) {
        struct checked_array *a = *at;
        if (context && a->context != context) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        if (!a->given_back) {
            struct rp_finding f = {.kind = RP_CHECK_LEAK, .warning = true};
            f.text = finding_text("leak: %s of %" PRIu64 " byte%s was not freed", name_of(a->mipmapped), a->bytes,
                                  rp_plural(a->bytes));
            host_stack_add(&f, "allocated", &a->made);
            findings_add(f, host_stack_key(&a->made));
            *bytes += a->bytes;
            count++;
        }
        free(a);
    }
    return count;
}
