/* Ends the trace and the log of findings when a program ends without running destructors. The command line preloads
 * this library, so that programs find these functions in place of the C library's. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/pending.h"

#define MOST_ARGUMENTS 4096 /* of execl */

extern char **environ;

static void end(void)
{
    pending_end();
    check_end();
    record_end();
}

#pragma GCC visibility push(default)

void _exit(int status)
{
    end();
    status = record_status(status);
    for (;;)
        syscall(SYS_exit_group, status);
}
void _Exit(int status) { _exit(status); }

/* If exec fails, the program goes on without being recorded. */
#define REAL(name, ...)                                                                                                \
    int (*real)(__VA_ARGS__);                                                                                          \
    end();                                                                                                             \
    *(void **)&real = dlsym(RTLD_NEXT, name);                                                                          \
    if (!real) {                                                                                                       \
        errno = ENOSYS;                                                                                                \
        return -1;                                                                                                     \
    }

int execve(const char *path, char *const arguments[], char *const environment[])
{
    REAL("execve", const char *, char *const *, char *const *)
    return real(path, arguments, environment);
}
int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }
int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    REAL("execvpe", const char *, char *const *, char *const *)
    return real(file, arguments, environment);
}
int execvp(const char *file, char *const arguments[]) { return execvpe(file, arguments, environ); }
int fexecve(int file, char *const arguments[], char *const environment[])
{
    REAL("fexecve", int, char *const *, char *const *)
    return real(file, arguments, environment);
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
