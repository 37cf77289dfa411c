/* What the programs that this process starts need to be under reprise, too, whatever environment they are given. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_PASSED_ON_H
#define REPRISE_FRONTEND_CUDA_DRIVER_PASSED_ON_H

#include <stdbool.h>

enum { PASSED_LONG = 8192, PASSED_LISTS = 3, PASSED_MOST = 4096 };
/* Memory for an environment; on the stack, as a child of vfork() shares all other memory with its parent. */
struct passed_on {
    char *list[PASSED_MOST];
    char joined[PASSED_LISTS][PASSED_LONG];
};
/* The environment for a program. `given` as it is if it has all, or if this process is not under reprise. `file` as for
 * exec; `searched`: in PATH; NULL: not known. A program that is linked statically as a whole gets no path to our
 * libraries, which would crash it, and is logged as not checked. */
char *const *passed_on(struct passed_on *, const char *file, bool searched, char *const given[]);
/* Whether this process is the child of a vfork(), which has its parent's memory. */
bool passed_on_is_borrowed(void);

#endif
