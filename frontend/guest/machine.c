#include "frontend/guest/machine.h"
#include "frontend/guest/reservations.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ------------------------------------------------------------------------------------------------------
 */

static uint32_t guest_push(struct guest_machine *m, uint32_t sp, const void *bytes, uint32_t count)
{
    guest_memory_write(&m->memory, sp - count, count, bytes); /* a stack has room for what is pushed here */
    return sp - count;
}

/* The stack as Linux leaves it to a program: argc, argv, 0, environment, 0, and an empty auxiliary vector; sp is a
 * multiple of 16. The number of cores is in the environment. */
static uint32_t guest_fill_stack(struct guest_machine *m, uint32_t core)
{
    char cores[32];
    const char *slash = strrchr(m->guest->path, '/');
    const char *name = slash ? slash + 1 : m->guest->path;
    uint32_t length = (uint32_t)strlen(name), sp = guest_stack_top(&m->memory, core);
    name += length > 200 ? length - 200 : 0;
    snprintf(cores, sizeof cores, "CORES=%u", (unsigned)m->cores);
    const uint32_t environment = sp = guest_push(m, sp, cores, (uint32_t)strlen(cores) + 1);
    const uint32_t argument = sp = guest_push(m, sp, name, (uint32_t)strlen(name) + 1);
    const uint32_t words[8] = {1, argument, 0, environment, 0, 0, 0, 0};
    return guest_push(m, sp & ~15u, words, sizeof words);
}

bool guest_machine_open(struct guest_machine *m, const struct guest *g, uint32_t cores, uint32_t stack_bytes,
                        struct rp_error *err)
{
    *m = (struct guest_machine){
        .guest = g, .cores = cores, .live = cores, .output = stdout, .errors = stderr, .err = err};
    if (!guest_memory_open(&m->memory, g, cores, stack_bytes ? stack_bytes : GUEST_STACK_DEFAULT, err))
        return false;
    m->core = calloc(cores, sizeof *m->core);
    m->reservations.holders = malloc(cores * sizeof *m->reservations.holders);
    guest_no_reservations(&m->reservations);
    m->decoded = calloc(GUEST_DECODED, GUEST_DECODED_BYTES);
    m->decoded_at = malloc(GUEST_DECODED * sizeof *m->decoded_at);
    if (!m->core || !m->reservations.holders || !m->decoded || !m->decoded_at) {
        guest_machine_close(m);
        return rp_fail(err, RP_SYSTEM, "out of memory");
    }
    for (uint32_t i = 0; i < GUEST_DECODED; i++)
        m->decoded_at[i] = GUEST_NOT_DECODED;
    for (uint32_t i = 0; i < cores; i++) {
        struct guest_core *c = &m->core[i];
        *c = (struct guest_core){.id = i,
                                 .pc = g->entry & ~(uint32_t)g->isa->interworks,
                                 .thumb = g->isa->interworks && g->entry & 1,
                                 .reservation = GUEST_NO_RESERVATION};
        c->registers[g->isa->stack_pointer] = guest_fill_stack(m, i);
    }
    return true;
}

void guest_machine_close(struct guest_machine *m)
{
    free(m->core);
    free(m->reservations.holders);
    free(m->decoded);
    free(m->decoded_at);
    m->core = NULL;
    guest_memory_close(&m->memory);
}

/* ---- faults -------------------------------------------------------------------------------------------------------
 */

void guest_fault(struct guest_machine *m, const struct guest_core *c, const char *format, ...)
{
    char place[256], what[512];
    va_list arguments;
    if (m->failed)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    guest_describe(m->guest, c->pc, place, sizeof place);
    m->failed = true;
    rp_fail(m->err, RP_KERNEL, "%s: core %u, %s: %s", m->guest->path, (unsigned)c->id, place, what);
}

void guest_fault_access(struct guest_machine *m, const struct guest_core *c, uint32_t address, uint32_t bytes,
                        unsigned rights)
{
    char where[128];
    struct guest_core at = *c;
    guest_memory_describe(&m->memory, address, rights, where, sizeof where);
    if (rights & GUEST_EXECUTE && address == c->pc) /* the plain engine has gone there */
        at.pc = c->from;
    const char *what = rights & GUEST_EXECUTE ? "jump" : rights & GUEST_WRITE ? "store of" : "load of";
    if (rights & GUEST_EXECUTE)
        guest_fault(m, &at, "%s to 0x%" PRIx32 ", which is no code: %s", what, address, where);
    else
        guest_fault(m, c, "%s %" PRIu32 " byte%s at 0x%" PRIx32 ": %s", what, bytes, bytes == 1 ? "" : "s", address,
                    where);
}

void guest_fault_unknown(struct guest_machine *m, const struct guest_core *c, const void *bytes, uint32_t available,
                         bool is_short)
{
    char text[128];
    m->guest->isa->unknown(bytes, available, is_short, text, sizeof text);
    guest_fault(m, c, "%s", text);
}

/* ---- calls --------------------------------------------------------------------------------------------------------
 */

/* As Linux: the number of bytes written, or an error's number below 0. */
static uint32_t guest_write(struct guest_machine *m, const uint32_t arguments[3])
{
    uint8_t bytes[4096];
    FILE *out = arguments[0] == 1 ? m->output : arguments[0] == 2 ? m->errors : NULL;
    uint32_t done = 0;
    if (!out)
        return (uint32_t)-EBADF;
    while (done < arguments[2]) {
        uint32_t part = arguments[2] - done < sizeof bytes ? arguments[2] - done : (uint32_t)sizeof bytes;
        if (!guest_memory_read(&m->memory, arguments[1] + done, part, GUEST_READ, bytes))
            return done ? done : (uint32_t)-EFAULT;
        if (fwrite(bytes, 1, part, out) != part)
            return (uint32_t)-EIO;
        done += part;
    }
    return fflush(out) ? (uint32_t)-EIO : done; /* as write does, in the order of both files */
}

static void guest_exit(struct guest_machine *m, struct guest_core *c, uint32_t status)
{
    c->status = GUEST_EXITED;
    m->live--;
    if (!m->status)
        m->status = (int)(status & 255);
}

static void guest_exit_all(struct guest_machine *m, struct guest_core *c, uint32_t status)
{
    guest_exit(m, c, status);
    m->ended = true;
    m->live = 0;
    for (uint32_t i = 0; i < m->cores; i++)
        m->core[i].status = GUEST_EXITED;
}

bool guest_call(struct guest_machine *m, struct guest_core *c, enum guest_call call, uint32_t number,
                const uint32_t arguments[3], uint32_t *result)
{
    *result = 0;
    if (m->linux && call >= GUEST_CALL_CORE) {
        *result = (uint32_t)-ENOSYS;
        return true;
    }
    switch (call) {
    case GUEST_CALL_WRITE: *result = guest_write(m, arguments); break;
    case GUEST_CALL_EXIT: guest_exit(m, c, arguments[0]); break;
    case GUEST_CALL_EXIT_GROUP: guest_exit_all(m, c, arguments[0]); break;
    case GUEST_CALL_BRK: *result = guest_memory_brk(&m->memory, arguments[0]); break;
    case GUEST_CALL_CORE: *result = c->id; break;
    case GUEST_CALL_CORES: *result = m->cores; break;
    case GUEST_CALL_BARRIER: c->status = GUEST_AT_BARRIER; break;
    case GUEST_CALL_RETIRED: *result = (uint32_t)c->retired; break;
    case GUEST_CALL_UNKNOWN:
        guest_fault(m, c,
                    "environment call %" PRIu32
                    ", which guests do not have: write, exit, exit_group, brk, and 0x5250 to 0x5253; C libraries of "
                    "Linux need others ('reprise guest --flags' names what to link instead)",
                    number);
        return false;
    }
    return true;
}

bool guest_interrupted(struct guest_machine *m)
{
    if (!m->failed && m->interrupted && *m->interrupted) {
        m->failed = true;
        rp_fail(m->err, RP_KERNEL, "%s: interrupted before all cores had exited", m->guest->path);
    }
    return m->failed;
}

bool guest_release_barrier(struct guest_machine *m)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < m->cores; i++) {
        if (m->core[i].status == GUEST_RUNS)
            return false;
        waiting += m->core[i].status == GUEST_AT_BARRIER;
    }
    for (uint32_t i = 0; i < m->cores; i++)
        if (m->core[i].status == GUEST_AT_BARRIER)
            m->core[i].status = GUEST_RUNS;
    return waiting;
}
