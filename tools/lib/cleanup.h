/* Removes unfinished files when a signal ends the program. */
#ifndef REPRISE_TOOLS_LIB_CLEANUP_H
#define REPRISE_TOOLS_LIB_CLEANUP_H

/* Names the file to remove when a signal ends the program: an interrupt, a closed stdout, a limit on file sizes. NULL:
 * none. The name must stay valid. The first call that names a file installs the handlers. */
enum cleanup_slot { CLEANUP_TRACE, CLEANUP_FILE, CLEANUP_SLOTS };
void cleanup_register(enum cleanup_slot, const char *path);

/* Hold such signals back, and let them through again. Call them around the creation of a file, which exists before its
 * name is registered. For one thread; calls do not nest. */
void cleanup_hold(void);
void cleanup_release(void);

#endif
