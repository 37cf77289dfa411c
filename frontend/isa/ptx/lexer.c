#include "frontend/isa/ptx/lexer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_word(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static int hex_digit(int c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void lexer_start(struct lexer *l, struct ptx_source *src) { *l = (struct lexer){src, 0, 1, false}; }

static void skip_line(struct lexer *l)
{
    const char *text = l->src->text;
    while (l->pos < l->src->size && text[l->pos] != '\n')
        l->pos++;
}

static void skip_comment(struct lexer *l)
{
    const char *text = l->src->text;
    uint32_t start = l->pos;
    for (l->pos += 2; l->pos + 1 < l->src->size; l->pos++) {
        if (text[l->pos] == '*' && text[l->pos + 1] == '/') {
            l->pos += 2;
            return;
        }
        l->line += text[l->pos] == '\n';
    }
    ptx_error(l->src, start, "this comment has no end");
}

/* A line that a C preprocessor or an old debugger format adds: # 5 "file", @@DWARF ... */
static bool is_added_line(const char *s)
{
    if (*s == '@')
        return strncmp(s, "@@DWARF", 7) == 0;
    if (*s != '#')
        return false;
    while (*++s == ' ' || *s == '\t')
        ;
    return is_digit(*s);
}

/* Skips blanks, comments, and added lines. */
static void skip_blanks(struct lexer *l)
{
    const char *text = l->src->text;
    while (l->pos < l->src->size) {
        char c = text[l->pos], after = text[l->pos + 1];
        if (c == '\n')
            l->line++;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v')
            l->pos++;
        else if (c == '@' && l->without_dwarf && is_added_line(text + l->pos))
            ptx_error(l->src, l->pos, "@@DWARF is of versions before 2.0: debug data are in .section now");
        else if ((c == '/' && after == '/') || is_added_line(text + l->pos))
            skip_line(l);
        else if (c == '/' && after == '*')
            skip_comment(l);
        else
            return;
    }
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: exactly 8 and 16 hexadecimal digits. */
static bool raw_float(struct lexer *l, struct token *t)
{
    const char *s = l->src->text + l->pos;
    int kind = s[1] | 0x20;
    if (s[0] != '0' || (kind != 'f' && kind != 'd'))
        return false;
    unsigned wanted = kind == 'f' ? 8 : 16, n = 0;
    while (n < wanted && hex_digit(s[2 + n]) >= 0)
        t->value = t->value << 4 | (uint64_t)hex_digit(s[2 + n++]);
    if (n < wanted || is_word(s[2 + n]))
        ptx_error(l->src, l->pos, "0%c takes exactly %u hexadecimal digits", kind, wanted);
    t->kind = kind == 'f' ? TOK_SINGLE : TOK_DOUBLE;
    l->pos += 2 + wanted;
    return true;
}

/* The length of 1.5, 5., .5 or 1e3; 0: it is no such number. */
static unsigned decimal_length(const char *s)
{
    unsigned n = 0;
    while (is_digit(s[n]))
        n++;
    if (s[n] != '.' && (s[n] | 0x20) != 'e')
        return 0;
    if (s[n] == '.')
        for (n++; is_digit(s[n]); n++)
            ;
    if ((s[n] | 0x20) == 'e') {
        unsigned digits = n + 1 + (s[n + 1] == '+' || s[n + 1] == '-');
        if (is_digit(s[digits]))
            for (n = digits; is_digit(s[n]); n++)
                ;
    }
    return n;
}

static bool decimal_float(struct lexer *l, struct token *t)
{
    const char *s = l->src->text + l->pos;
    unsigned n = decimal_length(s);
    if (!n)
        return false;
    if (is_word(s[n]))
        ptx_error(l->src, l->pos, "this is no number");
    char *end, buffer[400];
    unsigned length = n < sizeof buffer - 1 ? n : (unsigned)sizeof buffer - 1;
    memcpy(buffer, s, length);
    buffer[length] = 0;
    errno = 0;
    double value = strtod(buffer, &end);
    if (errno == ERANGE)
        ptx_error(l->src, l->pos,
                  "this number is beyond the normal numbers of .f64: write its bits, as in 0d7ff0000000000000");
    memcpy(&t->value, &value, sizeof value);
    t->kind = TOK_FLOAT;
    l->pos += n;
    return true;
}

/* A number with a point and no digit before it. Words like .2d are none. */
static bool begins_with_point(const char *s) { return is_digit(s[1]) && !is_word(s[decimal_length(s)]); }

/* Of a number beyond 64 bits ptxas keeps the lower ones, but refuses one whose digits but the last need all 64. */
static void integer(struct lexer *l, struct token *t)
{
    const char *s = l->src->text + l->pos;
    unsigned base = 10, n = 0;
    if (s[0] == '0' && (s[1] | 0x20) == 'x')
        base = 16, n = 2;
    else if (s[0] == '0' && (s[1] | 0x20) == 'b')
        base = 2, n = 2;
    else if (s[0] == '0')
        base = 8, n = 1;
    unsigned first = base == 8 ? 0 : n;
    for (n = first;; n++) {
        int digit = hex_digit(s[n]);
        if (digit < 0 || (unsigned)digit >= base)
            break;
        if (t->value > INT64_MAX)
            ptx_error(l->src, l->pos, "this number does not fit in 64 bits");
        t->value = t->value * base + (unsigned)digit;
    }
    t->is_unsigned = s[n] == 'U' || t->value > INT64_MAX;
    unsigned digits = n - first;
    n += s[n] == 'U';
    if (digits && s[n] == 'u')
        ptx_error(l->src, l->pos + n, "the suffix of an unsigned number is 'U', not 'u'");
    if (digits == 0 || is_word(s[n]))
        ptx_error(l->src, l->pos, "this is no number");
    t->kind = TOK_INT;
    l->pos += n;
}

static void string(struct lexer *l, struct token *t)
{
    const char *text = l->src->text;
    uint32_t start = l->pos++;
    while (l->pos < l->src->size && text[l->pos] != '"' && text[l->pos] != '\n')
        l->pos += text[l->pos] == '\\' && l->pos + 1 < l->src->size ? 2 : 1;
    if (l->pos >= l->src->size || text[l->pos] != '"')
        ptx_error(l->src, start, "this string has no end");
    t->kind = TOK_STRING;
    t->text = text + start + 1;
    t->length = l->pos++ - start - 1;
}

static void dot_word(struct lexer *l, struct token *t)
{
    const char *s = l->src->text + l->pos + 1;
    unsigned n = 0;
    while (is_word(s[n]) || (n > 0 && s[n] == ':' && s[n + 1] == ':' && is_word(s[n + 2])))
        n += s[n] == ':' ? 2 : 1;
    if (n == 0)
        ptx_error(l->src, l->pos, "a name must follow the '.'");
    t->kind = TOK_DOT;
    t->text = s;
    t->length = n;
    l->pos += n + 1;
}

static void punctuation(struct lexer *l, struct token *t)
{
    static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    const char *s = l->src->text + l->pos;
    t->kind = TOK_PUNCT;
    t->punct = (unsigned char)s[0];
    if (!s[0] || !strchr("{}()[]<>,;:=+-*/%&|^~!?@", s[0]))
        ptx_error(l->src, l->pos, "a character that PTX does not have (0x%02x)", (unsigned char)s[0]);
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (s[0] == pairs[i][0] && s[1] == pairs[i][1])
            t->punct = (uint16_t)(pairs[i][0] << 8 | pairs[i][1]);
    t->length = t->punct > 0xff ? 2 : 1;
    l->pos += t->length;
}

struct token lexer_next(struct lexer *l)
{
    skip_blanks(l);
    const char *text = l->src->text;
    struct token t = {.at = l->pos, .line = l->line, .text = text + l->pos};
    char c = text[l->pos];
    if (l->pos >= l->src->size)
        return t;
    if (is_digit(c)) {
        if (!raw_float(l, &t) && ((c == '0' && (text[l->pos + 1] | 0x20) == 'x') || !decimal_float(l, &t)))
            integer(l, &t);
    } else if (is_word(c) || (c == '%' && is_word(text[l->pos + 1]))) {
        t.kind = TOK_NAME;
        for (t.length = 1; is_word(text[l->pos + t.length]); t.length++)
            ;
        if (t.length == 1 && c == '$')
            ptx_error(l->src, l->pos, "a name has more than a '$'");
        l->pos += t.length;
        return t;
    } else if (c == '.') {
        if (!begins_with_point(text + l->pos) || !decimal_float(l, &t)) {
            dot_word(l, &t);
            return t;
        }
    } else if (c == '"') {
        string(l, &t);
        return t;
    } else
        punctuation(l, &t);
    t.length = l->pos - t.at;
    return t;
}
