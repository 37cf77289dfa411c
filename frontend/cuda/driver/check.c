#include "frontend/cuda/driver/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/check.h"
#include "frontend/cuda/driver/calls.h"
#include "frontend/cuda/driver/filter.h"
#include "frontend/cuda/driver/findings.h"
#include "frontend/cuda/driver/host_stack.h"
#include "frontend/cuda/driver/stats.h"
#include "tracefmt/plural.h"

#define KEPT_FREED 1024
#define NEAR 4096 /* bytes behind a buffer that are taken for its overrun */

/* Where a buffer was allocated and freed. */
struct buffer_history {
    struct host_stack made, freed;
};
struct freed {
    uint64_t base, bytes;
    struct buffer_history *history; /* NULL: memory is not checked */
};
static struct freed freed[KEPT_FREED]; /* the most recently freed buffers, a ring */
static size_t freed_count;

static bool memory_checked;
static struct rp_check *checks;
static unsigned checked_kinds;
static bool failed_by_sync;        /* the last fault was a misuse of synchronisation */
static struct host_stack launched; /* where the current launch was made */

/* ---- which checks ------------------------------------------------------------------------------------------------ */

static bool read_list(const char *list, unsigned *kinds, struct rp_error *err)
{
    static const struct {
        const char *name;
        unsigned kinds;
    } names[] = {{"memory", RP_CHECK_MEMORY}, {"init", RP_CHECK_INIT},
                 {"race", RP_CHECK_RACE},     {"race=strict", RP_CHECK_RACE | RP_CHECK_STRICT},
                 {"sync", RP_CHECK_SYNC},     {"api", RP_CHECK_API},
                 {"leak", RP_CHECK_LEAK},     {"all", RP_CHECK_ALL | RP_CHECK_MEMORY | RP_CHECK_API | RP_CHECK_LEAK}};
    for (size_t length; *list; list += length + (list[length] == ',')) {
        bool known = false;
        length = strcspn(list, ",");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strlen(names[i].name) == length && !strncmp(names[i].name, list, length)) {
                *kinds |= names[i].kinds;
                known = true;
            }
        if (!known)
            return rp_fail(err, RP_USAGE, "REPRISE_CHECK: there is no check '%.*s'", (int)length, list);
    }
    return true;
}

bool check_open(struct rp_error *err)
{
    const char *list = session_value(SESSION_CHECK);
    uint32_t limit;
    if (list && !read_list(list, &checked_kinds, err))
        return false;
    if (!checked_kinds)
        return true;
    memory_checked = checked_kinds & RP_CHECK_MEMORY;
    calls_checked = checked_kinds & RP_CHECK_API;
    if (memory_checked) { /* accesses that a GPU would not notice are findings, too */
        driver.strict = true;
        driver.defaults.overruns = NULL;
    }
    if (!findings_limit(&limit, err))
        return false;
    if (!(checks = rp_check_new(checked_kinds, limit)))
        return rp_fail(err, RP_SYSTEM, "out of memory for --check");
    if (stats_wanted())
        rp_check_time(checks);
    driver.defaults.check = checked_kinds & (RP_CHECK_ALL | RP_CHECK_MEMORY) ? checks : NULL;
    return findings_open(checks, err);
}

bool check_any(void) { return checks; }
bool check_memory(void) { return memory_checked; }

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

void check_made(struct buffer *b)
{
    b->history = checks ? calloc(1, sizeof *b->history) : NULL;
    if (b->history)
        host_stack_take(&b->history->made);
}

void check_freed(struct buffer *b)
{
    struct freed *f = &freed[freed_count++ % KEPT_FREED];
    free(f->history);
    *f = (struct freed){b->base, b->bytes, b->history};
    if (b->history)
        host_stack_take(&b->history->freed);
}

/* The freed buffer that had this address last; NULL: none had. */
static const struct freed *freed_at(uint64_t address)
{
    for (size_t i = freed_count; i > 0 && freed_count - i < KEPT_FREED; i--) {
        const struct freed *f = &freed[(i - 1) % KEPT_FREED];
        if (address - f->base < f->bytes)
            return f;
    }
    return NULL;
}

/* Adds that the address was in freed memory, and where that was freed and allocated. */
static bool add_freed(struct rp_finding *to, uint64_t address)
{
    const struct freed *f = freed_at(address);
    if (!f)
        return false;
    char *text = finding_text("%s; 0x%" PRIx64 " is at byte %" PRIu64 " of %" PRIu64 " byte%s that were freed%s",
                              to->text ? to->text : "", address, address - f->base, f->bytes, rp_plural(f->bytes),
                              f->history ? "" : " (--check says where)");
    if (text) {
        free(to->text);
        to->text = text;
    }
    if (f->history) {
        host_stack_add(to, "freed", &f->history->freed);
        host_stack_add(to, "allocated", &f->history->made);
    }
    return true;
}

/* The buffer that an address is in, or closely behind. */
static const struct buffer *buffer_near(uint64_t address)
{
    for (const struct buffer *b = driver.buffers; b; b = b->next)
        if (address >= b->base && address - b->base < b->bytes + NEAR)
            return b;
    return NULL;
}

/* The PTX of a program is no file that the user has. */
static void forget_ptx(struct rp_check_location *l)
{
    if (!l->in_ptx)
        return;
    free(l->file);
    l->file = NULL;
    l->line = 0;
}

void check_complete(struct rp_finding *f)
{
    forget_ptx(&f->here);
    forget_ptx(&f->other);
    bool global = f->space == RP_SPACE_GLOBAL;
    if (f->kernel && f->stack_count) /* it was complete when it was made */
        return;
    if (f->kernel && checks && launched.count)
        host_stack_add(f, "launched", &launched);
    if (global && (f->kind == RP_CHECK_MEMORY || f->fault) && !buffer_at(f->address) && add_freed(f, f->address))
        return;
    const struct buffer *b = !global ? NULL : f->memory ? buffer_at(f->memory) : buffer_near(f->address);
    if (b && b->history)
        host_stack_add(f, "allocated", &b->history->made);
}

void check_misused(uint64_t address, const char *format, ...)
{
    struct rp_finding f = {.kind = RP_CHECK_HOST};
    struct host_stack here;
    va_list list;
    va_start(list, format);
    if (vasprintf(&f.text, format, list) < 0)
        f.text = NULL;
    va_end(list);
    host_stack_take(&here);
    host_stack_add(&f, "called", &here);
    add_freed(&f, address);
    findings_add(f, host_stack_key(&here));
    call_misused();
}

void check_given_back(CUdeviceptr address)
{
    pthread_mutex_lock(&driver.lock);
    struct buffer *b = driver.device ? buffer_at(address) : NULL;
    if (b && b->base == address)
        b->given_back = true;
    pthread_mutex_unlock(&driver.lock);
}

void check_leaks(CUcontext context)
{
    uint64_t bytes = 0;
    unsigned count = 0;
    for (const struct buffer *b = checked_kinds & RP_CHECK_LEAK ? driver.buffers : NULL; b; b = b->next) {
        bool waits = b->of_graph && !b->in_use; /* for a launch of its graph, which allocates it */
        if ((context && b->context != context) || b->kind == BUFFER_REGISTERED || waits || b->given_back)
            continue; /* REGISTERED: the program's own memory */
        struct rp_finding f = {.kind = RP_CHECK_LEAK, .warning = true};
        bytes += b->bytes;
        count++;
        f.text = finding_text("leak: %" PRIu64 " byte%s at 0x%" PRIx64 " were not freed", b->bytes, rp_plural(b->bytes),
                              b->base);
        if (b->history)
            host_stack_add(&f, "allocated", &b->history->made);
        findings_add(f, b->history ? host_stack_key(&b->history->made) : b->base);
    }
    if (checked_kinds & RP_CHECK_LEAK)
        count += check_array_leaks(context, &bytes);
    if (count > 1)
        say("%u allocations of %" PRIu64 " bytes in all were not freed", count, bytes);
}

void check_host_reads(CUdeviceptr address, size_t bytes, size_t pitch, size_t rows)
{
    uint64_t count = 0, first = 0, at = 0;
    if (!(checked_kinds & RP_CHECK_INIT))
        return;
    for (size_t y = rows; y-- > 0;) {
        uint64_t some = rp_unwritten(driver.device, checks, address + y * pitch, bytes, &at);
        first = some ? address + y * pitch + at : first;
        count += some;
    }
    findings_say();
    if (!count)
        return;
    const struct buffer *b = buffer_at(address);
    struct rp_finding f = {.kind = RP_CHECK_INIT};
    struct host_stack here;
    f.text = finding_text("uninitialised read: a copy to the host reads %" PRIu64
                          " byte%s that nobody has written, the first at 0x%" PRIx64,
                          count, rp_plural(count), first);
    host_stack_take(&here);
    host_stack_add(&f, "called", &here);
    if (b && b->history)
        host_stack_add(&f, "allocated", &b->history->made);
    findings_add(f, host_stack_key(&here));
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

struct rp_check *check_launch(CUfunction function)
{
    struct rp_check *c = driver.defaults.check;
    launched.count = 0;
    if (!checks)
        return NULL;
    bool wanted = filter_checks(function);
    if (wanted) {
        host_stack_take(&launched);
        findings_checked();
    }
    rp_check_mute(checks, !wanted);
    /* what a launch writes must be known, also of one that is not checked */
    return wanted || checked_kinds & RP_CHECK_INIT ? c : NULL;
}

void check_launched(void)
{
    findings_say();
    failed_by_sync = false;
}

bool check_said_sync(void) { return failed_by_sync; }

void check_fault(const struct rp_launch_result *r, const char *text)
{
    const struct program *p = r->program;
    struct rp_finding f = {.kind = RP_CHECK_FAULT, .fault = true, .kernel = strdup(p->name), .text = strdup(text)};
    rp_finding_fault(&f, r);
    failed_by_sync = f.kind == RP_CHECK_SYNC;
    findings_add(f, ((uint64_t)p->kernel.identity << 32 | r->fault_instruction) + 1);
}

void check_overrun(const char *text)
{
    struct rp_finding f = {.kind = RP_CHECK_MEMORY, .warning = true};
    uint64_t key = 0;
    for (const char *c = text; *c; c++)
        key = 31 * key + (unsigned char)*c;
    f.text = finding_text("%s (a GPU goes on)", text);
    if (launched.count)
        host_stack_add(&f, "launched", &launched);
    findings_add(f, key);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static bool enter_end(void)
{
    return driver.device && driver.failed != CUDA_ERROR_NOT_INITIALIZED && !pthread_mutex_trylock(&driver.lock);
}

void check_end(bool exits)
{
    if (!enter_end())
        return;
    if (exits)
        check_leaks(NULL);
    findings_end();
    pthread_mutex_unlock(&driver.lock);
}

__attribute__((destructor)) static void at_exit(void)
{
    if (!enter_end())
        return;
    check_leaks(NULL);
    findings_end();
    pthread_mutex_unlock(&driver.lock);
}
