/* Which accesses make a kernel's result depend on the order of its blocks: one rule for every ISA. */
#include "frontend/core/program.h"

unsigned order_of_access(const struct rp_memory_operand *m, bool result_read)
{
    unsigned order = 0;
    if (m->space != RP_SPACE_GLOBAL && m->space != RP_SPACE_GENERIC && m->space != RP_SPACE_SURFACE)
        return order; /* not visible to other blocks */
    if (result_read)
        order |= ORDER_ATOMIC_RESULT;
    if (m->kind == RP_ACCESS_LOAD && m->order != RP_ORDER_WEAK)
        order |= ORDER_POLLING;
    if (m->atomic == RP_ATOMIC_EXCH || m->atomic == RP_ATOMIC_CAS)
        order |= ORDER_POLLING;
    if (m->atomic != RP_ATOMIC_NONE && m->value == RP_VALUE_FLOAT)
        order |= ORDER_FLOAT_ATOMIC;
    return order;
}
