/* Cases of bfs.cu and spmv.cu; size: nodes of a random graph, rows of a random matrix. */
#include <math.h>
#include <string.h>

#include "tests/support/kernel_case.h"

#define MOST_LEVELS 64

/* Rows of 0 to 2 * mean columns each: row r's are column[first[r]] to column[first[r + 1] - 1]. */
static const int32_t *random_rows(struct kernel_session *s, uint32_t mean, uint64_t *seed, int *first, int *column)
{
    uint32_t n = s->size;
    int32_t *starts = session_scratch(s, (n + 1) * sizeof *starts);
    for (uint32_t i = 0; i < n; i++)
        starts[i + 1] = starts[i] + (int32_t)random_below(seed, 2 * mean + 1);
    size_t bytes = ((size_t)starts[n] + 1) * sizeof(int32_t); /* never empty */
    int32_t *columns = session_scratch(s, bytes);
    for (int32_t e = 0; e < starts[n]; e++)
        columns[e] = (int32_t)random_below(seed, n);
    *first = session_data(s, "first", starts, (n + 1) * sizeof *starts);
    *column = session_data(s, "column", columns, bytes);
    return starts;
}

/* ---- breadth-first search ---------------------------------------------------------------------------------------- */

enum { FIRST, COLUMN, DISTANCE, CHANGED, QUEUE = CHANGED, COUNT };

/* Fills distance (all -1 but the source's 0) and returns the number of levels. */
static int32_t search(const int32_t *first, const int32_t *column, int32_t *distance, uint32_t n)
{
    int32_t level = 0;
    for (bool changed = true; changed; level++) {
        changed = false;
        for (uint32_t v = 0; v < n; v++)
            for (int32_t e = first[v]; distance[v] == level && e < first[v + 1]; e++)
                if (distance[column[e]] < 0) {
                    distance[column[e]] = level + 1;
                    changed = true;
                }
    }
    return level;
}

static int32_t *unvisited(struct kernel_session *s)
{
    int32_t *distance = session_scratch(s, s->size * sizeof *distance);
    memset(distance, -1, s->size * sizeof *distance);
    distance[0] = 0;
    return distance;
}

static int32_t levels(struct kernel_session *s)
{
    int32_t count = search(session_before(s, FIRST), session_before(s, COLUMN), unvisited(s), s->size);
    if (count > MOST_LEVELS)
        session_fail(s, "the graph has %d levels, more than %d", count, MOST_LEVELS);
    return count;
}

static void graph(struct kernel_session *s)
{
    uint64_t seed = 21;
    int first, column;
    random_rows(s, 4, &seed, &first, &column);
    session_data(s, "distance", unvisited(s), s->size * sizeof(int32_t));
}

static void setup_level(struct kernel_session *s)
{
    graph(s);
    session_zeros(s, "changed", sizeof(int32_t));
    for (int32_t level = 0; !s->failed && level < levels(s); level++) {
        session_launch(s, "bfs_level", DIM((s->size + 63) / 64), DIM(64), 0);
        for (int i = FIRST; i <= CHANGED; i++)
            arg_buffer(s, i);
        arg_i32(s, (int32_t)s->size);
        arg_i32(s, level);
    }
}

static void setup_queue(struct kernel_session *s)
{
    graph(s);
    session_zeros(s, "queue", 2 * s->size * sizeof(int32_t));
    int32_t count[MOST_LEVELS + 1] = {1};
    session_data(s, "count", count, sizeof count);
    for (int32_t level = 0; !s->failed && level < levels(s); level++) {
        session_launch(s, "bfs_queue", DIM(4), DIM(64), 0);
        for (int i = FIRST; i <= COUNT; i++)
            arg_buffer(s, i);
        arg_i32(s, (int32_t)s->size);
        arg_i32(s, level);
    }
}

static void check_search(struct kernel_session *s)
{
    int32_t *distance = unvisited(s);
    search(session_before(s, FIRST), session_before(s, COLUMN), distance, s->size);
    expect_equal(s, DISTANCE, VALUE_I32, distance, 0, s->size);
}

/* The frontiers' lengths are the numbers of nodes at each distance, whatever order they came in. */
static void check_queue(struct kernel_session *s)
{
    check_search(s);
    const int32_t *distance = session_after(s, DISTANCE);
    int32_t count[MOST_LEVELS + 1] = {0};
    for (uint32_t v = 0; v < s->size; v++)
        if (!s->failed && distance[v] >= 0)
            count[distance[v]]++;
    expect_equal(s, COUNT, VALUE_I32, count, 0, MOST_LEVELS + 1);
}

const struct kernel_case case_bfs_level = {"bfs_level", "bfs", 500, 1 << 17, setup_level, check_search};
const struct kernel_case case_bfs_queue = {"bfs_queue", "bfs", 500, 1 << 17, setup_queue, check_queue};

/* ---- sparse matrix times vector ---------------------------------------------------------------------------------- */

enum { VALUE = 2, X, Y };

static void multiply(struct kernel_session *s, const char *kernel, uint32_t threads_per_row)
{
    uint64_t seed = 22;
    int first, column;
    const int32_t *starts = random_rows(s, 20, &seed, &first, &column);
    session_f32(s, "value", (size_t)starts[s->size] + 1, 23);
    session_f32(s, "x", s->size, 24);
    session_zeros(s, "y", s->size * sizeof(float));
    session_launch(s, kernel, DIM((s->size * threads_per_row + 127) / 128), DIM(128), 0);
    for (int i = FIRST; i <= Y; i++)
        arg_buffer(s, i);
    arg_i32(s, (int32_t)s->size);
}

static void setup_scalar(struct kernel_session *s) { multiply(s, "spmv_scalar", 1); }
static void setup_vector(struct kernel_session *s) { multiply(s, "spmv_vector", 32); }

/* The sum of entries start, start + stride, ... of row r. */
static float part_of_row(struct kernel_session *s, uint32_t r, int32_t start, int32_t stride)
{
    const int32_t *first = session_before(s, FIRST), *column = session_before(s, COLUMN);
    const float *value = session_before(s, VALUE), *x = session_before(s, X);
    float sum = 0;
    for (int32_t e = first[r] + start; e < first[r + 1]; e += stride)
        sum = fmaf(value[e], x[column[e]], sum);
    return sum;
}

static void check_scalar(struct kernel_session *s)
{
    float *y = session_scratch(s, s->size * sizeof *y);
    for (uint32_t r = 0; r < s->size; r++)
        y[r] = part_of_row(s, r, 0, 1);
    expect_equal(s, Y, VALUE_F32, y, 0, s->size);
}

static void check_vector(struct kernel_session *s)
{
    float *y = session_scratch(s, s->size * sizeof *y);
    for (uint32_t r = 0; r < s->size; r++) {
        float lane[32], next[32];
        for (int l = 0; l < 32; l++)
            lane[l] = part_of_row(s, r, l, 32);
        for (int d = 16; d > 0; d /= 2) {
            for (int l = 0; l < 32; l++)
                next[l] = lane[l] + lane[l ^ d];
            memcpy(lane, next, sizeof lane);
        }
        y[r] = lane[0];
    }
    expect_equal(s, Y, VALUE_F32, y, 0, s->size);
}

const struct kernel_case case_spmv_scalar = {"spmv_scalar", "spmv", 300, 1 << 17, setup_scalar, check_scalar};
const struct kernel_case case_spmv_vector = {"spmv_vector", "spmv", 100, 1 << 15, setup_vector, check_vector};
