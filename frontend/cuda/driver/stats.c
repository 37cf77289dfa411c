#include "frontend/cuda/driver/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "frontend/check/check.h"
#include "tracefmt/plural.h"

#define MOST_KERNELS 10 /* that are named */

struct kernel {
    char *name;
    uint64_t nanoseconds, launches, warp_instructions, spared; /* launches: with those that were spared */
};
static struct kernel *kernels;
static size_t count, room;
static uint64_t parts[STATS_PARTS], start;
static uint64_t spared, spared_nanoseconds;
static pid_t owner; /* 0: not wanted */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

__attribute__((constructor)) static void open_stats(void)
{
    if (!session_value(SESSION_STATS))
        return;
    start = now();
    owner = getpid();
}

bool stats_wanted(void) { return owner; }
uint64_t stats_begin(void) { return owner ? now() : 0; }

void stats_end(enum stats_part part, uint64_t begun)
{
    if (owner)
        parts[part] += now() - begun;
}

/* The row of a kernel; NULL: out of memory. */
static struct kernel *kernel_of(const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(kernels[i].name, name))
            return &kernels[i];
    if (count == room) {
        struct kernel *grown = realloc(kernels, (2 * room + 16) * sizeof *grown);
        if (!grown)
            return NULL;
        kernels = grown;
        room = 2 * room + 16;
    }
    kernels[count] = (struct kernel){.name = strdup(name)};
    return kernels[count].name ? &kernels[count++] : NULL;
}

void stats_launched(const struct program *p, uint64_t nanoseconds, uint64_t warp_instructions)
{
    struct kernel *k = owner ? kernel_of(p->name) : NULL;
    if (!k)
        return;
    k->nanoseconds += nanoseconds;
    k->launches++;
    k->warp_instructions += warp_instructions;
}

void stats_spared(const struct program *p, uint64_t nanoseconds)
{
    struct kernel *k = owner ? kernel_of(p->name) : NULL;
    spared++;
    spared_nanoseconds += nanoseconds;
    if (!k)
        return;
    k->launches++;
    k->spared++;
}

static int longest_first(const void *a, const void *b)
{
    const struct kernel *k = a, *l = b;
    return k->nanoseconds != l->nanoseconds ? (k->nanoseconds < l->nanoseconds ? 1 : -1) : strcmp(k->name, l->name);
}

static double seconds(uint64_t nanoseconds) { return 1e-9 * (double)nanoseconds; }

static void say_parts(void)
{
    uint64_t all = now() - start, checks = rp_check_nanoseconds(driver.defaults.check), sum = 0;
    checks = checks < parts[STATS_KERNELS] ? checks : parts[STATS_KERNELS];
    for (int i = 0; i < STATS_PARTS; i++)
        sum += parts[i];
    say("%.3f s: kernels %.3f, their checks %.3f, copies and fills %.3f, compilation %.3f, the program itself %.3f",
        seconds(all), seconds(parts[STATS_KERNELS] - checks), seconds(checks), seconds(parts[STATS_COPIES]),
        seconds(parts[STATS_COMPILATION]), seconds(all > sum ? all - sum : 0));
    if (spared)
        say("%.3f s were saved: %" PRIu64
            " launch%s did not run, because the same had run before and would change nothing (--every-launch "
            "runs them)",
            seconds(spared_nanoseconds), spared, spared == 1 ? "" : "es");
}

static void say_kernels(void)
{
    qsort(kernels, count, sizeof *kernels, longest_first);
    for (size_t i = 0; i < count && i < MOST_KERNELS; i++) {
        const struct kernel *k = &kernels[i];
        char ran[40] = "";
        if (k->spared)
            snprintf(ran, sizeof ran, ", %" PRIu64 " of them ran", k->launches - k->spared);
        say("%.3f s: kernel '%s', %" PRIu64 " launch%s%s, %" PRIu64 " warp instruction%s", seconds(k->nanoseconds),
            k->name, k->launches, k->launches == 1 ? "" : "es", ran, k->warp_instructions,
            rp_plural(k->warp_instructions));
    }
    if (count > MOST_KERNELS)
        say("and %zu kernels more", count - MOST_KERNELS);
}

void stats_say(void)
{
    if (!driver.device || owner != getpid() || driver.failed == CUDA_ERROR_NOT_INITIALIZED ||
        pthread_mutex_trylock(&driver.lock))
        return;
    say_parts();
    say_kernels();
    owner = 0;
    pthread_mutex_unlock(&driver.lock);
}

__attribute__((destructor)) static void at_exit(void) { stats_say(); }
