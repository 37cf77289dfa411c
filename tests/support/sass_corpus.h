/* One instruction at a time against a scalar model: a thousand threads load operands, condition codes and predicates,
 * execute it, and store what it left. The models are written from what the instruction means, apart from the lane
 * handlers, in plain scalar arithmetic. */
#ifndef REPRISE_TESTS_SUPPORT_SASS_CORPUS_H
#define REPRISE_TESTS_SUPPORT_SASS_CORPUS_H

#include <stdbool.h>
#include <stdint.h>

/* Condition codes, as P2R numbers them. */
enum { CC_ZERO = 1, CC_SIGN = 2, CC_CARRY = 4, CC_OVERFLOW = 8 };

/* What a thread starts with, and what the model makes of it. R4:R5 is a, R6:R7 b, R8:R9 c; R20:R21, d, is written.
 * Where an operand has 32 bits the others are noise. */
struct state {
    uint64_t a, b, c, d;
    uint32_t p, cc; /* predicates P0 to P6, a bit each; condition codes */
};
typedef void (*model)(struct state *);
static inline void set_d32(struct state *s, uint32_t v) { s->d = s->d >> 32 << 32 | v; }
static inline void set_p(struct state *s, unsigned n, bool v) { s->p = (s->p & ~(1u << n)) | (unsigned)v << n; }

enum values { V_INT, V_LONG, V_F32, V_F64, V_F16, V_F16X2, V_BF16X2 };
enum same {
    SAME_BITS,
    SAME_F32,
    SAME_F64,
    SAME_F16,
    SAME_F16X2,
    NEAR_F32,
    NEAR_UPPER
}; /* how d is compared: any NaN for a NaN */
struct subject {
    model model;
    enum values a, b, c;
    enum same same;
    double error; /* NEAR_F32 (R20 is an f32) and NEAR_UPPER (the upper word of an f64): the relative error
                   * allowed; the model's d is the bits of the exact value as an f64 */
};

/* Runs an instruction, named like printf. In its text %%B stands for the operand b: a register; then with `constants`
 * set a word of constant bank 0, of a few values; then each of the immediates, a text and the value that it means.
 * Fails with the first difference. */
struct immediate {
    const char *text;
    uint64_t value;
};
struct operand_forms {
    bool constants;
    const struct immediate *immediates; /* ends in a NULL text; may be NULL */
    bool uniform;                       /* also UR6, from sm_75 on */
};
extern const struct operand_forms only_registers, integer_forms, f32_forms, f64_forms, no_immediates;
void check(const struct subject *, const struct operand_forms *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with the registers only, and any words from c[0x0][0x148] on. */
void check_with_words(const struct subject *, uint64_t words, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where %%C stands for the operand c, in c[0x0][0x148] only. */
void check_c(const struct subject *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of the lanes of a warp together: the model changes `after`, a copy of `before`, 32 each; or of the BLOCK_THREADS
 * threads of a block. */
enum { BLOCK_THREADS = 256 };
typedef void (*group_model)(const struct state *before, struct state *after);
void check_warp(group_model, const char *format, ...) __attribute__((format(printf, 2, 3)));
void check_block(group_model, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A test of the corpus: Criterion's, and a function that coverage.c calls to see which forms of the instruction table
 * it reaches. While it looks nothing runs: each check only hands its text to `look`. */
struct corpus_test {
    void (*body)(void);
    struct corpus_test *next;
};
extern struct corpus_test *corpus_tests;
extern void (*look)(unsigned sm, const char *text);
#define CORPUS(suite, name)                                                                                            \
    static void corpus_##suite##_##name(void);                                                                         \
    __attribute__((constructor)) static void corpus_add_##suite##_##name(void)                                         \
    {                                                                                                                  \
        static struct corpus_test self = {corpus_##suite##_##name, NULL};                                              \
        self.next = corpus_tests;                                                                                      \
        corpus_tests = &self;                                                                                          \
    }                                                                                                                  \
    Test(suite, name) { corpus_##suite##_##name(); }                                                                   \
    static void corpus_##suite##_##name(void)

/* The architecture that checks run on, 61 unless a test chooses another. */
extern unsigned corpus_sm;

/* A d of NEAR_F32 that says nothing about the result. */
#define ANY_RESULT 0x7ff4dead00000000ull

/* Corner values. */
uint64_t corner(enum values, unsigned i);
unsigned corner_count(enum values);

#endif
