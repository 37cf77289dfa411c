/* Register slots: random programs are run twice side by side, with registers of their own and with the slots they were
 * given; every value that a lane reads must be the one that it wrote last. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/ptx/allocate.h"
#include "tests/unit/ptx/support.h"

enum { BLOCKS = 10, UOPS = 60, REGISTERS = 24, SUCCESSORS = 2, PROGRAMS = 1500, STEPS = 400, WINDOW = 1 << 15 };

struct random_program {
    struct operation operations[UOPS];
    struct operand lists[UOPS][2];
    uint32_t count, blocks, start[BLOCKS + 1], successors[BLOCKS][SUCCESSORS];
    uint32_t pred_start[BLOCKS + 2], preds[BLOCKS * SUCCESSORS];
    uint8_t element[REGISTERS];
};

static struct operand random_register(const struct random_program *p, uint64_t *seed, bool predicate)
{
    for (;;) {
        uint32_t r = next_random(seed, REGISTERS);
        if ((p->element[r] == 0) == predicate)
            return OPERAND_REGISTER(r);
    }
}

static void random_uop(struct random_program *p, uint32_t i, uint64_t *seed)
{
    struct operation *u = &p->operations[i];
    *u = (struct operation){.kind = UOP_LANE, .op = OP_ADD, .index = 7 + i};
    if (next_random(seed, 4) == 0)
        u->guard = random_register(p, seed, true);
    switch (next_random(seed, 6)) {
    case 0: /* compare */
        u->op = OP_SETP;
        u->a = random_register(p, seed, false);
        u->pd = random_register(p, seed, true);
        break;
    case 1: /* vector load: the address must outlive the first element */
        u->kind = UOP_MEMORY;
        u->memory.kind = RP_ACCESS_LOAD;
        u->a = random_register(p, seed, false);
        u->lists[0] = (struct operand_list){p->lists[i], 2};
        p->lists[i][0] = random_register(p, seed, false);
        do
            p->lists[i][1] = random_register(p, seed, false);
        while (p->lists[i][1].at == p->lists[i][0].at);
        break;
    case 2: /* store */
        u->kind = UOP_MEMORY;
        u->memory.kind = RP_ACCESS_STORE;
        u->a = random_register(p, seed, false);
        u->d = random_register(p, seed, false);
        break;
    default:
        u->a = random_register(p, seed, false);
        u->b = random_register(p, seed, false);
        u->d = random_register(p, seed, false);
    }
}

static void random_edges(struct random_program *p, uint64_t *seed)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < p->blocks; b++)
        for (uint32_t s = 0; s < SUCCESSORS; s++)
            p->successors[b][s] = next_random(seed, p->blocks);
    for (uint32_t b = 0; b < p->blocks; b++) {
        p->pred_start[b] = n;
        for (uint32_t from = 0; from < p->blocks; from++)
            for (uint32_t s = 0; s < SUCCESSORS; s++)
                if (p->successors[from][s] == b)
                    p->preds[n++] = from;
    }
    p->pred_start[p->blocks] = n;
}

static void make_program(struct random_program *p, uint64_t *seed)
{
    static const uint8_t sizes[] = {0, 2, 4, 4, 8, 8, 16};
    memset(p, 0, sizeof *p);
    p->blocks = 1 + next_random(seed, BLOCKS);
    for (uint32_t r = 0; r < REGISTERS; r++)
        p->element[r] = r < 2 ? 0 : r < 4 ? 4 : sizes[next_random(seed, sizeof sizes)];
    for (uint32_t b = 0; b < p->blocks; b++) {
        p->start[b] = p->count;
        for (uint32_t n = 1 + next_random(seed, UOPS / BLOCKS - 1); n > 0; n--)
            random_uop(p, p->count++, seed);
    }
    p->start[p->blocks] = p->count;
    random_edges(p, seed);
}

/* ---- running: some lanes go each their own way, in turns, as lanes do where paths have parted. A value is a number,
 * written to every 2 bytes of the lane's element; a predicate's to a cell for its word and lane ---- */

enum { LANES = 5 };
static const uint32_t lane_numbers[LANES] = {0, 1, 7, 15, 31};

struct run {
    const struct random_program *program;
    const struct allocation *where;
    uint16_t window[WINDOW / 2];
    uint16_t predicates[WINDOW / 4][LANES];
    uint16_t own[LANES][REGISTERS]; /* 0: not written on this way */
    uint32_t block[LANES], lane;
    uint16_t next;
    bool reading, writing, agree;
};

static uint32_t slot_bytes(const struct random_program *p, uint32_t r)
{
    return p->element[r] ? p->element[r] * 32u : 4;
}

static uint16_t *cells(struct run *run, uint32_t r, uint32_t *count)
{
    uint32_t element = run->program->element[r], offset = run->where->offset[r];
    *count = element ? element / 2 : 1;
    return element ? &run->window[(offset + lane_numbers[run->lane] * element) / 2]
                   : &run->predicates[offset / 4][run->lane];
}

static void access_register(void *data, struct operand *o, bool is_destination)
{
    struct run *run = data;
    uint32_t r = register_offset(*o), count;
    uint16_t *cell = cells(run, r, &count), *own = &run->own[run->lane][r];
    if (is_destination && run->writing) {
        *own = ++run->next ? run->next : ++run->next;
        for (uint32_t i = 0; i < count; i++)
            cell[i] = *own;
    }
    if (!is_destination && run->reading && *own)
        for (uint32_t i = 0; i < count; i++)
            run->agree &= cell[i] == *own;
}

static bool run_program(struct random_program *p, const struct allocation *where, uint64_t *seed)
{
    struct run *run = calloc(1, sizeof *run);
    cr_assert(run);
    run->program = p;
    run->where = where;
    run->agree = true;
    for (uint32_t step = 0; step < STEPS && run->agree; step++) {
        run->lane = next_random(seed, LANES);
        uint32_t *block = &run->block[run->lane];
        for (uint32_t i = p->start[*block]; i < p->start[*block + 1]; i++) {
            run->reading = true;
            run->writing = false;
            each_register(&p->operations[i], access_register, run);
            run->reading = false;
            run->writing = !is_register(p->operations[i].guard) || next_random(seed, 2);
            each_register(&p->operations[i], access_register, run);
        }
        *block = p->successors[*block][next_random(seed, SUCCESSORS)];
    }
    bool agree = run->agree;
    free(run);
    return agree;
}

/* ---- live registers: by sets, operation by operation, until nothing changes ---- */

struct live_sets {
    const struct random_program *program;
    uint32_t reads, writes, kills; /* of the operation at hand; a bit per register */
    uint32_t in[UOPS], at[UOPS], after[UOPS];
    bool guarded;
};

static void note_register(void *data, struct operand *o, bool is_destination)
{
    struct live_sets *s = data;
    uint32_t bit = 1u << register_offset(*o);
    s->reads |= is_destination && !s->guarded ? 0 : bit; /* under a guard the old value stays in some lanes */
    s->writes |= is_destination ? bit : 0;
}

static uint32_t behind(const struct live_sets *s, uint32_t i)
{
    const struct random_program *p = s->program;
    for (uint32_t b = 0; b < p->blocks; b++)
        if (i + 1 == p->start[b + 1])
            return s->in[p->start[p->successors[b][0]]] | s->in[p->start[p->successors[b][1]]];
    return s->in[i + 1];
}

static void find_live(struct random_program *p, struct live_sets *s)
{
    *s = (struct live_sets){.program = p};
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->count; i++) {
            uint32_t before = s->in[i];
            s->guarded = is_register(p->operations[i].guard);
            s->reads = s->writes = 0;
            each_register(&p->operations[i], note_register, s);
            s->after[i] = behind(s, i);
            s->in[i] = s->reads | (s->after[i] & ~s->writes);
            s->at[i] = s->in[i] | s->writes;
            changed |= s->in[i] != before;
        }
    }
}

static uint32_t units(const struct random_program *p, uint32_t set, bool predicates)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < REGISTERS; r++)
        if (set >> r & 1)
            n += predicates ? !p->element[r] : (p->element[r] + 3u) / 4;
    return n;
}

static void check_live(struct random_program *p, const struct allocation *where, int round)
{
    struct live_sets s;
    find_live(p, &s);
    cr_assert_eq(where->live_count, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        cr_assert_eq(where->live[i].registers, units(p, s.at[i], false), "program %d, operation %u", round, i);
        cr_assert_eq(where->live[i].predicates, units(p, s.at[i], true), "program %d, operation %u", round, i);
        cr_assert_eq(where->live[i].after, units(p, s.after[i], false), "program %d, operation %u", round, i);
    }
}

struct check {
    int round;
    uint64_t seed;
    uint64_t given, plain; /* bytes of windows, and what they would be with a slot for each register */
    struct random_program program;
};

static void check_program(struct arena *arena, void *data)
{
    struct check *c = data;
    struct random_program *p = &c->program;
    struct allocation where;
    make_program(p, &c->seed);
    struct flow flow = {p->blocks, p->start, p->pred_start, p->preds};
    allocate_registers(arena, p->operations, &flow, p->element, REGISTERS, REGISTERS, &where);
    cr_assert_leq(where.window_bytes, WINDOW);
    cr_assert_eq(where.window_bytes % 64, 0);
    uint32_t all = 0;
    for (uint32_t r = 0; r < REGISTERS; r++) {
        c->plain += slot_bytes(p, r);
        all += (p->element[r] + 3u) / 4;
        cr_assert_eq(where.offset[r] % (p->element[r] ? slot_bytes(p, r) : 4), 0, "register %u is not aligned", r);
    }
    cr_assert_leq(where.pressure, all);
    check_live(p, &where, c->round);
    for (int way = 0; way < 4; way++)
        cr_assert(run_program(p, &where, &c->seed), "program %d reads a value that another overwrote", c->round);
    c->given += where.window_bytes;
}

Test(registers, random_programs_keep_their_values)
{
    struct check *c = calloc(1, sizeof *c);
    cr_assert(c);
    c->seed = 7;
    for (c->round = 0; c->round < PROGRAMS; c->round++)
        with_arena(check_program, c);
    cr_expect_lt(c->given, c->plain); /* slots are shared at all */
    free(c);
}

/* Straight code, where the most registers alive at once can be counted by hand. */
Test(registers, pressure_and_window_of_a_chain)
{
    struct module *m;
    struct program *p = only_program(".entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p<3>;\n"
                                     "ld.param.u64 %d1, [out];\n"  /* d1: 2 */
                                     "mov.u32 %r1, %tid.x;\n"      /* d1 r1: 3 */
                                     "add.u32 %r2, %r1, 1;\n"      /* d1 r1 r2: 4, most */
                                     "mul.lo.u32 %r3, %r1, %r2;\n" /* r3 takes r1's or r2's place */
                                     "add.u32 %r4, %r3, 5;\n"
                                     "st.global.u32 [%d1], %r4;\n"
                                     "ret; }",
                                     &m);
    cr_expect_eq(p->window_bytes, 256 + 2 * 128); /* one 64-bit slot, two 32-bit slots */
    cr_expect_eq(p->kernel.registers, 4 + 2);     /* and the two that a compiler keeps for itself */
    module_free(m);
}

/* The paper's example of a list of changes: an operation that needs three registers, and a store that releases them. */
Test(registers, live_registers_of_a_chain)
{
    static const struct rp_live expected[] = {{2, 0, 2}, {3, 0, 3}, {4, 0, 4}, {5, 0, 3}, {3, 0, 0}, {0, 0, 0}};
    struct module *m;
    struct program *p = only_program(".entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %d<3>;\n"
                                     "ld.param.u64 %d1, [out];\n"
                                     "mov.u32 %r1, %tid.x;\n"
                                     "add.u32 %r2, %r1, 1;\n"
                                     "mul.lo.u32 %r3, %r1, %r2;\n" /* r1 and r2 are read for the last time */
                                     "st.global.u32 [%d1], %r3;\n"
                                     "ret; }",
                                     &m);
    cr_assert_eq(p->kernel.instruction_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        const struct rp_live *live = &p->kernel.live[i];
        cr_expect(!memcmp(live, &expected[i], sizeof *live), "%s: %u %u %u", p->kernel.instructions[i].text,
                  live->registers, live->predicates, live->after);
    }
    module_free(m);
}

/* What is alive across a loop keeps its slot in all of it. */
Test(registers, values_survive_loops)
{
    struct module *m;
    struct program *p = only_program(".entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p<3>;\n"
                                     "ld.param.u64 %d1, [out]; mov.u32 %r1, 0; mov.u32 %r5, 7;\n"
                                     "L: add.u32 %r2, %r1, 1; mov.u32 %r1, %r2; setp.lt.u32 %p1, %r1, 10; @%p1 bra L;\n"
                                     "st.global.u32 [%d1], %r5; ret; }",
                                     &m);
    uintptr_t kept = 0;
    for (uint32_t i = 0; i < p->uop_count; i++) {
        const struct operation *u = &p->operations[i];
        const char *text = p->kernel.instructions[u->index].text;
        if (strcmp(text, "mov.u32 %r5, 7") == 0)
            kept = u->d.at;
        else if (u->kind == UOP_LANE && is_register(u->d))
            cr_expect(kept == 0 || u->d.at != kept, "%s overwrites %%r5", text);
    }
    cr_expect_neq(kept, 0);
    module_free(m);
}
