/* Floating-point numbers as integers of 64 bits. libgcc of arm-linux-gnueabihf computes these with registers of
 * floating point; all else of one number is integers there. What is no number is 0, what does not fit the nearest that
 * does. Arguments are the bits of numbers, which -mfloat-abi=soft passes as integers. No shift of 64 bits is by a
 * variable, as clang would call a library. */
#include <stdint.h>

/* Compilers that optimise the whole program call these afterwards. */
#define LATE __attribute__((weak, used))

#ifdef __cplusplus
extern "C" {
#endif
uint64_t __aeabi_d2ulz(uint64_t bits);
int64_t __aeabi_d2lz(uint64_t bits);
uint64_t __aeabi_f2ulz(uint32_t bits);
int64_t __aeabi_f2lz(uint32_t bits);

/* The float as a double, as far as the following look at it: what is not 0 is normal. */
static uint64_t widen(uint32_t bits)
{
    const uint32_t exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    const uint32_t wide = !exponent ? 0 : exponent == 0xff ? 0x7ff : exponent + 1023 - 127;
    return (uint64_t)(bits >> 31 << 31 | wide << 20 | fraction >> 3) << 32 | fraction << 29;
}

/* The integer below the number's size, if that is less than 2^64. */
static uint64_t integer_of(uint64_t bits)
{
    const uint32_t high = ((uint32_t)(bits >> 32) & 0xfffff) | 0x100000, low = (uint32_t)bits;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023, left = exponent - 52;
    if (exponent < 0)
        return 0;
    if (left <= -32)
        return high >> (-left - 32);
    if (left < 0)
        return (uint64_t)(high >> -left) << 32 | low >> -left | high << (32 + left);
    return left ? (uint64_t)(high << left | low >> (32 - left)) << 32 | low << left : (uint64_t)high << 32 | low;
}

static int is_negative(uint64_t bits) { return (int)(bits >> 63); }
static int is_no_number(uint64_t bits) { return bits << 1 > 0xffe0000000000000u; }
static uint32_t exponent_of(uint64_t bits) { return bits >> 52 & 0x7ff; }

LATE uint64_t __aeabi_d2ulz(uint64_t bits)
{
    if (is_negative(bits) || is_no_number(bits))
        return 0;
    return exponent_of(bits) >= 1023 + 64 ? UINT64_MAX : integer_of(bits);
}

LATE int64_t __aeabi_d2lz(uint64_t bits)
{
    if (is_no_number(bits))
        return 0;
    if (exponent_of(bits) >= 1023 + 63)
        return is_negative(bits) ? INT64_MIN : INT64_MAX;
    return is_negative(bits) ? -(int64_t)integer_of(bits) : (int64_t)integer_of(bits);
}

LATE uint64_t __aeabi_f2ulz(uint32_t bits) { return __aeabi_d2ulz(widen(bits)); }
LATE int64_t __aeabi_f2lz(uint32_t bits) { return __aeabi_d2lz(widen(bits)); }

/* gcc's other names of them. */
uint64_t __fixunsdfdi(uint64_t bits) __attribute__((weak, used, alias("__aeabi_d2ulz")));
int64_t __fixdfdi(uint64_t bits) __attribute__((weak, used, alias("__aeabi_d2lz")));
uint64_t __fixunssfdi(uint32_t bits) __attribute__((weak, used, alias("__aeabi_f2ulz")));
int64_t __fixsfdi(uint32_t bits) __attribute__((weak, used, alias("__aeabi_f2lz")));
#ifdef __cplusplus
}
#endif
