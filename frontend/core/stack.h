/* Memory that a function allocates at run time in its thread's local memory (PTX ISA, "Stack Manipulation
 * Instructions": alloca, stacksave, stackrestore). It grows from the end of local memory down; frames grow up from its
 * beginning. A function that returns frees what it allocated. */
#ifndef REPRISE_FRONTEND_CORE_STACK_H
#define REPRISE_FRONTEND_CORE_STACK_H

#include "frontend/core/engine.h"

/* Executes a UOP_STACK for these lanes. Faults if there is no room, or if a value is restored that was not saved. */
void stack_change(struct warp_state *, const struct uop *, lanemask executed);
/* The bytes from the beginning of local memory that no active lane has allocated. */
uint32_t stack_room(const struct warp_state *);
/* To be called when the lanes return from the current function. */
void stack_return(struct warp_state *, lanemask);
/* To be called when the lanes have exited. */
void stack_exit(struct warp_state *, lanemask);
/* Frees everything. */
void stack_clear(struct warp_state *);
void stack_free(struct warp_state *);
/* Hashes the state that decides how the warp goes on. */
uint64_t stack_fingerprint(const struct warp_state *, uint64_t hash, uint64_t (*mix)(uint64_t, uint64_t));

#endif
