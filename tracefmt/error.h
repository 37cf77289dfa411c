/* One error, as every fallible function of Reprise reports it.
 *
 * A function that can fail takes a `struct rp_error *` as its last argument and returns false, NULL or a negative
 * number after filling it; on success it leaves it alone. The text is one line without a newline, names the file,
 * kernel or option concerned and, where there is one, the way out. The status is what a program should exit with.
 */
#ifndef REPRISE_TRACEFMT_ERROR_H
#define REPRISE_TRACEFMT_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rp_status {
    RP_OK = 0,
    RP_USAGE = 1,     /* the command line is wrong */
    RP_BAD_INPUT = 2, /* a trace, module, machine file, launch file or data file is not what it should be */
    RP_KERNEL = 3,    /* the kernel misbehaved: bad access, deadlock, endless loop, exhausted stack, trap */
    RP_SYSTEM = 4,    /* the machine failed us: out of memory, no space left, input/output error */
    RP_PARTIAL = 5,   /* no failure: the trace is not whole, and what is there was used */
};

struct rp_error {
    enum rp_status status;
    char text[1024];
};

/* Fills *err (which may be NULL) and returns false, so that callers can write `return rp_fail(...)`. err->text may
 * itself be an argument, to prefix it with context. */
bool rp_fail(struct rp_error *err, enum rp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
