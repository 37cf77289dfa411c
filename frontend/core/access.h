/* Memory uops: the addresses of the lanes, checks, and moving the data. */
#ifndef REPRISE_FRONTEND_CORE_ACCESS_H
#define REPRISE_FRONTEND_CORE_ACCESS_H

#include "frontend/core/engine.h"
#include "frontend/core/simd.h"

/* Where the lanes of a warp access memory. Mostly lanes are at equal distances: then only at[0] and stride are set.
 * Otherwise at[] is, and lanes outside the mask have the address of the lowest lane in it, so that loops over all lanes
 * stay within bounds. */
struct lane_addresses {
    uint64_t low, high; /* least and greatest */
    uint64_t bits;      /* a multiple of a power of two if and only if all addresses are */
    int64_t stride;     /* affine: lane l is at at[0] + l × stride */
    bool affine;        /* never with a partial mask */
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
 * address is where lane l's element lies. Loads extend by sign or with zeros, stores truncate. Where lanes store to one
 * place, the highest lane's value stays. NULL: there is no such pair of widths. */
SIMD_DECLARE(element_fn, element_load, (unsigned bytes, unsigned reg_bytes, bool sign))
SIMD_DECLARE(element_fn, element_store, (unsigned bytes, unsigned reg_bytes))

/* What a lane's plain store is going to store: the bytes of its width. */
void access_stored(struct warp_state *, const struct uop *, unsigned lane, uint8_t *out);

/* Chooses fn, addresses and element of a UOP_MEMORY, whose descriptor is d; false: no such access. */
bool access_prepare(struct uop *, struct memory_descriptor *d);

/* The lanes' addresses of a UOP_MEMORY; records them; and makes those of barrier objects offsets in the shared memory
 * of one block of the cluster, the lowest lane's: of the lanes whose objects are there, which it returns. 0, with a
 * fault: some lane's is no object. */
void access_addresses(struct warp *, const struct uop *, lanemask, struct lane_addresses *);
void access_log(const struct warp *, const struct uop *, lanemask, const struct lane_addresses *);
lanemask access_in_shared(struct warp_state *, const struct uop *, lanemask, struct lane_addresses *,
                          struct block **of);

/* Changes or tests barrier objects (objects.c). */
void handle_object(struct warp *, const struct uop *, lanemask);
void handle_object_test(struct warp *, const struct uop *, lanemask);

/* Records the accesses that the instruction of u, which failed, would have made after u: each memory operand of what
 * was executed is in the trace. */
void access_record_rest(struct warp *, const struct uop *u, lanemask executed);

/* The bytes of device memory from `at` on that a lane loads or stores: within one allocation, at a multiple of `align`,
 * noted as any access is. NULL: a fault, or the run is given up; nothing may be done. */
uint8_t *global_bytes(struct warp_state *, const struct uop *, unsigned lane, uint64_t at, uint64_t bytes,
                      uint64_t align, bool stores);

/* An access to global memory by these lanes, at addresses that are known, as the uop's operand says. */
void access_global(struct warp_state *, const struct uop *, lanemask, const struct lane_addresses *);

/* Textures and surfaces (image_access.c, surface_access.c): the handler; how many memory operands one records; and
 * recording those of an instruction that failed before it came to them. */
static inline bool access_is_image(const struct uop *u) { return u->op >= OP_TEXTURE && u->op <= OP_IMAGE_QUERY; }
uop_fn image_handler(const struct uop *);
unsigned image_operands(const struct uop *);
void image_record_none(struct warp *, const struct uop *, lanemask);

/* Carries out an atomic or reduction, lane by lane in ascending order, at host + at[l]. `shared`: other host threads
 * may access the same place. */
void atomic_lanes(struct warp *, const struct uop *, const struct lane_addresses *, uint8_t *host, lanemask,
                  bool shared);
/* True if there is such an atomic operation. */
bool atomic_known(const struct uop *);

/* The block's observer hears that one lane loads or stores these bytes of the shared memory of a block of its cluster.
 * False: it must not. */
bool observe_shared(struct warp_state *, const struct uop *, struct block *of, unsigned lane, uint64_t at,
                    uint64_t bytes, bool stores);

#endif
