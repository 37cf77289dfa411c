/* Lives of instructions in Kanata's log format 0004, for the viewer Konata (docs/kanata-log-format.md in its
 * repository): stages "Is" from the issue on, where the unit takes the instruction later, and "X" from its dispatch on,
 * up to the first cycle in which its result can be used. A thread is a warp. */
#ifndef REPRISE_TOOLS_TIMELINE_KONATA_LOG_H
#define REPRISE_TOOLS_TIMELINE_KONATA_LOG_H

#include "tools/timeline/lives.h"
#include "tools/timeline/timeline.h"

/* Writes lives that are in order. Threads, one for each processor, make pieces of the log. Errors of the file are left
 * in it and in errno. False: out of memory. */
bool konata_log_write(const struct timeline_request *, const struct lives *, FILE *, struct rp_error *);

#endif
