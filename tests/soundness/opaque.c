/* opaque TRACE < PHASES: writes the opaque block (tests/support/opaque.h) of what reprise wcet --phases has written for
 * one launch, and prints the settings of orin-wcet that go with it, as options of reprise. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/opaque.h"

static struct opaque_phase *phases;
static size_t count;

static bool read_phases(void)
{
    char line[256], kind[8];
    size_t capacity = 0;
    while (fgets(line, sizeof line, stdin)) {
        struct opaque_phase p;
        if (!strncmp(line, "launch,", 7))
            continue;
        if (sscanf(line, "%*u,%*u,%" SCNu32 ",%" SCNu32 ",%*u,%" SCNu64 ",%7[a-z]", &p.warp, &p.section, &p.duration,
                   kind) != 4)
            return false;
        p.idle = !strcmp(kind, "idle");
        if (count == capacity) {
            capacity = 2 * capacity + 1024;
            phases = realloc(phases, capacity * sizeof *phases);
            if (!phases)
                return false;
        }
        phases[count++] = p;
    }
    return count > 0;
}

int main(int argc, char **argv)
{
    struct opaque_machine m;
    struct rp_error err;
    if (argc != 2 || !read_phases()) {
        fputs("opaque: give a trace to write, and phases as CSV on standard input\n", stderr);
        return 1;
    }
    if (!opaque_write(argv[1], phases, count, &m, &err)) {
        fprintf(stderr, "opaque: %s\n", err.text);
        return 2;
    }
    for (size_t i = 0; i < m.count; i++)
        printf("--set %s=%s%c", m.settings[i].key, m.settings[i].value, i + 1 < m.count ? ' ' : '\n');
    free(phases);
    return 0;
}
