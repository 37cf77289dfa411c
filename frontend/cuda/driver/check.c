#include "frontend/cuda/driver/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/check/check.h"
#include "frontend/cuda/driver/host_stack.h"
#include "tracefmt/plural.h"

#define MOST_STACKS 20 /* the most stacks that are printed: resolving an address takes milliseconds */
#define MOST_LEAKS 10  /* the most leaks that are listed one by one */
#define MOST_READS 10  /* the most copies to the host that are listed */
#define KEPT_FREED 1024

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
static struct rp_check *kernels_checked;
static size_t findings_reported;
static uint64_t times_reported; /* occurrences reported so far, of all findings */
static unsigned stacks_printed;
static char reported_fault[sizeof((struct rp_error *)NULL)->text]; /* the reported fault; after it the program launches
                                                                      nothing */

/* ---- which checks ------------------------------------------------------------------------------------------------ */

static bool read_list(const char *list, unsigned *kinds, struct rp_error *err)
{
    static const struct {
        const char *name;
        unsigned kinds;
        bool memory;
    } names[] = {{"memory", RP_CHECK_MEMORY, true},
                 {"init", RP_CHECK_INIT, false},
                 {"race", RP_CHECK_RACE, false},
                 {"sync", RP_CHECK_SYNC, false},
                 {"all", RP_CHECK_ALL | RP_CHECK_MEMORY, true}};
    for (size_t length; *list; list += length + (list[length] == ',')) {
        bool known = false;
        length = strcspn(list, ",");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strlen(names[i].name) == length && !strncmp(names[i].name, list, length)) {
                *kinds |= names[i].kinds;
                memory_checked |= names[i].memory;
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
    unsigned kinds = 0;
    if (list && !read_list(list, &kinds, err))
        return false;
    if (!kinds)
        return true;
    if (kinds & RP_CHECK_MEMORY) { /* accesses that a GPU would not notice are findings, too */
        driver.strict = true;
        driver.defaults.overruns = NULL;
    }
    driver.defaults.check = kernels_checked = rp_check_new(kinds, RP_CHECK_FINDINGS);
    return kernels_checked || rp_fail(err, RP_SYSTEM, "out of memory for --check");
}

/* ---- saying ------------------------------------------------------------------------------------------------------ */

static void say_stack(const struct host_stack *s)
{
    if (stacks_printed < MOST_STACKS)
        host_stack_say(s);
    else if (stacks_printed == MOST_STACKS)
        say("    (no more call stacks are shown)");
    stacks_printed++;
}

void say_with_stack(const char *format, ...)
{
    char text[1024];
    struct host_stack here;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    say("%s", text);
    host_stack_take(&here);
    say_stack(&here);
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

void check_made(struct buffer *b)
{
    b->history = memory_checked ? calloc(1, sizeof *b->history) : NULL;
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

bool check_was_freed(uint64_t address)
{
    for (size_t i = freed_count; i > 0 && freed_count - i < KEPT_FREED; i--) {
        const struct freed *f = &freed[(i - 1) % KEPT_FREED];
        if (address - f->base >= f->bytes)
            continue;
        say("0x%" PRIx64 " is at byte %" PRIu64 " of %" PRIu64 " byte%s that were freed%s", address, address - f->base,
            f->bytes, rp_plural(f->bytes), f->history ? "" : " (--check memory says where)");
        if (f->history) {
            say("  freed");
            say_stack(&f->history->freed);
            say("  allocated");
            say_stack(&f->history->made);
        }
        return true;
    }
    return false;
}

void check_leaks(CUcontext context)
{
    uint64_t bytes = 0;
    unsigned count = 0;
    for (const struct buffer *b = memory_checked ? driver.buffers : NULL; b; b = b->next) {
        if ((context && b->context != context) || b->kind == BUFFER_REGISTERED || b->of_graph)
            continue; /* the program's own memory; memory that lives as long as its graph */
        bytes += b->bytes;
        if (count++ >= MOST_LEAKS)
            continue;
        say("%zu byte%s at 0x%" PRIx64 " were not freed; allocated", (size_t)b->bytes, rp_plural(b->bytes), b->base);
        if (b->history)
            say_stack(&b->history->made);
    }
    if (count)
        say("%u allocation%s of %" PRIu64 " bytes in all %s not freed", count, rp_plural(count), bytes,
            count == 1 ? "was" : "were");
}

void check_host_reads(CUdeviceptr address, size_t bytes, size_t pitch, size_t rows)
{
    static unsigned reported;
    uint64_t count = 0, first = 0, at = 0;
    for (size_t y = rows; y-- > 0;) {
        uint64_t some = rp_unwritten(driver.device, driver.defaults.check, address + y * pitch, bytes, &at);
        first = some ? address + y * pitch + at : first;
        count += some;
    }
    if (!count)
        return;
    if (reported < MOST_READS)
        say_with_stack("uninitialised read: a copy to the host reads %" PRIu64
                       " byte%s that nobody has written, the first at 0x%" PRIx64,
                       count, rp_plural(count), first);
    else if (reported == MOST_READS)
        say("(more such copies are not named)");
    reported++;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void say_line(void *unused, uint32_t line, const char *text)
{
    (void)unused;
    say("    %5" PRIu32 " | %s", line, text);
}

static struct source_files *source_files(void)
{
    static struct source_files *files;
    return files ? files : (files = source_files_new(""));
}

void check_fault(const struct program *p, uint32_t instruction, const char *text)
{
    snprintf(reported_fault, sizeof reported_fault, "%s", text);
    if (instruction < p->kernel.instruction_count && source_files())
        source_lines_of(source_files(), &p->kernel, &p->kernel.instructions[instruction], say_line, NULL);
}

void check_report_findings(void)
{
    size_t count = kernels_checked ? rp_check_count(kernels_checked) : 0;
    for (; findings_reported < count; findings_reported++) {
        const struct rp_finding *f = rp_check_finding(kernels_checked, findings_reported);
        char times[40] = "";
        if (f->times > 1)
            snprintf(times, sizeof times, "; %" PRIu64 " times", f->times);
        say("%s%s", f->text ? f->text : "out of memory for a finding", times);
        if (source_files())
            rp_finding_source(f, source_files(), say_line, NULL);
        times_reported += f->times;
    }
}

bool check_left_out(enum rp_fault_kind *kind)
{
    const struct fault *f = kernels_checked ? rp_check_left_out(kernels_checked) : NULL;
    if (!f)
        return false;
    check_was_freed(f->address);
    *kind = f->kind;
    return true;
}

static void report_again(void)
{
    uint64_t all = 0;
    for (size_t i = 0; i < findings_reported; i++)
        all += rp_check_finding(kernels_checked, i)->times;
    if (all > times_reported)
        say("what is said above was found %" PRIu64 " times more in later launches", all - times_reported);
}

static void report_rest(void)
{
    if (kernels_checked)
        report_again();
    uint64_t dropped = kernels_checked ? rp_check_dropped(kernels_checked) : 0;
    if (dropped)
        say("%" PRIu64 " more finding%s not shown", dropped, rp_plural(dropped));
    if (kernels_checked && rp_check_incomplete(kernels_checked))
        say("%s", rp_check_incomplete(kernels_checked));
}

static bool write_json(const char *part)
{
    FILE *to = fopen(part, "w");
    if (!to)
        return false;
    rp_check_write_json(kernels_checked, *reported_fault ? reported_fault : NULL, to);
    bool bad = ferror(to);
    return !fclose(to) && !bad;
}

/* Writes the complete file, or none. */
static void write_findings(void)
{
    char path[OWN_FILE], part[OWN_FILE + 32];
    const char *given = session_value(SESSION_FINDINGS);
    if (!given || !kernels_checked)
        return;
    own_file(given, "findings", path);
    snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid());
    if (!write_json(part) || rename(part, path)) {
        say("cannot write '%s': %s", path, strerror(errno));
        unlink(part);
    }
}

__attribute__((destructor)) static void at_exit(void)
{
    if (!driver.device || driver.failed == CUDA_ERROR_NOT_INITIALIZED || pthread_mutex_trylock(&driver.lock))
        return;
    report_rest();
    write_findings();
    if (!driver.failed)
        check_leaks(NULL);
    pthread_mutex_unlock(&driver.lock);
}
