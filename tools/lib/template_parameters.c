#include "tools/lib/template_parameters.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 16, MOST_LEVELS = 64, MOST_PARAMETERS = 999 };

/* A range of the new text: template arguments without their brackets. */
struct list {
    size_t from, to;
    bool known;
};

/* An open bracket. */
struct level {
    char bracket;
    size_t begin;      /* what follows it in the new text */
    struct list named; /* what T1, T2, ... mean within */
};

struct expansion {
    const char *at; /* what is read */
    char *text;     /* the new text, MOST_TEXT characters */
    size_t size;
    struct level levels[MOST_LEVELS];
    size_t level;
    struct list last; /* the list of template arguments that was closed last */
};

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static bool put(struct expansion *x, const char *what, size_t n)
{
    if (n >= MOST_TEXT - x->size)
        return false;
    memmove(x->text + x->size, what, n);
    x->size += n;
    return true;
}

/* 1: the character opens a bracket, -1: it closes one, 0: it does neither, as in "->". */
static int bracket(char c, char before)
{
    return strchr("<([{", c) ? 1 : strchr(")]}", c) || (c == '>' && before != '-') ? -1 : 0;
}

static char last_of(const struct expansion *x) { return x->size ? x->text[x->size - 1] : 0; }

static bool take_bracket(struct expansion *x)
{
    char c = *x->at++;
    struct level *top = &x->levels[x->level];
    if (bracket(c, 0) > 0) {
        if (++x->level == MOST_LEVELS)
            return false;
        top[1] = (struct level){c, x->size + 1, c == '(' && last_of(x) == '>' ? x->last : top->named};
    } else if (x->level) {
        if (c == '>' && top->bracket == '<')
            x->last = (struct list){top->begin, x->size, true};
        x->level--;
    }
    return put(x, &c, 1);
}

/* The end of the argument that begins at `from`. */
static size_t argument_end(const char *text, size_t from, size_t to)
{
    int depth = 0;
    for (; from < to && (depth || text[from] != ','); from++)
        depth += bracket(text[from], from ? text[from - 1] : 0);
    return from;
}

static size_t argument_count(const char *text, const struct list *of)
{
    size_t n = of->from < of->to;
    for (size_t at = of->from; (at = argument_end(text, at, of->to)) < of->to; at++)
        n++;
    return n;
}

/* Prints argument number n from 1 on, or with `rest` all from there on. False: there is none, or no room. */
static bool put_argument(struct expansion *x, const struct list *of, size_t n, bool rest)
{
    size_t from = of->from, count = argument_count(x->text, of);
    if (rest && n == count + 1) { /* none, and so no comma before them */
        x->size -= last_of(x) == ',';
        return true;
    }
    if (n > count)
        return false;
    for (; n > 1; n--)
        from = argument_end(x->text, from, of->to) + 1;
    return put(x, x->text + from, (rest ? of->to : argument_end(x->text, from, of->to)) - from);
}

static bool take_word(struct expansion *x)
{
    const struct list *named = &x->levels[x->level].named;
    const char *word = x->at, before = last_of(x);
    char *behind;
    while (in_word(*x->at))
        x->at++;
    size_t n = *word == 'T' && isdigit((unsigned char)word[1]) ? strtoul(word + 1, &behind, 10) : 0;
    if (named->known && before != ':' && n && n <= MOST_PARAMETERS && behind == x->at) {
        bool rest = !strncmp(x->at, "...", 3);
        if (put_argument(x, named, n, rest)) {
            x->at += rest ? 3 : 0;
            return true;
        }
    }
    return put(x, word, (size_t)(x->at - word));
}

char *with_template_arguments(const char *plain)
{
    struct expansion x = {.at = plain, .text = malloc(MOST_TEXT)};
    bool fine = x.text;
    while (fine && *x.at)
        fine = in_word(*x.at) ? take_word(&x) : bracket(*x.at, last_of(&x)) ? take_bracket(&x) : put(&x, x.at++, 1);
    if (fine) {
        x.text[x.size] = 0;
        return x.text;
    }
    free(x.text);
    return NULL;
}
