/* Integer instructions against scalar models; see corpus.h. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass_corpus.h"

static struct {
    bool neg[3], po, x, cc, sat, wrap, reverse, is_signed, invert_a, invert_b, high, both[2];
    unsigned shift, op, test, table, mode, type, combine;
} m;
static void clear(void) { memset(&m, 0, sizeof m); }
static const char *when(bool condition, const char *text) { return condition ? text : ""; }

static void set_codes(struct state *s, uint32_t r, bool carry, bool overflow, bool chained)
{
    bool zero = r == 0 && (!chained || s->cc & CC_ZERO);
    s->cc = (zero ? CC_ZERO : 0) | (r >> 31 ? CC_SIGN : 0) | (carry ? CC_CARRY : 0) | (overflow ? CC_OVERFLOW : 0);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* A sum of two or three words. -x is its complement and one; in the upper words of a long number (.X) that one comes
 * as the carry of the word below. */
static uint32_t sum(struct state *s, const uint32_t *v, unsigned count)
{
    uint64_t total = m.po + (m.x && s->cc & CC_CARRY ? 1 : 0);
    int64_t exact = (int64_t)total;
    for (unsigned i = 0; i < count; i++) {
        uint32_t word = m.neg[i] ? ~v[i] : v[i];
        total += (uint64_t)word + (m.neg[i] && !m.x);
        exact += (int64_t)(int32_t)word + (m.neg[i] && !m.x);
    }
    uint32_t r = (uint32_t)total;
    if (m.sat)
        r = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? (uint32_t)INT32_MIN : r;
    if (m.cc)
        set_codes(s, r, total >> 32 & 1, exact > INT32_MAX || exact < INT32_MIN, m.x);
    return r;
}
static void model_iadd(struct state *s)
{
    const uint32_t v[2] = {(uint32_t)s->a << m.shift, (uint32_t)s->b};
    set_d32(s, sum(s, v, 2));
}
/* Neither negated, one, the other, .PO. */
static void choose_signs(unsigned i)
{
    m.neg[0] = i == 1;
    m.neg[1] = i == 2;
    m.po = i == 3;
}
static const struct subject iadd = {model_iadd, V_INT, V_INT, V_INT, SAME_BITS, 0};

CORPUS(integer, iadd)
{
    for (unsigned i = 0; i < 16; i++) {
        clear();
        choose_signs(i & 3);
        m.x = i >> 2 & 1;
        m.cc = i >> 3;
        check(&iadd, m.neg[1] ? &no_immediates : &integer_forms, "IADD%s%s R20%s, %sR4, %s%%B", when(m.po, ".PO"),
              when(m.x, ".X"), when(m.cc, ".CC"), when(m.neg[0], "-"), when(m.neg[1], "-"));
    }
    clear();
    m.sat = true;
    check(&iadd, &integer_forms, "IADD.SAT R20, R4, %%B");
    m.neg[1] = true;
    check(&iadd, &no_immediates, "IADD.SAT R20, R4, -%%B");
}
static void model_iadd32i(struct state *s)
{
    const uint32_t v[2] = {(uint32_t)s->a, 0x89abcdef};
    set_d32(s, sum(s, v, 2));
}
CORPUS(integer, iadd32i)
{
    const struct subject subject = {model_iadd32i, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (unsigned i = 0; i < 16; i++) {
        clear();
        choose_signs(i & 3);
        m.neg[1] = false;
        m.x = i >> 2 & 1;
        m.cc = i >> 3;
        check(&subject, &only_registers, "IADD32I%s%s R20%s, %sR4, -0x76543211", when(m.po, ".PO"), when(m.x, ".X"),
              when(m.cc, ".CC"), when(m.neg[0], "-"));
    }
}
CORPUS(integer, iscadd)
{
    for (unsigned shift = 0; shift < 32; shift += 31 - shift < 5 ? 1 : 5)
        for (unsigned i = 0; i < 8; i++) {
            clear();
            choose_signs(i & 3);
            m.shift = shift;
            m.cc = i >> 2;
            check(&iadd, m.neg[1] ? &no_immediates : &integer_forms, "ISCADD%s R20%s, %sR4, %s%%B, 0x%x",
                  when(m.po, ".PO"), when(m.cc, ".CC"), when(m.neg[0], "-"), when(m.neg[1], "-"), shift);
        }
}
static void model_iscadd32i(struct state *s)
{
    const uint32_t v[2] = {(uint32_t)s->a << m.shift, 0x89abcdef};
    set_d32(s, sum(s, v, 2));
}
CORPUS(integer, iscadd32i)
{
    const struct subject subject = {model_iscadd32i, V_INT, V_INT, V_INT, SAME_BITS, 0};
    clear();
    m.shift = 7;
    check(&subject, &only_registers, "ISCADD32I R20, R4, -0x76543211, 0x7");
    m.cc = true;
    check(&subject, &only_registers, "ISCADD32I R20.CC, R4, -0x76543211, 0x7");
}

static uint32_t half(uint32_t v, unsigned part) { return part == 0 ? v : part == 1 ? v & 0xffff : v >> 16; }
static void model_iadd3(struct state *s)
{
    const uint32_t v[3] = {half((uint32_t)s->a, m.type & 3), half((uint32_t)s->b, m.type >> 2 & 3),
                           half((uint32_t)s->c, m.type >> 4)};
    set_d32(s, sum(s, v, 3));
}
/* Of .CC the two-term sums are compared: how a carry of 2 reads is not known, only that .X gets all of it. */
static void model_iadd3_two(struct state *s)
{
    const uint32_t v[3] = {(uint32_t)s->a, (uint32_t)s->b, 0};
    set_d32(s, sum(s, v, 3));
}
CORPUS(integer, iadd3)
{
    const struct subject subject = {model_iadd3, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject two = {model_iadd3_two, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const parts[3] = {"", ".H0", ".H1"};
    for (unsigned i = 0; i < 16; i++) {
        clear();
        for (unsigned k = 0; k < 3; k++)
            m.neg[k] = i >> k & 1;
        m.x = i >> 3;
        check(&subject, &no_immediates, "IADD3%s R20, %sR4, %s%%B, %sR8", when(m.x, ".X"), when(m.neg[0], "-"),
              when(m.neg[1], "-"), when(m.neg[2], "-"));
        m.cc = true;
        m.neg[2] = false;
        check(&two, &no_immediates, "IADD3%s R20.CC, %sR4, %s%%B, RZ", when(m.x, ".X"), when(m.neg[0], "-"),
              when(m.neg[1], "-"));
    }
    for (unsigned i = 0; i < 27; i++) {
        clear();
        m.type = i % 3 | i / 3 % 3 << 2 | i / 9 << 4;
        check(&subject, &only_registers, "IADD3 R20, R4%s, R6%s, R8%s", parts[i % 3], parts[i / 3 % 3], parts[i / 9]);
    }
}
/* A short immediate is not extended by its sign, but by bit 56, which the text's number includes. */
static void model_iadd3_immediate(struct state *s)
{
    const uint32_t v[3] = {(uint32_t)s->a, 0x7abcd, (uint32_t)s->c};
    set_d32(s, sum(s, v, 3));
}
CORPUS(integer, iadd3_immediate)
{
    const struct subject subject = {model_iadd3_immediate, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (unsigned i = 0; i < 8; i++) {
        clear();
        m.neg[0] = i & 1;
        m.neg[2] = i >> 1 & 1;
        m.x = i >> 2;
        check(&subject, &only_registers, "IADD3%s R20, %sR4, 0x7abcd, %sR8", when(m.x, ".X"), when(m.neg[0], "-"),
              when(m.neg[2], "-"));
    }
}
static void model_long_sum(struct state *s)
{
    s->d = (m.neg[0] ? -s->a : s->a) + (m.neg[1] ? -s->b : s->b) + (m.neg[2] ? -s->c : s->c);
}
/* Sums of three long numbers, as ptxas makes them. */
CORPUS(integer, iadd3_long)
{
    const struct subject subject = {model_long_sum, V_LONG, V_LONG, V_LONG, SAME_BITS, 0};
    for (unsigned i = 0; i < 4; i++) {
        clear();
        for (unsigned k = 0; k < 3; k++)
            m.neg[k] = i == k + 1;
        const char *a = when(m.neg[0], "-"), *b = when(m.neg[1], "-"), *c = when(m.neg[2], "-");
        check(&subject, &only_registers,
              "IADD3 R20.CC, %sR4, %sR6, %sR8\nIADD3.X R21, %sR5, %sR7, %sR9\nR2P CC, R12.B1, 0xf", a, b, c, a, b, c);
    }
}
/* (a + b) >> 16 + c, with the carry of a + b; .LS likewise to the left. */
static void model_iadd3_shifted(struct state *s)
{
    uint64_t t = (uint64_t)(uint32_t)s->a + (uint32_t)s->b;
    set_d32(s, (uint32_t)(m.shift ? t << 16 : t >> 16) + (uint32_t)s->c);
}
CORPUS(integer, iadd3_shifted)
{
    const struct subject subject = {model_iadd3_shifted, V_INT, V_INT, V_INT, SAME_BITS, 0};
    clear();
    check(&subject, &only_registers, "IADD3.RS R20, R4, R6, R8");
    m.shift = 1;
    check(&subject, &only_registers, "IADD3.LS R20, R4, R6, R8");
}
/* A shift by 0 is not written. */
static const char *shift_text(unsigned shift)
{
    static char text[16];
    snprintf(text, sizeof text, ", 0x%x", shift);
    return shift ? text : "";
}
CORPUS(integer, lea)
{
    for (unsigned shift = 0; shift < 32; shift += 31 - shift < 5 ? 1 : 5)
        for (unsigned i = 0; i < 8; i++) {
            clear();
            m.neg[0] = i & 1;
            m.x = i >> 1 & 1;
            m.cc = i >> 2;
            m.shift = shift;
            check(&iadd, &integer_forms, "LEA%s R20%s, %sR4, %%B%s", when(m.x, ".X"), when(m.cc, ".CC"),
                  when(m.neg[0], "-"), shift_text(shift));
        }
}
/* The upper word of (c:a, negated whole) << shift, plus b. */
static void model_lea_hi(struct state *s)
{
    uint64_t wide = (uint64_t)(uint32_t)s->c << 32 | (uint32_t)s->a;
    if (m.invert_a)
        wide = -wide;
    const uint32_t v[2] = {(uint32_t)(m.shift ? wide >> (32 - m.shift) : wide >> 32), (uint32_t)s->b};
    set_d32(s, sum(s, v, 2));
}
CORPUS(integer, lea_hi)
{
    const struct subject subject = {model_lea_hi, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (unsigned shift = 0; shift < 32; shift += 31 - shift < 5 ? 1 : 5)
        for (unsigned i = 0; i < 8; i++) {
            clear();
            m.invert_a = i & 1;
            m.x = i >> 1 & 1;
            m.cc = i >> 2;
            m.shift = shift;
            check(&subject, &no_immediates, "LEA.HI%s R20%s, %sR4, %%B, R8%s", when(m.x, ".X"), when(m.cc, ".CC"),
                  when(m.invert_a, "-"), shift_text(shift));
        }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static int64_t extended(uint32_t v, unsigned bits, bool is_signed)
{
    uint64_t low = v & ((1ull << bits) - 1);
    return is_signed && low >> (bits - 1) ? (int64_t)low - (int64_t)(1ull << bits) : (int64_t)low;
}
enum { PLAIN, CLO, CHI, CSFU, CBCC };
/* 16 by 16 bits. The sum is of 32-bit words. */
static void model_xmad(struct state *s)
{
    uint32_t a = (uint32_t)s->a, b = (uint32_t)s->b, c = (uint32_t)s->c;
    int64_t x = extended(m.invert_a ? a >> 16 : a, 16, m.both[0]),
            y = extended(m.invert_b ? b >> 16 : b, 16, m.both[1]);
    uint32_t product = (uint32_t)(x * y) << (m.high ? 16 : 0);
    switch (m.mode) {
    case CLO: c &= 0xffff; break;
    case CHI: c >>= 16; break;
    case CBCC: c += b << 16; break;
    case CSFU: /* the middle products of a 32-bit product, of which the negative ones count too much */
        c -= x < 0 && b << 16 ? 0x10000 : 0;
        c -= y < 0 && a << 16 ? 0x10000 : 0;
        break;
    default: break;
    }
    uint64_t total = (uint64_t)product + c + (m.x && s->cc & CC_CARRY ? 1 : 0);
    uint32_t r = (uint32_t)total;
    if (m.wrap) /* .MRG */
        r = (r & 0xffff) | b << 16;
    set_d32(s, r);
    if (m.cc)
        set_codes(s, r, total >> 32, false, m.x);
}
CORPUS(integer, xmad)
{
    const struct subject subject = {model_xmad, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const types[4] = {"", ".S16.U16", ".U16.S16", ".S16.S16"};
    static const char *const modes[5] = {"", ".CLO", ".CHI", ".CSFU", ".CBCC"};
    for (unsigned i = 0; i < 4 * 4 * 2 * 2 * 5; i++) {
        clear();
        m.both[0] = i & 1;
        m.both[1] = i >> 1 & 1;
        m.invert_a = i >> 2 & 1;
        m.invert_b = i >> 3 & 1;
        m.high = i >> 4 & 1;
        m.wrap = i >> 5 & 1;
        m.mode = i >> 6;
        check(&subject, m.mode == CBCC ? &only_registers : &no_immediates, "XMAD%s%s%s%s R20, R4%s, %%B%s, R8",
              types[i & 3], when(m.high, ".PSL"), modes[m.mode], when(m.wrap, ".MRG"), when(m.invert_a, ".H1"),
              when(m.invert_b, ".H1"));
    }
    static const struct immediate unsigned16[] = {{"0x0", 0}, {"0x7fff", 0x7fff}, {"0xffff", 0xffff}, {NULL, 0}};
    const struct operand_forms forms = {false, unsigned16, false};
    for (unsigned i = 0; i < 8; i++) {
        clear();
        m.x = i & 1;
        m.cc = i >> 1 & 1;
        m.high = i >> 2;
        check(&subject, &forms, "XMAD%s%s R20%s, R4, %%B, R8", when(m.high, ".PSL"), when(m.x, ".X"),
              when(m.cc, ".CC"));
    }
}
/* The addend in constant memory: neither .PSL nor .MRG. */
CORPUS(integer, xmad_constant_addend)
{
    const struct subject subject = {model_xmad, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const types[4] = {"", ".S16.U16", ".U16.S16", ".S16.S16"};
    static const char *const modes[4] = {"", ".CLO", ".CHI", ".CSFU"};
    for (unsigned i = 0; i < 4 * 4 * 4; i++) {
        clear();
        m.both[0] = i & 1;
        m.both[1] = i >> 1 & 1;
        m.invert_a = i >> 2 & 1;
        m.invert_b = i >> 3 & 1;
        m.mode = i >> 4;
        m.cc = i % 5 == 2;
        check_c(&subject, "XMAD%s%s R20%s, R4%s, R6%s, %%C", types[i & 3], modes[m.mode], when(m.cc, ".CC"),
                when(m.invert_a, ".H1"), when(m.invert_b, ".H1"));
    }
}
static uint32_t product(uint32_t a, uint32_t b)
{
    __int128 p = (__int128)extended(a, 32, m.both[0]) * extended(b, 32, m.both[1]);
    return (uint32_t)(m.high ? p >> 32 : p);
}
static void model_imul(struct state *s) { set_d32(s, product((uint32_t)s->a, (uint32_t)s->b)); }
static void model_imad(struct state *s)
{
    const uint32_t v[2] = {product((uint32_t)s->a, (uint32_t)s->b), (uint32_t)s->c};
    set_d32(s, sum(s, v, 2));
}
static const char *const factors[4] = {".U32.U32", ".S32.U32", ".U32.S32", ""};
CORPUS(integer, imul)
{
    const struct subject imul = {model_imul, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject imad = {model_imad, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (unsigned i = 0; i < 8; i++) {
        clear();
        m.both[0] = i & 1;
        m.both[1] = i >> 1 & 1;
        m.high = i >> 2;
        check(&imul, &integer_forms, "IMUL%s%s R20, R4, %%B", factors[i & 3], when(m.high, ".HI"));
        for (unsigned k = 0; k < 16; k++) {
            choose_signs(k & 3);
            m.x = k >> 2 & 1;
            m.cc = k >> 3;
            check(&imad, &integer_forms, "IMAD%s%s%s%s R20%s, %sR4, %%B, %sR8", factors[i & 3], when(m.high, ".HI"),
                  when(m.po, ".PO"), when(m.x, ".X"), when(m.cc, ".CC"), when(m.neg[0], "-"), when(m.neg[1], "-"));
            if (k % 5 == 2)
                check_c(&imad, "IMAD%s%s%s%s R20%s, %sR4, R6, %s%%C", factors[i & 3], when(m.high, ".HI"),
                        when(m.po, ".PO"), when(m.x, ".X"), when(m.cc, ".CC"), when(m.neg[0], "-"),
                        when(m.neg[1], "-"));
        }
    }
}
/* mad.hi.sat.s32, the one saturated product that PTX has. */
static void model_imad_sat(struct state *s)
{
    int64_t r = (int64_t)(int32_t)product((uint32_t)s->a, (uint32_t)s->b) + (int32_t)s->c;
    set_d32(s, r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? (uint32_t)INT32_MIN : (uint32_t)r);
}
static void model_imul32i(struct state *s) { set_d32(s, product((uint32_t)s->a, 0x89abcdef)); }
/* The addend is the destination. */
static void model_imad32i(struct state *s)
{
    const uint32_t v[2] = {product((uint32_t)s->a, 0x89abcdef), (uint32_t)s->d};
    set_d32(s, sum(s, v, 2));
}
CORPUS(integer, products_with_long_immediates)
{
    const struct subject sat = {model_imad_sat, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject imul = {model_imul32i, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject imad = {model_imad32i, V_INT, V_INT, V_INT, SAME_BITS, 0};
    clear();
    m.both[0] = m.both[1] = m.high = true;
    check(&sat, &integer_forms, "IMAD.HI.SAT R20, R4, %%B, R8");
    for (unsigned i = 0; i < 8; i++) {
        clear();
        m.both[0] = i & 1;
        m.both[1] = i >> 1 & 1;
        m.high = i >> 2;
        const char *high = when(m.high, ".HI");
        check(&imul, &only_registers, "IMUL32I%s%s R20, R4, -0x76543211", factors[i & 3], high);
        for (unsigned k = 0; k < 8; k++) {
            choose_signs(k & 3);
            m.cc = k >> 2;
            check(&imad, &only_registers, "IMAD32I%s%s%s R20%s, %sR4, -0x76543211, %sR20", factors[i & 3], high,
                  when(m.po, ".PO"), when(m.cc, ".CC"), when(m.neg[0], "-"), when(m.neg[1], "-"));
        }
    }
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

static uint32_t reversed(uint32_t v)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}
static unsigned amount(uint32_t n, unsigned limit) { return m.wrap ? n % limit : n > limit ? limit : n; }
static void model_shl(struct state *s)
{
    unsigned n = amount((uint32_t)s->b, 32);
    set_d32(s, n > 31 ? 0 : (uint32_t)s->a << n);
}
static void model_shr(struct state *s)
{
    uint32_t a = m.reverse ? reversed((uint32_t)s->a) : (uint32_t)s->a;
    int64_t wide = extended(a, 32, m.is_signed);
    set_d32(s, (uint32_t)(wide >> amount((uint32_t)s->b, 32)));
}
CORPUS(integer, shifts)
{
    const struct subject shl = {model_shl, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject shr = {model_shr, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (unsigned i = 0; i < 8; i++) {
        clear();
        m.wrap = i & 1;
        m.reverse = i >> 1 & 1;
        m.is_signed = i >> 2;
        check(&shl, &integer_forms, "SHL%s R20, R4, %%B", when(m.wrap, ".W"));
        check(&shr, &integer_forms, "SHR%s%s%s R20, R4, %%B", when(!m.is_signed, ".U32"), when(m.wrap, ".W"),
              when(m.reverse, ".BREV"));
    }
}
/* {c:a} shifted by at most 32, or as a long number by at most 63. */
static void model_shf(struct state *s)
{
    unsigned __int128 wide = (uint64_t)(uint32_t)s->c << 32 | (uint32_t)s->a;
    uint32_t n = (uint32_t)s->b;
    if (m.type == 0)
        n = m.wrap ? n % 32 : n > 32 ? 32 : n;
    else
        n = m.wrap ? n % 64 : n > 64 ? 64 : n;
    if (m.type == 3 && !m.high && s->c >> 31 & 1)
        wide |= ~(unsigned __int128)0 << 64;
    set_d32(s, m.high ? (uint32_t)(wide << n >> 32) : (uint32_t)(wide >> n));
}
CORPUS(integer, funnel_shifts)
{
    const struct subject subject = {model_shf, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const types[4] = {"", NULL, ".U64", ".S64"};
    static const struct immediate amounts[] = {{"0x0", 0}, {"0x1", 1}, {"0x1f", 31}, {"0x20", 32}, {NULL, 0}};
    const struct operand_forms forms = {false, amounts, false};
    for (unsigned i = 0; i < 16; i++) {
        clear();
        m.type = i & 3;
        m.wrap = i >> 2 & 1;
        m.high = i >> 3; /* to the left */
        if (types[m.type])
            check(&subject, &forms, "SHF.%s%s%s R20, R4, %%B, R8", m.high ? "L" : "R", when(m.wrap, ".W"),
                  types[m.type]);
    }
}

/* ---- logic ------------------------------------------------------------------------------------------------------- */

static const char *const tests[4] = {"", ".T", ".Z", ".NZ"};
static void finish_logic(struct state *s, uint32_t r)
{
    bool zero = r == 0 && (!m.x || s->cc & CC_ZERO);
    set_d32(s, r);
    if (m.test)
        set_p(s, 3, m.test == 1 || (m.test == 2) == zero);
    if (m.cc)
        set_codes(s, r, false, false, m.x);
}
static void model_lop(struct state *s)
{
    uint32_t a = m.invert_a ? ~(uint32_t)s->a : (uint32_t)s->a, b = m.invert_b ? ~(uint32_t)s->b : (uint32_t)s->b;
    finish_logic(s, m.op == 0 ? a & b : m.op == 1 ? a | b : m.op == 2 ? a ^ b : b);
}
static void model_lop32i(struct state *s)
{
    s->b = 0x89abcdef;
    model_lop(s);
}
CORPUS(integer, lop)
{
    const struct subject lop = {model_lop, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject lop32i = {model_lop32i, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const ops[4] = {"AND", "OR", "XOR", "PASS_B"};
    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < 16; k++) {
            clear();
            m.op = i & 3;
            m.invert_a = i >> 2 & 1;
            m.invert_b = i >> 3;
            m.test = k & 3;
            m.cc = k >> 2 & 1;
            m.x = k >> 3;
            check(&lop, m.invert_b ? &no_immediates : &integer_forms, "LOP.%s%s%s %sR20%s, %sR4, %s%%B", ops[m.op],
                  when(m.x, ".X"), tests[m.test], when(m.test, "P3, "), when(m.cc, ".CC"), when(m.invert_a, "~"),
                  when(m.invert_b, "~"));
            if (m.test || m.invert_b)
                continue;
            check(&lop32i, &only_registers, "LOP32I.%s%s R20%s, %sR4, 0x89abcdef", ops[m.op], when(m.x, ".X"),
                  when(m.cc, ".CC"), when(m.invert_a, "~"));
        }
}
static void model_lop3(struct state *s)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned index = (s->a >> i & 1) << 2 | (s->b >> i & 1) << 1 | (s->c >> i & 1);
        r |= (m.table >> index & 1) << i;
    }
    finish_logic(s, r);
}
CORPUS(integer, lop3)
{
    const struct subject subject = {model_lop3, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const uint8_t some[] = {0x80, 0xfe, 0x96, 0xe8, 0x01, 0x7f, 0x1e, 0xca, 0xd8, 0x3c};
    for (unsigned i = 0; i < sizeof some; i++) {
        clear();
        m.table = some[i];
        check(&subject, &integer_forms, "LOP3.LUT R20, R4, %%B, R8, 0x%x", m.table);
        for (unsigned k = 1; k < 16; k++) {
            m.test = k & 3;
            m.cc = k >> 2 & 1;
            m.x = k >> 3;
            check(&subject, &only_registers, "LOP3.LUT%s%s %sR20%s, R4, R6, R8, 0x%x", when(m.x, ".X"), tests[m.test],
                  when(m.test, "P3, "), when(m.cc, ".CC"), m.table);
        }
    }
}

/* ---- bit fields -------------------------------------------------------------------------------------------------- */

/* PTX bfe: bits beyond the word are 0 or, signed, the sign: the word's highest bit or the field's, if that is lower. */
static void model_bfe(struct state *s)
{
    uint32_t a = m.reverse ? reversed((uint32_t)s->a) : (uint32_t)s->a, r = 0;
    unsigned at = s->b & 255, length = s->b >> 8 & 255, top = at + length - 1 < 31 ? at + length - 1 : 31;
    bool sign = m.is_signed && length && a >> top & 1;
    for (unsigned i = 0; i < 32; i++)
        r |= (uint32_t)(i < length && at + i <= 31 ? a >> (at + i) & 1 : sign) << i;
    set_d32(s, r);
}
static void model_bfi(struct state *s)
{
    unsigned at = s->b & 255, length = s->b >> 8 & 255;
    uint32_t r = (uint32_t)s->c;
    for (unsigned i = 0; i < length && at + i < 32; i++)
        r = (r & ~(1u << (at + i))) | (uint32_t)(s->a >> i & 1) << (at + i);
    set_d32(s, r);
}
static void model_flo(struct state *s)
{
    uint32_t b = m.invert_b ? ~(uint32_t)s->b : (uint32_t)s->b, r = 0xffffffff;
    if (m.is_signed && b >> 31)
        b = ~b;
    for (unsigned i = 0; i < 32; i++)
        if (b >> i & 1)
            r = m.shift ? 31 - i : i;
    set_d32(s, r);
}
static void model_popc(struct state *s)
{
    uint32_t b = m.invert_b ? ~(uint32_t)s->b : (uint32_t)s->b, r = 0;
    for (unsigned i = 0; i < 32; i++)
        r += b >> i & 1;
    set_d32(s, r);
}
CORPUS(integer, bit_fields)
{
    const struct subject bfe = {model_bfe, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject bfi = {model_bfi, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject flo = {model_flo, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject popc = {model_popc, V_INT, V_INT, V_INT, SAME_BITS, 0};
    clear();
    check(&bfi, &integer_forms, "BFI R20, R4, %%B, R8");
    check_c(&bfi, "BFI R20, R4, R6, %%C");
    for (unsigned i = 0; i < 8; i++) {
        clear();
        m.is_signed = i & 1;
        m.reverse = i >> 1 & 1;
        m.shift = i >> 2;
        m.invert_b = m.reverse;
        const struct operand_forms *forms = m.invert_b ? &no_immediates : &integer_forms;
        check(&bfe, &integer_forms, "BFE%s%s R20, R4, %%B", when(!m.is_signed, ".U32"), when(m.reverse, ".BREV"));
        check(&flo, forms, "FLO%s%s R20, %s%%B", when(!m.is_signed, ".U32"), when(m.shift, ".SH"),
              when(m.invert_b, "~"));
        check(&popc, forms, "POPC R20, %s%%B", when(m.invert_b, "~"));
    }
}
/* PTX prmt, the seven modes: selectors for the four result bytes out of eight, the lowest of a first. */
static void model_prmt(struct state *s)
{
    static const uint8_t table[7][4][4] = {
        {{0}},
        {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}, /* F4E */
        {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}, /* B4E */
        {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}, /* RC8 */
        {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}, /* ECL */
        {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}, /* ECR */
        {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}, /* RC16 */
    };
    uint64_t wide = (uint64_t)(uint32_t)s->c << 32 | (uint32_t)s->a;
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned nibble = s->b >> (4 * i) & 15, from = m.mode ? table[m.mode][s->b & 3][i] : nibble & 7;
        uint32_t byte = wide >> (8 * from) & 255;
        if (!m.mode && nibble & 8)
            byte = byte >> 7 ? 255 : 0;
        r |= byte << (8 * i);
    }
    set_d32(s, r);
}
CORPUS(integer, prmt)
{
    const struct subject subject = {model_prmt, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const modes[7] = {"", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16"};
    for (m.mode = 0; m.mode < 7; m.mode++) {
        check(&subject, &integer_forms, "PRMT%s R20, R4, %%B, R8", modes[m.mode]);
        check_c(&subject, "PRMT%s R20, R4, R6, %%C", modes[m.mode]);
    }
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static const char *const compares[8] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
static const char *const combines[3] = {"AND", "OR", "XOR"};
/* Of a < b, a == b, a > b that holds which the comparison's three bits name. */
static bool ordered(unsigned compare, bool less, bool equal)
{
    return less ? compare & 1 : equal ? compare >> 1 & 1 : compare >> 2 & 1;
}
static bool combined(bool t, bool with) { return m.combine == 0 ? t && with : m.combine == 1 ? t || with : t != with; }
/* With .X, of long numbers whose lower words' difference left the condition codes. */
static bool compared(struct state *s, uint32_t a, uint32_t b)
{
    if (!m.x) {
        int64_t x = extended(a, 32, m.is_signed), y = extended(b, 32, m.is_signed);
        return ordered(m.op, x < y, x == y);
    }
    int64_t lower = (int64_t)(int32_t)s->a - (int32_t)s->b;
    set_codes(s, a - b, a >= b, lower != (int32_t)lower, false);
    bool less = m.is_signed ? (int64_t)s->a < (int64_t)s->b : s->a < s->b;
    return ordered(m.op, less, s->a == s->b);
}
static void model_isetp(struct state *s)
{
    bool t = compared(s, (uint32_t)s->a, (uint32_t)s->b), with = (s->p >> 5 & 1) ^ m.po;
    set_p(s, 1, combined(t, with));
    set_p(s, 2, combined(!t, with));
}
static void model_iset(struct state *s)
{
    bool t = combined(compared(s, (uint32_t)s->a, (uint32_t)s->b), (s->p >> 5 & 1) ^ m.po);
    uint32_t r = !t ? 0 : m.high ? 0x3f800000 : 0xffffffff;
    set_d32(s, r);
    if (m.cc)
        set_codes(s, r, false, false, false);
}
static void model_icmp(struct state *s)
{
    set_d32(s, compared(s, (uint32_t)s->c, 0) ? (uint32_t)s->a : (uint32_t)s->b);
}
static void model_imnmx(struct state *s)
{
    int64_t x = extended((uint32_t)s->a, 32, m.is_signed), y = extended((uint32_t)s->b, 32, m.is_signed);
    set_d32(s, (uint32_t)(((s->p >> 5 & 1) ^ m.po) == (x < y) ? x : y));
}
static void check_comparison(bool first)
{
    static const char lower[] = "IADD RZ.CC, R4, -R6\n";
    enum values v = m.x ? V_LONG : V_INT;
    const struct subject isetp = {model_isetp, v, v, V_INT, SAME_BITS, 0};
    const struct subject iset = {model_iset, v, v, V_INT, SAME_BITS, 0};
    const struct operand_forms *forms = first && !m.x ? &integer_forms : &only_registers;
    const char *name = compares[m.op], *u = when(!m.is_signed, ".U32"), *x = when(m.x, ".X"), *c = combines[m.combine];
    const char *operands = m.x ? "R5, R7" : "R4, %B", *before = when(m.x, lower);
    check(&isetp, forms, "%sISETP.%s%s%s.%s P1, P2, %s, %sP5", before, name, u, x, c, operands, when(m.po, "!"));
    check(&iset, forms, "%sISET%s.%s%s%s.%s R20%s, %s, %sP5", before, when(m.high, ".BF"), name, u, x, c,
          when(m.cc, ".CC"), operands, when(m.po, "!"));
}
CORPUS(integer, comparisons)
{
    const struct subject icmp = {model_icmp, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (unsigned i = 0; i < 8 * 2 * 2; i++) {
        clear();
        m.op = i & 7;
        m.is_signed = i >> 3 & 1;
        m.x = i >> 4;
        if (!m.x) {
            check(&icmp, &integer_forms, "ICMP.%s%s R20, R4, %%B, R8", compares[m.op], when(!m.is_signed, ".U32"));
            check_c(&icmp, "ICMP.%s%s R20, R4, R6, %%C", compares[m.op], when(!m.is_signed, ".U32"));
        }
        for (unsigned k = 0; k < 6; k++) {
            m.combine = k % 3;
            m.po = k / 3;
            m.cc = k & 1 && !m.x;
            m.high = k >> 1 & 1;
            check_comparison(k == 0);
        }
    }
}
CORPUS(integer, imnmx)
{
    const struct subject subject = {model_imnmx, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (unsigned i = 0; i < 4; i++) {
        clear();
        m.is_signed = i & 1;
        m.po = i >> 1;
        check(&subject, &integer_forms, "IMNMX%s R20, R4, %%B, %sP5", when(!m.is_signed, ".U32"), when(m.po, "!"));
    }
}
