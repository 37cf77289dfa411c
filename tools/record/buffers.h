/* Buffers of a plan: their contents in device memory, and saving them. */
#ifndef REPRISE_TOOLS_RECORD_BUFFERS_H
#define REPRISE_TOOLS_RECORD_BUFFERS_H

#include "frontend/host/launch.h"
#include "tools/record/plan.h"

/* Allocates and fills; buffers from files get their size here. Errors are RP_BAD_INPUT. */
bool buffer_fill(struct plan_buffer *, struct rp_context *, struct rp_error *);
/* Whether there is any point in trying to save to `path` later; RP_USAGE if not. */
bool buffer_can_save(const char *path, struct rp_error *);
/* Writes the buffer to `path` through a temporary name. */
bool buffer_save(const struct plan_buffer *, struct rp_context *, const char *path, struct rp_error *);

/* A file that signals which end the program (an interrupt, a reader of stdout that went away, a limit on file sizes)
 * remove before they do; NULL: none. The name must live on. */
void cleanup_register(unsigned slot, const char *path);
enum { CLEANUP_TRACE, CLEANUP_SAVE, CLEANUP_SLOTS };
void cleanup_install(void);

#endif
