#include "tools/lib/spelling.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONST = 1, VOLATILE = 2, MOST_LEVELS = 64 };

/* The text that is read, and the word that was printed last. */
struct text {
    const char *at, *end;
    FILE *to;
    char last;
    unsigned level;                     /* of <> */
    unsigned char waiting[MOST_LEVELS]; /* by level: qualifiers of the present type, printed behind it */
};

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static void print(struct text *t, const char *what, size_t n)
{
    if (!n)
        return;
    if (in_word(t->last) && in_word(*what))
        putc(' ', t->to);
    fwrite(what, 1, n, t->to);
    t->last = what[n - 1];
}

static void print_number(struct text *t, unsigned long long value)
{
    char digits[24];
    print(t, digits, (size_t)snprintf(digits, sizeof digits, "%llu", value));
}

static void skip_blanks(struct text *t)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
}

static size_t word_length(const struct text *t)
{
    size_t n = 0;
    while (t->at + n < t->end && in_word(t->at[n]))
        n++;
    return n;
}

static bool begins_argument(const struct text *t) { return t->last == '<' || t->last == ','; }

/* ---- integer types: "long unsigned int" is unsigned long --------------------------------------------------------- */

enum { TYPE_UNSIGNED, TYPE_SIGNED, TYPE_CHAR, TYPE_SHORT, TYPE_INT, TYPE_LONG, TYPE_WORDS };
static const char *const type_words[TYPE_WORDS] = {"unsigned", "signed", "char", "short", "int", "long"};

static int type_word(const struct text *t)
{
    size_t n = word_length(t);
    for (int i = 0; i < TYPE_WORDS; i++)
        if (n == strlen(type_words[i]) && !memcmp(t->at, type_words[i], n))
            return i;
    return -1;
}

/* Reads the words of an integer type, if they stand here. */
static bool take_type(struct text *t)
{
    unsigned count[TYPE_WORDS] = {0};
    int word, words = 0;
    for (; (word = type_word(t)) >= 0; words++, skip_blanks(t)) {
        t->at += strlen(type_words[word]);
        count[word]++;
    }
    if (!words)
        return false;
    if (count[TYPE_UNSIGNED] || (count[TYPE_SIGNED] && count[TYPE_CHAR])) /* signed char is not char */
        print(t, type_words[!count[TYPE_UNSIGNED]], strlen(type_words[!count[TYPE_UNSIGNED]]));
    if (count[TYPE_CHAR])
        print(t, "char", 4);
    if (count[TYPE_SHORT])
        print(t, "short", 5);
    for (unsigned i = 0; i < count[TYPE_LONG]; i++)
        print(t, "long", 4);
    if (!count[TYPE_CHAR] && !count[TYPE_SHORT] && !count[TYPE_LONG])
        print(t, "int", 3);
    return true;
}

/* ---- qualifiers: "const float *" is float const* ----------------------------------------------------------------- */

static bool take_qualifier(struct text *t)
{
    size_t n = word_length(t);
    unsigned which = n == 5 && !memcmp(t->at, "const", n)      ? CONST
                     : n == 8 && !memcmp(t->at, "volatile", n) ? VOLATILE
                                                               : 0;
    if (!which || t->level >= MOST_LEVELS)
        return false;
    t->waiting[t->level] |= (unsigned char)which;
    t->at += n;
    return true;
}

/* Prints the qualifiers that wait, where a type may have ended. */
static void print_qualifiers(struct text *t)
{
    if (t->level >= MOST_LEVELS)
        return;
    if (t->waiting[t->level] & CONST)
        print(t, "const", 5);
    if (t->waiting[t->level] & VOLATILE)
        print(t, "volatile", 8);
    t->waiting[t->level] = 0;
}

static void take_sign(struct text *t)
{
    if (strchr("*&,>()[", *t->at))
        print_qualifiers(t);
    t->level += *t->at == '<';
    t->level -= *t->at == '>' && t->level;
    print(t, t->at++, 1);
}

/* Reads "&(ns::function(int))", which some write for &ns::function. */
static bool take_address(struct text *t)
{
    if (t->end - t->at < 3 || t->at[0] != '&' || t->at[1] != '(' || !begins_argument(t))
        return false;
    const char *name = t->at + 2, *parameters = memchr(name, '(', (size_t)(t->end - name)), *c = parameters;
    int depth = 1;
    while (c && depth && ++c < t->end)
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    if (!c || c + 1 >= t->end || c[1] != ')')
        return false;
    print(t, "&", 1);
    print(t, name, (size_t)(parameters - name));
    t->at = c + 2;
    return true;
}

/* ---- what NVIDIA's demangler writes in another way --------------------------------------------------------------- */

/* Reads `word` if the text goes on with it. */
static bool take(struct text *t, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n))
        return false;
    t->at += n;
    return true;
}

/* "<unnamed>" is "(anonymous namespace)", and "[lambda(int) (instance 2)]" is "{lambda(int)#2}". */
static bool take_foreign(struct text *t)
{
    if (take(t, "<unnamed>"))
        print(t, "(anonymous namespace)", 21);
    else if (take(t, "[lambda("))
        print(t, "{lambda(", 8);
    else if (t->last == ')' && take(t, "(instance ")) {
        print(t, "#", 1);
        print(t, t->at, word_length(t));
        t->at += word_length(t);
        if (take(t, ")]"))
            print(t, "}", 1);
    } else
        return false;
    return true;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* Skips the type of a constant: "(ns::Kind)" before a number or a character. */
static bool take_cast(struct text *t)
{
    const char *c = t->at;
    int depth = 0;
    if (*c != '(' || !begins_argument(t))
        return false;
    do
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    while (++c < t->end && depth);
    while (c < t->end && *c == ' ')
        c++;
    const char *value = c < t->end && *c == '-' ? c + 1 : c;
    if (value >= t->end || !(isdigit((unsigned char)*value) || *value == '\''))
        return false;
    t->at = c;
    return true;
}

/* Reads a character constant, such as 'a', '\n' or '\x41', and prints its code. */
static bool take_character(struct text *t)
{
    static const char escapes[] = "n\nt\tr\ra\ab\bf\fv\v\\\\''\"\"??";
    const char *c = t->at + 1;
    char *behind;
    unsigned long code;
    if (*t->at != '\'' || c >= t->end)
        return false;
    if (*c != '\\')
        code = (unsigned char)*c, behind = (char *)c + 1;
    else if (*++c == 'x')
        code = strtoul(c + 1, &behind, 16);
    else if (isdigit((unsigned char)*c))
        code = strtoul(c, &behind, 8);
    else {
        const char *e = escapes;
        while (*e && *e != *c)
            e += 2;
        if (!*e)
            return false;
        code = (unsigned char)e[1], behind = (char *)c + 1;
    }
    if (behind >= t->end || *behind != '\'')
        return false;
    t->at = behind + 1;
    print_number(t, code);
    return true;
}

/* Prints an integer in decimal. A word that is no integer stays as it is. */
static bool take_number(struct text *t)
{
    char *behind;
    size_t n = word_length(t);
    if (!isdigit((unsigned char)*t->at))
        return false;
    unsigned long long value = strtoull(t->at, &behind, 0);
    behind += strspn(behind, "uUlL");
    if (behind == t->at + n)
        print_number(t, value);
    else
        print(t, t->at, n);
    t->at += n;
    return true;
}

static void take_word(struct text *t)
{
    size_t n = word_length(t);
    const char *word = t->at;
    t->at += n;
    if (begins_argument(t) && n == 4 && !memcmp(word, "true", n))
        print_number(t, 1);
    else if (begins_argument(t) && n == 5 && !memcmp(word, "false", n))
        print_number(t, 0);
    else
        print(t, word, n);
}

char *plain_spelling(const char *from, const char *end)
{
    char *out = NULL;
    size_t size;
    struct text t = {.at = from, .end = end, .to = open_memstream(&out, &size)};
    if (!t.to)
        return NULL;
    for (skip_blanks(&t); t.at < t.end; skip_blanks(&t)) {
        if (take_foreign(&t) || take_cast(&t) || take_character(&t) || take_address(&t) || take_qualifier(&t) ||
            take_type(&t) || take_number(&t))
            continue;
        if (in_word(*t.at))
            take_word(&t);
        else
            take_sign(&t);
    }
    print_qualifiers(&t);
    if (fclose(t.to) == 0)
        return out;
    free(out);
    return NULL;
}
