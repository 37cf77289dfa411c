#include "tools/cleanup.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static _Atomic(const char *) temporary[CLEANUP_SLOTS];

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
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU};
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN) /* nohup's wish is respected */
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
