/* Straight lines of loads and stores of shared memory that share address registers, which arithmetic and loads change
 * in between, under guards or not (frontend/core/strides.h). The model makes each access lane by lane. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/engine/rig.h"

enum { WORDS = 4, ADDRESSES = 3, LANES = 32, LENGTH = 200, PROGRAMS = 60, TABLE = 1024, MOST = 31 };

struct state {
    uint32_t r[WORDS][LANES], a[ADDRESSES][LANES];
    uint64_t d[ADDRESSES][LANES];
    uint32_t shared[TABLE + MOST + 1];
};

static uint64_t seed;
static uint32_t random_below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

enum kind { SPREAD, MASK, WIDEN, LOAD, LOAD_WIDE, STORE, STORE_WIDE, CHASE, CHASE_PAIR, KINDS };
struct instruction {
    enum kind kind;
    uint32_t r, a, b, factor, offset;
    int guard; /* 0: none; 1: only lanes below 20; -1: the others */
};

static struct instruction random_instruction(void)
{
    static const uint32_t factors[] = {0, 1, 1, 2, 1023, 333};
    struct instruction i = {.kind = random_below(KINDS), .r = random_below(WORDS), .a = random_below(ADDRESSES)};
    i.b = random_below(ADDRESSES);
    i.factor = factors[random_below(6)];
    i.offset = random_below(MOST);
    i.guard = random_below(5) ? 0 : random_below(2) ? 1 : -1;
    return i;
}

/* What a loaded address is made of: a multiple of 8 within the table. */
static uint32_t masked(uint32_t v) { return v & (4 * TABLE - 8); }

static void print(FILE *f, const struct instruction *i)
{
    char guard[8] = "";
    if (i->guard)
        snprintf(guard, sizeof guard, "@%s%%p ", i->guard < 0 ? "!" : "");
    uint32_t at = 4 * i->offset;
    switch (i->kind) {
    case SPREAD: fprintf(f, "%smul.lo.u32 %%a%u, %%t, %u;\n", guard, i->a, 8 * i->factor); break;
    case MASK: fprintf(f, "%sxor.b32 %%a%u, %%a%u, %%r%u;\n", guard, i->a, i->b, i->r); break;
    case WIDEN: fprintf(f, "%scvt.u64.u32 %%d%u, %%a%u;\n", guard, i->b, i->a); break;
    case LOAD: fprintf(f, "%sld.shared.u32 %%r%u, [%%a%u+%u];\n", guard, i->r, i->a, at); break;
    case LOAD_WIDE: fprintf(f, "%sld.shared.u32 %%r%u, [%%d%u+%u];\n", guard, i->r, i->b, at); break;
    case STORE: fprintf(f, "%sst.shared.u32 [%%a%u+%u], %%r%u;\n", guard, i->a, at, i->r); break;
    case STORE_WIDE: fprintf(f, "%sst.shared.u32 [%%d%u+%u], %%r%u;\n", guard, i->b, at, i->r); break;
    case CHASE: fprintf(f, "%sld.shared.u32 %%a%u, [%%a%u+%u];\n", guard, i->b, i->a, at); break;
    default: fprintf(f, "%sld.shared.v2.u32 {%%r%u, %%a%u}, [%%a%u];\n", guard, i->r, i->b, i->a); break;
    }
    if (i->kind == SPREAD || i->kind == MASK || i->kind == CHASE || i->kind == CHASE_PAIR) {
        uint32_t changed = i->kind == CHASE || i->kind == CHASE_PAIR ? i->b : i->a;
        fprintf(f, "and.b32 %%a%u, %%a%u, %u;\n", changed, changed, masked(~0u));
    }
}

static uint32_t *word_at(struct state *s, uint64_t address, uint32_t offset)
{
    cr_assert_lt(address / 4 + offset, sizeof s->shared / 4);
    return &s->shared[address / 4 + offset];
}

static void execute_lane(struct state *s, const struct instruction *i, uint32_t l)
{
    uint32_t *r = &s->r[i->r][l], *a = &s->a[i->a][l], *b = &s->a[i->b][l], from = *a;
    uint64_t *d = &s->d[i->b][l];
    switch (i->kind) {
    case SPREAD: *a = masked(l * 8 * i->factor); break;
    case MASK: *a = masked(*b ^ *r); break;
    case WIDEN: *d = *a; break;
    case LOAD: *r = *word_at(s, *a, i->offset); break;
    case LOAD_WIDE: *r = *word_at(s, *d, i->offset); break;
    case STORE: *word_at(s, *a, i->offset) = *r; break;
    case STORE_WIDE: *word_at(s, *d, i->offset) = *r; break;
    case CHASE: *b = masked(*word_at(s, from, i->offset)); break;
    default:
        *r = *word_at(s, from, 0);
        *b = masked(*word_at(s, from, 1));
        break;
    }
}

static void execute(struct state *s, const struct instruction *i)
{
    for (uint32_t l = 0; l < LANES; l++)
        if (!i->guard || (l < 20) == (i->guard > 0))
            execute_lane(s, i, l);
}

/* Each lane fills words l, l + 32, ... of the table; a jump to the middle divides the straight line. */
static char *text_of(const struct instruction *list)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            ".visible .entry k(.param .u64 arg0)\n{\n.reg .pred %%p, %%q; .reg .b32 %%r<%d>, %%a<%d>, %%t, %%i, %%v;\n"
            ".reg .b64 %%d<%d>, %%o;\n.shared .align 16 .b8 s[%d];\n",
            WORDS, ADDRESSES, ADDRESSES, 4 * (TABLE + MOST + 1));
    fprintf(f, "ld.param.u64 %%o, [arg0];\nmov.u32 %%t, %%tid.x;\nmad.wide.u32 %%o, %%t, 64, %%o;\n"
               "mov.u32 %%v, s;\nmad.lo.u32 %%i, %%t, 4, %%v;\nFILL: mul.lo.u32 %%v, %%i, 0x9e3779b1;\nst.shared.u32 "
               "[%%i], %%v;\n"
               "add.u32 %%i, %%i, 128;\n");
    fprintf(f, "setp.lt.u32 %%q, %%i, %d;\n@%%q bra FILL;\n", 4 * (TABLE + MOST + 1));
    for (int i = 0; i < WORDS; i++)
        fprintf(f, "mad.lo.u32 %%r%d, %%t, 0x9e3779b1, %d;\n", i, 77777 * i);
    for (int i = 0; i < ADDRESSES; i++)
        fprintf(f, "mul.lo.u32 %%a%d, %%t, %d;\ncvt.u64.u32 %%d%d, %%a%d;\n", i, 8 * i, i, i);
    fprintf(f, "setp.lt.u32 %%p, %%t, 20;\nsetp.eq.u32 %%q, %%t, 99;\n@%%q bra MIDDLE;\n");
    for (int i = 0; i < LENGTH; i++) {
        if (i == LENGTH / 2)
            fprintf(f, "MIDDLE:\n");
        print(f, &list[i]);
    }
    for (int i = 0; i < WORDS; i++)
        fprintf(f, "st.global.u32 [%%o+%d], %%r%d;\n", 4 * i, i);
    for (int i = 0; i < ADDRESSES; i++)
        fprintf(f, "st.global.u32 [%%o+%d], %%a%d;\n", 4 * (WORDS + i), i);
    fprintf(f, "ret;\n}\n");
    fclose(f);
    return text;
}

static void model(struct state *s, const struct instruction *list)
{
    for (uint32_t i = 0; i < sizeof s->shared / 4; i++)
        s->shared[i] = 4 * i * 0x9e3779b1u;
    for (uint32_t l = 0; l < LANES; l++) {
        for (uint32_t i = 0; i < WORDS; i++)
            s->r[i][l] = l * 0x9e3779b1u + 77777 * i;
        for (uint32_t i = 0; i < ADDRESSES; i++)
            s->d[i][l] = s->a[i][l] = l * 8 * i;
    }
    for (uint32_t i = 0; i < LENGTH; i++)
        execute(s, &list[i]);
}

Test(strides, random_straight_lines_access_what_a_lane_at_a_time_does)
{
    static struct state s;
    for (int program = 0; program < PROGRAMS; program++) {
        struct instruction list[LENGTH];
        struct rig rig;
        seed = (uint64_t)program;
        for (int i = 0; i < LENGTH; i++)
            list[i] = random_instruction();
        char *text = text_of(list);
        rig_open(&rig, text, 1, (uint64_t[]){64 * LANES});
        cr_assert(rig_run(&rig, 1, LANES), "program %d: %s", program, rig.err.text);
        model(&s, list);
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t words[16];
            memcpy(words, (const uint8_t *)rig.host[0] + 64 * l, sizeof words);
            for (int i = 0; i < WORDS; i++)
                cr_assert_eq(words[i], s.r[i][l], "program %d, lane %u, %%r%d", program, l, i);
            for (int i = 0; i < ADDRESSES; i++)
                cr_assert_eq(words[WORDS + i], s.a[i][l], "program %d, lane %u, %%a%d", program, l, i);
        }
        rig_close(&rig);
        free(text);
    }
}

/* Words and pairs of words of a table that holds 0, 1, 2, ..., one lane beside the other or all lanes at one place; and
 * from a second variable by the register of the first. */
static const char even_loads[] =
    ".visible .entry k(.param .u64 arg0)\n{\n.reg .pred %p; .reg .b32 %a, %b, %c, %t, %i, %r<8>; .reg .b64 %o, %d<4>;\n"
    ".shared .align 16 .b8 s[1024]; .shared .align 16 .b8 one[4];\n"
    "ld.param.u64 %o, [arg0]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 64, %o;\n"
    "mov.u32 %c, s; mad.lo.u32 %a, %t, 4, %c; mad.lo.u32 %b, %t, 8, %c; mov.u32 %r7, %t; mov.u32 %i, %a;\n"
    "FILL: st.shared.u32 [%i], %r7; add.u32 %r7, %r7, 32; add.u32 %i, %i, 128; setp.lt.u32 %p, %r7, 256; @%p bra "
    "FILL;\n"
    "st.shared.u32 [one], 77; setp.lt.u32 %p, %t, 5;\n"
    "ld.shared.u32 %r0, [%a]; ld.shared.u32 %r1, [%a+896]; mov.u32 %r2, 9; @%p ld.shared.u32 %r2, [%a+128];\n"
    "ld.shared.u32 %r3, [%c]; ld.shared.u32 %r4, [%c+1020]; mov.u32 %r6, one; ld.shared.u32 %r5, [%r6];\n"
    "ld.shared.u32 %r5, [%r6];\n"
    "ld.shared.u64 %d0, [%b]; ld.shared.u64 %d1, [%b+768]; ld.shared.u64 %d2, [%c+8]; ld.shared.u64 %d3, [%c+1016];\n"
    "st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3}; st.global.v2.u32 [%o+16], {%r4, %r5};\n"
    "st.global.v2.u64 [%o+32], {%d0, %d1}; st.global.v2.u64 [%o+48], {%d2, %d3}; ret;\n}\n";

Test(strides, loads_side_by_side_and_of_one_place)
{
    struct rig rig;
    rig_open(&rig, even_loads, 1, (uint64_t[]){64 * LANES});
    cr_assert(rig_run(&rig, 1, LANES), "%s", rig.err.text);
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t *got = (const uint32_t *)rig.host[0] + 16 * l;
        const uint32_t wanted[16] = {l,     224 + l,   l < 5 ? 32 + l : 9, 0,           255, 77, 0,   0,
                                     2 * l, 2 * l + 1, 192 + 2 * l,        193 + 2 * l, 2,   3,  254, 255};
        for (int i = 0; i < 16; i++)
            cr_assert_eq(got[i], wanted[i], "lane %u, word %d: %u", l, i, got[i]);
    }
    rig_close(&rig);
}

/* Products of a column and a row of a table that holds 0, 1, 2, ..., as tiles of matrices have them: pairs of loads
 * with arithmetic behind them, with a guard, and with another load. `%u` is where the last load but two lies. */
#define PRODUCTS                                                                                                       \
    ".visible .entry k(.param .u64 arg0)\n{\n.reg .pred %%p; .reg .b32 %%a, %%c, %%t, %%i, %%v, %%x, %%y, %%z, %%r;\n" \
    ".reg .b64 %%o;\n.shared .align 16 .b8 s[1024];\n"                                                                 \
    "ld.param.u64 %%o, [arg0]; mov.u32 %%t, %%tid.x; mad.wide.u32 %%o, %%t, 4, %%o;\n"                                 \
    "mov.u32 %%c, s; mad.lo.u32 %%a, %%t, 4, %%c; mov.u32 %%v, %%t; mov.u32 %%i, %%a; mov.u32 %%r, 0;\n"               \
    "FILL: st.shared.u32 [%%i], %%v; add.u32 %%v, %%v, 32; add.u32 %%i, %%i, 128; setp.lt.u32 %%p, %%v, 256;\n"        \
    "@%%p bra FILL;\nsetp.lt.u32 %%p, %%t, 7;\n"                                                                       \
    "ld.shared.u32 %%x, [%%a]; ld.shared.u32 %%y, [%%c]; mad.lo.u32 %%r, %%x, %%y, %%r;\n"                             \
    "ld.shared.u32 %%x, [%%a+128]; ld.shared.u32 %%y, [%%c+4]; mad.lo.u32 %%r, %%x, %%y, %%r;\n"                       \
    "ld.shared.u32 %%x, [%%c+8]; ld.shared.u32 %%y, [%%a+256]; @%%p mad.lo.u32 %%r, %%x, %%y, %%r;\n"                  \
    "ld.shared.u32 %%x, [%%a+384]; ld.shared.u32 %%y, [%%c+12]; ld.shared.u32 %%z, [%%a+512];\n"                       \
    "mad.lo.u32 %%r, %%x, %%y, %%r; add.u32 %%r, %%r, %%z;\n"                                                          \
    "@%%p ld.shared.u32 %%x, [%%a+640]; ld.shared.u32 %%y, [%%c+%u]; mad.lo.u32 %%r, %%x, %%y, %%r;\n"                 \
    "ld.shared.u32 %%x, [%%a+768]; ld.shared.u32 %%y, [%%c+%u]; mad.lo.u32 %%r, %%x, %%y, %%r;\n"                      \
    "st.global.u32 [%%o], %%r; ret;\n}\n"

static char *products(uint32_t third, uint32_t last)
{
    char *text = NULL;
    cr_assert_gt(asprintf(&text, PRODUCTS, third, last), 0);
    return text;
}

Test(strides, loads_and_arithmetic_by_turns)
{
    struct rig rig;
    char *text = products(20, 24);
    rig_open(&rig, text, 1, (uint64_t[]){4 * LANES});
    cr_assert(rig_run(&rig, 1, LANES), "%s", rig.err.text);
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t r = 32 + l + (l < 7 ? 2 * (64 + l) : 0) + 3 * (96 + l) + 128 + l;
        r += 5 * (l < 7 ? 160 + l : 96 + l) + 6 * (192 + l);
        cr_expect_eq(((const uint32_t *)rig.host[0])[l], r, "lane %u", l);
    }
    rig_close(&rig);
    free(text);
}

/* The instruction at fault, and how many the warp has executed, are those of the load that is out of bounds. */
Test(strides, the_second_of_two_loads_may_fail)
{
    struct rig rig;
    uint64_t before = 0;
    uint32_t at = 0;
    for (int second = 0; second < 2; second++) {
        char *text = second ? products(20, 1024) : products(1024, 24);
        rig_open(&rig, text, 1, (uint64_t[]){4 * LANES});
        rig_expect_fault(&rig, 1, LANES, RP_FAULT_BOUNDS, "shared");
        cr_expect(!second || rig.result.fault_instruction == at + 3);
        cr_expect(!second || rig.result.warp_instructions == before + 3);
        before = rig.result.warp_instructions;
        at = rig.result.fault_instruction;
        rig_close(&rig);
        free(text);
    }
}
