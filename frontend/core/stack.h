/* Memory that a function takes at run time from its thread's local memory (PTX ISA, "Stack Manipulation Instructions":
 * alloca, stacksave, stackrestore). It grows from the end of the thread's local memory down; frames grow up from its
 * beginning. A function that returns gives back what it took. */
#ifndef REPRISE_FRONTEND_CORE_STACK_H
#define REPRISE_FRONTEND_CORE_STACK_H

#include "frontend/core/engine.h"

/* A UOP_STACK of these lanes; a fault where it has no room, or restores what was not saved. */
void stack_change(struct warp_state *, const struct uop *, lanemask executed);
/* Bytes that none of the active lanes has taken, from the beginning of local memory on. */
uint32_t stack_room(const struct warp_state *);
/* The lanes return from the function they are in. */
void stack_return(struct warp_state *, lanemask);
/* The lanes have exited. */
void stack_exit(struct warp_state *, lanemask);
/* Nothing is taken. */
void stack_clear(struct warp_state *);
void stack_free(struct warp_state *);
/* What decides how the warp goes on, hashed. */
uint64_t stack_fingerprint(const struct warp_state *, uint64_t hash, uint64_t (*mix)(uint64_t, uint64_t));

#endif
