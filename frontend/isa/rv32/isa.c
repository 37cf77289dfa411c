#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/rv32/rv32.h"
#include "frontend/isa/rv32/table.h"

/* RISC-V ELF psABI, "File Header": the calling convention of floating-point numbers, and the set with 16 registers. */
enum { FLAG_FLOAT_ABI = 6, FLAG_E = 8 };

static bool rv32_accepts(uint32_t flags, struct rp_error *err)
{
    if (flags & FLAG_FLOAT_ABI)
        return rp_fail(err, RP_BAD_INPUT, "it passes floating-point numbers in registers: compile it with -mabi=ilp32");
    if (flags & FLAG_E)
        return rp_fail(err, RP_BAD_INPUT, "it is for RV32E, which has 16 registers: compile it with -march=rv32imac");
    return true;
}

void rv32_describe_refusal(const struct rv32_instruction *i, uint32_t pc, char *text, size_t size)
{
    char what[64];
    rv32_print(i, pc, what, sizeof what);
    snprintf(text, size, "%s%s", what,
             i->row->format == RV32_FORMAT_FLOAT
                 ? ": guests compute in integers; compile with -march=rv32imac -mabi=ilp32"
                 : "");
}

static unsigned rv32_unknown(const uint8_t *bytes, uint32_t available, bool is_short, char *text, size_t size)
{
    uint32_t word = 0;
    (void)is_short;
    memcpy(&word, bytes, available < 4 ? available : 4);
    const unsigned length = rv32_length((uint16_t)word);
    snprintf(text, size, "0x%x is no instruction of RV32IMAC", (unsigned)(length == 2 ? word & 0xffff : word));
    return length;
}

const struct guest_isa guest_isa_rv32 = {
    .name = "rv32imac",
    .text = "RISC-V (RV32IMAC)",
    .elf_machine = EM_RISCV,
    .registers = 32,
    .stack_pointer = 2,
    .result = 10,
    .alignment = 2,
    .accepts = rv32_accepts,
    .translate = rv32_translate,
    .unknown = rv32_unknown,
    .call = rv32_call,
    .step = rv32_step,
};
