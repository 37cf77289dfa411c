/* Parses extents, arguments and buffer contents as users write them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/number.h"
#include "tools/record/plan.h"
#include "tools/ui/nearest.h"

#define MAX_BUFFER (UINT64_C(1) << 40)

bool read_extent(const char *text, const char *what, uint32_t extent[3], struct rp_error *err)
{
    char part[32];
    const char *at = text, *between = strchr(text, ',') ? "," : "x";
    extent[0] = extent[1] = extent[2] = 1;
    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(at, between);
        if (length >= sizeof part)
            return rp_fail(err, RP_USAGE, "%s: '%s' is not X[,Y[,Z]]", what, text);
        memcpy(part, at, length);
        part[length] = 0;
        uint64_t value;
        if (!length)
            return rp_fail(err, RP_USAGE, "%s: '%s' lacks an extent; write X[,Y[,Z]], such as 64,2 or 64x2", what,
                           text);
        if (*part == '-' && isdigit((unsigned char)part[1]))
            return rp_fail(err, RP_USAGE, "%s: '%s' is negative; the least is 1", what, part);
        if (part[strspn(part, "0123456789xX, ")] == 0 && part[strspn(part, "0123456789")] && strncmp(part, "0x", 2))
            return rp_fail(err, RP_USAGE, "%s: '%s' is not X[,Y[,Z]], such as 64,2 or 64x2", what, text);
        if (!read_size(part, UINT32_MAX, what, &value, err))
            return false;
        if (!value)
            return rp_fail(err, RP_USAGE, "%s: '%s' has an extent of 0; the least is 1", what, text);
        extent[i] = (uint32_t)value;
        at += length;
        if (!*at++)
            return true;
    }
    return rp_fail(err, RP_USAGE, "%s: '%s' has more than three extents", what, text);
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

static const char *const forms[] = {
    [ARG_I32] = "i32", [ARG_U32] = "u32",     [ARG_I64] = "i64",    [ARG_U64] = "u64",       [ARG_F32] = "f32",
    [ARG_F64] = "f64", [ARG_BYTES] = "bytes", [ARG_BUFFER] = "buf", [ARG_STRUCT] = "struct",
};
static const uint8_t form_bytes[] = {
    [ARG_I32] = 4, [ARG_U32] = 4, [ARG_I64] = 8, [ARG_U64] = 8, [ARG_F32] = 4, [ARG_F64] = 8, [ARG_BUFFER] = 8};
#define FORMS (sizeof forms / sizeof *forms)

static bool read_signed(const char *text, int64_t least, int64_t most, uint64_t *bits, struct rp_error *err)
{
    char *end;
    errno = 0;
    const char *digits = text + (*text == '-');
    bool hex = digits[0] == '0' && (digits[1] | 32) == 'x';
    long long value = strtoll(text, &end, hex ? 16 : 10);
    if (!isdigit((unsigned char)*digits) || *end)
        return rp_fail(err, RP_USAGE, "'%s' is not a whole number", text);
    if (errno || value < least || value > most)
        return rp_fail(err, RP_USAGE, "'%s' is out of range; it must be %" PRId64 " to %" PRId64, text, least, most);
    *bits = (uint64_t)value;
    return true;
}

static bool read_float(const char *text, bool wide, uint64_t *bits, struct rp_error *err)
{
    char *end;
    double d = 0;
    float f = 0;
    if (wide)
        d = strtod(text, &end);
    else
        f = strtof(text, &end);
    if (!*text || *end || isspace((unsigned char)*text))
        return rp_fail(err, RP_USAGE, "'%s' is not a number", text);
    if ((wide ? isinf(d) : isinf(f)) && !strpbrk(text, "nN")) /* overflow: the text is not "inf" */
        return rp_fail(err, RP_USAGE, "'%s' is out of range; write inf for infinity", text);
    *bits = 0;
    if (wide)
        memcpy(bits, &d, sizeof d);
    else
        memcpy(bits, &f, sizeof f);
    return true;
}

static bool read_bytes(const char *text, struct plan_argument *a, struct rp_error *err)
{
    size_t digits = strspn(text, "0123456789abcdefABCDEF");
    if (!digits || digits % 2 || text[digits])
        return rp_fail(err, RP_USAGE, "'%.40s' are no bytes; write two hexadecimal digits for each, first byte first",
                       text);
    a->hex = plan_copy(text);
    a->bytes = (uint32_t)(digits / 2);
    a->align = 1;
    return true;
}

static bool unknown_form(const char *text, size_t length, struct rp_error *err)
{
    char form[24];
    snprintf(form, sizeof form, "%.*s", (int)(length < sizeof form ? length : sizeof form - 1), text);
    const char *near = nearest_name(form, forms, FORMS);
    if (!text[length])
        return rp_fail(err, RP_USAGE,
                       "'%s' is no argument; write FORM=VALUE with i32 u32 i64 u64 f32 f64 bytes "
                       "struct or buf",
                       text);
    return rp_fail(err, RP_USAGE,
                   "unknown form '%s' of an argument%s%s%s; there are i32 u32 i64 u64 f32 f64 bytes struct buf", form,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

bool read_argument(const char *text, struct plan_argument *a, buffer_fn buffer, void *data, struct rp_error *err)
{
    size_t length = strcspn(text, "="), form = 0;
    while (form < FORMS && (strlen(forms[form]) != length || strncmp(forms[form], text, length)))
        form++;
    if (form == FORMS || !text[length])
        return unknown_form(text, length, err);
    const char *value = text + length + 1;
    *a = (struct plan_argument){.kind = (enum argument_kind)form};
    if (form < sizeof form_bytes)
        a->bytes = a->align = form_bytes[form];
    switch (a->kind) {
    case ARG_I32:
        if (!read_signed(value, INT32_MIN, INT32_MAX, &a->bits, err))
            return false;
        a->bits &= UINT32_MAX;
        return true;
    case ARG_I64: return read_signed(value, INT64_MIN, INT64_MAX, &a->bits, err);
    case ARG_U32: return read_number(value, UINT32_MAX, "u32", &a->bits, err);
    case ARG_U64: return read_number(value, UINT64_MAX, "u64", &a->bits, err);
    case ARG_F32: return read_float(value, false, &a->bits, err);
    case ARG_F64: return read_float(value, true, &a->bits, err);
    case ARG_BYTES: return read_bytes(value, a, err);
    case ARG_BUFFER: return buffer(data, value, -1, &a->buffer, err);
    default: return read_struct(value, a, buffer, data, err);
    }
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum content content;
    unsigned bytes; /* per element */
    bool seeded;
    enum element element;
} contents[] = {
    {"zeros", CONTENT_ZEROS, 1, false, ELEMENT_UNKNOWN},   {"unset", CONTENT_UNSET, 1, false, ELEMENT_UNKNOWN},
    {"file", CONTENT_FILE, 1, false, ELEMENT_UNKNOWN},     {"rand-f32", CONTENT_RAND_F32, 4, true, ELEMENT_F32},
    {"rand-f64", CONTENT_RAND_F64, 8, true, ELEMENT_F64},  {"rand-i32", CONTENT_RAND_I32, 4, true, ELEMENT_I32},
    {"iota-i32", CONTENT_IOTA_I32, 4, false, ELEMENT_I32},
};
#define CONTENTS (sizeof contents / sizeof *contents)

static bool unknown_content(const char *name, struct rp_error *err)
{
    const char *names[CONTENTS];
    for (size_t i = 0; i < CONTENTS; i++)
        names[i] = contents[i].name;
    const char *near = nearest_name(name, names, CONTENTS);
    return rp_fail(
        err, RP_USAGE,
        "unknown content '%s' of a buffer%s%s%s; there are zeros:BYTES unset:BYTES file:PATH rand-f32:COUNT:seed=N "
        "rand-f64 rand-i32 iota-i32:COUNT",
        name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool read_count(char *text, size_t row, struct plan_buffer *b, struct rp_error *err)
{
    char *option = strchr(text, ':');
    if (option)
        *option++ = 0;
    if (!read_size(text, MAX_BUFFER / contents[row].bytes, contents[row].name, &b->count, err))
        return false;
    if (!b->count)
        return rp_fail(err, RP_USAGE, "%s: a buffer of nothing; the least is 1", contents[row].name);
    b->bytes = b->count * contents[row].bytes;
    b->element = contents[row].element;
    if (!contents[row].seeded)
        return !option || rp_fail(err, RP_USAGE, "%s takes no ':%s'", contents[row].name, option);
    if (!option || strncmp(option, "seed=", 5))
        return rp_fail(err, RP_USAGE, "%s needs a seed: %s:%s:seed=N", contents[row].name, contents[row].name, text);
    return read_number(option + 5, UINT64_MAX, "seed", &b->seed, err);
}

static void describe(struct plan_buffer *b, size_t row)
{
    char text[128];
    if (contents[row].seeded)
        snprintf(text, sizeof text, "%s:%" PRIu64 ":seed=%" PRIu64, contents[row].name, b->count, b->seed);
    else
        snprintf(text, sizeof text, "%s:%" PRIu64, contents[row].name, b->count);
    b->described = plan_copy(text);
}

bool read_content(const char *text, const char *folder, struct plan_buffer *b, struct rp_error *err)
{
    char name[256];
    size_t length = strcspn(text, ":"), row = 0;
    snprintf(name, sizeof name, "%s", text);
    name[length < sizeof name ? length : sizeof name - 1] = 0;
    while (row < CONTENTS && strcmp(contents[row].name, name))
        row++;
    if (row == CONTENTS)
        return unknown_content(name, err);
    if (!text[length] || !text[length + 1])
        return rp_fail(err, RP_USAGE, "%s needs %s after a colon", name,
                       contents[row].content == CONTENT_FILE ? "a path" : "a size");
    b->content = contents[row].content;
    if (b->content == CONTENT_FILE) {
        char path[PATH_MAX];
        bool relative = folder && text[length + 1] != '/';
        snprintf(path, sizeof path, "%s%s%s", relative ? folder : "", relative ? "/" : "", text + length + 1);
        b->path = plan_copy(path);
        return true;
    }
    snprintf(name, sizeof name, "%s", text + length + 1);
    if (!read_count(name, row, b, err))
        return false;
    describe(b, row);
    return true;
}
