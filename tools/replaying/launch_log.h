/* The results of many launches in little memory: most statistics of a launch are 0 or small. */
#ifndef REPRISE_TOOLS_REPLAYING_LAUNCH_LOG_H
#define REPRISE_TOOLS_REPLAYING_LAUNCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/session/replay.h"

struct launch_log {
    uint8_t *bytes;
    size_t size, room;
    uint32_t count;
    uint32_t warnings;         /* launches with one */
    uint32_t overlaps;         /* launches that overlap others */
    uint32_t no_control_words; /* launches that the scoreboard held back */
};

/* For replay_options.launch_done, with a struct launch_log as its data. */
bool launch_log_add(void *log, const struct replay_launch *, struct rp_error *);
void launch_log_free(struct launch_log *);

/* Reads the launches in the order in which they came: begin with {.log = ...}. */
struct launch_reader {
    const struct launch_log *log;
    size_t at;
};
bool launch_log_next(struct launch_reader *, struct replay_launch *);

#endif
