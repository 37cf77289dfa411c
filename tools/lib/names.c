#include "tools/lib/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/spelling.h"
#include "tools/lib/template_parameters.h"
#include "tools/ui/nearest.h"

/* A demangled C++ name (Itanium C++ ABI, 3.4), which the caller frees; NULL: the name is not mangled. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* The beginning of the name: behind the last blank outside of brackets if a return type comes first. */
static const char *without_return_type(const char *text, const char *end)
{
    const char *begin = text;
    int depth = 0;
    for (const char *c = text; c < end; c++) {
        depth += *c == '<' || *c == '(' ? 1 : *c == '>' || *c == ')' ? -1 : 0;
        begin = *c == ' ' && !depth ? c + 1 : begin;
    }
    return begin;
}

/* The parenthesis that opens the parameters: the first one outside of other brackets that does not belong to
 * "(anonymous namespace)" or "operator()". */
static const char *parameters(const char *text)
{
    int depth = 0;
    for (const char *c = text; *c; c++) {
        depth += strchr("<{", *c) ? 1 : strchr(">}", *c) ? -1 : 0;
        if (*c == '(' && !depth && strncmp(c, "(anonymous", 10) && strncmp(c, "()(", 3))
            return c;
    }
    return text + strlen(text);
}

/* The text behind the parameters. */
static const char *behind(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        if (!depth)
            return text + 1;
    }
    return text;
}

const char *plain_kernel_name(const char *name, char out[PLAIN_NAME])
{
    int status;
    char *whole = strncmp(name, "_Z", 2) ? NULL : __cxa_demangle(name, NULL, NULL, &status);
    if (whole) {
        const char *end = parameters(whole), *begin = without_return_type(whole, end), *rest = behind(end);
        snprintf(out, PLAIN_NAME, "%.*s%s", (int)(end - begin), begin, strncmp(rest, "::", 2) ? "" : rest);
    } else {
        snprintf(out, PLAIN_NAME, "%s", name);
    }
    free(whole);
    return out;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.'; }

/* Prints a word of n characters. "NAME_param_2" is a parameter in PTX: NAME alone is demangled. */
static void print_word(const char *word, size_t n, FILE *to)
{
    char name[4096], plain[PLAIN_NAME];
    if (strncmp(word, "_Z", 2) || n >= sizeof name) {
        fwrite(word, 1, n, to);
        return;
    }
    memcpy(name, word, n);
    name[n] = 0;
    char *parameter = strstr(name, "_param_"), *next;
    while (parameter && (next = strstr(parameter + 1, "_param_")))
        parameter = next;
    if (parameter)
        *parameter = 0;
    fputs(plain_kernel_name(name, plain), to);
    if (parameter)
        fprintf(to, "_%s", parameter + 1);
}

void print_plain_names(const char *text, FILE *to)
{
    const char *begin = text;
    for (size_t n; *text; text += n) {
        for (n = 0; in_word(text[n]);)
            n++;
        if (n && text > begin && text[-1] == '/') /* a file */
            fwrite(text, 1, n, to);
        else if (n)
            print_word(text, n, to);
        else
            putc(text[n++], to);
    }
}

void plain_error(struct rp_error *err)
{
    char *out = NULL;
    size_t size;
    FILE *to = strstr(err->text, "_Z") && !strstr(err->text, "has no kernel '_Z") ? open_memstream(&out, &size) : NULL;
    if (!to)
        return;
    print_plain_names(err->text, to);
    if (!fclose(to))
        snprintf(err->text, sizeof err->text, "%s", out);
    free(out);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* How names are compared: without blanks; also with all spellings of template arguments as one; or as NVIDIA's tools
 * print them, with T1, T2, ... for template arguments, and parameters behind names that have none. */
enum likeness { SAME_BUT_BLANKS, SAME_ARGUMENTS, SAME_INSTANCE };

/* Compares a name with the second one up to `end`. */
static bool same_but_blanks(const char *a, const char *b, const char *end)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        while (b < end && *b == ' ')
            b++;
        if (!*a || b == end)
            return !*a && b == end;
        if (*a != *b)
            return false;
    }
}

static bool same_arguments(const char *a, const char *b, const char *end)
{
    char *one = plain_spelling(a, a + strlen(a)), *other = plain_spelling(b, end);
    bool same = one && other && !strcmp(one, other);
    free(one);
    free(other);
    return same;
}

/* The given name may be meant as it stands, too: a type may be called T1. */
static bool same_instance(const char *a, const char *b, const char *end)
{
    char *one = plain_spelling(a, a + strlen(a)), *other = plain_spelling(b, end);
    char *expanded = one ? with_template_arguments(one) : NULL;
    char *whole = expanded ? plain_spelling(expanded, expanded + strlen(expanded)) : NULL;
    bool same = other && ((one && !strcmp(one, other)) || (whole && !strcmp(whole, other)));
    free(one);
    free(other);
    free(expanded);
    free(whole);
    return same;
}

/* The parts of a demangled name: "ns::" scope, identifier, "<...>" template arguments, "(...)" parameters. */
struct parts {
    const char *begin, *identifier, *arguments, *parameters, *end;
};

static struct parts take_apart(const char *whole)
{
    struct parts p = {.parameters = parameters(whole), .end = whole + strlen(whole)};
    int depth = 0;
    p.begin = p.identifier = without_return_type(whole, p.parameters);
    for (const char *c = p.begin; c < p.parameters; c++) {
        depth += strchr("<({", *c) ? 1 : strchr(">)}", *c) ? -1 : 0;
        if (!depth && !strncmp(c, "::", 2))
            p.identifier = c + 2;
    }
    size_t n = strcspn(p.identifier, "<");
    p.arguments = p.identifier + n < p.parameters ? p.identifier + n : p.parameters;
    return p;
}

/* A name that is not mangled, of an extern "C" kernel, with parameters behind it: "scale(int *)". */
static bool is_with_parameters(const char *name, const char *given)
{
    const char *p = parameters(given);
    return *p == '(' && p[strlen(p) - 1] == ')' && !*behind(p) && same_but_blanks(name, given, p);
}

/* Whether the given name matches from the return type, `begin` or the identifier on, with or without parameters and
 * template arguments. */
static bool is_meant(const char *mangled, const char *given, enum likeness likeness)
{
    static bool (*const alike[])(const char *, const char *, const char *) = {
        [SAME_BUT_BLANKS] = same_but_blanks, [SAME_ARGUMENTS] = same_arguments, [SAME_INSTANCE] = same_instance};
    int status;
    char *whole = strncmp(mangled, "_Z", 2) ? NULL : __cxa_demangle(mangled, NULL, NULL, &status);
    if (!whole)
        return likeness == SAME_INSTANCE && is_with_parameters(mangled, given);
    struct parts p = take_apart(whole);
    const char *from[] = {whole, p.begin, p.identifier}, *to[] = {p.arguments, p.parameters, p.end};
    bool same = false;
    for (int i = 0; i < 9 && !same; i++)
        same = alike[likeness](given, from[i / 3], to[i % 3]);
    free(whole);
    return same;
}

/* The names that a user may type: as in the source, with parameters where two names would be equal. The caller frees
 * them. */
static char *written(const char *const *names, size_t count, size_t which)
{
    char plain[PLAIN_NAME], other[PLAIN_NAME];
    bool alone = true;
    int status;
    plain_kernel_name(names[which], plain);
    for (size_t i = 0; i < count; i++)
        alone &= i == which || strcmp(plain, plain_kernel_name(names[i], other));
    char *whole = alone ? NULL : __cxa_demangle(names[which], NULL, NULL, &status);
    return whole ? whole : strdup(plain);
}

/* Prints "a, b, c": the kernels that `given` matches, all with NULL, as many as fit. */
static void list_names(const char *const *names, size_t count, const char *given, enum likeness likeness, char *out,
                       size_t room)
{
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; i < count && n < room; i++) {
        char *name = !given || is_meant(names[i], given, likeness) ? written(names, count, i) : NULL;
        if (name)
            n += (size_t)snprintf(out + n, room - n, "%s%s", n ? ", " : "", name);
        free(name);
    }
    if (n >= room)
        memcpy(out + room - 4, "...", 4);
}

/* The nearest name, as it was given: the identifier alone, or all of it. */
static bool similar(const char *const *names, size_t count, const char *given, char near[PLAIN_NAME])
{
    for (size_t i = 0; i < count; i++) {
        const char *identifier = take_apart(plain_kernel_name(names[i], near)).identifier;
        char word[PLAIN_NAME];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(identifier, "<"), identifier);
        const char *all[] = {near, word, names[i]};
        const char *best = nearest_name(given, all, 3);
        if (!best)
            continue;
        if (best != near)
            snprintf(near, PLAIN_NAME, "%s", best);
        return true;
    }
    return false;
}

static size_t count_meant(const char *const *names, size_t count, const char *given, enum likeness likeness,
                          size_t *first)
{
    size_t meant = 0;
    for (size_t i = 0; i < count; i++)
        if (is_meant(names[i], given, likeness) && !meant++)
            *first = i;
    return meant;
}

/* Refuses a name whose kernels have other parameters, and shows these. False: there are none. */
static bool refuse_parameters(const char *file, const char *const *names, size_t count, const char *given,
                              struct rp_error *err)
{
    char list[600], *name = strndup(given, (size_t)(parameters(given) - given));
    size_t meant = 0, first = 0;
    int status;
    enum likeness likeness = SAME_BUT_BLANKS;
    while (name && *parameters(given) && !(meant = count_meant(names, count, name, likeness, &first)) &&
           likeness < SAME_INSTANCE)
        likeness++;
    char *whole = meant == 1 ? __cxa_demangle(names[first], NULL, NULL, &status) : NULL;
    if (whole)
        rp_fail(err, RP_BAD_INPUT, "%s has no kernel '%.100s'; did you mean '%.600s'?", file, given, whole);
    if (meant > 1) {
        list_names(names, count, name, likeness, list, sizeof list);
        rp_fail(err, RP_BAD_INPUT, "%s has no kernel '%.100s'; it has: %s", file, given, list);
    }
    free(name);
    free(whole);
    return meant > 1 || whole;
}

/* Lists the kernels that have this name with other template arguments; all kernels if there are none. */
static void refuse_name(const char *file, const char *const *names, size_t count, const char *given,
                        struct rp_error *err)
{
    char list[600], *name = strndup(given, strcspn(given, "<"));
    size_t first;
    bool others = name && count_meant(names, count, name, SAME_BUT_BLANKS, &first);
    list_names(names, count, others ? name : NULL, SAME_BUT_BLANKS, list, sizeof list);
    rp_fail(err, RP_BAD_INPUT, "%s has no kernel '%.100s'; it has: %s", file, given, list);
    free(name);
}

const char *choose_kernel(const char *file, const char *const *names, size_t count, const char *given,
                          struct rp_error *err)
{
    size_t meant = 0, first = 0;
    enum likeness likeness = SAME_BUT_BLANKS;
    char near[PLAIN_NAME], list[600];
    for (size_t i = 0; given && i < count; i++)
        if (!strcmp(names[i], given))
            return names[i];
    while (given && !(meant = count_meant(names, count, given, likeness, &first)) && likeness < SAME_INSTANCE)
        likeness++;
    if (meant == 1 || (!given && count == 1))
        return names[first];
    list_names(names, count, meant ? given : NULL, likeness, list, sizeof list);
    if (!count)
        rp_fail(err, RP_BAD_INPUT, "%s has no kernel", file);
    else if (!given)
        rp_fail(err, RP_BAD_INPUT, "%s has several kernels; name one with --kernel: %s", file, list);
    else if (meant)
        rp_fail(err, RP_USAGE, "%zu kernels of %s are called '%.100s'; name one of: %s", meant, file, given, list);
    else if (refuse_parameters(file, names, count, given, err))
        return NULL;
    else if (similar(names, count, given, near))
        rp_fail(err, RP_BAD_INPUT, "%s has no kernel '%.100s'; did you mean '%s'?", file, given, near);
    else
        refuse_name(file, names, count, given, err);
    return NULL;
}

const char *dimensions(const uint32_t d[3], char text[40])
{
    int n = snprintf(text, 40, "%" PRIu32, d[0]);
    if (d[1] != 1 || d[2] != 1)
        n += snprintf(text + n, 40 - (size_t)n, "x%" PRIu32, d[1]);
    if (d[2] != 1)
        snprintf(text + n, 40 - (size_t)n, "x%" PRIu32, d[2]);
    return text;
}
