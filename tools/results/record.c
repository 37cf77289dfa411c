#include "tools/results/record.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tracefmt/sha256.h"

#define MAGIC "RPRESULT"
enum { VERSION = 4, PREFIX = 32, CHECKSUM = 32, NAME = 256, COMPRESSION = 3 };

bool record_origin_of(struct rp_trace *trace, const struct machine *machine, const struct replay_options *options,
                      char identity[RESULT_IDENTITY], struct record_origin *origin, struct rp_error *err)
{
    bool one = options->launch >= 0;
    *origin = (struct record_origin){.identity = identity,
                                     .machine = machine,
                                     .first = one ? (uint32_t)options->launch : 0,
                                     .count = one ? 1 : rp_trace_launch_count(trace)};
    return result_identity(trace, machine, options, identity, err);
}

static void checksum(const uint8_t *bytes, size_t size, uint8_t digest[CHECKSUM])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, bytes, size);
    sha256_end(&sha, digest);
}

static void count_name(void *count, const char *name, uint64_t value)
{
    (void)name;
    (void)value;
    ++*(uint64_t *)count;
}

static uint64_t count_names(const struct machine *m)
{
    uint64_t count = 0;
    statistics_each(m, &(struct statistics){0}, count_name, &count);
    return count;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct name_writer {
    struct packed *to;
    bool fine;
};

static void put_name(void *data, const char *name, uint64_t value)
{
    struct name_writer *w = data;
    (void)value;
    if ((w->fine = w->fine && packed_reserve(w->to, PACKED_MOST + strlen(name))))
        packed_put_text(w->to, name);
}

static void put_copies(struct packed *p, const struct copy_counts *c)
{
    packed_put(p, c->count);
    packed_put(p, c->bytes);
    packed_put(p, c->cycles);
}

static void put_sample(struct packed *p, const struct sample_result *r)
{
    packed_put(p, (uint64_t)r->reached << 1 | r->sampled);
    for (unsigned i = 0; i < REPLAY_SOURCE_COUNT; i++)
        packed_put(p, r->count[i]);
    packed_put(p, r->strata);
    packed_put(p, r->instructions);
    packed_put(p, r->all);
    statistics_put(p, &r->half_width);
}

/* False: out of memory. */
static bool put_devices(struct packed *p, const struct result *r)
{
    size_t count = r->device_count;
    if (!packed_reserve(p, PACKED_MOST * (1 + 2 * count + 3 * count * count)))
        return false;
    packed_put(p, count);
    for (size_t d = 0; d < count; d++) {
        packed_put(p, r->devices[d].launches);
        packed_put(p, r->devices[d].cycles);
    }
    for (size_t link = 0; link < count * count; link++)
        put_copies(p, &r->links[link]);
    return true;
}

/* False: out of memory. */
static bool put_heading(struct packed *p, const struct result *r, const struct record_origin *of)
{
    struct name_writer names = {p, true};
    size_t channels = replay_channel_counters(of->machine);
    size_t cores = replay_core_counters(of->machine) * CORE_COUNT_WORDS;
    if (!packed_reserve(p, RESULT_IDENTITY + 3 * PACKED_MOST))
        return false;
    packed_put_text(p, of->identity);
    packed_put(p, STATISTICS_WORDS);
    packed_put(p, count_names(of->machine));
    statistics_each(of->machine, &(struct statistics){0}, put_name, &names);
    if (!names.fine || !packed_reserve(p, PACKED_MOST * (2 * STATISTICS_WORDS + 3 * COPY_PATHS + channels + cores +
                                                         REPLAY_SOURCE_COUNT + 5)))
        return false;
    statistics_put(p, &r->total);
    for (unsigned path = 0; path < COPY_PATHS; path++)
        put_copies(p, &r->copies[path]);
    packed_put_row(p, r->channels, channels);
    packed_put_row(p, (const uint64_t *)r->cores, cores);
    put_sample(p, &r->sample);
    packed_put(p, r->launches.count);
    return put_devices(p, r);
}

static void put_fixed(uint8_t *to, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

uint8_t *record_write(const struct result *result, const struct record_origin *of, size_t *size, struct rp_error *err)
{
    struct packed heading = {0};
    const struct packed *launches = &result->launches.packed;
    size_t most = ZSTD_compressBound(launches->size), frame = 0;
    bool fine = put_heading(&heading, result, of);
    uint8_t *bytes = fine ? malloc(PREFIX + heading.size + most + CHECKSUM) : NULL;
    if (bytes) {
        frame = ZSTD_compress(bytes + PREFIX + heading.size, most, launches->size ? launches->bytes : heading.bytes,
                              launches->size, COMPRESSION);
        memcpy(bytes, MAGIC, 8);
        put_fixed(bytes + 8, 4, VERSION);
        put_fixed(bytes + 12, 4, heading.size);
        put_fixed(bytes + 16, 8, launches->size);
        put_fixed(bytes + 24, 8, frame);
        memcpy(bytes + PREFIX, heading.bytes, heading.size);
    }
    free(heading.bytes);
    if (!bytes || ZSTD_isError(frame)) {
        rp_fail(err, RP_SYSTEM, "out of memory for the result of a replay");
        free(bytes);
        return NULL;
    }
    *size = PREFIX + heading.size + frame + CHECKSUM;
    checksum(bytes, *size - CHECKSUM, bytes + *size - CHECKSUM);
    return bytes;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uint64_t get_fixed(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* The parts of the bytes. */
struct parts {
    const uint8_t *heading, *frame;
    size_t heading_size, frame_size, launches_size;
};

static bool find_parts(const char *name, const uint8_t *bytes, size_t size, struct parts *p, struct rp_error *err)
{
    uint8_t digest[CHECKSUM];
    if (size < 12 || memcmp(bytes, MAGIC, 8))
        return rp_fail(err, RP_BAD_INPUT, "%s: no result of a replay", name);
    uint64_t version = get_fixed(bytes + 8, 4);
    if (version != VERSION)
        return rp_fail(err, RP_BAD_INPUT, "%s: a result in format %u; this reprise reads format %u", name,
                       (unsigned)version, (unsigned)VERSION);
    size_t rest = size < PREFIX + CHECKSUM ? 0 : size - PREFIX - CHECKSUM;
    uint64_t heading = rest ? get_fixed(bytes + 12, 4) : 0;
    if (!rest || heading > rest || get_fixed(bytes + 24, 8) != rest - heading)
        return rp_fail(err, RP_BAD_INPUT, "%s: a damaged result: its length is wrong", name);
    checksum(bytes, size - CHECKSUM, digest);
    if (memcmp(digest, bytes + size - CHECKSUM, CHECKSUM))
        return rp_fail(err, RP_BAD_INPUT, "%s: a damaged result: its checksum is wrong", name);
    *p = (struct parts){bytes + PREFIX, bytes + PREFIX + heading, heading, rest - heading, get_fixed(bytes + 16, 8)};
    return true;
}

struct name_check {
    struct packed_reader *from;
    bool same;
};

static void check_name(void *data, const char *name, uint64_t value)
{
    struct name_check *c = data;
    char stored[NAME];
    (void)value;
    packed_get_text(c->from, stored, sizeof stored);
    c->same &= !strcmp(stored, name);
}

/* Whether the heading begins with the identity and the names that are expected. */
static bool is_of(struct packed_reader *r, const struct record_origin *of)
{
    char identity[RESULT_IDENTITY];
    struct name_check names = {r, true};
    packed_get_text(r, identity, sizeof identity);
    if (strcmp(identity, of->identity) || packed_get(r) != STATISTICS_WORDS ||
        packed_get(r) != count_names(of->machine))
        return false;
    statistics_each(of->machine, &(struct statistics){0}, check_name, &names);
    return names.same;
}

static void get_sample(struct packed_reader *r, struct sample_result *to)
{
    uint64_t flags = packed_get(r);
    to->sampled = flags & 1;
    to->reached = flags >> 1 & 1;
    for (unsigned i = 0; i < REPLAY_SOURCE_COUNT; i++)
        to->count[i] = (uint32_t)packed_get(r);
    to->strata = (uint32_t)packed_get(r);
    to->instructions = packed_get(r);
    to->all = packed_get(r);
    statistics_get(r, &to->half_width);
}

static void get_copies(struct packed_reader *r, struct copy_counts *to)
{
    to->count = packed_get(r);
    to->bytes = packed_get(r);
    to->cycles = packed_get(r);
}

static bool get_devices(struct packed_reader *r, struct result *result)
{
    uint64_t count = packed_get(r);
    if (r->damaged || count > RP_DEVICES_MOST)
        return false;
    if (!count)
        return true;
    result->devices = calloc(count, sizeof *result->devices);
    result->links = calloc(count * count, sizeof *result->links);
    if (!result->devices || !result->links)
        return false;
    result->device_count = (uint32_t)count;
    for (size_t d = 0; d < count; d++) {
        result->devices[d].launches = packed_get(r);
        result->devices[d].cycles = packed_get(r);
    }
    for (size_t link = 0; link < count * count; link++)
        get_copies(r, &result->links[link]);
    return true;
}

static bool get_heading(struct packed_reader *r, const struct record_origin *of, struct result *result)
{
    statistics_get(r, &result->total);
    for (unsigned path = 0; path < COPY_PATHS; path++)
        get_copies(r, &result->copies[path]);
    packed_get_row(r, result->channels, replay_channel_counters(of->machine));
    packed_get_row(r, (uint64_t *)result->cores, replay_core_counters(of->machine) * CORE_COUNT_WORDS);
    get_sample(r, &result->sample);
    return packed_get(r) == of->count && get_devices(r, result) && !r->damaged && r->at == r->size;
}

static bool get_launches(const struct parts *p, const struct record_origin *of, struct launch_log *log)
{
    if (p->launches_size / launch_log_most() > of->count)
        return false;
    uint8_t *bytes = malloc(p->launches_size ? p->launches_size : 1);
    if (!bytes || ZSTD_decompress(bytes, p->launches_size, p->frame, p->frame_size) != p->launches_size) {
        free(bytes);
        return false;
    }
    return launch_log_of_bytes(log, bytes, p->launches_size, of->first, of->count);
}

bool record_read(const char *name, const uint8_t *bytes, size_t size, const struct record_origin *of,
                 struct result *result, struct rp_error *err)
{
    struct parts p = {0};
    *result = (struct result){0};
    if (!find_parts(name, bytes, size, &p, err))
        return false;
    struct packed_reader r = {.bytes = p.heading, .size = p.heading_size};
    if (!is_of(&r, of))
        return rp_fail(err, RP_BAD_INPUT, "%s: a result of another replay, or of another reprise", name);
    size_t channels = replay_channel_counters(of->machine), cores = replay_core_counters(of->machine);
    result->channels = channels ? malloc(channels * sizeof *result->channels) : NULL;
    result->cores = cores ? calloc(cores, sizeof *result->cores) : NULL;
    if ((channels && !result->channels) || (cores && !result->cores)) {
        result_free(result);
        return rp_fail(err, RP_SYSTEM, "%s: out of memory for the result of a replay", name);
    }
    if (get_heading(&r, of, result) && get_launches(&p, of, &result->launches))
        return true;
    result_free(result);
    return rp_fail(err, RP_BAD_INPUT, "%s: a damaged result: its numbers do not read as statistics", name);
}
