/* Recording within the program's process: which launches, into which file, and its end. */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <regex.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "frontend/cuda/driver/driver.h"
#include "frontend/cuda/driver/names.h"
#include "frontend/cuda/driver/nvtx.h"

struct filter {
    regex_t kernels;
    bool by_name;
    const char *launches; /* ranges: 3,10..19,30.. */
    uint32_t first;       /* of each kernel; 0: all */
    bool by_profiler, profiled;
    uint64_t most_bytes; /* 0: no limit */
};
static struct filter filter;
static struct rp_writer *writer;
static uint64_t launches; /* so far, recorded or not */
static uint64_t recorded;
static char path[OWN_FILE];
static pid_t owner;
static bool opened;                                        /* or tried to */
static pthread_mutex_t saving = PTHREAD_MUTEX_INITIALIZER; /* guards the writer's end */

/* ---- ending ------------------------------------------------------------------------------------------------------ */

static void tell_summary(uint64_t bytes)
{
    char left_out[64] = "";
    if (recorded != launches)
        snprintf(left_out, sizeof left_out, " of %" PRIu64, launches);
    if (!session_value(SESSION_QUIET))
        say("%s: %" PRIu64 "%s launch%s recorded, %" PRIu64 " bytes", path, recorded, left_out,
            launches == 1 ? "" : "es", bytes);
}

/* With the lock. What is in the trace by now stays; a forked child leaves its parent's trace alone. */
static void finish(void)
{
    struct rp_error err = {0};
    struct stat file = {0};
    if (!writer || getpid() != owner)
        return;
    bool ok = driver.failed || rp_tell_rest(driver.device, writer, &err);
    pthread_mutex_lock(&saving);
    struct rp_writer *whole = writer;
    writer = NULL;
    pthread_mutex_unlock(&saving);
    if (!rp_writer_close(whole, &err) || !ok)
        say("the trace is not whole: %s", err.text);
    else if (!stat(path, &file))
        tell_summary((uint64_t)file.st_size);
    driver.recording = false;
}

/* Whether another process of the same command has written this file, or is about to. */
static bool taken(const char *name)
{
    char pattern[OWN_FILE + 16];
    glob_t found = {0};
    struct stat s;
    uint64_t started = session_value(SESSION_STARTED) ? strtoull(session_value(SESSION_STARTED), NULL, 10) : UINT64_MAX;
    snprintf(pattern, sizeof pattern, "%s.part-*", name);
    size_t parts = glob(pattern, 0, NULL, &found) ? 0 : found.gl_pathc;
    bool by_other = false;
    for (size_t i = 0; i <= parts; i++)
        by_other |= !stat(i < parts ? found.gl_pathv[i] : name, &s) &&
                    (uint64_t)s.st_mtim.tv_sec * 1000000000u + (uint64_t)s.st_mtim.tv_nsec >= started;
    globfree(&found);
    return by_other;
}

#define PATIENCE 2 /* seconds: whoever crashed may hold the lock */

void record_end(void)
{
    struct timespec until;
    if (!writer || getpid() != owner)
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    if (pthread_mutex_timedlock(&driver.lock, &until))
        return;
    finish();
    pthread_mutex_unlock(&driver.lock);
}

/* Only the process that the command line has started says so; it may be a shell, or have left the work to others. */
static void say_if_nothing_came(void)
{
    const char *trace = session_value(SESSION_TRACE), *program = session_value(SESSION_PROGRAM);
    if (!opened && trace && program && strtol(program, NULL, 10) == (long)getpid() && !strstr(trace, "%p") &&
        !taken(trace))
        say("%s was not written: the program did nothing on a device. Only calls of libcuda.so.1 and of CUDA runtimes "
            "that "
            "ours can replace are seen (docs/cuda.md)",
            trace);
}

__attribute__((destructor)) static void at_exit(void)
{
    record_end();
    say_if_nothing_came();
}

/* A signal that ends the program comes to this thread, which ends the trace before it lets the signal do its work. */
static sem_t signalled; /* or there is something to save */
static volatile sig_atomic_t which;
static _Atomic bool interrupted; /* the launch that runs is to stop */

static bool is_crash(int number)
{
    return number == SIGABRT || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;
}

static void on_signal(int number)
{
    which = number;
    signal(number, SIG_DFL); /* the second one does not wait */
    sem_post(&signalled);
    while (is_crash(number)) /* nothing is left to go on with */
        pause();
}

static void let_signal_end(void)
{
    sigset_t it;
    sigemptyset(&it);
    sigaddset(&it, which);
    pthread_sigmask(SIG_UNBLOCK, &it, NULL); /* the thread that crashed does not take it */
    for (;;) {
        kill(getpid(), which);
        pause();
    }
}

void record_interrupted(void)
{
    finish();
    let_signal_end();
}

/* ---- before a kill that cannot be caught ------------------------------------------------------------------------- */

#define PAUSE_NS 250000000u /* what ended so long ago is in the file */

static bool unsaved; /* launches have ended since the last checkpoint; with the lock */

void record_launched(void)
{
    if (!unsaved)
        sem_post(&signalled);
    unsaved = true;
}

/* Whether all that has ended is in the file. While a launch runs, which may last, it is but for the end of the one
 * before. */
static bool save(void)
{
    struct rp_error err = {0};
    bool ok = true, free = !pthread_mutex_trylock(&driver.lock);
    pthread_mutex_lock(&saving);
    if (writer && getpid() == owner)
        ok = free ? rp_writer_checkpoint(writer, &err) : rp_writer_flush(writer, &err);
    pthread_mutex_unlock(&saving);
    if (!ok)
        say("%s", err.text);
    if (!free)
        return false;
    unsaved = false;
    pthread_mutex_unlock(&driver.lock);
    return true;
}

static void save_soon(void)
{
    do {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PAUSE_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        while (!which && sem_timedwait(&signalled, &until) && errno == EINTR)
            ;
    } while (!which && !save());
}

static void *end_on_signal(void *unused)
{
    (void)unused;
    while (!which)
        if (!sem_wait(&signalled) && !which)
            save_soon();
    if (is_crash(which)) {
        record_end();
        let_signal_end();
    }
    interrupted = true;
    pthread_mutex_lock(&driver.lock);
    record_interrupted();
    return NULL;
}

/* Signals that the program takes itself are its own business. */
static void watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    pthread_t thread;
    sigset_t all, old;
    if (sem_init(&signalled, 0, 0))
        return;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        if (!sigaction(numbers[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            sigaction(numbers[i], &ours, NULL);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    driver.defaults.interrupted = &interrupted;
    if (!pthread_create(&thread, NULL, end_on_signal, NULL))
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* %p is the process's number. */
static void expand(const char *from, char *to, size_t size)
{
    size_t used = 0;
    for (; *from && used + 1 < size; from++)
        if (from[0] == '%' && from[1] == 'p') {
            used += (size_t)snprintf(to + used, size - used, "%ld", (long)getpid());
            from++;
        } else {
            to[used++] = *from;
        }
    to[used < size ? used : size - 1] = 0;
}

void own_file(const char *given, const char *what, char to[OWN_FILE])
{
    char first[OWN_FILE];
    expand(given, first, sizeof first);
    memcpy(to, first, sizeof first);
    char *slash = strrchr(first, '/'), *dot = strrchr(slash ? slash : first, '.');
    int stem = (int)(dot ? (size_t)(dot - first) : strlen(first));
    for (int i = 2; taken(to); i++)
        snprintf(to, OWN_FILE, "%.*s.%d%s", stem, first, i, dot ? dot : "");
    if (strcmp(first, to) != 0)
        say("%s is of another process of this command; this one's %s go to %s", first, what, to);
}

static bool read_filter(struct rp_error *err)
{
    const char *kernels = session_value(SESSION_KERNELS), *first = session_value(SESSION_FIRST);
    const char *size = session_value(SESSION_MAX_SIZE), *profiler = session_value(SESSION_PROFILER);
    filter.by_name = kernels != NULL;
    if (kernels && regcomp(&filter.kernels, kernels, REG_EXTENDED | REG_NOSUB))
        return rp_fail(err, RP_USAGE, "REPRISE_KERNELS: '%s' is not a regular expression", kernels);
    filter.launches = session_value(SESSION_LAUNCHES);
    filter.first = first ? (uint32_t)strtoul(first, NULL, 10) : 0;
    filter.most_bytes = size ? strtoull(size, NULL, 10) : 0;
    filter.by_profiler = profiler && *profiler == '1';
    return nvtx_open(err);
}

bool record_open(struct rp_error *err)
{
    const char *given = session_value(SESSION_TRACE), *command = session_value(SESSION_COMMAND);
    if (!given)
        return true;
    opened = true;
    own_file(given, "launches", path);
    struct rp_option option = {"command", command};
    struct rp_provenance from = {.tool = "reprise " REPRISE_VERSION,
                                 .module_name = "",
                                 .module_sha256 = "",
                                 .option_count = command != NULL,
                                 .options = &option};
    if (!read_filter(err) || !(writer = rp_writer_open(path, &from, NULL, err)))
        return false;
    owner = getpid();
    if (at_quick_exit(record_end))
        say("the trace will not be whole if the program ends by quick_exit");
    driver.recording = true;
    rp_remember(driver.device);
    watch_signals();
    return true;
}

/* ---- which launches ---------------------------------------------------------------------------------------------- */

static bool in_ranges(const char *list, uint64_t number)
{
    for (const char *at = list; at && *at; at = *at == ',' ? at + 1 : at + strlen(at)) {
        char *end;
        uint64_t from = strtoull(at, &end, 10), to = from;
        if (end[0] == '.' && end[1] == '.') {
            at = end + 2;
            to = strtoull(at, &end, 10);
            to = end == at ? UINT64_MAX : to;
        }
        if (number >= from && number <= to)
            return true;
        at = end;
    }
    return false;
}

static bool name_wanted(CUfunction f)
{
    if (!f->wanted) {
        char *name = name_demangled(f->program->name);
        f->wanted = regexec(&filter.kernels, name ? name : f->program->name, 0, NULL, 0) ? -1 : 1;
        free(name);
    }
    return f->wanted > 0;
}

struct rp_writer *record_launch(CUfunction f)
{
    uint64_t number = launches++;
    if (!writer || getpid() != owner || (filter.by_profiler && !filter.profiled) || !nvtx_within())
        return NULL;
    if ((filter.launches && !in_ranges(filter.launches, number)) || (filter.by_name && !name_wanted(f)))
        return NULL;
    if (filter.first && f->recorded >= filter.first)
        return NULL;
    if (filter.most_bytes && rp_writer_bytes(writer) >= filter.most_bytes)
        return NULL;
    f->recorded++;
    recorded++;
    return writer;
}

void record_profile(bool on) { filter.profiled = on; }

/* ---- what the host did ------------------------------------------------------------------------------------------- */

void tell_operation(const struct rp_host_operation *o)
{
    struct rp_error err = {0};
    if (driver.recording && !rp_tell(driver.device, o, &err))
        say("%s", err.text);
}

void tell(enum rp_host_kind kind, uint32_t stream, uint32_t event)
{
    tell_operation(&(struct rp_host_operation){.kind = (uint8_t)kind, .stream = stream, .event = event});
}
