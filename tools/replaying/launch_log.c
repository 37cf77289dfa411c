/* A launch is its number, its begin and end, whether it overlaps others and control words held it back, its warning
 * with the length before it, and its statistics as one row of numbers. Numbers are stored seven bits to a byte, the
 * last one without the top bit. No number but 0 begins with a byte of 0, and that is followed by how many zeros more
 * there are. */
#include "tools/replaying/launch_log.h"

#include <stdlib.h>
#include <string.h>

#define WORDS (sizeof(struct statistics) / sizeof(uint64_t))
#define MOST_BYTES (10 * WORDS + 50 + sizeof((struct replay_launch){0}.warning)) /* of a launch */

_Static_assert(sizeof(struct statistics) % sizeof(uint64_t) == 0 && WORDS < 256, "statistics are numbers of 64 bits");

static bool make_room(struct launch_log *log)
{
    if (log->room - log->size >= MOST_BYTES)
        return true;
    size_t room = log->room + log->room / 4 + 4 * MOST_BYTES;
    uint8_t *bytes = realloc(log->bytes, room);
    if (!bytes)
        return false;
    log->bytes = bytes;
    log->room = room;
    return true;
}

static void put(struct launch_log *log, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        log->bytes[log->size++] = (uint8_t)(value | 0x80);
    log->bytes[log->size++] = (uint8_t)value;
}

static void put_statistics(struct launch_log *log, const struct statistics *s)
{
    uint64_t words[WORDS];
    memcpy(words, s, sizeof words);
    for (size_t i = 0; i < WORDS; i++) {
        put(log, words[i]);
        if (words[i])
            continue;
        size_t more = 0;
        while (i + 1 < WORDS && !words[i + 1]) {
            more++;
            i++;
        }
        put(log, more);
    }
}

bool launch_log_add(void *data, const struct replay_launch *launch, struct rp_error *err)
{
    struct launch_log *log = data;
    if (!make_room(log))
        return rp_fail(err, RP_SYSTEM, "out of memory for the results of %u launches", log->count);
    size_t warning = strlen(launch->warning);
    put(log, launch->launch);
    put(log, launch->begin);
    put(log, launch->end);
    put(log, (uint64_t)launch->overlaps << 1 | launch->control_words);
    put(log, warning);
    memcpy(log->bytes + log->size, launch->warning, warning);
    log->size += warning;
    put_statistics(log, &launch->statistics);
    log->count++;
    log->warnings += warning != 0;
    log->overlaps += launch->overlaps;
    log->no_control_words += !launch->control_words;
    return true;
}

void launch_log_free(struct launch_log *log)
{
    free(log->bytes);
    *log = (struct launch_log){0};
}

static uint64_t get(struct launch_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = r->log->bytes[r->at++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

static void get_statistics(struct launch_reader *r, struct statistics *s)
{
    uint64_t words[WORDS] = {0};
    for (size_t i = 0; i < WORDS; i++)
        if (!(words[i] = get(r)))
            i += get(r);
    memcpy(s, words, sizeof words);
}

bool launch_log_next(struct launch_reader *r, struct replay_launch *launch)
{
    if (r->at == r->log->size)
        return false;
    *launch = (struct replay_launch){.launch = (uint32_t)get(r)};
    launch->begin = get(r);
    launch->end = get(r);
    uint64_t flags = get(r);
    launch->overlaps = flags >> 1;
    launch->control_words = flags & 1;
    size_t warning = get(r);
    memcpy(launch->warning, r->log->bytes + r->at, warning);
    r->at += warning;
    get_statistics(r, &launch->statistics);
    return true;
}
