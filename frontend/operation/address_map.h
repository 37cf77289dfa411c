/* Where device addresses of each kind lie. */
#ifndef REPRISE_FRONTEND_OPERATION_ADDRESS_MAP_H
#define REPRISE_FRONTEND_OPERATION_ADDRESS_MAP_H

/* The device's address map. Generic windows are below 4 GiB, module variables and the heap above; variables of a module
 * with 32-bit addresses are also below. */
#define SHARED_WINDOW 0x01000000ull
#define SHARED_WINDOW_SIZE 0x01000000ull
#define LOCAL_WINDOW 0x02000000ull
#define LOCAL_WINDOW_SIZE 0x01000000ull
#define CONST_WINDOW 0x03000000ull
#define CONST_WINDOW_SIZE 0x01000000ull
#define PARAM_WINDOW 0x04000000ull
#define PARAM_WINDOW_SIZE 0x00100000ull
#define IMAGE_TABLE 0x05000000ull  /* global memory: what machine code asks of textures and surfaces (image.h) */
#define MODULE_BASE 0x200000000ull /* .global variables of modules */
#define HEAP_BASE 0x400000000ull   /* buffers */
#define MODULE_BASE_32 0x10000000ull
#define HEAP_BASE_32 0x80000000ull

/* Offsets in the shared window. The shared memory of a block itself begins at 0; the shared memory of all blocks of its
 * cluster begins at CLUSTER_SHARED (frontend/core/cluster.h). */
#define CLUSTER_SHARED 0x800000u
#define CLUSTER_STEP_LOG 19
#define CLUSTER_STEP (1u << CLUSTER_STEP_LOG)
#define CLUSTER_RANKS 0xf80000u /* the bits of an offset that select the block; 0: the own block */

#endif
