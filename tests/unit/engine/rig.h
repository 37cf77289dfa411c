/* A device, a module from PTX text with one kernel, and buffers as its arguments, for tests of whole launches. */
#ifndef REPRISE_TESTS_ENGINE_RIG_H
#define REPRISE_TESTS_ENGINE_RIG_H

#include "frontend/host/launch.h"

#define RIG_BUFFERS 4

struct rig {
    struct rp_device *device;
    struct program *program;
    uint64_t address[RIG_BUFFERS];
    void *host[RIG_BUFFERS];
    uint64_t params[16]; /* buffers first, then what the test puts there */
    uint32_t buffers;
    struct rp_launch_config config;
    struct rp_launch_result result;
    struct rp_error err;
};

extern const char *rig_target; /* sm_62 */
/* `body` is what comes after the .version, .target and .address_size lines; its only entry is the kernel. The buffers
 * are called arg0, arg1, ... and their addresses are the first parameters. Ends the test on failure. */
void rig_open(struct rig *, const char *body, uint32_t buffers, const uint64_t *bytes);
void rig_close(struct rig *);
bool rig_run(struct rig *, uint32_t grid, uint32_t block);
/* The launch fails with this fault, and the report contains `text`. */
void rig_expect_fault(struct rig *, uint32_t grid, uint32_t block, enum rp_fault_kind, const char *text);

/* What a launch leaves behind: its trace's bytes and the buffers' content. */
struct outcome {
    uint8_t *trace;
    size_t trace_bytes;
    size_t chunks_begin, chunks_end; /* in these bytes: what the warps did, without tables and index */
    void *memory[RIG_BUFFERS];
    uint64_t warp_instructions;
    bool ok, racy;
    struct rp_error err;
};
/* Opens, fills (may be NULL), records with `threads`, closes. */
struct outcome rig_record(const char *body, uint32_t buffers, const uint64_t *bytes, void (*fill)(struct rig *),
                          uint32_t grid, uint32_t block, unsigned threads);
void outcome_free(struct outcome *);
/* Records at 1, 2, 3 and 8 threads: everything must be the same. Returns the outcome at 1 thread. */
struct outcome rig_same_at_any_threads(const char *body, uint32_t buffers, const uint64_t *bytes,
                                       void (*fill)(struct rig *), uint32_t grid, uint32_t block);

#endif
