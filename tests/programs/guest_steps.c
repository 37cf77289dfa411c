/* What it costs to hand a guest over after every instruction, as the paper's multiple kernels (MK) do: million
 * instructions a second of processor time with a call for each instruction of all cores, with a call for 4,096, and so
 * with a function that sees each access.
 *
 *     guest_steps FILE [CORES] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tools/host/reprise.h"

enum { ROUNDS = 3, MANY = 4096 };

static void count(void *data, const struct reprise_guest_access *a) { *(uint64_t *)data += a->bytes; }

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of some rounds. */
static double rate(const struct reprise_guest_options *o, uint64_t instructions, bool observed)
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct rp_error err;
        struct reprise_guest *g = reprise_guest_open(o, &err);
        uint64_t bytes = 0, retired = 0;
        bool fine = g;
        if (fine && observed)
            reprise_guest_accesses(g, count, &bytes);
        double begin = seconds();
        while (fine && reprise_guest_running(g))
            fine = reprise_guest_step(g, instructions, &err);
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
    const double all = rate(&o, MANY, false), one = rate(&o, 1, false), seen = rate(&o, 1, true);
    printf("coupled, %u cores: %.0f M/s with %d instructions a call, %.0f M/s with one (%.2f times as long), %.0f M/s "
           "with one and each access seen\n",
           o.cores, all, MANY, one, all / one, seen);
    return 0;
}
