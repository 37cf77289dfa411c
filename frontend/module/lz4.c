#include "frontend/module/lz4.h"

#include <string.h>

/* A length of 15 goes on in bytes, as long as they are 255. */
static bool read_length(const uint8_t **in, const uint8_t *end, size_t *length)
{
    if (*length != 15)
        return true;
    uint8_t more;
    do {
        if (*in == end || *length > SIZE_MAX / 2)
            return false;
        more = *(*in)++;
        *length += more;
    } while (more == 255);
    return true;
}

bool lz4_block_decode(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
    const uint8_t *in_end = in + in_size;
    size_t done = 0;
    while (in < in_end) {
        uint8_t token = *in++;
        size_t literals = token >> 4, match = token & 15;
        if (!read_length(&in, in_end, &literals) || literals > (size_t)(in_end - in) || literals > out_size - done)
            return false;
        memcpy(out + done, in, literals);
        in += literals;
        done += literals;
        if (in == in_end)
            break; /* the last sequence has no match */
        if (in_end - in < 2)
            return false;
        size_t offset = in[0] | (size_t)in[1] << 8;
        in += 2;
        if (!read_length(&in, in_end, &match))
            return false;
        match += 4;
        if (!offset || offset > done || match > out_size - done)
            return false;
        for (; match; match--, done++) /* may overlap itself */
            out[done] = out[done - offset];
    }
    return done == out_size;
}
