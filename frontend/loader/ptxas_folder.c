#include "frontend/loader/ptxas_folder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/loader/ptxas.h"

/* ---- files, by functions that a handler of signals may call ------------------------------------------------------ */

const char *ptxas_piece_name(unsigned piece, const char *ending, char name[32])
{
    char digits[12], *at = digits + sizeof digits;
    unsigned number = piece + 1;
    for (*--at = 0; number; number /= 10)
        *--at = (char)('0' + number % 10);
    stpcpy(stpcpy(stpcpy(stpcpy(name, "piece-"), at), "."), ending);
    return name;
}

static void remove_file(const struct ptxas_folder *f, const char *name)
{
    char path[256];
    stpcpy(stpcpy(stpcpy(path, f->path), "/"), name);
    unlink(path);
}

static void remove_files(const struct ptxas_folder *f)
{
    char name[32];
    if (!*f->path)
        return;
    remove_file(f, f->input);
    remove_file(f, "out.cubin");
    remove_file(f, "said");
    for (unsigned i = 0; i < f->pieces; i++) {
        remove_file(f, ptxas_piece_name(i, "ptx", name));
        remove_file(f, ptxas_piece_name(i, "o", name));
    }
    rmdir(f->path);
}

/* ---- the folders of now ------------------------------------------------------------------------------------------ */

enum { MOST_FOLDERS = 64 }; /* threads that assemble at once; of more a signal leaves the files */
static _Atomic(struct ptxas_folder *) folders[MOST_FOLDERS];
static _Atomic pid_t owner; /* the process that they are of, not one that it forked */
static atomic_bool abandoned, stopped;

static void note(struct ptxas_folder *f)
{
    owner = getpid();
    for (size_t i = 0; i < MOST_FOLDERS; i++) {
        struct ptxas_folder *none = NULL;
        if (atomic_compare_exchange_strong(&folders[i], &none, f))
            return;
    }
}

static void forget(struct ptxas_folder *f)
{
    for (size_t i = 0; i < MOST_FOLDERS; i++) {
        struct ptxas_folder *it = f;
        if (atomic_compare_exchange_strong(&folders[i], &it, NULL))
            return;
    }
}

static void kill_child(struct ptxas_folder *f)
{
    pid_t child = f->child;
    if (child > 0)
        kill(child, SIGKILL);
}

void ptxas_stop(void)
{
    stopped = true;
    for (size_t i = 0; i < MOST_FOLDERS; i++) {
        struct ptxas_folder *f = folders[i];
        if (f)
            kill_child(f);
    }
}

bool ptxas_stopped(void) { return stopped; }

void ptxas_abandon(void)
{
    if (owner != getpid())
        return;
    abandoned = true;
    for (size_t i = 0; i < MOST_FOLDERS; i++) {
        struct ptxas_folder *f = folders[i];
        if (!f)
            continue;
        kill_child(f);
        if (f->child > 0)
            waitpid(f->child, NULL, 0); /* it writes nothing more */
        remove_files(f);
    }
}

int ptxas_folder_wait(struct ptxas_folder *f)
{
    int status = -1;
    if (stopped)
        kill_child(f);
    while (waitpid(f->child, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;
            break;
        }
    while (abandoned) /* another thread ends the process */
        pause();
    f->child = 0;
    return status;
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGQUIT, "SIGQUIT"}, {SIGXCPU, "SIGXCPU"}};
#define SIGNALS (sizeof signals / sizeof *signals)

static void say(int number)
{
    char line[512], *at = stpcpy(line, "reprise: stopped");
    const struct ptxas_folder *f = NULL;
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].number == number)
            at = stpcpy(stpcpy(at, " by "), signals[i].name);
    for (size_t i = 0; i < MOST_FOLDERS && !f; i++)
        f = folders[i];
    at = stpcpy(at, " while ptxas made machine code");
    if (f && strlen(f->module) < 256)
        at = stpcpy(stpcpy(at, " of "), f->module);
    *at++ = '\n';
    if (write(STDERR_FILENO, line, (size_t)(at - line)) < 0)
        return; /* there is nobody to tell */
}

static void on_signal(int number)
{
    if (owner == getpid() && !atomic_exchange(&abandoned, true)) {
        ptxas_abandon();
        say(number);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Sets the handler where the action is `from`, or takes it away again. */
static void change(void (*from)(int), void (*to)(int))
{
    struct sigaction now, next = {.sa_handler = to, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < SIGNALS; i++)
        if (!sigaction(signals[i].number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == from)
            sigaction(signals[i].number, &next, NULL);
}

/* by: 1 or -1 folders. */
static void watch(int by)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int count;
    pthread_mutex_lock(&lock);
    if (by > 0 && !count)
        change(SIG_DFL, on_signal);
    count += by;
    if (!count)
        change(on_signal, SIG_DFL);
    pthread_mutex_unlock(&lock);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool ptxas_folder_make(struct ptxas_folder *f)
{
    const char *temporary = getenv("TMPDIR");
    temporary = temporary && *temporary == '/' && strlen(temporary) < 36 ? temporary : "/tmp";
    watch(1);
    note(f); /* before it is there, so that no signal comes between */
    snprintf(f->path, sizeof f->path, "%s/reprise-ptxas-XXXXXX", temporary);
    if (mkdtemp(f->path))
        return true;
    int why = errno;
    *f->path = 0;
    ptxas_folder_remove(f);
    errno = why;
    return false;
}

void ptxas_folder_remove(struct ptxas_folder *f)
{
    remove_files(f);
    forget(f);
    watch(-1);
}
