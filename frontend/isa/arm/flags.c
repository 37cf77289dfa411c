#include "frontend/isa/arm/flags.h"

#include <string.h>

#include "frontend/isa/arm/operations.h"

enum { SCAN_DEPTH = 32, SCANS_MOST = 1 << 20 };

static unsigned flags_of_condition(unsigned cond)
{
    static const uint8_t flags[8] = {ARM_SET_Z,
                                     ARM_SET_C,
                                     ARM_SET_N,
                                     ARM_SET_V,
                                     ARM_SET_C | ARM_SET_Z,
                                     ARM_SET_N | ARM_SET_V,
                                     ARM_SET_N | ARM_SET_V | ARM_SET_Z,
                                     0};
    return flags[cond >> 1];
}

unsigned arm_flags_read(const struct arm_instruction *i)
{
    const unsigned operation = i->row->operation, flags = flags_of_condition(i->cond);
    if (operation == ARM_MRS)
        return ARM_SET_ALL;
    if (i->row->class != ARM_CLASS_DATA)
        return flags | (i->operand == ARM_REGISTER && i->shift == ARM_RRX ? ARM_SET_C : 0);
    const bool carry = operation >= ARM_ADC && operation <= ARM_RSC;
    const bool shifter = (i->operand == ARM_REGISTER && i->shift == ARM_RRX) ||
                         (i->operand == ARM_SHIFTED_BY && i->flags & ARM_SETS && arm_is_logical(operation));
    return flags | (carry || shifter ? ARM_SET_C : 0);
}

unsigned arm_flags_written(const struct arm_instruction *i)
{
    if (i->row->operation == ARM_MSR)
        return i->a & 8 ? ARM_SET_ALL : 0;
    if (!(i->flags & ARM_SETS))
        return 0;
    if (i->row->class != ARM_CLASS_DATA)
        return ARM_SET_N | ARM_SET_Z;
    if (!arm_is_logical(i->row->operation))
        return ARM_SET_ALL;
    const bool shifted = i->operand == ARM_REGISTER && (i->shift != ARM_LSL || i->amount);
    const bool carry = i->operand == ARM_IMMEDIATE ? i->flags & ARM_ROTATED : shifted || i->operand == ARM_SHIFTED_BY;
    return ARM_SET_N | ARM_SET_Z | (carry ? ARM_SET_C : 0);
}

bool arm_look_ahead(struct guest_build *b, uint32_t pc, bool thumb, uint8_t ahead, struct arm_instruction *i)
{
    const struct guest_code *c = b->code;
    uint16_t halves[2] = {0};
    if (pc < c->low || pc >= c->high || c->high - pc < (thumb ? 2 : 4))
        return false;
    memcpy(halves, c->bytes + (pc - c->low), c->high - pc < 4 ? 2 : 4);
    if (!thumb)
        return arm_decode_a32(halves[0] | (uint32_t)halves[1] << 16, i);
    if (arm_t32_length(halves[0]) == 2)
        return arm_decode_t32(halves[0], ahead, i);
    return c->high - pc >= 4 && arm_decode_t32((uint32_t)halves[0] << 16 | halves[1], ahead, i);
}

bool arm_writes_pc(const struct arm_instruction *i)
{
    switch (i->row->class) {
    case ARM_CLASS_DATA:
    case ARM_CLASS_LOAD: return i->d == ARM_PC;
    case ARM_CLASS_MULTIPLE: return i->row->operation == ARM_LDM && i->imm >> ARM_PC;
    case ARM_CLASS_CONTROL: return i->row->operation < ARM_SVC;
    default: return false;
    }
}

static bool is_direct_branch(const struct arm_instruction *i)
{
    const unsigned operation = i->row->operation;
    return operation == ARM_B || operation == ARM_BL || operation == ARM_BLX || operation == ARM_CBZ ||
           operation == ARM_CBNZ;
}

static unsigned scan(struct guest_build *b, uint32_t pc, bool thumb, uint8_t ahead, unsigned wanted, unsigned depth)
{
    unsigned found = 0;
    struct arm_instruction i;
    for (; wanted; depth--) {
        if (!depth || b->scans >= SCANS_MOST || !arm_look_ahead(b, pc, thumb, ahead, &i))
            return found | wanted;
        b->scans++;
        found |= arm_flags_read(&i) & wanted;
        wanted &= ~found;
        if (arm_writes_pc(&i) && !is_direct_branch(&i))
            return found | wanted;
        const bool always = i.cond == ARM_ALWAYS && i.row->operation != ARM_CBZ && i.row->operation != ARM_CBNZ;
        ahead = i.row->operation == ARM_IT ? (uint8_t)i.imm : arm_it_next(ahead);
        if (is_direct_branch(&i)) {
            const bool other = i.row->operation == ARM_BLX;
            const uint32_t base = arm_pc_value(&i, pc), target = (other ? base & ~3u : base) + i.imm;
            if (!always)
                found |= scan(b, target, thumb != other, 0, wanted, depth / 2);
            else {
                pc = target;
                thumb = thumb != other;
                continue;
            }
            wanted &= ~found;
        } else if (always) {
            wanted &= ~arm_flags_written(&i);
        }
        pc += i.length;
    }
    return found;
}

unsigned arm_flags_live(struct guest_build *b, uint32_t pc, bool thumb, uint8_t ahead, unsigned wanted)
{
    return scan(b, pc, thumb, ahead, wanted, SCAN_DEPTH);
}
