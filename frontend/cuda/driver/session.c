/* Figures of the device, from the environment: frontend/cuda/session.h. */
#include "frontend/cuda/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *figure(struct device_figures *f, const char *key, size_t length)
{
#define X(field, value, meaning)                                                                                       \
    if (length == strlen(#field) && !memcmp(key, #field, length))                                                      \
        return &f->field;
    DEVICE_FIGURES(X)
#undef X
    return NULL;
}

static bool parse_one(const char *text, size_t length, struct device_figures *f, struct rp_error *err)
{
    const char *equals = memchr(text, '=', length);
    size_t key = equals ? (size_t)(equals - text) : length, bytes = equals ? length - key - 1 : 0;
    uint64_t *to = equals ? figure(f, text, key) : NULL;
    if (equals && key == 4 && !memcmp(text, "name", 4)) {
        snprintf(f->name, sizeof f->name, "%.*s", (int)bytes, equals + 1);
        return true;
    }
    char *end;
    if (to) {
        *to = strtoull(equals + 1, &end, 10);
        if (bytes && end == equals + 1 + bytes)
            return true;
    }
    return rp_fail(err, RP_USAGE, "REPRISE_DEVICE: '%.*s' is not KEY=NUMBER with a known key", (int)length, text);
}

bool device_figures_parse(const char *text, struct device_figures *f, struct rp_error *err)
{
    *f = (struct device_figures){
#define X(field, value, meaning) .field = value,
        DEVICE_FIGURES(X)
#undef X
    };
    for (size_t length; text && *text; text += length + (text[length] == ';')) {
        length = strcspn(text, ";");
        if (length && !parse_one(text, length, f, err))
            return false;
    }
    return true;
}

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". */
static const struct limits {
    unsigned capability, threads, blocks, shared, optin; /* shared memory in KiB */
} limits[] = {
    {50, 2048, 32, 64, 48},    {52, 2048, 32, 96, 48},   {53, 2048, 32, 64, 48},    {60, 2048, 32, 64, 48},
    {61, 2048, 32, 96, 48},    {62, 2048, 32, 64, 48},   {70, 2048, 32, 96, 96},    {72, 2048, 32, 96, 96},
    {75, 1024, 16, 64, 64},    {80, 2048, 32, 164, 163}, {86, 1536, 16, 100, 99},   {87, 1536, 16, 164, 163},
    {89, 1536, 24, 100, 99},   {90, 2048, 32, 228, 227}, {100, 2048, 32, 228, 227}, {103, 2048, 32, 228, 227},
    {110, 1536, 24, 228, 227}, {120, 1536, 24, 100, 99}, {121, 1536, 24, 100, 99},
};

void device_figures_complete(struct device_figures *f, unsigned capability)
{
    const struct limits *l = limits;
    f->capability = f->capability ? f->capability : capability;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].capability <= f->capability)
            l = &limits[i];
    f->threads_per_sm = f->threads_per_sm ? f->threads_per_sm : l->threads;
    f->blocks_per_sm = f->blocks_per_sm ? f->blocks_per_sm : l->blocks;
    f->shared_per_sm = f->shared_per_sm ? f->shared_per_sm : l->shared * 1024;
    f->shared_optin = f->shared_optin ? f->shared_optin : l->optin * 1024;
    if (f->shared_optin > f->shared_per_sm)
        f->shared_optin = f->shared_per_sm;
    if (!*f->name)
        snprintf(f->name, sizeof f->name, "Reprise sm_%u", (unsigned)f->capability);
}
