/* What textures and surfaces are: formats of elements, how an array lies in memory, and how a texture is read. Names
 * and numbers are those of CUDA's driver API (cuArray3DCreate, CUDA_TEXTURE_DESC), "CUDA Driver API", Texture Object
 * Management. */
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

/* CUDA_TEXTURE_DESC. All zero is what it is there: wrap, point, element values or normalized floats as read_as_integer
 * says, coordinates in texels. */
struct rp_sampler {
    uint8_t address[3];   /* enum rp_address_mode per dimension; wrap and mirror of coordinates in texels are clamp */
    uint8_t filter;       /* enum rp_filter_mode within a level; of values that stay integers it counts as point */
    uint8_t mip_filter;   /* enum rp_filter_mode between levels */
    bool read_as_integer; /* integers stay so; else those of 8 and 16 bits become floats in [0,1] or [-1,1] */
    bool normalized_coordinates; /* [0,1) is the whole extent; else coordinates count texels */
    bool srgb;                   /* colours of 8-bit unsigned channels are sRGB, and become linear; not the 4th one */
    bool seamless_cubemap;       /* taken, and without effect: faces are filtered each for itself */
    uint8_t max_anisotropy;      /* taken, and without effect: filtering is isotropic */
    float mip_bias, mip_min, mip_max; /* the level is clamped to [mip_min, mip_max] after the bias is added */
    float border[4];                  /* RP_ADDRESS_BORDER, outside: red, green, blue, alpha */
};

#endif
