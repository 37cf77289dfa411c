/* Files under way that signals remove before they end the program. */
#ifndef REPRISE_TOOLS_LIB_CLEANUP_H
#define REPRISE_TOOLS_LIB_CLEANUP_H

/* A file that signals which end the program (an interrupt, a reader of stdout that went away, a limit on file sizes)
 * remove before they do; NULL: none. The name must live on. The first call that names a file installs the handlers. */
enum cleanup_slot { CLEANUP_TRACE, CLEANUP_FILE, CLEANUP_SLOTS };
void cleanup_register(enum cleanup_slot, const char *path);

/* Such signals wait from the first to the second: while a file is there and has not been named. In one thread, not
 * nested. */
void cleanup_hold(void);
void cleanup_release(void);

#endif
