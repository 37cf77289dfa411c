/* Cases of votes.cu; size: blocks. */
#include <string.h>

#include "tests/support/kernel_case.h"

#define THREADS 96

static uint32_t threads(struct kernel_session *s) { return s->size * THREADS; }

/* ---- votes and shuffles ------------------------------------------------------------------------------------------ */

static void setup_votes(struct kernel_session *s)
{
    session_i32(s, "in", threads(s), 101, 2, 60);
    session_zeros(s, "out", 8 * threads(s) * sizeof(uint32_t));
    session_launch(s, "votes", DIM(s->size), DIM(THREADS), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
}

static uint32_t lanes_with(const int32_t *warp, int32_t bits)
{
    uint32_t mask = 0;
    for (int l = 0; l < 32; l++)
        mask |= (uint32_t)((warp[l] & bits) == bits) << l;
    return mask;
}

static void check_votes(struct kernel_session *s)
{
    const int32_t *in = session_before(s, 0);
    uint32_t *out = session_scratch(s, 8 * threads(s) * sizeof *out);
    for (uint32_t i = 0; i < threads(s); i++) {
        const int32_t *warp = in + i / 32 * 32;
        uint32_t lane = i % 32, *mine = out + 8 * i;
        bool any = false, all = true;
        for (int l = 0; l < 32; l++) {
            any |= warp[l] % 50 == 0;
            all &= warp[l] >= 3;
        }
        mine[0] = lanes_with(warp, 1);
        mine[1] = (uint32_t)any + 2 * (uint32_t)all;
        mine[2] = lanes_with(warp, 2);
        mine[3] = (uint32_t)warp[warp[lane] & 31];
        mine[4] = (uint32_t)(warp[lane >= 3 ? lane - 3 : lane] ^ warp[lane + 5 < 32 ? lane + 5 : lane]);
        /* segments of 8 lanes (mask 0x18), so that lane ^ 9 lies in another one: clamped to lanes below the segment's
         * end (clamp 0x1f), a lane below its own segment is still in range */
        uint32_t other = lane ^ 9, last = (lane & 0x18) | (0x1f & ~0x18u);
        mine[5] = (uint32_t)warp[other <= last ? other : lane];
        mine[6] = mine[0] & ((1u << lane) - 1);
        mine[7] = warp[lane] & 4 ? lanes_with(warp, 12) : 0;
    }
    expect_equal(s, 1, VALUE_U32, out, 0, 8 * threads(s));
}

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

#define CELLS 10
static const int32_t start[CELLS] = {0, 1000, -1000, 0, 0, -1, 0, 0, 0, 0};

static void setup_atomics(struct kernel_session *s)
{
    session_i32(s, "in", threads(s), 102, -900, 900);
    session_zeros(s, "shared_cells", s->size * sizeof start);
    session_data(s, "cells", start, sizeof start);
    session_zeros(s, "wide", sizeof(uint64_t));
    session_launch(s, "atomics", DIM(s->size), DIM(THREADS), 0);
    for (int i = 0; i < 4; i++)
        arg_buffer(s, i);
}

static void apply(int32_t *c, int32_t v)
{
    c[0] += v;
    c[1] = v < c[1] ? v : c[1];
    c[2] = v > c[2] ? v : c[2];
    c[3] = c[3] >= 6 ? 0 : c[3] + 1;
    c[4] = c[4] == 0 || c[4] > 10 ? 10 : c[4] - 1;
    c[5] &= v | 0xff00;
    c[6] |= 1 << (v & 15);
    c[7] ^= v;
    c[8] = (uint32_t)v > (uint32_t)c[8] ? v : c[8];
    c[9] += v & 3;
}

static void check_atomics(struct kernel_session *s)
{
    const int32_t *in = session_before(s, 0);
    int32_t cells[CELLS], mine[CELLS];
    uint64_t wide = 0;
    memcpy(cells, start, sizeof cells);
    for (uint32_t b = 0; b < s->size; b++) {
        memcpy(mine, start, sizeof mine);
        for (uint32_t x = 0; x < THREADS; x++) {
            int32_t v = in[b * THREADS + x];
            apply(mine, v);
            apply(cells, v);
            wide += (uint64_t)(int64_t)v << 20;
        }
        expect_equal(s, 1, VALUE_I32, mine, b * CELLS, CELLS);
    }
    expect_equal(s, 2, VALUE_I32, cells, 0, CELLS);
    expect_equal(s, 3, VALUE_U64, &wide, 0, 1);
}

const struct kernel_case case_votes = {"votes", "votes", 2, 64, setup_votes, check_votes};
const struct kernel_case case_atomics = {"atomics", "votes", 2, 64, setup_atomics, check_atomics};
