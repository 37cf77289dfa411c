#include <elf.h>

#include "frontend/isa/arm/arm.h"

/* ELF for the ARM Architecture (IHI 0044), 4.3. A file that says that it passes floating-point numbers in registers
 * need not do so, as linkers say it because of one function that could; instructions that do so are refused when
 * executed. */
static bool arm_accepts(uint32_t flags, struct rp_error *err)
{
    if ((flags & EF_ARM_EABIMASK) != EF_ARM_EABI_VER5)
        return rp_fail(err, RP_BAD_INPUT, "it is not for the EABI of ARM, version 5: compile it for a -gnueabi target");
    if (flags & EF_ARM_BE8)
        return rp_fail(err, RP_BAD_INPUT, "it is for big-endian order: compile it without -mbig-endian");
    return true;
}

const struct guest_isa guest_isa_arm = {
    .name = "armv7-a",
    .text = "ARM (ARMv7-A, A32 and T32)",
    .elf_machine = EM_ARM,
    .registers = 15,
    .stack_pointer = 13,
    .result = 0,
    .alignment = 2,
    .interworks = true,
    .accepts = arm_accepts,
    .translate = arm_translate,
    .call = arm_call,
    .step = arm_step,
};
