/* Video instructions and dot products against plain arithmetic on 128 bits; see corpus.h. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass_corpus.h"

typedef __int128 wide;
enum { ADD, DIFFERENCE, EXTREME, SET, SHIFT_LEFT, SHIFT_RIGHT };
/* Parts as they are encoded: bytes 0 to 3, halves, the word; as a text and as the part of the operand's type. */
enum { B0, B1, B2, B3, H0, H1, WORD, PARTS };
static const char *const part_names[PARTS] = {"", ".B1", ".B2", ".B3", "", ".H1", ""};
static const unsigned part_bits[PARTS] = {8, 8, 8, 8, 16, 16, 32}, part_at[PARTS] = {0, 8, 16, 24, 0, 16, 0};
static const char *const type_names[2][PARTS] = {{"U8", "U8", "U8", "U8", "U16", "U16", "U32"},
                                                 {"S8", "S8", "S8", "S8", "S16", "S16", "S32"}};
enum { MERGE_H1, MERGE_H0, MERGE_B0, MERGE_B2, ACCUMULATE, MINIMUM, MAXIMUM, NO_MODE, MODES };
static const char *const mode_names[MODES] = {".MRG_16H", ".MRG_16L", ".MRG_8B0", ".MRG_8B2",
                                              ".ACC",     ".MIN",     ".MAX",     ""};
static struct {
    unsigned op, part[2], mode, compare, scale, combine;
    bool is_signed[2], signed_d, sat, neg[2], po, wrap, max, immediate, not ;
} m;
static void clear(unsigned op)
{
    memset(&m, 0, sizeof m);
    m.op = op;
    m.part[0] = m.part[1] = WORD;
    m.mode = NO_MODE;
}
static const char *when(bool condition, const char *text) { return condition ? text : ""; }

static wide part_of(uint32_t word, unsigned part, bool is_signed)
{
    wide v = word >> part_at[part] & (0xffffffffu >> (32 - part_bits[part]));
    return is_signed && v >> (part_bits[part] - 1) ? v - ((wide)1 << part_bits[part]) : v;
}
static wide clamp(wide v, unsigned bits, bool is_signed)
{
    wide top = ((wide)1 << (is_signed ? bits - 1 : bits)) - 1, bottom = is_signed ? -top - 1 : 0;
    return v > top ? top : v < bottom ? bottom : v;
}
/* A comparison's bits: less, equal, greater. */
static bool holds(wide a, wide b) { return m.compare >> (a < b ? 0 : a == b ? 1 : 2) & 1; }

static wide operated(wide a, wide b)
{
    uint32_t n = (uint32_t)b;
    switch (m.op) {
    case ADD: return m.po ? a + b + 1 : (m.neg[0] ? -a : a) + (m.neg[1] ? -b : b);
    case DIFFERENCE: return a < b ? b - a : a - b;
    case EXTREME: return (a < b) != m.max ? a : b;
    case SET: return holds(a, b);
    default: n = m.wrap ? n % 32 : n > 32 ? 32 : n; return m.op == SHIFT_LEFT ? a * ((wide)1 << n) : a >> n;
    }
}
/* A part of the third operand is replaced by the result, or the third operand is combined with it. */
static uint32_t merged(wide r, uint32_t c)
{
    static const unsigned parts[4] = {H1, H0, B0, B2};
    uint32_t word = (uint32_t)r;
    bool less = m.signed_d ? (int32_t)word < (int32_t)c : word < c;
    switch (m.mode) {
    case ACCUMULATE: return word + c;
    case MINIMUM: return less ? word : c;
    case MAXIMUM: return less ? c : word;
    case NO_MODE: return word;
    default: break;
    }
    unsigned at = part_at[parts[m.mode]];
    uint32_t mask = 0xffffffffu >> (32 - part_bits[parts[m.mode]]) << at;
    return (c & ~mask) | (word << at & mask);
}
static void model_video(struct state *s)
{
    static const unsigned bits[MODES] = {16, 16, 8, 8, 32, 32, 32, 32};
    bool shift = m.op == SHIFT_LEFT || m.op == SHIFT_RIGHT;
    wide a = part_of((uint32_t)s->a, m.part[0], m.is_signed[0]);
    wide b = part_of(m.immediate ? 0x8003 : (uint32_t)s->b, m.part[1], m.is_signed[1] && !shift);
    wide r = operated(a, b);
    if (m.sat)
        r = clamp(r, bits[m.mode], m.signed_d);
    set_d32(s, merged(r, (uint32_t)s->c));
}
/* How the types of both operands are written, which two signed words are not. */
static const char *types(void)
{
    static char text[16];
    bool plain = m.is_signed[0] && m.is_signed[1] && m.part[0] == WORD && (m.part[1] == WORD || m.immediate);
    snprintf(text, sizeof text, ".%s.%s", type_names[m.is_signed[0]][m.part[0]], type_names[m.is_signed[1]][m.part[1]]);
    return plain ? "" : text;
}
static const char *second(void)
{
    static char text[16];
    if (m.immediate)
        return m.is_signed[1] && m.op != ADD && m.op != SHIFT_LEFT && m.op != SHIFT_RIGHT ? "-0x7ffd" : "0x8003";
    snprintf(text, sizeof text, "%sR6%s", when(m.neg[1], "-"), part_names[m.part[1]]);
    return text;
}
static const struct subject video = {model_video, V_INT, V_INT, V_INT, SAME_BITS, 0};
/* "VADD.UD.U8.S16.SAT.MRG_16H R20, R4, R6, R8" */
static void check_one(const char *name, bool type_of_d, const char *extra, const char *extra_before)
{
    check(&video, &only_registers, "%s%s%s%s%s%s%s R20, %sR4%s, %s, R8", name,
          type_of_d ? when(!m.signed_d, ".UD") : "", extra_before, types(), extra, when(m.sat, ".SAT"),
          mode_names[m.mode], when(m.neg[0], "-"), part_names[m.part[0]], second());
}
static void choose(unsigned i)
{
    m.part[0] = i % PARTS;
    m.part[1] = (i / 3) % PARTS;
    m.is_signed[0] = i & 1;
    m.is_signed[1] = i >> 1 & 1;
    m.signed_d = i >> 2 & 1;
    m.mode = (i / 2) % MODES;
    m.sat = i % 3 == 1;
}
static void choose_signs(unsigned i)
{
    m.neg[0] = i % 4 == 1;
    m.neg[1] = i % 4 == 2;
    m.po = i % 4 == 3;
}
enum { CHOICES = 112 }; /* all pairs of parts, modes and signs; not all of all at once */
CORPUS(video, sums)
{
    for (unsigned i = 0; i < CHOICES; i++) {
        clear(ADD);
        choose(i);
        choose_signs(i);
        check_one("VADD", true, when(m.po, ".PO"), "");
    }
}
CORPUS(video, differences_and_extremes)
{
    for (unsigned i = 0; i < CHOICES; i++) {
        clear(DIFFERENCE);
        choose(i);
        check_one("VABSDIFF", false, "", when(m.signed_d, ".SD"));
        m.op = EXTREME;
        m.max = i % 5 & 1;
        check_one("VMNMX", true, when(m.max, ".MX"), "");
    }
}
static const char *const compares[8] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
static const char *const combines[3] = {"AND", "OR", "XOR"};
static void model_setp(struct state *s)
{
    bool t =
        holds(part_of((uint32_t)s->a, m.part[0], m.is_signed[0]), part_of((uint32_t)s->b, m.part[1], m.is_signed[1]));
    bool with = (s->p >> 5 & 1) ^ m.not ;
    set_p(s, 1, m.combine == 0 ? t && with : m.combine == 1 ? t || with : t != with);
    set_p(s, 2, m.combine == 0 ? !t && with : m.combine == 1 ? !t || with : !t != with);
}
CORPUS(video, comparisons)
{
    const struct subject setp = {model_setp, V_INT, V_INT, V_INT, SAME_BITS, 0};
    char name[16];
    for (unsigned i = 0; i < CHOICES; i++) {
        clear(SET);
        choose(i);
        m.sat = m.signed_d = false;
        m.compare = i % 8;
        snprintf(name, sizeof name, "VSET.%s", compares[m.compare]);
        check_one(name, false, "", "");
        m.combine = i % 3;
        m.not = i % 5 == 1;
        check(&setp, &only_registers, "VSETP.%s%s.%s P1, P2, R4%s, %s, %sP5", compares[m.compare], types(),
              combines[m.combine], part_names[m.part[0]], second(), when(m.not, "!"));
    }
}
CORPUS(video, shifts)
{
    for (unsigned i = 0; i < CHOICES; i++) {
        clear(SHIFT_LEFT);
        choose(i);
        m.is_signed[1] = false;
        m.wrap = i % 5 & 1;
        check_one("VSHL", true, when(m.wrap, ".W"), "");
        m.op = SHIFT_RIGHT;
        check_one("VSHR", true, when(m.wrap, ".W"), "");
    }
}
/* A 16-bit immediate as second operand. */
CORPUS(video, immediates)
{
    for (unsigned i = 0; i < 24; i++) {
        clear(ADD);
        choose(i);
        m.part[1] = H0;
        m.immediate = true;
        m.is_signed[1] = false;
        check_one("VADD", true, "", "");
        m.op = SHIFT_LEFT;
        check_one("VSHL", true, "", "");
        m.op = EXTREME;
        m.is_signed[1] = i & 1;
        check_one("VMNMX", true, "", "");
        m.op = DIFFERENCE;
        check_one("VABSDIFF", false, "", when(m.signed_d, ".SD"));
    }
}
/* The product is signed, and so are c and the saturation, where a factor is or one of them is negated. */
static void model_vmad(struct state *s)
{
    wide a = part_of((uint32_t)s->a, m.part[0], m.is_signed[0]), b = part_of((uint32_t)s->b, m.part[1], m.is_signed[1]);
    bool is_signed = m.is_signed[0] || m.is_signed[1] || m.neg[0] || m.neg[1];
    wide c = is_signed ? (wide)(int32_t)s->c : (wide)(uint32_t)s->c;
    wide r = (m.neg[0] ? -(a * b) : a * b) + (m.neg[1] ? -c : c) + (m.po ? 1 : 0);
    r >>= m.scale;
    set_d32(s, (uint32_t)(m.sat ? clamp(r, 32, is_signed) : r));
}
CORPUS(video, products)
{
    const struct subject vmad = {model_vmad, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (unsigned sm = 61; sm <= 62; sm++)
        for (unsigned i = 0; i < CHOICES; i++) {
            clear(ADD);
            choose(i);
            choose_signs(i);
            m.scale = i % 5 == 1 ? 7 : i % 5 == 2 ? 15 : 0;
            corpus_sm = sm;
            check(&vmad, &only_registers, "VMAD%s%s%s%s R20, %sR4%s, R6%s, %sR8", types(), when(m.po, ".PO"),
                  m.scale == 7    ? ".SHR_7"
                  : m.scale == 15 ? ".SHR_15"
                                  : "",
                  when(m.sat, ".SAT"), when(m.neg[0], "-"), part_names[m.part[0]], part_names[m.part[1]],
                  when(m.neg[1], "-"));
        }
}

/* ---- four bytes, two halves -------------------------------------------------------------------------------------- */

static struct {
    unsigned lanes;
    bool signed_a, signed_b, signed_d, sat, accumulate;
} bytes;
static void model_four(struct state *s)
{
    uint32_t r = (uint32_t)s->c, sum = (uint32_t)s->c;
    for (unsigned i = 0; i < 4; i++) {
        wide a = part_of((uint32_t)s->a, i, bytes.signed_a), b = part_of((uint32_t)s->b, i, bytes.signed_b);
        wide d = a < b ? b - a : a - b;
        if (bytes.sat)
            d = clamp(d, bytes.accumulate ? 32 : 8, bytes.signed_d);
        if (!(bytes.lanes >> i & 1))
            continue;
        sum += (uint32_t)d;
        r = (r & ~(0xffu << 8 * i)) | ((uint32_t)d & 0xff) << 8 * i;
    }
    set_d32(s, bytes.accumulate ? sum : r);
}
CORPUS(video, four_differences)
{
    const struct subject four = {model_four, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const types[4] = {".U8.U8", ".S8.U8", ".U8.S8", ""};
    static const char *const lanes[16] = {NULL, ".X",  ".Y",  ".XY",  ".Z",  ".XZ",  ".YZ",  ".XYZ",
                                          ".W", ".XW", ".YW", ".XYW", ".ZW", ".XZW", ".YZW", ""};
    for (unsigned i = 0; i < 60; i++) {
        memset(&bytes, 0, sizeof bytes);
        bytes.lanes = 1 + i % 15;
        bytes.signed_a = i & 1;
        bytes.signed_b = i >> 1 & 1;
        bytes.signed_d = i >> 2 & 1;
        bytes.sat = i % 7 & 1;
        bytes.accumulate = i / 15 & 1;
        check(&four, &only_registers, "VABSDIFF4%s%s%s%s%s R20, R4, R6, R8", when(bytes.signed_d, ".SD"), types[i & 3],
              when(bytes.sat, ".SAT"), when(bytes.accumulate, ".ACC"), lanes[bytes.lanes]);
    }
}
static struct {
    bool halves, high, signed_a, signed_b;
} dot;
/* Four products of bytes; or two, of a's halves and b's lower or upper bytes. */
static void sum_products(struct state *s, uint32_t a, uint32_t b, uint32_t c)
{
    for (unsigned i = 0; i < (dot.halves ? 2 : 4); i++) {
        wide x = part_of(a, dot.halves ? H0 + i : i, dot.signed_a);
        c += (uint32_t)(x * part_of(b, i + (dot.halves && dot.high ? 2 : 0), dot.signed_b));
    }
    set_d32(s, c);
}
static void model_dot(struct state *s) { sum_products(s, (uint32_t)s->a, (uint32_t)s->b, (uint32_t)s->c); }
CORPUS(video, dot_products)
{
    const struct subject subject = {model_dot, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const kinds[6] = {"4A.U8", "2A.LO.U16", "2A.HI.U16", "4A.S8", "2A.LO.S16", "2A.HI.S16"};
    for (unsigned i = 0; i < 12; i++) {
        unsigned kind = i % 6;
        dot.halves = kind % 3;
        dot.high = kind % 3 == 2;
        dot.signed_a = kind > 2;
        dot.signed_b = i / 6;
        check(&subject, &no_immediates, "IDP.%s.%s R20, R4, %%B, R8", kinds[kind], dot.signed_b ? "S8" : "U8");
    }
}
