/* Guests under the caller's own timing models: the engine in lock step, one instruction of each core at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/guest/stepping.h"
#include "frontend/loader/guests.h"
#include "tools/host/reprise.h"

#define MOST_BYTES ((size_t)1 << 30) /* of a guest's file */

struct reprise_guest {
    struct guest *guest;
    struct guest_program *program; /* for the lengths of instructions */
    struct guest_machine machine;
    bool open; /* the machine */
    struct guest_stepper *stepper;
    struct rp_error err;
    uint32_t pc; /* of the instruction that a core executes */
    void (*access)(void *, const struct reprise_guest_access *);
    void *data;
};

/* ---- opening -------------------------------------------------------------------------------------------------------
 */

/* The whole file; the caller frees it. */
static uint8_t *guest_file(const char *path, size_t *size, struct rp_error *err)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL, *more;
    size_t room = 1 << 16;
    *size = 0;
    while (file && room <= MOST_BYTES && (more = realloc(bytes, room))) {
        bytes = more;
        *size += fread(bytes + *size, 1, room - *size, file);
        if (*size < room && !ferror(file)) {
            fclose(file);
            return bytes;
        }
        if (ferror(file))
            break;
        room *= 2;
    }
    rp_fail(err, RP_BAD_INPUT, "cannot read '%s': %s", path,
            room > MOST_BYTES ? "it is larger than 1 GiB" : strerror(errno ? errno : ENOMEM));
    if (file)
        fclose(file);
    free(bytes);
    return NULL;
}

static bool guest_options_fit(const struct reprise_guest_options *o, struct rp_error *err)
{
    if (!o)
        return rp_fail(err, RP_USAGE, "no options for a guest: NULL");
    if (!o->file)
        return rp_fail(err, RP_USAGE, "name the guest's file");
    if (o->cores > GUEST_CORES_MAX)
        return rp_fail(err, RP_USAGE, "%u cores: there may be %u", o->cores, GUEST_CORES_MAX);
    return !(o->stack % GUEST_PAGE) ||
           rp_fail(err, RP_USAGE, "a stack of %u bytes: give a multiple of %u", (unsigned)o->stack, GUEST_PAGE);
}

static bool guest_begin(struct reprise_guest *g, const struct reprise_guest_options *o, struct rp_error *err)
{
    size_t size;
    uint8_t *bytes = guest_options_fit(o, err) ? guest_file(o->file, &size, err) : NULL;
    if (bytes)
        g->guest = guest_open(o->file, bytes, size, err);
    free(bytes);
    if (!g->guest || !(g->program = guest_translate(g->guest, err)))
        return false;
    g->open = guest_machine_open(&g->machine, g->guest, o->cores ? o->cores : 32, o->stack, err);
    if (o->output)
        g->machine.output = o->output;
    g->stepper = g->open ? guest_stepper_open(&g->machine, g->program) : NULL;
    g->machine.err = &g->err;
    return g->stepper;
}

struct reprise_guest *reprise_guest_open(const struct reprise_guest_options *o, struct rp_error *err)
{
    struct rp_error unused;
    struct reprise_guest *g = calloc(1, sizeof *g);
    err = err ? err : &unused;
    if (!g) {
        rp_fail(err, RP_SYSTEM, "out of memory for a guest");
        return NULL;
    }
    if (guest_begin(g, o, err))
        return g;
    reprise_guest_close(g);
    return NULL;
}

void reprise_guest_close(struct reprise_guest *g)
{
    if (!g)
        return;
    guest_stepper_close(g->stepper);
    if (g->open)
        guest_machine_close(&g->machine);
    guest_program_free(g->program);
    guest_free(g->guest);
    free(g);
}

/* ---- accesses ------------------------------------------------------------------------------------------------------
 */

static void tell(const struct reprise_guest *g, const struct guest_core *c, enum reprise_guest_kind kind,
                 uint32_t address, uint32_t bytes)
{
    const struct reprise_guest_access a = {
        .core = c->id, .kind = kind, .address = address, .bytes = bytes, .pc = g->pc};
    g->access(g->data, &a);
}

static void tell_fetch(void *data, const struct guest_core *c)
{
    struct reprise_guest *g = data;
    const struct guest_program *p = g->program;
    const uint32_t uop = guest_uop_at(p, c->pc | c->thumb);
    g->pc = c->pc;
    tell(g, c, REPRISE_GUEST_FETCH, c->pc, uop == UOP_NOWHERE ? 4 : p->instructions[p->uops[uop].index].raw_size);
}

static void tell_access(void *data, const struct guest_core *c, uint32_t address, uint32_t bytes, bool store)
{
    tell(data, c, store ? REPRISE_GUEST_STORE : REPRISE_GUEST_LOAD, address, bytes);
}

void reprise_guest_accesses(struct reprise_guest *g, void (*access)(void *, const struct reprise_guest_access *),
                            void *data)
{
    g->access = access;
    g->data = data;
    const struct guest_observer observer = {g, tell_fetch, access ? tell_access : NULL};
    guest_stepper_observe(g->stepper, &observer);
}

/* ---- running -------------------------------------------------------------------------------------------------------
 */

bool reprise_guest_step(struct reprise_guest *g, uint64_t count, struct rp_error *err)
{
    for (uint64_t n = 0; n < count && !g->machine.failed && reprise_guest_running(g); n++)
        guest_stepper_step(g->stepper);
    if (g->machine.failed && err)
        *err = g->err;
    return !g->machine.failed;
}

unsigned reprise_guest_running(const struct reprise_guest *g) { return guest_stepper_running(g->stepper); }

int reprise_guest_status(const struct reprise_guest *g) { return g->machine.status; }

bool reprise_guest_registers(const struct reprise_guest *g, unsigned core, struct reprise_guest_registers *out,
                             struct rp_error *err)
{
    const struct guest_machine *m = &g->machine;
    if (core >= m->cores)
        return rp_fail(err, RP_USAGE, "there is no core %u; the last one is %u", core, (unsigned)m->cores - 1);
    const struct guest_core *c = guest_stepper_core(g->stepper, core);
    *out = (struct reprise_guest_registers){.pc = c->pc | c->thumb,
                                            .count = g->guest->isa->registers,
                                            .retired = c->retired,
                                            .at_barrier = c->status == GUEST_AT_BARRIER,
                                            .ended = c->status == GUEST_EXITED || m->ended};
    memcpy(out->registers, c->registers, out->count * sizeof *out->registers);
    return true;
}
