/* In which order the arms of a divergent branch run: programs in machine code for sm_90 that note it themselves, for
 * the engine and, through judge.c, for a GPU.
 *
 * A line "#N" of a program notes the place N in one of three ways, each a test:
 *   counter    the lowest active lane takes the next number of a counter in global memory and writes place and active
 *              lanes there: entry i at word 2 + 2i of the buffer
 *   clock      each lane adds place and clock to its own list: word 64 * (lane + 1)
 *   register   each lane keeps the clock of its last pass in a register, and writes all at the end: word
 *              64 * (lane + 1) + N; no access to memory comes between two notes
 * Prints what the engine notes; with GPU_VALUES=0 found.c keeps both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass_rig.h"

enum { BYTES = 64 * 1024, TEXT = 32768, PLACES = 12, ENTRIES = 500 };

struct order_case {
    const char *name, *text;
    uint32_t p0, p1; /* a bit for each lane */
    uint32_t p2;
};

/* P0 to P2: the lane's bits of the three words; R6: the lane. Free: R40 on, P3 to P5. */
static const char prologue[] =
    "S2R R6, SR_LANEID\nMOV R2, c[0x0][0x210]\nMOV R3, c[0x0][0x214]\nMOV R20, c[0x0][0x218]\nMOV R21, c[0x0][0x21c]\n"
    "MOV R22, c[0x0][0x220]\nULDC.64 UR4, c[0x0][0x208]\nS2R R9, SR_LTMASK\nMOV R8, 0x1\n"
    "SHF.R.U32.HI R20, RZ, R6, R20\nSHF.R.U32.HI R21, RZ, R6, R21\nSHF.R.U32.HI R22, RZ, R6, R22\n"
    "LOP3.LUT P0, RZ, R20, 0x1, RZ, 0xc0, !PT\nLOP3.LUT P1, RZ, R21, 0x1, RZ, 0xc0, !PT\n"
    "LOP3.LUT P2, RZ, R22, 0x1, RZ, 0xc0, !PT\nIADD3 R16, R6, 0x1, RZ\nMOV R17, 0x100\nIMAD.WIDE.U32 R16, R16, R17, "
    "R2\n"
    "MOV R24, RZ\nMOV R25, RZ\nMOV R26, RZ\nMOV R27, RZ\nMOV R28, RZ\nMOV R29, RZ\nMOV R30, RZ\nMOV R31, RZ\n"
    "MOV R32, RZ\nMOV R33, RZ\nMOV R34, RZ\nMOV R35, RZ\nMOV R40, RZ\nMOV R41, RZ\n";
static const char epilogue[] = "end:\nSTG.E.128 desc[UR4][R16.64+0xc0], R24\nSTG.E.128 desc[UR4][R16.64+0xd0], R28\n"
                               "STG.E.128 desc[UR4][R16.64+0xe0], R32\nSTG.E.64 desc[UR4][R16.64+0xf0], R40\nEXIT\n";

#define MEET "sync:\nBSYNC B0\nmeet:\n#3\nBRA <end>\n"
#define ARMS(guard) "BSSY B0, <meet>\n" guard " BRA <taken>\n#1\n#4\nBRA <sync>\ntaken:\n#2\n#5\n" MEET

static const struct order_case cases[] = {
    /* One branch: who goes first, by how many take it and where they are. */
    {"half_low", ARMS("@P0"), 0x0000ffff, 0, 0},
    {"half_high", ARMS("@P0"), 0xffff0000, 0, 0},
    {"odd", ARMS("@P0"), 0xaaaaaaaa, 0, 0},
    {"even", ARMS("@P0"), 0x55555555, 0, 0},
    {"one_first", ARMS("@P0"), 0x00000001, 0, 0},
    {"one_last", ARMS("@P0"), 0x80000000, 0, 0},
    {"one_middle", ARMS("@P0"), 0x00010000, 0, 0},
    {"all_but_first", ARMS("@P0"), 0xfffffffe, 0, 0},
    {"all_but_last", ARMS("@P0"), 0x7fffffff, 0, 0},
    {"few", ARMS("@P0"), 0x00f00000, 0, 0},
    {"many", ARMS("@P0"), 0xff0fffff, 0, 0},
    {"all", ARMS("@P0"), 0xffffffff, 0, 0},
    {"none", ARMS("@P0"), 0, 0, 0},
    {"half_low_not", ARMS("@!P0"), 0x0000ffff, 0, 0},
    {"few_not", ARMS("@!P0"), 0x00f00000, 0, 0},
    {"many_not", ARMS("@!P0"), 0xff0fffff, 0, 0},
    /* The arm that is taken lies before the branch. */
    {"backward_half",
     "BRA <start>\ntaken:\n#2\n#5\nBRA <sync>\nstart:\nBSSY B0, <meet>\n@P0 BRA <taken>\n#1\n#4\n" MEET, 0x0000ffff, 0,
     0},
    {"backward_few", "BRA <start>\ntaken:\n#2\n#5\nBRA <sync>\nstart:\nBSSY B0, <meet>\n@P0 BRA <taken>\n#1\n#4\n" MEET,
     0x00f00000, 0, 0},
    {"backward_many",
     "BRA <start>\ntaken:\n#2\n#5\nBRA <sync>\nstart:\nBSSY B0, <meet>\n@P0 BRA <taken>\n#1\n#4\n" MEET, 0xff0fffff, 0,
     0},
    /* An if without else. */
    {"if_only", "BSSY B0, <meet>\n@P0 BRA <sync>\n#1\n#4\n" MEET, 0x0000ffff, 0, 0},
    {"if_only_many", "BSSY B0, <meet>\n@P0 BRA <sync>\n#1\n#4\n" MEET, 0xfffffff0, 0, 0},
    /* Without a convergence barrier: the arms go on to the end. */
    {"no_barrier", "@P0 BRA <taken>\n#1\n#4\nBRA <end>\ntaken:\n#2\n#5\nBRA <end>\n", 0x0000ffff, 0, 0},
    {"no_barrier_many", "@P0 BRA <taken>\n#1\n#4\nBRA <end>\ntaken:\n#2\n#5\nBRA <end>\n", 0xffff000f, 0, 0},
    {"same_place", "@P0 BRA <taken>\n#1\ntaken:\n#2\n#3\nBRA <end>\n", 0x0000ffff, 0, 0},
    /* Nested. */
    {"nested",
     "BSSY B0, <meet>\n@!P0 BRA <other>\nBSSY B1, <inner>\n@P1 BRA <both>\n#1\nBRA <sync1>\nboth:\n#2\nsync1:\nBSYNC "
     "B1\n"
     "inner:\n#4\nBRA <sync>\nother:\n#5\n" MEET,
     0x00ffffff, 0x0f0f0f0f, 0},
    {"nested_in_taken",
     "BSSY B0, <meet>\n@P0 BRA <other>\n#5\nBRA <sync>\nother:\nBSSY B1, <inner>\n@P1 BRA <both>\n#1\nBRA "
     "<sync1>\nboth:\n#2\n"
     "sync1:\nBSYNC B1\ninner:\n#4\n" MEET,
     0x00ffffff, 0x0f0f0f0f, 0},
    {"both_nested",
     "BSSY B0, <meet>\n@P0 BRA <one>\n@P1 BRA <two>\n#1\nBRA <sync>\ntwo:\n#2\nBRA <sync>\none:\n@P1 BRA <three>\n#4\n"
     "BRA <sync>\nthree:\n#5\n" MEET,
     0x0000ffff, 0x00ff00ff, 0},
    /* A chain of branches to four places: which of those that wait comes next. */
    {"chain",
     "BSSY B0, <meet>\n@P0 BRA <one>\n@P1 BRA <two>\n@P2 BRA <three>\n#1\nBRA <sync>\none:\n#2\nBRA <sync>\ntwo:\n#4\n"
     "BRA <sync>\nthree:\n#5\n" MEET,
     0x000000ff, 0x0000ff00, 0x00ff0000},
    {"chain_not",
     "BSSY B0, <meet>\n@!P0 BRA <one>\n#1\nBRA <sync>\none:\n@!P1 BRA <two>\n#2\nBRA <sync>\ntwo:\n@!P2 BRA "
     "<three>\n#4\n"
     "BRA <sync>\nthree:\n#5\n" MEET,
     0x000000ff, 0x0000ff00, 0x00ff0000},
    /* Loops. R41: rounds. */
    {"loop",
     "BSSY B0, <meet>\nagain:\n#1\nIADD3 R41, R41, 0x1, RZ\nISETP.LE.U32.AND P3, PT, R41, R6, PT\n"
     "ISETP.LT.U32.AND P3, PT, R41, 0x6, P3\n@P3 BRA <again>\n#2\n" MEET,
     0, 0, 0},
    {"loop_break",
     "BSSY B0, <meet>\nagain:\n#1\nIADD3 R41, R41, 0x1, RZ\nISETP.GT.U32.AND P3, PT, R41, R6, PT\n@P3 BRA <left>\n#4\n"
     "ISETP.LT.U32.AND P3, PT, R41, 0x6, PT\n@P3 BRA <again>\n#5\nBRA <sync>\nleft:\n#2\n" MEET,
     0, 0, 0},
    {"loop_continue",
     "BSSY B0, <meet>\nagain:\nIADD3 R41, R41, 0x1, RZ\n#1\n@P0 BRA <next>\n#4\nnext:\n"
     "ISETP.LT.U32.AND P3, PT, R41, 0x3, PT\n@P3 BRA <again>\n#2\n" MEET,
     0x0000ffff, 0, 0},
    /* Exits. */
    {"exit_in_taken", "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nBRA <sync>\ntaken:\n#2\n@P1 BRA <end>\n#4\n" MEET,
     0x0000ffff, 0x00ff00ff, 0},
    {"exit_guarded", "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nBRA <sync>\ntaken:\n#2\n@P1 EXIT\n#4\n" MEET, 0x0000ffff,
     0x00ff00ff, 0},
    {"exit_all_of_arm", "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nBRA <sync>\ntaken:\n#2\nEXIT\n" MEET, 0x0000ffff, 0, 0},
    /* A break out of a nested region. */
    {"break",
     "BSSY B0, <meet>\nBSSY B1, <inner>\n@P0 BRA <leave>\n#1\nBSYNC B1\ninner:\n#4\nBRA <sync>\nleave:\n#2\nBREAK "
     "B1\n" MEET,
     0x000000ff, 0, 0},
    /* WARPSYNC of all lanes in both arms. */
    {"warpsync",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nWARPSYNC.ALL\n#4\nBRA <sync>\ntaken:\n#2\nWARPSYNC.ALL\n#5\n" MEET,
     0x0000ffff, 0, 0},
    {"warpsync_twice",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nWARPSYNC.ALL\n#4\nWARPSYNC.ALL\n#6\nBRA "
     "<sync>\ntaken:\n#2\nWARPSYNC.ALL\n#5\n"
     "WARPSYNC.ALL\n#7\n" MEET,
     0x0000ffff, 0, 0},
    {"warpsync_register",
     "MOV R42, 0xffffffff\nBSSY B0, <meet>\n@P0 BRA <taken>\n#1\nWARPSYNC R42\n#4\nBRA <sync>\ntaken:\n#2\nWARPSYNC "
     "R42\n#5\n" MEET,
     0x0000ffff, 0, 0},
    /* YIELD in one arm, the other, both. */
    {"yield_in_taken", "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\n#4\nBRA <sync>\ntaken:\n#2\nYIELD\n#5\n" MEET, 0x0000ffff,
     0, 0},
    {"yield_in_rest", "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nYIELD\n#4\nBRA <sync>\ntaken:\n#2\n#5\n" MEET, 0x0000ffff,
     0, 0},
    {"yield_in_both",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nYIELD\n#4\nYIELD\n#6\nBRA <sync>\ntaken:\n#2\nYIELD\n#5\nYIELD\n#7\n" MEET,
     0x0000ffff, 0, 0},
    {"yield_chain",
     "BSSY B0, <meet>\n@P0 BRA <one>\n@P1 BRA <two>\n@P2 BRA <three>\n#1\nYIELD\n#6\nBRA "
     "<sync>\none:\n#2\nYIELD\n#7\nBRA <sync>\n"
     "two:\n#4\nYIELD\n#8\nBRA <sync>\nthree:\n#5\nYIELD\n#9\n" MEET,
     0x000000ff, 0x0000ff00, 0x00ff0000},
    {"nanosleep_in_taken",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\n#4\nBRA <sync>\ntaken:\n#2\nNANOSLEEP 0x400\n#5\n" MEET, 0x0000ffff, 0, 0},
    {"nanosleep_in_rest",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nNANOSLEEP 0x400\n#4\nBRA <sync>\ntaken:\n#2\n#5\n" MEET, 0x0000ffff, 0, 0},
    /* Long waits in one arm: a load, whose result the next instruction needs; a barrier in memory. */
    {"load_in_taken",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\n#4\nBRA <sync>\ntaken:\n#2\nLDG.E.STRONG.GPU R42, desc[UR4][R2.64+0xf000]\n"
     "IADD3 R42, R42, 0x1, RZ\n#5\n" MEET,
     0x0000ffff, 0, 0},
    {"load_in_rest",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nLDG.E.STRONG.GPU R42, desc[UR4][R2.64+0xf000]\nIADD3 R42, R42, 0x1, "
     "RZ\n#4\n"
     "BRA <sync>\ntaken:\n#2\n#5\n" MEET,
     0x0000ffff, 0, 0},
    {"membar_in_taken", "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\n#4\nBRA <sync>\ntaken:\n#2\nMEMBAR.SC.GPU\n#5\n" MEET,
     0x0000ffff, 0, 0},
    /* One arm is long: many instructions without a wait. */
    {"long_taken",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\n#4\nBRA <sync>\ntaken:\n#2\nlong:\nIADD3 R41, R41, 0x1, RZ\n"
     "ISETP.LT.U32.AND P3, PT, R41, 0x400, PT\n@P3 BRA <long>\n#5\n" MEET,
     0x0000ffff, 0, 0},
    {"long_rest",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nlong:\nIADD3 R41, R41, 0x1, RZ\nISETP.LT.U32.AND P3, PT, R41, 0x400, PT\n"
     "@P3 BRA <long>\n#4\nBRA <sync>\ntaken:\n#2\n#5\n" MEET,
     0x0000ffff, 0, 0},
    /* Branches through a register: R42, the distance from the next instruction. */
    {"indirect",
     "BSSY B0, <meet>\nMOV R42, <two>\n@P0 MOV R42, <one>\n@P1 MOV R42, <three>\nMOV R43, <next>\nIADD3 R42, R42, "
     "-R43, RZ\n"
     "SHF.R.S32.HI R43, RZ, 0x1f, R42\nBRX R42\nnext:\nNOP\none:\n#1\nBRA <sync>\ntwo:\n#2\nBRA "
     "<sync>\nthree:\n#4\n" MEET,
     0x000000ff, 0x0000ff00, 0},
    {"indirect_many",
     "BSSY B0, <meet>\nMOV R42, <two>\n@P0 MOV R42, <one>\n@P1 MOV R42, <three>\nMOV R43, <next>\nIADD3 R42, R42, "
     "-R43, RZ\n"
     "SHF.R.S32.HI R43, RZ, 0x1f, R42\nBRX R42\nnext:\nNOP\none:\n#1\nBRA <sync>\ntwo:\n#2\nBRA "
     "<sync>\nthree:\n#4\n" MEET,
     0x0000000f, 0x0ffffff0, 0},
    /* A function that some lanes leave early, called in one arm. */
    {"call",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nBRA <sync>\ntaken:\nCALL.REL.NOINC <function>\n#2\n" MEET
     "function:\n#4\nMOV R44, RZ\nBRA <back>\nback:\n@P1 BRA <early>\n#5\nearly:\nBRA <sync>\n",
     0x0000ffff, 0x000000ff, 0},
    /* Two branches one behind the other, of which the second has the lanes of the first in two splits. */
    {"diamond_open", "@P0 BRA <one>\n#1\none:\n#2\n@P1 BRA <two>\n#4\ntwo:\n#5\nBRA <end>\n", 0x0000ffff, 0x00ff00ff,
     0},
    /* One arm waits for a word that the other writes: forward progress. R41 counts the rounds. */
    {"spin_in_taken",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nSTG.E.STRONG.GPU desc[UR4][R2.64+0xf000], R8\n#4\nBRA "
     "<sync>\ntaken:\n#2\nspin:\n"
     "IADD3 R41, R41, 0x1, RZ\nLDG.E.STRONG.GPU R42, desc[UR4][R2.64+0xf000]\nISETP.EQ.U32.AND P3, PT, R42, RZ, PT\n"
     "@P3 BRA <spin>\n#5\n" MEET,
     0x0000ffff, 0, 0},
    {"spin_in_rest",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nspin:\nIADD3 R41, R41, 0x1, RZ\nLDG.E.STRONG.GPU R42, "
     "desc[UR4][R2.64+0xf000]\n"
     "ISETP.EQ.U32.AND P3, PT, R42, RZ, PT\n@P3 BRA <spin>\n#4\nBRA <sync>\ntaken:\n#2\n"
     "STG.E.STRONG.GPU desc[UR4][R2.64+0xf000], R8\n#5\n" MEET,
     0x0000ffff, 0, 0},
    {"spin_yield_in_taken",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nSTG.E.STRONG.GPU desc[UR4][R2.64+0xf000], R8\n#4\nBRA "
     "<sync>\ntaken:\n#2\nspin:\n"
     "IADD3 R41, R41, 0x1, RZ\nLDG.E.STRONG.GPU R42, desc[UR4][R2.64+0xf000]\nISETP.EQ.U32.AND P3, PT, R42, RZ, PT\n"
     "@P3 YIELD\n@P3 BRA <spin>\n#5\n" MEET,
     0x0000ffff, 0, 0},
    {"spin_yield_in_rest",
     "BSSY B0, <meet>\n@P0 BRA <taken>\n#1\nspin:\nIADD3 R41, R41, 0x1, RZ\nLDG.E.STRONG.GPU R42, "
     "desc[UR4][R2.64+0xf000]\n"
     "ISETP.EQ.U32.AND P3, PT, R42, RZ, PT\n@P3 YIELD\n@P3 BRA <spin>\n#4\nBRA <sync>\ntaken:\n#2\n"
     "STG.E.STRONG.GPU desc[UR4][R2.64+0xf000], R8\n#5\n" MEET,
     0x0000ffff, 0, 0},
    /* A lock that each lane takes. */
    {"lock",
     "MOV R43, 0x1\nBSSY B0, <meet>\nagain:\nIADD3 R41, R41, 0x1, RZ\nMOV R42, RZ\nIADD3 R44, P4, R2, 0xf000, RZ\n"
     "IADD3.X R45, RZ, R3, RZ, P4, !PT\nATOMG.E.CAS.STRONG.GPU PT, R42, [R44], R42, R43\nISETP.NE.U32.AND P3, PT, R42, "
     "RZ, PT\n"
     "@P3 YIELD\n@P3 BRA <again>\n#1\nMEMBAR.SC.GPU\nSTG.E.STRONG.GPU desc[UR4][R2.64+0xf000], RZ\n" MEET,
     0, 0, 0},
};

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static char text[TEXT];
static void say(const char *line) { strncat(text, line, TEXT - strlen(text) - 1); }

static void note(const char *way, unsigned place)
{
    char line[512];
    if (!strcmp(way, "counter"))
        snprintf(line, sizeof line,
                 "VOTE.ANY R10, PT, PT\nLOP3.LUT P6, RZ, R10, R9, RZ, 0xc0, !PT\n"
                 "@!P6 ATOMG.E.ADD.STRONG.GPU PT, R11, desc[UR4][R2.64], R8\nMOV R14, 0x%x\nMOV R15, R10\n"
                 "@!P6 IMAD.WIDE.U32 R12, R11, 0x8, R2\n@!P6 STG.E.64 desc[UR4][R12.64+0x8], R14\n",
                 place);
    else if (!strcmp(way, "clock"))
        snprintf(line, sizeof line,
                 "CS2R.32 R11, SR_CLOCKLO\nMOV R10, 0x%x\nSTG.E.64 desc[UR4][R16.64], R10\nIADD3 R16, R16, 0x8, RZ\n",
                 place);
    else
        snprintf(line, sizeof line, "CS2R.32 R%u, SR_CLOCKLO\n", 24 + place);
    say(line);
}

static void write_text(const struct order_case *c, const char *way)
{
    *text = 0;
    say(prologue);
    for (const char *at = c->text, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        char line[256];
        snprintf(line, sizeof line, "%.*s\n", (int)(end - at), at);
        if (*line == '#')
            note(way, (unsigned)atoi(line + 1));
        else
            say(line);
    }
    say(!strcmp(way, "clock") ? "end:\nEXIT\n" : epilogue);
}

static void print_entries(const struct order_case *c, const uint32_t *words)
{
    printf("%s:", c->name);
    for (uint32_t i = 0; i < words[0] && i < ENTRIES; i++)
        printf(" %u %08x", words[2 + 2 * i], words[3 + 2 * i]);
    printf("\n");
}

static bool run(const struct order_case *c, const char *way)
{
    struct sass_rig r;
    write_text(c, way);
    bool ok = sass_rig_load(&r, 90, text, BYTES);
    r.config.limit = 1000000;
    setenv("GPU_LABEL", c->name, 1);
    ok = ok && sass_rig_run(&r, 1, 32, (const uint32_t[4]){c->p0, c->p1, c->p2, 0});
    if (!ok)
        printf("%s: %s\n", c->name, r.err.text);
    else if (!strcmp(way, "counter"))
        print_entries(c, r.buffer);
    sass_rig_close(&r);
    return ok;
}

static void run_all(const char *way)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run(&cases[i], way);
}
Test(order, counter) { run_all("counter"); }
Test(order, clock) { run_all("clock"); }
Test(order, register) { run_all("register"); }
