/* Moves, selections and predicates against scalar models; see corpus.h. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass_corpus.h"

static struct {
    bool bf, flip[3];
    unsigned op[2], part, test;
} m;
static const char *when(bool condition, const char *text) { return condition ? text : ""; }
static const char *const combines[3] = {"AND", "OR", "XOR"};
static const char *const parts[4] = {"", ".B1", ".B2", ".B3"};

static void model_mov(struct state *s) { set_d32(s, (uint32_t)s->b); }
static void model_mov32i(struct state *s) { set_d32(s, 0x89abcdef); }
static void model_sel(struct state *s) { set_d32(s, (uint32_t)((s->p >> 5 & 1) ^ m.flip[0] ? s->a : s->b)); }
/* A guard: nothing changes where it does not hold. */
static void model_guarded(struct state *s)
{
    if (s->p >> 4 & 1)
        model_mov(s);
}
static void model_not_guarded(struct state *s)
{
    if (!(s->p >> 4 & 1))
        model_mov(s);
}
static void model_nothing(struct state *s) { (void)s; }
CORPUS(move, moves)
{
    const struct subject mov = {model_mov, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject mov32i = {model_mov32i, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject sel = {model_sel, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject guarded = {model_guarded, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject not_guarded = {model_not_guarded, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject nothing = {model_nothing, V_INT, V_INT, V_INT, SAME_BITS, 0};
    memset(&m, 0, sizeof m);
    check(&mov, &integer_forms, "MOV R20, %%B");
    check(&mov32i, &only_registers, "MOV32I R20, 0x89abcdef");
    check(&sel, &integer_forms, "SEL R20, R4, %%B, P5");
    m.flip[0] = true;
    check(&sel, &integer_forms, "SEL R20, R4, %%B, !P5");
    check(&guarded, &integer_forms, "@P4 MOV R20, %%B");
    check(&not_guarded, &integer_forms, "@!P4 MOV R20, %%B");
    check(&nothing, &integer_forms, "@!PT MOV R20, %%B");
    check(&nothing, &integer_forms, "MOV RZ, %%B");
    check(&nothing, &only_registers, "NOP");
}

/* ---- predicates -------------------------------------------------------------------------------------------------- */

static bool combine(unsigned op, bool a, bool b) { return op == 0 ? a && b : op == 1 ? a || b : a != b; }
static bool source(const struct state *s, unsigned n, unsigned flip) { return (s->p >> n & 1) ^ m.flip[flip]; }
static void model_psetp(struct state *s)
{
    bool t = combine(m.op[0], source(s, 3, 0), source(s, 4, 1)), c = source(s, 5, 2);
    bool first = combine(m.op[1], t, c), second = combine(m.op[1], !t, c);
    set_p(s, 1, first);
    set_p(s, 2, second);
}
static void model_pset(struct state *s)
{
    bool t = combine(m.op[1], combine(m.op[0], source(s, 3, 0), source(s, 4, 1)), source(s, 5, 2));
    set_d32(s, !t ? 0 : m.bf ? 0x3f800000 : 0xffffffff);
}
/* The guard is one of the destinations. */
static void model_guard_written(struct state *s)
{
    if (!(s->p >> 1 & 1))
        return;
    bool t = combine(m.op[0], source(s, 3, 0), source(s, 4, 1)), c = source(s, 5, 2);
    set_p(s, 1, combine(m.op[1], t, c));
    set_p(s, 2, combine(m.op[1], !t, c));
}
CORPUS(move, predicates)
{
    const struct subject psetp = {model_psetp, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject pset = {model_pset, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject guard = {model_guard_written, V_INT, V_INT, V_INT, SAME_BITS, 0};
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 9 * 8; i++) {
        m.op[0] = i % 3;
        m.op[1] = i / 3 % 3;
        for (unsigned k = 0; k < 3; k++)
            m.flip[k] = i / 9 >> k & 1;
        m.bf = i & 1;
        const char *x = combines[m.op[0]], *y = combines[m.op[1]];
        const char *a = when(m.flip[0], "!"), *b = when(m.flip[1], "!"), *c = when(m.flip[2], "!");
        check(&psetp, &only_registers, "PSETP.%s.%s P1, P2, %sP3, %sP4, %sP5", x, y, a, b, c);
        check(&guard, &only_registers, "@P1 PSETP.%s.%s P1, P2, %sP3, %sP4, %sP5", x, y, a, b, c);
        check(&pset, &only_registers, "PSET%s.%s.%s R20, %sP3, %sP4, %sP5", when(m.bf, ".BF"), x, y, a, b, c);
    }
}
/* The tests of condition codes behind a subtraction: what they say of its operands, signed and unsigned. */
static bool code_holds(unsigned test, const struct state *s)
{
    uint32_t ua = (uint32_t)s->a, ub = (uint32_t)s->b, difference = ua - ub;
    int32_t a = (int32_t)ua, b = (int32_t)ub;
    bool overflows = (int64_t)a - b != (int32_t)difference, negative = difference >> 31;
    switch (test) {
    case 0: return false;
    case 1: return a < b;
    case 2: return a == b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a != b;
    case 6: return a >= b;
    case 7: return true;
    case 16: return !overflows;
    case 17: return ua < ub;
    case 18: return !negative;
    case 19: return ua <= ub;
    case 20: return ua > ub;
    case 21: return negative;
    case 22: return ua >= ub;
    default: return overflows;
    }
}
static void subtract(struct state *s)
{
    uint32_t a = (uint32_t)s->a, b = (uint32_t)s->b, r = a - b;
    bool overflows = (int64_t)(int32_t)a - (int32_t)b != (int32_t)r;
    s->cc = (r ? 0 : CC_ZERO) | (r >> 31 ? CC_SIGN : 0) | (a >= b ? CC_CARRY : 0) | (overflows ? CC_OVERFLOW : 0);
}
static void model_csetp(struct state *s)
{
    bool t = code_holds(m.test, s), c = source(s, 5, 2);
    set_p(s, 1, combine(m.op[1], t, c));
    set_p(s, 2, combine(m.op[1], !t, c));
    subtract(s);
}
static void model_cset(struct state *s)
{
    bool t = combine(m.op[1], code_holds(m.test, s), source(s, 5, 2));
    subtract(s);
    set_d32(s, !t ? 0 : m.bf ? 0x3f800000 : 0xffffffff);
}
static void model_zero(struct state *s) { set_d32(s, 0); }
/* The counters of %pm count nothing here. */
CORPUS(move, counters)
{
    const struct subject zero = {model_zero, V_INT, V_INT, V_INT, SAME_BITS, 0};
    check(&zero, &only_registers, "CS2R R20, SR_PM0");
    check(&zero, &only_registers, "CS2R R20, SR_PM_HI7");
}
CORPUS(move, condition_codes)
{
    const struct subject cset = {model_cset, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject csetp = {model_csetp, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char *const tests[24] = {
        [0] = "F",    [1] = "LT",  [2] = "EQ",   [3] = "LE",  [4] = "GT",  [5] = "NE",   [6] = "GE",  [7] = "T",
        [16] = "OFF", [17] = "LO", [18] = "SFF", [19] = "LS", [20] = "HI", [21] = "SFT", [22] = "HS", [23] = "OFT"};
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 24 * 3; i++) {
        m.test = i / 3;
        m.op[1] = i % 3;
        m.flip[2] = i & 1;
        if (!tests[m.test])
            continue;
        m.bf = i >> 1 & 1;
        check(&cset, &only_registers, "IADD RZ.CC, R4, -R6\nCSET%s.%s.%s R20, CC, %sP5", when(m.bf, ".BF"),
              tests[m.test], combines[m.op[1]], when(m.flip[2], "!"));
        check(&csetp, &only_registers, "IADD RZ.CC, R4, -R6\nCSETP.%s.%s P1, P2, CC, %sP5", tests[m.test],
              combines[m.op[1]], when(m.flip[2], "!"));
    }
}

/* ---- predicates and condition codes as numbers ------------------------------------------------------------------- */

static void model_p2r(struct state *s)
{
    uint32_t mask = (uint32_t)s->b & 0x7f, shift = 8 * m.part;
    set_d32(s, ((uint32_t)s->a & ~(mask << shift)) | (s->p & mask) << shift);
}
static void model_r2p(struct state *s)
{
    uint32_t mask = (uint32_t)s->b & 0x7f, v = (uint32_t)s->a >> (8 * m.part);
    s->p = (s->p & ~mask) | (v & mask);
}
static void model_r2p_codes(struct state *s)
{
    uint32_t mask = (uint32_t)s->b & 15, v = (uint32_t)s->a >> (8 * m.part);
    s->cc = (s->cc & ~mask) | (v & mask);
}
CORPUS(move, predicates_as_numbers)
{
    const struct subject p2r = {model_p2r, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject r2p = {model_r2p, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject codes = {model_r2p_codes, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const struct immediate masks[] = {{"0x7f", 0x7f}, {"0x1", 1}, {"0x2a", 0x2a}, {"0x0", 0}, {NULL, 0}};
    const struct operand_forms forms = {true, masks, false};
    memset(&m, 0, sizeof m);
    for (m.part = 0; m.part < 4; m.part++) {
        check(&p2r, &forms, "P2R%s R20, PR, R4, %%B", parts[m.part]);
        check(&r2p, &forms, "R2P PR, R4%s, %%B", parts[m.part]);
        check(&codes, &forms, "R2P CC, R4%s, %%B", parts[m.part]);
    }
}
