/* A forward pass over each straight line of uops: registers by which an access has been made, until something writes
 * them. */
#include "frontend/guest/places.h"

#include "frontend/guest/lanes.h"

/* By register and temporary, as guest_group.in_place. */
typedef uint64_t guest_registers;

static guest_registers guest_register_bit(struct operand o)
{
    return is_register(o) ? (guest_registers)1 << guest_place_bit(o) : 0;
}

static bool guest_adds_constant(const struct operation *o)
{
    return o->op == OP_ADD && o->d.at == o->a.at && !is_register(o->b) && !is_register(o->guard);
}

/* The registers that an operation writes, and maybe some that it only reads. */
static guest_registers guest_written(const struct operation *o)
{
    if (o->kind == UOP_LANE && guest_adds_constant(o))
        return 0;
    if (o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_STORE)
        return 0;
    guest_registers written = guest_register_bit(o->d);
    if (o->kind == UOP_LANE && o->op == OP_GUEST)
        written |= guest_register_bit(o->c);
    for (unsigned n = 0; n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            written |= guest_register_bit(o->lists[n].at[i]);
    return written;
}

void guest_mark_places(struct guest_program *p, const struct operation *operations)
{
    guest_registers known = 0;
    for (uint32_t i = 0; i < p->uop_count; i++) {
        const struct operation *o = &operations[i];
        const bool access = o->kind == UOP_MEMORY && o->op <= GUEST_MOVING_ACCESS && !is_register(o->guard);
        const guest_registers address = access ? guest_register_bit(o->a) : 0;
        if (o->kind > UOP_MEMORY)
            known = 0;
        if (address & known)
            guest_prepare_known_access(&p->uops[i]);
        known |= address;
        known &= ~guest_written(o);
    }
}
