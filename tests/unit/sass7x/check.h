/* One line of machine code against what the reference of PTX (tests/unit/ptx_forms/reference.h) says of an instruction:
 * computed on the host, apart from the lane handlers. */
#ifndef REPRISE_TESTS_SASS7X_CHECK_H
#define REPRISE_TESTS_SASS7X_CHECK_H

#include "tests/support/sass_corpus.h"

/* How a source reads before it is given to the reference. */
enum reading { WHOLE, LOW, HIGH, LOW_TWICE, HIGH_TWICE, BYTE_0, BYTE_1, BYTE_2, BYTE_3 };
struct source_reading {
    char of; /* 'a', 'b' or 'c' of struct state; 0: as it stands in line */
    enum reading reading;
    unsigned absolute, negated; /* bits to clear, bits to flip */
};
enum written { LOW_32, ALL_64, EXTENDED_16 /* zero above */, SIGNED_16, PREDICATES, LOW_FLOAT_AND_PREDICATE };

struct subject_7x {
    const char *ptx; /* "add.rz.ftz.f32" */
    enum values values[3];
    struct source_reading sources[3];
    enum written written;
    enum same same;
    double error;  /* of NEAR_F32 and NEAR_UPPER */
    int predicate; /* 1: P1, -1: !P1, 0: true */
    model model;   /* instead of the reference */
};
/* On all targets that have the line: with registers, and where %B stands in it with the other forms of that operand.
 * With `forms` NULL only with registers on one target. */
void check_7x(const struct subject_7x *, const struct operand_forms *forms, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same as the reference says it, for models of their own. */
uint64_t ptx_result(const char *ptx, uint64_t a, uint64_t b, uint64_t c, bool p, bool q[2]);

/* The architectures that the rows know, the newest last; a loop over those of a set, each as corpus_sm. */
struct target_7x {
    unsigned sm, arch;
};
extern const struct target_7x targets_7x[];
enum { TARGETS_7X = 7 };
#define EACH_TARGET_OF(archs)                                                                                          \
    for (unsigned before_ = corpus_sm, t_ = 0;                                                                         \
         corpus_sm = t_ < TARGETS_7X ? targets_7x[t_].sm : before_, t_ < TARGETS_7X; t_++)                             \
        if ((archs)&targets_7x[t_].arch)

extern const struct operand_forms f32_7x, f64_7x, f16_7x, bf16_7x, s32_7x, long_7x, bytes_7x, no_immediates_7x;

#endif
