#include "tools/lib/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
#define SIGNALS (sizeof signals / sizeof *signals)

static struct sigaction before[SIGNALS];
static volatile sig_atomic_t noted;
static atomic_bool flag;

/* The next one finds what was there before: a handler that removes unfinished files, or the default. The system sends
 * SIGXCPU each second until the hard limit, which ends the program in any case. */
static void note(int number)
{
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i] != SIGXCPU)
            sigaction(signals[i], &before[i], NULL);
    if (!noted)
        noted = number;
    flag = true;
}

void interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < SIGNALS; i++)
        if (!sigaction(signals[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

int interrupted(void) { return noted; }
const atomic_bool *interrupt_flag(void) { return &flag; }

void interrupt_end(void)
{
    signal(noted, SIG_DFL);
    raise(noted);
    abort();
}
