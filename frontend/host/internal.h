/* The inside of a device. */
#ifndef REPRISE_FRONTEND_HOST_INTERNAL_H
#define REPRISE_FRONTEND_HOST_INTERNAL_H

#include <pthread.h>

#include "frontend/core/engine.h"
#include "frontend/core/image.h"
#include "frontend/core/track.h"
#include "frontend/host/launch.h"
#include "frontend/host/streams.h"
#include "frontend/host/team.h"

#define MAX_HOST_THREADS 256u

/* A module with the memory of its variables. */
struct loaded {
    struct module *module;
    uint8_t *globals, *consts;
    uint32_t launches; /* open ones of its kernels */
};

/* Blocks and chunks that small launches leave for the next one. */
#define SPARES 8
#define SPARE_BLOCK_BYTES (1u << 20)
#define SPARE_LAUNCH_INSTRUCTIONS 100000 /* warp instructions of a launch whose chunks are small enough to be kept */

struct rp_device {
    struct memory memory;
    struct texture_table textures;
    struct rp_array *arrays; /* all of them, a list */
    uint64_t heap_left;      /* bytes that the kernel's malloc may still give out */
    struct loaded **modules; /* by where their programs are in this process's memory */
    uint32_t module_count;
    uint64_t next_base; /* of a unified device: where the next module's variables go; else 0 */
    struct rp_running *open;
    uint64_t told;          /* see recorder_tell */
    struct streams streams; /* of the launches in the trace that was told last */
    uint64_t drives;        /* how often a launch was driven */
    unsigned cpus;
    struct team *team;         /* NULL: no launch has needed threads yet */
    struct track_grid *track;  /* NULL: no launch has run in batches yet */
    struct tracker **trackers; /* of MAX_HOST_THREADS threads, each NULL before it is needed */
    pthread_mutex_t lock;      /* guards the spares while threads run */
    struct block *blocks[SPARES];
    struct rp_chunk *chunks[SPARES];
    uint32_t block_count, chunk_count;
};

/* Arrays, textures and surfaces that are left (texture.c). */
void device_free_textures(struct rp_device *);

/* The module of a kernel, or NULL. */
struct loaded *device_module_of(struct rp_device *, const struct program *);

/* A block for this grid, an empty chunk for this launch; NULL: no memory. Any thread. */
struct block *device_take_block(struct rp_device *, struct grid *);
void device_give_block(struct rp_device *, struct block *);
struct rp_chunk *device_take_chunk(struct rp_device *, const struct rp_kernel *, uint32_t launch);
void device_give_chunk(struct rp_device *, struct rp_chunk *);
/* After a launch of more than SPARE_LAUNCH_INSTRUCTIONS: its chunks hold much memory. */
void device_drop_chunks(struct rp_device *);

#endif
