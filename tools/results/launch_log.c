/* A launch in the log: its number, begin and end; where its numbers come from, whether it overlaps others and whether
 * it has control words, as flags; the launch that it equals, and half the width of its interval; its warning, and its
 * statistics as a row of numbers. */
#include "tools/results/launch_log.h"

#include <stdlib.h>
#include <string.h>

/* Of a launch. */
#define MOST_BYTES (PACKED_MOST * (STATISTICS_WORDS + 7) + sizeof((struct replay_launch){0}.warning))

_Static_assert(sizeof(struct statistics) % sizeof(uint64_t) == 0, "statistics are numbers of 64 bits");

size_t launch_log_most(void) { return MOST_BYTES; }

void statistics_put(struct packed *p, const struct statistics *s)
{
    uint64_t words[STATISTICS_WORDS];
    memcpy(words, s, sizeof words);
    packed_put_row(p, words, STATISTICS_WORDS);
}

void statistics_get(struct packed_reader *r, struct statistics *s)
{
    uint64_t words[STATISTICS_WORDS];
    packed_get_row(r, words, STATISTICS_WORDS);
    memcpy(s, words, sizeof words);
}

static void count(struct launch_log *log, const struct replay_launch *launch)
{
    log->count++;
    log->warnings += *launch->warning != 0;
    log->overlaps += launch->overlaps;
    log->no_control_words += !launch->control_words;
}

bool launch_log_add(void *data, const struct replay_launch *launch, struct rp_error *err)
{
    struct launch_log *log = data;
    struct packed *p = &log->packed;
    if (!packed_reserve(p, MOST_BYTES))
        return rp_fail(err, RP_SYSTEM, "out of memory for the results of %u launches", log->count);
    packed_put(p, launch->launch);
    packed_put(p, launch->begin);
    packed_put(p, launch->end);
    packed_put(p, (uint64_t)launch->source << 2 | (uint64_t)launch->overlaps << 1 | launch->control_words);
    packed_put(p, launch->equal);
    packed_put(p, launch->half_width);
    packed_put_text(p, launch->warning);
    statistics_put(p, &launch->statistics);
    count(log, launch);
    return true;
}

void launch_log_free(struct launch_log *log)
{
    free(log->packed.bytes);
    *log = (struct launch_log){0};
}

struct launch_reader launch_log_read(const struct launch_log *log)
{
    return (struct launch_reader){{.bytes = log->packed.bytes, .size = log->packed.size}};
}

bool launch_log_next(struct launch_reader *reader, struct replay_launch *launch)
{
    struct packed_reader *r = &reader->packed;
    if (r->at == r->size)
        return false;
    uint64_t number = packed_get(r);
    *launch = (struct replay_launch){.launch = (uint32_t)number};
    launch->begin = packed_get(r);
    launch->end = packed_get(r);
    uint64_t flags = packed_get(r);
    launch->overlaps = flags >> 1 & 1;
    launch->control_words = flags & 1;
    launch->source = (uint8_t)(flags >> 2);
    uint64_t equal = packed_get(r);
    launch->equal = (uint32_t)equal;
    launch->half_width = packed_get(r);
    packed_get_text(r, launch->warning, sizeof launch->warning);
    statistics_get(r, &launch->statistics);
    r->damaged |= flags >> 2 >= REPLAY_SOURCE_COUNT || number > UINT32_MAX || equal > UINT32_MAX;
    return !r->damaged;
}

bool launch_log_of_bytes(struct launch_log *log, uint8_t *bytes, size_t size, uint32_t first, uint32_t launches)
{
    struct replay_launch launch;
    *log = (struct launch_log){.packed = {.bytes = bytes, .size = size, .room = size}};
    struct launch_reader r = launch_log_read(log);
    bool fine = true;
    while (fine && launch_log_next(&r, &launch)) {
        fine = log->count < launches && launch.launch == first + log->count;
        count(log, &launch);
    }
    if (fine && !r.packed.damaged && log->count == launches)
        return true;
    launch_log_free(log);
    return false;
}
