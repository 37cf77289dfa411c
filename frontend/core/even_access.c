/* Which loads from shared memory have handlers of their own (even_access.simd.c). */
#include "frontend/core/access_internal.h"

uop_fn access_with_stride(const struct uop *u, const struct uop *first)
{
    const struct memory_descriptor *d = u->memory;
    bool shared = u->fn == access_shared && first->fn == access_shared && u->stype != T_U64;
    if (!shared || d->operand.kind != RP_ACCESS_LOAD || !(u->flags & UF_ONE_ELEMENT))
        return u->fn;
    if (d->element == SIMD_SELECT(element_load)(4, 4, false))
        return SIMD_SELECT(load_even_32);
    return d->element == SIMD_SELECT(element_load)(8, 8, false) ? SIMD_SELECT(load_even_64) : u->fn;
}

bool access_join(struct uop *first, const struct uop *second)
{
    uop_fn one = SIMD_SELECT(load_even_32);
    if (first->fn != one || second->fn != one || (first->flags | second->flags) & UF_GUARDED)
        return false;
    first->fn = SIMD_SELECT(load_even_two);
    first->flags |= UF_TOGETHER;
    return true;
}
