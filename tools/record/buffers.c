#include "tools/record/buffers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/record/data_file.h"
#include "tracefmt/sha256.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void buffer_generate(const struct plan_buffer *b, void *to)
{
    uint64_t state = b->seed;
    float *f = to;
    double *d = to;
    int32_t *n = to;
    for (uint64_t i = 0; i < b->count; i++) {
        switch (b->content) {
        case CONTENT_RAND_F32: f[i] = (float)(splitmix64(&state) >> 40) * 0x1p-23f - 1; break;
        case CONTENT_RAND_F64: d[i] = (double)(splitmix64(&state) >> 11) * 0x1p-52 - 1; break;
        case CONTENT_RAND_I32: n[i] = (int32_t)(splitmix64(&state) >> 32); break;
        case CONTENT_IOTA_I32: n[i] = (int32_t)i; break;
        default: return; /* zeros */
        }
    }
}

static bool allocate(struct plan_buffer *b, struct rp_device *c, struct rp_error *err)
{
    b->address = rp_alloc(c, b->bytes, b->name, err);
    return b->address != 0;
}

void buffer_describe_file(struct plan_buffer *b, const void *content)
{
    char hash[65], text[128];
    uint8_t digest[32];
    struct sha256 sum;
    sha256_begin(&sum);
    sha256_add(&sum, content, b->bytes);
    sha256_end(&sum, digest);
    sha256_hex(digest, hash);
    snprintf(text, sizeof text, "file:%" PRIu64 ":sha256=%s", b->bytes, hash);
    b->described = plan_copy(text);
}

static bool fill_from_file(struct plan_buffer *b, struct rp_device *c, struct rp_error *err)
{
    struct data_file f;
    if (!data_file_open(&f, b->path, b->name, err))
        return false;
    b->bytes = f.bytes;
    b->element = f.npy.element;
    b->shape = b->element ? plan_copy(f.npy.shape) : NULL;
    if (!allocate(b, c, err)) {
        data_file_close(&f);
        return false;
    }
    if (!data_file_read(&f, b->path, rp_host(c, b->address, b->bytes), err))
        return false;
    buffer_describe_file(b, rp_host(c, b->address, b->bytes));
    return true;
}

/* Records how the buffer was filled: zeros by a memset on the device, other contents by a copy from the host. */
static bool record_fill(const struct plan_buffer *b, struct rp_device *c, struct rp_error *err)
{
    struct rp_host_operation o = {.kind = b->content == CONTENT_ZEROS ? RP_HOST_SET : RP_HOST_COPY,
                                  .direction = RP_COPY_TO_DEVICE,
                                  .address = b->address,
                                  .size = b->bytes};
    return rp_report_operation(c, &o, err);
}

bool buffer_fill(struct plan_buffer *b, struct rp_device *c, struct rp_error *err)
{
    if (b->content == CONTENT_FILE)
        return fill_from_file(b, c, err) && record_fill(b, c, err);
    if (!allocate(b, c, err))
        return false;
    if (b->content == CONTENT_UNSET)
        return true;
    if (b->content != CONTENT_ZEROS)
        buffer_generate(b, rp_host(c, b->address, b->bytes));
    return record_fill(b, c, err);
}
