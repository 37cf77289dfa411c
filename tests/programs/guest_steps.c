/* What it costs to hand a guest over after every instruction, as the paper's multiple kernels (MK) do: million
 * instructions a second of processor time with a call for each instruction of all cores, and so with a function that
 * sees each access. Two numbers, the best of some rounds.
 *
 *     guest_steps FILE [CORES [ROUNDS]] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tools/host/reprise.h"

static void count(void *data, const struct reprise_guest_access *a) { *(uint64_t *)data += a->bytes; }

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of some rounds. */
static double rate(const struct reprise_guest_options *o, unsigned long rounds, bool observed)
{
    double best = 0;
    for (unsigned long round = 0; round < rounds; round++) {
        struct rp_error err;
        struct reprise_guest *g = reprise_guest_open(o, &err);
        uint64_t bytes = 0, retired = 0;
        bool fine = g;
        if (fine && observed)
            reprise_guest_accesses(g, count, &bytes);
        double begin = seconds();
        while (fine && reprise_guest_running(g))
            fine = reprise_guest_step(g, 1, &err);
        double took = seconds() - begin;
        if (!fine) {
            fprintf(stderr, "guest_steps: %s\n", err.text);
            exit(err.status);
        }
        for (unsigned c = 0; c < o->cores; c++) {
            struct reprise_guest_registers r;
            reprise_guest_registers(g, c, &r, NULL);
            retired += r.retired;
        }
        reprise_guest_close(g);
        best = (double)retired / took > best ? (double)retired / took : best;
    }
    return best * 1e-6;
}

int main(int argc, char **argv)
{
    struct reprise_guest_options o = {.file = argc > 1 ? argv[1] : NULL, .output = fopen("/dev/null", "w")};
    o.cores = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1024;
    const unsigned long rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 3;
    const double one = rate(&o, rounds, false), seen = rate(&o, rounds, true);
    printf("%.0f %.0f\n", one, seen);
    return 0;
}
