/* The inside of a context. */
#ifndef REPRISE_FRONTEND_HOST_CONTEXT_H
#define REPRISE_FRONTEND_HOST_CONTEXT_H

#include "frontend/core/memory.h"
#include "frontend/host/launch.h"

struct rp_context {
    struct memory memory;
    struct module *module;
    uint8_t *globals, *consts; /* the module's variables */
};

#endif
