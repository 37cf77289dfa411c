#include <inttypes.h>
#include <stdio.h>

#include "frontend/isa/rv32/table.h"

const char *const rv32_register_names[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                             "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                             "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

/* The four kinds of accesses that a fence orders. */
static const char *fence_set(unsigned set, char out[5])
{
    char *end = out;
    for (unsigned n = 0; n < 4; n++)
        if (set & 8u >> n)
            *end++ = "iorw"[n];
    *end = '\0';
    return end > out ? out : "unknown";
}

static void print_fence(const struct rv32_instruction *i, char *text, size_t size)
{
    char before[5], after[5];
    snprintf(text, size, "%s %s,%s", i->row->name, fence_set((unsigned)i->imm >> 4, before),
             fence_set((unsigned)i->imm & 15, after));
}

void rv32_print(const struct rv32_instruction *i, uint32_t pc, char *text, size_t size)
{
    static const char *const orderings[] = {"", ".rl", ".aq", ".aqrl"};
    const char *name = i->row->name, *ordering = orderings[i->ordering];
    const char *rd = rv32_register_names[i->rd], *rs1 = rv32_register_names[i->rs1], *rs2 = rv32_register_names[i->rs2];
    const int32_t imm = i->imm;
    const uint32_t target = pc + (uint32_t)imm;
    switch (i->row->format) {
    case RV32_FORMAT_R: snprintf(text, size, "%s %s,%s,%s", name, rd, rs1, rs2); return;
    case RV32_FORMAT_CIW:
    case RV32_FORMAT_I: snprintf(text, size, "%s %s,%s,%" PRId32, name, rd, rs1, imm); return;
    case RV32_FORMAT_SHIFT: snprintf(text, size, "%s %s,%s,0x%" PRIx32, name, rd, rs1, (uint32_t)imm); return;
    case RV32_FORMAT_CL:
    case RV32_FORMAT_CLWSP:
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_LOAD: snprintf(text, size, "%s %s,%" PRId32 "(%s)", name, rd, imm, rs1); return;
    case RV32_FORMAT_CS:
    case RV32_FORMAT_CSWSP:
    case RV32_FORMAT_STORE: snprintf(text, size, "%s %s,%" PRId32 "(%s)", name, rs2, imm, rs1); return;
    case RV32_FORMAT_B: snprintf(text, size, "%s %s,%s,%" PRIx32, name, rs1, rs2, target); return;
    case RV32_FORMAT_CB: snprintf(text, size, "%s %s,%" PRIx32, name, rs1, target); return;
    case RV32_FORMAT_CLUI:
    case RV32_FORMAT_U: snprintf(text, size, "%s %s,0x%" PRIx32, name, rd, (uint32_t)imm >> 12); return;
    case RV32_FORMAT_J: snprintf(text, size, "%s %s,%" PRIx32, name, rd, target); return;
    case RV32_FORMAT_CJ:
    case RV32_FORMAT_CJAL: snprintf(text, size, "%s %" PRIx32, name, target); return;
    case RV32_FORMAT_FENCE: print_fence(i, text, size); return;
    case RV32_FORMAT_LR: snprintf(text, size, "%s%s %s,(%s)", name, ordering, rd, rs1); return;
    case RV32_FORMAT_AMO: snprintf(text, size, "%s%s %s,%s,(%s)", name, ordering, rd, rs2, rs1); return;
    case RV32_FORMAT_CI:
    case RV32_FORMAT_CLI:
    case RV32_FORMAT_CI16SP:
    case RV32_FORMAT_CANDI: snprintf(text, size, "%s %s,%" PRId32, name, rd, imm); return;
    case RV32_FORMAT_CSHIFT:
    case RV32_FORMAT_CSLLI: snprintf(text, size, "%s %s,0x%" PRIx32, name, rd, (uint32_t)imm); return;
    case RV32_FORMAT_CA:
    case RV32_FORMAT_CMV:
    case RV32_FORMAT_CADD: snprintf(text, size, "%s %s,%s", name, rd, rs2); return;
    case RV32_FORMAT_CJR:
    case RV32_FORMAT_CJALR: snprintf(text, size, "%s %s", name, rs1); return;
    case RV32_FORMAT_FLOAT: snprintf(text, size, "%s (floating point)", name); return;
    case RV32_FORMAT_SYSTEM: snprintf(text, size, "%s (is for operating systems)", name); return;
    default: snprintf(text, size, "%s", name); return;
    }
}
