#include "tools/lib/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

static volatile sig_atomic_t noted;
static void note(int number) { noted = number; }

void interrupt_watch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND | SA_RESTART}, before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

int interrupted(void) { return noted; }

void interrupt_end(void)
{
    signal(noted, SIG_DFL);
    raise(noted);
    abort();
}
