/* The text that is being compiled, and how errors in it are reported. */
#ifndef REPRISE_FRONTEND_ISA_PTX_SOURCE_H
#define REPRISE_FRONTEND_ISA_PTX_SOURCE_H

#include <setjmp.h>
#include <stdint.h>

#include "frontend/module/arena.h"
#include "tracefmt/error.h"

struct ptx_source {
    const char *file_name;
    const char *text; /* NUL-terminated copy, in the arena */
    uint32_t size;
    struct arena *arena;
    struct rp_error *err;
    jmp_buf escape; /* where ptx_error goes */
};

/* Fills src->err with FILE:LINE:COLUMN: message, the line, and a caret under byte offset `at`; does not return. */
void ptx_error(struct ptx_source *, uint32_t at, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* The most similar name in the list, few edits away from `name`; NULL: there is none. next(data) returns names until
 * NULL. */
const char *ptx_nearest(const char *name, uint32_t length, const char *(*next)(void *), void *data);

#endif
