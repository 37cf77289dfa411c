/* SIMD video instructions (PTX ISA, section of that name). For each operand, a selector chooses two halves or four
 * bytes of {b, a}. The scalar operation is applied to each pair; its result replaces that part of c or, with .add, is
 * added to c. */
#include <string.h>

#include "frontend/core/lanes/lanes.h"
#include "frontend/isa/ptx/lower.h"

static const struct {
    const char *opcode;
    uint8_t op, ways;
} operations[] = {{"vadd2", VADD, 2}, {"vsub2", VSUB, 2},   {"vavrg2", VAVRG, 2},       {"vabsdiff2", VABSDIFF, 2},
                  {"vmin2", VMIN, 2}, {"vmax2", VMAX, 2},   {"vset2", VSET, 2},         {"vadd4", VADD, 4},
                  {"vsub4", VSUB, 4}, {"vavrg4", VAVRG, 4}, {"vabsdiff4", VABSDIFF, 4}, {"vmin4", VMIN, 4},
                  {"vmax4", VMAX, 4}, {"vset4", VSET, 4}};

static unsigned operation(const struct ptx_form *form)
{
    unsigned i = 0;
    while (strcmp(operations[i].opcode, form->opcode) != 0)
        i++;
    return i;
}

/* The digits of a selector, the last one first: ".h32" gives {2, 3}. Returns their number. */
static unsigned digits_of(struct lowering *l, const struct ptx_operand *o, unsigned ways, uint8_t digits[4])
{
    const unsigned count = (unsigned)strlen(o->parts);
    const char letter = ways == 2 ? 'h' : 'b', top = ways == 2 ? '3' : '7';
    bool fine = count >= 2 && count - 1 <= ways && o->parts[0] == letter;
    for (unsigned i = 1; fine && i < count; i++) {
        fine = o->parts[i] >= '0' && o->parts[i] <= top;
        digits[count - 1 - i] = (uint8_t)(o->parts[i] - '0');
    }
    if (!fine)
        ptx_error(l->src, o->at, "a part here is .%s",
                  ways == 2 ? "h and digits from 0 to 3" : "b and digits from 0 to 7");
    return count - 1;
}

/* The parts of {b, a} that a source selects, in one word, in the order of the result. */
static struct operand gathered(struct lowering *l, const struct ptx_operand *o, unsigned ways, unsigned first,
                               struct operand a, struct operand b)
{
    uint8_t digits[4];
    for (unsigned i = 0; i < ways; i++)
        digits[i] = (uint8_t)(first + i);
    if (o->select && digits_of(l, o, ways, digits) != ways)
        ptx_error(l->src, o->at, "a source selects %u parts", ways);
    uint32_t bytes = 0;
    for (unsigned i = 0; i < 4; i++)
        bytes |= (ways == 2 ? 2u * digits[i / 2] + i % 2 : digits[i]) << 4 * i;
    struct operation u = {.kind = UOP_LANE, .op = OP_PRMT, .type = T_B32, .imm = PRMT_DEFAULT, .a = a, .b = b};
    u.c = constant(l, bytes, 4);
    u.d = temporary(l, PT_B32);
    emit(l, u);
    return u.d;
}

/* The parts of the destination that are written, a bit each. */
static unsigned mask_of(struct lowering *l, const struct ptx_operand *d, unsigned ways)
{
    uint8_t digits[4] = {0};
    unsigned mask = 0, count = d->select ? digits_of(l, d, ways, digits) : 0;
    for (unsigned i = 0; i < count; i++) {
        if (digits[i] >= ways || mask >> digits[i])
            ptx_error(l->src, d->at, "the parts of a destination go down, below %u", ways);
        mask |= 1u << digits[i];
    }
    return count ? mask : (1u << ways) - 1;
}

void lower_video_simd(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const unsigned which = operation(in->form), ways = operations[which].ways;
    const bool compares = operations[which].op == VSET, adds = mods_have(&in->mods, M_ADD);
    const uint8_t *types = in->mods.types + !compares; /* types of a and b; the result of a comparison is unsigned */
    const enum ptx_type type = compares ? PT_U32 : (enum ptx_type)in->mods.types[0];
    for (unsigned i = 1; i < 4; i++)
        if (in->operands[i].kind != PO_REGISTER)
            ptx_error(l->src, in->operands[i].at, "sources of '%s' are registers", in->form->opcode);
    if (in->operands[3].select)
        ptx_error(l->src, in->operands[3].at, "the third source has no parts");
    struct operand a = source(l, &in->operands[1], PT_B32), b = source(l, &in->operands[2], PT_B32);
    struct operation u = {.kind = UOP_LANE, .op = OP_VIDEO, .type = ptx_types[type].lane};
    u.c = source(l, &in->operands[3], PT_B32);
    u.a = gathered(l, &in->operands[1], ways, 0, a, b);
    u.b = gathered(l, &in->operands[2], ways, ways, a, b);
    u.compare = (uint8_t)mods_value(&in->mods, G_COMPARE, 0);
    u.flags = (uint32_t)mods_value(&in->mods, G_SAT, 0);
    u.detail[VIDEO_OP] = operations[which].op;
    u.detail[VIDEO_FLAGS] = (types[0] == PT_S32 ? VIDEO_SIGNED_A : 0) | (types[1] == PT_S32 ? VIDEO_SIGNED_B : 0);
    u.detail[VIDEO_SECOND] = adds ? VIDEO_ADD : VIDEO_NONE;
    const unsigned mask = mask_of(l, &in->operands[0], ways);
    for (unsigned i = 0; mask >> i; i++) {
        if (!(mask >> i & 1))
            continue;
        uint8_t part = (uint8_t)((ways == 2 ? VIDEO_H0 : VIDEO_B0) + i);
        u.detail[VIDEO_SELECT_A] = u.detail[VIDEO_SELECT_B] = part;
        u.detail[VIDEO_SELECT_D] = adds ? VIDEO_WORD : part;
        u.d = mask >> i == 1 ? destination(l, &in->operands[0], type) : temporary(l, PT_B32);
        emit(l, u);
        u.c = u.d;
    }
    finish_destination(l, &in->operands[0], type, u.d);
}
