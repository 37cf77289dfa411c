#include "frontend/core/print.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STRING 4096

bool read_string(struct warp_state *s, unsigned lane, uint64_t address, char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (!read_generic(s, lane, address + i, text + i, 1))
            return false;
        if (!text[i])
            return true;
    }
    text[size - 1] = 0;
    return true;
}

static void append(struct block *b, const char *text, size_t bytes)
{
    if (!bytes)
        return;
    if (b->text_capacity - b->text_bytes < bytes) {
        size_t capacity = 2 * b->text_capacity + bytes + 256;
        char *grown = realloc(b->text, capacity);
        if (!grown) {
            b->no_memory = true;
            return;
        }
        b->text = grown;
        b->text_capacity = capacity;
    }
    memcpy(b->text + b->text_bytes, text, bytes);
    b->text_bytes += bytes;
}

/* One conversion specification: "%-08.3lld". A `*` for a width or precision is replaced by its number. */
struct spec {
    char text[64]; /* flags, width and precision for the host's printf, without length modifier and conversion */
    size_t used;
    bool wide;       /* l, ll, j, z, t: 64 bits */
    unsigned narrow; /* h: 16, hh: 8 */
    char conversion;
};

struct print {
    struct warp_state *s;
    unsigned lane;
    uint64_t args;
    int count;
};

/* Reads the next argument, which is aligned to its size. */
static bool next(struct print *p, void *to, unsigned bytes)
{
    p->args = (p->args + bytes - 1) & ~(uint64_t)(bytes - 1);
    if (!read_generic(p->s, p->lane, p->args, to, bytes))
        return false;
    p->args += bytes;
    p->count++;
    return true;
}

static bool put(struct spec *spec, char c)
{
    if (spec->used + 1 >= 24)
        return false;
    spec->text[spec->used++] = c;
    spec->text[spec->used] = 0;
    return true;
}

/* Parses digits or a star at *f. False: the number is too long, or the argument cannot be read. */
static bool number(struct print *p, struct spec *spec, const char **f)
{
    if (**f == '*') {
        int value;
        if (!next(p, &value, 4) || value > 4096 || value < -4096)
            return false;
        spec->used += (size_t)snprintf(spec->text + spec->used, 8, "%d", value);
        ++*f;
        return true;
    }
    for (int digits = 0; **f >= '0' && **f <= '9'; ++*f)
        if (++digits > 4 || !put(spec, **f))
            return false;
    return true;
}

/* Parses what follows a '%'. Returns the text after the conversion; NULL: it is malformed. */
static const char *parse(struct print *p, struct spec *spec, const char *f)
{
    *spec = (struct spec){.text = "%", .used = 1};
    while (*f && strchr("-+ #0", *f))
        if (!put(spec, *f++))
            return NULL;
    if (!number(p, spec, &f))
        return NULL;
    if (*f == '.') {
        if (!put(spec, *f++) || !number(p, spec, &f))
            return NULL;
    }
    for (; *f && strchr("hljztL", *f); f++) {
        spec->wide = spec->wide || *f != 'h';
        spec->narrow = *f != 'h' ? 0 : spec->narrow ? 8 : 16;
    }
    if (!*f || !strchr("diuoxXcspfFeEgGaA", *f))
        return NULL;
    spec->conversion = *f;
    return f + 1;
}

static bool print_integer(struct print *p, struct spec *spec, char *out, size_t size)
{
    bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
    long long value;
    if (spec->wide) {
        if (!next(p, &value, 8))
            return false;
    } else {
        int32_t word;
        if (!next(p, &word, 4))
            return false;
        value = is_signed ? word : (long long)(uint32_t)word;
        if (spec->narrow == 16)
            value = is_signed ? (int16_t)word : (uint16_t)word;
        if (spec->narrow == 8)
            value = is_signed ? (int8_t)word : (uint8_t)word;
    }
    char format[80];
    snprintf(format, sizeof format, "%sll%c", spec->text, spec->conversion);
    snprintf(out, size, format, value);
    return true;
}

static bool print_one(struct print *p, struct spec *spec, char *out, size_t size)
{
    char format[80], text[MAX_STRING];
    double number;
    uint64_t address;
    int character;
    snprintf(format, sizeof format, "%s%c", spec->text, spec->conversion);
    switch (spec->conversion) {
    case 'c':
        if (!next(p, &character, 4))
            return false;
        snprintf(out, size, format, character);
        return true;
    case 's':
        if (!next(p, &address, 8))
            return false;
        if (!read_string(p->s, p->lane, address, text, sizeof text))
            strcpy(text, "(null)");
        snprintf(out, size, format, text);
        return true;
    case 'p':
        if (!next(p, &address, 8))
            return false;
        snprintf(out, size, format, (void *)(uintptr_t)address);
        return true;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': return print_integer(p, spec, out, size);
    default:
        if (!next(p, &number, 8))
            return false;
        snprintf(out, size, format, number);
        return true;
    }
}

int print_formatted(struct warp_state *s, unsigned lane, uint64_t format, uint64_t args)
{
    char text[MAX_STRING], out[2 * MAX_STRING];
    if (!read_string(s, lane, format, text, sizeof text))
        return -1;
    struct print p = {.s = s, .lane = lane, .args = args};
    struct block *b = s->w.block;
    for (const char *f = text; *f;) {
        size_t plain = strcspn(f, "%");
        append(b, f, plain);
        f += plain;
        if (!*f)
            break;
        if (f[1] == '%') {
            append(b, "%", 1);
            f += 2;
            continue;
        }
        struct spec spec;
        const char *after = parse(&p, &spec, f + 1);
        if (!after) {
            append(b, f++, 1);
            continue;
        }
        if (!print_one(&p, &spec, out, sizeof out))
            return -1;
        append(b, out, spec.conversion == 'c' && !out[0] ? 1 : strlen(out));
        f = after;
    }
    return p.count;
}
