/* Tokens of PTX text (PTX ISA, "Syntax"). */
#ifndef REPRISE_FRONTEND_ISA_PTX_LEXER_H
#define REPRISE_FRONTEND_ISA_PTX_LEXER_H

#include <stdbool.h>

#include "frontend/isa/ptx/source.h"

enum token_kind {
    TOK_END,
    TOK_NAME,   /* add, %r1, $L__BB0_1, _Z3foo, _ */
    TOK_DOT,    /* .global, .shared::cta, .x: text without the dot */
    TOK_INT,    /* value; is_unsigned with suffix U or when only an unsigned 64-bit integer holds it */
    TOK_FLOAT,  /* decimal: value holds the double's bits */
    TOK_SINGLE, /* 0fXXXXXXXX: value holds the 32 bits */
    TOK_DOUBLE, /* 0dXXXXXXXXXXXXXXXX: value holds the 64 bits */
    TOK_STRING, /* text between the quotes, escapes as written */
    TOK_PUNCT,  /* one or two characters, in `punct`: '{', or '<'<<8|'<' for << */
};

struct token {
    enum token_kind kind;
    bool is_unsigned;
    uint16_t punct;
    uint32_t at, length; /* of text, in bytes of the source */
    const char *text;
    uint32_t line;
    uint64_t value;
};

struct lexer {
    struct ptx_source *src;
    uint32_t pos, line;
    bool without_dwarf; /* lines of @@DWARF are errors: from version 2.0 on */
};

void lexer_start(struct lexer *, struct ptx_source *);
struct token lexer_next(struct lexer *);
static inline bool token_is(const struct token *t, const char *text)
{
    return __builtin_strlen(text) == t->length && __builtin_memcmp(t->text, text, t->length) == 0;
}

#endif
