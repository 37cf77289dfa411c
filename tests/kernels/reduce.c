/* Cases of reduce.cu; size: elements. */
#include "tests/support/kernel_case.h"

#define BLOCK 256

enum { IN, OUT };

static void launch(struct kernel_session *s, const char *kernel, uint32_t blocks)
{
    session_f32(s, "in", s->size, 7);
    session_zeros(s, "out", blocks * sizeof(float));
    session_launch(s, kernel, DIM(blocks), DIM(BLOCK), 0);
    arg_buffer(s, IN);
    arg_buffer(s, OUT);
    arg_i32(s, (int32_t)s->size);
}

static uint32_t tree_blocks(struct kernel_session *s) { return (s->size + 2 * BLOCK - 1) / (2 * BLOCK); }
static void setup_tree(struct kernel_session *s) { launch(s, "reduce_tree", tree_blocks(s)); }

static void check_tree(struct kernel_session *s)
{
    const float *in = session_before(s, IN);
    float *out = session_scratch(s, tree_blocks(s) * sizeof *out);
    for (uint32_t b = 0; b < tree_blocks(s); b++) {
        float part[BLOCK];
        for (uint32_t x = 0; x < BLOCK; x++) {
            size_t i = (size_t)b * 2 * BLOCK + x;
            part[x] = i < s->size ? in[i] : 0;
            if (i + BLOCK < s->size)
                part[x] += in[i + BLOCK];
        }
        for (int half = BLOCK / 2; half > 0; half /= 2)
            for (int x = 0; x < half; x++)
                part[x] += part[x + half];
        out[b] = part[0];
    }
    expect_equal(s, OUT, VALUE_F32, out, 0, tree_blocks(s));
}

#define SHUFFLE_BLOCKS 3
static void setup_shuffle(struct kernel_session *s) { launch(s, "reduce_shuffle", SHUFFLE_BLOCKS); }

/* What lane 0 has after each lane added the value of the lane d above it, for d = 16, 8, ... 1. */
static float warp_sum(const float lanes[32])
{
    float v[32];
    for (int l = 0; l < 32; l++)
        v[l] = lanes[l];
    for (int d = 16; d > 0; d /= 2)
        for (int l = 0; l < d; l++)
            v[l] += v[l + d];
    return v[0];
}

static void check_shuffle(struct kernel_session *s)
{
    const float *in = session_before(s, IN);
    float out[SHUFFLE_BLOCKS];
    for (uint32_t b = 0; b < SHUFFLE_BLOCKS; b++) {
        float thread[BLOCK] = {0}, part[32] = {0};
        for (uint32_t x = 0; x < BLOCK; x++)
            for (uint32_t i = b * BLOCK + x; i < s->size; i += SHUFFLE_BLOCKS * BLOCK)
                thread[x] += in[i];
        for (int w = 0; w < BLOCK / 32; w++)
            part[w] = warp_sum(thread + 32 * w);
        out[b] = warp_sum(part);
    }
    expect_equal(s, OUT, VALUE_F32, out, 0, SHUFFLE_BLOCKS);
}

const struct kernel_case case_reduce_tree = {"reduce_tree", "reduce", 1300, 1 << 22, setup_tree, check_tree};
const struct kernel_case case_reduce_shuffle = {"reduce_shuffle", "reduce",      3000,
                                                1 << 22,          setup_shuffle, check_shuffle};
