/* The engine in lock step does what the plain one does: registers, memory, instructions and the addresses of every
 * access of every core, whatever the program. tests/golden/guests has programs of tests/guests as gcc 12 and clang 14
 * compile them (tests/guests/build). */
#include <criterion/criterion.h>
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/guest/lockstep.h"
#include "frontend/guest/plain.h"
#include "frontend/loader/guests.h"
#include "tools/lib/file.h"
#include "tracefmt/reader.h"

/* GUESTS in the environment: another folder. */
static const char *folder_of_guests(void)
{
    const char *folder = getenv("GUESTS");
    return folder ? folder : "tests/golden/guests";
}
enum { CORES_MOST = 1024 };

/* What a core has accessed, in order. */
struct stream {
    uint64_t hash, accesses, last; /* last: instructions executed at the last access, */
    uint32_t address;              /* and its address */
};

static void add_access(struct stream *s, uint32_t pc, uint32_t address)
{
    s->hash = (s->hash ^ ((uint64_t)pc << 32 | address)) * 0x9e3779b97f4a7c15u;
    s->hash ^= s->hash >> 29;
    s->accesses++;
}

struct both {
    struct guest *guest;
    struct guest_program *program;
    struct guest_machine plain, lockstep;
    struct rp_error err;
    struct stream plain_streams[CORES_MOST], lockstep_streams[CORES_MOST];
};

/* An instruction that loads and stores at one address has one access here: in the trace it is one if it is atomic. */
static void see_access(void *data, const struct guest_core *c, uint32_t address, uint32_t bytes, bool store)
{
    struct stream *s = &((struct both *)data)->plain_streams[c->id];
    (void)bytes, (void)store;
    if (s->accesses && s->last == c->retired && s->address == address)
        return;
    s->last = c->retired;
    s->address = address;
    add_access(s, c->pc, address);
}

static void read_step(struct both *b, uint32_t first, const struct rp_step *step)
{
    uint64_t address[RP_WARP_LANES] = {0}, before[RP_WARP_LANES];
    for (uint32_t m = 0; step->executed && m < step->instruction->memory_count; m++) {
        memcpy(before, address, sizeof before);
        rp_access_addresses(&step->accesses[m], address);
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            if (step->executed >> l & 1 && (!m || address[l] != before[l]))
                add_access(&b->lockstep_streams[first + l], (uint32_t)step->instruction->pc, (uint32_t)address[l]);
    }
}

/* The streams that the trace has. */
static void read_trace(struct both *b, struct rp_trace *t, uint32_t cluster)
{
    const struct rp_launch *launch = rp_trace_launch(t, 0);
    for (uint64_t i = 0; i < rp_launch_blocks(launch); i++) {
        struct rp_block *block = rp_block_open(t, 0, i, &b->err);
        cr_assert(block, "%s", b->err.text);
        for (uint32_t w = 0; w < rp_block_warps(block); w++) {
            struct rp_cursor cursor;
            struct rp_step step;
            cr_assert(rp_cursor_open(&cursor, block, w, &b->err), "%s", b->err.text);
            int more;
            while ((more = rp_cursor_next(&cursor, &step, &b->err)) > 0)
                read_step(b, (uint32_t)i * cluster + w * RP_WARP_LANES, &step);
            cr_assert_eq(more, 0);
            rp_cursor_close(&cursor);
        }
        rp_block_close(block);
    }
}

static void run_lockstep(struct both *b, uint32_t cores, uint32_t cluster, uint32_t patience)
{
    const struct rp_provenance provenance = {.tool = "test", .module_name = "guest", .module_sha256 = ""};
    const struct rp_writer_options scratch = {.scratch = true};
    char path[64];
    snprintf(path, sizeof path, "/tmp/guest-engines-%d.wtr", (int)getpid());
    struct rp_writer *writer = rp_writer_open(path, &provenance, &scratch, &b->err);
    cr_assert(writer, "%s", b->err.text);
    const struct guest_run_options o = {.writer = writer, .cluster = cluster, .patience = patience};
    struct guest_run_result result;
    cr_assert(guest_run_lockstep(&b->lockstep, b->program, &o, &result), "%s", b->err.text);
    struct rp_trace *t = rp_writer_read(writer, &b->err);
    cr_assert(t, "%s", b->err.text);
    read_trace(b, t, cluster ? cluster : cores);
    rp_trace_close(t);
    rp_writer_abandon(writer);
}

static void compare(const struct both *b, const char *name, uint32_t cores, bool streams)
{
    for (uint32_t i = 0; i < cores; i++) {
        const struct guest_core *x = &b->plain.core[i], *y = &b->lockstep.core[i];
        cr_assert_eq(x->retired, y->retired, "%s on %u cores, core %u: %llu instructions, %llu in lock step", name,
                     cores, i, (unsigned long long)x->retired, (unsigned long long)y->retired);
        cr_assert_arr_eq(x->registers, y->registers, sizeof x->registers, "%s on %u cores: registers of core %u", name,
                         cores, i);
        cr_assert(!streams || (b->plain_streams[i].accesses == b->lockstep_streams[i].accesses &&
                               b->plain_streams[i].hash == b->lockstep_streams[i].hash),
                  "%s on %u cores: accesses of core %u", name, cores, i);
    }
    for (uint32_t r = 0; r < b->plain.memory.range_count; r++) {
        const struct guest_range *x = &b->plain.memory.ranges[r], *y = &b->lockstep.memory.ranges[r];
        cr_assert_eq(x->high, y->high);
        cr_assert(!memcmp(x->host, y->host, x->high - x->low), "%s on %u cores: memory at 0x%x", name, cores, x->low);
    }
}

/* Takes a file's symbols away. */
static void strip(uint8_t *bytes)
{
    const Elf32_Ehdr *header = (const Elf32_Ehdr *)bytes;
    Elf32_Shdr *sections = (Elf32_Shdr *)(bytes + header->e_shoff);
    for (unsigned n = 0; n < header->e_shnum; n++)
        if (sections[n].sh_type == SHT_SYMTAB)
            sections[n].sh_type = SHT_NULL;
}

static void open_both(struct both *b, const char *name, uint32_t cores, bool stripped)
{
    char path[512];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder_of_guests(), name);
    uint8_t *bytes = file_read(path, &size, &b->err);
    cr_assert(bytes, "%s", b->err.text);
    if (stripped)
        strip(bytes);
    b->guest = guest_open(path, bytes, size, &b->err);
    free(bytes);
    cr_assert(b->guest, "%s", b->err.text);
    b->program = guest_translate(b->guest, &b->err);
    cr_assert(b->program, "%s", b->err.text);
    cr_assert(guest_machine_open(&b->plain, b->guest, cores, 0, &b->err), "%s", b->err.text);
    cr_assert(guest_machine_open(&b->lockstep, b->guest, cores, 0, &b->err), "%s", b->err.text);
    b->plain.output = b->lockstep.output = fopen("/dev/null", "w");
}

static void close_both(struct both *b)
{
    fclose(b->plain.output);
    guest_machine_close(&b->plain);
    guest_machine_close(&b->lockstep);
    guest_program_free(b->program);
    guest_free(b->guest);
    free(b);
}

/* Cores that race or wait by spinning execute as many instructions as the order of the engine wants; so do those that
 * call the barrier of the chip: not. */
static bool spins(const char *name) { return !strncmp(name, "locks.", 6); }

static void run_opened(struct both *b, const char *name, uint32_t cores, uint32_t cluster, uint32_t patience)
{
    const struct guest_observer o = {.data = b, .access = see_access};
    cr_assert(guest_run_plain(&b->plain, 0, &o), "%s", b->err.text);
    run_lockstep(b, cores, cluster, patience);
    if (!spins(name))
        compare(b, name, cores, true);
    close_both(b);
}

static void run_both(const char *name, uint32_t cores, uint32_t cluster, uint32_t patience)
{
    struct both *b = calloc(1, sizeof *b);
    cr_assert(b);
    open_both(b, name, cores, false);
    run_opened(b, name, cores, cluster, patience);
}

static unsigned each_program(void (*run)(const char *name))
{
    unsigned count = 0;
    DIR *folder = opendir(folder_of_guests());
    cr_assert(folder);
    for (struct dirent *e; (e = readdir(folder));)
        if (strstr(e->d_name, ".elf")) {
            run(e->d_name);
            count++;
        }
    closedir(folder);
    return count;
}

static void on_few_cores(const char *name)
{
    run_both(name, 1, 0, 0);
    run_both(name, 3, 0, 0);
    run_both(name, 33, 0, 0);
}
Test(engines, agree_on_few_cores) { cr_assert_geq(each_program(on_few_cores), 57); }

/* What of ARM is code, and in which encoding, is found without symbols. */
static void without_symbols(const char *name)
{
    struct both *b = calloc(1, sizeof *b);
    cr_assert(b);
    open_both(b, name, 33, true);
    run_opened(b, name, 33, 0, 0);
}
Test(engines, agree_without_symbols) { each_program(without_symbols); }

/* Each core of the byte-code machine has a longer program than the one before it. */
static bool is_long(const char *name) { return !strncmp(name, "bytecode.", 9) && !getenv("FULL"); }

static void on_many_cores(const char *name)
{
    if (strstr(name, "gcc-O2"))
        run_both(name, is_long(name) ? 96 : 1024, 0, 0);
}
Test(engines, agree_on_a_thousand_cores) { cr_assert_geq(each_program(on_many_cores), 57); }

/* Neither the blocks of the trace nor patience change what a core does. */
static void in_other_clusters(const char *name)
{
    if (!strstr(name, "gcc-O2") || is_long(name))
        return;
    run_both(name, 96, 32, 16);
    run_both(name, 96, 64, 1);
}
Test(engines, agree_whatever_the_clusters) { each_program(in_other_clusters); }
