/* reprise timeline: what happens in a replay over its cycles, as a file for a viewer. */
#ifndef REPRISE_TOOLS_TIMELINE_TIMELINE_H
#define REPRISE_TOOLS_TIMELINE_TIMELINE_H

#include <stdio.h>

#include "replay/session/replay.h"

/* X(identifier, name, events that it needs). Names are those of --tracks. */
#define TIMELINE_TRACKS(X)                                                                                             \
    X(LAUNCHES, "launches", OBSERVE_LAUNCH)                                                                            \
    X(BLOCKS, "blocks", OBSERVE_BLOCK)                                                                                 \
    X(WARPS, "warps", OBSERVE_BLOCK | OBSERVE_ISSUE | OBSERVE_DONE)                                                    \
    X(SUBCORES, "subcores", OBSERVE_ISSUE | OBSERVE_STALL)                                                             \
    X(UNITS, "units", OBSERVE_BLOCK | OBSERVE_ISSUE | OBSERVE_DONE)                                                    \
    X(CACHES, "caches", OBSERVE_ACCESS)                                                                                \
    X(DRAM, "dram", OBSERVE_DRAM)                                                                                      \
    X(COPIES, "copies", OBSERVE_COPY)

enum timeline_track {
#define X(id, ...) TIMELINE_##id##_NUMBER,
    TIMELINE_TRACKS(X)
#undef X
        TIMELINE_TRACK_COUNT,
#define X(id, ...) TIMELINE_##id = 1 << TIMELINE_##id##_NUMBER,
    TIMELINE_TRACKS(X)
#undef X
};

/* What is to be shown: what overlaps these cycles, of these blocks of each launch, whole; all ends are included.
 * Caches, DRAM and copies serve all blocks, so they are not shown where only some blocks are. */
struct timeline_window {
    uint64_t from_cycle, to_cycle, from_block, to_block;
};
#define TIMELINE_ALL                                                                                                   \
    {                                                                                                                  \
        0, UINT64_MAX, 0, UINT64_MAX                                                                                   \
    }

static inline bool timeline_shows_block(const struct timeline_window *w, uint64_t block)
{
    return block >= w->from_block && block <= w->to_block;
}

/* end: the cycle after the last. */
static inline bool timeline_shows(const struct timeline_window *w, uint64_t begin, uint64_t end)
{
    return begin <= w->to_cycle && end > w->from_cycle;
}

struct timeline_request {
    struct rp_trace *trace;
    const struct machine *machine;
    int64_t launch; /* -1: all */
    struct timeline_window window;
    unsigned tracks; /* enum timeline_track; Konata has instructions alone */
    void (*progress)(void *, uint64_t done, uint64_t total);
    void *progress_data;
};

struct timeline_result {
    uint64_t cycles; /* of the replay */
    uint64_t events; /* written; for Konata: instructions */
    bool partial;    /* a launch was not replayed to its end */
};

/* The tracks that the machine has events for. */
unsigned timeline_tracks_of(const struct machine *);

/* They replay and write; errors of the file are left in it. False: err says why. Nothing within the window is RP_USAGE.
 */
bool timeline_perfetto(const struct timeline_request *, FILE *, struct timeline_result *, struct rp_error *);
bool timeline_konata(const struct timeline_request *, FILE *, struct timeline_result *, struct rp_error *);

/* For those two: replays. Then: something was shown, or it is an error. */
bool timeline_replay(const struct timeline_request *, const struct observer *, struct timeline_result *,
                     struct rp_error *);
bool timeline_check(const struct timeline_request *, const struct timeline_result *, bool shown, struct rp_error *);

#endif
