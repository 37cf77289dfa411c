#include "frontend/core/device_call.h"

#include <stdlib.h>

/* The last error of a thread, which stays until the thread sets another one. There is none in most blocks. */
static uint32_t last_error(const struct warp_state *s, unsigned lane)
{
    const struct block *b = s->w.block;
    return b->last_errors ? b->last_errors[s->w.id * RP_WARP_LANES + lane] : 0;
}

static void set_last_error(struct warp_state *s, unsigned lane, uint32_t error)
{
    struct block *b = s->w.block;
    if (!b->last_errors && error)
        b->last_errors = calloc(b->grid->warps * RP_WARP_LANES, sizeof *b->last_errors);
    if (b->last_errors)
        b->last_errors[s->w.id * RP_WARP_LANES + lane] = (uint16_t)error;
    else if (error)
        block_no_memory(b);
}

static void read_shape(struct warp_state *s, const struct uop *u, unsigned lane, struct device_shape *shape)
{
    shape->kernel = call_argument(s, u, lane, 8, 8);
    for (uint32_t i = 0; i < 3; i++) {
        shape->grid[i] = (uint32_t)call_argument(s, u, lane, 16 + 4 * i, 4);
        shape->block[i] = (uint32_t)call_argument(s, u, lane, 28 + 4 * i, 4);
    }
    shape->shared = (uint32_t)call_argument(s, u, lane, 40, 4);
}

static void call_parameters(struct warp_state *s, const struct uop *u, unsigned lane)
{
    const struct device_calls *calls = s->w.block->grid->calls;
    struct device_shape shape;
    uint32_t error = DEVICE_UNSUPPORTED;
    read_shape(s, u, lane, &shape);
    if (s->w.block->faulted)
        return;
    uint64_t address = calls ? calls->parameters(calls->data, &shape, &error) : 0;
    if (!address)
        set_last_error(s, lane, error);
    call_result(s, u, lane, 0, address, 8);
}

/* The driver's number for an error, which NVIDIA's runtime takes for the runtime's number: the table cudartErrorCnpMap
 * in libcudadevrt of CUDA 13.0. */
static uint32_t system_error(uint32_t error)
{
    switch (error) {
    case DEVICE_SUCCESS: return 0;
    case DEVICE_INVALID_VALUE: return 1;
    case DEVICE_NO_MEMORY: return 4;
    case DEVICE_INVALID_CONFIGURATION: return 7;
    case DEVICE_TOO_DEEP: return 5;
    case DEVICE_TOO_MANY: return 12;
    case DEVICE_NO_DEVICE: return 3;
    default: return UINT32_MAX; /* cudaErrorUnknown */
    }
}

static void call_launch(struct warp_state *s, const struct uop *u, unsigned lane)
{
    const struct block *b = s->w.block;
    const struct device_calls *calls = b->grid->calls;
    uint64_t parameters = call_argument(s, u, lane, 8, 8), stream = call_argument(s, u, lane, 16, 8);
    if (b->faulted)
        return;
    uint32_t error = calls ? calls->launch(calls->data, parameters, stream, b->index) : DEVICE_UNSUPPORTED;
    if (error)
        set_last_error(s, lane, error);
    call_result(s, u, lane, 0, u->mode == HOST_SYSTEM_LAUNCH ? system_error(error) : error, 4);
}

static void call_ask(struct warp_state *s, const struct uop *u, unsigned lane)
{
    const struct device_calls *calls = s->w.block->grid->calls;
    struct device_asked asked = {.what = (uint32_t)call_argument(s, u, lane, 12, 4),
                                 .of = call_argument(s, u, lane, 16, 8),
                                 .with = call_argument(s, u, lane, 24, 8),
                                 .more = call_argument(s, u, lane, 32, 8)};
    uint64_t value = 0;
    if (s->w.block->faulted)
        return;
    uint32_t error = calls ? calls->ask(calls->data, &asked, &value) : DEVICE_UNSUPPORTED;
    call_result(s, u, lane, 0, value, 8);
    call_result(s, u, lane, 8, system_error(error), 4);
}

static void call_set_error(struct warp_state *s, const struct uop *u, unsigned lane)
{
    uint32_t error = (uint32_t)call_argument(s, u, lane, 4, 4);
    if (s->w.block->faulted)
        return;
    set_last_error(s, lane, error);
    call_result(s, u, lane, 0, error, 4);
}

void device_call(struct warp_state *s, const struct uop *u, unsigned lane)
{
    switch (u->mode) {
    case HOST_PARAMETERS: call_parameters(s, u, lane); break;
    case HOST_LAUNCH:
    case HOST_SYSTEM_LAUNCH: call_launch(s, u, lane); break;
    case HOST_LAST_ERROR: call_result(s, u, lane, 0, last_error(s, lane), 4); break;
    case HOST_TAKE_ERROR:
        call_result(s, u, lane, 0, last_error(s, lane), 4);
        set_last_error(s, lane, 0);
        break;
    case HOST_SET_ERROR: call_set_error(s, u, lane); break;
    default: call_ask(s, u, lane); break;
    }
}
