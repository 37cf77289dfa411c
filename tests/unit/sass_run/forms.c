/* Forms that ptxas writes rarely or never, one at a time: condition codes as values, products with carries, moves
 * within quads, products of graphics, packed halves and bytes. Each against plain C. */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass_rig.h"

enum { LANES = 32, LAUNCHES = 8 };

typedef uint32_t (*form_model)(uint32_t a, uint32_t b, uint32_t c, unsigned lane);

/* R4, R5 and R6 hold a lane's numbers; R10 is the result. */
static const char before[] = "S2R R0, SR_TID.X\nSHL R2, R0, 0x4\nIADD R2.CC, R2, c[0x0][0x140]\n"
                             "IADD.X R3, RZ, c[0x0][0x144]\nLDG.E R4, [R2]\nLDG.E R5, [R2+0x4]\nLDG.E R6, [R2+0x8]\n";
static const char after[] = "\nSTG.E [R2+0xc], R10\nEXIT\n";

static const uint32_t corners[] = {0,          1,          2,          31,         0x7f,       0x80,
                                   0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
                                   0x00000001, 0x7f800000, 0x80000001, 0x0f0f1234};
static uint32_t choose(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t r = (uint32_t)(*state >> 33);
    return r % 3 ? corners[r / 3 % (sizeof corners / sizeof *corners)] : r * 2654435761u;
}

static bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }

static void check(unsigned sm, const char *code, form_model model, bool floats, uint32_t keep)
{
    char text[2000];
    struct sass_rig r;
    uint64_t state = 1;
    snprintf(text, sizeof text, "%s%s%s", before, code, after);
    sass_rig_open(&r, sm, text, LANES * 16);
    uint32_t *words = r.buffer;
    for (int launch = 0; launch < LAUNCHES; launch++) {
        for (int i = 0; i < LANES * 4; i++)
            words[i] = choose(&state) & keep;
        cr_assert(sass_rig_run(&r, 1, LANES, (uint32_t[4]){0}), "%s: %s", code, r.err.text);
        for (unsigned l = 0; l < LANES; l++) {
            const uint32_t *w = words + 4 * l;
            uint32_t expected = model(w[0], w[1], w[2], l);
            cr_expect(w[3] == expected || (floats && is_nan(w[3]) && is_nan(expected)), "%s: %#x %#x %#x: %#x, not %#x",
                      code, w[0], w[1], w[2], w[3], expected);
        }
    }
    sass_rig_close(&r);
}
#define CHECK(code, model) check(62, code, model, false, ~0u)

/* ---- integers ---- */

static uint32_t carried_product(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    uint64_t product = (uint64_t)a * b;
    uint32_t low = (uint32_t)product + c;
    return (uint32_t)(product >> 32) + c + (low < c);
}
static uint32_t mixed_product(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    return (uint32_t)((__int128)(int32_t)a * b >> 32) + c;
}
static uint32_t negated_product(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    return c - a * b;
}
static uint32_t long_minimum(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    int64_t x = (int64_t)((uint64_t)a << 32 | b), y = (int64_t)((uint64_t)b << 32 | c);
    return (uint32_t)(x < y ? x : y);
}
static uint32_t saturated_sum(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)b, (void)c, (void)lane;
    int64_t sum = (int64_t)(int32_t)a + 0x40000000;
    return (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum);
}
static uint32_t accumulated(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)b, (void)lane;
    return a * 0x12345u + c;
}
Test(forms, products_and_extremes)
{
    CHECK("IMAD.U32.U32 RZ.CC, R4, R5, R6\nIMAD.U32.U32.HI.X R10, R4, R5, R6", carried_product);
    CHECK("IMAD.S32.U32.HI R10, R4, R5, R6", mixed_product);
    CHECK("IMAD R10, -R4, R5, R6", negated_product);
    CHECK("IMNMX.XHI R10.CC, R4, R5, PT\nIMNMX.U32.XLO R10, R5, R6, PT", long_minimum);
    CHECK("IADD32I.SAT R10, R4, 0x40000000", saturated_sum);
    CHECK("MOV R10, R6\nIMAD32I R10, R4, 0x12345, R10", accumulated);
}

/* ---- condition codes and predicates ---- */

static uint32_t codes_of_sum(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    uint32_t sum = a + b;
    bool overflow = (~(a ^ b) & (a ^ sum)) >> 31;
    return (c & ~15u) | (sum == 0) | (sum >> 31) << 1 | (uint32_t)(sum < a) << 2 | (uint32_t)overflow << 3;
}
static uint32_t less_by_codes(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)b, (void)c, (void)lane;
    bool zero = a & 1, sign = a & 2, overflow = a & 8;
    return ((sign && !zero) != overflow) ? 0xffffffff : 0;
}
static uint32_t predicates_of_register(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    return ((c & ~b) | (a & b)) & 0x7f;
}
static uint32_t second_byte(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    bool less = (int32_t)a < (int32_t)b;
    return (c & ~0x300u) | (less ? 0x100 : 0x200);
}
static uint32_t branch_on_both(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    return c && (int32_t)a < (int32_t)b ? 3 : 2;
}
static uint32_t first(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)b, (void)c, (void)lane;
    return a;
}
static uint32_t of_quads(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c;
    return lane % 4 == 0 || lane % 4 == 3 ? b : a;
}
Test(forms, codes_and_predicates)
{
    CHECK("IADD RZ.CC, R4, R5\nP2R R10, CC, R6, 0xf", codes_of_sum);
    CHECK("R2P CC, R4, 0xf\nCSET.LT.AND R10, CC, PT", less_by_codes);
    CHECK("R2P PR, R6, 0x7f\nR2P PR, R4, R5\nP2R R10, PR, RZ, 0x7f", predicates_of_register);
    CHECK("ISETP.LT.AND P0, P1, R4, R5, PT\nP2R.B1 R10, PR, R6, 0x3", second_byte);
    CHECK("ISETP.NE.AND P0, PT, R6, RZ, PT\nIADD RZ.CC, R4, -R5\nSSY <end>\n@P0 BRA CC.LT, <less>\n"
          "MOV32I R10, 0x2\nSYNC\nless:\nMOV32I R10, 0x3\nSYNC\nend:",
          branch_on_both);
    CHECK("MOV R10, R4\n@!PT MOV R10, R5\n@!PT EXIT", first);
    CHECK("MOV R10, R4\nMOV R10, R5, 0x9", of_quads);
}

/* ---- fp32 ---- */

static float number(uint32_t x)
{
    float f;
    memcpy(&f, &x, sizeof f);
    return f;
}
static uint32_t word(float f)
{
    uint32_t x;
    memcpy(&x, &f, sizeof x);
    return x;
}
static float flushed(float f) { return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f; }
static uint32_t eighth(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    return word((float)((double)number(a) * number(b) / 8));
}
static uint32_t graphics_product(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    float x = flushed(number(a)), y = flushed(number(b));
    return x == 0 || y == 0 ? 0 : word(flushed(x * y));
}
Test(forms, products_of_floats)
{
    check(62, "FMUL.D8 R10, R4, R5", eighth, true, ~0u);
    check(62, "FMUL.FMZ R10, R4, R5", graphics_product, true, ~0u);
}

/* ---- half precision: small whole numbers, which are exact ---- */

static double half_value(uint32_t h) /* of a number that is whole and below 2048 */
{
    int exponent = (int)(h >> 10 & 31);
    double x = exponent ? ldexp(1024 + (h & 1023), exponent - 25) : 0;
    return h & 0x8000 ? -x : x;
}
static uint32_t half_of(double x)
{
    int exponent;
    double m = frexp(fabs(x), &exponent);
    uint32_t h = x == 0 ? 0 : (uint32_t)(exponent + 14) << 10 | ((uint32_t)(m * 2048) & 1023);
    return h | (x < 0 ? 0x8000 : 0);
}
/* Two numbers from -7 to 7 out of a word's low bytes; what the code makes of them first. */
static const char to_halves[] =
    "LOP32I.AND R7, R4, 0xf\nI2F.F16.U32 R7, R7\nBFE.U32 R8, R4, 0x404\nI2F.F16.U32 R8, R8\n"
    "PRMT R4, R7, 0x5410, R8\nLOP32I.AND R7, R5, 0xf\nI2F.F16.U32 R7, R7\n"
    "BFE.U32 R8, R5, 0x404\nI2F.F16.U32 R8, R8\nPRMT R5, R7, 0x5410, R8\n";
static double low(uint32_t x) { return x & 15; }
static double high(uint32_t x) { return x >> 4 & 15; }
static uint32_t halves(double x, double y) { return half_of(x) | half_of(y) << 16; }

static uint32_t half_sum(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    return halves(low(a) - high(b), high(a) - high(b));
}
static uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    return halves(low(a) * low(b) + low(a), high(a) * high(b) + high(a));
}
static uint32_t half_merged(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    return (c & 0xffff) | half_of(high(a) * high(b)) << 16;
}
static uint32_t half_to_f32(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    return word((float)(low(a) * low(b)));
}
static uint32_t half_set(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    return (low(a) < low(b) ? 0x3c00 : 0) | (high(a) < high(b) ? 0x3c000000 : 0);
}
static uint32_t half_both(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    return low(a) <= low(b) && high(a) <= high(b) ? 1 : 2;
}
static void check_halves(const char *code, form_model model)
{
    char text[1500];
    snprintf(text, sizeof text, "%s%s", to_halves, code);
    check(62, text, model, false, ~0u);
}
Test(forms, halves)
{
    cr_expect_eq(half_of(-3), 0xc200);
    cr_expect_eq(half_value(half_of(225)), 225);
    check_halves("HADD2 R10, R4, -R5.H1_H1", half_sum);
    check_halves("HFMA2 R10, R4, R5, R4", half_fma);
    check_halves("MOV R10, R6\nHMUL2.MRG_H1 R10, R4, R5", half_merged);
    check_halves("HMUL2.F32 R10, R4, R5", half_to_f32);
    check_halves("HSET2.BF.LT.AND R10, R4, R5, PT", half_set);
    check_halves("HSETP2.LE.H_AND.AND P0, P1, R4, R5, PT\nSEL R10, RZ, 0x1, P1\nSEL R10, R10, 0x2, P0\n"
                 "@P0 MOV32I R10, 0x1",
                 half_both);
}

/* ---- bytes ---- */

static uint32_t byte_distance(uint32_t x, uint32_t y)
{
    x &= 255;
    y &= 255;
    return x < y ? y - x : x - y;
}
static uint32_t sum_of_distances(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    for (int i = 0; i < 4; i++)
        c += byte_distance(a >> 8 * i, b >> 8 * i);
    return c;
}
static uint32_t inner_distances(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)lane;
    return (c & 0xff0000ff) | byte_distance(a >> 8, b >> 8) << 8 | byte_distance(a >> 16, b >> 16) << 16;
}
static uint32_t video_plus_one(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    return a + b + 1;
}
static uint32_t shifted_left(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)b, (void)lane;
    return (a << 5) + c;
}
static uint32_t video_less(uint32_t a, uint32_t b, uint32_t c, unsigned lane)
{
    (void)c, (void)lane;
    return (int8_t)(a >> 8) < (int32_t)(b & 0xffff) ? 7 : 9;
}
Test(forms, bytes)
{
    CHECK("VABSDIFF4.U8.U8.ACC R10, R4, R5, R6", sum_of_distances);
    CHECK("VABSDIFF4.U8.U8.YZ R10, R4, R5, R6", inner_distances);
    CHECK("VADD.PO R10, R4, R5, RZ", video_plus_one);
    CHECK("VSHL.UD.U32.U16.ACC R10, R4, 0x5, R6", shifted_left);
    CHECK("VSETP.LT.S8.U16.AND P0, PT, R4.B1, R5, PT\nMOV32I R10, 0x9\n@P0 MOV32I R10, 0x7", video_less);
}
