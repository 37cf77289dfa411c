#include "replay/base/option_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 9 /* digits of a fraction after the point: FRACTION_ONE is 10 to this power */

static bool is_list(const struct model_option *o) { return o->type == OPTION_INTEGERS || o->type == OPTION_FRACTIONS; }

static bool is_text(const struct model_option *o) { return o->type == OPTION_TEXT || o->type == OPTION_NAME; }

static size_t shortest(const struct model_option *o) { return (size_t)(o->initial & UINT32_MAX); }
static size_t longest(const struct model_option *o) { return (size_t)(o->initial >> 32); }

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool read_integer(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 0);
    const char suffixes[] = "KkMmGg", *suffix = *end ? strchr(suffixes, *end) : NULL;
    int shift = suffix ? 10 * (1 + (int)(suffix - suffixes) / 2) : 0;
    end += shift != 0;
    if (end == text || *end || errno || n > INT64_MAX >> shift || n < INT64_MIN >> shift)
        return false;
    *value = (int64_t)n * ((int64_t)1 << shift);
    return true;
}

/* "4KB": a number with a suffix that is no valid one. */
static bool has_other_suffix(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits && isalpha((unsigned char)text[digits]) && (text[digits + 1] || !strchr("KkMmGg", text[digits]));
}

/* Reads a decimal as one number and its decimal places: "12.50" is 125 with 1 place. NULL: no decimal, or too long. */
static const char *read_digits(const char *text, int64_t *digits, int *places)
{
    size_t whole = strspn(text, "0123456789"), behind = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    const char *end = text + whole + (text[whole] == '.') + behind;
    if (!whole && !behind)
        return NULL;
    while (behind && text[whole + behind] == '0')
        behind--;
    *digits = 0;
    for (size_t i = 0; i < whole + behind; i++) {
        int digit = text[i + (i >= whole)] - '0';
        if (*digits > (INT64_MAX - digit) / 10)
            return NULL;
        *digits = 10 * *digits + digit;
    }
    *places = (int)behind;
    return end;
}

/* With or without an exponent, as libconfig's 0.00001 is printed as 1e-05. */
static bool read_fraction(const char *text, int64_t *value)
{
    int64_t digits;
    int places;
    const char *end = read_digits(text + (*text == '-'), &digits, &places);
    char *behind = (char *)end;
    long exponent = end && (*end | 32) == 'e' ? strtol(end + 1, &behind, 10) : 0;
    if (!end || *behind || behind == end + 1 || exponent < -99 || exponent > 99)
        return false;
    for (exponent += PLACES - places; exponent < 0 && digits % 10 == 0 && digits; exponent++)
        digits /= 10;
    for (; exponent > 0 && digits && digits <= INT64_MAX / 10; exponent--)
        digits *= 10;
    *value = *text == '-' ? -digits : digits;
    return !exponent || !digits;
}

static void print_fraction(int64_t value, char *out, size_t size)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int n = snprintf(out, size, "%s%" PRIu64 ".%09" PRIu64, value < 0 ? "-" : "", magnitude / FRACTION_ONE,
                     magnitude % FRACTION_ONE);
    while (n > 0 && out[n - 1] == '0')
        out[--n] = 0;
    if (n > 0 && out[n - 1] == '.')
        out[n - 1] = 0;
}

static bool fractional(const struct model_option *o)
{
    return o->type == OPTION_FRACTION || o->type == OPTION_FRACTIONS;
}

static void print_number(const struct model_option *o, int64_t value, char out[32])
{
    if (fractional(o))
        print_fraction(value, out, 32);
    else
        snprintf(out, 32, "%" PRId64, value);
}

static bool parse_number(const struct model_option *o, const char *text, int64_t *value, char *why, size_t size)
{
    int64_t number;
    bool fraction = fractional(o), read = fraction ? read_fraction(text, &number) : read_integer(text, &number);
    if (read && number >= o->least && number <= o->most) {
        *value = number;
        return true;
    }
    char least[32], most[32];
    print_number(o, o->least, least);
    print_number(o, o->most, most);
    snprintf(why, size, "'%.40s' is not a %s from %s to %s%s%s%s", text, fraction ? "number" : "whole number", least,
             most, *o->unit ? " " : "", o->unit,
             fraction                 ? ", with at most 9 digits behind the point"
             : has_other_suffix(text) ? "; only K, M and G may stand behind it, for powers of 1024"
                                      : "");
    return false;
}

static bool parse_boolean(const char *text, int64_t *value)
{
    static const char *const words[][2] = {{"false", "true"}, {"0", "1"}, {"no", "yes"}, {"off", "on"}};
    for (size_t i = 0; i < MODEL_COUNT_OF(words); i++)
        for (int64_t v = 0; v < 2; v++)
            if (!strcmp(text, words[i][v])) {
                *value = v;
                return true;
            }
    return false;
}

static bool parse_choice(const struct model_option *o, const char *text, int64_t *value, char *why, size_t size)
{
    for (int64_t i = 0; o->names[i]; i++)
        if (!strcmp(text, o->names[i])) {
            *value = i;
            return true;
        }
    int n = snprintf(why, size, "'%.40s' is not one of", text);
    for (size_t i = 0; o->names[i] && n > 0 && (size_t)n < size; i++)
        n += snprintf(why + n, size - (size_t)n, "%s %s", i ? "," : "", o->names[i]);
    return false;
}

/* ---- lists and texts -------------------------------------------------------------------------------------------- */

/* "1,2,3", or "1/2/3" where commas separate values. Blanks before a number are skipped. */
static bool parse_list(const struct model_option *o, const char *text, int64_t *list, char *why, size_t size)
{
    int64_t numbers[OPTION_LONGEST_LIST];
    char number[48], about[160];
    size_t count = 0;
    for (const char *at = text; *text; at++) {
        at += strspn(at, " ");
        size_t n = strcspn(at, ",/");
        snprintf(number, sizeof number, "%.*s", (int)(n < 47 ? n : 47), at);
        if (count < longest(o) && !parse_number(o, number, &numbers[count], about, sizeof about)) {
            snprintf(why, size, "number %zu of the list: %s", count + 1, about);
            return false;
        }
        count++;
        at += n;
        if (!*at)
            break;
    }
    if (count < shortest(o) || count > longest(o)) {
        int n = snprintf(why, size, "%zu number%s given; there must be %zu", count, count == 1 ? " is" : "s are",
                         shortest(o));
        if (shortest(o) < longest(o))
            snprintf(why + n, size - (size_t)n, " to %zu", longest(o));
        return false;
    }
    *list = (int64_t)count;
    memcpy(list + 1, numbers, count * sizeof *numbers);
    return true;
}

/* What is wrong with the characters of a text or name; NULL: nothing is. */
static const char *wrong_character(const struct model_option *o, const char *text)
{
    bool name = o->type == OPTION_NAME;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c > 127)
            return "has a character that is not ASCII";
    if (name && *text && !isalpha((unsigned char)*text))
        return "does not begin with a letter";
    for (const char *c = text; *c; c++)
        if (!isprint((unsigned char)*c) || strchr(name ? "\"\\;" : " \"\\", *c))
            return name ? "has a character that is not allowed: a quote, backslash, semicolon, or one that cannot be "
                          "printed"
                        : "has a character that is not allowed: a space, quote, backslash, or one that cannot be "
                          "printed";
    return NULL;
}

static bool parse_text(const struct model_option *o, const char *text, char *to, char *why, size_t size)
{
    size_t length = strlen(text);
    const char *wrong = wrong_character(o, text);
    if (wrong) {
        snprintf(why, size, "'%.40s' %s", text, wrong);
        return false;
    }
    if (length < shortest(o) || length > longest(o)) {
        snprintf(why, size, "'%.40s' has %zu characters; there must be %zu to %zu", text, length, shortest(o),
                 longest(o));
        return false;
    }
    memcpy(to, text, length + 1);
    return true;
}

static void print_list(const struct model_option *o, const int64_t *list, char out[OPTION_PRINTED])
{
    size_t n = 0;
    char number[32];
    *out = 0;
    for (int64_t i = 0; i < *list; i++) {
        print_number(o, list[1 + i], number);
        n += (size_t)snprintf(out + n, OPTION_PRINTED - n, "%s%s", i ? "," : "", number);
    }
}

/* ---- any option ------------------------------------------------------------------------------------------------- */

bool option_parse(const struct model_option *o, const char *text, struct option_place place, char *why, size_t size)
{
    switch (o->type) {
    case OPTION_INTEGER:
    case OPTION_FRACTION: return parse_number(o, text, place.value, why, size);
    case OPTION_BOOLEAN:
        if (parse_boolean(text, place.value))
            return true;
        snprintf(why, size, "'%.40s' is neither true nor false", text);
        return false;
    case OPTION_CHOICE: return parse_choice(o, text, place.value, why, size);
    case OPTION_INTEGERS:
    case OPTION_FRACTIONS: return parse_list(o, text, place.base + *place.value, why, size);
    case OPTION_TEXT:
    case OPTION_NAME: return parse_text(o, text, (char *)(place.base + *place.value), why, size);
    }
    return false;
}

/* A whole number that is longer than any that can be read. */
static bool is_too_long(const char *text)
{
    size_t sign = *text == '-', digits = strspn(text + sign, "0123456789");
    const char *behind = text + sign + digits;
    return digits > 18 && (!*behind || (strchr("KkMmGg", *behind) && !behind[1]));
}

bool option_beyond_limits(const struct model_option *o, const char *text)
{
    struct model_option wide = *o;
    int64_t numbers[1 + OPTION_LONGEST_LIST];
    char unused[300];
    wide.least = INT64_MIN;
    wide.most = INT64_MAX;
    if (is_list(o))
        return parse_list(&wide, text, numbers, unused, sizeof unused);
    return (o->type == OPTION_INTEGER || o->type == OPTION_FRACTION) &&
           (is_too_long(text) || parse_number(&wide, text, numbers, unused, sizeof unused));
}

void option_print(const struct model_option *o, struct option_place place, char out[OPTION_PRINTED])
{
    switch (o->type) {
    case OPTION_INTEGER:
    case OPTION_FRACTION: print_number(o, *place.value, out); break;
    case OPTION_BOOLEAN: strcpy(out, *place.value ? "true" : "false"); break;
    case OPTION_CHOICE: snprintf(out, OPTION_PRINTED, "%s", o->names[*place.value]); break;
    case OPTION_INTEGERS:
    case OPTION_FRACTIONS: print_list(o, place.base + *place.value, out); break;
    case OPTION_TEXT:
    case OPTION_NAME: snprintf(out, OPTION_PRINTED, "%s", (const char *)(place.base + *place.value)); break;
    }
}

void option_print_initial(const struct model_option *o, char out[OPTION_PRINTED])
{
    int64_t initial = o->initial;
    if (is_list(o) || is_text(o))
        snprintf(out, OPTION_PRINTED, "%s", o->names[0]);
    else
        option_print(o, (struct option_place){&initial, NULL}, out);
}

void option_print_limits(const struct model_option *o, char out[OPTION_PRINTED])
{
    char least[32], most[32], length[32];
    size_t n = 0;
    print_number(o, o->least, least);
    print_number(o, o->most, most);
    snprintf(length, sizeof length, shortest(o) == longest(o) ? "%zu" : "%zu to %zu", shortest(o), longest(o));
    switch (o->type) {
    case OPTION_INTEGER:
    case OPTION_FRACTION: snprintf(out, OPTION_PRINTED, "%s..%s%s%s", least, most, *o->unit ? " " : "", o->unit); break;
    case OPTION_INTEGERS:
    case OPTION_FRACTIONS:
        snprintf(out, OPTION_PRINTED, "%s of %s..%s%s%s", length, least, most, *o->unit ? " " : "", o->unit);
        break;
    case OPTION_TEXT:
    case OPTION_NAME: snprintf(out, OPTION_PRINTED, "%s characters", length); break;
    case OPTION_BOOLEAN: strcpy(out, "true, false"); break;
    case OPTION_CHOICE:
        for (size_t i = 0; o->names[i] && n < OPTION_PRINTED; i++)
            n += (size_t)snprintf(out + n, OPTION_PRINTED - n, "%s%s", i ? ", " : "", o->names[i]);
    }
}

const char *option_begin(const struct model_option *o, struct option_place place, size_t *used, size_t room)
{
    char why[200];
    *place.value = o->initial;
    if (!is_list(o) && !is_text(o))
        return NULL;
    size_t words = 1 + (is_list(o) ? longest(o) : longest(o) / sizeof(int64_t));
    if (longest(o) > (is_list(o) ? OPTION_LONGEST_LIST : OPTION_LONGEST_TEXT) || words > room - *used)
        return "more or longer lists than there may be";
    *place.value = (int64_t)*used;
    *used += words;
    return option_parse(o, o->names[0], place, why, sizeof why) ? NULL : "its initial value is none";
}
