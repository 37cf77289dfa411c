#include "tools/asm/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]);)
        s[--n] = 0;
    return s;
}

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* ---- words --------------------------------------------------------------------------------------------------------
 */

/* Whether the line is a comment that holds nothing but a word. */
static bool is_word(const char *s, unsigned bytes, struct isa_word *word)
{
    const char *end = begins(s, "/* ") ? isa_word_read(s + 3, bytes, word) : NULL;
    return end && begins(end, " */") && !end[3 + strspn(end + 3, " \t\r")];
}

/* The 64 bits of a comment at the end of a line, as their digits; NULL: it has no such comment. */
static const char *half_word(const char *line)
{
    static const char before[] = "/* 0x", after[] = " */";
    enum { DIGITS = 16 };
    const char *end = line + strcspn(line, "\r\n"), *at = NULL;
    for (const char *s = line; (s = strstr(s, before)) && s < end; s++)
        at = s + strlen(before);
    bool whole = at && strspn(at, "0123456789abcdef") == DIGITS && begins(at + DIGITS, after);
    return whole && at + DIGITS + strspn(at + DIGITS, " */\t") == end ? at : NULL;
}

/* NVIDIA's listings have words of 128 bits in two lines, the upper half in a line of its own. Takes it from the next
 * line. */
static void take_upper_half(struct listing_reader *r, const char *comment, struct isa_word *word)
{
    enum { WIDE = 16 };
    char *next = r->next;
    if (r->word_bytes != WIDE || !half_word(comment) || !next || !begins(next + strspn(next, " \t"), "/* 0x") ||
        !half_word(next))
        return;
    word->hi = strtoull(half_word(next), NULL, WIDE);
    char *end = strchr(next, '\n');
    r->next = end ? end + 1 : NULL;
    r->line++;
}

/* nvdisasm writes the last of the instructions that issue together with a brace, and its word on a line of its own,
 * perhaps behind labels and directives. Takes that word, and leaves an empty line there. */
static void take_word_behind(struct listing_reader *r, struct listing_line *l)
{
    for (char *s = r->next; s && *s; s = strchr(s, '\n'), s = s ? s + 1 : NULL) {
        char *at = s + strspn(s, " \t");
        size_t length = strcspn(at, "\r\n");
        char *copy = strndup(at, length);
        l->has_word = copy && is_word(copy, r->word_bytes, &l->word);
        free(copy);
        if (l->has_word)
            memset(at, ' ', length);
        bool apart = !length || *at == '.' || at[length - 1] == ':' || begins(at, "//");
        if (l->has_word || !apart)
            return;
    }
}

/* ---- instructions -------------------------------------------------------------------------------------------------
 */

/* Takes nvdisasm's notes out, such as (*"INDIRECT_CALL"*). */
static void cut_notes(char *text)
{
    for (char *s; (s = strstr(text, "(*\""));) {
        char *end = strstr(s, "\"*)");
        if (!end)
            return;
        memmove(s, end + 3, strlen(end + 3) + 1);
    }
}

/* Whether a comment begins that does not end in its line. */
static bool is_open(const char *s)
{
    while ((s = strstr(s, "/*")))
        if (!(s = strstr(s + 2, "*/")))
            return true;
    return false;
}

static void read_instruction(struct listing_reader *r, char *s, struct listing_line *l)
{
    l->kind = LINE_INSTRUCTION;
    s += *s == '{';
    cut_notes(s);
    char *end = strchr(s, ';');
    bool brace = !end;
    if (brace)
        end = strrchr(s, '}');
    if (!end) {
        l->kind = LINE_UNFINISHED;
        return;
    }
    *end = 0;
    l->text = trim(s);
    if (is_open(end + 1))
        l->kind = LINE_COMMENT;
    const char *comment = end + 1 + strspn(end + 1, " \t");
    l->has_word = begins(comment, "/* ") && isa_word_read(comment + 3, r->word_bytes, &l->word);
    if (l->has_word)
        take_upper_half(r, comment, &l->word);
    else if (brace)
        take_word_behind(r, l);
}

/* ---- lines --------------------------------------------------------------------------------------------------------
 */

/* ".section .text.NAME,...": code, or not. */
static void read_section(char *s, struct listing_line *l)
{
    static const char code[] = ".text.";
    l->kind = LINE_FUNCTION;
    l->name = NULL;
    s = trim(s);
    s[strcspn(s, ", \t")] = 0;
    if (begins(s, code))
        l->name = s + strlen(code);
}

/* nvdisasm names the architecture in a word of the flags only: EF_CUDA_SM62. */
static bool read_flags(char *s, struct listing_line *l)
{
    static const char flag[] = " EF_CUDA_SM";
    char *at = strstr(s, flag), *name = at ? at + strlen(flag) : NULL;
    if (!name || !isdigit((unsigned char)*name))
        return false;
    bool accelerators = strstr(s, "EF_CUDA_ACCELERATORS");
    size_t digits = strspn(name, "0123456789");
    name[digits] = accelerators ? 'a' : 0;
    name[digits + accelerators] = 0;
    l->name = name - 3; /* in the place of what stands before it */
    memcpy(l->name, "sm_", 3);
    l->kind = LINE_FLAGS;
    return true;
}

static bool is_label(const char *s)
{
    size_t n = strlen(s);
    return n > 1 && s[n - 1] == ':' && !strpbrk(s, " \t;/");
}

static void read_dotted(char *s, struct listing_line *l)
{
    static const char target[] = ".target";
    if (begins(s, target) && isspace((unsigned char)s[strlen(target)])) {
        l->kind = LINE_TARGET;
        l->name = trim(s + strlen(target));
        return;
    }
    if (begins(s, ".section") && isspace((unsigned char)s[strlen(".section")])) {
        read_section(s + strlen(".section"), l);
        return;
    }
    if (begins(s, ".headerflags") && read_flags(s, l))
        return;
    l->kind = LINE_DIRECTIVE;
    l->text = s;
}

static void read_line(struct listing_reader *r, char *line, struct listing_line *l)
{
    static const char target[] = "code for ", function[] = "Function : ";
    char *s = trim(line);
    int end = 0;
    if (!*s || begins(s, "//"))
        return;
    if (begins(s, target)) {
        l->kind = LINE_TARGET;
        l->name = s + strlen(target);
    } else if (begins(s, function)) {
        l->kind = LINE_FUNCTION;
        l->name = trim(s + strlen(function));
    } else if (is_label(s)) {
        l->kind = LINE_LABEL;
        l->name = s;
        s[strlen(s) - 1] = 0;
    } else if (*s == '.' && !isa_word_is_bare(s)) {
        read_dotted(s, l);
    } else if (is_word(s, r->word_bytes, &l->word)) {
        l->kind = LINE_WORD;
    } else {
        l->has_address = sscanf(s, "/*%x*/%n", &l->address, &end) == 1 && end;
        read_instruction(r, l->has_address ? trim(s + end) : s, l);
        l->column = l->text ? (unsigned)(l->text - line) + 1 : 0;
    }
}

bool listing_next(struct listing_reader *r, struct listing_line *l)
{
    char *line = r->next;
    *l = (struct listing_line){.kind = LINE_NOTHING};
    if (!line)
        return false;
    r->next = strchr(line, '\n');
    if (r->next)
        *r->next++ = 0;
    l->number = ++r->line;
    read_line(r, line, l);
    return true;
}
