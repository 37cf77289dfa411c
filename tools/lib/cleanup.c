#include "tools/lib/cleanup.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define MOST_EXPECTED 4

/* What is said of each; NULL: nothing, as nobody reads on. */
static const struct {
    int number;
    const char *said;
} signals[] = {
    {SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"},
    {SIGQUIT, "SIGQUIT"}, {SIGPIPE, NULL},      {SIGXCPU, "SIGXCPU: 'ulimit -t' limits the time of the processor"},
};
#define SIGNALS (sizeof signals / sizeof *signals)

static _Atomic(const char *) temporary[CLEANUP_SLOTS];
static _Atomic(const char *) expected[MOST_EXPECTED];
static _Atomic(void (*)(void)) more;
static const char *line_begin; /* NULL: nothing is said */
static atomic_flag said = ATOMIC_FLAG_INIT;
static _Thread_local sigset_t before_hold;

/* ---- what is said, by functions that a handler may call ---------------------------------------------------------- */

struct line {
    char text[1024];
    size_t length;
};

/* What does not fit is cut, but for the end of the line. */
static void append(struct line *l, const char *text)
{
    for (; *text && l->length + 1 < sizeof l->text; text++)
        l->text[l->length++] = *text;
}

static void append_expected(struct line *l)
{
    const char *names[MOST_EXPECTED];
    size_t count = 0;
    for (size_t i = 0; i < MOST_EXPECTED; i++)
        if ((names[count] = expected[i]))
            count++;
    for (size_t i = 0; i < count; i++) {
        append(l, !i ? "; '" : i + 1 < count ? ", '" : " and '");
        append(l, names[i]);
        append(l, "'");
    }
    if (count)
        append(l, count == 1 ? " was not written" : " were not written");
}

static void say(const char *what)
{
    struct line l = {.length = 0};
    append(&l, line_begin);
    append(&l, "reprise: stopped by ");
    append(&l, what);
    append_expected(&l);
    l.text[l.length++] = '\n';
    if (write(STDERR_FILENO, l.text, l.length) < 0)
        return; /* there is nobody to tell */
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static void on_signal(int number)
{
    for (int i = 0; i < CLEANUP_SLOTS; i++) {
        const char *path = temporary[i];
        if (path)
            unlink(path);
    }
    void (*call)(void) = more;
    if (call)
        call();
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].number == number && signals[i].said && line_begin && !atomic_flag_test_and_set(&said))
            say(signals[i].said);
    signal(number, SIG_DFL);
    raise(number);
}

static void install(void)
{
    static bool installed;
    struct sigaction action = {.sa_handler = on_signal}, before;
    if (installed)
        return;
    installed = true;
    for (size_t i = 0; i < SIGNALS; i++)
        if (!sigaction(signals[i].number, NULL, &before) &&
            before.sa_handler != SIG_IGN) /* nohup ignores the signal, and so do we */
            sigaction(signals[i].number, &action, NULL);
}

void cleanup_begin(bool terminal)
{
    line_begin = terminal ? "\r\033[K" : ""; /* there may be a line of progress */
    install();
}

void cleanup_register(enum cleanup_slot slot, const char *path)
{
    if (path)
        install();
    temporary[slot] = path;
}

void cleanup_call(void (*call)(void)) { more = call; }

void cleanup_expect(const char *path)
{
    size_t i = 0;
    while (i < MOST_EXPECTED && expected[i] && strcmp(expected[i], path))
        i++;
    if (i < MOST_EXPECTED)
        expected[i] = path;
}

void cleanup_written(const char *path)
{
    for (size_t i = 0; i < MOST_EXPECTED; i++) {
        const char *name = expected[i];
        if (name && !strcmp(name, path))
            expected[i] = NULL;
    }
}

void cleanup_hold(void)
{
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&all, signals[i].number);
    pthread_sigmask(SIG_BLOCK, &all, &before_hold);
}

void cleanup_release(void) { pthread_sigmask(SIG_SETMASK, &before_hold, NULL); }
