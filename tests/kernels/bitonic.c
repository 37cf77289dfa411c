/* Case of bitonic.cu; size: keys, a power of two from 512. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/kernel_case.h"

#define TILE 512

static void tile(struct kernel_session *s, uint32_t k)
{
    session_launch(s, "bitonic_tile", DIM(s->size / TILE), DIM(TILE / 2), 0);
    arg_buffer(s, 0);
    arg_i32(s, (int32_t)k);
}

static void setup(struct kernel_session *s)
{
    session_i32(s, "key", s->size, 31, INT32_MIN, INT32_MAX);
    tile(s, TILE);
    for (uint32_t k = 2 * TILE; k <= s->size; k *= 2) {
        for (uint32_t j = k / 2; j >= TILE; j /= 2) {
            session_launch(s, "bitonic_step", DIM(s->size / TILE), DIM(TILE / 2), 0);
            arg_buffer(s, 0);
            arg_i32(s, (int32_t)k);
            arg_i32(s, (int32_t)j);
        }
        tile(s, k);
    }
}

static int by_key(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void check(struct kernel_session *s)
{
    uint32_t *key = session_scratch(s, s->size * sizeof *key);
    memcpy(key, session_before(s, 0), s->size * sizeof *key);
    qsort(key, s->size, sizeof *key, by_key);
    expect_equal(s, 0, VALUE_U32, key, 0, s->size);
}

const struct kernel_case case_bitonic = {"bitonic", "bitonic", 2048, 1 << 18, setup, check};
