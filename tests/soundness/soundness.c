/* make soundness: as many random launches as asked for (default a million), each under six policies, and whether a
 * bound was ever exceeded. Exit status 1 if so. With "small" as third argument, launches so small that all of their
 * schedules are gone through. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/soundness.h"

/* Every process takes each `step`-th round. */
static int worker(uint64_t first, uint64_t rounds, uint64_t step, bool small)
{
    struct soundness s = {.small = small};
    struct rp_error err;
    for (uint64_t r = first; r < rounds; r += step)
        if (!soundness_round(&s, r, &err)) {
            fprintf(stderr, "soundness: round %" PRIu64 ": %s\n", r, err.text);
            return 2;
        }
    printf(
        "%9" PRIu64 " launches, %9" PRIu64 " runs: %" PRIu64 " beyond the bound (accesses classified in %" PRIu64
        "); %" PRIu64 " of %" PRIu64
        " runs within the paper's assumptions beyond the published one; unit-aware bound above the serial one %" PRIu64
        " times, above the published one %" PRIu64 "; mean distance from the longest run %.1f %% (published %.1f %%)\n",
        s.launches, s.runs, s.violations, s.classified, s.published, s.plain_runs, s.incomparable, s.above_published,
        100 * s.slack / (double)s.launches, 100 * s.published_slack / (double)s.published_launches);
    printf("  exact worst case known of %" PRIu64 " launches, beyond the bound or exceeded in %" PRIu64
           ", as long as the longest run in %" PRIu64 "; beyond the published bound %" PRIu64 " of %" PRIu64
           " within the paper's assumptions\n",
           s.exact, s.beyond, s.attained, s.published_exact, s.plain_exact);
    if (s.first[0])
        printf("  %s\n", s.first);
    return s.violations || s.incomparable;
}

int main(int argc, char **argv)
{
    uint64_t launches = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    uint64_t rounds = (launches + SOUNDNESS_LAUNCHES - 1) / SOUNDNESS_LAUNCHES;
    unsigned processes = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    bool small = argc > 3 && !strcmp(argv[3], "small");
    for (unsigned i = 1; i < processes; i++)
        if (fork() == 0)
            return worker(i, rounds, processes, small);
    int status = worker(0, rounds, processes, small), other;
    while (wait(&other) > 0)
        status |= WIFEXITED(other) ? WEXITSTATUS(other) : 2;
    return status;
}
