/* Recording within the program's process: which launches, into which file, and its end. */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "frontend/cuda/driver/driver.h"
#include "frontend/cuda/driver/filter.h"
#include "frontend/cuda/driver/nvtx.h"
#include "frontend/cuda/driver/pending.h"
#include "frontend/host/thread_pool.h"
#include "frontend/loader/ptxas.h"

struct filter {
    uint32_t first; /* of each kernel; 0: all */
    bool by_profiler, profiled;
    uint64_t most_bytes; /* 0: no limit */
};
/* Recording is process-wide: this library has one trace. */
static struct {
    struct filter filter;
    struct rp_writer *writer;
    uint64_t launches; /* so far, recorded or not */
    uint64_t recorded;
    char path[OWN_FILE];
    pid_t owner;              /* the process that opened the trace */
    bool opened;              /* or failed to open */
    bool failed;              /* the trace is not whole, or lacks something */
    char lacks[1024];         /* why it is not what was asked for; "": it is */
    int status;               /* with which the program calls exit() */
    bool unsaved;             /* launches have ended since the last checkpoint; guarded by the driver's lock */
    pthread_mutex_t saving;   /* guards the writer's end */
    sem_t wakeup;             /* a signal has arrived, or there is something to save */
    _Atomic int signalled;    /* number of the signal that ends the program; 0: none yet; a handler sets it */
    _Atomic bool interrupted; /* the running launch must stop */
} recording = {.saving = PTHREAD_MUTEX_INITIALIZER};

/* ---- ending ------------------------------------------------------------------------------------------------------ */

/* The trace's name as it is given on the command line: its path from the folder that the program is in. */
static const char *shown_path(void)
{
    char folder[OWN_FILE];
    size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    bool within = length > 1 && !strncmp(recording.path, folder, length) && recording.path[length] == '/';
    return recording.path + (within ? length + 1 : 0);
}

static void report_summary(uint64_t bytes)
{
    char left_out[64] = "";
    if (recording.recorded != recording.launches)
        snprintf(left_out, sizeof left_out, " of %" PRIu64, recording.launches);
    if (!session_value(SESSION_QUIET))
        say("%s: %" PRIu64 "%s launch%s recorded, %" PRIu64 " bytes", shown_path(), recording.recorded, left_out,
            recording.launches == 1 ? "" : "es", bytes);
}

/* Called with the lock held. Completes the trace with what it has by now; a forked child leaves its parent's trace
 * alone. */
static void finish(void)
{
    struct rp_error err = {0};
    struct stat file = {0};
    if (!recording.writer || getpid() != recording.owner)
        return;
    pending_drop();
    bool ok = driver.failed || rp_write_operations(driver.device, recording.writer, &err);
    pthread_mutex_lock(&recording.saving);
    struct rp_writer *whole = recording.writer;
    recording.writer = NULL;
    pthread_mutex_unlock(&recording.saving);
    recording.failed = !rp_writer_close(whole, &err) || !ok;
    if (recording.failed)
        say("the trace is not whole: %s", err.text);
    else if (!stat(recording.path, &file))
        report_summary((uint64_t)file.st_size);
    if (*recording.lacks)
        say("the trace is not what was asked for: %s", recording.lacks);
    recording.failed |= *recording.lacks;
    driver.recording = false;
}

void record_lacks(const char *why)
{
    if (!*recording.lacks)
        snprintf(recording.lacks, sizeof recording.lacks, "%s", why);
}

/* Whether another process of the same command has written this file, or is writing it. */
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

#define PATIENCE 2 /* seconds: a crashed thread may hold the lock */

void record_end(void)
{
    struct timespec until;
    if (!recording.writer || getpid() != recording.owner)
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    if (pthread_mutex_timedlock(&driver.lock, &until))
        return;
    finish();
    pthread_mutex_unlock(&driver.lock);
}

/* Only the process that the command line has started reports this; it may be a shell, or have delegated the work. */
static void say_if_nothing_came(void)
{
    const char *trace = session_value(SESSION_TRACE), *program = session_value(SESSION_PROGRAM);
    if (!recording.opened && trace && program && strtol(program, NULL, 10) == (long)getpid() && !strstr(trace, "%p") &&
        !taken(trace))
        say("%s was not written: the program did nothing on a device. Only calls of libcuda.so.1 and of CUDA runtimes "
            "that "
            "ours can replace are seen (docs/cuda.md)",
            trace);
}

int record_status(int status)
{
    return status == 0 && recording.failed && getpid() == recording.owner ? RP_SYSTEM : status;
}

static void note_status(int status, void *unused)
{
    (void)unused;
    recording.status = status;
}

/* A program whose trace is not whole, or lacks something, does not end with 0. */
__attribute__((destructor)) static void at_exit(void)
{
    record_end();
    say_if_nothing_came();
    if (record_status(recording.status) == recording.status)
        return;
    fflush(NULL);
    _exit(RP_SYSTEM);
}

/* ---- signals: a thread of ours ends the trace before it lets a signal end the program ---------------------------- */

static bool is_crash(int number)
{
    return number == SIGABRT || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGXFSZ;
}

static void on_signal(int number)
{
    recording.signalled = number;
    signal(number, SIG_DFL); /* a second signal acts at once */
    sem_post(&recording.wakeup);
    while (is_crash(number)) /* a crashed thread cannot go on, one that is to write to a file that is full must not */
        pause();
}

static void let_signal_end(void)
{
    sigset_t it;
    sigemptyset(&it);
    sigaddset(&it, recording.signalled);
    pthread_sigmask(SIG_UNBLOCK, &it, NULL); /* so that this thread, not the crashed one, receives it */
    for (;;) {
        kill(getpid(), recording.signalled);
        pause();
    }
}

void record_interrupted(void)
{
    finish();
    let_signal_end();
}

/* ---- before a kill that cannot be caught ------------------------------------------------------------------------- */

#define PAUSE_NS 250000000u /* launches that ended longer ago are in the file */

void record_launched(void)
{
    if (!recording.unsaved)
        sem_post(&recording.wakeup);
    recording.unsaved = true;
}

/* Writes what has ended to the file. False: a launch is running, perhaps for long, so the end of the launch before it
 * is not written. */
static bool save(void)
{
    struct rp_error err = {0};
    bool ok = true, free = !pthread_mutex_trylock(&driver.lock);
    pthread_mutex_lock(&recording.saving);
    if (recording.writer && getpid() == recording.owner)
        ok = free ? rp_writer_checkpoint(recording.writer, &err) : rp_writer_flush(recording.writer, &err);
    pthread_mutex_unlock(&recording.saving);
    if (!ok)
        say("%s", err.text);
    if (!free)
        return false;
    recording.unsaved = false;
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
        while (!recording.signalled && sem_timedwait(&recording.wakeup, &until) && errno == EINTR)
            ;
    } while (!recording.signalled && !save());
}

static void *end_on_signal(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), REPRISE_THREAD);
    while (!recording.signalled)
        if (!sem_wait(&recording.wakeup) && !recording.signalled)
            save_soon();
    if (is_crash(recording.signalled)) {
        record_end();
        let_signal_end();
    }
    recording.interrupted = true;
    ptxas_stop(); /* a thread that loads a module has the lock */
    pthread_mutex_lock(&driver.lock);
    record_interrupted();
    return NULL;
}

/* Signals that the program handles itself are left alone. */
static void watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV,
                                  SIGBUS, SIGFPE,  SIGILL, SIGXCPU, SIGXFSZ};
    pthread_t thread;
    sigset_t all, old;
    if (sem_init(&recording.wakeup, 0, 0))
        return;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        if (!sigaction(numbers[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            sigaction(numbers[i], &ours, NULL);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    driver.defaults.interrupted = &recording.interrupted;
    if (!pthread_create(&thread, NULL, end_on_signal, NULL))
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Replaces %p by the process id. */
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
    const char *first = session_value(SESSION_FIRST);
    const char *size = session_value(SESSION_MAX_SIZE), *profiler = session_value(SESSION_PROFILER);
    struct filter *f = &recording.filter;
    f->first = first ? (uint32_t)strtoul(first, NULL, 10) : 0;
    f->most_bytes = size ? strtoull(size, NULL, 10) : 0;
    f->by_profiler = profiler && *profiler == '1';
    return nvtx_open(err);
}

bool record_open(struct rp_error *err)
{
    const char *given = session_value(SESSION_TRACE), *command = session_value(SESSION_COMMAND);
    if (!given)
        return true;
    recording.opened = true;
    own_file(given, "launches", recording.path);
    struct rp_option options[2];
    uint32_t count = 0;
    if (command)
        options[count++] = (struct rp_option){"command", command};
    if (session_value(SESSION_SCHEDULE))
        options[count++] = (struct rp_option){"schedule", "yes"};
    struct rp_provenance from = {.tool = "reprise " REPRISE_VERSION,
                                 .module_name = "",
                                 .module_sha256 = "",
                                 .option_count = count,
                                 .options = options};
    if (!read_filter(err) || !(recording.writer = rp_writer_open(recording.path, &from, NULL, err)))
        return false;
    recording.owner = getpid();
    if (on_exit(note_status, NULL) || at_quick_exit(record_end))
        say("the trace will not be whole if the program ends by quick_exit");
    driver.recording = true;
    rp_log_operations(driver.device);
    watch_signals();
    return true;
}

/* ---- which launches ---------------------------------------------------------------------------------------------- */

struct rp_writer *record_launch(CUfunction f)
{
    const struct filter *k = &recording.filter;
    uint64_t number = recording.launches++;
    if (!recording.writer || getpid() != recording.owner || (k->by_profiler && !k->profiled) || !nvtx_within())
        return NULL;
    if (!filter_launch(f, number))
        return NULL;
    if (k->first && f->recorded >= k->first)
        return NULL;
    if (k->most_bytes && rp_writer_bytes(recording.writer) >= k->most_bytes)
        return NULL;
    f->recorded++;
    recording.recorded++;
    return recording.writer;
}

void record_children(uint64_t count, bool recorded)
{
    recording.launches += count;
    recording.recorded += recorded ? count : 0;
}

void record_profile(bool on) { recording.filter.profiled = on; }

/* ---- what the host did ------------------------------------------------------------------------------------------- */

void record_operation(const struct rp_host_operation *o)
{
    struct rp_error err = {0};
    if (driver.recording && !rp_report_operation(driver.device, o, &err))
        say("%s", err.text);
}

void record_stream_operation(enum rp_host_kind kind, CUstream stream, uint32_t event)
{
    record_operation(&(struct rp_host_operation){.kind = (uint8_t)kind,
                                                 .device = (uint32_t)(stream ? stream->device : current_device()),
                                                 .stream = stream ? stream->number : 0,
                                                 .event = event});
}
