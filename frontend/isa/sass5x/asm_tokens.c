/* Words, numbers and registers of the assembler's text, and the fields that they are written to. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass5x/parser.h"

void asm_set(struct parser *p, struct sass_bits b, uint64_t value)
{
    p->word |= (value & ((1ull << b.width) - 1)) << b.at;
}
void asm_set_bit(struct parser *p, unsigned at) { p->word |= 1ull << at; }
void asm_set_value(struct parser *p, struct sass_bits f, struct sass_bits g, uint64_t value)
{
    asm_set(p, f, value);
    asm_set(p, g, value >> f.width);
}

void asm_skip_space(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

bool asm_eat(struct parser *p, const char *token)
{
    asm_skip_space(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n))
        return false;
    p->at += n;
    return true;
}

bool asm_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool asm_eat_word(struct parser *p, const char *token)
{
    const char *start = p->at;
    if (asm_eat(p, token) && !asm_is_word(*p->at))
        return true;
    p->at = start;
    return false;
}

bool asm_separator(struct parser *p)
{
    if (p->operands && !asm_eat(p, ","))
        return false;
    asm_skip_space(p);
    p->operands++;
    return true;
}

bool asm_read_number(struct parser *p, uint64_t *value)
{
    asm_skip_space(p);
    if (!isdigit((unsigned char)*p->at))
        return false;
    char *end;
    *value = strtoull(p->at, &end, 0);
    p->at = end;
    return true;
}

bool asm_read_integer(struct parser *p, unsigned width, enum sign sign, uint64_t *value)
{
    asm_skip_space(p);
    const char *start = p->at;
    bool negative = asm_eat(p, "-");
    if (!asm_read_number(p, value))
        return false;
    uint64_t half = 1ull << (width - 1), most = sign == SIGNED && width < 32 ? half - 1 : 2 * half - 1;
    uint64_t least = sign == UNSIGNED && width < 32 ? 0 : half;
    if (*value > (negative ? least : most)) {
        *p->beyond = (struct beyond){start, width, sign == SIGNED};
        p->at = start;
        return false;
    }
    if (negative)
        *value = -*value & (2 * half - 1);
    return true;
}

bool asm_read_register(struct parser *p, unsigned *r)
{
    if (asm_eat_word(p, "RZ")) {
        *r = 255;
        return true;
    }
    asm_skip_space(p);
    if (p->at[0] != 'R' || !isdigit((unsigned char)p->at[1]))
        return false;
    uint64_t n;
    p->at++;
    if (!asm_read_number(p, &n) || n > 254 || asm_is_word(*p->at))
        return false;
    *r = (unsigned)n;
    return true;
}

bool asm_read_predicate(struct parser *p, unsigned *r)
{
    asm_skip_space(p);
    if (p->at[0] != 'P' || asm_is_word(p->at[2]) || !(p->at[1] == 'T' || (p->at[1] >= '0' && p->at[1] <= '6')))
        return false;
    *r = p->at[1] == 'T' ? 7 : (unsigned)(p->at[1] - '0');
    p->at += 2;
    return true;
}

uint64_t asm_match(struct parser *p, const char *const *names, unsigned count, const char *lead)
{
    const char *start = p->at, *best = "";
    if (asm_eat(p, lead))
        for (unsigned v = 0; v < count; v++) {
            size_t n = names[v] ? strlen(names[v]) : 0;
            if (n > strlen(best) && !strncmp(p->at, names[v], n) && !asm_is_word(p->at[n]))
                best = names[v];
        }
    uint64_t values = 0;
    for (unsigned v = 0; v < count; v++)
        if (names[v] && !strcmp(names[v], best))
            values |= 1ull << v;
    p->at = *best ? p->at + strlen(best) : start;
    return values;
}

bool asm_constrain(struct parser *p, struct sass_bits f, struct sass_bits g, uint64_t allowed)
{
    for (unsigned c = 0; c < p->constraint_count; c++) {
        struct constraint *k = &p->constraints[c];
        if (!memcmp(&k->f, &f, sizeof f) && !memcmp(&k->g, &g, sizeof g))
            return (k->allowed &= allowed) != 0;
    }
    if (p->constraint_count == CONSTRAINTS || !allowed)
        return false;
    p->constraints[p->constraint_count++] = (struct constraint){f, g, allowed};
    return true;
}
