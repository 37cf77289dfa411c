/* Constant expressions, PTX ISA "Constant Expressions": C's operators on 64-bit integers and doubles. */
#include <math.h>
#include <string.h>

#include "frontend/isa/ptx/parser.h"

static struct constant expression(struct parser *, int level, unsigned depth);

static bool is_float(struct constant c) { return c.kind >= CONST_FLOAT; }

static double as_double(struct constant c)
{
    double d;
    float f;
    uint32_t low = (uint32_t)c.bits;
    switch (c.kind) {
    case CONST_SIGNED: return (double)(int64_t)c.bits;
    case CONST_UNSIGNED: return (double)c.bits;
    case CONST_SINGLE: memcpy(&f, &low, sizeof f); return (double)f;
    default: memcpy(&d, &c.bits, sizeof d); return d;
    }
}

static struct constant from_double(double d)
{
    struct constant c = {CONST_FLOAT, 0};
    memcpy(&c.bits, &d, sizeof d);
    return c;
}

static struct constant from_bool(bool b) { return (struct constant){CONST_SIGNED, b}; }
static bool is_true(struct constant c) { return is_float(c) ? as_double(c) != 0 : c.bits != 0; }

static struct constant cast(struct parser *p, struct constant c, bool is_unsigned)
{
    struct constant out = {is_unsigned ? CONST_UNSIGNED : CONST_SIGNED, c.bits};
    if (is_float(c)) {
        double d = as_double(c);
        if (!(d > -9.2e18 && d < 9.2e18))
            ptx_error(p->src, p->tok.at, "this value does not fit in 64 bits");
        out.bits = (uint64_t)(int64_t)d;
    }
    return out;
}

static struct constant primary(struct parser *p, unsigned depth)
{
    struct token t = p->tok;
    struct constant c = {CONST_SIGNED, t.value};
    switch (t.kind) {
    case TOK_INT: c.kind = t.is_unsigned ? CONST_UNSIGNED : CONST_SIGNED; break;
    case TOK_FLOAT: c.kind = CONST_FLOAT; break;
    case TOK_SINGLE: c.kind = CONST_SINGLE; break;
    case TOK_DOUBLE: c.kind = CONST_DOUBLE; break;
    case TOK_NAME:
        if (!token_is(&t, "WARP_SZ"))
            unknown_name(p, &t);
        c.bits = RP_WARP_LANES;
        break;
    default:
        if (!take_punct(p, '('))
            ptx_error(p->src, t.at, "a number belongs here");
        bool is_unsigned = at_dot(p, "u64");
        if (is_unsigned || at_dot(p, "s64")) {
            next_token(p);
            expect_punct(p, ')', "after the cast");
            return cast(p, expression(p, -1, depth + 1), is_unsigned);
        }
        c = expression(p, 0, depth + 1);
        expect_punct(p, ')', "at the end of the expression");
        return c;
    }
    next_token(p);
    return c;
}

/* 0f with its digits is a whole constant, or one in parentheses: no operator takes it. */
static void expect_no_single(struct parser *p, const struct token *t)
{
    if (t->kind == TOK_SINGLE)
        ptx_error(p->src, t->at, "0f and its digits are no part of an expression: put parentheses around them");
}

static struct constant unary(struct parser *p, unsigned depth)
{
    if (depth > MAX_DEPTH)
        ptx_error(p->src, p->tok.at, "an expression with more than %d levels", MAX_DEPTH);
    uint32_t at = p->tok.at;
    bool has_sign = at_punct(p, '+') || at_punct(p, '-') || at_punct(p, '!') || at_punct(p, '~');
    if (has_sign) {
        struct lexer ahead = p->lexer;
        struct token operand = lexer_next(&ahead);
        expect_no_single(p, &operand);
    }
    if (take_punct(p, '+'))
        return unary(p, depth + 1);
    if (take_punct(p, '!'))
        return from_bool(!is_true(unary(p, depth + 1)));
    if (take_punct(p, '-')) {
        struct constant c = unary(p, depth + 1);
        if (c.kind == CONST_SINGLE)
            c.bits ^= 0x80000000u;
        else if (is_float(c))
            c.bits ^= 1ull << 63;
        else
            c.bits = 0 - c.bits;
        return c;
    }
    if (take_punct(p, '~')) {
        struct constant c = unary(p, depth + 1);
        if (is_float(c))
            ptx_error(p->src, at, "'~' takes an integer");
        c.bits = ~c.bits;
        return c;
    }
    return primary(p, depth);
}

/* Binary operators, those that bind least first. */
static const uint16_t levels[][4] = {{'|' << 8 | '|'},
                                     {'&' << 8 | '&'},
                                     {'|'},
                                     {'^'},
                                     {'&'},
                                     {'=' << 8 | '=', '!' << 8 | '='},
                                     {'<', '>', '<' << 8 | '=', '>' << 8 | '='},
                                     {'<' << 8 | '<', '>' << 8 | '>'},
                                     {'+', '-'},
                                     {'*', '/', '%'}};
enum { LEVELS = sizeof levels / sizeof *levels, FACTOR_LEVEL = LEVELS - 1 };

static struct constant float_operation(struct parser *p, uint16_t op, double a, double b, uint32_t at)
{
    switch (op) {
    case '+': return from_double(a + b);
    case '-': return from_double(a - b);
    case '*': return from_double(a * b);
    case '/':
        if (b == 0)
            ptx_error(p->src, at, "division by zero");
        return from_double(a / b);
    case '<': return from_bool(a < b);
    case '>': return from_bool(a > b);
    case '<' << 8 | '=': return from_bool(a <= b);
    case '>' << 8 | '=': return from_bool(a >= b);
    case '=' << 8 | '=': return from_bool(a == b);
    case '!' << 8 | '=': return from_bool(a != b);
    default: ptx_error(p->src, at, "this operator takes integers");
    }
}

static uint64_t divide(struct parser *p, bool uns, bool remainder, uint64_t a, uint64_t b, uint32_t at)
{
    if (b == 0)
        ptx_error(p->src, at, "division by zero");
    if (uns)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* -1: the quotient of INT64_MIN wraps */
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static struct constant operation(struct parser *p, uint16_t op, struct constant a, struct constant b, uint32_t at)
{
    if (op == ('&' << 8 | '&'))
        return from_bool(is_true(a) && is_true(b));
    if (op == ('|' << 8 | '|'))
        return from_bool(is_true(a) || is_true(b));
    if (is_float(a) || is_float(b))
        return float_operation(p, op, as_double(a), as_double(b), at);
    bool uns = a.kind == CONST_UNSIGNED || b.kind == CONST_UNSIGNED;
    uint64_t x = a.bits, y = b.bits;
    int64_t sx = (int64_t)x, sy = (int64_t)y;
    struct constant c = {uns ? CONST_UNSIGNED : CONST_SIGNED, 0};
    switch (op) {
    case '+': c.bits = x + y; break;
    case '-': c.bits = x - y; break;
    case '*': c.bits = x * y; break;
    case '/':
    case '%': c.bits = divide(p, uns, op == '%', x, y, at); break;
    case '&': c.bits = x & y; break;
    case '|': c.bits = x | y; break;
    case '^': c.bits = x ^ y; break;
    case '<' << 8 | '<': c.bits = y < 64 ? x << y : 0; break;
    case '>' << 8 | '>':
        if (a.kind == CONST_UNSIGNED) {
            c.bits = y < 64 ? x >> y : 0;
        } else {
            y = y < 63 ? y : 63;
            c.bits = sx >= 0 ? x >> y : ~(~x >> y);
        }
        break;
    case '<': return from_bool(uns ? x < y : sx < sy);
    case '>': return from_bool(uns ? x > y : sx > sy);
    case '<' << 8 | '=': return from_bool(uns ? x <= y : sx <= sy);
    case '>' << 8 | '=': return from_bool(uns ? x >= y : sx >= sy);
    case '=' << 8 | '=': return from_bool(x == y);
    default: return from_bool(x != y);
    }
    return c;
}

static bool level_has(int level, const struct token *t)
{
    if (t->kind != TOK_PUNCT)
        return false;
    for (int i = 0; i < 4; i++)
        if (levels[level][i] && levels[level][i] == t->punct)
            return true;
    return false;
}

/* `level` is a level of the table; any other number stands for a unary expression. */
static struct constant expression(struct parser *p, int level, unsigned depth)
{
    if (level < 0 || level >= LEVELS)
        return unary(p, depth);
    struct token first = p->tok;
    struct constant a = expression(p, level + 1, depth);
    while (level_has(level, &p->tok)) {
        struct token op = p->tok;
        expect_no_single(p, &first);
        next_token(p);
        expect_no_single(p, &p->tok);
        a = operation(p, op.punct, a, expression(p, level + 1, depth), op.at);
    }
    if (level > 0 || !take_punct(p, '?'))
        return a;
    if (depth > MAX_DEPTH)
        ptx_error(p->src, p->tok.at, "an expression with more than %d levels", MAX_DEPTH);
    struct constant yes = expression(p, 0, depth + 1);
    expect_punct(p, ':', "between the two values of '?'");
    struct constant no = expression(p, 0, depth + 1);
    return is_true(a) ? yes : no;
}

struct constant parse_constant(struct parser *p) { return expression(p, 0, 0); }

static int64_t integer_of(struct parser *p, int level)
{
    uint32_t at = p->tok.at;
    struct constant c = expression(p, level, 0);
    if (is_float(c))
        ptx_error(p->src, at, "an integer belongs here");
    return (int64_t)c.bits;
}

int64_t parse_integer(struct parser *p) { return integer_of(p, 0); }
int64_t parse_factor(struct parser *p) { return integer_of(p, FACTOR_LEVEL); }

uint64_t constant_bits(struct parser *p, struct constant c, enum ptx_type type, uint32_t at)
{
    unsigned bits = ptx_types[type].bits;
    uint64_t mask = bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
    bool is_bits = ptx_types[type].kind == 'B';
    if (is_float(c) && !is_bits && ptx_types[type].kind != 'F')
        ptx_error(p->src, at, "a floating-point value where .%s belongs", ptx_types[type].name);
    if (!is_float(c) && ptx_types[type].kind == 'F')
        ptx_error(p->src, at, "an integer where .%s belongs; floating-point numbers have a point, as 1.0",
                  ptx_types[type].name);
    if (type == PT_F32 || type == PT_F64 || (type == PT_B32 && is_float(c) && c.kind != CONST_SINGLE)) {
        if ((type == PT_F32 && c.kind == CONST_SINGLE) || (type == PT_F64 && c.kind == CONST_DOUBLE))
            return c.bits;
        double d = as_double(c);
        float f = (float)d;
        uint32_t low;
        memcpy(&low, &f, sizeof low);
        memcpy(&c.bits, &d, sizeof d);
        return type == PT_F64 ? c.bits : low;
    }
    if (type == PT_PRED)
        return is_true(c);
    return c.bits & mask;
}
