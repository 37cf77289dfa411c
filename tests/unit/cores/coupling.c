/* Guests under models of the caller's: reprise_guest_step() does to each core what the plain engine does, and tells the
 * same. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/guest/plain.h"
#include "frontend/loader/guests.h"
#include "tools/host/reprise.h"
#include "tools/lib/file.h"

enum { CORES = 6 };
#define GUEST "tests/golden/guests/matmul.gcc-O2.rv32imac.elf"

/* A hash of what each core fetched and accessed. */
struct streams {
    uint64_t hash[CORES];
};

static void add(struct streams *s, unsigned core, unsigned kind, uint32_t address, uint32_t bytes)
{
    s->hash[core] = (s->hash[core] ^ ((uint64_t)address << 8 | bytes << 2 | kind)) * 0x9e3779b97f4a7c15u;
    s->hash[core] ^= s->hash[core] >> 29;
}

static void see(void *data, const struct reprise_guest_access *a)
{
    cr_assert(a->kind != REPRISE_GUEST_FETCH || (a->address == a->pc && a->bytes && a->bytes <= 15));
    add(data, a->core, a->kind, a->address, a->kind == REPRISE_GUEST_FETCH ? 0 : a->bytes);
}

static void see_instruction(void *data, const struct guest_core *c) { add(data, c->id, REPRISE_GUEST_FETCH, c->pc, 0); }
static void see_access(void *data, const struct guest_core *c, uint32_t address, uint32_t bytes, bool store)
{
    add(data, c->id, store ? REPRISE_GUEST_STORE : REPRISE_GUEST_LOAD, address, bytes);
}

static void run_plain(const char *path, struct guest_machine *m, struct guest **guest, struct streams *s)
{
    static struct rp_error err;
    size_t size;
    uint8_t *bytes = file_read(path, &size, &err);
    *guest = bytes ? guest_open(path, bytes, size, &err) : NULL;
    free(bytes);
    cr_assert(*guest && guest_machine_open(m, *guest, CORES, 0, &err), "%s", err.text);
    m->output = fopen("/dev/null", "w");
    cr_assert(guest_run_plain(m, 0, &(struct guest_observer){s, see_instruction, see_access}), "%s", err.text);
    fclose(m->output);
}

static void check_steps(const char *path, uint64_t count)
{
    struct streams plain = {{0}}, stepped = {{0}};
    struct guest_machine m;
    struct guest *guest;
    struct rp_error err;
    struct reprise_guest_registers r;
    run_plain(path, &m, &guest, &plain);
    FILE *nowhere = fopen("/dev/null", "w");
    const struct reprise_guest_options o = {.file = path, .cores = CORES, .output = nowhere};
    struct reprise_guest *g = reprise_guest_open(&o, &err);
    cr_assert(g, "%s", err.text);
    cr_expect_eq(reprise_guest_running(g), CORES);
    cr_assert(reprise_guest_registers(g, 0, &r, &err) && r.retired == 0);
    reprise_guest_accesses(g, see, &stepped);
    for (bool first = true; reprise_guest_running(g); first = false) {
        cr_assert(reprise_guest_step(g, count, &err), "%s", err.text);
        cr_assert(!first || (reprise_guest_registers(g, 2, &r, &err) && r.retired == count));
    }
    for (unsigned c = 0; c < CORES; c++) {
        cr_assert(reprise_guest_registers(g, c, &r, &err));
        cr_expect(r.ended && !r.at_barrier);
        cr_expect_eq(r.retired, m.core[c].retired);
        cr_expect_arr_eq(r.registers, m.core[c].registers, sizeof r.registers, "%s: registers of core %u", path, c);
        cr_expect_eq(plain.hash[c], stepped.hash[c], "%s: accesses of core %u", path, c);
    }
    cr_expect_eq(reprise_guest_status(g), m.status);
    cr_expect(reprise_guest_step(g, 5, &err), "no core runs: nothing happens");
    cr_expect_not(reprise_guest_registers(g, CORES, &r, &err));
    cr_expect_eq(err.status, RP_USAGE);
    reprise_guest_close(g);
    guest_machine_close(&m);
    guest_free(guest);
    fclose(nowhere);
}

Test(coupling, steps_are_those_of_the_plain_engine)
{
    check_steps("tests/golden/guests/matmul.gcc-O2.rv32imac.elf", 1);
    check_steps("tests/golden/guests/matmul.gcc-O2.rv32imac.elf", 7);
    check_steps("tests/golden/guests/fft.gcc-Os.thumb.elf", 3);
    check_steps("tests/golden/guests/digests.gcc-O2.arm.elf", 1);
    check_steps("tests/golden/guests/digests.clang-O2.thumb.elf", 1);
    check_steps("tests/golden/guests/longs.gcc-O2.ia32.elf", 1);
    check_steps("tests/golden/guests/quicksort.gcc-O2.ia32.elf", 5);
}

Test(coupling, bad_options)
{
    struct rp_error err;
    const struct reprise_guest_options bad[] = {{.cores = 2},
                                                {.file = "x", .cores = 4097},
                                                {.file = "x", .stack = 5},
                                                {.file = GUEST, .cores = 1, .stack = 0xfffff000},
                                                {.file = GUEST, .cores = 1, .stack = 0xffffe000},
                                                {.file = "/nothing/x"},
                                                {.file = "Makefile"}};
    static const char *const says[] = {"name the guest's file",
                                       "4097 cores: there may be 4096",
                                       "give a multiple of 4096",
                                       "1 stack of 4294963200 bytes, each with a page behind it, does not fit",
                                       "1 stack of 4294959104 bytes, each with a page behind it, does not fit",
                                       "cannot read '/nothing/x'",
                                       "is a little-endian ELF"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_null(reprise_guest_open(&bad[i], &err));
        cr_expect(strstr(err.text, says[i]), "%s", err.text);
        cr_expect_eq(err.status, i < 5 ? RP_USAGE : RP_BAD_INPUT);
    }
    cr_expect_null(reprise_guest_open(&bad[0], NULL));
    cr_expect_null(reprise_guest_open(NULL, NULL));
    cr_expect_null(reprise_guest_open(NULL, &err));
    cr_expect(err.status == RP_USAGE && strstr(err.text, "no options for a guest: NULL"), "%s", err.text);
    reprise_guest_close(NULL);
}

/* A guest of an instruction that does nothing, and a word that is none. */
static void write_guest(const char *path)
{
    enum { HEADERS = 52 + 32, AT = 0x10000 };
    uint8_t file[HEADERS + 8] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    file[HEADERS] = 0x13;
    const struct {
        unsigned at, bytes;
        uint32_t value;
    } fields[] = {{16, 2, 2},           {18, 2, 243}, {20, 4, 1},   {24, 4, AT + HEADERS},
                  {28, 4, 52},          {40, 2, 52},  {42, 2, 32},  {44, 2, 1},
                  {52, 4, 1},           {60, 4, AT},  {64, 4, AT},  {68, 4, HEADERS + 8},
                  {72, 4, HEADERS + 8}, {76, 4, 5},   {80, 4, 4096}};
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        for (unsigned b = 0; b < fields[i].bytes; b++)
            file[fields[i].at + b] = (uint8_t)(fields[i].value >> 8 * b);
    FILE *to = fopen(path, "wb");
    cr_assert(to && fwrite(file, sizeof file, 1, to) == 1 && !fclose(to));
}

Test(coupling, a_core_that_misbehaves)
{
    char path[64];
    struct rp_error err;
    struct reprise_guest_registers r;
    snprintf(path, sizeof path, "/tmp/reprise-coupling-%d.elf", (int)getpid());
    write_guest(path);
    struct reprise_guest *g = reprise_guest_open(&(struct reprise_guest_options){.file = path, .cores = 2}, &err);
    unlink(path);
    cr_assert(g, "%s", err.text);
    for (int again = 0; again < 2; again++) {
        cr_expect_not(reprise_guest_step(g, 2, &err));
        cr_expect_eq(err.status, RP_KERNEL, "%s", err.text);
        cr_expect(strstr(err.text, "core 0"), "%s", err.text);
    }
    cr_expect(reprise_guest_registers(g, 0, &r, &err) && r.pc == 0x10058 && r.retired == 1, "%x", (unsigned)r.pc);
    reprise_guest_close(g);
}
