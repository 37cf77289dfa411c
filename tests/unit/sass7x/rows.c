/* The instruction table walked: words of each row of integers, logic, moves, memory and atomics, made of its items, run
 * on corner values in registers, predicates, constants, uniform registers and memory, on every architecture that has
 * the row, and compared with the models of row_*.c. */
#include "tests/unit/sass7x/rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass7x/lower.h"
#include "tests/support/cubin_image.h"
#include "tests/support/kernel_case.h"
#include "tests/support/sass_corpus.h"
#include "tests/support/sass_rig.h"
#include "tests/unit/sass7x/check.h"
#include "tests/unit/sass7x/row_model.h"
#include "tests/unit/sass7x/row_words.h"

enum { VARIANTS = 8, BLOCK = 128, VECTOR_BLOCKS = 8, UNIFORM_BLOCKS = 192, MAX_TEXT = 1 << 16 };
enum { RESULTS = 4 };

/* What a thread is given, and what each variant leaves; `scratch` of a variant is memory that it changes. */
struct start {
    uint64_t a, b, c, d;
    uint32_t p, up, unused[2];
    uint8_t scratch[ROW_SCRATCH];
};
struct left {
    uint32_t r[RESULTS], ur[RESULTS], p, up, unused[2];
    uint8_t global[ROW_SCRATCH], shared[ROW_SCRATCH], local[ROW_SCRATCH];
};
struct cell {
    struct start start;
    struct left left[VARIANTS];
};

/* ---- the program ------------------------------------------------------------------------------------------------- */

static char program[MAX_TEXT];
static unsigned sm;
static bool uniform; /* the row has uniform registers: blocks of one thread, so that each has values of its own */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list args;
    size_t n = strlen(program);
    va_start(args, format);
    int length = vsnprintf(program + n, sizeof program - n, format, args);
    va_end(args);
    cr_assert_lt(n + (size_t)length + 1, sizeof program);
    strcat(program, "\n");
}

/* A load or store of the thread's cell. */
static void say_cell(const char *name, unsigned offset, const char *loaded, const char *stored)
{
    const char *system = sm < 80 ? ".SYS" : "", *base = sm < 80 ? "[R2" : sm < 90 ? "[R2.64" : "desc[UR4][R2.64";
    say("%s%s %s%s+0x%x]%s", name, system, loaded, base, offset, stored);
}
#define LOAD(name, to, offset) say_cell(name, offset, to ", ", "")
#define STORE(name, offset, from) say_cell(name, offset, "", ", " from)

static void say_head(unsigned block)
{
    unsigned at = cubin_parameters(sm);
    *program = 0;
    say("S2R R15, SR_TID.X\nS2R R1, SR_CTAID.X\nMOV R14, 0x%x\nIMAD R0, R1, R14, R15", block);
    say("MOV R2, c[0x0][0x%x]\nMOV R3, c[0x0][0x%x]\nMOV R14, 0x1", at, at + 4);
    say("IMAD.WIDE.U32 R2, R0, 0x%zx, R2", sizeof(struct cell));
    say("IMAD.SHL R18, R15, 0x%x, RZ\nMOV R24, 0x%x", ROW_SCRATCH, ROW_STEP);
    say("MOV R19, c[0x0][0x28]\nIADD3 R19, R19, -0x%x, RZ", ROW_SCRATCH); /* the stack ends there */
    if (sm >= 90)
        say("ULDC.64 UR4, c[0x0][0x208]"); /* how global memory is accessed */
    say("IMAD.SHL R25, R15, 0x8, RZ\nIMAD.SHL R26, R15, 0x4, RZ\nIMAD.SHL R27, R15, 0x2, RZ");
}

static void say_uniform(void)
{
    say("UMOV UR16, 0x%x\nUMOV UR17, 0x0", ROW_STEP);
    for (unsigned i = 0; i < 6; i++)
        say("R2UR UR%u, R%u", 8 + i, 4 + i);
    say("R2UR UR14, R13\nR2UR UR18, R16\nR2UR UR19, R17");
    for (unsigned i = 0; i < RESULTS; i++)
        say("R2UR UR%u, R%u", 20 + i, 20 + i);
    say("UR2UP UPR, UR14, 0x7f");
}

static void say_before(unsigned variant)
{
    unsigned left = (unsigned)(offsetof(struct cell, left) + variant * sizeof(struct left));
    say("IMAD.WIDE.U32 R16, R14, 0x%zx, R2", left + offsetof(struct left, global));
    LOAD("LDG.E.128", "R28", 0x30);
    say("STS.128 [R18], R28\nSTL.128 [R19], R28");
    STORE("STG.E.128", (unsigned)(left + offsetof(struct left, global)), "R28");
    LOAD("LDG.E.128", "R28", 0x40);
    say("STS.128 [R18+0x10], R28\nSTL.128 [R19+0x10], R28");
    STORE("STG.E.128", (unsigned)(left + offsetof(struct left, global) + 16), "R28");
    LOAD("LDG.E.128", "R4", 0);
    LOAD("LDG.E.128", "R8", 0x10);
    LOAD("LDG.E.64", "R12", 0x20);
    say("MOV R20, R10\nMOV R21, R11\nMOV R22, R10\nMOV R23, R11");
    if (uniform)
        say_uniform();
    say("R2P PR, R12, 0x7f");
}

static void say_after(unsigned variant)
{
    unsigned left = (unsigned)(offsetof(struct cell, left) + variant * sizeof(struct left));
    STORE("STG.E.128", left, "R20");
    say("P2R R28, PR, RZ, 0x7f\nMOV R29, RZ");
    if (uniform)
        say("UP2UR UR24, UPR, URZ, 0x7f\nMOV R29, UR24");
    STORE("STG.E.64", (unsigned)(left + offsetof(struct left, p)), "R28");
    if (uniform) {
        say("MOV R28, UR20\nMOV R29, UR21\nMOV R30, UR22\nMOV R31, UR23");
        STORE("STG.E.128", (unsigned)(left + offsetof(struct left, ur)), "R28");
    }
    for (unsigned i = 0; i < ROW_SCRATCH; i += 16) {
        say("LDS.128 R28, [R18+0x%x]", i);
        STORE("STG.E.128", (unsigned)(left + offsetof(struct left, shared) + i), "R28");
        say("LDL.128 R28, [R19+0x%x]", i);
        STORE("STG.E.128", (unsigned)(left + offsetof(struct left, local) + i), "R28");
    }
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

static uint64_t word_with_corners(uint64_t *seed)
{
    uint64_t r = random_next(seed);
    uint64_t low = r & 1 ? corner(V_INT, (unsigned)(r >> 8 & 0xff)) : r >> 32;
    r = random_next(seed);
    return low | (r & 1 ? corner(V_INT, (unsigned)(r >> 8 & 0xff)) : r >> 32) << 32;
}

static void fill(struct cell *cells, unsigned count)
{
    uint64_t seed = 7;
    unsigned n = corner_count(V_INT);
    for (unsigned i = 0; i < count; i++) {
        struct start *s = &cells[i].start;
        *s = (struct start){word_with_corners(&seed),
                            word_with_corners(&seed),
                            word_with_corners(&seed),
                            word_with_corners(&seed),
                            random_next(&seed) >> 20 & 0x7f,
                            random_next(&seed) >> 20 & 0x7f,
                            {0},
                            {0}};
        if (i % 2) { /* pairs of corners of A and B */
            s->a = s->a >> 32 << 32 | corner(V_INT, i / 2 % n);
            s->b = s->b >> 32 << 32 | corner(V_INT, i / 2 / n);
        }
        for (unsigned k = 0; k < ROW_SCRATCH; k += 8) {
            uint64_t v = word_with_corners(&seed);
            memcpy(s->scratch + k, &v, 8);
        }
        if (i % 5 == 0) /* what compare-and-swap finds */
            memcpy(s->scratch + i % 2 * 16, &s->a, 8);
    }
}

static struct row_thread thread_of(const struct cell *c, uint64_t address, unsigned variant,
                                   const uint32_t constants[4], unsigned block, unsigned number)
{
    const struct start *s = &c->start;
    struct row_thread t = {.p = (uint8_t)s->p, .up = (uint8_t)s->up, .sm = sm};
    t.global_at = address + offsetof(struct cell, left) + variant * sizeof(struct left) + offsetof(struct left, global);
    t.tid = number % block;
    t.ctaid = number / block;
    t.shared_at = t.tid * ROW_SCRATCH;
    t.constants_at = cubin_parameters(sm) + 8;
    memcpy(t.constants, constants, sizeof t.constants);
    memcpy(t.r + 4, &s->a, 32);
    memcpy(t.r + 20, &s->d, 8);
    memcpy(t.r + 22, &s->d, 8);
    memcpy(t.ur + 8, t.r + 4, 24);
    memcpy(t.ur + 20, t.r + 20, 16);
    memcpy(t.r + 16, &t.global_at, 8);
    memcpy(t.ur + 18, &t.global_at, 8);
    t.r[18] = t.shared_at;
    t.r[24] = t.ur[16] = ROW_STEP;
    for (unsigned i = 0; i < 3; i++)
        t.r[25 + i] = t.shared_at >> (2 + i);
    memcpy(t.global, s->scratch, ROW_SCRATCH);
    memcpy(t.shared, s->scratch, ROW_SCRATCH);
    memcpy(t.local, s->scratch, ROW_SCRATCH); /* at address 0 here, whose distances alone count */
    return t;
}

static bool differs(const char *text, const struct start *s, const struct row_thread *want, const struct left *got)
{
    const struct {
        const char *name;
        const void *want, *got;
        unsigned bytes;
    } parts[] = {{"registers", want->r + 20, got->r, sizeof got->r},
                 {"uniform registers", want->ur + 20, got->ur, uniform ? sizeof got->ur : 0},
                 {"global memory", want->global, got->global, ROW_SCRATCH},
                 {"shared memory", want->shared, got->shared, ROW_SCRATCH},
                 {"local memory", want->local, got->local, ROW_SCRATCH}};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        for (unsigned k = 0; k < parts[i].bytes; k += 4) {
            uint32_t w, g;
            memcpy(&w, (const char *)parts[i].want + k, 4);
            memcpy(&g, (const char *)parts[i].got + k, 4);
            if (w == g)
                continue;
            cr_expect_fail("sm_%u: %s of a %016" PRIx64 " b %016" PRIx64 " c %016" PRIx64 " p %02x up %02x: word %u of "
                           "the %s is %08x, not %08x",
                           sm, text, s->a, s->b, s->c, s->p, s->up, k / 4, parts[i].name, g, w);
            return true;
        }
    if (got->p == want->p && (!uniform || got->up == want->up))
        return false;
    cr_expect_fail("sm_%u: %s of a %016" PRIx64 " b %016" PRIx64 " c %016" PRIx64
                   " p %02x up %02x gives p %02x up %02x, not "
                   "%02x %02x",
                   sm, text, s->a, s->b, s->c, s->p, s->up, got->p, got->up, want->p, want->up);
    return true;
}

/* What a variant leaves in all threads. */
static void compare(const char *text, const struct sass_rig *r, const struct cell *start, unsigned variant,
                    const uint32_t constants[4], unsigned block, unsigned count)
{
    const struct cell *cells = r->buffer;
    for (unsigned i = 0; i < count; i++) {
        uint64_t address = r->address + i * sizeof *cells;
        struct row_thread t = thread_of(&start[i], address, variant, constants, block, i);
        cr_assert(row_execute(&t, text), "%s", text);
        if (differs(text, &start[i].start, &t, &cells[i].left[variant]))
            return;
    }
}

/* Copies are complete when this is over. */
static const char *behind(const struct sass_row *row)
{
    return strcmp(row->name, "LDGSTS") ? "" : "LDGDEPBAR\nDEPBAR.LE SB0, 0x0";
}

static void run_row(const struct sass_row *row, uint64_t *seed)
{
    static struct cell start[UNIFORM_BLOCKS > BLOCK * VECTOR_BLOCKS ? UNIFORM_BLOCKS : BLOCK * VECTOR_BLOCKS];
    char texts[VARIANTS][SASS_TEXT_SIZE];
    const uint32_t constants[4] = {(uint32_t)corner(V_INT, (unsigned)(*seed >> 40)), 0x80000000,
                                   (uint32_t)random_next(seed), (uint32_t)corner(V_INT, (unsigned)(*seed >> 50))};
    const struct sass_site site = {&sass7x_table, sass7x_table.arch(sm), 0};
    uniform = row_is_uniform(row);
    unsigned block = uniform ? 1 : BLOCK, blocks = uniform ? UNIFORM_BLOCKS : VECTOR_BLOCKS;
    struct sass_rig r;
    say_head(block);
    for (unsigned v = 0; v < VARIANTS; v++) {
        struct isa_word word;
        char hex[ISA_WORD_TEXT];
        if (!row_word_of(row, site.arch, cubin_parameters(sm) + 8, seed, &word)) {
            cr_expect_fail("sm_%u: no word of %s %03x (row %d)", sm, row->name, row->value,
                           (int)(row - sass7x_table.rows));
            return;
        }
        cr_assert(sass_print(&site, word, 0, texts[v], NULL));
        say_before(v);
        say("%s", isa_word_print(hex, word, 16));
        say("%s", behind(row));
        say_after(v);
    }
    say("EXIT");
    unsigned count = block * blocks;
    fill(start, count);
    if (sass_rig_load(&r, sm, program, count * sizeof *start)) {
        memcpy(r.buffer, start, count * sizeof *start);
        r.config.dynamic_shared = ROW_SCRATCH * BLOCK;
        r.config.stack_bytes = ROW_SCRATCH;
        bool ok = sass_rig_run(&r, blocks, block, constants);
        cr_expect(ok, "sm_%u: %s: %s", sm, texts[0], r.err.text);
        for (unsigned v = 0; ok && v < VARIANTS; v++)
            compare(texts[v], &r, start, v, constants, block, count);
    } else {
        cr_expect_fail("sm_%u: %s: %s", sm, row->name, r.err.text);
    }
    sass_rig_close(&r);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

bool rows_check(const struct sass_row *row)
{
    return sass_find_meaning(&sass7x_family, row) && row_has_model(row->name) && !row_left_out(row);
}

/* On the first and on the last architecture that has the row; memory is accessed otherwise on each. */
static void walk(const struct row_meaning *list)
{
    uint64_t seed = 1;
    for (unsigned i = 0; i < sass7x_table.row_count; i++) {
        const struct sass_row *row = &sass7x_table.rows[i];
        bool ours = false, all = list == row_memory;
        for (const struct row_meaning *m = list; m->name; m++)
            ours |= !strcmp(m->name, row->name);
        for (unsigned k = 0; ours && rows_check(row) && k < TARGETS_7X; k++) {
            unsigned arch = targets_7x[k].arch;
            bool first = !(row->archs & (arch - 1)), last = row->archs < 2 * arch;
            sm = targets_7x[k].sm;
            if (row->archs & arch && (all || first || last))
                run_row(row, &seed);
        }
    }
}
Test(rows7x, integers) { walk(row_integers); }
Test(rows7x, logic) { walk(row_logic); }
Test(rows7x, moves) { walk(row_moves); }
Test(rows7x, memory) { walk(row_memory); }
