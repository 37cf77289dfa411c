/* Memory uops: the addresses of the lanes, checks, and moving the data. */
#ifndef REPRISE_FRONTEND_CORE_ACCESS_H
#define REPRISE_FRONTEND_CORE_ACCESS_H

#include "frontend/core/engine.h"
#include "frontend/core/lanes/simd.h"

/* The addresses of a warp's access. Mostly the lanes are at equal distances: then only at[0] and stride are set.
 * Otherwise at[] is set, and lanes outside the mask have the address of the lowest lane in it, so that loops over all
 * lanes stay within bounds. */
struct lane_addresses {
    uint64_t low, high; /* least and greatest */
    uint64_t bits;      /* the bitwise or of all addresses, for alignment checks */
    int64_t stride;     /* affine: lane l is at at[0] + l × stride */
    bool affine;        /* false for every partial mask */
    uint64_t at[RP_WARP_LANES];
};
static inline uint64_t lane_address(const struct lane_addresses *la, unsigned lane)
{
    return la->affine ? la->at[0] + (uint64_t)(la->stride * lane) : la->at[lane];
}

/* Address = register + offset: 64 bits wide, 32 bits wide (wrapping), or the offset alone. */
SIMD_DECLARE(void, addresses_wide, (struct lane_addresses *, const void *reg, int64_t offset, lanemask))
SIMD_DECLARE(void, addresses_narrow, (struct lane_addresses *, const void *reg, int64_t offset, lanemask))
void addresses_constant(struct lane_addresses *, const void *reg, int64_t offset, lanemask);

/* The function that moves elements of `bytes` in memory from or to registers with elements of `reg_bytes`: host +
 * address is where lane l's element lies. Loads extend by sign or with zeros, stores truncate. If several lanes store
 * to one address, the highest lane's value remains. NULL: there is no such pair of widths. */
SIMD_DECLARE(element_fn, element_load, (unsigned bytes, unsigned reg_bytes, bool sign))
SIMD_DECLARE(element_fn, element_store, (unsigned bytes, unsigned reg_bytes))

/* The bytes that a lane's plain store is about to write. */
void access_stored(struct warp_state *, const struct uop *, unsigned lane, uint8_t *out);

/* Chooses fn, addresses and element of a UOP_MEMORY with descriptor d. False: there is no such access. */
bool access_prepare(struct uop *, struct memory_descriptor *d);

/* Whether the handler of this UOP_MEMORY keeps and takes strides (strides.h). */
bool access_has_stride(const struct uop *);
/* The handler of a UOP_MEMORY with UF_KNOWN_STRIDE, whose stride is that of `first`: a faster one, if there is one for
 * what both do, or its own. */
uop_fn access_with_stride(const struct uop *, const struct uop *first);
/* Lets one handler make two such loads where one stands behind the other: marks the first, if both are of this kind. */
bool access_join(struct uop *first, const struct uop *second);
/* Loads of an element by each lane from shared memory, at addresses in the slot's even_stride. The general handler,
 * access_shared, makes all others. */
SIMD_DECLARE(void, load_even_32, (struct warp *, const struct uop *, lanemask))
SIMD_DECLARE(void, load_even_64, (struct warp *, const struct uop *, lanemask))
/* Two loads, the UOP_LANE behind them, if there is one that has no guard, and so on. */
SIMD_DECLARE(void, load_even_two, (struct warp *, const struct uop *, lanemask))
void access_shared(struct warp *, const struct uop *, lanemask);

/* Computes and records the addresses of a UOP_MEMORY. The addresses of barrier objects become offsets in the shared
 * memory of one block of the cluster, *of, that of the lowest lane. Returns the lanes whose objects are in that block.
 * 0, with a fault: a lane's address is no object. */
void access_addresses(struct warp *, const struct uop *, lanemask, struct lane_addresses *);
void access_log(const struct warp *, const struct uop *, lanemask, const struct lane_addresses *);
lanemask access_in_shared(struct warp_state *, const struct uop *, lanemask, struct lane_addresses *,
                          struct block **of);

/* Changes or tests barrier objects (objects.c). */
void handle_object(struct warp *, const struct uop *, lanemask);
void handle_object_test(struct warp *, const struct uop *, lanemask);

/* Records the accesses that the instruction would still have made after its uop `u` failed: the trace has every memory
 * operand of an executed instruction. */
void access_record_rest(struct warp *, const struct uop *u, lanemask executed);

/* The bytes of device memory at `at` that a lane loads or stores: they lie in one allocation, at a multiple of `align`,
 * and observers are told as of any access. NULL: a fault, or the attempt is abandoned; the access must not be made. */
uint8_t *global_bytes(struct warp_state *, const struct uop *, unsigned lane, uint64_t at, uint64_t bytes,
                      uint64_t align, bool stores);

/* Makes an access to global memory by these lanes at given addresses, as the uop's operand says. */
void access_global(struct warp_state *, const struct uop *, lanemask, const struct lane_addresses *);

/* Textures and surfaces (image_access.c, surface_access.c): the handler; the number of memory operands that an
 * instruction records; and recording the operands of an instruction that failed before it reached them. */
static inline bool access_is_image(const struct uop *u) { return u->op >= OP_TEXTURE && u->op <= OP_IMAGE_QUERY; }
uop_fn image_handler(const struct uop *);
unsigned image_operands(const struct uop *);
void image_record_none(struct warp *, const struct uop *, lanemask);

/* Carries out an atomic or reduction, lane by lane in ascending order, at host + at[l]. `shared`: other host threads
 * may access the same memory. */
void atomic_lanes(struct warp *, const struct uop *, const struct lane_addresses *, uint8_t *host, lanemask,
                  bool shared);
/* True if there is such an atomic operation. */
bool atomic_known(const struct uop *);

/* Tells the block's observer that one lane loads or stores these bytes of the shared memory of block `of` of its
 * cluster. False: the access must not be made. */
bool observe_shared(struct warp_state *, const struct uop *, struct block *of, unsigned lane, uint64_t at,
                    uint64_t bytes, bool stores);

#endif
