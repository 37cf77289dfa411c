/* What happens when a signal ends the program: unfinished files are removed, and one line on stderr says so. */
#ifndef REPRISE_TOOLS_LIB_CLEANUP_H
#define REPRISE_TOOLS_LIB_CLEANUP_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU end the program as they do otherwise, but after a line:
 *
 *   reprise: stopped by SIGTERM; 'x.html' was not written
 *
 * SIGPIPE removes files without a word. A signal that is ignored stays ignored. `terminal`: stderr understands escape
 * sequences. Without this call, as in the library, files are removed and nothing is said. */
void cleanup_begin(bool terminal);

/* Names an output that the command is going to write, until cleanup_written() names it, too: the line above has it. Of
 * more than a few only the first are kept. The name must stay valid. */
void cleanup_expect(const char *path);
void cleanup_written(const char *path);

/* Names the file to remove when a signal ends the program: an interrupt, a closed stdout, a limit of the processor's
 * time. NULL: none. The name must stay valid. The first call that names a file installs the handlers. */
enum cleanup_slot { CLEANUP_TRACE, CLEANUP_FILE, CLEANUP_SLOTS };
void cleanup_register(enum cleanup_slot, const char *path);

/* What else such a signal shall do before the line; a handler calls it. */
void cleanup_call(void (*)(void));

/* Hold such signals back, and let them through again. Call them around the creation of a file, which exists before its
 * name is registered, and around its renaming. For one thread; calls do not nest. */
void cleanup_hold(void);
void cleanup_release(void);

#endif
