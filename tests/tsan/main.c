/* Runs tests one after the other, each in a process of its own, and prints TAP. A race that ThreadSanitizer reports
 * ends the process with a status other than 0. Arguments: parts of the names, suite::test, of the tests to run; none:
 * all. */
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tsan/criterion/criterion.h"

enum { SKIPPED = 77 };

static struct tsan_test *tests, **last = &tests;
static struct tsan_suite *suites;
static int failures;

void tsan_add_test(struct tsan_test *t)
{
    *last = t;
    last = &t->next;
}

void tsan_add_suite(struct tsan_suite *s)
{
    s->next = suites;
    suites = s;
}

void tsan_failed(bool fatal, const char *file, int line, const char *what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, what);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    failures++;
    if (fatal)
        exit(1);
}

void tsan_skip(void) { exit(SKIPPED); }

static bool chosen(const char *name, int count, char **parts)
{
    bool is = count == 0;
    for (int i = 0; i < count && !is; i++)
        is = strstr(name, parts[i]);
    return is;
}

static void call(void (*function)(void))
{
    if (function)
        function();
}

static int run(const struct tsan_test *t)
{
    const struct tsan_suite *s = suites;
    while (s && strcmp(s->name, t->suite))
        s = s->next;
    call(s ? s->init : NULL);
    call(t->init);
    t->run();
    call(t->fini);
    call(s ? s->fini : NULL);
    return failures != 0;
}

int main(int argc, char **argv)
{
    bool failed = false;
    for (const struct tsan_test *t = tests; t; t = t->next) {
        char name[256];
        int status = -1;
        snprintf(name, sizeof name, "%s::%s", t->suite, t->name);
        if (!chosen(name, argc - 1, argv + 1))
            continue;
        fflush(NULL);
        pid_t child = fork();
        if (!child)
            exit(run(t));
        if (child < 0 || waitpid(child, &status, 0) != child)
            status = -1;
        bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED, ok = skipped || status == 0;
        printf("%sok - %s%s\n", ok ? "" : "not ", name, skipped ? " # SKIP" : "");
        failed |= !ok;
    }
    return failed;
}
