/* Internals of a device. */
#ifndef REPRISE_FRONTEND_HOST_INTERNAL_H
#define REPRISE_FRONTEND_HOST_INTERNAL_H

#include <pthread.h>

#include "frontend/core/engine.h"
#include "frontend/core/image.h"
#include "frontend/core/track.h"
#include "frontend/host/launch.h"
#include "frontend/host/streams.h"
#include "frontend/host/thread_pool.h"

#define MAX_HOST_THREADS 256u

/* A module with the memory of its variables. */
struct loaded {
    struct module *module;
    uint8_t *globals, *consts;
    uint32_t launches; /* open launches of its kernels */
    uint8_t owner;     /* the device that has it */
};

/* Blocks and chunks that small launches leave for the next launch. */
#define SPARES 8
#define SPARE_BLOCK_BYTES (1u << 20)
#define SPARE_LAUNCH_INSTRUCTIONS                                                                                      \
    100000 /* limit on the warp instructions of a launch whose chunks are small enough to be kept */

struct rp_device {
    struct memory memory;
    struct texture_table textures;
    struct rp_array *arrays; /* list of all arrays */
    uint32_t *image_table;   /* NULL: no program has read it */
    uint64_t image_changes;  /* textures and surfaces made and freed so far */
    struct repeats *repeats; /* what is known of launches (repeats.h); NULL: nothing */
    uint64_t heap_left;      /* bytes that the kernel's malloc may still allocate */
    struct loaded **modules; /* sorted by the addresses of their programs */
    uint32_t module_count;
    uint64_t next_base; /* of a unified device: address of the next module's variables; otherwise 0 */
    struct rp_running *open;
    uint64_t logged_to;     /* see recorder_write_operations */
    struct streams streams; /* of the launches in the trace that `logged_to` names */
    uint64_t drives;        /* how many times a launch was driven */
    unsigned cpus;
    struct thread_pool *thread_pool; /* NULL: no launch has needed threads yet */
    struct track_grid *track;        /* NULL: no launch has run in batches yet */
    struct tracker **trackers;       /* MAX_HOST_THREADS of them; NULL until needed */
    pthread_mutex_t lock;            /* guards the spare blocks and chunks while threads run */
    struct block *blocks[SPARES];
    struct rp_chunk *chunks[SPARES];
    uint32_t block_count, chunk_count;
};

/* Frees the arrays, textures and surfaces that are left (texture.c). */
void device_free_textures(struct rp_device *);
/* Writes the table of images (image.h), before a launch of a program that reads it. */
bool device_describe_images(struct rp_device *, struct rp_error *);

/* The module of a kernel, or NULL. */
struct loaded *device_module_of(struct rp_device *, const struct program *);

/* A block for this grid; an empty chunk for this launch. NULL: out of memory. Any thread may call these. */
struct block *device_take_block(struct rp_device *, struct grid *);
void device_give_block(struct rp_device *, struct block *);
struct rp_chunk *device_take_chunk(struct rp_device *, const struct rp_kernel *, uint32_t launch);
void device_give_chunk(struct rp_device *, struct rp_chunk *);
/* To be called after a launch of more than SPARE_LAUNCH_INSTRUCTIONS: its chunks hold much memory. */
void device_drop_chunks(struct rp_device *);

#endif
