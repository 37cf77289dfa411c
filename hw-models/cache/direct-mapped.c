/* A direct-mapped cache with sectored lines and one port.
 *
 * line index = (address / line) modulo (size / line); a line holds one tag, and for each of its sectors the cycle in
 * which its data arrives, or its fetch in flight. The look-up of a request starts at s and takes `latency` cycles:
 *   read, sector there:      served at max(s + latency, arrival of the sector's data), a hit
 *   read, sector not there:  goes on at s + latency, a miss; the sector is fetched
 *   write, write = through:  goes on at s + latency; hit if the sector is there (it stays), else nothing is kept
 *   write, write = back:     served at s + latency; the sector is there from then on, without a fetch, and is dirty
 *   atomic, write = through: goes on at s + latency; hit if the sector is there
 *   atomic, write = back:    as a read, and the sector is dirty from then on
 * When a line is replaced, its dirty sectors are written back.
 */
#include <string.h>

#include "hw-models/cache/direct-mapped.h"

enum { SIZE, LINE, SECTOR, LATENCY, INTERVAL, WRITE, ATOMIC_INTERVAL };
enum { THROUGH, BACK }; /* of `write` */
static const char *const write_names[] = {"through", "back", NULL};
static const struct model_option options_of[] = {
    [SIZE] = {"size", OPTION_INTEGER, "bytes", 32, 1 << 28, 32768, NULL, "capacity, a multiple of the line"},
    [LINE] = {"line", OPTION_INTEGER, "bytes", 32, 4096, 128, NULL, "line size, a power of two"},
    [SECTOR] = {"sector", OPTION_INTEGER, "bytes", 32, 4096, 32, NULL,
                "what a miss fetches: a power of two, at most the line, at least an eighth of it"},
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                 "from the start of a request to its data, or to its leaving for the next level"},
    [INTERVAL] = {"interval", OPTION_INTEGER, "cycles", 0, 1000, 1, NULL, "between the starts of two requests"},
    [WRITE] = {"write", OPTION_CHOICE, "", THROUGH, BACK, THROUGH, write_names,
               "through: writes go on, nothing is allocated; back: writes stay until the line is replaced"},
    [ATOMIC_INTERVAL] =
        {"atomic_interval", OPTION_INTEGER, "cycles", 0, 1000, 0, NULL,
         "added to `interval` for each further lane of an atomic done here that names the same address"},
};

#define MOST_SECTORS 8

static const char *check(const int64_t *o)
{
    if (o[LINE] & (o[LINE] - 1))
        return "line must be a power of two";
    if (o[SECTOR] & (o[SECTOR] - 1))
        return "sector must be a power of two";
    if (o[SECTOR] > o[LINE])
        return "sector must not be larger than line";
    if (o[LINE] / o[SECTOR] > MOST_SECTORS)
        return "sector must be at least an eighth of line";
    if (o[SIZE] % o[LINE])
        return "size must be a multiple of line";
    return NULL;
}

static size_t line_size(const int64_t *options)
{
    size_t sectors = (size_t)(options[LINE] / options[SECTOR]);
    return sizeof(struct direct_mapped_line) + sectors * sizeof(uint64_t);
}

static size_t state_size(const int64_t *options)
{
    return sizeof(struct direct_mapped) + (size_t)(options[SIZE] / options[LINE]) * line_size(options);
}

static void reset(void *state, const int64_t *options)
{
    struct direct_mapped *c = state;
    c->lines = (uint64_t)(options[SIZE] / options[LINE]);
    c->index_mask = c->lines & (c->lines - 1) ? 0 : c->lines - 1;
    c->inverse = UINT64_MAX / c->lines + 1;
    c->line_bytes = (uint64_t)options[LINE];
    c->sector_bytes = (uint64_t)options[SECTOR];
    c->back = options[WRITE] == BACK;
    c->sector_mask = (unsigned)(c->line_bytes / c->sector_bytes) - 1;
    c->line_shift = (unsigned)__builtin_ctzll(c->line_bytes);
    c->sector_shift = (unsigned)__builtin_ctzll(c->sector_bytes);
    c->stride = line_size(options);
    memset(c->line, 0, c->lines * c->stride);
}

static void shape(const int64_t *o, struct cache_shape *out)
{
    *out = (struct cache_shape){
        .sets = (uint64_t)(o[SIZE] / o[LINE]),
        .ways = 1,
        .line = (uint64_t)o[LINE],
        .sector = (uint64_t)o[SECTOR],
        .latency = (uint64_t)o[LATENCY],
        .interval = (uint64_t)o[INTERVAL],
        .banks = 1,
        .atomic_interval = (uint64_t)o[ATOMIC_INTERVAL],
        .back = o[WRITE] == BACK,
    };
}

static inline bool is_there(const struct direct_mapped_line *line, uint64_t tag, unsigned sector)
{
    return line->tag == tag && (line->there >> sector & 1);
}

struct cache_finding direct_mapped_write(const struct direct_mapped *c, struct direct_mapped_line *line, uint64_t tag,
                                         struct cache_look_up r)
{
    unsigned sector = direct_mapped_sector(c, r.address);
    struct cache_finding finding = {.hit = is_there(line, tag, sector), .from = CACHE_NO_FETCH, .cycle = r.cycle};
    if (!c->back)
        return finding;
    direct_mapped_make_room(c, line, tag, &finding);
    finding.served = true;
    line->dirty |= (uint8_t)(1u << sector);
    if (finding.hit)
        return finding;
    line->there |= (uint8_t)(1u << sector);
    line->arrival[sector] = r.cycle;
    return finding;
}

static void look_up(void *state, const struct cache_look_up *r, struct cache_finding *finding)
{
    *finding = direct_mapped_look_up(state, *r);
}

static void filled(void *state, void *place, uint32_t fetch, uint64_t cycle)
{
    (void)state;
    direct_mapped_filled(place, fetch, cycle);
}

static void preload(void *state, uint64_t address, uint64_t size)
{
    struct direct_mapped *c = state;
    struct cache_finding ignored;
    uint64_t capacity = c->lines * c->line_bytes;
    if (size > capacity) { /* the first bytes would be replaced by the rest */
        address += size - capacity;
        size = capacity;
    }
    uint64_t first = address / c->sector_bytes * c->sector_bytes, bytes = address - first + size;
    for (uint64_t at = 0; size && at < bytes; at += c->sector_bytes) {
        struct direct_mapped_line *line = direct_mapped_line(c, first + at);
        unsigned sector = direct_mapped_sector(c, first + at);
        direct_mapped_make_room(c, line, direct_mapped_tag(c, first + at), &ignored);
        line->there |= (uint8_t)(1u << sector);
        line->arrival[sector] = 0;
    }
}

const struct cache_model cache_direct_mapped = {
    .model = {.name = "direct-mapped",
              .help = "one place per line, sectored, one port (PasTiS)",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .keeps = true,
    .reset = reset,
    .preload = preload,
    .shape = shape,
    .look_up = look_up,
    .filled = filled,
};
