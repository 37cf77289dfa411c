/* Lets work end early, and show what it has, when a signal asks the program to end. */
#ifndef REPRISE_TOOLS_LIB_INTERRUPT_H
#define REPRISE_TOOLS_LIB_INTERRUPT_H

#include <stdbool.h>

/* From now on the first SIGINT, SIGTERM, SIGHUP or SIGXCPU (a limit of the processor's time) is only noted, unless it
 * is ignored already. The second SIGINT, SIGTERM or SIGHUP does what it did before. */
void interrupt_watch(void);
/* The signal that was noted; 0: none. */
int interrupted(void);
/* Whether there is one, for threads that look often. */
const _Atomic bool *interrupt_flag(void);
/* Ends the program by the signal that was noted, so that its status says so. */
_Noreturn void interrupt_end(void);

#endif
