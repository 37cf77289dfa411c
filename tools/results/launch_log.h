/* The results of many launches in little memory, as most statistics of a launch are 0 or small. Files have the same
 * bytes (record.h). */
#ifndef REPRISE_TOOLS_RESULTS_LAUNCH_LOG_H
#define REPRISE_TOOLS_RESULTS_LAUNCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/session/replay.h"
#include "tools/results/packed.h"

struct launch_log {
    struct packed packed;
    uint32_t count;
    uint32_t warnings;         /* launches that have a warning */
    uint32_t overlaps;         /* launches that overlap others */
    uint32_t no_control_words; /* launches without control words, replayed with the scoreboard instead */
};

/* For replay_options.launch_done, with a struct launch_log as its data. */
bool launch_log_add(void *log, const struct replay_launch *, struct rp_error *);
void launch_log_free(struct launch_log *);

/* Reads the launches in their order; begin with launch_log_read. False: there are no more, or the bytes are no log. */
struct launch_reader {
    struct packed_reader packed;
};
struct launch_reader launch_log_read(const struct launch_log *);
bool launch_log_next(struct launch_reader *, struct replay_launch *);

/* The largest number of bytes of a launch. */
size_t launch_log_most(void);
/* Makes a log from any bytes, which it owns. False: they are not the log of launches `first` to `first` + `count` - 1,
 * and are freed. */
bool launch_log_of_bytes(struct launch_log *, uint8_t *bytes, size_t size, uint32_t first, uint32_t count);

/* Copy statistics to and from a row of numbers. */
void statistics_put(struct packed *, const struct statistics *);
void statistics_get(struct packed_reader *, struct statistics *);

#endif
