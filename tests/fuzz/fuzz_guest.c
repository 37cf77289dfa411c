/* ELF files of guests: loading, translating, and a few instructions in both engines. */
#include <stdio.h>

#include "frontend/guest/lockstep.h"
#include "frontend/guest/plain.h"
#include "frontend/loader/guests.h"

enum { CORES = 3, LIMIT = 300 };

static FILE *nowhere;

static void run(const struct guest *g, const struct guest_program *p)
{
    struct rp_error err;
    struct guest_machine m;
    struct guest_run_result result;
    const struct guest_run_options o = {.limit = LIMIT};
    for (int plain = 0; plain < 2; plain++) {
        if (!guest_machine_open(&m, g, CORES, GUEST_PAGE, &err))
            return;
        m.output = m.errors = nowhere;
        if (plain)
            guest_run_plain(&m, LIMIT, NULL);
        else
            guest_run_lockstep(&m, p, &o, &result);
        guest_machine_close(&m);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rp_error err;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    struct guest *g = guest_open("fuzz.elf", data, size, &err);
    struct guest_program *p = g ? guest_translate(g, &err) : NULL;
    if (p && nowhere)
        run(g, p);
    guest_program_free(p);
    guest_free(g);
    return 0;
}
