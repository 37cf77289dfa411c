/* Words, numbers and registers in the assembler's text, and writing them to fields. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass/parser.h"

void asm_set(struct sass_parser *p, struct sass_bits b, uint64_t value) { sass_put(&p->word, b, value); }
void asm_set_bit(struct sass_parser *p, unsigned at) { sass_put(&p->word, SASS_BITS((uint8_t)at, 1), 1); }
void asm_set_value(struct sass_parser *p, struct sass_bits f, struct sass_bits g, uint64_t value)
{
    asm_set(p, f, value);
    asm_set(p, g, value >> f.width);
}

void asm_skip_space(struct sass_parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

bool asm_eat(struct sass_parser *p, const char *token)
{
    asm_skip_space(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n))
        return false;
    p->at += n;
    return true;
}

bool asm_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool asm_eat_word(struct sass_parser *p, const char *token)
{
    const char *start = p->at;
    if (asm_eat(p, token) && !asm_is_word(*p->at))
        return true;
    p->at = start;
    return false;
}

bool asm_separator(struct sass_parser *p)
{
    if (p->operands && !p->joined && !asm_eat(p, ","))
        return false;
    asm_skip_space(p);
    p->operands++;
    return true;
}

bool asm_read_number(struct sass_parser *p, uint64_t *value)
{
    asm_skip_space(p);
    if (!isdigit((unsigned char)*p->at))
        return false;
    char *end;
    *value = strtoull(p->at, &end, 0);
    p->at = end;
    return true;
}

bool asm_read_integer(struct sass_parser *p, unsigned width, enum sign sign, uint64_t *value)
{
    asm_skip_space(p);
    const char *start = p->at;
    bool negative = asm_eat(p, "-");
    if (!asm_read_number(p, value))
        return false;
    uint64_t half = 1ull << (width - 1), most = sign == SIGNED && width != 32 ? half - 1 : 2 * half - 1;
    uint64_t least = sign == UNSIGNED && width != 32 ? 0 : half;
    if (*value > (negative ? least : most)) {
        *p->beyond = (struct sass_beyond){start, width, sign == SIGNED};
        p->at = start;
        return false;
    }
    if (negative)
        *value = -*value & (2 * half - 1);
    return true;
}

bool asm_read_register(struct sass_parser *p, enum sass_file file, unsigned width, unsigned *r)
{
    static const char *const letters[] = {[FILE_GENERAL] = "R", [FILE_UNIFORM] = "UR", [FILE_BARRIER] = "B"};
    const char *start = p->at;
    const unsigned last = (1u << width) - 1, most = file == FILE_BARRIER ? last : last - 1;
    uint64_t n = last;
    if (asm_eat(p, letters[file]) &&
        ((file != FILE_BARRIER && *p->at == 'Z' && !asm_is_word(p->at[1]) && p->at++) ||
         (isdigit((unsigned char)*p->at) && asm_read_number(p, &n) && n <= most && !asm_is_word(*p->at)))) {
        *r = (unsigned)n;
        return true;
    }
    p->at = start;
    return false;
}

bool asm_read_predicate(struct sass_parser *p, bool uniform, unsigned *r)
{
    asm_skip_space(p);
    const char *at = p->at + (uniform ? 1 : 0);
    if (strncmp(p->at, uniform ? "UP" : "P", uniform ? 2 : 1) != 0)
        return false;
    if (!(at[1] == 'T' || (at[1] >= '0' && at[1] <= '6')) || asm_is_word(at[2]))
        return false;
    *r = at[1] == 'T' ? 7 : (unsigned)(at[1] - '0');
    p->at = at + 2;
    return true;
}

sass_values asm_match(struct sass_parser *p, const char *const *names, unsigned count, const char *lead)
{
    const char *start = p->at, *best = "";
    if (asm_eat(p, lead))
        for (unsigned v = 0; v < count; v++) {
            size_t n = names[v] ? strlen(names[v]) : 0;
            if (n > strlen(best) && !strncmp(p->at, names[v], n) && !asm_is_word(p->at[n]))
                best = names[v];
        }
    sass_values values = 0;
    for (unsigned v = 0; v < count; v++)
        if (names[v] && !strcmp(names[v], best))
            values |= SASS_VALUE(v);
    p->at = *best ? p->at + strlen(best) : start;
    return values;
}

unsigned asm_least(sass_values v)
{
    uint64_t low = (uint64_t)v;
    return (unsigned)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(v >> 64)));
}

bool asm_constrain(struct sass_parser *p, struct sass_bits f, struct sass_bits g, sass_values allowed)
{
    for (unsigned c = 0; c < p->constraint_count; c++) {
        struct sass_constraint *k = &p->constraints[c];
        if (!memcmp(&k->f, &f, sizeof f) && !memcmp(&k->g, &g, sizeof g))
            return (k->allowed &= allowed) != 0;
    }
    if (p->constraint_count == SASS_CONSTRAINTS || !allowed)
        return false;
    p->constraints[p->constraint_count++] = (struct sass_constraint){f, g, allowed};
    return true;
}
