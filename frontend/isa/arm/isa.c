#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/arm/arm.h"
#include "frontend/isa/arm/table.h"

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

static unsigned arm_unknown(const uint8_t *bytes, uint32_t available, bool is_short, char *text, size_t size)
{
    uint16_t halves[2] = {0};
    memcpy(halves, bytes, available < 4 ? available : 4);
    const unsigned length = is_short ? arm_t32_length(halves[0]) : 4;
    const uint32_t word = !is_short     ? halves[0] | (uint32_t)halves[1] << 16
                          : length == 4 ? (uint32_t)halves[0] << 16 | halves[1]
                                        : halves[0];
    snprintf(text, size, "0x%x is no instruction of ARMv7-A without floating point", (unsigned)word);
    return length;
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
    .unknown = arm_unknown,
    .find_marks = arm_find_marks,
    .call = arm_call,
    .step = arm_step,
};
