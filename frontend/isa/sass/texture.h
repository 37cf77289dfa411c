/* Textures and surfaces: what machine code of all generations shares. An instruction takes its inputs from groups of
 * consecutive registers, in the order of struct fetch_point: layer, coordinates, level or gradients, offsets; where the
 * handle is in a register, it comes after the coordinates, or, with gradients, before them. */
#ifndef REPRISE_FRONTEND_ISA_SASS_TEXTURE_H
#define REPRISE_FRONTEND_ISA_SASS_TEXTURE_H

#include "frontend/core/footprint.h"
#include "frontend/isa/sass/lower.h"

/* ---- inputs ---- */
struct sass_inputs {
    struct operand at[16];
    uint32_t count;
};
/* Takes the next register of a group. */
struct operand sass_take(struct sass_lowering *, unsigned *group);
void sass_take_inputs(struct sass_lowering *, struct sass_inputs *, unsigned *group, unsigned count);
/* Takes the offsets in texels, if the fetch has any. They are fields of one word, from bit `at` on. */
void sass_take_offsets(struct sass_lowering *, struct sass_inputs *, const struct fetch *, struct operand word,
                       unsigned at);
/* Takes the inputs of a fetch with gradients: from `first` on coordinates and one word with the layer and, above it,
 * the offsets; from `second` on the gradients, one coordinate after another. */
void sass_take_gradients(struct sass_lowering *, struct sass_inputs *, const struct fetch *, unsigned first,
                         unsigned second);

/* ---- handles ---- */
/* Sets the handle to the one in this word of constant bank 0: a parameter, or a reference that the loader binds. */
void sass_set_static_handle(struct sass_lowering *, struct operation *, uint32_t offset);

/* ---- fetches ---- */
/* A fetch of 1D, 2D, 3D, cube (0 to 3), which may be layered. */
struct fetch sass_fetch(struct sass_lowering *, enum fetch_kind, unsigned dimension, bool layered);
struct operation sass_begin_fetch(void);
void sass_end_fetch(struct sass_lowering *, struct operation *, const struct fetch *, const struct sass_inputs *);

/* ---- results ---- */
enum { SASS_CHANNELS = 4 };
/* Of results as f32 or words; as f16, two in a register; likewise, rounded towards zero. */
enum sass_precision { SASS_WORDS, SASS_HALVES, SASS_HALVES_TRUNCATED };
/* Sets the results: words of the channels of the mask. The n-th of them goes to registers[n]. */
void sass_set_results(struct sass_lowering *, struct operation *, unsigned mask,
                      const unsigned registers[SASS_CHANNELS]);
/* Emits a fetch with such results, or with halves: the n-th and the one after it go to registers[n], for even n. */
void sass_emit_fetch(struct sass_lowering *, struct operation *, unsigned mask, const unsigned registers[SASS_CHANNELS],
                     enum sass_precision);
/* Writes the predicate of a fetch, which says that a texel is not resident: code that ptxas makes of tex with a
 * predicate takes its opposite. Here all are. */
void sass_write_residency(struct sass_lowering *, unsigned predicate_at);
/* Emits the query of a level's extents for the handle in u. The mask chooses the extents. */
void sass_query_extents(struct sass_lowering *, struct operation *u, struct operand level, unsigned mask,
                        const unsigned registers[SASS_CHANNELS]);

/* ---- surfaces ---- */
/* Sets the coordinates and how they are used. The last one is the layer. Dimension and clamp are as encoded. */
void sass_set_surface(struct sass_lowering *, struct operation *, struct surface_access *, unsigned dimension,
                      unsigned clamp, unsigned group);
/* Sets the values that a store of elements in their own format takes: channels of the mask, from a register on. A
 * channel without a value becomes 0. */
void sass_set_channels(struct sass_lowering *, struct operation *, unsigned mask, unsigned group);
/* A load or store of channels in the element's own format. */
struct operation sass_formatted_access(bool store);
/* A reduction without its value: `operation` and `type` as encoded, the latter with the names of SURED. Two types stand
 * for signed or unsigned, as the elements are. */
struct operation sass_surface_reduction(struct sass_lowering *, unsigned operation, unsigned type,
                                        struct surface_access *);

#endif
