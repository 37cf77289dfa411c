#include <elf.h>

#include "frontend/isa/rv32/rv32.h"

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
    .call = rv32_call,
    .step = rv32_step,
};
