/* A program under --check: this process starts it, waits for it, and says and writes what its processes have found. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/findings/options.h"
#include "tools/program/program.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static volatile pid_t child;
static volatile sig_atomic_t piped; /* nobody reads what this process has written */

static void note_pipe(int number)
{
    (void)number;
    piped = 1;
}

/* Passes a signal on. A terminal sends its own to the program, too. */
static void pass_on(int number, siginfo_t *from, void *unused)
{
    (void)unused;
    int before = errno;
    if (child > 0 && from->si_code != SI_KERNEL)
        kill(child, number);
    errno = before;
}

static const int passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { PASSED = sizeof passed / sizeof *passed };

/* Signals that we were started to ignore stay ignored, by the program, too. */
static void watch(struct sigaction old[PASSED])
{
    struct sigaction ours = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    memset(old, 0, PASSED * sizeof *old);
    for (int i = 0; i < PASSED; i++)
        if (!sigaction(passed[i], NULL, &old[i]) && old[i].sa_handler != SIG_IGN)
            sigaction(passed[i], &ours, NULL);
    struct sigaction pipe, noted = {.sa_handler = note_pipe, .sa_flags = SA_RESTART};
    if (!sigaction(SIGPIPE, NULL, &pipe) && pipe.sa_handler != SIG_IGN)
        sigaction(SIGPIPE, &noted, NULL); /* a program that is started has the default action again */
}

static void unwatch(const struct sigaction old[PASSED])
{
    for (int i = 0; i < PASSED; i++)
        sigaction(passed[i], &old[i], NULL);
}

/* Ends as the program did, without a core of this process. */
static void end_by(int number)
{
    struct rlimit none = {0};
    sigset_t it;
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    sigemptyset(&it);
    sigaddset(&it, number);
    sigprocmask(SIG_UNBLOCK, &it, NULL);
    raise(number);
}

/* ---- the folder of logs ------------------------------------------------------------------------------------------ */

#define FOLDER "reprise-run-" /* what its name begins with */

/* The file that processes remove when something that they have found is lost. */
static void whole_file(char path[PATH_MAX + 16], const char *folder)
{
    snprintf(path, PATH_MAX + 16, "%s/.whole", folder);
}

static const char *temporary(void)
{
    const char *base = getenv("TMPDIR");
    return base && *base == '/' ? base : "/tmp";
}

/* Makes the folder, and locks its file for as long as this process runs. */
static bool make_folder(char folder[PATH_MAX], struct rp_error *err)
{
    char path[PATH_MAX + 16];
    snprintf(folder, PATH_MAX, "%s/" FOLDER "XXXXXX", temporary());
    if (!mkdtemp(folder))
        return rp_fail(err, RP_SYSTEM, "cannot make a folder '%s': %s", folder, strerror(errno));
    whole_file(path, folder);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0)
        return flock(file, LOCK_EX | LOCK_NB), true; /* without locks it may be removed after a kill, or not at all */
    rmdir(folder);
    return rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
}

static bool logs_are_whole(const char *folder, struct rp_error *err)
{
    char path[PATH_MAX + 16];
    whole_file(path, folder);
    return !access(path, F_OK) || rp_fail(err, RP_SYSTEM,
                                          "not all that was found could be kept in '%s'; TMPDIR names a folder with "
                                          "more room, 'ulimit -f' shows how large files may become",
                                          folder);
}

static void remove_folder(const char *folder)
{
    char path[2 * PATH_MAX];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

/* Whether a folder is of a run that was killed, so that nobody has its file locked. One that is new may not have been
 * locked yet. */
static bool is_abandoned(const char *folder)
{
    enum { NEW_S = 60 };
    char path[PATH_MAX + 16];
    struct stat s;
    whole_file(path, folder);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool abandoned = file >= 0 && !fstat(file, &s) && s.st_uid == getuid() && time(NULL) - s.st_mtime > NEW_S &&
                     !flock(file, LOCK_EX | LOCK_NB);
    if (file >= 0)
        close(file);
    return abandoned;
}

/* Whether a folder of ours for ptxas (frontend/loader/ptxas.c) is older than any ptxas runs. */
static bool is_forgotten(const char *folder)
{
    enum { LONGEST_S = 86400 };
    struct stat s;
    return !lstat(folder, &s) && S_ISDIR(s.st_mode) && s.st_uid == getuid() && time(NULL) - s.st_mtime > LONGEST_S;
}

static bool begins(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

/* Removes what runs that were killed have left. */
static void remove_abandoned(void)
{
    char path[PATH_MAX];
    DIR *d = opendir(temporary());
    for (struct dirent *e; d && (e = readdir(d));) {
        bool run = begins(e->d_name, FOLDER), ptxas = begins(e->d_name, "reprise-ptxas-");
        if (snprintf(path, sizeof path, "%s/%s", temporary(), e->d_name) < PATH_MAX &&
            ((run && is_abandoned(path)) || (ptxas && is_forgotten(path))))
            remove_folder(path);
    }
    if (d)
        closedir(d);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static int cannot_start(const char *program, int why)
{
    struct rp_error err;
    rp_fail(&err, RP_SYSTEM, "cannot start %s: %s", program, strerror(why));
    return command_fail(&err);
}

/* Starts the program, and waits until it runs or cannot. False: it cannot; *status is that of this process. */
static bool start(const struct program_options *p, char **command, const struct sigaction old[PASSED], int *status)
{
    int begun[2];
    char byte;
    pid_t parent = getpid();
    if (pipe2(begun, O_CLOEXEC))
        return *status = cannot_start(command[0], errno), false;
    fflush(NULL);
    if (!(child = fork())) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(RP_SYSTEM);
        unwatch(old);
        int failed = program_become(p, command);
        if (write(begun[1], "x", 1) < 0)
            failed = RP_SYSTEM;
        _exit(failed);
    }
    int why = errno; /* if there is no child */
    close(begun[1]);
    bool runs = child > 0 && read(begun[0], &byte, 1) == 0;
    close(begun[0]);
    if (!runs && child > 0) {
        waitpid(child, status, 0);
        *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : RP_SYSTEM;
    } else if (!runs) {
        *status = cannot_start(command[0], why);
    }
    return runs;
}

static void wait_for(struct findings *f)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    f->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    f->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* ---- what was found ---------------------------------------------------------------------------------------------- */

static FILE *log_open(const struct program_options *p)
{
    FILE *log = p->log_file ? fopen(p->log_file, "ae") : NULL;
    return log ? log : stderr;
}

/* Says what a process could not say itself, because a signal ended it, and the sum. */
static bool say_rest(const struct findings *f, const struct program_options *p, uint64_t failing, struct rp_error *err)
{
    FILE *to = log_open(p);
    char text[FIGURE];
    size_t hidden = 0, said = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct rp_finding *one = &f->list[i];
        hidden += one->suppressed || one->known;
        if (!one->said && !one->suppressed && !one->known && said++ < findings_printed(&p->findings))
            fprintf(to, "reprise: %s\n", one->text);
    }
    if ((failing || hidden) && !p->quiet) {
        fprintf(to, "reprise: %s finding%s", figure(failing, text), rp_plural(failing));
        if (hidden)
            fprintf(to, ", and %zu that %s suppressed or known", hidden, hidden == 1 ? "is" : "are");
        putc('\n', to);
    }
    return to == stderr || !fclose(to) ||
           rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", p->log_file, strerror(errno));
}

/* Why nothing can have been found; NULL: something was checked. A program that ends itself by another status than 0 has
 * said why. */
static const char *unchecked(const struct findings *f, const struct program_options *p)
{
    if (!f->processes)
        return "no process of the program used CUDA, or it did so by a library that ours cannot replace "
               "(docs/cuda.md says which)";
    if (!f->launched && (p->kernels || p->launches))
        return "no launch is one that --kernels and --launches choose";
    return NULL;
}

/* The exit status if nothing was checked, or not all: the user asked for more. */
static int say_unchecked(const struct findings *f, const struct program_options *p, int status)
{
    const char *why = unchecked(f, p);
    FILE *to = (f->unloaded || f->whole || why) && !f->signal ? log_open(p) : NULL;
    if (!to)
        return status;
    if (f->unloaded)
        fprintf(to, "reprise: not all was checked: code could not be loaded, and did not run: %s\n", f->unloaded);
    else if (f->whole)
        fprintf(to,
                "reprise: %s was checked: %s is linked statically as a whole, so that no library of reprise can be "
                "loaded; leave -static out\n",
                why ? "nothing" : "not all", f->whole);
    else
        fprintf(to, "reprise: nothing was checked: %s\n", why);
    if (to != stderr)
        fclose(to);
    return status || !p->findings.error_status ? status : RP_BAD_INPUT;
}

static int say_outlived(const struct program_options *p, enum outliving how, long process, int status)
{
    FILE *to = how == OUTLIVES_NONE ? NULL : log_open(p);
    if (!to)
        return status;
    if (how == OUTLIVES_WITH_CUDA)
        fprintf(to,
                "reprise: not all was checked: process %ld runs on after the program's first one has ended; what it "
                "finds from now on is in no report\n",
                process);
    else
        fprintf(to,
                "reprise: a process of the program runs on after its first one has ended; should it use CUDA, that is "
                "checked, but is in no report\n");
    if (to != stderr)
        fclose(to);
    return status || how == OUTLIVES || !p->findings.error_status ? status : RP_BAD_INPUT;
}

/* Notes a program that no library of ours can be loaded into. */
static void note_static(struct findings *f, char **command, const char *folder)
{
    char path[PATH_MAX];
    f->whole = program_static_child(folder);
    if (!f->whole && program_find(command[0], path) && program_is_static(path))
        f->whole = strdup(path);
    if (f->whole && !f->incomplete && asprintf(&f->incomplete, "%s is linked statically as a whole", f->whole) < 0)
        f->incomplete = NULL;
}

/* Notes why not all was checked, for reports. */
static void note_unchecked(struct findings *f, const struct program_options *p, char **command, const char *folder,
                           enum outliving outliving, long process)
{
    note_static(f, command, folder);
    const char *why = unchecked(f, p);
    f->nothing = why && !f->signal;
    if (!f->incomplete && f->nothing)
        f->incomplete = strdup(why);
    if (!f->incomplete && outliving == OUTLIVES_WITH_CUDA &&
        asprintf(&f->incomplete, "process %ld runs on after the program's first one has ended", process) < 0)
        f->incomplete = NULL;
}

static bool log_is_whole(const struct findings *f, const struct program_options *p, struct rp_error *err)
{
    return !f->unwritten || !p->log_file || rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", p->log_file, f->unwritten);
}

static char *joined(char *const *command)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; to && command[i]; i++)
        fprintf(to, "%s%s", i ? " " : "", command[i]);
    return to && !fclose(to) ? text : NULL;
}

static int conclude(const struct program_options *p, char **command, const struct finding_rules *rules,
                    const char *folder)
{
    struct findings f = {.checks = p->check, .command = joined(command)};
    struct rp_error err = {0};
    wait_for(&f);
    long process = 0;
    enum outliving outliving = f.signal ? OUTLIVES_NONE : program_outlived_by(folder, &process);
    int status = f.status, number = f.signal;
    if (!findings_read_logs(&f, folder, child, &err)) {
        status = command_fail(&err);
    } else {
        note_unchecked(&f, p, command, folder, outliving, process);
        status = findings_conclude(&f, &p->findings, rules, status);
        fflush(stdout);
        bool whole = logs_are_whole(folder, &err);
        status = whole ? say_unchecked(&f, p, status) : status;
        status = say_outlived(p, outliving, process, status);
        if (!say_rest(&f, p, findings_failing(&f), &err) || !whole || !log_is_whole(&f, p, &err))
            status = command_fail(&err);
    }
    findings_free(&f);
    remove_folder(folder);
    if (number)
        end_by(number);
    return status;
}

int program_supervise(const struct program_options *given, char **command, const struct finding_rules *rules)
{
    struct program_options p = *given;
    struct sigaction old[PASSED];
    struct rp_error err = {0};
    char folder[PATH_MAX], file[PATH_MAX + 16];
    int status = RP_OK;
    remove_abandoned();
    if (!make_folder(folder, &err))
        return command_fail(&err);
    snprintf(file, sizeof file, "%s/.rules", folder);
    if ((p.findings.suppressions || p.findings.baseline) && !finding_rules_write(rules, &p.findings, file, &err)) {
        remove_folder(folder);
        return command_fail(&err);
    }
    p.log_folder = folder;
    p.rules = p.findings.suppressions || p.findings.baseline ? file : NULL;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* to wait for processes whose parents have ended */
    watch(old);
    bool runs = start(&p, command, old, &status);
    if (runs)
        status = conclude(&p, command, rules, folder);
    else
        remove_folder(folder);
    unwatch(old);
    if (piped)
        end_by(SIGPIPE);
    return status;
}
