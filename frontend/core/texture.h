/* Textures and surfaces: formats of elements, and how a texture is read. Names and numbers follow CUDA's driver API
 * (cuArray3DCreate, CUDA_TEXTURE_DESC), "CUDA Driver API", Texture Object Management. */
#ifndef REPRISE_FRONTEND_CORE_TEXTURE_H
#define REPRISE_FRONTEND_CORE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- elements ---------------------------------------------------------------------------------------------------- */

enum rp_element_kind { RP_ELEMENT_UNSIGNED, RP_ELEMENT_SIGNED, RP_ELEMENT_FLOAT };
struct rp_element {
    uint8_t kind;     /* enum rp_element_kind */
    uint8_t bits;     /* of a channel: 8, 16 or 32; FLOAT: 16 or 32 */
    uint8_t channels; /* 1, 2 or 4 */
};
static inline uint32_t rp_element_bytes(struct rp_element e) { return e.bits / 8u * e.channels; }

/* ---- how a texture is read --------------------------------------------------------------------------------------- */

enum rp_address_mode { RP_ADDRESS_WRAP, RP_ADDRESS_CLAMP, RP_ADDRESS_MIRROR, RP_ADDRESS_BORDER };
enum rp_filter_mode { RP_FILTER_POINT, RP_FILTER_LINEAR };

/* Corresponds to CUDA_TEXTURE_DESC, also if all fields are zero: wrap, point, coordinates in texels, and values as
 * read_as_integer says. */
struct rp_sampler {
    uint8_t
        address[3]; /* enum rp_address_mode per dimension; for coordinates in texels, wrap and mirror become clamp */
    uint8_t filter; /* enum rp_filter_mode within a level; values that stay integers use point */
    uint8_t mip_filter; /* enum rp_filter_mode between levels */
    bool
        read_as_integer; /* integers stay integers; otherwise those of 8 and 16 bits become floats in [0,1] or [-1,1] */
    bool normalized_coordinates; /* [0,1) is the whole extent; otherwise coordinates are in texels */
    bool srgb;              /* the first three channels, if they have 8 unsigned bits, are sRGB and become linear */
    bool seamless_cubemap;  /* accepted without effect: each face is filtered separately */
    uint8_t max_anisotropy; /* accepted without effect: filtering is isotropic */
    float mip_bias, mip_min, mip_max; /* the level is clamped to [mip_min, mip_max] after the bias is added */
    float border[4];                  /* the colour outside with RP_ADDRESS_BORDER: red, green, blue, alpha */
};

#endif
