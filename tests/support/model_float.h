/* Exact floating-point arithmetic with integers only: a value is decoded, the operation carried out without any loss in
 * fixed point or on 128 bits, and the result rounded once. Slow and plain; nothing here uses the host's arithmetic. */
#ifndef REPRISE_TESTS_SUPPORT_MODEL_FLOAT_H
#define REPRISE_TESTS_SUPPORT_MODEL_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

struct format {
    int bits, fraction, bias;
    uint64_t nan;
};
extern const struct format FORMAT_F64, FORMAT_F32, FORMAT_F16, FORMAT_BF16;

/* Rounding: enum rounding (ROUND_DEFAULT is to nearest). Operands and results are bits. */
uint64_t soft_fma(const struct format *, int rounding, uint64_t a, uint64_t b, uint64_t c);
uint64_t soft_add(const struct format *, int rounding, uint64_t a, uint64_t b);
uint64_t soft_mul(const struct format *, int rounding, uint64_t a, uint64_t b);
uint64_t soft_div(const struct format *, int rounding, uint64_t a, uint64_t b);
uint64_t soft_sqrt(const struct format *, int rounding, uint64_t a);
/* Between formats; of an integer; to an integral value of the same format (rounding without ROUND_INTEGER). */
uint64_t soft_convert(const struct format *from, const struct format *to, int rounding, uint64_t a);
uint64_t soft_of_integer(const struct format *, int rounding, __int128 a);
uint64_t soft_integral(const struct format *, int rounding, uint64_t a);
/* The integral value of a finite number whose magnitude is below 2^100. */
__int128 soft_to_integer(const struct format *, int rounding, uint64_t a);

bool is_nan(const struct format *, uint64_t a);
bool is_infinite(const struct format *, uint64_t a);
uint64_t negated(const struct format *, uint64_t a);
/* .ftz on f32 bits, .sat on f32 bits. */
uint64_t flushed(uint64_t a);
uint64_t saturated(uint64_t a);

#endif
