#include "frontend/cuda/driver/findings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/check/suppressions.h"
#include "frontend/cuda/driver/check.h"
#include "tracefmt/file_write.h"
#include "tracefmt/plural.h"

static struct rp_check *list; /* NULL: no checks */
static struct suppressions *suppressions;
static size_t looked_at;                          /* findings of the list that were said, or need not be */
static uint32_t most_said = RP_CHECK_SAID, taken; /* taken: of the findings looked at, those that are not suppressed */

char *finding_text(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return text;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static void put_device(FILE *to)
{
    const struct device_figures *f = figures();
    fputs(", \"device\": {\"name\": ", to);
    rp_json_text(to, f->name);
    fprintf(to, ", \"capability\": \"%u.%u\", \"sms\": %" PRIu64 ", \"memory\": %" PRIu64 "}",
            (unsigned)f->capability / 10, (unsigned)f->capability % 10, (uint64_t)f->sms, (uint64_t)f->memory_bytes);
}

/* What is found from now on is lost. The command line has made a file that says nothing is, and a full disk, too, lets
 * that be removed (tools/program/supervise.c). */
static void lose(const char *why)
{
    static pid_t said;
    const char *folder = session_value(SESSION_FINDINGS);
    char path[OWN_FILE];
    bool over = access(folder, F_OK);
    snprintf(path, sizeof path, "%s/.whole", folder);
    unlink(path);
    if (said == getpid())
        return;
    said = getpid();
    if (over)
        say("what this process finds is in no report and in no exit status: the program's first process has ended, and "
            "so has reprise");
    else
        say("cannot write what was found: %s", why);
}

/* Writes a line at once, so that it is whole if the process is killed. */
static bool write_log(int file, const char *text, size_t size)
{
    struct stat s;
    bool written = file_write(file, text, size), whole = written && !fstat(file, &s) && s.st_nlink;
    if (!whole)
        lose(written ? strerror(ENOENT) : file_write_error(errno));
    return whole;
}

/* 0: unknown. Linux, Documentation/filesystems/proc.rst: the fourth field of "stat", behind the name in brackets. */
static long parent_of(long process)
{
    char path[40], text[500];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *from = fopen(path, "re");
    size_t size = from ? fread(text, 1, sizeof text - 1, from) : 0;
    if (from)
        fclose(from);
    text[size] = 0;
    const char *name_end = strrchr(text, ')');
    long parent = 0;
    return name_end && sscanf(name_end + 1, " %*c %ld", &parent) == 1 ? parent : 0;
}

/* For pytest --reprise: which worker of pytest-xdist started the process. The environment names it, if the process has
 * kept its own; the ancestors show it, if none of them has ended. */
static void put_origin(FILE *to)
{
    enum { MOST = 64 };
    const char *worker = getenv("PYTEST_XDIST_WORKER"), *comma = "";
    if (worker) {
        fputs(", \"worker\": ", to);
        rp_json_text(to, worker);
    }
    fputs(", \"ancestors\": [", to);
    long process = getppid();
    for (int i = 0; process > 1 && i < MOST; i++, comma = ", ", process = parent_of(process))
        fprintf(to, "%s%ld", comma, process);
    fputs("]", to);
}

/* The log of this process; a fork has one of its own. -1: there is none. */
static int log_file(void)
{
    static int file = -1;
    static pid_t owner;
    const char *folder = session_value(SESSION_FINDINGS);
    char path[OWN_FILE], head[5000] = "";
    if (owner == getpid() || !folder)
        return folder ? file : -1;
    owner = getpid();
    snprintf(path, sizeof path, "%s/%ld", folder, (long)owner);
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    FILE *to = fmemopen(head, sizeof head, "w");
    if (to) {
        fprintf(to, "{\"process\": %ld", (long)owner);
        put_origin(to);
        put_device(to);
        fputs("}\n", to);
    }
    if (file < 0)
        lose(strerror(errno));
    if (to && !fclose(to) && file >= 0 && !write_log(file, head, strlen(head)))
        file = -1;
    return file;
}

static void log_line(void (*put)(const struct rp_finding *, uint64_t, FILE *), const struct rp_finding *f, uint64_t id)
{
    char *text = NULL;
    size_t size;
    int file = log_file();
    FILE *to = file >= 0 ? open_memstream(&text, &size) : NULL;
    if (!to)
        return;
    put(f, id, to);
    fputs("}\n", to);
    if (!fclose(to))
        write_log(file, text, size);
    free(text);
}

static void put_new(const struct rp_finding *f, uint64_t id, FILE *to)
{
    fprintf(to, "{\"id\": %" PRIu64 ", \"finding\": ", id);
    rp_finding_write(f, to);
}

static void put_times(const struct rp_finding *f, uint64_t id, FILE *to)
{
    fprintf(to, "{\"id\": %" PRIu64 ", \"times\": %" PRIu64 ", \"said\": %s", id, f->times, f->said ? "true" : "false");
}

static void put_end(const struct rp_finding *unused, uint64_t dropped, FILE *to)
{
    (void)unused;
    fprintf(to, "{\"not_shown\": %" PRIu64, dropped);
    if (rp_check_incomplete(list)) {
        fputs(", \"incomplete\": ", to);
        rp_json_text(to, rp_check_incomplete(list));
    }
}

static void log_why(const char *key, const char *why)
{
    char *line = NULL;
    size_t size;
    int file = log_file();
    FILE *to = file >= 0 ? open_memstream(&line, &size) : NULL;
    if (!to)
        return;
    fprintf(to, "{\"%s\": ", key);
    rp_json_text(to, why);
    fputs("}\n", to);
    if (!fclose(to))
        write_log(file, line, size);
    free(line);
}

void findings_unwritten(const char *why)
{
    static bool known;
    if (!known)
        log_why("unwritten", why);
    known = true;
}

void findings_unloaded(const char *why)
{
    if (list)
        log_why("unloaded", why);
}

static void put_checked(const struct rp_finding *unused, uint64_t launches, FILE *to)
{
    (void)unused;
    fprintf(to, "{\"checked\": %" PRIu64, launches);
}

void findings_checked(void)
{
    static pid_t said;
    if (said != getpid())
        log_line(put_checked, NULL, 1);
    said = getpid();
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static struct source_files *source_files(void)
{
    static struct source_files *files;
    return files ? files : (files = source_files_new(""));
}

static void complete(void *unused, struct rp_finding *f)
{
    (void)unused;
    check_complete(f);
    rp_finding_identify(f, source_files());
    rp_finding_distinguish(f, rp_check_finding(list, 0), rp_check_count(list));
    f->suppressed = suppressions_match(suppressions, f);
}

static void added(void *unused, struct rp_finding *f)
{
    (void)unused;
    log_line(put_new, f, rp_check_count(list));
}

bool findings_limit(uint32_t *kept, struct rp_error *err)
{
    const char *text = session_value(SESSION_PRINT_LIMIT);
    char *end;
    unsigned long value = text ? strtoul(text, &end, 10) : RP_CHECK_SAID;
    if (text && *end)
        return rp_fail(err, RP_USAGE, "REPRISE_PRINT_LIMIT: '%s' is no number", text);
    most_said = value && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    *kept = most_said > RP_CHECK_FINDINGS ? most_said : RP_CHECK_FINDINGS;
    return true;
}

bool findings_open(struct rp_check *checks, struct rp_error *err)
{
    const char *path = session_value(SESSION_SUPPRESSIONS);
    if (path && !(suppressions = suppressions_read(path, err)))
        return false;
    list = checks;
    rp_check_on_finding(list, complete, added, NULL);
    log_file();
    return true;
}

/* Whether this process is the first of the command's that says the finding. */
static bool first_to_say(const struct rp_finding *f)
{
    const char *folder = session_value(SESSION_FINDINGS);
    char path[OWN_FILE + 64];
    if (!folder)
        return true;
    snprintf(path, sizeof path, "%s/.said-%d-%016" PRIx64, folder, (int)f->kind, f->fingerprint);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0)
        close(file);
    return file >= 0 || errno != EEXIST;
}

/* ---- saying ------------------------------------------------------------------------------------------------------ */

static void say_line(void *unused, uint32_t line, const char *text)
{
    (void)unused;
    say("    %5" PRIu32 " | %s", line, text);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The stack of the call itself needs no heading. */
static void say_stack(const struct rp_stack *s)
{
    if (strcmp(s->what, "called") != 0)
        say("  %s", s->what);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct rp_frame *f = &s->frames[i];
        if (f->file)
            say("    at %s (%s:%" PRIu32 ")", f->function ? f->function : "?", last_part(f->file), f->line);
        else
            say("    at %s", f->function ? f->function : "?");
    }
}

static void say_finding(const struct rp_finding *f)
{
    char times[40] = "";
    if (f->times > 1)
        snprintf(times, sizeof times, "; %" PRIu64 " times", f->times);
    say("%s%s", f->text ? f->text : "out of memory for a finding", times);
    if (source_files())
        rp_finding_source(f, source_files(), say_line, NULL);
    for (uint32_t i = 0; i < f->stack_count; i++)
        say_stack(&f->stacks[i]);
}

/* For pytest --reprise: in each test that makes it again, a finding is logged again. */
static void log_again(void)
{
    for (size_t i = 0; i < looked_at && getenv("PYTEST_CURRENT_TEST"); i++) {
        struct rp_finding *f = rp_check_finding(list, i);
        if (f->times != f->logged_times)
            log_line(put_times, f, i);
        f->logged_times = f->times;
    }
}

void findings_say(void)
{
    log_again();
    size_t count = list ? rp_check_count(list) : 0;
    for (; looked_at < count; looked_at++) {
        struct rp_finding *f = rp_check_finding(list, looked_at);
        f->said_times = f->logged_times = f->times;
        if (f->suppressed)
            continue;
        if (taken++ < most_said && first_to_say(f))
            say_finding(f);
        f->said = true;
        log_line(put_times, f, looked_at);
    }
}

void findings_add(struct rp_finding f, uint64_t key)
{
    f.program = key;
    if (list) {
        rp_check_add(list, f);
        findings_say();
        return;
    }
    check_complete(&f);
    say_finding(&f);
    rp_finding_clear(&f);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void say_again(void)
{
    uint64_t again = 0;
    for (size_t i = 0; i < rp_check_count(list); i++) {
        struct rp_finding *f = rp_check_finding(list, i);
        if (f->times == f->said_times)
            continue;
        again += f->suppressed ? 0 : f->times - f->said_times;
        f->said_times = f->times;
        log_line(put_times, f, i);
    }
    if (again)
        say("what is said above was found %" PRIu64 " time%s more later", again, rp_plural(again));
}

void findings_end(void)
{
    if (!list)
        return;
    findings_say();
    say_again();
    uint64_t dropped = rp_check_dropped(list), unsaid = dropped + (taken > most_said ? taken - most_said : 0);
    if (unsaid)
        say("%" PRIu64 " more finding%s not shown", unsaid, rp_plural(unsaid));
    if (rp_check_incomplete(list))
        say("%s", rp_check_incomplete(list));
    if (dropped || rp_check_incomplete(list))
        log_line(put_end, NULL, dropped);
}
