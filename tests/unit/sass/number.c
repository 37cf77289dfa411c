#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass/number.h"

static void round_trip(enum sass_float f, uint64_t bits)
{
    char text[64];
    const char *p = text;
    uint64_t back = ~bits;
    sass_float_print(text, sizeof text, f, bits);
    cr_expect(sass_float_parse(&p, f, &back) && !*p, "'%s'", text);
    cr_expect_eq(back, bits, "'%s'", text);
}

Test(number, every_half)
{
    for (unsigned b = 0; b < 0x10000; b++)
        round_trip(FLOAT_16, b);
}

Test(number, floats_print_their_value)
{
    uint32_t state = 1;
    for (unsigned i = 0; i < 200000; i++) {
        state = state * 1664525 + 1013904223;
        round_trip(FLOAT_32, state);
        float v;
        memcpy(&v, &state, 4);
        char text[64];
        sass_float_print(text, sizeof text, FLOAT_32, state);
        if (isfinite(v))
            cr_expect_eq(strtof(text, NULL), v, "%08x '%s'", state, text);
    }
}

Test(number, doubles_print_their_value)
{
    uint64_t state = 88172645463325252;
    for (unsigned i = 0; i < 200000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        round_trip(FLOAT_64, state);
        double v;
        memcpy(&v, &state, 8);
        char text[64];
        sass_float_print(text, sizeof text, FLOAT_64, state);
        if (isfinite(v))
            cr_expect_eq(strtod(text, NULL), v, "%016lx '%s'", (unsigned long)state, text);
    }
}

Test(number, spellings)
{
    static const struct {
        enum sass_float f;
        uint64_t bits;
        const char *text;
    } cases[] = {
        {FLOAT_32, 0x3dcccccd, "0.10000000149011611938"},
        {FLOAT_32, 0x80000000, "-0.0"},
        {FLOAT_32, 0, "0"},
        {FLOAT_32, 0x7f800000, "+INF"},
        {FLOAT_32, 0xffc00000, "-QNAN"},
        {FLOAT_32, 0x7fffffff, "+QNAN:0x7fffffff"},
        {FLOAT_32, 0x4e800000, "1.07374182400000000000e+09"},
        {FLOAT_16, 0x3e00, "1.5"},
        {FLOAT_64, 0x10000000000000, "2.2250738585072013831e-308"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        sass_float_print(text, sizeof text, cases[i].f, cases[i].bits);
        cr_expect_str_eq(text, cases[i].text);
    }
}

Test(number, what_is_no_number)
{
    static const char *const wrong[] = {"", "x", "+", "+QNAN:0x1", "1e400", "R1", "nan", "inf"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *p = wrong[i];
        uint64_t bits;
        cr_expect_not(sass_float_parse(&p, FLOAT_32, &bits), "'%s'", wrong[i]);
    }
}
