/* Cases of align.cu. needleman_wunsch: size letters per sequence, a multiple of 16. smith_waterman: size letters in
 * each of four pairs of sequences. */
#include <string.h>

#include "tests/support/kernel_case.h"

#define TILE 16
#define MATCH 3
#define MISMATCH (-2)
#define GAP (-4)
#define PAIRS 4

static int letters(struct kernel_session *s, const char *name, size_t count, uint64_t seed)
{
    char *text = session_scratch(s, count);
    for (size_t i = 0; i < count; i++)
        text[i] = "ACGT"[random_below(&seed, 4)];
    return session_data(s, name, text, count);
}

static int32_t largest(int32_t a, int32_t b, int32_t c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }

/* ---- Needleman-Wunsch -------------------------------------------------------------------------------------------- */

static void setup_global(struct kernel_session *s)
{
    uint32_t n = s->size, width = n + 1, tiles = n / TILE;
    int32_t *score = session_scratch(s, (size_t)width * width * sizeof *score);
    for (uint32_t i = 0; i < width; i++)
        score[i] = score[i * width] = (int32_t)i * GAP;
    int cells = session_data(s, "score", score, (size_t)width * width * sizeof *score);
    int a = letters(s, "a", n, 11), b = letters(s, "b", n, 12);
    for (uint32_t d = 0; d < 2 * tiles - 1; d++) {
        uint32_t first = d < tiles ? 0 : d - tiles + 1, last = d < tiles ? d : tiles - 1;
        session_launch(s, "needleman_wunsch", DIM(last - first + 1), DIM(TILE), 0);
        arg_buffer(s, cells);
        arg_buffer(s, a);
        arg_buffer(s, b);
        arg_i32(s, (int32_t)n);
        arg_i32(s, (int32_t)d);
        arg_i32(s, (int32_t)first);
    }
}

static void check_global(struct kernel_session *s)
{
    size_t width = s->size + 1;
    const char *a = session_before(s, 1), *b = session_before(s, 2);
    int32_t *score = session_scratch(s, width * width * sizeof *score);
    memcpy(score, session_before(s, 0), width * width * sizeof *score);
    for (size_t y = 1; y < width; y++)
        for (size_t x = 1; x < width; x++) {
            int32_t *cell = &score[y * width + x];
            int32_t pair = a[y - 1] == b[x - 1] ? MATCH : MISMATCH;
            *cell = largest(cell[-(ptrdiff_t)width - 1] + pair, cell[-(ptrdiff_t)width] + GAP, cell[-1] + GAP);
        }
    expect_equal(s, 0, VALUE_I32, score, 0, width * width);
}

/* ---- Smith-Waterman ---------------------------------------------------------------------------------------------- */

static void setup_local(struct kernel_session *s)
{
    int a = letters(s, "a", (size_t)PAIRS * s->size, 13), b = letters(s, "b", (size_t)PAIRS * s->size, 14);
    int scores = session_zeros(s, "scores", PAIRS * sizeof(int32_t));
    session_launch(s, "smith_waterman", DIM(PAIRS), DIM(s->size), 0);
    arg_buffer(s, a);
    arg_buffer(s, b);
    arg_buffer(s, scores);
}

static int32_t best_local(const char *a, const char *b, size_t n, int32_t *row)
{
    int32_t best = 0;
    memset(row, 0, (n + 1) * sizeof *row);
    for (size_t y = 0; y < n; y++) {
        int32_t corner = 0;
        for (size_t x = 0; x < n; x++) {
            int32_t v = largest(corner + (a[y] == b[x] ? MATCH : MISMATCH), row[x + 1] + GAP, row[x] + GAP);
            corner = row[x + 1];
            row[x + 1] = v > 0 ? v : 0;
            best = row[x + 1] > best ? row[x + 1] : best;
        }
    }
    return best;
}

static void check_local(struct kernel_session *s)
{
    const char *a = session_before(s, 0), *b = session_before(s, 1);
    int32_t *row = session_scratch(s, (s->size + 1) * sizeof *row), scores[PAIRS];
    for (size_t p = 0; p < PAIRS; p++)
        scores[p] = best_local(a + p * s->size, b + p * s->size, s->size, row);
    expect_equal(s, 2, VALUE_I32, scores, 0, PAIRS);
}

const struct kernel_case case_needleman_wunsch = {"needleman_wunsch", "align", 64, 1024, setup_global, check_global};
const struct kernel_case case_smith_waterman = {"smith_waterman", "align", 70, 512, setup_local, check_local};
