/* What setup and check functions of kernel cases call. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/kernel_case.h"

void session_fail(struct kernel_session *s, const char *format, ...)
{
    if (s->failed)
        return;
    s->failed = true;
    char text[sizeof s->error.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rp_fail(&s->error, RP_KERNEL, "%s", text);
}

static void *checked(void *p)
{
    if (!p) {
        fputs("tests: out of memory\n", stderr);
        abort();
    }
    return p;
}

void *session_scratch(struct kernel_session *s, size_t bytes)
{
    if (s->scratch_count == s->scratch_capacity) {
        s->scratch_capacity = s->scratch_capacity ? 2 * s->scratch_capacity : 16;
        s->scratch = checked(realloc(s->scratch, s->scratch_capacity * sizeof *s->scratch));
    }
    return s->scratch[s->scratch_count++] = checked(calloc(1, bytes ? bytes : 1));
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

int session_data(struct kernel_session *s, const char *name, const void *data, size_t bytes)
{
    if (s->failed)
        return 0;
    if (s->buffer_count == SESSION_BUFFERS) {
        session_fail(s, "%s: more than %d buffers", name, SESSION_BUFFERS);
        return 0;
    }
    struct kernel_buffer *b = &s->buffers[s->buffer_count];
    *b = (struct kernel_buffer){.name = name, .bytes = bytes, .before = session_scratch(s, bytes)};
    b->address = rp_alloc(s->device, bytes, name, &s->error);
    void *host = b->address ? rp_host(s->device, b->address, bytes) : NULL;
    if (!host) {
        s->failed = true;
        return 0;
    }
    if (data) {
        memcpy(b->before, data, bytes);
        memcpy(host, data, bytes);
    }
    return (int)s->buffer_count++;
}

int session_zeros(struct kernel_session *s, const char *name, size_t bytes)
{
    return session_data(s, name, NULL, bytes);
}

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

int session_f32(struct kernel_session *s, const char *name, size_t count, uint64_t seed)
{
    float *v = session_scratch(s, count * sizeof *v);
    for (size_t i = 0; i < count; i++)
        v[i] = (float)(random_next(&seed) >> 40) * 0x1p-23f - 1;
    return session_data(s, name, v, count * sizeof *v);
}

int session_f64(struct kernel_session *s, const char *name, size_t count, uint64_t seed)
{
    double *v = session_scratch(s, count * sizeof *v);
    for (size_t i = 0; i < count; i++)
        v[i] = (double)(random_next(&seed) >> 11) * 0x1p-52 - 1;
    return session_data(s, name, v, count * sizeof *v);
}

int session_i32(struct kernel_session *s, const char *name, size_t count, uint64_t seed, int32_t low, int32_t high)
{
    int32_t *v = session_scratch(s, count * sizeof *v);
    for (size_t i = 0; i < count; i++)
        v[i] = (int32_t)(low + (int64_t)(random_next(&seed) % (uint64_t)((int64_t)high - low + 1)));
    return session_data(s, name, v, count * sizeof *v);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

void session_launch(struct kernel_session *s, const char *kernel, struct dim grid, struct dim block, uint32_t shared)
{
    if (s->launch_count == s->launch_capacity) {
        s->launch_capacity = s->launch_capacity ? 2 * s->launch_capacity : 16;
        s->launches = checked(realloc(s->launches, s->launch_capacity * sizeof *s->launches));
    }
    struct kernel_launch *l = &s->launches[s->launch_count++];
    *l = (struct kernel_launch){.kernel = kernel, .shared = shared};
    for (int i = 0; i < 3; i++) {
        l->grid[i] = grid.at[i] ? grid.at[i] : 1;
        l->block[i] = block.at[i] ? block.at[i] : 1;
    }
}

static void argument(struct kernel_session *s, const void *value, uint32_t bytes)
{
    struct kernel_launch *l = &s->launches[s->launch_count - 1];
    uint32_t at = (l->param_bytes + bytes - 1) / bytes * bytes;
    if (at + bytes > sizeof l->params) {
        session_fail(s, "%s: more than %zu bytes of arguments", l->kernel, sizeof l->params);
        return;
    }
    memcpy(l->params + at, value, bytes);
    l->param_bytes = at + bytes;
}

void arg_buffer(struct kernel_session *s, int buffer) { argument(s, &s->buffers[buffer].address, 8); }
void arg_i32(struct kernel_session *s, int32_t v) { argument(s, &v, 4); }
void arg_f32(struct kernel_session *s, float v) { argument(s, &v, 4); }

/* ---- results ----------------------------------------------------------------------------------------------------- */

const void *session_before(struct kernel_session *s, int buffer) { return s->buffers[buffer].before; }

const void *session_after(struct kernel_session *s, int buffer)
{
    return rp_host(s->device, s->buffers[buffer].address, s->buffers[buffer].bytes);
}

static const size_t value_bytes[] = {
    [VALUE_U8] = 1,  [VALUE_U16] = 2, [VALUE_I32] = 4, [VALUE_U32] = 4,
    [VALUE_I64] = 8, [VALUE_U64] = 8, [VALUE_F32] = 4, [VALUE_F64] = 8,
};

static double as_double(enum value_kind kind, const void *p)
{
    float f = 0;
    double d = 0;
    memcpy(kind == VALUE_F32 ? (void *)&f : &d, p, value_bytes[kind]);
    return kind == VALUE_F32 ? f : d;
}

static void value_text(char *text, size_t size, enum value_kind kind, const void *p)
{
    if (kind == VALUE_F32 || kind == VALUE_F64) {
        snprintf(text, size, "%.17g (%a)", as_double(kind, p), as_double(kind, p));
        return;
    }
    uint64_t u = 0;
    memcpy(&u, p, value_bytes[kind]);
    if (kind == VALUE_I32)
        snprintf(text, size, "%d", (int32_t)u);
    else if (kind == VALUE_I64)
        snprintf(text, size, "%lld", (long long)u);
    else
        snprintf(text, size, "%#llx", (unsigned long long)u);
}

void expect_equal(struct kernel_session *s, int buffer, enum value_kind kind, const void *expected, size_t first,
                  size_t count)
{
    const struct kernel_buffer *b = &s->buffers[buffer];
    size_t bytes = value_bytes[kind];
    if ((first + count) * bytes > b->bytes) {
        session_fail(s, "%s holds %llu bytes, not %zu", b->name, (unsigned long long)b->bytes, (first + count) * bytes);
        return;
    }
    const uint8_t *got = (const uint8_t *)session_after(s, buffer) + first * bytes, *want = expected;
    bool is_float = kind == VALUE_F32 || kind == VALUE_F64;
    for (size_t i = 0; i < count; i++, got += bytes, want += bytes) {
        if (!memcmp(got, want, bytes))
            continue;
        if (is_float && isnan(as_double(kind, got)) && isnan(as_double(kind, want)))
            continue;
        char is[64], should[64];
        value_text(is, sizeof is, kind, got);
        value_text(should, sizeof should, kind, want);
        session_fail(s, "%s[%zu] is %s, the CPU computes %s", b->name, first + i, is, should);
        return;
    }
}
