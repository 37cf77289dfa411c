/* Prints pc, condition flags and the registers of a guest's only core before each instruction. Its own calls get
 * -ENOSYS, as on Linux. For tests/guests/qemu.py. */
#include <stdio.h>
#include <stdlib.h>

#include "frontend/guest/plain.h"
#include "frontend/loader/guests.h"
#include "tools/lib/file.h"

static void print_registers(void *data, const struct guest_core *c)
{
    const unsigned *count = data;
    printf("%08x %08x", (unsigned)c->pc, (unsigned)c->flags);
    for (unsigned r = 0; r < *count; r++)
        printf(" %08x", (unsigned)c->registers[r]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    size_t size;
    struct rp_error err = {0};
    struct guest_machine m;
    uint8_t *bytes = argc == 2 ? file_read(argv[1], &size, &err) : NULL;
    struct guest *g = bytes ? guest_open(argv[1], bytes, size, &err) : NULL;
    if (!g || !guest_machine_open(&m, g, 1, 0, &err))
        return fprintf(stderr, "guest_registers: %s\n", err.text), 2;
    unsigned count = g->isa->registers;
    const struct guest_observer o = {.data = &count, .instruction = print_registers};
    m.linux = true;
    m.output = stderr;
    if (!guest_run_plain(&m, 0, &o))
        return fprintf(stderr, "guest_registers: %s\n", err.text), 3;
    guest_machine_close(&m);
    guest_free(g);
    free(bytes);
    return 0;
}
