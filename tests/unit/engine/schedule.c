/* Long straight lines of instructions that depend on one another in every way: through registers of 32 and 64 bits,
 * predicates, guards and the carry flag. The engine brings equal ones together (frontend/core/schedule.h); the results
 * are those of a model that executes one after another. Few registers make for many dependences. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/engine/rig.h"

enum { WORDS = 6, LONGS = 3, PREDICATES = 3, LANES = 32, LENGTH = 300, PROGRAMS = 60 };

struct state {
    uint32_t r[WORDS];
    uint64_t d[LONGS];
    bool p[PREDICATES], carry;
};

static uint64_t seed;
static uint32_t random_below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

enum kind { ADD, ADD_IMMEDIATE, MUL, XOR, SHL, MAD_WIDE, ADD64, SETP, SELP, ADD_CC, ADDC, MOV_LOW, NOT_P, KINDS };
struct instruction {
    enum kind kind;
    uint32_t d, a, b, immediate, p;
    int guard; /* 0: none, 1: @p, -1: @!p */
};

static struct instruction random_instruction(void)
{
    struct instruction i = {.kind = random_below(KINDS),
                            .d = random_below(WORDS),
                            .a = random_below(WORDS),
                            .b = random_below(WORDS),
                            .immediate = random_below(1 << 20),
                            .p = random_below(PREDICATES)};
    i.guard = random_below(4) ? 0 : random_below(2) ? 1 : -1;
    return i;
}

static void print(FILE *f, const struct instruction *i)
{
    uint32_t d = i->d % LONGS, a = i->a % LONGS, q = (i->p + 1) % PREDICATES;
    if (i->guard)
        fprintf(f, "@%s%%p%u ", i->guard < 0 ? "!" : "", q);
    switch (i->kind) {
    case ADD: fprintf(f, "add.u32 %%r%u, %%r%u, %%r%u;\n", i->d, i->a, i->b); break;
    case ADD_IMMEDIATE: fprintf(f, "add.u32 %%r%u, %%r%u, %u;\n", i->d, i->a, i->immediate); break;
    case MUL: fprintf(f, "mul.lo.u32 %%r%u, %%r%u, %%r%u;\n", i->d, i->a, i->b); break;
    case XOR: fprintf(f, "xor.b32 %%r%u, %%r%u, %%r%u;\n", i->d, i->a, i->b); break;
    case SHL: fprintf(f, "shl.b32 %%r%u, %%r%u, %u;\n", i->d, i->a, i->immediate % 8); break;
    case MAD_WIDE: fprintf(f, "mad.wide.u32 %%d%u, %%r%u, %%r%u, %%d%u;\n", d, i->a, i->b, a); break;
    case ADD64: fprintf(f, "add.u64 %%d%u, %%d%u, 0x%x00000001;\n", d, a, i->immediate); break;
    case SETP: fprintf(f, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", i->p, i->a, i->b); break;
    case SELP: fprintf(f, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", i->d, i->a, i->b, i->p); break;
    case ADD_CC: fprintf(f, "add.cc.u32 %%r%u, %%r%u, %%r%u;\n", i->d, i->a, i->b); break;
    case ADDC: fprintf(f, "addc.u32 %%r%u, %%r%u, 7;\n", i->d, i->a); break;
    case MOV_LOW: fprintf(f, "cvt.u32.u64 %%r%u, %%d%u;\n", i->d, a); break;
    default: fprintf(f, "not.pred %%p%u, %%p%u;\n", i->p, q); break;
    }
}

static void execute(struct state *s, const struct instruction *i)
{
    uint32_t d = i->d % LONGS, a = i->a % LONGS, q = (i->p + 1) % PREDICATES;
    uint32_t x = s->r[i->a], y = s->r[i->b];
    if (i->guard && s->p[q] != (i->guard > 0))
        return;
    switch (i->kind) {
    case ADD: s->r[i->d] = x + y; break;
    case ADD_IMMEDIATE: s->r[i->d] = x + i->immediate; break;
    case MUL: s->r[i->d] = x * y; break;
    case XOR: s->r[i->d] = x ^ y; break;
    case SHL: s->r[i->d] = x << i->immediate % 8; break;
    case MAD_WIDE: s->d[d] = (uint64_t)x * y + s->d[a]; break;
    case ADD64: s->d[d] = s->d[a] + ((uint64_t)i->immediate << 32 | 1); break;
    case SETP: s->p[i->p] = x < y; break;
    case SELP: s->r[i->d] = s->p[i->p] ? x : y; break;
    case ADD_CC:
        s->r[i->d] = x + y;
        s->carry = ((uint64_t)x + y) >> 32;
        break;
    case ADDC: s->r[i->d] = x + 7 + s->carry; break;
    case MOV_LOW: s->r[i->d] = (uint32_t)s->d[a]; break;
    default: s->p[i->p] = !s->p[q]; break;
    }
}

/* The lane's number gives the first values; a jump into the middle makes that a place where a stretch begins. */
static char *text_of(const struct instruction *list)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            ".visible .entry k(.param .u64 arg0)\n{\n.reg .pred %%p<%d>, %%q; .reg .b32 %%r<%d>, %%t, %%v; "
            ".reg .b64 %%d<%d>, %%o, %%w;\n",
            PREDICATES, WORDS, LONGS);
    fprintf(f, "ld.param.u64 %%o, [arg0];\nmov.u32 %%t, %%tid.x;\nmad.wide.u32 %%o, %%t, 64, %%o;\n");
    for (int i = 0; i < WORDS; i++)
        fprintf(f, "mad.lo.u32 %%r%d, %%t, 0x9e3779b1, %d;\n", i, 77777 * i);
    for (int i = 0; i < LONGS; i++)
        fprintf(f, "cvt.u64.u32 %%d%d, %%r%d;\n", i, i);
    for (int i = 0; i < PREDICATES; i++)
        fprintf(f, "setp.gt.u32 %%p%d, %%t, %d;\n", i, 5 * i);
    fprintf(f, "add.cc.u32 %%v, %%t, 0;\nsetp.eq.u32 %%q, %%t, 99;\n@%%q bra MIDDLE;\n");
    for (int i = 0; i < LENGTH; i++) {
        if (i == LENGTH / 2)
            fprintf(f, "MIDDLE:\n");
        print(f, &list[i]);
    }
    for (int i = 0; i < WORDS; i++)
        fprintf(f, "st.global.u32 [%%o+%d], %%r%d;\n", 4 * i, i);
    for (int i = 0; i < LONGS; i++)
        fprintf(f, "st.global.u64 [%%o+%d], %%d%d;\n", 24 + 8 * i, i);
    for (int i = 0; i < PREDICATES; i++)
        fprintf(f, "selp.u32 %%v, 1, 0, %%p%d;\nst.global.u32 [%%o+%d], %%v;\n", i, 48 + 4 * i);
    fprintf(f, "ret;\n}\n");
    fclose(f);
    return text;
}

static struct state model(uint32_t lane, const struct instruction *list)
{
    struct state s = {.carry = false};
    for (uint32_t i = 0; i < WORDS; i++)
        s.r[i] = lane * 0x9e3779b1u + 77777 * i;
    for (uint32_t i = 0; i < LONGS; i++)
        s.d[i] = s.r[i];
    for (uint32_t i = 0; i < PREDICATES; i++)
        s.p[i] = lane > 5 * i;
    for (uint32_t i = 0; i < LENGTH; i++)
        execute(&s, &list[i]);
    return s;
}

static void expect(const uint8_t *out, uint32_t lane, const struct state *s, int program)
{
    uint32_t words[16];
    uint64_t longs[8];
    memcpy(words, out + 64 * lane, 64);
    memcpy(longs, out + 64 * lane, 64);
    for (int i = 0; i < WORDS; i++)
        cr_assert_eq(words[i], s->r[i], "program %d, lane %u, %%r%d", program, lane, i);
    for (int i = 0; i < LONGS; i++)
        cr_assert_eq(longs[3 + i], s->d[i], "program %d, lane %u, %%d%d", program, lane, i);
    for (int i = 0; i < PREDICATES; i++)
        cr_assert_eq(words[12 + i], s->p[i], "program %d, lane %u, %%p%d", program, lane, i);
}

Test(schedule, random_straight_lines_give_what_their_order_says)
{
    for (int program = 0; program < PROGRAMS; program++) {
        struct instruction list[LENGTH];
        seed = (uint64_t)program;
        for (int i = 0; i < LENGTH; i++)
            list[i] = random_instruction();
        char *text = text_of(list);
        struct rig rig;
        rig_open(&rig, text, 1, (uint64_t[]){64 * LANES});
        cr_assert(rig_run(&rig, 1, LANES), "program %d: %s", program, rig.err.text);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            struct state s = model(lane, list);
            expect(rig.host[0], lane, &s, program);
        }
        rig_close(&rig);
        free(text);
    }
}
