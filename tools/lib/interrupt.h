/* Lets work end early, and show what it has, when a signal asks the program to end. */
#ifndef REPRISE_TOOLS_LIB_INTERRUPT_H
#define REPRISE_TOOLS_LIB_INTERRUPT_H

/* From now on the first SIGINT, SIGTERM or SIGHUP is only noted, unless it is ignored already. The second ends the
 * program at once. */
void interrupt_watch(void);
/* The signal that was noted; 0: none. */
int interrupted(void);
/* Ends the program by the signal that was noted, so that its status says so. */
_Noreturn void interrupt_end(void);

#endif
