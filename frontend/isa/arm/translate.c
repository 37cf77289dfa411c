#include <string.h>

#include "frontend/isa/arm/arm.h"
#include "frontend/isa/arm/table.h"

unsigned arm_translate(struct guest_build *b, const uint8_t *bytes, uint32_t available)
{
    struct arm_instruction i;
    uint16_t halves[2] = {0};
    char text[128];
    memcpy(halves, bytes, available < 4 ? 2 : 4);
    const unsigned length = b->is_short ? arm_t32_length(halves[0]) : 4;
    if (length > available)
        return 0;
    const uint32_t word = !b->is_short  ? halves[0] | (uint32_t)halves[1] << 16
                          : length == 4 ? (uint32_t)halves[0] << 16 | halves[1]
                                        : halves[0];
    if (!(b->is_short ? arm_decode_t32(word, b->ahead, &i) : arm_decode_a32(word, &i)))
        return 0;
    b->ahead = i.row->operation == ARM_IT ? (uint8_t)i.imm : arm_it_next(b->ahead);
    guest_emit(b, (struct operation){.kind = UOP_TRAP});
    arm_print(&i, b->pc, text, sizeof text);
    struct rp_instruction in = {.pc = b->pc,
                                .raw = bytes,
                                .raw_size = i.length,
                                .text = arena_string(b->arena, text, strlen(text)),
                                .unit_class = RP_CLASS_INT};
    VECTOR_PUSH(b->arena, &b->instructions, in);
    return length;
}
