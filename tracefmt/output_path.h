/* Where outputs go. They are written under a temporary name and renamed when complete, and a rename replaces whatever
 * has the name: a symbolic link, not the file that it leads to. */
#ifndef REPRISE_TRACEFMT_OUTPUT_PATH_H
#define REPRISE_TRACEFMT_OUTPUT_PATH_H

#include "tracefmt/error.h"

/* The name of the file that an output replaces or creates: `path` with the symbolic links followed that its last part
 * may be, as open(2) follows them, also to a file that does not exist yet. Folders on the way stay as given. The caller
 * frees it. NULL and RP_USAGE: the file is no regular one (a pipe, a device), or this process's stdout or stderr go
 * there (/dev/stdout), or links do not lead to it (a loop; a deleted file that /proc/self/fd still names), or the name
 * is that of a folder ("out/"), or goes through a file ("file/out"). */
char *output_path(const char *path, struct rp_error *);

#endif
