/* Without coherence the misses of a core's caches follow from the core's own stream of addresses: a model of a few
 * lines that is fed with what the plain engine of guests does counts as many. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "frontend/guest/lockstep.h"
#include "frontend/guest/plain.h"
#include "frontend/loader/guests.h"
#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/unit/cores/model.h"
#include "tools/lib/file.h"

enum { CORES = 8 };

struct models {
    const struct guest *guest;
    struct model_cache code[CORES], data[CORES];
};

/* Instructions of A32 have four bytes; the lowest bits of one of RV32 say its length. */
static void see_instruction(void *data, const struct guest_core *core)
{
    struct models *m = data;
    for (uint32_t i = 0; i < m->guest->code_count; i++) {
        const struct guest_code *code = &m->guest->code[i];
        if (core->pc < code->low || core->pc >= code->high)
            continue;
        bool is_long = m->guest->isa->interworks || (code->bytes[core->pc - code->low] & 3) == 3;
        model_touch(&m->code[core->id], core->pc, is_long ? 4 : 2);
    }
}

static void see_access(void *data, const struct guest_core *core, uint32_t address, uint32_t bytes, bool store)
{
    (void)store;
    model_touch(&((struct models *)data)->data[core->id], address, bytes);
}

static struct rp_trace *record(const struct guest *g, struct rp_writer **writer, struct rp_error *err)
{
    const struct rp_provenance provenance = {.tool = "test", .module_name = "guest", .module_sha256 = ""};
    const struct rp_writer_options scratch = {.scratch = true};
    char path[64];
    snprintf(path, sizeof path, "/tmp/reprise-cores-%d.wtr", (int)getpid());
    struct guest_machine machine;
    struct guest_run_result result;
    struct guest_program *program = guest_translate(g, err);
    cr_assert(program && guest_machine_open(&machine, g, CORES, 0, err), "%s", err->text);
    machine.output = machine.errors = fopen("/dev/null", "w");
    *writer = rp_writer_open(path, &provenance, &scratch, err);
    cr_assert(*writer && guest_run_lockstep(&machine, program, &(struct guest_run_options){.writer = *writer}, &result),
              "%s", err->text);
    fclose(machine.output);
    guest_machine_close(&machine);
    guest_program_free(program);
    return rp_writer_read(*writer, err);
}

static void run_plain(const struct guest *g, struct models *m, struct rp_error *err)
{
    struct guest_machine machine;
    cr_assert(guest_machine_open(&machine, g, CORES, 0, err), "%s", err->text);
    machine.output = machine.errors = fopen("/dev/null", "w");
    const struct guest_observer observer = {m, see_instruction, see_access};
    cr_assert(guest_run_plain(&machine, 0, &observer), "%s", err->text);
    fclose(machine.output);
    guest_machine_close(&machine);
}

/* Sizes of both caches. */
struct shape {
    uint32_t size, line, ways;
};

static struct machine *machine_with(struct shape code, struct shape data, const char *engine_memory)
{
    char text[6][16];
    const uint32_t values[6] = {code.size, code.line, code.ways, data.size, data.line, data.ways};
    static const char *const keys[6] = {"l1i.size", "l1i.line", "l1i.ways", "l1d.size", "l1d.line", "l1d.ways"};
    struct machine_setting settings[8] = {{"coherence", "none"}, {"dram.model", engine_memory}};
    for (unsigned i = 0; i < 6; i++) {
        snprintf(text[i], sizeof text[i], "%u", values[i]);
        settings[2 + i] = (struct machine_setting){keys[i], text[i]};
    }
    struct rp_error err;
    struct machine *m =
        machine_open(&(struct machine_request){.name = "manycore-32", .settings = settings, .setting_count = 8}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static void check_misses(const char *name, struct rp_trace *t, const struct guest *g, struct shape code,
                         struct shape data)
{
    struct rp_error err;
    struct models *models = calloc(1, sizeof *models);
    models->guest = g;
    for (unsigned i = 0; i < CORES; i++) {
        models->code[i] = (struct model_cache){code.size / code.line / code.ways, code.ways, code.line, 0, {0}, {{0}}};
        models->data[i] = (struct model_cache){data.size / data.line / data.ways, data.ways, data.line, 0, {0}, {{0}}};
    }
    run_plain(g, models, &err);
    for (enum replay_engine e = REPLAY_FAST; e <= REPLAY_REFERENCE; e++) {
        struct machine *m = machine_with(code, data, e == REPLAY_FAST ? "bandwidth" : "banked");
        struct replay_result r;
        cr_assert(replay(t, m, &(struct replay_options){.engine = e, .launch = -1}, &r, &err), "%s", err.text);
        for (unsigned i = 0; i < CORES; i++) {
            cr_expect_eq(r.cores[i].l1i_misses, models->code[i].misses, "%s, core %u: %llu misses of code, not %llu",
                         name, i, (unsigned long long)r.cores[i].l1i_misses,
                         (unsigned long long)models->code[i].misses);
            cr_expect_eq(r.cores[i].load_misses + r.cores[i].store_misses, models->data[i].misses,
                         "%s, core %u: %llu misses of data, not %llu", name, i,
                         (unsigned long long)(r.cores[i].load_misses + r.cores[i].store_misses),
                         (unsigned long long)models->data[i].misses);
        }
        replay_result_free(&r);
        machine_free(m);
    }
    free(models);
}

Test(cores, misses_of_private_caches_are_those_of_another_model)
{
    static const char *const programs[] = {"matmul.gcc-O2.rv32imac", "quicksort.gcc-O2.rv32imac",
                                           "digests.gcc-O2.rv32imac", "fft.gcc-O2.arm", "quicksort.gcc-O2.arm"};
    static const struct shape shapes[][2] = {{{512, 32, 1}, {256, 16, 2}}, {{1024, 64, 4}, {2048, 64, 4}}};
    for (unsigned p = 0; p < sizeof programs / sizeof *programs; p++) {
        char path[128];
        struct rp_error err;
        size_t size;
        snprintf(path, sizeof path, "tests/golden/guests/%s.elf", programs[p]);
        uint8_t *bytes = file_read(path, &size, &err);
        struct guest *g = bytes ? guest_open(path, bytes, size, &err) : NULL;
        cr_assert(g, "%s", err.text);
        free(bytes);
        struct rp_writer *writer;
        struct rp_trace *t = record(g, &writer, &err);
        cr_assert(t, "%s", err.text);
        for (unsigned s = 0; s < 2; s++)
            check_misses(programs[p], t, g, shapes[s][0], shapes[s][1]);
        rp_trace_close(t);
        rp_writer_abandon(writer);
        guest_free(g);
    }
}
