#ifndef REPRISE_FRONTEND_CUDA_DRIVER_CALLS_H
#define REPRISE_FRONTEND_CUDA_DRIVER_CALLS_H

#include <stdbool.h>

/* Whether calls that fail are findings. */
extern bool calls_checked;

/* Says why the thread's current call is about to fail, for the finding. Returns `code`. */
int call_refused(int code, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* The thread's current call is a finding of kind HOST; that it fails is none beside that. A call of the driver begins.
 */
void call_misused(void);
void call_begins(void);

#endif
