#include "tools/lib/cleanup.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
#define SIGNALS (sizeof signals / sizeof *signals)

static _Atomic(const char *) temporary[CLEANUP_SLOTS];
static _Thread_local sigset_t before_hold;

static void on_signal(int number)
{
    for (int i = 0; i < CLEANUP_SLOTS; i++) {
        const char *path = temporary[i];
        if (path)
            unlink(path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void install(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    for (size_t i = 0; i < SIGNALS; i++)
        if (!sigaction(signals[i], NULL, &before) &&
            before.sa_handler != SIG_IGN) /* nohup ignores the signal, and so do we */
            sigaction(signals[i], &action, NULL);
}

void cleanup_register(enum cleanup_slot slot, const char *path)
{
    static bool installed;
    if (path && !installed)
        install();
    installed |= path != NULL;
    temporary[slot] = path;
}

void cleanup_hold(void)
{
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&all, signals[i]);
    pthread_sigmask(SIG_BLOCK, &all, &before_hold);
}

void cleanup_release(void) { pthread_sigmask(SIG_SETMASK, &before_hold, NULL); }
