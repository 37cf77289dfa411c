#include "replay/base/config_text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_FILE (1 << 20)
#define DEEPEST 64

char *config_text_read(const char *path, size_t *size, struct rp_error *err)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &status)) {
        rp_fail(err, RP_BAD_INPUT, "%s: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return NULL;
    }
    char *text = NULL;
    if (!S_ISREG(status.st_mode)) {
        rp_fail(err, RP_BAD_INPUT, "%s: not a regular file", path);
    } else if (status.st_size > LARGEST_FILE) {
        rp_fail(err, RP_BAD_INPUT, "%s: larger than 1 MiB; this is not what is wanted here", path);
    } else if (!(text = malloc((size_t)status.st_size + 1))) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
    } else {
        ssize_t n = read(file, text, (size_t)status.st_size);
        *size = n > 0 ? (size_t)n : 0;
        text[*size] = 0;
        if (n < 0) {
            rp_fail(err, RP_BAD_INPUT, "%s: %s", path, strerror(errno));
            free(text);
            text = NULL;
        }
    }
    close(file);
    return text;
}

/* The end of the comment or string that begins at text[at]; `at`: none begins there. The rules are those of libconfig's
 * scanner. */
static size_t end_of_comment(const char *text, size_t at)
{
    const char *end;
    if (text[at] == '#' || (text[at] == '/' && text[at + 1] == '/'))
        return at + strcspn(text + at, "\n");
    if (text[at] == '/' && text[at + 1] == '*') {
        end = strstr(text + at + 2, "*/");
        return end ? (size_t)(end - text) + 2 : at + strlen(text + at);
    }
    if (text[at] != '"')
        return at;
    for (end = text + at + 1; *end && *end != '"'; end++)
        end += *end == '\\' && end[1];
    return (size_t)(end - text) + (*end == '"');
}

static bool number_begins(const char *text, size_t at)
{
    if (!isdigit((unsigned char)text[at]))
        return false;
    size_t first = at && text[at - 1] == '-' ? at - 1 : at; /* a sign, or a dash within a name */
    char before = first ? text[first - 1] : ' ';
    return !isalnum((unsigned char)before) && !strchr("_-*.", before);
}

/* Whether the number at text[at] does not fit into 32 bits: libconfig would keep its low bits. With the suffix L a
 * number has 64 bits. */
static bool cut_number(const char *text, size_t at)
{
    bool hex = text[at] == '0' && (text[at + 1] | 32) == 'x';
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text + at, &end, hex ? 16 : 10);
    if (errno)
        return true;
    return value > INT_MAX && !strchr("L.eE", *end ? *end : ' ');
}

/* The digits of the number at text[at] that has a suffix K, M or G; 0: it has none. */
static int digits_of_size(const char *text, size_t at)
{
    size_t digits = strspn(text + at, "0123456789");
    char suffix = text[at + digits];
    return suffix && strchr("kKmMgG", suffix) ? (int)digits : 0;
}

static bool number_is_fine(const char *file, const char *text, size_t at, int line, struct rp_error *err)
{
    int digits = digits_of_size(text, at);
    if (digits)
        return rp_fail(err, RP_BAD_INPUT, "%s:%d: a size with a suffix stands in quotes: \"%.*s\"", file, line,
                       digits + 1, text + at);
    if (cut_number(text, at))
        return rp_fail(err, RP_BAD_INPUT, "%s:%d: %.*s is too large; write %.*sL if it is meant", file, line,
                       (int)strspn(text + at, "0123456789abcdefABCDEFxX"), text + at,
                       (int)strspn(text + at, "0123456789abcdefABCDEFxX"), text + at);
    return true;
}

static bool line_is_fine(const char *file, const char *text, size_t at, int line, struct rp_error *err)
{
    if (!text[at])
        return rp_fail(err, RP_BAD_INPUT, "%s:%d: holds a zero byte; this is no text file", file, line);
    if (!strncmp(text + at, "@include", 8))
        return rp_fail(err, RP_BAD_INPUT, "%s:%d: @include is not allowed here", file, line);
    return !number_begins(text, at) || number_is_fine(file, text, at, line, err);
}

/* libconfig does not check its allocations. For a file it needs less than 64 KiB plus 256 bytes for each byte of it. */
static bool memory_is_there(const char *file, size_t size, struct rp_error *err)
{
    void *memory = malloc((64u << 10) + 256 * size);
    bool there = memory != NULL;
    free(memory);
    return there || rp_fail(err, RP_SYSTEM, "%s: out of memory", file);
}

bool config_text_check(const char *file, const char *text, size_t size, struct rp_error *err)
{
    if (size > LARGEST_FILE)
        return rp_fail(err, RP_BAD_INPUT, "%s: larger than 1 MiB; this is not what is wanted here", file);
    int line = 1, depth = 0;
    for (size_t i = 0; i < size; i++) {
        size_t end = end_of_comment(text, i);
        for (; i < end; i++)
            line += text[i] == '\n';
        if (i == size)
            break;
        if (!line_is_fine(file, text, i, line, err))
            return false;
        line += text[i] == '\n';
        depth += strchr("{([", text[i]) ? 1 : strchr("})]", text[i]) ? -1 : 0;
        if (depth > DEEPEST)
            return rp_fail(err, RP_BAD_INPUT, "%s:%d: nested too deeply", file, line);
    }
    return memory_is_there(file, size, err);
}
