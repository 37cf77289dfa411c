#include "frontend/isa/ia32/flags.h"

#include "frontend/isa/ia32/ia32.h"
#include "frontend/isa/ia32/operations.h"

enum { SCAN_DEPTH = 32, SCANS_MOST = 1 << 20 };

static unsigned flags_of_condition(unsigned condition)
{
    static const uint16_t flags[8] = {IA32_OF, IA32_CF, IA32_ZF,           IA32_CF | IA32_ZF,
                                      IA32_SF, IA32_PF, IA32_SF | IA32_OF, IA32_SF | IA32_OF | IA32_ZF};
    return flags[condition >> 1];
}

unsigned ia32_flags_read(const struct ia32_instruction *i)
{
    switch (i->row->operation) {
    case IA32_ADC:
    case IA32_SBB:
    case IA32_RCL:
    case IA32_RCR:
    case IA32_CMC: return IA32_CF;
    case IA32_JCC:
    case IA32_SET:
    case IA32_CMOV: return flags_of_condition(i->condition);
    case IA32_LOOPE:
    case IA32_LOOPNE: return IA32_ZF;
    case IA32_PUSHF: return IA32_STATUS;
    case IA32_LAHF: return IA32_STATUS & ~IA32_OF;
    default: return 0;
    }
}

unsigned ia32_flags_changed(const struct ia32_instruction *i)
{
    const unsigned operation = i->row->operation;
    if (operation == IA32_INC || operation == IA32_DEC)
        return IA32_STATUS & ~IA32_CF;
    if (operation >= IA32_ROL && operation <= IA32_RCR)
        return IA32_CF | IA32_OF;
    if (operation <= IA32_MULTIPLY)
        return operation == IA32_NOT || operation == IA32_DIV || operation == IA32_IDIV ? 0 : IA32_STATUS;
    switch (operation) {
    case IA32_BT:
    case IA32_BTS:
    case IA32_BTR:
    case IA32_BTC:
    case IA32_CLC:
    case IA32_STC:
    case IA32_CMC: return IA32_CF;
    case IA32_BSF:
    case IA32_BSR:
    case IA32_TZCNT:
    case IA32_XADD:
    case IA32_CMPXCHG:
    case IA32_CMPS:
    case IA32_SCAS:
    case IA32_POPF: return IA32_STATUS;
    case IA32_CMPXCHG8B: return IA32_ZF;
    case IA32_SAHF: return IA32_STATUS & ~IA32_OF;
    default: return 0;
    }
}

/* A shift by 0, or a repetition of none, leaves them alone. */
unsigned ia32_flags_written(const struct ia32_instruction *i)
{
    const unsigned operation = i->row->operation;
    const bool shifts = operation >= IA32_ROL && operation <= IA32_SHRD;
    const struct ia32_operand *amount = &i->operand[operation >= IA32_SHLD ? 2 : 1];
    if (ia32_repeats(i) ||
        (shifts && (amount->kind == IA32_REGISTER || !ia32_amount(operation, 8u * i->bytes, i->immediate))))
        return 0;
    return ia32_flags_changed(i);
}

bool ia32_look_ahead(struct guest_build *b, uint32_t pc, struct ia32_instruction *i)
{
    const struct guest_code *c = b->code;
    return pc >= c->low && pc < c->high && ia32_decode(c->bytes + (pc - c->low), c->high - pc, i);
}

static unsigned scan(struct guest_build *b, uint32_t pc, unsigned wanted, unsigned depth)
{
    unsigned found = 0;
    struct ia32_instruction i;
    for (; wanted; depth--) {
        if (!depth || b->scans >= SCANS_MOST || !ia32_look_ahead(b, pc, &i))
            return found | wanted;
        b->scans++;
        found |= ia32_flags_read(&i) & wanted;
        wanted &= ~found & ~ia32_flags_written(&i);
        const unsigned operation = i.row->operation;
        if (operation == IA32_JMP_TO || operation == IA32_CALL_TO || operation == IA32_RET)
            return found | wanted;
        if (operation == IA32_JMP || operation == IA32_CALL) {
            pc = ia32_target(&i, pc);
            continue;
        }
        if (i.operand[0].kind == IA32_TARGET) {
            found |= scan(b, ia32_target(&i, pc), wanted, depth / 2);
            wanted &= ~found;
        }
        pc += i.length;
    }
    return found;
}

unsigned ia32_flags_live(struct guest_build *b, uint32_t pc, unsigned wanted)
{
    return scan(b, pc, wanted, SCAN_DEPTH);
}
