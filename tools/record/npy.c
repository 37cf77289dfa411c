#include "tools/record/npy.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6

bool npy_is_named(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".npy");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The header is a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (64, 64), } */
struct reader {
    const char *path, *at, *end;
    struct npy *to;
    bool fortran, has_descr, has_order, has_shape;
    unsigned dimensions;
    struct rp_error *err;
};

static bool malformed(struct reader *r)
{
    return rp_fail(r->err, RP_BAD_INPUT, "%s: the header is not as numpy writes it", r->path);
}

static bool take(struct reader *r, char c)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool read_quoted(struct reader *r, const char **text, size_t *length)
{
    char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : 0;
    const char *end = quote ? memchr(r->at, quote, (size_t)(r->end - r->at)) : NULL;
    if (!end)
        return malformed(r);
    *text = r->at;
    *length = (size_t)(end - r->at);
    r->at = end + 1;
    return true;
}

static bool read_descr(struct reader *r)
{
    const char *text;
    size_t length;
    r->has_descr = true;
    if (take(r, '['))
        return rp_fail(r->err, RP_BAD_INPUT, "%s: holds structures; a buffer is an array of numbers", r->path);
    if (!read_quoted(r, &text, &length))
        return false;
    r->to->element = element_of_numpy(text, length);
    if (r->to->element != ELEMENT_UNKNOWN)
        return true;
    int shown = length < 20 ? (int)length : 20;
    if (length && *text == '>')
        return rp_fail(r->err, RP_BAD_INPUT, "%s: big-endian numbers ('%.*s'); save it with .astype('<%.*s')", r->path,
                       shown, text, shown - 1, text + 1);
    return rp_fail(r->err, RP_BAD_INPUT, "%s: elements of numpy's type '%.*s'; there are " ELEMENT_NAMES, r->path,
                   shown, text);
}

static bool read_order(struct reader *r)
{
    size_t left = (size_t)(r->end - r->at);
    r->has_order = true;
    while (left && isspace((unsigned char)*r->at))
        r->at++, left--;
    r->fortran = left >= 4 && !memcmp(r->at, "True", 4);
    if (!r->fortran && (left < 5 || memcmp(r->at, "False", 5)))
        return malformed(r);
    r->at += r->fortran ? 4 : 5;
    return true;
}

static bool read_dimension(struct reader *r)
{
    uint64_t n = 0;
    const char *from = r->at;
    for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++) {
        if (n > UINT32_MAX * UINT64_C(256))
            return malformed(r);
        n = 10 * n + (uint64_t)(*r->at - '0');
    }
    if (r->at == from || __builtin_mul_overflow(r->to->count, n, &r->to->count))
        return malformed(r);
    r->dimensions++;
    return true;
}

static bool read_shape(struct reader *r)
{
    r->has_shape = true;
    r->to->count = 1;
    if (!take(r, '('))
        return malformed(r);
    const char *from = r->at - 1;
    while (!take(r, ')')) {
        if (r->dimensions && !take(r, ','))
            return malformed(r);
        if (take(r, ')'))
            break;
        if (!read_dimension(r))
            return false;
    }
    size_t length = (size_t)(r->at - from);
    if (length >= sizeof r->to->shape)
        return malformed(r);
    memcpy(r->to->shape, from, length);
    r->to->shape[length] = 0;
    return true;
}

static bool read_entry(struct reader *r)
{
    const char *key;
    size_t length;
    if (!read_quoted(r, &key, &length) || !take(r, ':'))
        return malformed(r);
    if (length == 5 && !memcmp(key, "descr", 5))
        return read_descr(r);
    if (length == 13 && !memcmp(key, "fortran_order", 13))
        return read_order(r);
    if (length == 5 && !memcmp(key, "shape", 5))
        return read_shape(r);
    return malformed(r);
}

static bool read_dictionary(struct reader *r)
{
    if (!take(r, '{'))
        return malformed(r);
    while (!take(r, '}')) {
        if (!read_entry(r))
            return false;
        if (!take(r, ',') && (r->at == r->end || *r->at != '}'))
            return malformed(r);
    }
    return (r->has_descr && r->has_order && r->has_shape) || malformed(r);
}

bool npy_read(const char *path, const uint8_t *head, size_t size, uint64_t file_size, struct npy *to,
              struct rp_error *err)
{
    *to = (struct npy){0};
    if (size < MAGIC_BYTES + 6 || memcmp(head, MAGIC, MAGIC_BYTES))
        return rp_fail(err, RP_BAD_INPUT, "%s: no .npy file: it does not begin as numpy's files do", path);
    unsigned version = head[6];
    size_t at = version == 1 ? 10 : 12;
    uint64_t length = head[8] | (uint64_t)head[9] << 8;
    if (version > 1)
        length |= (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24;
    if (version < 1 || version > 3)
        return rp_fail(err, RP_BAD_INPUT, "%s: version %u of .npy; versions 1 to 3 can be read", path, version);
    if (length > size - at)
        return rp_fail(err, RP_BAD_INPUT, "%s: the file ends within its header", path);
    struct reader r = {path, (const char *)head + at, (const char *)head + at + length, to, .err = err};
    if (!read_dictionary(&r))
        return false;
    if (r.fortran && r.dimensions > 1)
        return rp_fail(err, RP_BAD_INPUT, "%s: columns first (Fortran's order); save numpy.ascontiguousarray of it",
                       path);
    to->offset = at + length;
    uint64_t bytes;
    if (__builtin_mul_overflow(to->count, element_width(to->element), &bytes) || bytes != file_size - to->offset)
        return rp_fail(err, RP_BAD_INPUT, "%s: %s elements of %s are not the %" PRIu64 " bytes behind the header", path,
                       to->shape, element_name(to->element), file_size - to->offset);
    return true;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

size_t npy_header(enum element e, const char *shape, uint64_t count, char out[2 * NPY_SHAPE])
{
    char text[2 * NPY_SHAPE], one[32];
    snprintf(one, sizeof one, "(%" PRIu64 ",)", count);
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", element_numpy(e),
                     shape ? shape : one);
    size_t whole = (10 + (size_t)n + 1 + 63) / 64 * 64, length = whole - 10;
    memcpy(out, MAGIC "\1", 8); /* with the zero: version 1.0 */
    out[8] = (char)(length & 255);
    out[9] = (char)(length >> 8);
    memset(out + 10, ' ', length);
    memcpy(out + 10, text, (size_t)n);
    out[whole - 1] = '\n';
    return whole;
}
