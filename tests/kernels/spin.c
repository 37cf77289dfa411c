/* Cases of spin.cu. spin_lock and relay: size blocks (few for relay: while it polls, a block executes a lot);
 * last_block_reduces: size elements. */
#include "tests/support/kernel_case.h"

/* ---- spin lock --------------------------------------------------------------------------------------------------- */

static void setup_lock(struct kernel_session *s)
{
    session_zeros(s, "lock", sizeof(int32_t));
    session_zeros(s, "counter", sizeof(int32_t));
    session_zeros(s, "order", s->size * sizeof(int32_t));
    session_launch(s, "spin_lock", DIM(s->size), DIM(32), 0);
    for (int i = 0; i < 3; i++)
        arg_buffer(s, i);
}

/* Every block was in once, in whatever order. */
static void check_lock(struct kernel_session *s)
{
    int32_t free_lock = 0, blocks = (int32_t)s->size;
    expect_equal(s, 0, VALUE_I32, &free_lock, 0, 1);
    expect_equal(s, 1, VALUE_I32, &blocks, 0, 1);
    const int32_t *order = session_after(s, 2);
    bool *seen = session_scratch(s, s->size);
    for (uint32_t i = 0; i < s->size; i++) {
        if (order[i] < 0 || order[i] >= blocks || seen[order[i]]) {
            session_fail(s, "order[%u] is %d, a block that was in before or does not exist", i, order[i]);
            return;
        }
        seen[order[i]] = true;
    }
}

/* ---- relay ------------------------------------------------------------------------------------------------------- */

#define RELAY_THREADS 64

static void setup_relay(struct kernel_session *s)
{
    session_zeros(s, "flag", s->size * sizeof(int32_t));
    session_zeros(s, "data", (size_t)s->size * RELAY_THREADS * sizeof(int32_t));
    session_launch(s, "relay", DIM(s->size), DIM(RELAY_THREADS), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
}

static void check_relay(struct kernel_session *s)
{
    int32_t n = RELAY_THREADS, *data = session_scratch(s, (size_t)s->size * RELAY_THREADS * sizeof *data);
    for (int32_t x = 0; x < n; x++)
        data[((int32_t)s->size - 1) * n + x] = x;
    for (int32_t b = (int32_t)s->size - 2; b >= 0; b--)
        for (int32_t x = 0; x < n; x++)
            data[b * n + x] = data[(b + 1) * n + (x + 1) % n] * 3 + b;
    expect_equal(s, 1, VALUE_I32, data, 0, (size_t)s->size * RELAY_THREADS);
}

/* ---- last block reduces ------------------------------------------------------------------------------------------ */

#define SUM_BLOCKS 6

static void setup_last(struct kernel_session *s)
{
    session_i32(s, "in", s->size, 51, -100000, 100000);
    session_zeros(s, "part", SUM_BLOCKS * sizeof(int32_t));
    session_zeros(s, "done", sizeof(uint32_t));
    session_zeros(s, "out", sizeof(int32_t));
    session_launch(s, "last_block_reduces", DIM(SUM_BLOCKS), DIM(96), 0);
    for (int i = 0; i < 4; i++)
        arg_buffer(s, i);
    arg_i32(s, (int32_t)s->size);
}

static void check_last(struct kernel_session *s)
{
    const int32_t *in = session_before(s, 0);
    int32_t sum = 0;
    for (uint32_t i = 0; i < s->size; i++)
        sum += in[i];
    expect_equal(s, 3, VALUE_I32, &sum, 0, 1);
}

const struct kernel_case case_spin_lock = {"spin_lock", "spin", 12, 64, setup_lock, check_lock};
const struct kernel_case case_relay = {"relay", "spin", 3, 16, setup_relay, check_relay};
const struct kernel_case case_last_block_reduces = {"last_block_reduces", "spin", 3000, 20000, setup_last, check_last};
