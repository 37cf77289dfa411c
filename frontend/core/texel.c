/* Texels: conversion of the bytes of an element ("CUDA C++ Programming Guide", Texture and Surface Memory). */
#include <math.h>
#include <string.h>

#include "frontend/core/image.h"
#include "frontend/core/lanes/small.h"

bool texel_is_float(struct rp_element e, const struct rp_sampler *s)
{
    return e.kind == RP_ELEMENT_FLOAT || (e.bits < 32 && !s->read_as_integer);
}

static uint32_t channel_bits(struct rp_element e, const uint8_t *at, unsigned channel)
{
    uint32_t v = 0;
    memcpy(&v, at + channel * (e.bits / 8u), e.bits / 8u);
    return v;
}

static int32_t sign_extended(uint32_t v, unsigned bits) { return (int32_t)(v << (32 - bits)) >> (32 - bits); }

/* IEC 61966-2-1, for one of 256 values. */
static float linear_of_srgb(uint32_t v)
{
    double c = v / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

/* Maps the greatest value to 1. Signed: the least value and its successor become -1. */
static float normalized(struct rp_element e, uint32_t v)
{
    if (e.kind == RP_ELEMENT_UNSIGNED)
        return (float)(v / (double)((1u << e.bits) - 1));
    double x = sign_extended(v, e.bits) / (double)((1u << (e.bits - 1)) - 1);
    return (float)(x < -1 ? -1 : x);
}

static float number(struct rp_element e, const struct rp_sampler *s, const uint8_t *at, unsigned channel)
{
    uint32_t v = channel_bits(e, at, channel);
    float f;
    if (e.kind == RP_ELEMENT_FLOAT && e.bits == 16)
        return f32_of_f16((uint16_t)v);
    if (e.kind == RP_ELEMENT_FLOAT) {
        memcpy(&f, &v, sizeof f);
        return f;
    }
    if (s->srgb && e.kind == RP_ELEMENT_UNSIGNED && e.bits == 8 && channel < 3)
        return linear_of_srgb(v);
    return normalized(e, v);
}

struct texel texel_read(struct rp_element e, const struct rp_sampler *s, const uint8_t *at)
{
    struct texel t = {.is_float = texel_is_float(e, s)};
    if (t.is_float)
        t.f[3] = 1;
    else
        t.u[3] = 1;
    for (unsigned c = 0; c < e.channels; c++) {
        uint32_t v = channel_bits(e, at, c);
        if (t.is_float)
            t.f[c] = number(e, s, at, c);
        else
            t.u[c] = e.kind == RP_ELEMENT_SIGNED ? (uint32_t)sign_extended(v, e.bits) : v;
    }
    return t;
}

static uint32_t saturated(double x, double least, double most)
{
    if (!(x > least))
        return (uint32_t)(int64_t)(x <= least ? least : 0);
    return (uint32_t)(int64_t)(x < most ? x : most);
}

struct texel texel_border(struct rp_element e, const struct rp_sampler *s)
{
    struct texel t = {.is_float = texel_is_float(e, s)};
    bool is_signed = e.kind == RP_ELEMENT_SIGNED;
    double most = ldexp(1, e.bits - is_signed) - 1, least = is_signed ? -most - 1 : 0;
    for (unsigned c = 0; c < 4; c++)
        if (t.is_float)
            t.f[c] = s->border[c];
        else
            t.u[c] = saturated((double)s->border[c], least, most);
    return t;
}

void texel_load(struct rp_element e, const uint8_t *at, uint32_t channels[4])
{
    const struct rp_sampler as_they_are = {.read_as_integer = true};
    struct texel t = texel_read(e, &as_they_are, at);
    memcpy(channels, t.u, sizeof t.u);
}

static uint32_t stored(struct rp_element e, uint32_t v)
{
    if (e.bits == 32)
        return v;
    if (e.kind == RP_ELEMENT_FLOAT) {
        float f;
        memcpy(&f, &v, sizeof f);
        return narrowed((double)f, ROUND_N, &f16_format);
    }
    if (e.kind == RP_ELEMENT_UNSIGNED)
        return v >> e.bits ? (1u << e.bits) - 1 : v;
    int32_t most = (1 << (e.bits - 1)) - 1, i = (int32_t)v;
    return (uint32_t)(i > most ? most : i < -most - 1 ? -most - 1 : i);
}

void texel_store(struct rp_element e, uint8_t *at, const uint32_t channels[4])
{
    for (unsigned c = 0; c < e.channels; c++) {
        uint32_t v = stored(e, channels[c]);
        memcpy(at + c * (e.bits / 8u), &v, e.bits / 8u);
    }
}
