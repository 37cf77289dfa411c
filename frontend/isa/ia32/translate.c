/* IA-32 into uops. Flags that nobody reads are not computed (flags.h). */
#include "frontend/isa/ia32/uops.h"

#include "frontend/isa/ia32/ia32.h"

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void ia32_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    if (ia32_is_refused(t->i)) {
        ia32_emit(t, (struct operation){.kind = UOP_TRAP});
        return;
    }
    if (ia32_memory(t->i) && !(t->i->row->flags & IA32_STRING) && operation != IA32_LEA && operation != IA32_POP)
        ia32_find_address(t);
    if (operation <= IA32_SET)
        ia32_computing_uops(t);
    else if (operation <= IA32_LEAVE)
        ia32_moving_uops(t);
    else if (operation <= IA32_SCAS)
        ia32_string_uops(t);
    else if (operation <= IA32_SAHF)
        ia32_flag_uops(t);
    else if (operation <= IA32_INT)
        ia32_control_uops(t);
    else if (operation == IA32_FENCE)
        ia32_emit(t, (struct operation){.kind = UOP_FENCE});
}

unsigned ia32_translate(struct guest_build *b, const uint8_t *bytes, uint32_t available)
{
    struct ia32_instruction i;
    b->state = b->state ? b->state : ARENA_NEW(b->arena, struct ia32_fact);
    struct ia32_fact *fact = b->state;
    struct ia32_translation t = {.build = b, .i = &i, .fact = fact, .before = *fact};
    *fact = (struct ia32_fact){0};
    if (!ia32_decode(bytes, available, &i))
        return 0;
    ia32_uops(&t);
    if (b->operations.count == b->first)
        ia32_lane(&t, IA32_LANE_NOTHING, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, 0);
    ia32_describe(b, &i, bytes, &t.accesses);
    return i.length;
}
