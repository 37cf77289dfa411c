/* Operations of the host as text. */
#ifndef REPRISE_TOOLS_DUMP_HOST_OPERATION_H
#define REPRISE_TOOLS_DUMP_HOST_OPERATION_H

#include <stdio.h>

#include "tracefmt/trace.h"

/* "copy               to-device 0x1000 from 0x0 64 bytes": kind and operands, without the stream and a newline. */
void host_operation_print(const struct rp_host_operation *, FILE *);

#endif
