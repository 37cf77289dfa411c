/* What clang said of a source, told to the user. */
#ifndef REPRISE_TOOLS_CUDA_MESSAGES_H
#define REPRISE_TOOLS_CUDA_MESSAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "tracefmt/error.h"

/* `said` has clang's messages and, as it was run with -H, the headers that it opened: a line of dots and a path each.
 * `headers` is the folder of ours. Prints the messages to standard error, but for a header of NVIDIA's that does not go
 * with ours: then false, and the error names it. Also false if it did not compile. */
bool cuda_messages(FILE *said, const char *source, const char *headers, bool compiled, struct rp_error *);

#endif
