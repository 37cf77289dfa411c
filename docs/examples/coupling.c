/* A cache of the program's own, driven by 16 cores of a guest, an instruction at a time. */
#include <stdio.h>

#include <reprise.h>

enum { CORES = 16, SETS = 64, LINE = 32 };

struct caches {
    uint32_t line[CORES][SETS]; /* + 1; 0: empty */
    unsigned long accesses, misses;
};

/* Direct-mapped, for loads and stores; fetches do not go there. */
static void look_up(void *data, const struct reprise_guest_access *a)
{
    struct caches *c = data;
    uint32_t line = a->address / LINE;
    if (a->kind == REPRISE_GUEST_FETCH)
        return;
    c->accesses++;
    c->misses += c->line[a->core][line % SETS] != line + 1;
    c->line[a->core][line % SETS] = line + 1;
}

int main(int argc, char **argv)
{
    static struct caches caches;
    struct rp_error err;
    struct reprise_guest_registers r;
    struct reprise_guest_options options = {.file = argc > 1 ? argv[1] : "build/mm.elf", .cores = CORES};
    struct reprise_guest *guest = reprise_guest_open(&options, &err);
    unsigned long steps = 0;
    int ok = guest != NULL;
    if (ok)
        reprise_guest_accesses(guest, look_up, &caches);
    for (; ok && reprise_guest_running(guest); steps++)
        ok = reprise_guest_step(guest, 1, &err);
    if (ok)
        ok = reprise_guest_registers(guest, 3, &r, &err);
    reprise_guest_close(guest);
    if (!ok) {
        fprintf(stderr, "%s\n", err.text);
        return err.status;
    }
    printf("%lu steps, %llu instructions of core 3, %lu of %lu accesses missed\n", steps, (unsigned long long)r.retired,
           caches.misses, caches.accesses);
    return 0;
}
