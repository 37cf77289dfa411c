/* Ends the trace and the log of findings when a program ends without running destructors, and sees to it that programs
 * that it starts are under reprise, too. The command line preloads this library, so that programs find these functions
 * in place of the C library's. */
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/passed_on.h"
#include "frontend/cuda/driver/pending.h"
#include "frontend/cuda/driver/stats.h"

#define MOST_ARGUMENTS 4096 /* of execl */

extern char **environ;

static void end(bool exits)
{
    pending_end();
    check_end(exits);
    record_end();
    stats_say();
}

#pragma GCC visibility push(default)

void _exit(int status)
{
    if (!passed_on_is_borrowed()) { /* else it is the parent that goes on */
        end(true);
        status = record_status(status);
    }
    for (;;)
        syscall(SYS_exit_group, status);
}
void _Exit(int status) { _exit(status); }

/* If exec fails, the program goes on without being recorded. */
static void end_for_exec(void)
{
    if (!passed_on_is_borrowed())
        end(false);
}

#define REAL(name, ...)                                                                                                \
    struct passed_on passed;                                                                                           \
    int (*real)(__VA_ARGS__);                                                                                          \
    *(void **)&real = dlsym(RTLD_NEXT, name);                                                                          \
    if (!real) {                                                                                                       \
        errno = ENOSYS;                                                                                                \
        return -1;                                                                                                     \
    }

int execve(const char *path, char *const arguments[], char *const environment[])
{
    REAL("execve", const char *, char *const *, char *const *)
    end_for_exec();
    return real(path, arguments, passed_on(&passed, path, false, environment));
}
int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }
int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    REAL("execvpe", const char *, char *const *, char *const *)
    end_for_exec();
    return real(file, arguments, passed_on(&passed, file, true, environment));
}
int execvp(const char *file, char *const arguments[]) { return execvpe(file, arguments, environ); }
int fexecve(int file, char *const arguments[], char *const environment[])
{
    REAL("fexecve", int, char *const *, char *const *)
    end_for_exec();
    return real(file, arguments, passed_on(&passed, NULL, false, environment));
}
int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    REAL("posix_spawn", pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
         char *const *, char *const *)
    return real(process, path, actions, attributes, arguments, passed_on(&passed, path, false, environment));
}
int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    REAL("posix_spawnp", pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
         char *const *, char *const *)
    return real(process, file, actions, attributes, arguments, passed_on(&passed, file, true, environment));
}

/* The C library's own starts of a shell take `environ`, which the program may have emptied. */
int system(const char *command)
{
    struct passed_on passed;
    char **before = environ;
    int (*real)(const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "system");
    environ = (char **)passed_on(&passed, NULL, false, before);
    int status = real ? real(command) : -1;
    environ = before;
    return status;
}
FILE *popen(const char *command, const char *how)
{
    struct passed_on passed;
    char **before = environ;
    FILE *(*real)(const char *, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "popen");
    environ = (char **)passed_on(&passed, NULL, false, before);
    FILE *pipe = real ? real(command, how) : NULL;
    environ = before;
    return pipe;
}

#pragma GCC visibility pop

/* Collects the arguments of execl from `first` on, with the null pointer that ends them. False: there are too many. */
static bool collect(char **to, const char *first, va_list list)
{
    size_t count = 0;
    for (const char *a = first; count < MOST_ARGUMENTS; a = va_arg(list, const char *)) {
        to[count++] = (char *)(uintptr_t)a;
        if (!a)
            return true;
    }
    errno = E2BIG;
    return false;
}

#pragma GCC visibility push(default)

int execl(const char *path, const char *argument, ...)
{
    char *arguments[MOST_ARGUMENTS];
    va_list list;
    va_start(list, argument);
    bool ok = collect(arguments, argument, list);
    va_end(list);
    return ok ? execv(path, arguments) : -1;
}
int execlp(const char *file, const char *argument, ...)
{
    char *arguments[MOST_ARGUMENTS];
    va_list list;
    va_start(list, argument);
    bool ok = collect(arguments, argument, list);
    va_end(list);
    return ok ? execvp(file, arguments) : -1;
}
int execle(const char *path, const char *argument, ...)
{
    char *arguments[MOST_ARGUMENTS];
    va_list list;
    va_start(list, argument);
    bool ok = collect(arguments, argument, list);
    char **environment = ok ? va_arg(list, char **) : NULL;
    va_end(list);
    return ok ? execve(path, arguments, environment) : -1;
}

#pragma GCC visibility pop
