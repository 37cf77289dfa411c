/* The rows that execute and have no check in this suite, each with the reason. */
#include <stddef.h>
#include <string.h>

#include "frontend/isa/sass7x/lower.h"
#include "tests/unit/sass7x/row_words.h"
#include "tests/unit/sass7x/rows.h"

static bool requires(const struct sass_row *row, unsigned at, unsigned value)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REQUIRE && i->f.at == at && i->style == value)
            return true;
    return false;
}

static bool is_row(const struct sass_row *row, const char *name, unsigned value)
{
    return row->value == value && !strcmp(row->semantic, name);
}

/* Rows whose words all belong to others, but for some with bits that mean nothing. */
static bool is_shadowed(const struct sass_row *row)
{
    bool half = is_row(row, "HFMA2", 0x431) || is_row(row, "HFMA2", 0x831);
    return (half && row->archs == TO_75) || (is_row(row, "I2IP", 0x239) && row->archs == SASS_75) ||
           (is_row(row, "PLOP3", 0x81c) && row->archs == SASS_70) ||
           (is_row(row, "NANOSLEEP", 0x95d) && row->archs == TO_75) ||
           (is_row(row, "BAR", 0x91d) && (row->archs == TO_75 || row->archs == SASS_75)) ||
           (is_row(row, "LDL", 0x983) && row->archs == SASS_75);
}

/* Rows of which all words are refused. */
static const struct {
    const char *name;
    uint16_t value, archs; /* archs 0: whatever they are */
    const char *why;
} rows[] = {
    {"SYNCS", 0x3b2, 0, "nothing produces it: compare-and-swap of a barrier object"},
    {"SYNCS", 0x5b1, 0, "nothing produces it: a load of a barrier object"},
    {"SYNCS", 0x9b2, 0, "nothing produces it: a load of a barrier object"},
    {"UTMAPF", 0x3b8, 0, "nothing that the frontend takes produces it: im2col"},
    {"STG", 0x97f, 0, "refused: a store of 256 bits"},
    {"ULDC", 0x8b8, 0, "refused: an address in uniform registers"},
    {"BMOV", 0x357, 0, "refused: the address of a handler of exits"},
    {"BMOV", 0x957, 0, "refused: the address of a handler of exits"},
    {"BMOV", 0xb57, 0, "refused: the address of a handler of exits"},
    {"BMOV", 0xd57, 0, "refused: the address of a handler of exits"},
    {"RPCMOV", 0x954, 0, "refused: the pair at once"},
    {"RPCMOV", 0xb54, 0, "refused: the pair at once"},
    {"RPCMOV", 0xd54, 0, "refused: the pair at once"},
    {"CALL", 0xb43, 0, "refused: a target in constant memory"},
    {"USETMAXREG", 0x9c8, 0, "it only says how many registers a warp has, which are always enough here"},
    {"BPT", 0x95c, 0, "ends the launch with a fault: refusals.c"},
    {"JMP", 0xb4a, 0, "refused: a target in constant memory"},
    {"JMP", 0x74a, 0, "refused: a target in constant memory"},
};

/* Functions of f16 that PTX lacks, and others that nothing says what they do. */
static bool is_refused(const struct sass_row *row)
{
    bool small = is_row(row, "MUFU", 0x908) && requires(row, 73, 1) && row->archs != SASS_90;
    return (small && (requires(row, 75, 0) || requires(row, 75, 2))) ||
           (is_row(row, "HMNMX2", 0x840) && row_prints(row, "F32")) ||
           (is_row(row, "UF2FP", 0x8ba) && row_prints(row, "MERGE_C"));
}

/* BAR.SCAN alone, for the words of its other modifiers belong to other rows. */
static bool is_scan(const struct sass_row *row)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REQUIRE && i->f.at == 78 && i->f.width == 3 && i->style == 1)
            return !strcmp(row->name, "BAR");
    return false;
}

/* Products of matrices. */
static const char *reason_of_product(const struct sass_row *row)
{
    static const char *const names[] = {"BMMA",  "DMMA",  "HMMA",  "IMMA",  "QMMA",
                                        "BGMMA", "HGMMA", "IGMMA", "QGMMA", "WARPGROUP"};
    enum { A_IN_REGISTERS = 0xd00, FORM = 0xf00, SELECTOR = 48, GROUP_BARRIER = 84, NONE = 7 };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(row->name, names[i]))
            continue;
        if (is_row(row, "HMMA", 0x236) && row->archs == SASS_70)
            return "nothing produces HMMA.444";
        if (requires(row, SELECTOR, 1) || requires(row, SELECTOR, 2) || requires(row, SELECTOR, 3))
            return "nothing produces it: of bytes PTX's selector of metadata is 0";
        if ((row->value & FORM) == A_IN_REGISTERS && requires(row, GROUP_BARRIER, NONE))
            return "nothing produces it: with A in registers ptxas writes gsb0";
        return "tests/unit/matrix/machine_code.c";
    }
    return NULL;
}

/* Asynchronous copies, barrier objects, clusters. */
static bool is_asynchronous(const struct sass_row *row)
{
    static const char *const names[] = {"ARRIVES",  "REDAS",   "STAS",         "SYNCS",       "UBLKCP",
                                        "UBLKPF",   "UBLKRED", "UTMACCTL",     "UTMALDG",     "UTMAPF",
                                        "UTMAREDG", "UTMASTG", "UTMACMDFLUSH", "UCGABAR_ARV", "UCGABAR_WAIT"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(row->name, names[i]))
            return true;
    return is_row(row, "ATOMS", 0xf8c) && row_prints(row, "ARRIVE");
}

const char *row_left_out(const struct sass_row *row)
{
    if (row_is_described(row))
        return "refused: a constant behind a descriptor";
    if (row_prints(row, "IS_A") || (row_prints(row, "RS") && strcmp(row->name, "CCTL")))
        return "refused: its meaning is not known, and ptxas never writes it";
    if (row_prints(row, "ZD"))
        return "refused: zeroed data";
    if (is_refused(row))
        return "refused: PTX has no such operation";
    if (is_shadowed(row))
        return "its words belong to other rows";
    if (!strcmp(row->semantic, "FCHK"))
        return "which quotients need the slow path is not published: agree.c divides";
    if (row_prints(row, "SYNCALL") || is_scan(row))
        return "refused: SYNCALL and SCAN of barriers";
    if (row->unit_class == RP_CLASS_TEXTURE)
        return "tests/unit/ptx_forms/images_ptxas.c";
    if (is_row(row, "B2R", 0x31c) && !row_prints(row, "RESULT"))
        return "refused: other states of barriers than results";
    if ((is_row(row, "UTMACCTL", 0x9b9) || is_row(row, "SYNCS", 0x9b1)) && requires(row, 91, 0))
        return "nothing produces it: all of a cache at once";
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_row(row, rows[i].name, rows[i].value) && (!rows[i].archs || rows[i].archs == row->archs))
            return rows[i].why;
    if (is_asynchronous(row))
        return ROW_ASYNC;
    return reason_of_product(row);
}
