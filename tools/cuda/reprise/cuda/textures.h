/* Texture and surface objects on the device; CUDA C++ Programming Guide, "Texture Functions", "Surface Functions". */
#ifndef REPRISE_CUDA_TEXTURES_H
#define REPRISE_CUDA_TEXTURES_H
#pragma GCC system_header

#include "runtime_types.h"

/* ---- what a texel becomes ---------------------------------------------------------------------------------------- */

struct reprise_floats {
    float x, y, z, w;
};
struct reprise_ints {
    int x, y, z, w;
};
template <class T> struct reprise_texel;
#define REPRISE_TEXEL(T, Four, value)                                                                                  \
    template <> struct reprise_texel<T> {                                                                              \
        typedef Four four;                                                                                             \
        static REPRISE_MEMBER T of(const Four &v) { return value; }                                                    \
    };
#define REPRISE_TEXELS(name, T, Four)                                                                                  \
    REPRISE_TEXEL(T, Four, (T)v.x)                                                                                     \
    REPRISE_TEXEL(name##1, Four, (name##1 {(T)v.x}))                                                                   \
    REPRISE_TEXEL(name##2, Four, (name##2 {(T)v.x, (T)v.y}))                                                           \
    REPRISE_TEXEL(name##4, Four, (name##4 {(T)v.x, (T)v.y, (T)v.z, (T)v.w}))
REPRISE_TEXELS(float, float, reprise_floats)
REPRISE_TEXELS(char, signed char, reprise_ints)
REPRISE_TEXELS(uchar, unsigned char, reprise_ints)
REPRISE_TEXELS(short, short, reprise_ints)
REPRISE_TEXELS(ushort, unsigned short, reprise_ints)
REPRISE_TEXELS(int, int, reprise_ints)
REPRISE_TEXELS(uint, unsigned, reprise_ints)
REPRISE_TEXEL(char, reprise_ints, (char)v.x)
#undef REPRISE_TEXELS
#undef REPRISE_TEXEL

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

/* One fetch as PTX: floats or integers, with coordinates as the text says from operand 5 on. */
#define REPRISE_FETCH(name, geometry, from, place, parameters, ...)                                                    \
    REPRISE_FN void reprise_##name(reprise_floats *v, cudaTextureObject_t t, REPRISE_UNPACK parameters)                \
    {                                                                                                                  \
        asm volatile(geometry ".v4.f32." from " {%0, %1, %2, %3}, [%4, " place ";"                                     \
                     : "=f"(v->x), "=f"(v->y), "=f"(v->z), "=f"(v->w)                                                  \
                     : "l"(t), __VA_ARGS__);                                                                           \
    }                                                                                                                  \
    REPRISE_FN void reprise_##name(reprise_ints *v, cudaTextureObject_t t, REPRISE_UNPACK parameters)                  \
    {                                                                                                                  \
        asm volatile(geometry ".v4.s32." from " {%0, %1, %2, %3}, [%4, " place ";"                                     \
                     : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)                                                  \
                     : "l"(t), __VA_ARGS__);                                                                           \
    }
#define REPRISE_UNPACK(...) __VA_ARGS__
#define REPRISE_TEXTURE(name, geometry, from, place, parameters, arguments, ...)                                       \
    REPRISE_FETCH(name, geometry, from, place, parameters, __VA_ARGS__)                                                \
    template <class T> REPRISE_FN T name(cudaTextureObject_t t, REPRISE_UNPACK parameters)                             \
    {                                                                                                                  \
        typename reprise_texel<T>::four v;                                                                             \
        reprise_##name(&v, t, REPRISE_UNPACK arguments);                                                               \
        return reprise_texel<T>::of(v);                                                                                \
    }                                                                                                                  \
    template <class T> REPRISE_FN void name(T *to, cudaTextureObject_t t, REPRISE_UNPACK parameters)                   \
    {                                                                                                                  \
        *to = name<T>(t, REPRISE_UNPACK arguments);                                                                    \
    }
REPRISE_TEXTURE(tex1Dfetch, "tex.1d", "s32", "{%5}]", (int x), (x), "r"(x))
REPRISE_TEXTURE(tex1D, "tex.1d", "f32", "{%5}]", (float x), (x), "f"(x))
REPRISE_TEXTURE(tex1DLod, "tex.level.1d", "f32", "{%5}], %6", (float x, float level), (x, level), "f"(x), "f"(level))
REPRISE_TEXTURE(tex2D, "tex.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
REPRISE_TEXTURE(tex2DLod, "tex.level.2d", "f32", "{%5, %6}], %7", (float x, float y, float level), (x, y, level),
                "f"(x), "f"(y), "f"(level))
REPRISE_TEXTURE(tex3D, "tex.3d", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z), "f"(x), "f"(y),
                "f"(z))
REPRISE_TEXTURE(tex3DLod, "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
                (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
REPRISE_TEXTURE(tex1DLayered, "tex.a1d", "f32", "{%5, %6}]", (float x, int layer), (x, layer), "r"(layer), "f"(x))
REPRISE_TEXTURE(tex2DLayered, "tex.a2d", "f32", "{%5, %6, %7, %7}]", (float x, float y, int layer), (x, y, layer),
                "r"(layer), "f"(x), "f"(y))
REPRISE_TEXTURE(texCubemap, "tex.cube", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z), "f"(x),
                "f"(y), "f"(z))
REPRISE_TEXTURE(texCubemapLayered, "tex.acube", "f32", "{%5, %6, %7, %8}]", (float x, float y, float z, int layer),
                (x, y, z, layer), "r"(layer), "f"(x), "f"(y), "f"(z))
REPRISE_TEXTURE(reprise_gather_r, "tld4.r.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
REPRISE_TEXTURE(reprise_gather_g, "tld4.g.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
REPRISE_TEXTURE(reprise_gather_b, "tld4.b.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
REPRISE_TEXTURE(reprise_gather_a, "tld4.a.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
template <class T> REPRISE_FN T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0)
{
    switch (component) {
    case 0: return reprise_gather_r<T>(t, x, y);
    case 1: return reprise_gather_g<T>(t, x, y);
    case 2: return reprise_gather_b<T>(t, x, y);
    default: return reprise_gather_a<T>(t, x, y);
    }
}
#undef REPRISE_TEXTURE
#undef REPRISE_FETCH

/* ---- surfaces: bytes as they are, x in bytes --------------------------------------------------------------------- */

/* The registers of an element of 1, 2, 4, 8 or 16 bytes. */
template <unsigned size> struct reprise_registers {
    unsigned r[size / 4];
};
template <> struct reprise_registers<1> {
    unsigned short r[1];
};
template <> struct reprise_registers<2> {
    unsigned short r[1];
};
/* Operands %0 to %3 are the element's registers. */
#define REPRISE_READ(geometry, size, type, list, place, out, ...)                                                      \
    if (mode == cudaBoundaryModeTrap)                                                                                  \
        asm volatile("suld.b." geometry type ".trap " list ", [" place "];" : REPRISE_UNPACK out : __VA_ARGS__);       \
    else if (mode == cudaBoundaryModeClamp)                                                                            \
        asm volatile("suld.b." geometry type ".clamp " list ", [" place "];" : REPRISE_UNPACK out : __VA_ARGS__);      \
    else                                                                                                               \
        asm volatile("suld.b." geometry type ".zero " list ", [" place "];" : REPRISE_UNPACK out : __VA_ARGS__)
#define REPRISE_WRITE_BY(way, geometry, type, list, place, in, ...)                                                    \
    asm volatile("sust.b." geometry type way " [" place "], " list ";" ::REPRISE_UNPACK in, __VA_ARGS__ : "memory")
#define REPRISE_WRITE(geometry, size, type, list, place, in, ...)                                                      \
    if (mode == cudaBoundaryModeTrap)                                                                                  \
        REPRISE_WRITE_BY(".trap", geometry, type, list, place, in, __VA_ARGS__);                                       \
    else if (mode == cudaBoundaryModeClamp)                                                                            \
        REPRISE_WRITE_BY(".clamp", geometry, type, list, place, in, __VA_ARGS__);                                      \
    else                                                                                                               \
        REPRISE_WRITE_BY(".zero", geometry, type, list, place, in, __VA_ARGS__)
#define REPRISE_SURFACE_SIZE(name, geometry, size, type, list, place, out, in, parameters, ...)                        \
    REPRISE_FN void reprise_##name##read(reprise_registers<size> &v, cudaSurfaceObject_t s,                            \
                                         cudaSurfaceBoundaryMode mode, REPRISE_UNPACK parameters)                      \
    {                                                                                                                  \
        REPRISE_READ(geometry, size, type, list, place, out, "l"(s), __VA_ARGS__);                                     \
    }                                                                                                                  \
    REPRISE_FN void reprise_##name##write(const reprise_registers<size> &v, cudaSurfaceObject_t s,                     \
                                          cudaSurfaceBoundaryMode mode, REPRISE_UNPACK parameters)                     \
    {                                                                                                                  \
        REPRISE_WRITE(geometry, size, type, list, place, in, "l"(s), __VA_ARGS__);                                     \
    }
/* place1, place2, place4: surface and coordinates, after 1, 2 or 4 registers. */
#define REPRISE_SURFACE(name, geometry, place1, place2, place4, parameters, arguments, ...)                            \
    REPRISE_SURFACE_SIZE(name, geometry, 1, ".b8", "{%0}", place1, ("=h"(v.r[0])), ("h"(v.r[0])), parameters,          \
                         __VA_ARGS__)                                                                                  \
    REPRISE_SURFACE_SIZE(name, geometry, 2, ".b16", "{%0}", place1, ("=h"(v.r[0])), ("h"(v.r[0])), parameters,         \
                         __VA_ARGS__)                                                                                  \
    REPRISE_SURFACE_SIZE(name, geometry, 4, ".b32", "{%0}", place1, ("=r"(v.r[0])), ("r"(v.r[0])), parameters,         \
                         __VA_ARGS__)                                                                                  \
    REPRISE_SURFACE_SIZE(name, geometry, 8, ".v2.b32", "{%0, %1}", place2, ("=r"(v.r[0]), "=r"(v.r[1])),               \
                         ("r"(v.r[0]), "r"(v.r[1])), parameters, __VA_ARGS__)                                          \
    REPRISE_SURFACE_SIZE(name, geometry, 16, ".v4.b32", "{%0, %1, %2, %3}", place4,                                    \
                         ("=r"(v.r[0]), "=r"(v.r[1]), "=r"(v.r[2]), "=r"(v.r[3])),                                     \
                         ("r"(v.r[0]), "r"(v.r[1]), "r"(v.r[2]), "r"(v.r[3])), parameters, __VA_ARGS__)                \
    template <class T>                                                                                                 \
    REPRISE_FN T name##read(cudaSurfaceObject_t s, REPRISE_UNPACK parameters,                                          \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                       \
    {                                                                                                                  \
        reprise_registers<sizeof(T)> v;                                                                                \
        T to;                                                                                                          \
        reprise_##name##read(v, s, mode, REPRISE_UNPACK arguments);                                                    \
        __builtin_memcpy(&to, &v, sizeof to);                                                                          \
        return to;                                                                                                     \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    REPRISE_FN void name##read(T *to, cudaSurfaceObject_t s, REPRISE_UNPACK parameters,                                \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                    \
    {                                                                                                                  \
        *to = name##read<T>(s, REPRISE_UNPACK arguments, mode);                                                        \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    REPRISE_FN void name##write(T from, cudaSurfaceObject_t s, REPRISE_UNPACK parameters,                              \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                   \
    {                                                                                                                  \
        reprise_registers<sizeof(T)> v;                                                                                \
        __builtin_memcpy(&v, &from, sizeof from);                                                                      \
        reprise_##name##write(v, s, mode, REPRISE_UNPACK arguments);                                                   \
    }
REPRISE_SURFACE(surf1D, "1d", "%1, {%2}", "%2, {%3}", "%4, {%5}", (int x), (x), "r"(x))
REPRISE_SURFACE(surf2D, "2d", "%1, {%2, %3}", "%2, {%3, %4}", "%4, {%5, %6}", (int x, int y), (x, y), "r"(x), "r"(y))
REPRISE_SURFACE(surf3D, "3d", "%1, {%2, %3, %4, %4}", "%2, {%3, %4, %5, %5}", "%4, {%5, %6, %7, %7}",
                (int x, int y, int z), (x, y, z), "r"(x), "r"(y), "r"(z))
REPRISE_SURFACE(surf2DLayered, "a2d", "%1, {%2, %3, %4, %4}", "%2, {%3, %4, %5, %5}", "%4, {%5, %6, %7, %7}",
                (int x, int y, int layer), (x, y, layer), "r"(layer), "r"(x), "r"(y))
#undef REPRISE_SURFACE
#undef REPRISE_SURFACE_SIZE
#undef REPRISE_WRITE
#undef REPRISE_WRITE_BY
#undef REPRISE_READ
#undef REPRISE_UNPACK

#endif
